/* SPDX-License-Identifier: MIT */
/* Runge-Kutta methods of Munthe-Kaas on spheres, for the group of rotations and angular velocities. The tableau is
 * data; one loop serves explicit methods, another, by fixed-point iteration, implicit ones. */
#include "lab/sphere/s2.h"

#include "lab/papers.h"
#include "lab/sphere/rotate.h"

#include <math.h>
#include <string.h>

enum { STAGES = 4, MOST = 200 };
/* Of the last change, relative; the iteration contracts by O(h) each time. Rates of many bodies may round by more than
 * the first: then it ends, below the second, when a change is no smaller than the one before. */
static const double tolerance = 2e-15, rounding = 1e-13;

struct tableau {
    int stages;
    bool explicit;
    double a[STAGES][STAGES], b[STAGES];
};

/* dexp^-1_u k to the fourth order: k - 1/2 u x k + 1/12 u x (u x k) */
static void pull_back(const double u[3], const double k[3], double out[3])
{
    double once[3], twice[3];
    ph_vec3_cross(u, k, once);
    ph_vec3_cross(u, once, twice);
    for (int c = 0; c < 3; ++c)
        out[c] = k[c] - 0.5 * once[c] + twice[c] / 12.0;
}

/* Arrays of one step in s2->work: for each stage the rates of the rotation, pulled back, and of w */
struct step {
    double (*turn)[3], (*place)[3], (*velocity)[3]; /* u, q and w of a stage */
    double (*turning[STAGES])[3], (*rate[STAGES])[3];
};

static struct step lay_out(const struct ph_s2 *s2)
{
    const size_t n = s2->n;
    struct step s = {.turn = s2->work, .place = s2->work + n, .velocity = s2->work + 2 * n};
    for (size_t k = 0; k < STAGES; ++k) {
        s.turning[k] = s2->work + (3 + k) * n;
        s.rate[k] = s2->work + (3 + STAGES + k) * n;
    }
    return s;
}

/* u = h sum c_k turning_k, w = w0 + h sum c_k rate_k, q = exp(u) q0 */
static void combine(const struct ph_s2 *s2, double h, int stages, const double *c, const struct step *s)
{
    memset(s->turn, 0, s2->n * sizeof *s->turn);
    memcpy(s->velocity, s2->w, s2->n * sizeof *s->velocity);
    for (int k = 0; k < stages; ++k)
        if (c[k] != 0.0) {
            ph_s2_add(s2->n, h * c[k], (const double(*)[3])s->turning[k], s->turn);
            ph_s2_add(s2->n, h * c[k], (const double(*)[3])s->rate[k], s->velocity);
        }
    for (size_t i = 0; i < s2->n; ++i)
        ph_s2_rotate(s->turn[i], s2->q[i], s->place[i]);
}

/* Rates of a stage, where `combine` has put it */
static enum ph_status evaluate(struct ph_s2 *s2, const struct step *s, double (*turning)[3], double (*rate)[3],
                               struct ph_error *err)
{
    const enum ph_status status = ph_s2_prepare(s2, (const double(*)[3])s->place, NULL, err);
    if (status != PH_OK)
        return status;
    ph_s2_rates(s2, (const double(*)[3])s->place, (const double(*)[3])s->velocity, rate);
    for (size_t i = 0; i < s2->n; ++i)
        pull_back(s->turn[i], s->velocity[i], turning[i]);
    return PH_OK;
}

/* The first stage is at the state itself, where the field is prepared. */
static void begin(const struct ph_s2 *s2, double (*turning)[3], double (*rate)[3])
{
    memcpy(turning, s2->w, s2->n * sizeof *turning);
    ph_s2_rates(s2, (const double(*)[3])s2->q, (const double(*)[3])s2->w, rate);
}

static enum ph_status find_explicit(const struct tableau *t, double h, struct ph_s2 *s2, const struct step *s,
                                    struct ph_error *err)
{
    begin(s2, s->turning[0], s->rate[0]);
    enum ph_status status = PH_OK;
    for (int k = 1; k < t->stages && status == PH_OK; ++k) {
        combine(s2, h, k, t->a[k], s);
        status = evaluate(s2, s, s->turning[k], s->rate[k], err);
    }
    return status;
}

static double largest_difference(size_t n, const double (*a)[3], const double (*b)[3])
{
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            if (!(fabs(a[i][k] - b[i][k]) <= largest)) /* NaN is kept */
                largest = fabs(a[i][k] - b[i][k]);
    return largest;
}

/* Does one round over all stages; *change: by how much rates changed, relative to the largest. New rates go to the
 * arrays behind the rates of the stages. There are enough arrays for two stages. */
static enum ph_status iterate(const struct tableau *t, double h, struct ph_s2 *s2, const struct step *s, double *change,
                              struct ph_error *err)
{
    const size_t n = s2->n;
    enum ph_status status = PH_OK;
    *change = 0.0;
    for (int k = 0; k < t->stages && status == PH_OK; ++k) {
        combine(s2, h, t->stages, t->a[k], s);
        status = evaluate(s2, s, s->turning[t->stages + k], s->rate[t->stages + k], err);
    }
    for (int k = 0; k < t->stages && status == PH_OK; ++k) {
        double(*const old[2])[3] = {s->turning[k], s->rate[k]};
        double(*const new[2])[3] = {s->turning[t->stages + k], s->rate[t->stages + k]};
        for (int c = 0; c < 2; ++c) {
            const double largest = ph_s2_largest(n, (const double(*)[3]) new[c]);
            const double moved = largest_difference(n, (const double(*)[3])old[c], (const double(*)[3]) new[c]);
            if (moved != 0.0 && !(moved / largest <= *change)) /* NaN is kept */
                *change = moved / largest;
            memcpy(old[c], new[c], n * sizeof *old[c]);
        }
    }
    ++s2->iterations;
    return status;
}

static enum ph_status find_implicit(const struct tableau *t, const char *name, double h, struct ph_s2 *s2,
                                    const struct step *s, struct ph_error *err)
{
    _Static_assert(2 * 2 <= STAGES, "room for the new rates of two stages");
    for (int k = 0; k < t->stages; ++k)
        begin(s2, s->turning[k], s->rate[k]);
    double change = INFINITY;
    for (int k = 0; k < MOST; ++k) {
        const double before = change;
        const enum ph_status status = iterate(t, h, s2, s, &change, err);
        if (status != PH_OK || change <= tolerance || (change <= rounding && change >= before))
            return status;
    }
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "%s: the iteration for the stages did not converge in %d rounds; the time step is too long.",
                        name, MOST);
}

static enum ph_status step(const struct ph_s2_method *method, double h, struct ph_s2 *s2, struct ph_error *err)
{
    const struct tableau *t = method->data;
    const struct step s = lay_out(s2);
    enum ph_status status =
        t->explicit ? find_explicit(t, h, s2, &s, err) : find_implicit(t, method->name, h, s2, &s, err);
    if (status != PH_OK)
        return status;
    combine(s2, h, t->stages, t->b, &s);
    memcpy(s2->q, s.place, s2->n * sizeof *s2->q);
    memcpy(s2->w, s.velocity, s2->n * sizeof *s2->w);
    return ph_s2_prepare(s2, (const double(*)[3])s2->q, NULL, err);
}

#define REFERENCE                                                                                                      \
    PH_PAPER_ORTOLAN                                                                                                   \
    ", section 7.1.2; H. Munthe-Kaas, BIT 38 (1998) 92; K. Engo, A. Marthinsen, Multibody Syst. Dyn. "                 \
    "2 (1998) 71"

static const struct tableau classic = {
    .stages = 4,
    .explicit = true,
    .a = {{0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
    .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
};

const struct ph_s2_method ph_s2_rkmk4 = {
    .name = "rkmk4",
    .summary = "the classical Runge-Kutta method, in the form of Munthe-Kaas",
    .reference = REFERENCE,
    .documentation = "Stages are rotations exp(u) q_k and angular velocities, with dexp^-1 to the fourth order. The "
                     "second row of the tableau is misprinted in the source; it is 1/2 | 1/2 0 0 0. |q| = 1 stays, but "
                     "q.w does not, nor is it symplectic.",
    .order = 4,
    .evaluations = 4,
    .claims = {.norm = true},
    .step = step,
    .data = &classic,
};

#define SQRT3_6 0.28867513459481288225457439025097872782 /* sqrt(3)/6 */

static const struct tableau gauss = {
    .stages = 2,
    .a = {{0.25, 0.25 - SQRT3_6}, {0.25 + SQRT3_6, 0.25}},
    .b = {0.5, 0.5},
};

const struct ph_s2_method ph_s2_rkmkgl4 = {
    .name = "rkmkgl4",
    .summary = "Gauss-Legendre with two stages, in the form of Munthe-Kaas",
    .reference = REFERENCE,
    .documentation = "As rkmk4 with the implicit tableau of Gauss; the stages are found by fixed-point iteration, to "
                     "rounding. Symmetric with the exact dexp^-1 and a symmetric choice of the base point, but not as "
                     "it stands; on vector spaces it would be symplectic, here it is not.",
    .order = 4,
    .evaluations = 0,
    .claims = {.norm = true},
    .step = step,
    .data = &gauss,
};
