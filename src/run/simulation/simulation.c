/* SPDX-License-Identifier: MIT */
#include "run/simulation/simulation.h"

#include "base/names.h"
#include "model/start.h"
#include "parallel/ranks.h"
#include "run/arrays.h"
#include "run/minimise.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/simulation/simulation_parts.h"
#include "run/simulation/start_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ph_simulation_destroy(struct ph_simulation *simulation)
{
    if (!simulation)
        return;
    ph_trajectory_close(simulation->trajectory, NULL);
    ph_frame_writer_close(simulation->writer);
    ph_mover_destroy(simulation->mover);
    if (simulation->backend)
        simulation->backend->destroy(simulation->backend);
    ph_force_field_destroy(simulation->field);
    ph_interactions_free(&simulation->interactions);
    ph_system_destroy(simulation->system);
    for (size_t k = 0; k < PH_SETS_MAX; ++k)
        free(simulation->sets[k]);
    free(simulation->input);
    ph_texts_free(&simulation->texts);
    free(simulation);
}

/* Refuses a name with the ending of another format, because it is a slip and would mislead readers of the file. */
static enum ph_status check_ending(const char *file, const struct ph_input *input, struct ph_error *err)
{
    const char *name = file ? file : input->output.file;
    char place[PH_PLACE] = "";
    if (ph_name_ends(name, "h5md|h5|hdf5"))
        return PH_OK;
    if (!file)
        ph_input_place(input, "output.file", place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s%s'%.200s' cannot be the name of a trajectory, which is H5MD: it must end in .h5md, .h5 or "
                        ".hdf5. 'polhode export' makes other files of it.",
                        place, file ? "" : ": output.file: ", name);
}

static enum ph_status too_long(const char *name, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT, "The name of the trajectory, '%.60s...', is too long.", name);
}

enum ph_status ph_simulation_name(const struct ph_input *input, const char *file, char name[PH_PATH],
                                  struct ph_error *err)
{
    char own[PH_PATH];
    const char *slash = strrchr(input->file, '/');
    snprintf(own, sizeof own, "%s", slash ? slash + 1 : input->file);
    char *dot = strrchr(own, '.');
    if (dot && dot != own)
        *dot = '\0';
    const bool given = file || input->output.file[0] != '\0';
    const enum ph_status status = given ? check_ending(file, input, err) : PH_OK;
    if (status != PH_OK)
        return status;
    const int length = snprintf(name, PH_PATH, "%s%s",
                                file    ? file
                                : given ? input->output.file
                                        : own,
                                given ? "" : ".h5md");
    return length < PH_PATH ? PH_OK : too_long(name, err);
}

static enum ph_status name_files(const char *file, struct ph_simulation *simulation, struct ph_error *err)
{
    const enum ph_status status = ph_simulation_name(simulation->input, file, simulation->file, err);
    if (status != PH_OK)
        return status;
    return ph_checkpoint_name(simulation->file, sizeof simulation->checkpoint_file, simulation->checkpoint_file)
               ? PH_OK
               : too_long(simulation->file, err);
}

static enum ph_status copy_input(const struct ph_input *input, struct ph_simulation *simulation, struct ph_error *err)
{
    if (!(simulation->input = malloc(sizeof *simulation->input)))
        return ph_no_memory(err, "the input");
    *simulation->input = *input;
    simulation->input->texts = &simulation->texts;
    if (input->n_sets > PH_SETS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "More than %d keys are set from outside.", PH_SETS_MAX);
    for (size_t k = 0; k < input->n_sets; ++k)
        if (!(simulation->sets[k] = strdup(input->sets[k])))
            return ph_no_memory(err, "the input");
    simulation->input->sets = (const char *const *)simulation->sets;
    return PH_OK;
}

/* Removes the motion of the centre of mass that velocities from a file may have. Where this motion would last forever
 * it is no heat, and temperatures, which count 3N - 3 degrees of freedom, would be wrong. In open space it may be
 * intended. */
static void stop_drift(struct ph_simulation *simulation)
{
    struct ph_system *system = simulation->system;
    const double least = 1e-9; /* of the kinetic energy of translation; rounding leaves far less */
    if (!simulation->notes.momenta_from_file || system->box.kind == PH_BOX_OPEN ||
        simulation->degrees.translation + 3 != 3 * system->n)
        return;
    const double before = ph_system_kinetic_translation(system), drift = ph_start_drift(system);
    if (!(drift > least * before))
        return;
    ph_start_stop_drift(system);
    ph_build_note(&simulation->notes,
                  "The motion of the whole that the velocities of the file have is taken away: %.3g of the kinetic "
                  "energy of translation.\n",
                  drift / before);
}

/* Minimises the start if the input asks for it, and evaluates it. A system at rest with a thermostat gets momenta
 * first, because zero cannot be scaled. */
static enum ph_status begin_whole(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    struct ph_system *system = simulation->system;
    const struct ph_input_bath *bath = &input->stages[0].thermostat;
    if (bath->kind[0] && !(ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system) > 0.0))
        ph_start_move(simulation->units->boltzmann * bath->temperature, true, simulation->interactions.pinned,
                      (uint64_t)input->system.start.seed, system);
    stop_drift(simulation);
    enum ph_status status = ph_minimise_start(input, system, simulation->field, &simulation->notes, err);
    if (status == PH_OK) /* while all ranks still have all molecules */
        status = ph_simulation_compare(simulation, true, err);
    if (status == PH_OK)
        status = ph_overlap_find(system, &simulation->interactions, &simulation->overlap, err);
    ph_mover_state_changed(simulation->mover);
    return status == PH_OK ? ph_simulation_observe(simulation, true, err) : status;
}

/* Begins where each rank has a part: finds overlaps from the lists that the evaluation builds. */
static enum ph_status begin_in_parts(struct ph_simulation *simulation, struct ph_error *err)
{
    ph_mover_state_changed(simulation->mover);
    struct ph_error second;
    enum ph_status status = ph_ranks_agree(ph_simulation_observe(simulation, false, err), err);
    const enum ph_status found = ph_overlap_find_listed(ph_mover_state(simulation->mover), &simulation->interactions,
                                                        &simulation->overlap, status == PH_OK ? err : &second);
    status = status == PH_OK ? found : status;
    return status == PH_OK ? ph_simulation_show(simulation, err) : status;
}

static enum ph_status begin(struct ph_simulation *simulation, struct ph_error *err)
{
    struct ph_error inner = {.text = ""};
    const enum ph_status status =
        simulation->in_parts ? begin_in_parts(simulation, &inner) : begin_whole(simulation, &inner);
    if (status == PH_OK) {
        ph_overlap_note(&simulation->overlap, &simulation->notes);
        return PH_OK;
    }
    ph_overlap_blame(&simulation->overlap, &inner);
    return ph_input_error(simulation->input, &inner, err);
}

/* Writes the start of molecules begin .. end-1. */
static enum ph_status write_start(struct ph_state *state, size_t begin, size_t end, struct ph_force_memory *memory,
                                  void *data, struct ph_error *err)
{
    const struct ph_simulation *simulation = data;
    const struct ph_input *input = simulation->input;
    struct ph_system *system = ph_state_system(state);
    const struct ph_input_bath *bath = &input->stages[0].thermostat;
    (void)memory;
    enum ph_status status = ph_start_parts_make(input, &simulation->interactions, system, err);
    if (status == PH_OK && bath->kind[0] && !ph_start_parts_moves(begin, end, system))
        status = ph_start_parts_move(simulation->units->boltzmann * bath->temperature, true,
                                     simulation->interactions.pinned, (uint64_t)input->system.start.seed, system, err);
    return status;
}

/* Makes the start in parts on several ranks if no method needs all molecules. */
static enum ph_status build_in_parts(struct ph_simulation *simulation, struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    const struct ph_interactions *interactions = &simulation->interactions;
    enum ph_status status = ph_ranks_count() > 1 ? ph_simulation_same_input(simulation, err) : PH_OK;
    if (status != PH_OK || ph_ranks_count() == 1 || !ph_build_parts(input))
        return status;
    status = ph_ranks_agree(ph_build_unplaced(input, true, &simulation->system, &simulation->interactions, err), err);
    if (status != PH_OK)
        return status;
    const bool in_parts = ph_state_in_parts(interactions) &&
                          interactions->external.tether == 0.0 && /* anchors follow from positions */
                          ph_overlap_listed(simulation->system, interactions);
    simulation->in_parts = !ph_ranks_any(!in_parts); /* one rank may lack memory to decide */
    if (!simulation->in_parts) {
        ph_interactions_free(&simulation->interactions);
        ph_system_destroy(simulation->system);
        simulation->system = NULL;
        return PH_OK;
    }
    status = ph_ranks_agree(ph_simulation_ready(simulation, err), err);
    if (status == PH_OK)
        status = ph_state_write(ph_mover_state(simulation->mover), write_start, simulation, err);
    if (status == PH_OK)
        ph_build_note_physics(input, simulation->system, &simulation->interactions, &simulation->notes);
    return status;
}

static enum ph_status build(struct ph_simulation *simulation, const struct ph_arrays *arrays, struct ph_error *err)
{
    if (!arrays)
        return ph_build_system(simulation->input, &simulation->system, &simulation->interactions, &simulation->notes,
                               err);
    enum ph_status status =
        ph_build_unplaced(simulation->input, false, &simulation->system, &simulation->interactions, err);
    if (status == PH_OK)
        status = ph_arrays_write_all(arrays, simulation->system, err);
    if (status == PH_OK)
        ph_build_note_physics(simulation->input, simulation->system, &simulation->interactions, &simulation->notes);
    return status;
}

static enum ph_status create(struct ph_texts *texts, const struct ph_input *input, const char *file,
                             const struct ph_arrays *arrays, struct ph_simulation **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return ph_no_memory(err, "the simulation");
    simulation->texts = *texts;
    *texts = (struct ph_texts){.n = 0};
    simulation->checkpoint_step = -1;
    simulation->energy_start = simulation->energy_size = NAN;
    enum ph_status status = copy_input(input, simulation, err);
    if (status == PH_OK && input->n_stages == 0)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s: the key 'dynamics' is missing (or 'stages'): how the system moves.", input->file);
    if (status == PH_OK)
        status = ph_methods_find(simulation->input, &simulation->methods, err);
    if (status == PH_OK)
        status = name_files(file, simulation, err);
    if (status == PH_OK) {
        simulation->units = ph_units_find(input->units);
        simulation->stage = ph_stage_after(input, 0);
        simulation->production = ph_stage_first(input, input->n_stages - 1);
        simulation->end = ph_stage_first(input, input->n_stages);
        status = arrays ? PH_OK : build_in_parts(simulation, err);
    }
    if (status == PH_OK && !simulation->in_parts) {
        status = build(simulation, arrays, err);
        if (status == PH_OK)
            status = ph_simulation_ready(simulation, err);
    }
    if (status == PH_OK)
        status = begin(simulation, err);
    if (status == PH_OK)
        status = ph_simulation_identify(simulation, err);
    if (status != PH_OK) {
        ph_simulation_destroy(simulation);
        return status;
    }
    simulation->synchronised = true;
    *out = simulation;
    return PH_OK;
}

enum ph_status ph_simulation_create(struct ph_texts *texts, const struct ph_input *input, const char *file,
                                    struct ph_simulation **out, struct ph_error *err)
{
    return create(texts, input, file, NULL, out, err);
}

enum ph_status ph_simulation_create_given(struct ph_texts *texts, const struct ph_input *input,
                                          const struct ph_arrays *arrays, struct ph_simulation **out,
                                          struct ph_error *err)
{
    return create(texts, input, NULL, arrays, out, err);
}

enum ph_status ph_simulation_resume(const char *file, int64_t steps, struct ph_simulation **out, struct ph_error *err)
{
    const enum ph_status status = ph_simulation_resume_on(NULL, file, out, err);
    if (status == PH_OK && steps > 0)
        ph_simulation_lengthen(*out, steps);
    return status;
}

enum ph_status ph_simulation_resume_on(const char *backend, const char *file, struct ph_simulation **out,
                                       struct ph_error *err)
{
    *out = NULL;
    struct ph_simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation)
        return ph_no_memory(err, "the simulation");
    simulation->resumed = true;
    const enum ph_status status = ph_simulation_load(simulation, file, backend, err);
    if (status != PH_OK) {
        ph_simulation_destroy(simulation);
        return status;
    }
    simulation->first_step = ph_mover_step(simulation->mover);
    const int64_t planned = ph_stage_first(simulation->input, simulation->input->n_stages);
    if (simulation->first_step == simulation->end && simulation->end < planned)
        simulation->end = planned; /* the requested part is done, the run is not */
    *out = simulation;
    return PH_OK;
}

void ph_simulation_lengthen(struct ph_simulation *simulation, int64_t steps)
{
    const int64_t planned = ph_stage_first(simulation->input, simulation->input->n_stages);
    simulation->end = (simulation->end > planned ? simulation->end : planned) + steps;
}

void ph_simulation_end_at(struct ph_simulation *simulation, int64_t step)
{
    simulation->end = step > simulation->first_step ? step : simulation->first_step;
}

/* ---- Views ---- */

int64_t ph_simulation_step(const struct ph_simulation *simulation) { return ph_mover_step(simulation->mover); }

double ph_simulation_time(const struct ph_simulation *simulation) { return ph_mover_time(simulation->mover); }

int64_t ph_simulation_end(const struct ph_simulation *simulation) { return simulation->end; }

const struct ph_input *ph_simulation_input(const struct ph_simulation *simulation) { return simulation->input; }

const struct ph_system *ph_simulation_system(const struct ph_simulation *simulation) { return simulation->system; }

const struct ph_interactions *ph_simulation_interactions(const struct ph_simulation *simulation)
{
    return &simulation->interactions;
}

const struct ph_degrees *ph_simulation_degrees(const struct ph_simulation *simulation) { return &simulation->degrees; }

const struct ph_backend *ph_simulation_backend(const struct ph_simulation *simulation) { return simulation->backend; }

const struct ph_methods *ph_simulation_methods(const struct ph_simulation *simulation) { return &simulation->methods; }

const char *ph_simulation_file(const struct ph_simulation *simulation) { return simulation->file; }

const char *ph_simulation_notes(const struct ph_simulation *simulation) { return simulation->notes.text; }
