/* SPDX-License-Identifier: MIT */
#include "dynamics/baths/momenta.h"

#include "dynamics/baths/bath.h"

#include <math.h>

static enum ph_status write_numbers(struct ph_momenta *momenta, const double *numbers, struct ph_error *err)
{
    struct ph_backend *backend = momenta->backend;
    const enum ph_status status = momenta->numbers_there ? PH_OK : backend->write_bath(backend, numbers, err);
    momenta->numbers_there = status == PH_OK;
    return status;
}

enum ph_status ph_momenta_scale(const struct ph_scaling *scaling, struct ph_momenta *momenta, double *numbers,
                                struct ph_error *err)
{
    struct ph_backend *backend = momenta->backend;
    if (backend) {
        const enum ph_status status = write_numbers(momenta, numbers, err);
        return status == PH_OK ? backend->scale(backend, scaling, err) : status;
    }
    double kinetic[PH_BATH_GROUPS], factor[PH_BATH_GROUPS];
    ph_bath_kinetic(momenta->system, momenta->own, kinetic);
    ph_bath_factors(scaling, kinetic, numbers, factor);
    ph_bath_scale(factor, momenta->own, momenta->system);
    return PH_OK;
}

enum ph_status ph_momenta_shake_there(const struct ph_noise *noise, struct ph_momenta *momenta, const double *numbers,
                                      struct ph_error *err)
{
    const enum ph_status status = write_numbers(momenta, numbers, err);
    return status == PH_OK ? momenta->backend->shake(momenta->backend, noise, err) : status;
}

/* ---- Heat ---- */

/* The exact heat in these numbers; what was not counted here (by a backend, in an old checkpoint) is known to rounding.
 */
static struct ph_exact exact_heat(const double numbers[PH_BATH_NUMBERS])
{
    struct ph_exact heat = {.spoilt = 0}, rounded = {.spoilt = 0};
    int64_t integers[PH_EXACT_NUMBERS];
    bool whole = true;
    for (int k = 0; k < PH_EXACT_NUMBERS; ++k) {
        const double x = numbers[PH_BATH_EXACT_HEAT + k];
        whole = whole && fabs(x) < 0x1p62;
        integers[k] = whole ? (int64_t)x : 0;
    }
    memcpy(&heat, integers, sizeof heat);
    if (whole && ph_exact_value(&heat) == numbers[PH_BATH_HEAT])
        return heat;
    ph_exact_add(1, &numbers[PH_BATH_HEAT], &rounded);
    return rounded;
}

static void count_heat(const struct ph_exact *more, double numbers[PH_BATH_NUMBERS])
{
    struct ph_exact heat = exact_heat(numbers);
    int64_t integers[PH_EXACT_NUMBERS];
    ph_exact_join(more, &heat);
    memcpy(integers, &heat, sizeof heat);
    for (int k = 0; k < PH_EXACT_NUMBERS; ++k)
        numbers[PH_BATH_EXACT_HEAT + k] = (double)integers[k];
    numbers[PH_BATH_HEAT] = ph_exact_value(&heat);
}

void ph_momenta_add_heat(const struct ph_exact *heat, struct ph_momenta *momenta, double *numbers)
{
    if (momenta->own) {
        ph_exact_join(heat, &momenta->heat);
        momenta->heat_apart = true;
    } else {
        count_heat(heat, numbers);
    }
}

enum ph_status ph_momenta_know_numbers(struct ph_momenta *momenta, double *numbers, struct ph_error *err)
{
    if (momenta->numbers_there)
        return momenta->backend->read_bath(momenta->backend, numbers, err);
    if (momenta->heat_apart) {
        ph_owned_add_up(1, &momenta->heat);
        count_heat(&momenta->heat, numbers);
        momenta->heat = (struct ph_exact){.spoilt = 0};
        momenta->heat_apart = false;
    }
    return PH_OK;
}
