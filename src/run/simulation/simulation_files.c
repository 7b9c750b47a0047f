/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation_files.h"

#include "output/trajectory/trajectory.h"
#include "parallel/ranks.h"
#include "run/simulation/simulation.h"
#include "run/simulation/simulation_about.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* ---- Trajectory ---- */

/* Arrays that a plan points to */
struct plan_parts {
    struct ph_trajectory_column columns[PH_COLUMNS_MAX], flux_columns[PH_FLUX_COLUMNS];
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
        .fluxes_every = stage->fluxes_every,
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
        .flux_columns = parts->flux_columns,
        .n_stages = input->staged ? input->n_stages : 0,
        .stages = parts->stages,
    };
    for (size_t k = 0; k < plan->n_columns; ++k)
        parts->columns[k] =
            (struct ph_trajectory_column){used[k]->name, used[k]->width, physical ? used[k]->unit : NULL};
    bool heat;
    if (ph_simulation_has_fluxes(simulation, &heat))
        plan->n_flux_columns = ph_flux_columns(heat, used);
    for (size_t k = 0; k < plan->n_flux_columns; ++k)
        parts->flux_columns[k] =
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
    double column = 16.0, flux = 16.0;
    for (size_t k = 0; k < plan.n_columns; ++k)
        column += 8.0 * plan.columns[k].width;
    for (size_t k = 0; k < plan.n_flux_columns; ++k)
        flux += 8.0 * plan.flux_columns[k].width;
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
        if (cadence->fluxes_every > 0)
            forecast->bytes += flux * (first + times_between(begin, from, end, cadence->fluxes_every));
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
    struct ph_run_about *about;
    enum ph_status status = ph_run_about_create(simulation, &about, err);
    if (status == PH_OK)
        status = ph_trajectory_create(simulation->file, overwrite, simulation->system, plan,
                                      ph_run_about_entries(about), &simulation->trajectory, err);
    if (status == PH_OK)
        ph_checkpoint_remove(simulation->checkpoint_file);
    ph_run_about_destroy(about);
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
