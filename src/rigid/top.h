/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_TOP_H
#define PH_RIGID_TOP_H

#include "base/error.h"
#include "rigid/dmv_series.h"

#include <stdbool.h>

/* The inertia of one species of rigid body, in the form that the flows need.
 *
 * The flows work on sorted moments I1 <= I2 <= I3 of order one:
 *   - sorted axis k is the body's axis `axis[k]`; an odd permutation is made a proper rotation by
 *     reversing all three axes (`parity` = -1), so cross products keep their sign;
 *   - moments are divided by the power of two `scale`, so that no rounding happens and no product of
 *     moments can overflow, whatever the user's units.
 * A linear rotor (one moment zero) has no angular momentum about its axis. It moves like a sphere with the moment of
 * the other two axes, and is stored as one. `linear_axis` is the axis without inertia. */
enum ph_top_kind { PH_TOP_ASYMMETRIC, PH_TOP_SYMMETRIC, PH_TOP_SPHERICAL, PH_TOP_LINEAR };

struct ph_top {
    double inertia[3]; /* as given, about the body's axes 1, 2, 3 */
    enum ph_top_kind kind;
    int linear_axis; /* 0, 1, 2, or -1 */
    bool possible;   /* no moment exceeds the sum of the others by more than rounding */

    int axis[3];
    double parity;
    double scale;
    double moment[3];  /* sorted, scaled: largest in [1, 2) */
    double inverse[3]; /* 1 / moment */

    /* Euler's equations y1' = a1 y2 y3, y2' = a2 y3 y1, y3' = a3 y1 y2 with a1, a3 <= 0 <= a2, from
     * differences of moments (differences of inverses would cancel):
     * a1 = (I2-I3)/(I2 I3), a2 = (I3-I1)/(I3 I1), a3 = (I1-I2)/(I1 I2). */
    double a1, a2, a3;
    double p, q, r; /* -a1 a2, a1 a3, -a2 a3: all >= 0 */
    double c1, c3;  /* -a1/a2, -a3/a2, 0 for a sphere: all >= 0 */

    struct ph_dmv_series dmv; /* modified moments of the flows dmv4 to dmv14 */
};

/* Fails for moments that are negative, not finite, more than one zero, or zero beside two that differ. */
enum ph_status ph_top_init(const double inertia[3], struct ph_top *top, struct ph_error *err);

const char *ph_top_kind_name(enum ph_top_kind kind);

#endif
