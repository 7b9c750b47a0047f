/* SPDX-License-Identifier: MIT */
#include "lab/free_energy/energies.h"

#include "force/external/external.h"
#include "force/force_field.h"
#include "run/build/build.h"

#include <stdlib.h>
#include <string.h>

struct ph_energy_state {
    struct ph_recorded_input *recorded; /* owned, like the following */
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_force_field *field;
    char *set;
    bool pulled; /* fields depend on where molecules are: images count */
};

void ph_energy_state_destroy(struct ph_energy_state *state)
{
    if (!state)
        return;
    ph_force_field_destroy(state->field);
    ph_interactions_free(&state->interactions);
    ph_system_destroy(state->system);
    ph_recorded_input_free(state->recorded);
    free(state->set);
    free(state);
}

static bool is_pulled(const struct ph_energy_state *state)
{
    bool pulled = false;
    for (size_t k = 0; k < ph_external_count(); ++k)
        for (size_t s = 0; s < state->system->n_species; ++s)
            pulled = pulled || (ph_external_present(ph_external_at(k), &state->interactions.external) &&
                                ph_external_at(k)->pulls &&
                                ph_external_at(k)->pulls(&state->interactions.external, &state->system->species[s]));
    return pulled;
}

static enum ph_status check(const struct ph_energy_state *state, struct ph_error *err)
{
    const struct ph_input *input = &state->recorded->input;
    if (state->interactions.plumed.file[0])
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.plumed biases the run: its frames are not those of the model.",
                            input->file);
    if (state->interactions.external.tether != 0.0 && input->system.start.minimise.steps > 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.external.tether holds molecules where system.start.minimise left them, "
                            "which the trajectory does not say.",
                            input->file);
    return PH_OK;
}

enum ph_status ph_energy_state_create(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                      const char *set, const struct ph_energy_state *like, struct ph_energy_state **out,
                                      struct ph_error *err)
{
    const char *sets[PH_RECORDED_SETS_MAX];
    struct ph_analysis_request asked = *request;
    struct ph_energy_state *state = calloc(1, sizeof *state);
    if (state)
        state->recorded = calloc(1, sizeof *state->recorded);
    if (state && set)
        state->set = strdup(set);
    *out = state;
    if (!state || !state->recorded || (set && !state->set))
        return ph_no_memory(err, "a state");
    asked.n_sets = 0;
    for (size_t k = 0; k < request->n_sets && k + 1 < PH_RECORDED_SETS_MAX; ++k)
        sets[asked.n_sets++] = request->sets[k];
    if (set)
        sets[asked.n_sets++] = state->set;
    asked.sets = sets;
    enum ph_status status = ph_recorded_input_read(recording, &asked, state->recorded, err);
    if (status == PH_OK) /* the start is where tethers are anchored */
        status = ph_build_system(&state->recorded->input, &state->system, &state->interactions, NULL, err);
    if (status == PH_OK)
        status = ph_recorded_input_match(recording, state->recorded, state->system, 0, err);
    if (status == PH_OK)
        status = check(state, err);
    if (status == PH_OK && like && ph_is_ewald(&state->interactions) && ph_is_ewald(&like->interactions) &&
        state->interactions.cutoff == like->interactions.cutoff)
        state->interactions.ewald = like->interactions.ewald;
    if (status == PH_OK)
        status = ph_force_field_create(state->system, &state->interactions, &state->field, err);
    if (status == PH_OK)
        state->pulled = is_pulled(state);
    return status;
}

static enum ph_status take_frame(struct ph_energy_state *state, const struct ph_recorded *snapshot,
                                 struct ph_error *err)
{
    struct ph_system *system = state->system;
    const double *centre = snapshot->data[PH_CENTRE], *q = snapshot->data[PH_ORIENTATION],
                 *image = snapshot->data[PH_IMAGE];
    if (state->pulled && snapshot->periodic && !image)
        return ph_error_set(err, PH_ERR_INPUT,
                            "A field that pulls molecules needs their images of the box, which the file has not. Runs "
                            "write them with output.image_every.");
    const bool moved = memcmp(system->box.edge, snapshot->box.edge, sizeof system->box.edge) != 0;
    system->box = snapshot->box;
    for (size_t number = 0; number < system->n; ++number) {
        const size_t i = system->place[number];
        for (size_t x = 0; x < 3; ++x) {
            system->r[x][i] = centre[3 * number + x];
            system->image[x][i] = image ? (int32_t)image[3 * number + x] : 0;
        }
        for (size_t x = 0; x < 4 && q; ++x)
            system->q[x][i] = q[4 * number + x];
    }
    ph_system_wrap(system);
    ph_force_field_forget(state->field);
    return moved ? ph_force_field_box_changed(state->field, system, err) : PH_OK;
}

enum ph_status ph_energy_state_evaluate(struct ph_energy_state *state, const struct ph_recorded *snapshot,
                                        double *energy, struct ph_error *err)
{
    struct ph_energy energies;
    enum ph_status status = take_frame(state, snapshot, err);
    if (status == PH_OK)
        status = ph_force_field_evaluate(state->field, state->system, PH_FORCES_ALL, NULL, &energies, err);
    if (status == PH_OK)
        *energy = ph_energy_total(&energies);
    return status;
}
