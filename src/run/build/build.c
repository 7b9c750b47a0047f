/* SPDX-License-Identifier: MIT */
#include "run/build/build.h"

#include "base/library.h"
#include "force/longrange/ewald.h"
#include "formats/start_file.h"
#include "model/start.h"
#include "output/reader/h5md_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ph_status load_species(const struct ph_input *input, struct ph_species *species, size_t *counts,
                                   struct ph_error *err)
{
    struct ph_input_model *model = malloc(sizeof *model);
    if (!model)
        return ph_no_memory(err, "a model");
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < input->system.n_molecules && status == PH_OK; ++k) {
        counts[k] = (size_t)input->system.molecules[k].count;
        status = ph_input_model(input, k, model, err);
        if (status == PH_OK)
            status = ph_build_species(model, &species[k], err);
        for (size_t j = 0; j < k && status == PH_OK; ++j)
            if (strcmp(species[j].name, species[k].name) == 0) {
                char place[PH_PLACE];
                ph_input_line_place(input, input->system.molecules[k].line, place);
                status = ph_error_set(err, PH_ERR_INPUT,
                                      "%s: system.molecules[%zu]: model '%s' has been listed before; add the counts.",
                                      place, k, species[k].name);
            }
    }
    free(model);
    return status;
}

/* Of the input, or of the file with the start configuration; if both say something they must agree. */
static enum ph_status build_box(const struct ph_input *input, const struct ph_frame *frame,
                                const struct ph_species *species, const size_t *counts, struct ph_box *box,
                                struct ph_error *err)
{
    double n = 0.0, mass = 0.0;
    for (size_t k = 0; k < input->system.n_molecules; ++k) {
        n += (double)counts[k];
        mass += (double)counts[k] * species[k].mass;
    }
    const double *length = input->system.box.length, *edges = input->system.box.edges;
    const bool ice = strcmp(input->system.start.kind, "ice") == 0;
    double edge[3][3] = {{0.0}};
    const char *key = NULL;
    if (ice) {
        key = "system.start.form";
        const enum ph_status made = ph_build_ice_edges(input, species, counts, edge, err);
        if (made != PH_OK)
            return made;
    } else if (!isnan(input->system.box.density)) {
        key = "system.box.density";
        edge[0][0] = edge[1][1] = edge[2][2] = ph_library_cbrt(n / input->system.box.density);
    } else if (!isnan(input->system.box.mass_density)) {
        key = "system.box.mass_density";
        edge[0][0] = edge[1][1] = edge[2][2] =
            ph_library_cbrt(ph_kilograms_per_cubic_metre * mass / input->system.box.mass_density);
    } else if (!isnan(length[0])) {
        key = "system.box.length";
        for (int k = 0; k < 3; ++k)
            edge[k][k] = length[k];
    } else if (!isnan(edges[0])) {
        key = "system.box.edges";
        memcpy(edge, edges, sizeof edge);
    }
    char place[PH_PLACE];
    if (strcmp(input->system.box.kind, "open") == 0) {
        *box = ph_box_open();
        if (!frame || !frame->periodic)
            return PH_OK;
        ph_input_place(input, "system.box.kind", place);
        return ph_error_set(err, PH_ERR_INPUT, "%s: system.box.kind is open, but %s has a periodic box.", place,
                            frame->file);
    }
    if (frame && frame->periodic) {
        const double size = fabs(frame->edge[0][0]) + fabs(frame->edge[1][1]) + fabs(frame->edge[2][2]);
        for (int k = 0; k < 9 && key; ++k)
            if (!(fabs(edge[k / 3][k % 3] - frame->edge[k / 3][k % 3]) <= 1e-6 * size + frame->rounding)) {
                ph_input_place(input, key, place);
                return ph_error_set(
                    err, PH_ERR_INPUT,
                    "%s: %s makes component %d of box edge %d %.10g, but %s has %.10g: leave the key out, or make "
                    "them agree.",
                    place, key, k % 3 + 1, k / 3 + 1, edge[k / 3][k % 3], frame->file, frame->edge[k / 3][k % 3]);
            }
        if (!key || frame->rounding == 0.0) { /* the input may have more digits */
            memcpy(edge, frame->edge, sizeof edge);
            key = "system.start.file";
        }
    }
    if (!key) {
        ph_input_place(input, "system.start.file", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: system.start.file: %s has no box: give one of system.box.density, mass_density, "
                            "length, edges, or system.box.kind: open.",
                            place, frame ? frame->file : "the input");
    }
    struct ph_error inner = {.text = ""};
    const enum ph_status status = ph_box_init_periodic((const double(*)[3])edge, box, &inner);
    if (status != PH_OK) {
        ph_input_place(input, key, place);
        return ph_error_set(err, status, "%s: %s: %.600s", place, key, inner.text);
    }
    return PH_OK;
}

static enum ph_start_kind start_kind(const char *name)
{
    if (strcmp(name, "fcc") == 0)
        return PH_START_FCC;
    if (strcmp(name, "simple-cubic") == 0)
        return PH_START_SIMPLE_CUBIC;
    if (strcmp(name, "ice") == 0)
        return PH_START_ICE;
    return strcmp(name, "gaussian") == 0 ? PH_START_GAUSSIAN : PH_START_RANDOM;
}

/* Returns the factor of lengths of a file whose unit is `unit` nm; 0: the unit of the input. Files in reduced units
 * have the unit of the input. */
static double length_factor(const struct ph_input *input, double unit)
{
    const char *given = input->system.start.length_unit;
    if (ph_input_given(input, "system.start.scale") || strcmp(input->units, "md") != 0)
        return input->system.start.scale;
    if (given[0] != '\0')
        return strcmp(given, "nm") == 0 ? 1.0 : 0.1;
    return unit > 0.0 ? unit : 1.0;
}

/* Are the lines of this file atoms that names must sort? XYZ has lines of molecules or sites in the order of the input,
 * as we write it, or atoms with names. */
static bool has_atoms(const struct ph_frame *frame, const struct ph_input *input, const struct ph_species *species,
                      const size_t *counts)
{
    size_t n = 0, n_sites = 0, n_massive = 0;
    for (size_t s = 0; s < input->system.n_molecules; ++s) {
        n += counts[s];
        n_sites += counts[s] * ph_frame_lines_of(&species[s], PH_LINES_SITES);
        n_massive += counts[s] * ph_frame_lines_of(&species[s], PH_LINES_MASSIVE_SITES);
    }
    if (strcmp(frame->format, "xyz") != 0)
        return true;
    if (frame->orientation || frame->name[0][0] == '\0')
        return false;
    return input->system.start.n_names > 0 || (frame->n != n && (frame->n == n_sites || frame->n == n_massive));
}

static enum ph_status read_text(const struct ph_input *input, const char *path, const struct ph_species *species,
                                const size_t *counts, struct ph_frame *frame, struct ph_error *err)
{
    const struct ph_frame_request request = {
        .format = input->system.start.format,
        .frame = input->system.start.frame,
        .atom_style = input->system.start.atom_style,
        .units = input->system.start.units,
    };
    const enum ph_status status = ph_frame_read_text(path, &request, frame, err);
    if (status != PH_OK)
        return status;
    const bool md = strcmp(input->units, "md") == 0;
    ph_frame_scale(length_factor(input, frame->length), md && frame->time > 0.0 ? frame->time : 1.0, frame);
    if (!has_atoms(frame, input, species, counts))
        return PH_OK;
    struct ph_frame_name names[PH_INPUT_NAMES_MAX];
    for (size_t k = 0; k < input->system.start.n_names; ++k) {
        snprintf(names[k].from, sizeof names[k].from, "%s", input->system.start.names[k][0]);
        snprintf(names[k].to, sizeof names[k].to, "%s", input->system.start.names[k][1]);
    }
    return ph_frame_match(input->system.start.n_names, names, input->system.n_molecules, species, counts, frame, err);
}

/* H5MD by content or ending, else text */
static enum ph_status read_frame(const struct ph_input *input, const struct ph_species *species, const size_t *counts,
                                 struct ph_frame *frame, struct ph_error *err)
{
    char path[PH_PATH], where[PH_PLACE];
    if (!ph_input_relative(input, input->system.start.file, path))
        return ph_error_set(err, PH_ERR_INPUT, "The path of '%s' is too long.", input->system.start.file);
    const bool factor = ph_input_given(input, "system.start.scale");
    if (factor && input->system.start.length_unit[0] != '\0') {
        ph_input_place(input, "system.start.length_unit", where);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: system.start.length_unit does not go with system.start.scale: give one of them.",
                            where);
    }
    if (input->system.start.format[0] != '\0' || !ph_h5md_is(path))
        return read_text(input, path, species, counts, frame, err);
    const struct ph_h5md_request request = {
        .frame = input->system.start.frame,
        .scale = length_factor(input, 0.0),
        .momenta = !ph_input_given(input, "system.start.temperature"),
        .n_species = input->system.n_molecules,
        .species = species,
        .counts = counts,
    };
    const enum ph_status status = ph_h5md_read(path, &request, frame, err);
    if (status != PH_OK || frame->unit[0] == '\0' || factor || input->system.start.length_unit[0] != '\0')
        return status;
    const char *unit = strcmp(input->units, "md") == 0 ? "nm" : "";
    if (strcmp(frame->unit, unit) == 0)
        return PH_OK;
    ph_input_place(input, "system.start.file", where);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: system.start.file: lengths of %s have the unit '%s', those of the input are %s: give the "
                        "factor between them as system.start.scale.",
                        where, path, frame->unit, unit[0] ? unit : "reduced, without a unit");
}

/* Keys of the input that say nothing for this file */
static void note_ignored(const struct ph_input *input, const struct ph_frame_fit *fit, struct ph_build_notes *notes)
{
    char list[PH_PATH];
    ph_input_ignored(input, sizeof list, list);
    if (ph_input_given(input, "system.start.attitudes") && fit->n_kept == 0)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%ssystem.start.attitudes", list[0] ? ", " : "");
    if (list[0] != '\0')
        ph_build_note(notes, "Ignored: %s; the molecules are where the file has them.\n", list);
    if (fit->momenta && (ph_input_given(input, "system.start.seed") || ph_input_given(input, "system.start.rescale")) &&
        fit->n_kept == 0)
        ph_build_note(notes, "Ignored: system.start.%s; momenta are not drawn.\n",
                      ph_input_given(input, "system.start.seed") ? "seed" : "rescale");
}

static void write_notes(const struct ph_input *input, const struct ph_frame *frame, const struct ph_frame_fit *fit,
                        struct ph_build_notes *notes)
{
    notes->n_fitted = fit->n_fitted;
    notes->fit_rms = fit->rms;
    notes->fit_worst = fit->worst;
    notes->fit_worst_molecule = fit->worst_molecule;
    notes->momenta_from_file = fit->momenta;
    const bool ours = frame->format && strcmp(frame->format, "xyz") == 0; /* says nothing of itself */
    if (frame->moment[0] != '\0')
        ph_build_note(notes, "Start: %s of %s.\n", frame->moment, frame->file);
    if (frame->unsealed)
        ph_build_note(notes, "%s %s\n", frame->file, ph_h5md_unsealed);
    if (fit->n_fitted > 0)
        ph_build_note(notes,
                      "Orientations of %zu molecules are fitted to their sites, which are %.3g from the rigid "
                      "model (root mean square; molecule %zu, the worst: %.3g).\n",
                      fit->n_fitted, fit->rms, fit->worst_molecule + 1, fit->worst);
    if (fit->n_kept > 0)
        ph_build_note(notes, "Orientations of %zu molecules are those of system.start.attitudes.\n", fit->n_kept);
    if (!ours && fit->momenta)
        ph_build_note(notes, "Momenta are those of the file.\n");
    else if ((!ours || frame->velocity) && fit->no_momenta && input->stages[0].thermostat.kind[0] != '\0')
        ph_build_note(notes,
                      "Momenta are drawn at the temperature of the first thermostat: %s, and the input gives no "
                      "system.start.temperature.\n",
                      fit->no_momenta);
    else if ((!ours || frame->velocity) && fit->no_momenta)
        ph_build_note(notes, "Molecules are at rest: %s, and the input gives no system.start.temperature.\n",
                      fit->no_momenta);
    else if (frame->moment[0] != '\0' || (!ours && frame->velocity))
        ph_build_note(notes,
                      "Momenta are drawn at system.start.temperature; without this key those of the file are kept.\n");
    note_ignored(input, fit, notes);
}

/* Starts from a file. Missing orientations come from system.start.attitudes, if the input has it. */
static enum ph_status place_as_in_file(const struct ph_input *input, const struct ph_frame *frame,
                                       struct ph_system *system, struct ph_build_notes *notes, struct ph_error *err)
{
    const bool atoms = frame->format && frame->lines; /* of other programs: rounded, perhaps more than once */
    const struct ph_frame_rules rules = {
        .tolerance = !isnan(input->system.start.tolerance) ? input->system.start.tolerance
                     : atoms                               ? 0.02
                                                           : 1e-3,
        .keep_orientations = ph_input_given(input, "system.start.attitudes"),
        .momenta = !ph_input_given(input, "system.start.temperature"),
    };
    if (rules.keep_orientations && strcmp(input->system.start.attitudes, "random") == 0)
        ph_start_turn((uint64_t)input->system.start.seed, system);
    struct ph_frame_fit fit;
    const enum ph_status status = ph_frame_apply(frame, &rules, system, &fit, err);
    if (status == PH_OK)
        write_notes(input, frame, &fit, notes);
    return status;
}

static struct ph_start start_of(const struct ph_input *input, const struct ph_system *system)
{
    return (struct ph_start){
        .kind = start_kind(input->system.start.kind),
        .seed = (uint64_t)input->system.start.seed,
        .jitter = input->system.start.jitter,
        .spacing = input->system.start.spacing,
        .minimum_distance = isnan(input->system.start.minimum_distance)
                                ? 0.9 * ph_build_largest_sigma(system->n_species, system->species)
                                : input->system.start.minimum_distance,
        .radius = input->system.start.radius,
        .spread = input->system.start.spread,
        .ice = ph_ice_find(input->system.start.form),
    };
}

/* All, or a part */
enum ph_status ph_build_place_part(const struct ph_input *input, const struct ph_start_part *part,
                                   struct ph_system *system, struct ph_error *err)
{
    if (strcmp(input->system.start.kind, "given") == 0) {
        char where[PH_PLACE];
        ph_input_place(input, "system.start.kind", where);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: system.start.kind: given is for programs that use the library: they have the positions.", where);
    }
    struct ph_start start = start_of(input, system);
    struct ph_error inner = {.text = ""};
    enum ph_status status = start.kind == PH_START_ICE ? ph_build_ice_cells(input, system->n, start.cells, err) : PH_OK;
    if (status != PH_OK)
        return status;
    status = part ? ph_start_place_part(&start, part, system, &inner) : ph_start_place(&start, system, &inner);
    if (status != PH_OK) {
        char where[PH_PLACE];
        ph_input_place(input, "system.start", where);
        return ph_error_set(err, status, "%s: system.start: %.600s", where, inner.text);
    }
    if (strcmp(input->system.start.attitudes, "random") == 0 && start.kind != PH_START_ICE)
        ph_start_turn(start.seed, system);
    return PH_OK;
}

static void move(const struct ph_input *input, const struct ph_build_notes *notes, struct ph_system *system)
{
    if (!notes->momenta_from_file)
        ph_start_move(ph_units_find(input->units)->boltzmann * input->system.start.temperature,
                      input->system.start.rescale, input->interactions.pinned, (uint64_t)input->system.start.seed,
                      system);
    for (size_t i = 0; i < system->n && input->interactions.pinned; ++i)
        for (int k = 0; k < 3; ++k)
            system->p[k][i] = 0.0;
}

/* Chooses the parameters of an Ewald sum that the input leaves open. */
static enum ph_status choose_ewald(const struct ph_input *input, const struct ph_system *system,
                                   struct ph_interactions *interactions, struct ph_error *err)
{
    struct ph_error inner = {.text = ""};
    if (!ph_is_ewald(interactions) || ph_ewald_choose(system, interactions, &inner) == PH_OK)
        return PH_OK;
    return ph_input_error(input, &inner, err);
}

static enum ph_status check_slab(const struct ph_input *input, const struct ph_system *system,
                                 const struct ph_interactions *interactions, struct ph_error *err)
{
    int64_t filled[PH_BUILD_SLAB] = {0};
    if (!ph_build_is_slab(interactions))
        return PH_OK;
    ph_build_fill_slab(system, filled);
    return ph_build_check_slab(input, filled, err);
}

static enum ph_status build(const struct ph_input *input, struct ph_frame *frame, struct ph_species *species,
                            struct ph_system **system, struct ph_interactions *interactions,
                            struct ph_build_notes *notes, struct ph_error *err)
{
    size_t counts[PH_INPUT_SPECIES_MAX];
    const bool from_file = strcmp(input->system.start.kind, "file") == 0;
    enum ph_status status = load_species(input, species, counts, err);
    if (status == PH_OK && from_file)
        status = read_frame(input, species, counts, frame, err);
    if (status != PH_OK)
        return status;
    struct ph_box box;
    status = build_box(input, from_file ? frame : NULL, species, counts, &box, err);
    if (status == PH_OK)
        status = ph_system_create(input->system.n_molecules, species, counts, &box, system, err);
    if (status == PH_OK)
        status = from_file ? place_as_in_file(input, frame, *system, notes, err)
                           : ph_build_place_part(input, NULL, *system, err);
    if (status != PH_OK)
        return status;
    ph_build_note_ice(input, *system, notes);
    move(input, notes, *system);
    status = ph_build_interactions(input, input->system.n_molecules, species, interactions, err);
    if (status == PH_OK)
        status = choose_ewald(input, *system, interactions, err);
    if (status == PH_OK)
        status = check_slab(input, *system, interactions, err);
    if (status == PH_OK)
        ph_build_note_physics(input, *system, interactions, notes);
    return status;
}

enum ph_status ph_build_system(const struct ph_input *input, struct ph_system **system,
                               struct ph_interactions *interactions, struct ph_build_notes *notes, struct ph_error *err)
{
    *system = NULL;
    *interactions = (struct ph_interactions){.n_overrides = 0};
    struct ph_build_notes unread;
    notes = notes ? notes : &unread;
    *notes = (struct ph_build_notes){.n_fitted = 0};
    struct ph_frame frame = {.n = 0};
    struct ph_species *species = calloc(PH_INPUT_SPECIES_MAX, sizeof *species);
    enum ph_status status =
        species ? build(input, &frame, species, system, interactions, notes, err) : ph_no_memory(err, "species");
    free(species);
    ph_frame_free(&frame);
    if (status != PH_OK) {
        ph_system_destroy(*system);
        *system = NULL;
        ph_interactions_free(interactions);
    }
    return status;
}

static enum ph_status build_at_rest(const struct ph_input *input, bool open, bool reserved, struct ph_system **system,
                                    struct ph_interactions *interactions, struct ph_error *err)
{
    *system = NULL;
    *interactions = (struct ph_interactions){.n_overrides = 0};
    struct ph_species *species = calloc(PH_INPUT_SPECIES_MAX, sizeof *species);
    if (!species)
        return ph_no_memory(err, "species");
    size_t counts[PH_INPUT_SPECIES_MAX];
    struct ph_box box = ph_box_open();
    enum ph_status status = load_species(input, species, counts, err);
    if (status == PH_OK && !open)
        status = build_box(input, NULL, species, counts, &box, err);
    if (status == PH_OK)
        status = (reserved ? ph_system_reserve : ph_system_create)(input->system.n_molecules, species, counts, &box,
                                                                   system, err);
    if (status == PH_OK)
        status = ph_build_interactions(input, input->system.n_molecules, species, interactions, err);
    free(species);
    return status;
}

enum ph_status ph_build_empty(const struct ph_input *input, bool reserved, struct ph_system **system,
                              struct ph_interactions *interactions, struct ph_error *err)
{
    return build_at_rest(input, true, reserved, system, interactions, err);
}

enum ph_status ph_build_unplaced(const struct ph_input *input, bool reserved, struct ph_system **system,
                                 struct ph_interactions *interactions, struct ph_error *err)
{
    const enum ph_status status = build_at_rest(input, false, reserved, system, interactions, err);
    return status == PH_OK ? choose_ewald(input, *system, interactions, err) : status;
}

bool ph_build_parts(const struct ph_input *input)
{
    const char *kind = input->system.start.kind;
    const struct ph_start start = {.kind = start_kind(kind)};
    return strcmp(kind, "file") != 0 && strcmp(kind, "given") != 0 && ph_start_parts(&start) &&
           !(input->system.start.minimise.steps > 0);
}
