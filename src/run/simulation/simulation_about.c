/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation_about.h"

#include "force/external/external.h"
#include "output/trajectory/about.h"
#include "run/simulation/simulation_parts.h"
#include "run/version.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 64 + PH_TEXTS_MAX };
struct ph_run_about {
    struct ph_about about;
    struct ph_about_entry entries[ENTRIES];
    double drifts[PH_SCHEME_HALF_MAX * 2], kicks[PH_SCHEME_HALF_MAX * 2], gradients[PH_SCHEME_HALF_MAX * 2];
    double grid[3];
    char external[1024]; /* fields, in words */
    char build[PH_PATH], models[PH_TEXTS_MAX][PH_PATH];
    char notes[sizeof(struct ph_build_notes) + PH_ADVICE];
    char *sets; /* owned; one per line */
};

static void say_text(struct ph_run_about *about, const char *name, const char *text)
{
    about->entries[about->about.n++] = (struct ph_about_entry){.name = name, .kind = PH_ABOUT_TEXT, .text = text};
}

static void say_number(struct ph_run_about *about, const char *name, double number)
{
    about->entries[about->about.n++] = (struct ph_about_entry){.name = name, .kind = PH_ABOUT_NUMBER, .number = number};
}

static void say_integer(struct ph_run_about *about, const char *name, int64_t integer)
{
    about->entries[about->about.n++] =
        (struct ph_about_entry){.name = name, .kind = PH_ABOUT_INTEGER, .integer = integer};
}

static void say_numbers(struct ph_run_about *about, const char *name, size_t n, const double *numbers)
{
    about->entries[about->about.n++] =
        (struct ph_about_entry){.name = name, .kind = PH_ABOUT_NUMBERS, .n = n, .numbers = numbers};
}

static void say_scheme(const struct ph_scheme *scheme, struct ph_run_about *about)
{
    size_t n_drifts = 0, n_kicks = 0;
    for (int k = 0; k < scheme->flows; ++k) {
        const struct ph_scheme_flow flow = ph_scheme_flow_at(scheme, k);
        if (flow.kind == PH_FLOW_KICK) {
            about->kicks[n_kicks] = flow.x;
            about->gradients[n_kicks++] = flow.c;
        } else {
            about->drifts[n_drifts++] = flow.x;
        }
    }
    say_text(about, "scheme", scheme->name);
    say_text(about, "scheme_reference", scheme->reference);
    say_integer(about, "scheme_order", scheme->order);
    say_text(about, "scheme_begins_with", ph_scheme_kick_first(scheme) ? "kick" : "drift");
    say_numbers(about, "scheme_drifts", n_drifts, about->drifts);
    say_numbers(about, "scheme_kicks", n_kicks, about->kicks);
    if (!ph_scheme_is_plain(scheme))
        say_numbers(about, "scheme_gradients", n_kicks, about->gradients);
}

static void say_method(const struct ph_methods *methods, struct ph_run_about *about)
{
    const struct ph_integrator *integrator = methods->integrator;
    if (integrator) {
        say_text(about, "integrator", integrator->name);
        say_text(about, "integrator_reference", integrator->reference);
        say_integer(about, "integrator_order", integrator->order);
        if (!integrator->implicit)
            say_integer(about, "integrator_evaluations", 1); /* a step */
        return;
    }
    say_scheme(methods->scheme, about);
    say_text(about, "flow", methods->flow->name);
}

static void say_nested(const struct ph_input *input, const struct ph_methods *methods,
                       const struct ph_interactions *interactions, struct ph_run_about *about)
{
    if (!methods->inner)
        return;
    say_text(about, "nested_scheme", methods->inner->name);
    say_text(about, "nested_scheme_reference", methods->inner->reference);
    say_integer(about, "nested_substeps", methods->substeps);
    say_text(about, "nested_part", input->dynamics.nested.part);
    if (interactions->fast.kind == PH_FAST_NEAR) {
        say_number(about, "nested_radius", interactions->fast.radius);
        say_number(about, "nested_width", interactions->fast.width);
    }
}

static void say_ewald(const struct ph_input *input, const struct ph_interactions *interactions,
                      struct ph_run_about *about)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    const bool mesh = interactions->electrostatics == PH_ELECTROSTATICS_MESH;
    const bool bessel = choice->split == PH_SPLIT_BESSEL;
    say_number(about, "ewald_tolerance", choice->tolerance);
    say_text(about, "ewald_geometry", input->interactions.geometry);
    say_text(about, "ewald_split", input->interactions.split);
    say_number(about, bessel ? "ewald_shape" : "ewald_screening", bessel ? choice->shape : choice->screening);
    if (bessel || mesh)
        say_integer(about, "ewald_smoothness", choice->smoothness);
    if (!mesh) {
        say_number(about, "ewald_k_max", choice->k_max);
        return;
    }
    for (int e = 0; e < 3; ++e)
        about->grid[e] = choice->grid[e];
    say_numbers(about, "mesh_grid", 3, about->grid);
    say_integer(about, "mesh_width", choice->width);
    say_number(about, "mesh_window", choice->window);
    say_integer(about, "mesh_remove_net_force", choice->remove_net_force);
}

static void say_interactions(const struct ph_input *input, const struct ph_interactions *interactions,
                             struct ph_run_about *about)
{
    say_text(about, "truncation", input->interactions.truncation);
    if (interactions->truncation != PH_TRUNCATE_NONE)
        say_number(about, "cutoff", interactions->cutoff);
    if (interactions->truncation == PH_TRUNCATE_SWITCHED) {
        say_number(about, "switch_width", interactions->switch_width);
        say_text(about, "switch_smoothness", input->interactions.smoothness);
    }
    say_text(about, "electrostatics", input->interactions.method);
    if (interactions->electrostatics != PH_ELECTROSTATICS_CUTOFF)
        say_number(about, "electrostatics_boundary_permittivity", interactions->epsilon_rf);
    if (ph_is_ewald(interactions))
        say_ewald(input, interactions, about);
    say_text(about, "combining", input->interactions.combining);
    say_integer(about, "long_range_correction", interactions->long_range_correction);
    size_t used = 0;
    for (size_t k = 0; k < ph_external_count() && used < sizeof about->external; ++k)
        if (ph_external_present(ph_external_at(k), &interactions->external)) {
            char text[256];
            ph_external_describe(ph_external_at(k), &interactions->external, sizeof text, text);
            used +=
                (size_t)snprintf(about->external + used, sizeof about->external - used, "%s%s", used ? "; " : "", text);
        }
    if (used > 0)
        say_text(about, "external", about->external);
}

/* Adds the notes and warnings that the user saw when the run began, each on a line. */
static void say_notes(const struct ph_simulation *simulation, struct ph_run_about *about)
{
    char advice[PH_ADVICE];
    ph_methods_advice(&simulation->methods, simulation->system, &simulation->interactions, advice);
    snprintf(about->notes, sizeof about->notes, "%s%s%s%s", simulation->notes.text, advice[0] ? "Warning: " : "",
             advice, advice[0] ? "\n" : "");
    if (about->notes[0])
        say_text(about, "notes", about->notes);
}

/* Describes the ensemble of the production. */
static void say_ensemble(const struct ph_input *input, struct ph_run_about *about)
{
    const size_t last = input->n_stages - 1;
    const double temperature = ph_stage_asked_temperature(input, last), pressure = ph_stage_asked_pressure(input, last);
    say_text(about, "ensemble", ph_stage_ensemble(&input->stages[last]));
    if (input->stages[last].thermostat.kind[0])
        say_text(about, "thermostat", input->stages[last].thermostat.kind);
    if (input->stages[last].thermostat.shadow)
        say_integer(about, "thermostat_shadow", 1);
    if (input->stages[last].thermostat.substeps > 1)
        say_integer(about, "thermostat_substeps", input->stages[last].thermostat.substeps);
    if (!isnan(temperature))
        say_number(about, "asked_temperature", temperature);
    if (!isnan(pressure))
        say_number(about, "asked_pressure", pressure);
    if (input->system.start.temperature > 0.0)
        say_number(about, "start_temperature", input->system.start.temperature);
}

/* Models are read in the order of species, each before its tables. */
static void say_models(const struct ph_simulation *simulation, struct ph_run_about *about)
{
    size_t species = 0, tables = 0;
    for (size_t k = 1; k < simulation->texts.n; ++k) {
        const struct ph_text *text = &simulation->texts.item[k];
        if (text->is_table)
            snprintf(about->models[k], sizeof about->models[k], "tables/%zu", ++tables);
        else if (species < simulation->system->n_species)
            snprintf(about->models[k], sizeof about->models[k], "models/%s",
                     simulation->system->species[species++].name);
        else
            continue;
        say_text(about, about->models[k], text->text);
    }
}

static enum ph_status describe(const struct ph_simulation *simulation, struct ph_run_about *about, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    *about = (struct ph_run_about){.about = {.version = ph_version(), .entries = about->entries}};
    about->about.author = input->output.author[0] ? input->output.author : getenv("USER");
    size_t length = 1;
    for (size_t k = 0; k < input->n_sets; ++k)
        length += strlen(input->sets[k]) + 1;
    if (!(about->sets = calloc(length, 1)))
        return ph_no_memory(err, "the description of the run");
    for (size_t k = 0; k < input->n_sets; ++k)
        strcat(strcat(about->sets, input->sets[k]), "\n");

    say_text(about, "identity", simulation->identity);
    say_text(about, "title", input->title);
    say_text(about, "input_file", input->file);
    say_text(about, "input", simulation->texts.item[0].text);
    say_text(about, "input_set", about->sets);
    say_models(simulation, about);
    say_text(about, "units", input->units);
    say_method(&simulation->methods, about);
    say_nested(input, &simulation->methods, &simulation->interactions, about);
    say_number(about, "step", input->dynamics.step);
    say_integer(about, "compensated", input->dynamics.compensated);
    say_integer(about, "seed", input->system.start.seed);
    const size_t last = input->n_stages - 1;
    const struct ph_degrees degrees = ph_stage_degrees(input, last, simulation->system, &simulation->interactions);
    say_integer(about, "degrees_of_translation", (int64_t)degrees.translation);
    say_integer(about, "degrees_of_rotation", (int64_t)degrees.rotation);
    say_ensemble(input, about);
    if (simulation->interactions.caller.force)
        say_integer(about, "caller_force", 1);
    say_number(about, "boltzmann", simulation->units->boltzmann);
    say_interactions(input, &simulation->interactions, about);
    snprintf(about->build, sizeof about->build, "%s, %s, %d thread%s", ph_version(), ph_build_description(),
             omp_get_max_threads(), omp_get_max_threads() == 1 ? "" : "s");
    say_text(about, "build", about->build);
    say_notes(simulation, about);
    return PH_OK;
}

enum ph_status ph_run_about_create(const struct ph_simulation *simulation, struct ph_run_about **about,
                                   struct ph_error *err)
{
    *about = malloc(sizeof **about);
    return *about ? describe(simulation, *about, err) : ph_no_memory(err, "the description of the run");
}

const struct ph_about *ph_run_about_entries(const struct ph_run_about *about) { return &about->about; }

void ph_run_about_destroy(struct ph_run_about *about)
{
    if (about)
        free(about->sets);
    free(about);
}
