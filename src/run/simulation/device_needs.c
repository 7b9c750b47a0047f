/* SPDX-License-Identifier: MIT */
#include "run/simulation/device_needs.h"

#include "dynamics/schemes/shadow.h"
#include "input/stages.h"
#include "parallel/ranks.h"

#include <string.h>

static bool lacks(enum ph_state_need need) { return ph_state_device_lacks() & need; }

static bool is_on_device(const struct ph_input *input) { return strcmp(input->dynamics.backend, "cpu") != 0; }

static enum ph_status check_methods(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                    struct ph_error *err)
{
    const char *backend = input->dynamics.backend;
    if (methods->integrator && lacks(PH_NEEDS_INTEGRATORS))
        return ph_refuse_stage(input, k, "integrator", err,
                               "is '%s', but dynamics.backend: %s has none. Accepted: dynamics.scheme.",
                               methods->integrator->name, backend);
    if (strcmp(methods->flow->name, "exact") != 0 && lacks(PH_NEEDS_FLOWS))
        return ph_refuse_stage(input, k, "flow", err,
                               "is '%s', but dynamics.backend: %s has one flow. Accepted: exact.", methods->flow->name,
                               backend);
    if (methods->scheme && ph_scheme_gradients(methods->scheme) > 0 && lacks(PH_NEEDS_RATES))
        return ph_refuse_stage(
            input, k, "scheme", err,
            "is '%s', but dynamics.backend: %s has no force gradients. Accepted: all schemes without.",
            methods->scheme->name, backend);
    return PH_OK;
}

static enum ph_status check_output(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                                   struct ph_error *err)
{
    const char *backend = input->dynamics.backend;
    const bool shadow = input->output.shadow_energy && methods->scheme && !ph_shadow_of_places(methods->scheme);
    const char *rates = shadow                                      ? "output.shadow_energy"
                        : input->output.configurational_temperature ? "output.configurational_temperature"
                                                                    : NULL;
    const char *flux = input->output.fluxes_every > 0      ? "output.fluxes_every"
                       : input->stages[k].fluxes_every > 0 ? "stages[].fluxes_every"
                                                           : NULL;
    char place[PH_PLACE];
    if (rates && lacks(PH_NEEDS_RATES)) {
        ph_input_place(input, rates, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: %s needs force gradients%s, which dynamics.backend: %s does not have. Accepted: "
                            "dynamics.backend: cpu%s.",
                            place, rates, shadow ? " with this scheme" : "", backend,
                            shadow ? ", or the schemes sbab2 and saba2" : "");
    }
    if (!flux || !lacks(PH_NEEDS_FLUX))
        return PH_OK;
    ph_input_place(input, flux, place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: %s: dynamics.backend: %s computes no fluxes. Accepted: runs without this key, or "
                        "dynamics.backend: cpu.",
                        place, flux, backend);
}

enum ph_status ph_device_check(const struct ph_input *input, size_t k, const struct ph_methods *methods,
                               struct ph_error *err)
{
    char place[PH_PLACE];
    if (!is_on_device(input))
        return PH_OK;
    if (ph_ranks_count() > 1 && lacks(PH_NEEDS_RANKS)) {
        ph_input_place(input, "dynamics.backend", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: dynamics.backend is '%s', which runs in one process, but there are %zu. Accepted: cpu.", place,
            input->dynamics.backend, ph_ranks_count());
    }
    const enum ph_status status = check_methods(input, k, methods, err);
    return status == PH_OK ? check_output(input, k, methods, err) : status;
}

enum ph_status ph_device_check_outside(const struct ph_input *input, const char *where, const char *what,
                                       struct ph_error *err)
{
    return is_on_device(input) && lacks(PH_NEEDS_OUTSIDE)
               ? ph_error_set(err, PH_ERR_INPUT, "%sdynamics.backend is %s, where %s cannot act. Accepted: cpu.", where,
                              input->dynamics.backend, what)
               : PH_OK;
}
