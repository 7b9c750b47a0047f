/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation_files.h"

#include "force/external/external.h"
#include "output/trajectory/trajectory.h"
#include "parallel/ranks.h"
#include "run/simulation/simulation.h"
#include "run/version.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* ---- Trajectory ---- */

/* Arrays that a plan points to */
struct plan_parts {
    struct ph_trajectory_column columns[PH_COLUMNS_MAX];
    struct ph_trajectory_cadence cadences[PH_INPUT_STAGES_MAX];
    struct ph_trajectory_stage stages[PH_INPUT_STAGES_MAX];
    char words[PH_INPUT_STAGES_MAX][PH_STAGE_WORDS];
};

/* Returns how often an element is written in a stage. An element with the same interval as positions follows them in
 * each stage; an element that is never written does not. */
static int64_t every(const struct ph_input *input, const struct ph_input_stage *stage, const char *key, int64_t asked)
{
    const bool follows = asked > 0 ? asked == input->output.frames_every : !ph_input_given(input, key);
    return follows ? stage->frames_every : asked;
}

/* The same for an element that is written only on request */
static int64_t every_if(const struct ph_input *input, const struct ph_input_stage *stage, int64_t asked)
{
    return asked > 0 ? every(input, stage, "", asked) : 0;
}

static struct ph_trajectory_cadence cadence_of(const struct ph_input *input, size_t k)
{
    const struct ph_input_stage *stage = &input->stages[k];
    return (struct ph_trajectory_cadence){
        .from_step = ph_stage_first(input, k),
        .every = {[PH_TRAJECTORY_POSITION] = stage->frames_every,
                  [PH_TRAJECTORY_IMAGE] = every(input, stage, "output.image_every", input->output.image_every),
                  [PH_TRAJECTORY_VELOCITY] = every(input, stage, "output.velocity_every", input->output.velocity_every),
                  [PH_TRAJECTORY_ORIENTATION] =
                      every(input, stage, "output.orientation_every", input->output.orientation_every),
                  [PH_TRAJECTORY_ANGULAR_MOMENTUM] =
                      every(input, stage, "output.angular_momentum_every", input->output.angular_momentum_every),
                  [PH_TRAJECTORY_DIPOLE] = every_if(input, stage, input->output.dipole_every),
                  [PH_TRAJECTORY_FORCE] = every_if(input, stage, input->output.force_every),
                  [PH_TRAJECTORY_TORQUE] = every_if(input, stage, input->output.torque_every)},
        .series_every = stage->series_every,
    };
}

static void make_plan(const struct ph_simulation *simulation, struct plan_parts *parts, struct ph_trajectory_plan *plan)
{
    const struct ph_input *input = simulation->input;
    const bool physical = strcmp(input->units, "md") == 0;
    const struct ph_column *used[PH_COLUMNS_MAX];
    const struct ph_column_choice choice = ph_simulation_columns(simulation);
    *plan = (struct ph_trajectory_plan){
        .physical = physical,
        .single = strcmp(input->output.precision, "single") == 0,
        .compression = (int)input->output.compression,
        .n_cadences = input->staged ? input->n_stages : 1,
        .cadences = parts->cadences,
        .n_columns = ph_columns(simulation->system, &simulation->interactions, &choice, used),
        .columns = parts->columns,
        .n_stages = input->staged ? input->n_stages : 0,
        .stages = parts->stages,
    };
    for (size_t k = 0; k < plan->n_columns; ++k)
        parts->columns[k] =
            (struct ph_trajectory_column){used[k]->name, used[k]->width, physical ? used[k]->unit : NULL};
    for (size_t k = 0; k < plan->n_cadences; ++k)
        parts->cadences[k] = cadence_of(input, k);
    for (size_t k = 0; k < plan->n_stages; ++k) {
        const struct ph_degrees degrees = ph_stage_degrees(input, k, simulation->system, &simulation->interactions);
        ph_stage_describe(input, k, parts->words[k]);
        parts->stages[k] = (struct ph_trajectory_stage){
            .name = input->stages[k].name,
            .about = parts->words[k],
            .first_step = ph_stage_first(input, k),
            .step = input->stages[k].step,
            .ensemble = ph_stage_ensemble(&input->stages[k]),
            .temperature = ph_stage_asked_temperature(input, k),
            .pressure = ph_stage_asked_pressure(input, k),
            .degrees_of_translation = (int64_t)degrees.translation,
            .degrees_of_rotation = (int64_t)degrees.rotation,
        };
    }
}

/* ---- Forecast ---- */

/* Returns the bytes of one row of an element, for sites and molecules or for molecules alone. */
static double row_bytes(const struct ph_system *system, const struct ph_trajectory_plan *plan, int element)
{
    static const int widths[PH_TRAJECTORY_ELEMENTS] = {
        [PH_TRAJECTORY_POSITION] = 3,         [PH_TRAJECTORY_IMAGE] = 3,  [PH_TRAJECTORY_VELOCITY] = 3,
        [PH_TRAJECTORY_ORIENTATION] = 4,      [PH_TRAJECTORY_DIPOLE] = 3, [PH_TRAJECTORY_FORCE] = 3,
        [PH_TRAJECTORY_ANGULAR_MOMENTUM] = 3, [PH_TRAJECTORY_TORQUE] = 3};
    const bool of_sites = element <= PH_TRAJECTORY_VELOCITY;
    const bool turns = element == PH_TRAJECTORY_ORIENTATION || element == PH_TRAJECTORY_ANGULAR_MOMENTUM ||
                       element == PH_TRAJECTORY_TORQUE;
    const double word = element == PH_TRAJECTORY_IMAGE || plan->single ? 4.0 : 8.0;
    double rows = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        if (!turns || system->species[s].degrees > 0)
            rows += (double)(system->first[s + 1] - system->first[s]);
    if (of_sites && ph_trajectory_has_bodies(system))
        rows += (double)ph_trajectory_particles(system);
    return word * widths[element] * rows + (element == PH_TRAJECTORY_POSITION ? 72.0 + 16.0 : 0.0);
}

/* Counts the steps after `from`, up to `to`, with output every so many steps counted from `begin`. */
static double times_between(int64_t begin, int64_t from, int64_t to, int64_t steps)
{
    return steps > 0 && to > from ? (double)((to - begin) / steps - (from - begin) / steps) : 0.0;
}

enum ph_status ph_simulation_forecast(const struct ph_simulation *simulation, struct ph_forecast *forecast,
                                      struct ph_error *err)
{
    struct plan_parts *parts = malloc(sizeof *parts);
    if (!parts)
        return ph_no_memory(err, "the trajectory");
    struct ph_trajectory_plan plan;
    make_plan(simulation, parts, &plan);
    *forecast = (struct ph_forecast){.packed = plan.compression > 0, .free = -1.0};
    const int64_t now = ph_mover_step(simulation->mover);
    double column = 16.0;
    for (size_t k = 0; k < plan.n_columns; ++k)
        column += 8.0 * plan.columns[k].width;
    for (size_t c = 0; c < plan.n_cadences; ++c) {
        const struct ph_trajectory_cadence *cadence = &plan.cadences[c];
        const int64_t begin = cadence->from_step, from = now > begin ? now : begin;
        const int64_t end = c + 1 < plan.n_cadences ? plan.cadences[c + 1].from_step : simulation->end;
        const double first = c == 0 && !simulation->resumed ? 1.0 : 0.0; /* the start itself */
        for (int element = 0; element < PH_TRAJECTORY_ELEMENTS; ++element)
            if (cadence->every[element] > 0)
                forecast->bytes += row_bytes(simulation->system, &plan, element) *
                                   (first + times_between(begin, from, end, cadence->every[element]));
        if (cadence->series_every > 0)
            forecast->bytes += column * (first + times_between(begin, from, end, cadence->series_every));
    }
    free(parts);
    char folder[PH_PATH];
    snprintf(folder, sizeof folder, "%s", simulation->file);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder ? 1 : 0] = '\0';
    struct statvfs about;
    if (statvfs(slash ? folder : ".", &about) == 0)
        forecast->free = (double)about.f_bavail * (double)about.f_frsize;
    return PH_OK;
}

/* Description of the run in the file */
enum { ENTRIES = 64 + PH_TEXTS_MAX };
struct about {
    struct ph_about about;
    struct ph_about_entry entries[ENTRIES];
    double drifts[PH_SCHEME_HALF_MAX * 2], kicks[PH_SCHEME_HALF_MAX * 2], gradients[PH_SCHEME_HALF_MAX * 2];
    double grid[3];
    char external[1024]; /* fields, in words */
    char build[PH_PATH], models[PH_TEXTS_MAX][PH_PATH];
    char notes[sizeof(struct ph_build_notes) + PH_ADVICE];
    char *sets; /* owned; one per line */
};

static void say_text(struct about *about, const char *name, const char *text)
{
    about->entries[about->about.n++] = (struct ph_about_entry){.name = name, .kind = PH_ABOUT_TEXT, .text = text};
}

static void say_number(struct about *about, const char *name, double number)
{
    about->entries[about->about.n++] = (struct ph_about_entry){.name = name, .kind = PH_ABOUT_NUMBER, .number = number};
}

static void say_integer(struct about *about, const char *name, int64_t integer)
{
    about->entries[about->about.n++] =
        (struct ph_about_entry){.name = name, .kind = PH_ABOUT_INTEGER, .integer = integer};
}

static void say_numbers(struct about *about, const char *name, size_t n, const double *numbers)
{
    about->entries[about->about.n++] =
        (struct ph_about_entry){.name = name, .kind = PH_ABOUT_NUMBERS, .n = n, .numbers = numbers};
}

static void say_scheme(const struct ph_scheme *scheme, struct about *about)
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
    if (scheme->kind == PH_SCHEME_GRADIENT)
        say_numbers(about, "scheme_gradients", n_kicks, about->gradients);
}

static void say_method(const struct ph_methods *methods, struct about *about)
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
                       const struct ph_interactions *interactions, struct about *about)
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

static void say_ewald(const struct ph_input *input, const struct ph_interactions *interactions, struct about *about)
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
                             struct about *about)
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
static void say_notes(const struct ph_simulation *simulation, struct about *about)
{
    char advice[PH_ADVICE];
    ph_methods_advice(&simulation->methods, simulation->system, &simulation->interactions, advice);
    snprintf(about->notes, sizeof about->notes, "%s%s%s%s", simulation->notes.text, advice[0] ? "Warning: " : "",
             advice, advice[0] ? "\n" : "");
    if (about->notes[0])
        say_text(about, "notes", about->notes);
}

/* Describes the ensemble of the production. */
static void say_ensemble(const struct ph_input *input, struct about *about)
{
    const size_t last = input->n_stages - 1;
    const double temperature = ph_stage_asked_temperature(input, last), pressure = ph_stage_asked_pressure(input, last);
    say_text(about, "ensemble", ph_stage_ensemble(&input->stages[last]));
    if (!isnan(temperature))
        say_number(about, "asked_temperature", temperature);
    if (!isnan(pressure))
        say_number(about, "asked_pressure", pressure);
    if (input->system.start.temperature > 0.0)
        say_number(about, "start_temperature", input->system.start.temperature);
}

/* Models are read in the order of species, each before its tables. */
static void say_models(const struct ph_simulation *simulation, struct about *about)
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

static enum ph_status describe(const struct ph_simulation *simulation, struct about *about, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    *about = (struct about){.about = {.version = ph_version(), .entries = about->entries}};
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

/* ---- Opening ---- */

static bool exists(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0;
}

/* The run must not overwrite a file that it reads. */
static enum ph_status check_name(const struct ph_simulation *simulation, const char *what, const char *name,
                                 struct ph_error *err)
{
    struct stat written, read;
    if (stat(simulation->file, &written) != 0 || stat(name, &read) != 0 || written.st_dev != read.st_dev ||
        written.st_ino != read.st_ino)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "%s: is the %s of this run and cannot be its trajectory. Give another name.",
                        simulation->file, what);
}

static enum ph_status check_names(const struct ph_simulation *simulation, bool overwrite, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < simulation->texts.n && status == PH_OK; ++k)
        status = check_name(simulation,
                            k == 0                               ? "input"
                            : simulation->texts.item[k].is_table ? "table"
                                                                 : "model",
                            simulation->texts.item[k].name, err);
    char start[PH_PATH];
    if (status == PH_OK && input->system.start.file[0] && ph_input_relative(input, input->system.start.file, start))
        status = check_name(simulation, "start", start, err);
    if (status == PH_OK && !overwrite && exists(simulation->file))
        status = ph_error_set(err, PH_ERR_IO,
                              "%s: is there already. Give another name (-o), go on with it (polhode resume), or allow "
                              "it to be replaced (--overwrite).",
                              simulation->file);
    if (status == PH_OK && !overwrite && exists(simulation->checkpoint_file))
        status = ph_error_set(err, PH_ERR_IO,
                              "%s: is the checkpoint of an earlier run, whose trajectory is missing. Give another name "
                              "(-o), or allow it to be replaced (--overwrite).",
                              simulation->checkpoint_file);
    return status;
}

/* Checks that trajectory and checkpoint belong together. Another run may have used the same name. */
static enum ph_status check_identity(const struct ph_simulation *simulation, struct ph_error *err)
{
    if (!exists(simulation->file))
        return ph_error_set(err, PH_ERR_IO, "%s: is missing, only %s exists. The trajectory is needed to resume.",
                            simulation->file, simulation->checkpoint_file);
    char *identity = NULL;
    enum ph_status status = ph_trajectory_read_text(simulation->file, "identity", &identity, err);
    if (status == PH_OK && strcmp(identity, simulation->identity) != 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s and %s belong to two different runs (%s and %s).",
                              simulation->file, simulation->checkpoint_file, identity, simulation->identity);
    free(identity);
    return status;
}

static enum ph_status create_trajectory(struct ph_simulation *simulation, bool overwrite,
                                        const struct ph_trajectory_plan *plan, struct ph_error *err)
{
    struct about *about = malloc(sizeof *about);
    if (!about)
        return ph_no_memory(err, "the description of the run");
    enum ph_status status = describe(simulation, about, err);
    if (status == PH_OK)
        status = ph_trajectory_create(simulation->file, overwrite, simulation->system, plan, &about->about,
                                      &simulation->trajectory, err);
    if (status == PH_OK)
        ph_checkpoint_remove(simulation->checkpoint_file);
    free(about->sets);
    free(about);
    return status;
}

enum ph_status ph_simulation_open(struct ph_simulation *simulation, bool overwrite, struct ph_error *err)
{
    enum ph_status status =
        simulation->resumed ? check_identity(simulation, err) : check_names(simulation, overwrite, err);
    struct plan_parts *parts = status == PH_OK ? malloc(sizeof *parts) : NULL;
    if (!parts)
        return status == PH_OK ? ph_no_memory(err, "the trajectory") : status;
    struct ph_trajectory_plan plan;
    make_plan(simulation, parts, &plan);
    if (simulation->resumed)
        status = ph_trajectory_resume(simulation->file, ph_mover_step(simulation->mover), simulation->system, &plan,
                                      &simulation->trajectory, err);
    else
        status = create_trajectory(simulation, overwrite, &plan, err);
    free(parts);
    return status;
}

enum ph_status ph_simulation_open_writer(struct ph_simulation *simulation, struct ph_error *err)
{
    const bool writes = ph_ranks_is_first() || ph_simulation_collective(simulation);
    /* Even where ranks will distribute molecules, each may hold all until forces are evaluated. */
    const bool blocks =
        ph_simulation_collective(simulation) || (ph_ranks_count() > 1 && ph_simulation_may_write_blocks(simulation));
    if (!blocks || !writes)
        return PH_OK;
    struct plan_parts *parts = malloc(sizeof *parts);
    if (!parts)
        return ph_no_memory(err, "the trajectory");
    struct ph_trajectory_plan plan;
    make_plan(simulation, parts, &plan);
    const enum ph_status status =
        ph_frame_writer_open(simulation->file, simulation->system, &plan, &simulation->writer, err);
    free(parts);
    return status;
}
