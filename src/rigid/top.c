/* SPDX-License-Identifier: MIT */
#include "rigid/top.h"

#include "base/lanes.h"

#include <float.h>
#include <math.h>

/* The two moments of a linear rotor may differ by rounding, not by more. */
static const double linear_tolerance = 8.0 * DBL_EPSILON;

/* Products of four ratios of moments stay in range. */
static const double largest_ratio = 1e60;

static const char *const number_names[] = {"first", "second", "third"};

static enum ph_status check(const double inertia[3], int *linear_axis, struct ph_error *err)
{
    *linear_axis = -1;
    for (int k = 0; k < 3; ++k) {
        if (!isfinite(inertia[k]) || inertia[k] < 0.0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "The %s moment of inertia is %g; moments must be finite and not negative.",
                                number_names[k], inertia[k]);
        if (inertia[k] == 0.0) {
            if (*linear_axis >= 0)
                return ph_error_set(err, PH_ERR_INPUT,
                                    "The %s and the %s moment of inertia are both zero (%g, %g, %g); a linear rotor "
                                    "has one zero moment, a point particle does not rotate.",
                                    number_names[*linear_axis], number_names[k], inertia[0], inertia[1], inertia[2]);
            *linear_axis = k;
        }
    }
    const double largest = fmax(inertia[0], fmax(inertia[1], inertia[2]));
    if (largest < DBL_MIN * largest_ratio || largest > DBL_MAX / 4.0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "Moments of inertia %g, %g, %g are out of range; the largest must lie between %g and %g.",
                            inertia[0], inertia[1], inertia[2], DBL_MIN * largest_ratio, DBL_MAX / 4.0);
    if (*linear_axis >= 0) {
        const double one = inertia[(*linear_axis + 1) % 3], other = inertia[(*linear_axis + 2) % 3];
        if (fabs(one - other) > linear_tolerance * largest)
            return ph_error_set(err, PH_ERR_INPUT,
                                "The %s moment of inertia is zero, which makes the body a linear rotor, but the other "
                                "two differ (%.17g and %.17g); they must be equal.",
                                number_names[*linear_axis], one, other);
        return PH_OK;
    }
    for (int k = 0; k < 3; ++k)
        if (inertia[k] < largest / largest_ratio)
            return ph_error_set(
                err, PH_ERR_INPUT,
                "The %s moment of inertia, %g, is less than %g of the largest; give exactly 0 for a linear rotor.",
                number_names[k], inertia[k], 1.0 / largest_ratio);
    return PH_OK;
}

/* Sorts three indices by moment; returns the parity of the permutation. */
static double sort_axes(const double moment[3], int axis[3])
{
    double parity = 1.0;
    for (int k = 0; k < 3; ++k)
        axis[k] = k;
    for (int pass = 0; pass < 3; ++pass) {
        const int k = pass % 2;
        if (moment[axis[k]] > moment[axis[k + 1]]) {
            const int swap = axis[k];
            axis[k] = axis[k + 1];
            axis[k + 1] = swap;
            parity = -parity;
        }
    }
    return parity;
}

enum ph_status ph_top_init(const double inertia[3], struct ph_top *top, struct ph_error *err)
{
    *top = (struct ph_top){.inertia = {inertia[0], inertia[1], inertia[2]}};
    const enum ph_status status = check(inertia, &top->linear_axis, err);
    if (status != PH_OK)
        return status;

    double moment[3] = {inertia[0], inertia[1], inertia[2]};
    if (top->linear_axis >= 0) {
        const double perpendicular =
            0.5 * moment[(top->linear_axis + 1) % 3] + 0.5 * moment[(top->linear_axis + 2) % 3];
        moment[0] = moment[1] = moment[2] = perpendicular;
    }
    top->parity = sort_axes(moment, top->axis);
    top->scale = ph_power_of_two_below(moment[top->axis[2]]);
    for (int k = 0; k < 3; ++k) {
        top->moment[k] = moment[top->axis[k]] / top->scale;
        top->inverse[k] = 1.0 / top->moment[k];
    }

    const double i1 = top->moment[0], i2 = top->moment[1], i3 = top->moment[2];
    top->possible = i3 - (i1 + i2) <= 8.0 * DBL_EPSILON * i3;
    top->a1 = (i2 - i3) / (i2 * i3);
    top->a2 = (i3 - i1) / (i3 * i1);
    top->a3 = (i1 - i2) / (i1 * i2);
    top->p = -top->a1 * top->a2;
    top->q = top->a1 * top->a3;
    top->r = -top->a2 * top->a3;
    /* The ratios directly from the moments: a2 may round, its zero is exact. */
    top->c1 = i1 < i3 ? i1 * (i3 - i2) / (i2 * (i3 - i1)) : 0.0;
    top->c3 = i1 < i3 ? i3 * (i2 - i1) / (i2 * (i3 - i1)) : 0.0;
    ph_dmv_series_init(top->inverse, -top->a1, &top->dmv);

    if (top->linear_axis >= 0)
        top->kind = PH_TOP_LINEAR;
    else if (i1 == i3)
        top->kind = PH_TOP_SPHERICAL;
    else if (i1 == i2 || i2 == i3)
        top->kind = PH_TOP_SYMMETRIC;
    else
        top->kind = PH_TOP_ASYMMETRIC;
    return PH_OK;
}

const char *ph_top_kind_name(enum ph_top_kind kind)
{
    static const char *const names[] = {
        [PH_TOP_ASYMMETRIC] = "asymmetric top",
        [PH_TOP_SYMMETRIC] = "symmetric top",
        [PH_TOP_SPHERICAL] = "spherical top",
        [PH_TOP_LINEAR] = "linear rotor",
    };
    return names[kind];
}
