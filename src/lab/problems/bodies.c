/* SPDX-License-Identifier: MIT */
/* One rigid body whose centre does not move: free bodies of the literature, and two potentials made to try integrators
 * of rigid bodies. */
#include "lab/problems/problem.h"

#include "lab/papers.h"
#include "lab/problems/free_bodies.h"
#include "rigid/group.h"

#include <math.h>

/* ---- Free bodies ---- */

static enum ph_status pose_free(const double inertia[3], const double momentum[3], struct ph_posed *posed,
                                struct ph_error *err)
{
    const enum ph_status status = ph_posed_body("body", inertia, posed, err);
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        posed->system->m[k][0] = momentum[k];
    return status;
}

static enum ph_status pose_random(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value;
    double inertia[3], momentum[3];
    ph_free_draw_inertia(seed, 0, inertia);
    ph_free_draw_momentum(seed, 0, momentum);
    return pose_free(inertia, momentum, posed, err);
}

const struct ph_problem ph_problem_random_body = {
    .name = "random-body",
    .summary = "a free body: random moments and momentum",
    .documentation = "I1 < I2 < I3 = 1 uniform in the triangle of those that a body can have, m of norm 1, its "
                     "direction uniform in the first octant, Q = 1 at the start: the paper says no more than random.",
    .reference = PH_PAPER_CELLEDONI ", section 3.2",
    .time = 10.0,
    .random = true,
    .pose = pose_random,
};

static const double book[3] = {0.376, 0.627, 1.0}, book_momentum[3] = {0.0, 0.6, -0.8};

static enum ph_status pose_book(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value, (void)seed;
    return pose_free(book, book_momentum, posed, err);
}

const struct ph_problem ph_problem_book = {
    .name = "book",
    .summary = "a free body: a book, nearly flat",
    .documentation = "I = (0.376, 0.627, 1), m = (0, 0.6, -0.8) and Q = 1 at the start.",
    .reference = PH_PAPER_VILMART ", figure 1",
    .time = 40.0,
    .pose = pose_book,
};

static enum ph_status pose_heavy_book(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value, (void)seed;
    static const double vector[3] = {0.3, -0.2, 0.1};
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    const enum ph_status status = pose_free(book, book_momentum, posed, err);
    if (status != PH_OK)
        return status;
    ph_turn_exp(vector, q);
    for (int k = 0; k < 4; ++k)
        posed->system->q[k][0] = q[k];
    posed->interactions.external.body_force[2] = -1.0;
    posed->interactions.external.body_point[2] = 1.0;
    return PH_OK;
}

const struct ph_problem ph_problem_heavy_book = {
    .name = "heavy-book",
    .summary = "an asymmetric heavy top: the book, held at a point",
    .documentation = "U = Q33, I = (0.376, 0.627, 1), m = (0, 0.6, -0.8). The source has no start; this one is turned "
                     "by the rotation vector (0.3, -0.2, 0.1).",
    .reference = PH_PAPER_VILMART ", example 1",
    .time = 10.0,
    .pose = pose_heavy_book,
};

static enum ph_status pose_flat(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value, (void)seed;
    const enum ph_status status =
        pose_free((const double[3]){0.347, 0.653, 1.0}, (const double[3]){1.8, 0.4, -0.9}, posed, err);
    /* The moments of the paper miss the triangle inequality by 0.002, and are refused for molecules; a free body may
     * have them. */
    if (status == PH_OK)
        posed->system->species[0].inertia[0] = 0.345;
    return status;
}

const struct ph_problem ph_problem_flat_body = {
    .name = "flat-body",
    .summary = "a free body: flat, a molecule of water",
    .documentation = "I = (0.345, 0.653, 1), m = (1.8, 0.4, -0.9) and Q = 1 at the start. I1 + I2 is less than I3: "
                     "flatter than flat, by rounding.",
    .reference = PH_PAPER_HAIRER ", section 3",
    .time = 10.0,
    .pose = pose_flat,
};

static enum ph_status pose_asymmetric(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value, (void)seed;
    return pose_free((const double[3]){0.6, 0.8, 1.0}, (const double[3]){1.8, 0.4, -0.9}, posed, err);
}

const struct ph_problem ph_problem_asymmetric_body = {
    .name = "asymmetric-body",
    .summary = "a free body: asymmetric",
    .documentation = "I = (0.6, 0.8, 1), m = (1.8, 0.4, -0.9) and Q = 1 at the start.",
    .reference = PH_PAPER_HAIRER ", section 3",
    .time = 10.0,
    .pose = pose_asymmetric,
};

static enum ph_status pose_krysl(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)value, (void)seed;
    return pose_free((const double[3]){0.9144, 1.098, 1.66},
                     (const double[3]){0.9144 * 0.45549, 1.098 * 0.82623, 1.66 * 0.03476}, posed, err);
}

const struct ph_problem ph_problem_free_body = {
    .name = "free-body",
    .summary = "a free body near the separatrix",
    .documentation = "I = (0.9144, 1.098, 1.66), angular velocity (0.45549, 0.82623, 0.03476) and Q = 1 at the start.",
    .reference = PH_PAPER_KRYSL ", section 5.1; after R. I. McLachlan, A. Zanna, Found. Comput. Math. 5 (2005) 87",
    .time = 100.0,
    .pose = pose_krysl,
};

/* ---- A body before a soft wall ---- */

enum { WALL_SIGN };

static enum ph_status pose_wall(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    const enum ph_status status =
        pose_free((const double[3]){2.0, 3.0, 4.5}, (const double[3]){2.0, 2.0, 2.0}, posed, err);
    posed->interactions.external.wall_repulsion = value[WALL_SIGN];
    posed->interactions.external.wall_core = 0.001 * value[WALL_SIGN];
    posed->interactions.external.wall_height = 1.1;
    return status;
}

const struct ph_problem ph_problem_soft_wall = {
    .name = "soft-wall",
    .summary = "a body in a Coulomb potential with a soft wall",
    .documentation =
        "U = 1/z - 0.001/z^10 with z = 1.1 + Q33, I = (2, 3, 4.5), m = (2, 2, 2) and Q = 1 at the start. The paper "
        "speaks of an attractive Coulomb potential and a repulsive wall, but the torque it prints is that of this U: a "
        "repulsive Coulomb potential, with an attractive core behind a barrier that is never reached. With the other "
        "sign (sign = -1) every method of the paper breaks down at its step of 0.5.",
    .reference = PH_PAPER_KRYSL ", section 5.4; after T. Holder, B. Leimkuhler, S. Reich, Appl. Numer. Math. 39 (2001) "
                                "367",
    .time = 20000.0,
    .n_parameters = 1,
    .parameter = {{"sign", "of the potential: 1 as printed, -1 as described", 1.0}},
    .pose = pose_wall,
};

/* ---- The test of long-time stability ---- */

enum { ATTRACTOR_ALPHA };

static enum ph_status pose_attractor(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    static const double start[3] = {0.0, 0.7227, 0.0};
    const double component = 2.5 / sqrt(2.0), vector[3] = {component, 0.0, component};
    double q[4];
    const enum ph_status status =
        pose_free((const double[3]){2.0, 2.0, 4.0}, (const double[3]){0.0, 0.0, 4.0 * 0.625}, posed, err);
    if (status != PH_OK)
        return status;
    ph_turn_exp(start, q);
    for (int k = 0; k < 4; ++k)
        posed->system->q[k][0] = q[k];
    posed->interactions.external.valley_stiffness = 1.0;
    posed->interactions.external.valley_distance = 1.0;
    posed->interactions.external.attraction = value[ATTRACTOR_ALPHA];
    for (int k = 0; k < 3; ++k)
        posed->interactions.external.attractor[k] = vector[k];
    return PH_OK;
}

const struct ph_problem ph_problem_attractor = {
    .name = "attractor",
    .summary = "a valley of orientations and an orientation that attracts: a test of long-time stability",
    .documentation = "U = (d(1) - 1)^2 - alpha/d(R), d(S) = sqrt(2 tr(1 - S^T Q)) the distance of Q from S, R = "
                     "exp(2.5 (1, 0, 1)/sqrt(2)); I = (2, 2, 4). It begins with Q = exp(0, 0.7227, 0) and angular "
                     "velocity (0, 0, 0.625). Made so that integrators which are not symplectic, nor conjugate to "
                     "symplectic ones, lose or gain energy all the time, also symmetric ones.",
    .reference = PH_PAPER_ORTOLAN ", chapter 3 and section 4.2",
    .time = 10000.0,
    .n_parameters = 1,
    .parameter = {{"alpha", "strength of the attraction", 0.3}},
    .pose = pose_attractor,
};
