/* SPDX-License-Identifier: MIT */
/* The functions of polhode.h that are not in simulation*.c */
#include "base/plain.h"
#include "run/arrays.h"
#include "run/simulation/simulation.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Making a simulation ---- */

/* Texts of the input are in `texts` already, or read from the file of that name. */
static enum ph_status make(struct ph_texts *texts, const char *name, size_t n_sets, const char *const *sets,
                           const struct ph_arrays *arrays, struct ph_simulation **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_input *input = malloc(sizeof *input);
    enum ph_status status =
        input ? ph_input_read_keeping(texts, name, n_sets, sets, input, err) : ph_no_memory(err, "the input");
    if (status == PH_OK)
        status = ph_simulation_create_given(texts, input, arrays, out, err);
    ph_texts_free(texts);
    free(input);
    return status;
}

enum ph_status ph_simulation_from_file(const char *file, size_t n_sets, const char *const *sets,
                                       struct ph_simulation **out, struct ph_error *err)
{
    struct ph_texts texts = {.n = 0};
    return make(&texts, file, n_sets, sets, NULL, out, err);
}

static enum ph_status from_text(const char *text, size_t length, size_t n_sets, const char *const *sets,
                                const struct ph_arrays *arrays, struct ph_simulation **out, struct ph_error *err)
{
    static const char name[] = "input"; /* as messages call it */
    *out = NULL;
    struct ph_texts texts = {.n = 0};
    const enum ph_status status = ph_texts_add(&texts, name, text, length, err);
    return status == PH_OK ? make(&texts, name, n_sets, sets, arrays, out, err) : status;
}

enum ph_status ph_simulation_from_text(const char *text, size_t n_sets, const char *const *sets,
                                       struct ph_simulation **out, struct ph_error *err)
{
    return from_text(text, strlen(text), n_sets, sets, NULL, out, err);
}

/* In single quotes, as YAML has them */
static void print_quoted(FILE *stream, const char *word)
{
    fputc('\'', stream);
    for (; *word != '\0'; ++word)
        fprintf(stream, "%s%c", *word == '\'' ? "'" : "", *word);
    fputc('\'', stream);
}

/* Box and species of the arrays as a part of the input, so that trajectories and checkpoints contain them, too */
static void print_system(FILE *stream, const struct ph_arrays *arrays)
{
    const double *e = arrays->edges;
    fputs("\nsystem:\n  box: ", stream);
    if (e)
        ph_fprintf(stream, "{edges: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}\n", e[0],
                   e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8]);
    else
        fputs("{kind: open}\n", stream);
    fputs("  molecules:\n", stream);
    for (size_t s = 0; s < arrays->n_species; ++s) {
        fputs("    - {model: ", stream);
        print_quoted(stream, arrays->models[s]);
        fprintf(stream, ", count: %zu}\n", arrays->counts[s]);
    }
    fputs("  start: {kind: given}\n", stream);
}

enum ph_status ph_simulation_from_arrays(const char *text, size_t n_sets, const char *const *sets,
                                         const struct ph_arrays *arrays, struct ph_simulation **out,
                                         struct ph_error *err)
{
    *out = NULL;
    char *whole = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&whole, &length);
    bool written = stream != NULL;
    if (stream) {
        fputs(text, stream);
        print_system(stream, arrays);
        written = !ferror(stream);
        written = fclose(stream) == 0 && written;
    }
    const enum ph_status status =
        written ? from_text(whole, length, n_sets, sets, arrays, out, err) : ph_no_memory(err, "the input");
    free(whole);
    return status;
}

/* ---- Files ---- */

enum ph_status ph_simulation_save_as(struct ph_simulation *simulation, const char *file, struct ph_error *err)
{
    char name[sizeof simulation->checkpoint_file], kept[sizeof name];
    if (!ph_checkpoint_name(file, sizeof name, name))
        return ph_error_set(err, PH_ERR_INPUT, "The name '%.60s...' is too long.", file);
    if (access(file, F_OK) == 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is there, and %s would be its checkpoint. Give another name.", file,
                            name);
    enum ph_status status = simulation->changed ? ph_simulation_synchronise(simulation, err) : PH_OK;
    if (status == PH_OK)
        status = ph_simulation_make_up(simulation, err);
    if (status != PH_OK)
        return status;
    const int64_t last = simulation->checkpoint_step;
    memcpy(kept, simulation->checkpoint_file, sizeof kept);
    memcpy(simulation->checkpoint_file, name, sizeof name);
    const enum ph_status saved = ph_simulation_save(simulation, err);
    memcpy(simulation->checkpoint_file, kept, sizeof kept);
    simulation->checkpoint_step = last;
    return saved;
}

enum ph_status ph_simulation_finish(struct ph_simulation *simulation, bool overwrite, bool (*stop)(void *data),
                                    void *data, struct ph_error *err)
{
    enum ph_status status = simulation->changed ? ph_simulation_synchronise(simulation, err) : PH_OK;
    if (status == PH_OK && simulation->diverged)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "The simulation cannot write its trajectory, %s: it was moved or changed after its "
                              "beginning, or looked at in the middle of a step. Make it anew, or resume it.",
                              simulation->file);
    if (status != PH_OK)
        return status;
    bool stopped;
    const struct ph_watch watch = {.stop = stop, .data = data};
    status = ph_simulation_run(simulation, overwrite, &watch, &stopped, err);
    simulation->diverged = true;
    simulation->synchronised = status == PH_OK;
    return status;
}

/* ---- Looking at it ---- */

size_t ph_simulation_molecules(const struct ph_simulation *simulation) { return simulation->system->n; }

size_t ph_simulation_species(const struct ph_simulation *simulation) { return simulation->system->n_species; }

size_t ph_simulation_species_of(const struct ph_simulation *simulation, size_t molecule)
{
    return ph_system_species_of(simulation->system, molecule);
}

struct ph_species_facts ph_simulation_species_facts(const struct ph_simulation *simulation, size_t s)
{
    const struct ph_system *system = simulation->system;
    const struct ph_species *species = &system->species[s];
    return (struct ph_species_facts){
        .name = species->name,
        .count = system->first[s + 1] - system->first[s],
        .mass = species->mass,
        .inertia = {species->inertia[0], species->inertia[1], species->inertia[2]},
    };
}

size_t ph_simulation_sites(const struct ph_simulation *simulation, size_t s)
{
    return simulation->system->species[s].n_sites;
}

struct ph_site_facts ph_simulation_site_facts(const struct ph_simulation *simulation, size_t s, size_t k)
{
    const struct ph_site *site = &simulation->system->species[s].site[k];
    return (struct ph_site_facts){
        .name = site->name,
        .position = {site->position[0], site->position[1], site->position[2]},
        .mass = site->mass,
        .charge = site->charge,
    };
}

bool ph_simulation_box(const struct ph_simulation *simulation, double edges[9])
{
    memcpy(edges, simulation->system->box.edge, sizeof simulation->system->box.edge);
    return simulation->system->box.kind != PH_BOX_OPEN;
}

enum ph_status ph_simulation_read(struct ph_simulation *simulation, enum ph_array which, double *to,
                                  struct ph_error *err)
{
    const enum ph_status status = ph_simulation_synchronise(simulation, err);
    if (status == PH_OK)
        ph_arrays_read(simulation->system, which, to);
    return status;
}

enum ph_status ph_simulation_write(struct ph_simulation *simulation, enum ph_array which, const double *from,
                                   struct ph_error *err)
{
    enum ph_status status = simulation->changed ? PH_OK : ph_simulation_synchronise(simulation, err);
    if (status == PH_OK)
        status = ph_arrays_write(from, which, simulation->system, err);
    if (status == PH_OK)
        ph_simulation_change(simulation);
    return status;
}

enum ph_status ph_simulation_view(struct ph_simulation *simulation, enum ph_array which, struct ph_view *view,
                                  struct ph_error *err)
{
    const enum ph_status status = ph_simulation_synchronise(simulation, err);
    if (status != PH_OK)
        return status;
    return ph_arrays_view(simulation->system, which, view)
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT,
                              "The library has no memory of this quantity in the order of the "
                              "molecules' numbers; ph_simulation_read copies it.");
}

enum ph_status ph_simulation_changed(struct ph_simulation *simulation, enum ph_array which, struct ph_error *err)
{
    const enum ph_status status = ph_arrays_accept(which, simulation->system, err);
    if (status == PH_OK)
        ph_simulation_change(simulation);
    return status;
}

enum ph_status ph_simulation_energies(struct ph_simulation *simulation, struct ph_energies *energies,
                                      struct ph_error *err)
{
    const enum ph_status status = ph_simulation_synchronise(simulation, err);
    if (status != PH_OK)
        return status;
    const struct ph_observables *o = &simulation->observables;
    *energies = (struct ph_energies){
        .total = o->total,
        .kinetic_translation = o->kinetic_translation,
        .kinetic_rotation = o->kinetic_rotation,
        .potential = o->potential,
        .radial = o->terms.radial,
        .electric = o->terms.electric,
        .long_range = o->terms.long_range,
        .external = o->terms.field + o->terms.bias,
        .temperature = o->temperature,
        .temperature_translation = o->temperature_translation,
        .temperature_rotation = o->temperature_rotation,
        .pressure = o->pressure,
    };
    memcpy(energies->virial, o->terms.virial, sizeof energies->virial);
    memcpy(energies->pressure_tensor, o->pressure_tensor, sizeof energies->pressure_tensor);
    memcpy(energies->momentum, o->momentum, sizeof energies->momentum);
    memcpy(energies->angular_momentum, o->angular_momentum, sizeof energies->angular_momentum);
    memcpy(energies->dipole, o->dipole, sizeof energies->dipole);
    return PH_OK;
}
