/* SPDX-License-Identifier: MIT */
/* Problems of one rigid body whose centre does not move. */
#include "lab/problems/problem.h"

#include "base/random.h"
#include "lab/papers.h"

#include <math.h>

/* u = strength u0.(Q e3): a force -strength u0 at the point e3 of the body */
static void hang(double strength, const double u0[3], struct ph_interactions *interactions)
{
    for (int k = 0; k < 3; ++k)
        interactions->external.body_force[k] = -strength * u0[k];
    interactions->external.body_point[2] = 1.0;
}

/* ---- The perturbed free body ---- */

enum { PERTURBED_EPSILON, PERTURBED_KINETIC };

static enum ph_status pose_perturbed(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, 0);
    double inertia[3] = {1.0, 0.0, 0.0}, part[3], u0[3];
    inertia[1] = inertia[0] + ph_random_uniform(&random);
    inertia[2] = inertia[1] + ph_random_uniform(&random); /* below I1 + I2, as it must be */
    ph_random_direction(&random, part);
    ph_random_direction(&random, u0);
    const enum ph_status status = ph_posed_body("top", inertia, posed, err);
    if (status != PH_OK)
        return status;
    for (int k = 0; k < 3; ++k)
        posed->system->m[k][0] = sqrt(2.0 * value[PERTURBED_KINETIC] * inertia[k]) * part[k];
    hang(value[PERTURBED_EPSILON], u0, &posed->interactions);
    return PH_OK;
}

const struct ph_problem ph_problem_perturbed_body = {
    .name = "perturbed-body",
    .summary = "a free rigid body, weakly perturbed: a top of random inertia in a weak field",
    .documentation = "U = epsilon e3.(Q^T u0), Q = 1 at the start. I1 = 1; I2 - I1 and I3 - I2 are uniform in (0, 1), "
                     "u0 is a random unit vector, and (m_k / sqrt(2 I_k T0)) is one: the paper draws two components of "
                     "m and lets the third follow from the kinetic energy T0, without saying how they are distributed.",
    .reference = PH_PAPER_CELLEDONI ", section 3.3.1",
    .time = 2000.0,
    .random = true,
    .n_parameters = 2,
    .parameter = {{"epsilon", "strength of the field", 1e-3}, {"kinetic", "kinetic energy at the start", 1.0}},
    .pose = pose_perturbed,
};

/* ---- The satellite ---- */

enum { SATELLITE_GM, SATELLITE_RADIUS };

static enum ph_status pose_satellite(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    static const double inertia[3] = {1.7e4, 3.7e4, 5.4e4}, omega[3] = {15.0, -15.0, 15.0};
    const enum ph_status status = ph_posed_body("satellite", inertia, posed, err);
    if (status != PH_OK)
        return status;
    for (int k = 0; k < 3; ++k)
        posed->system->m[k][0] = inertia[k] * omega[k];
    const double radius = value[SATELLITE_RADIUS];
    posed->interactions.external.gravity_gradient = value[SATELLITE_GM] / (radius * radius * radius);
    return PH_OK;
}

const struct ph_problem ph_problem_satellite = {
    .name = "satellite",
    .summary = "a fast spinning satellite that feels the gradient of the earth's gravity",
    .documentation = "U = 3 mu/(2 r^3) (Q^T e3).I(Q^T e3) with I = (1.7, 3.7, 5.4) 10^4, mu = 3.986 10^14 and r = 1.5 "
                     "10^5; it begins with Q = 1 and angular velocity (15, -15, 15). H0 = 1.21595664 10^7.",
    .reference =
        PH_PAPER_CELLEDONI ", section 3.3.2; after J. W. Mitchell, PhD thesis, University of Cincinnati (2000)",
    .time = 400.0,
    .energy = 1.21595664e7,
    .n_parameters = 2,
    .parameter = {{"mu", "gravitational constant times the mass of the earth", 3.986e14},
                  {"radius", "of the orbit", 1.5e5}},
    .pose = pose_satellite,
};

/* ---- Lagrange's tops ---- */

enum { TOP_TILT, TOP_SPIN };

static enum ph_status pose_top(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    static const double inertia[3] = {5.0, 5.0, 1.0}, up[3] = {0.0, 0.0, 1.0};
    const enum ph_status status = ph_posed_body("top", inertia, posed, err);
    if (status != PH_OK)
        return status;
    posed->system->q[0][0] = cos(0.5 * value[TOP_TILT]);
    posed->system->q[1][0] = sin(0.5 * value[TOP_TILT]);
    posed->system->m[2][0] = inertia[2] * value[TOP_SPIN];
    hang(20.0, up, &posed->interactions);
    return PH_OK;
}

const struct ph_problem ph_problem_slow_top = {
    .name = "slow-top",
    .summary = "Lagrange's top, spinning slowly, nearly upright",
    .documentation = "U = 20 e3.(Q e3), I = (5, 5, 1); it begins turned by 0.05 about the first axis, with angular "
                     "velocity (0, 0, 5).",
    .reference = PH_PAPER_KRYSL ", section 5.2",
    .time = 20.0,
    .n_parameters = 2,
    .parameter = {{"tilt", "of the axis, radians", 0.05}, {"spin", "about the axis", 5.0}},
    .pose = pose_top,
};

const struct ph_problem ph_problem_fast_top = {
    .name = "fast-top",
    .summary = "Lagrange's top, spinning fast: precession and nutation",
    .documentation = "As slow-top, but turned by 0.3 and with angular velocity (0, 0, 50). The paper does not say how "
                     "long it follows it; 20 is the time of the slow top.",
    .reference = PH_PAPER_KRYSL ", section 5.3; after J. C. Simo, K. K. Wong, Int. J. Numer. Meth. Engng 31 (1991) 19",
    .time = 20.0,
    .n_parameters = 2,
    .parameter = {{"tilt", "of the axis, radians", 0.3}, {"spin", "about the axis", 50.0}},
    .pose = pose_top,
};
