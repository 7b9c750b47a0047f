/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_CURVE_H
#define PH_POTENTIAL_CURVE_H

/* Interactions of the user's own: a table of points, through which a spline goes, or a formula. A formula may depend on
 * the axes of the sites, too: then it is no radial form, but an angular one.
 *
 * Curves are constant. They belong to the program, which keeps one copy of equal ones until it ends, because models are
 * copied freely. struct ph_radial and struct ph_angular have the number of their curve. */

#include "potential/angular.h"
#include "potential/curves/native.h"
#include "potential/curves/program.h"
#include "potential/curves/spline.h"

#include "potential/formulas.h"

enum {
    PH_TABLE_POINTS_MIN = 16, /* every second one makes a spline, too */
    PH_TABLE_SMOOTHNESS = PH_SPLINE_DEGREE - 1,
    PH_CURVE_CONSTANTS = 16,
};

/* The error of a table's spline, in two regions: of all points, and of those where u is no higher than the well is
 * deep. It is estimated from splines of every second and every fourth point, at points that they leave out. */
struct ph_table_error {
    double all, well; /* `well` is 0 without a well */
    double at;        /* where the first one is */
};

struct ph_curve {
    enum ph_radial_kind kind;
    double number;      /* as in struct ph_radial */
    char *about;        /* owned, for people: where it is from, or the formula with its constants */
    double first, last; /* where it is known; a formula: from its maximum on, or from 0, to INFINITY */
    double size, depth; /* where u falls through 0, and the depth of the well beyond; else see curve.c */
    struct ph_spline spline;
    struct ph_table_error error;
    struct ph_program program;
    struct ph_program exchanged; /* first and second site exchanged; of an angular formula */
    struct ph_native native;     /* machine code of a formula, by ph_curve_make_native */
    bool tried;                  /* to make that; made_by says how, or why not */
    char made_by[96];
    const struct ph_curve *next;
};

/* The table of n points at growing distances; n >= PH_TABLE_POINTS_MIN. `about` is copied. */
enum ph_status ph_curve_of_table(const char *about, size_t n, const double *r, const double *u,
                                 const struct ph_curve **out, struct ph_error *err);
enum ph_status ph_curve_of_formula(const char *about, const struct ph_program *program, const struct ph_curve **out,
                                   struct ph_error *err);

/* Compiles a formula if that is possible, and has not been tried. No bit of any result depends on that. Not while
 * kernels run. */
void ph_curve_make_native(const struct ph_curve *curve);

/* The curve of this interaction; NULL for other kinds */
const struct ph_curve *ph_curve_of(const struct ph_radial *radial);
const struct ph_curve *ph_curve_of_angular(const struct ph_angular *angular);
/* The interaction with this curve */
struct ph_radial ph_curve_radial(const struct ph_curve *curve);
struct ph_angular ph_curve_angular(const struct ph_curve *curve);

/* Returns true if u of an angular formula stays the same when both sites are exchanged; else false, and where it does
 * not. Two sites of one kind need that. Decided by values at many places. */
bool ph_curve_is_symmetric(const struct ph_curve *curve, size_t size, char *where);

/* u and its derivatives at r, which must be within first .. last. Of an angular formula: those of the orientations with
 * the lowest u, out of many. */
struct ph_jet ph_curve_at(const struct ph_curve *curve, double r);

/* The machine code of a formula with one variable, or NULL. A device has copies of curves, without machine code. */
PH_INLINE ph_native_radial *ph_curve_native(const struct ph_curve *curve, bool curved)
{
#ifdef PH_ONE_LANE
    (void)curve, (void)curved;
    return NULL;
#else
    return curve->native.radial[curved];
#endif
}

/* u, w and, if `curved`, x of n pairs, as ph_formula_bend says. Beyond `reach` no values are needed: the curve is taken
 * there, so that they are finite. */
PH_INLINE void ph_curve_row(const struct ph_formula *formula, bool curved, size_t n, const double *restrict r,
                            const double *restrict inv_r, double *restrict u, double *restrict w, double *restrict x)
{
    const struct ph_curve *curve = formula->curve;
    ph_native_radial *const native = ph_curve_native(curve, curved);
    const double wall = formula->wall, end = ph_min(curve->last, formula->reach),
                 unseen = end < (double)INFINITY ? end : 1.0, far = 1.0 / end, beyond = 1.0 / unseen;
    struct ph_program_block block;
    for (size_t first = 0; first < n; first += PH_PROGRAM_BLOCK) {
        const size_t m = n - first < PH_PROGRAM_BLOCK ? n - first : (size_t)PH_PROGRAM_BLOCK;
        double at[PH_PROGRAM_BLOCK], inverse_at[PH_PROGRAM_BLOCK];
        PH_SIMD
        for (size_t k = 0; k < m; ++k) { /* NaN stays NaN */
            const bool is_far = r[first + k] > end, seen = inv_r[first + k] != 0.0;
            const double near = is_far ? end : r[first + k], inverse = is_far ? far : inv_r[first + k];
            at[k] = seen ? near : unseen;
            inverse_at[k] = seen ? inverse : beyond;
        }
        size_t last = 0;
        if (curve->kind == PH_RADIAL_TABLE)
            for (size_t k = 0; k < m; ++k) {
                const struct ph_jet f = ph_spline_at(&curve->spline, at[k]);
                block.value[0][k] = f.value;
                block.slope[0][k] = f.slope;
                block.curvature[0][k] = f.curvature;
            }
        else if (native)
            native(m, at, inverse_at, block.value[0], block.slope[0], block.curvature[0]);
        else {
            ph_program_run(&curve->program, curved, m, at, inverse_at, &block);
            last = curve->program.n - 1;
        }
        const double *restrict value = block.value[last], *restrict slope = block.slope[last],
                               *restrict curvature = block.curvature[last];
        PH_SIMD
        for (size_t k = 0; k < m; ++k) {
            const double inverse = inv_r[first + k];
            const struct ph_jet jet = {value[k], slope[k], curved ? curvature[k] : 0.0};
            const struct ph_radial_bend f = ph_formula_wall(ph_jet_bend(jet, inverse), wall, inverse);
            u[first + k] = f.u;
            w[first + k] = f.w;
            if (curved)
                x[first + k] = f.x;
        }
    }
}

#endif
