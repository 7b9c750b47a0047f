/* SPDX-License-Identifier: MIT */
#include "potential/curves/curve.h"

#include "potential/curves/orientations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Values ---- */

struct ph_jet ph_curve_at(const struct ph_curve *curve, double r)
{
    if (curve->kind == PH_RADIAL_TABLE)
        return ph_spline_at(&curve->spline, r);
    if (curve->program.angular)
        return ph_orientations_lowest(&curve->program, r);
    struct ph_program_block block;
    const size_t last = curve->program.n - 1;
    const double inverse = 1.0 / r;
    ph_program_run(&curve->program, true, 1, &r, &inverse, &block);
    return (struct ph_jet){block.value[last][0], block.slope[last][0], block.curvature[last][0]};
}

/* ---- Size and depth ---- */

enum { SAMPLES = 4096, HALVINGS = 60 };

/* Each sample of an angular formula is one of many orientations. */
static int samples(const struct ph_curve *curve) { return curve->program.angular ? SAMPLES / 8 : SAMPLES; }

/* Samples of a table are equally far apart, those of a formula grow from 0.001 to 1000. */
static double sample(const struct ph_curve *curve, int k)
{
    const double part = (double)k / samples(curve);
    return curve->kind == PH_RADIAL_TABLE ? curve->first + part * (curve->last - curve->first)
                                          : 0.001 * ph_exp(part * 13.815510557964274); /* log 10^6 */
}

/* Where u falls through a level, the first time on the way out; 0 if it never does */
static double falls_through(const struct ph_curve *curve, double level)
{
    for (int k = 0; k < samples(curve); ++k) {
        double low = sample(curve, k), high = sample(curve, k + 1);
        if (!(ph_curve_at(curve, low).value > level && ph_curve_at(curve, high).value <= level))
            continue;
        for (int n = 0; n < HALVINGS; ++n) {
            const double middle = 0.5 * (low + high);
            if (ph_curve_at(curve, middle).value > level)
                low = middle;
            else
                high = middle;
        }
        return high;
    }
    return 0.0;
}

/* Between two distances, the first of which has a slope below 0 (or not, if not `falls`): where that changes */
static double turns(const struct ph_curve *curve, bool falls, double low, double high)
{
    for (int n = 0; n < HALVINGS; ++n) {
        const double middle = 0.5 * (low + high);
        if ((ph_curve_at(curve, middle).slope < 0.0) == falls)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The lowest u beyond r, or 0 */
static double lowest_beyond(const struct ph_curve *curve, double r)
{
    double lowest = 0.0;
    int at = -1;
    for (int k = 0; k <= samples(curve); ++k)
        if (sample(curve, k) >= r && ph_curve_at(curve, sample(curve, k)).value < lowest) {
            lowest = ph_curve_at(curve, sample(curve, k)).value;
            at = k;
        }
    if (at <= 0 || at >= samples(curve))
        return lowest;
    const double least = ph_curve_at(curve, turns(curve, true, sample(curve, at - 1), sample(curve, at + 1))).value;
    return least < lowest ? least : lowest;
}

/* With a well: where u falls through 0, and the depth beyond. Else where u falls through 1 in units of energy, and that
 * energy. Else the beginning of the table, or 1, and u there. */
static void find_size(struct ph_curve *curve)
{
    curve->size = falls_through(curve, 0.0);
    if (curve->size > 0.0) {
        curve->depth = -lowest_beyond(curve, curve->size);
        if (curve->depth > 1e-100) /* else rounding */
            return;
    }
    curve->size = falls_through(curve, 1.0);
    if (curve->size == 0.0)
        curve->size = curve->first > 0.0 ? curve->first : 1.0;
    curve->depth = fabs(ph_curve_at(curve, curve->size).value);
    if (!(curve->depth > 0.0) || isinf(curve->depth)) /* no depth would be no interaction */
        curve->depth = 1.0;
}

/* A formula that falls without bound at small distances, as Buckingham's does, begins at its maximum: the first one
 * inward from where u falls through 0. Others begin at 0: those without a maximum, and those that are bounded. */
static void find_beginning(struct ph_curve *curve)
{
    int k = samples(curve);
    const double near = ph_curve_at(curve, 0.001).value, far = ph_curve_at(curve, 0.01).value;
    if (!(near < 0.0 && near < 2.0 * far) || falls_through(curve, 0.0) == 0.0)
        return;
    while (k > 0 && sample(curve, k) > curve->size)
        --k;
    while (k > 0 && ph_curve_at(curve, sample(curve, k)).slope < 0.0)
        --k;
    curve->first = turns(curve, false, sample(curve, k), sample(curve, k + 1));
}

/* ---- Error of a table ---- */

/* The largest differences of a spline of every `every`-th point from the points halfway between these */
struct difference {
    double all, well, at;
};

static bool compare(size_t every, size_t n, const double *r, const double *u, double depth, struct difference *out)
{
    const size_t taken = (n - 1) / every + 1;
    struct ph_spline spline = {.n = 0};
    double *few = malloc(2 * taken * sizeof *few);
    for (size_t k = 0; k < taken && few; ++k) {
        few[k] = r[every * k];
        few[taken + k] = u[every * k];
    }
    const bool made = few && ph_spline_make(taken, few, few + taken, &spline);
    *out = (struct difference){0.0, 0.0, 0.0};
    for (size_t k = every / 2; k < every * (taken - 1) && made; k += every) {
        const double off = fabs(ph_spline_at(&spline, r[k]).value - u[k]);
        if (off > out->all) {
            out->all = off;
            out->at = r[k];
        }
        if (u[k] <= depth && off > out->well)
            out->well = off;
    }
    ph_spline_free(&spline);
    free(few);
    return made;
}

/* Half the distance of points makes the error smaller by some factor. The factor from every fourth to every second
 * point is taken for the next halving too, but not more than 2^8, which the spline promises, nor less than 1, as where
 * the points themselves are rounded. */
static double extrapolate(double coarse, double fine)
{
    const double ratio = coarse > 0.0 ? fine / coarse : 1.0;
    return fine * (ratio < 1.0 ? (ratio > 0x1p-8 ? ratio : 0x1p-8) : 1.0);
}

static bool estimate_error(size_t n, const double *r, const double *u, double depth, struct ph_table_error *error)
{
    struct difference fine, coarse = {0.0, 0.0, 0.0};
    if (!compare(2, n, r, u, depth, &fine) ||
        ((n - 1) / 4 + 1 >= PH_SPLINE_POINTS_MIN && !compare(4, n, r, u, depth, &coarse)))
        return false;
    const double all = extrapolate(coarse.all, fine.all), well = extrapolate(coarse.well, fine.well);
    *error = (struct ph_table_error){all > well ? all : well, well, fine.at}; /* rounding shows in the well only */
    return true;
}

/* ---- The store ---- */

static const struct ph_curve *newest; /* of all that were ever made; within critical(ph_curves) */

static bool alike(const struct ph_curve *a, const struct ph_curve *b)
{
    if (a->kind != b->kind || strcmp(a->about, b->about) != 0 || a->spline.n != b->spline.n ||
        a->program.n != b->program.n)
        return false;
    for (size_t k = 0; k < a->program.n; ++k) {
        const struct ph_program_step *x = &a->program.step[k], *y = &b->program.step[k];
        if (x->operation != y->operation || x->a != y->a || x->b != y->b || x->power != y->power || x->c != y->c)
            return false;
    }
    return a->spline.n == 0 ||
           (memcmp(a->spline.knot, b->spline.knot, (a->spline.n + 1) * sizeof *a->spline.knot) == 0 &&
            memcmp(a->spline.power, b->spline.power, a->spline.n * (PH_SPLINE_DEGREE + 1) * sizeof *a->spline.power) ==
                0);
}

static void free_curve(struct ph_curve *curve)
{
    if (curve) {
        ph_spline_free(&curve->spline);
        free(curve->about);
    }
    free(curve);
}

/* Takes the curve into the store, or frees it and returns one that is there and alike. */
static const struct ph_curve *keep(struct ph_curve *curve)
{
    const struct ph_curve *known;
#pragma omp critical(ph_curves)
    {
        known = newest;
        while (known && !alike(known, curve))
            known = known->next;
        if (!known) {
            curve->number = newest ? newest->number + 1.0 : 1.0;
            curve->next = newest;
            newest = curve;
        }
    }
    if (known)
        free_curve(curve);
    return known ? known : curve;
}

static struct ph_curve *new_curve(enum ph_radial_kind kind, const char *about)
{
    struct ph_curve *curve = calloc(1, sizeof *curve);
    if (!curve || !(curve->about = strdup(about))) {
        free(curve);
        return NULL;
    }
    curve->kind = kind;
    curve->last = INFINITY;
    return curve;
}

enum ph_status ph_curve_of_table(const char *about, size_t n, const double *r, const double *u,
                                 const struct ph_curve **out, struct ph_error *err)
{
    struct ph_curve *curve = new_curve(PH_RADIAL_TABLE, about);
    *out = NULL;
    if (!curve || !ph_spline_make(n, r, u, &curve->spline))
        goto no_memory;
    curve->first = r[0];
    curve->last = r[n - 1];
    find_size(curve);
    if (!estimate_error(n, r, u, curve->depth, &curve->error))
        goto no_memory;
    *out = keep(curve);
    return PH_OK;
no_memory:
    free_curve(curve);
    return ph_no_memory(err, "a table of %zu points", n);
}

enum ph_status ph_curve_of_formula(const char *about, const struct ph_program *program, const struct ph_curve **out,
                                   struct ph_error *err)
{
    struct ph_curve *curve = new_curve(PH_RADIAL_FORMULA, about);
    *out = NULL;
    if (!curve)
        return ph_no_memory(err, "a formula");
    curve->program = *program;
    curve->exchanged = ph_program_exchanged(program);
    find_size(curve);
    find_beginning(curve);
    *out = keep(curve);
    return PH_OK;
}

void ph_curve_make_native(const struct ph_curve *curve)
{
    struct ph_curve *own = (struct ph_curve *)(uintptr_t)curve; /* all curves are of this store */
#pragma omp critical(ph_curves)
    if (!own->tried && own->kind == PH_RADIAL_FORMULA) {
        own->tried = true;
        ph_native_make(&own->program, own->size, &own->native, sizeof own->made_by, own->made_by);
    }
}

static const struct ph_curve *curve_with(double number)
{
    const struct ph_curve *curve;
#pragma omp critical(ph_curves)
    {
        curve = newest;
        while (curve && curve->number != number)
            curve = curve->next;
    }
    return curve;
}

const struct ph_curve *ph_curve_of(const struct ph_radial *radial)
{
    return ph_radial_is_curve(radial) ? curve_with(radial->repulsive) : NULL;
}

const struct ph_curve *ph_curve_of_angular(const struct ph_angular *angular)
{
    return angular->kind == PH_ANGULAR_FORMULA ? curve_with(angular->number[PH_FORMULA_CURVE]) : NULL;
}

struct ph_radial ph_curve_radial(const struct ph_curve *curve)
{
    return (struct ph_radial){curve->kind, curve->depth, curve->size, curve->number, curve->first};
}

struct ph_angular ph_curve_angular(const struct ph_curve *curve)
{
    return (struct ph_angular){PH_ANGULAR_FORMULA, {[PH_FORMULA_CURVE] = curve->number}};
}

bool ph_curve_is_symmetric(const struct ph_curve *curve, size_t size, char *where)
{
    return ph_orientations_agree(&curve->program, &curve->exchanged, curve->size, size, where);
}
