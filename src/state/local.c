/* SPDX-License-Identifier: MIT */
/* A state of one process: the system holds all molecules. */
#include "state/momenta.h"
#include "state/state_inside.h"

static const struct ph_owned *local(struct ph_state *state)
{
    (void)state;
    return NULL;
}

static enum ph_status evaluate(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err)
{
    return ph_force_field_evaluate(state->field, state->system, part, NULL, energy, err);
}

static enum ph_status apply_noise(struct ph_state *state, const struct ph_noise *noise, double *numbers,
                                  struct ph_error *err)
{
    (void)err;
    struct ph_exact heat = {.spoilt = 0};
    ph_momenta_apply_noise(noise, NULL, state->system, &heat);
    ph_momenta_count_heat(&heat, numbers);
    ph_host_forget(state, PH_RESIDUAL_P, PH_STATE_RESIDUAL_COLUMNS);
    numbers[PH_BATH_KNOWN] = 0.0;
    return PH_OK;
}

static enum ph_status observe(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err)
{
    (void)err;
    ph_state_sum(state->system, sums);
    return PH_OK;
}

const struct ph_state_kind ph_state_of_process = {
    .name = "local",
    .local = local,
    PH_HOST_OPERATIONS,
    .evaluate = evaluate,
    .apply_noise = apply_noise,
    .observe = observe,
    .restore = ph_host_restore,
};
