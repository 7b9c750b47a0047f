/* SPDX-License-Identifier: MIT */
/* Integrators whose torques are unknowns. Each `close` makes the step from a guess `push` of the torque at `where`;
 * motion.c changes the guess until it is the torque there. W = I^-1, m and torques t in the body frame; exp and cay of
 * a vector are turns. */
#include "dynamics/integrators/integrator.h"

#include <string.h>

#define KRYSL "P. Krysl, Commun. Numer. Meth. Engng 24 (2008) 141, "
#define THESIS "; G. Ortolan, Topics on geometric integration, PhD thesis, University of Padua (2011), "

/* out = q exp(f W m) */
static void turn_by(const struct ph_spin *spin, double f, const double m[3], const double q[4], double out[4])
{
    double vector[3], turn[4];
    ph_spin_rate(spin, f, m, vector);
    ph_turn_exp(vector, turn);
    ph_turn_apply(q, turn, out);
}

/* out = exp(-f W m) x */
static void turn_back_by(const struct ph_spin *spin, double f, const double m[3], const double x[3], double out[3])
{
    double vector[3], turn[4];
    ph_spin_rate(spin, f, m, vector);
    ph_turn_exp(vector, turn);
    ph_turn_back(turn, x, out);
}

static void torque_at_end(struct ph_spin *spin) { memcpy(spin->where, spin->end_q, sizeof spin->where); }

/* ---- Euler's equations by the trapezoidal rule ---- */

/* m' = m + h/2 (m x W m + t + m' x W m' + t') */
static bool trapezoidal_momentum(struct ph_spin *spin)
{
    double b[3];
    ph_spin_euler(spin, 0.5 * spin->h, spin->m, b);
    ph_vec3_add(0.5 * spin->h, spin->torque, b);
    ph_vec3_add(0.5 * spin->h, spin->push, b);
    return ph_spin_solve_euler(spin->w, 0.5 * spin->h, 0.0, b, spin->end_m);
}

static bool close_trap(struct ph_spin *spin)
{
    const bool solved = trapezoidal_momentum(spin);
    turn_by(spin, 0.5 * spin->h, spin->m, spin->q, spin->end_q);
    turn_by(spin, 0.5 * spin->h, spin->end_m, spin->end_q, spin->end_q);
    torque_at_end(spin);
    return solved;
}

static bool close_tln(struct ph_spin *spin, void (*map)(const double v[3], double turn[4]))
{
    const bool solved = trapezoidal_momentum(spin);
    double sum[3], vector[3], turn[4];
    memcpy(sum, spin->m, sizeof sum);
    ph_vec3_add(1.0, spin->end_m, sum);
    ph_spin_rate(spin, 0.5 * spin->h, sum, vector);
    map(vector, turn);
    ph_turn_apply(spin->q, turn, spin->end_q);
    torque_at_end(spin);
    return solved;
}

static bool close_tln_cay(struct ph_spin *spin) { return close_tln(spin, ph_turn_cay); }
static bool close_tln_exp(struct ph_spin *spin) { return close_tln(spin, ph_turn_exp); }

/* ---- Euler's equations by the midpoint rule ---- */

/* z = m + h/2 (z x W z + torque), m' = 2 z - m */
static bool midpoint_momentum(struct ph_spin *spin, const double torque[3], double z[3])
{
    double b[3];
    memcpy(b, spin->m, sizeof b);
    ph_vec3_add(0.5 * spin->h, torque, b);
    const bool solved = ph_spin_solve_euler(spin->w, 0.5 * spin->h, 0.0, b, z);
    for (int k = 0; k < 3; ++k)
        spin->end_m[k] = 2.0 * z[k] - spin->m[k];
    return solved;
}

static bool close_imid(struct ph_spin *spin)
{
    double z[3];
    const bool solved = midpoint_momentum(spin, spin->push, z);
    turn_by(spin, 0.5 * spin->h, z, spin->q, spin->where);
    turn_by(spin, spin->h, z, spin->q, spin->end_q);
    return solved;
}

static bool close_midpoint(struct ph_spin *spin)
{
    double z[3], vector[3], turn[4], half[4];
    const bool solved = midpoint_momentum(spin, spin->push, z);
    ph_spin_rate(spin, spin->h, z, vector);
    ph_turn_cay(vector, turn);
    ph_turn_half(turn, half);
    ph_turn_apply(spin->q, half, spin->where);
    ph_turn_apply(spin->q, turn, spin->end_q);
    return solved;
}

static bool close_akw(struct ph_spin *spin)
{
    double z[3], vector[3], turn[4], mean[3];
    for (int k = 0; k < 3; ++k)
        mean[k] = 0.5 * (spin->torque[k] + spin->push[k]);
    const bool solved = midpoint_momentum(spin, mean, z);
    ph_spin_rate(spin, spin->h, z, vector);
    ph_turn_cay(vector, turn);
    ph_turn_apply(spin->q, turn, spin->end_q);
    torque_at_end(spin);
    return solved;
}

/* ---- Momentum that is turned along ---- */

/* m + h/2 t */
static void kicked(const struct ph_spin *spin, double out[3])
{
    memcpy(out, spin->m, 3 * sizeof *out);
    ph_vec3_add(0.5 * spin->h, spin->torque, out);
}

static bool close_trapm(struct ph_spin *spin)
{
    struct ph_spin_turned equation = {.c = 0.5 * spin->h};
    double b[3], z[3];
    kicked(spin, b);
    turn_back_by(spin, 0.5 * spin->h, spin->m, b, equation.b);
    ph_vec3_add(0.5 * spin->h, spin->push, equation.d);
    const bool solved = ph_spin_solve_turned(spin->w, &equation, z);
    turn_by(spin, 0.5 * spin->h, spin->m, spin->q, spin->end_q);
    turn_by(spin, 0.5 * spin->h, z, spin->end_q, spin->end_q);
    turn_back_by(spin, 0.5 * spin->h, z, equation.b, spin->end_m);
    ph_vec3_add(1.0, equation.d, spin->end_m);
    torque_at_end(spin);
    return solved;
}

static bool close_imidm(struct ph_spin *spin)
{
    struct ph_spin_turned equation = {.c = 0.5 * spin->h};
    double z[3], push[3];
    memcpy(equation.b, spin->m, sizeof equation.b);
    ph_vec3_add(0.5 * spin->h, spin->push, equation.d);
    const bool solved = ph_spin_solve_turned(spin->w, &equation, z);
    turn_by(spin, 0.5 * spin->h, z, spin->q, spin->where);
    turn_by(spin, spin->h, z, spin->q, spin->end_q);
    turn_back_by(spin, spin->h, z, spin->m, spin->end_m);
    turn_back_by(spin, 0.5 * spin->h, z, spin->push, push);
    ph_vec3_add(spin->h, push, spin->end_m);
    return solved;
}

/* The turn v = h/2 W (m + m') + h/2 extra: orientation at the end, and m' = exp(-v) b + exp(-v/2) half + d */
static bool close_by_mean(struct ph_spin *spin, const double extra[3], const double b[3], const double half[3],
                          const double d[3], double v[3])
{
    struct ph_spin_turned equation = {.c = 0.5 * spin->h};
    double z[3], turn[4], back[3];
    for (int k = 0; k < 3; ++k) {
        equation.shift[k] = spin->m[k];
        equation.extra[k] = extra[k];
        equation.b[k] = b[k];
        equation.half[k] = half[k];
        equation.d[k] = d[k];
    }
    const bool solved = ph_spin_solve_turned(spin->w, &equation, z);
    for (int k = 0; k < 3; ++k)
        v[k] = equation.c * (spin->w[k] * (z[k] + equation.shift[k]) + extra[k]);
    ph_turn_exp(v, turn);
    ph_turn_apply(spin->q, turn, spin->end_q);
    ph_turn_back(turn, b, spin->end_m);
    const double half_v[3] = {0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
    ph_turn_exp(half_v, turn);
    ph_turn_apply(spin->q, turn, spin->where);
    ph_turn_back(turn, half, back);
    for (int k = 0; k < 3; ++k)
        spin->end_m[k] += back[k] + d[k];
    return solved;
}

static const double zero[3] = {0.0, 0.0, 0.0};

static bool close_swc1(struct ph_spin *spin)
{
    double v[3], push[3] = {0.0, 0.0, 0.0};
    ph_vec3_add(spin->h, spin->push, push);
    return close_by_mean(spin, zero, spin->m, push, zero, v);
}

static bool close_bbtrap(struct ph_spin *spin)
{
    double v[3], b[3], d[3] = {0.0, 0.0, 0.0};
    kicked(spin, b);
    ph_vec3_add(0.5 * spin->h, spin->push, d);
    const bool solved = close_by_mean(spin, zero, b, zero, d, v);
    torque_at_end(spin);
    return solved;
}

/* v = h/2 (dexp^-1_{-v} W m' + W m): the correction of the inverse to W m' is taken from the last iteration, until it
 * converges. */
static bool close_bbtrapwd(struct ph_spin *spin)
{
    enum { ITERATIONS = 100 };
    static const double rounding = 4.0 * 0x1p-52, nearly = 1e-12;
    double extra[3] = {0.0, 0.0, 0.0}, b[3], d[3] = {0.0, 0.0, 0.0}, last = INFINITY;
    kicked(spin, b);
    ph_vec3_add(0.5 * spin->h, spin->push, d);
    for (int i = 0; i < ITERATIONS; ++i) {
        double v[3], rate[3], all[3], change[3];
        if (!close_by_mean(spin, extra, b, zero, d, v))
            return false;
        ph_spin_rate(spin, 1.0, spin->end_m, rate);
        const double back[3] = {-v[0], -v[1], -v[2]};
        ph_turn_dexp_inverse(back, rate, all);
        for (int k = 0; k < 3; ++k) {
            change[k] = all[k] - rate[k] - extra[k];
            extra[k] += change[k];
        }
        const double size = ph_vec3_norm(change), scale = ph_vec3_norm(rate);
        if (size <= rounding * scale || (size <= nearly * scale && size >= 0.5 * last)) {
            torque_at_end(spin);
            return true;
        }
        last = size;
    }
    return false;
}

/* ---- The objects ---- */

/* m + h/2 t is turned about another axis than its own, and h/2 t' does not make up for that: m' is not at right angles
 * to the axis of a linear rotor, by h^3 and more. */
#define TILTS "a step would give it angular momentum about its axis"

#define TLN "J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Engrg. 66 (1988) 125" THESIS "(4.3)"

const struct ph_integrator ph_integrator_tln_cay = {
    .name = "tln-cay",
    .summary = "trapezoidal Lie-Newmark, Cayley's map",
    .documentation = "m' = m + h/2 (m x W m + t + m' x W m' + t'), q' = q cay(h/2 W (m + m')). Newmark's method with "
                     "beta = 1/4, gamma = 1/2. Conserves nothing; the energy drifts.",
    .reference = TLN,
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true},
    .close = close_tln_cay,
};

const struct ph_integrator ph_integrator_tln_exp = {
    .name = "tln-exp",
    .summary = "trapezoidal Lie-Newmark, exponential map",
    .documentation = "As tln-cay, with q' = q exp(h/2 W (m + m')), as it was first proposed.",
    .reference = TLN,
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true},
    .close = close_tln_exp,
};

const struct ph_integrator ph_integrator_trap = {
    .name = "trap",
    .summary = "trapezoidal rule",
    .documentation = "m' = m + h/2 (m x W m + t + m' x W m' + t'), q' = q exp(h/2 W m) exp(h/2 W m'). Half a step of "
                     "forward Euler, then half a step of backward Euler; conjugate to imid, whose energy it conserves "
                     "half a step later, for a free body.",
    .reference = KRYSL "section 3.3",
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true},
    .close = close_trap,
};

const struct ph_integrator ph_integrator_imid = {
    .name = "imid",
    .summary = "midpoint rule with the exponential map",
    .documentation = "z = m + h/2 (z x W z + t1), t1 at q exp(h/2 W z), q' = q exp(h W z), m' = 2 z - m. Half a step "
                     "of backward Euler, then half a step of forward Euler. Conserves the energy of a free body, not "
                     "its angular momentum in space.",
    .reference = KRYSL "section 3.4",
    .order = 2,
    .implicit = true,
    .place = PH_TORQUE_MIDDLE,
    .claims = {.reversible = true, .free_energy = true},
    .close = close_imid,
};

const struct ph_integrator ph_integrator_trapm = {
    .name = "trapm",
    .summary = "trapezoidal rule that conserves momentum",
    .documentation = "q' = q exp(h/2 W m) exp(h/2 W m'), m' = Q'^T Q (m + h/2 t) + h/2 t'. Conjugate to imidm. "
                     "Conserves the angular momentum of a free body, not its energy.",
    .reference = KRYSL "section 3.6",
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true, .free_momentum = true, .axis_momentum = true},
    .not_linear = TILTS,
    .close = close_trapm,
};

const struct ph_integrator ph_integrator_imidm = {
    .name = "imidm",
    .summary = "midpoint rule that conserves momentum",
    .documentation = "v = h W (exp(-v/2) m + h/2 t1), t1 at q exp(v/2), q' = q exp(v), m' = exp(-v) m + h exp(-v/2) "
                     "t1: the Runge-Kutta Munthe-Kaas method of the midpoint rule. Conserves the angular momentum of a "
                     "free body, not its energy. Conjectured to be symplectic when it was proposed; it is not, the "
                     "energy drifts in the potential of the thesis.",
    .reference = KRYSL "section 3.6",
    .order = 2,
    .implicit = true,
    .place = PH_TORQUE_MIDDLE,
    .claims = {.reversible = true, .free_momentum = true, .axis_momentum = true},
    .close = close_imidm,
};

const struct ph_integrator ph_integrator_swc1 = {
    .name = "swc1",
    .summary = "Simo and Wong's ALGO_C1",
    .documentation = "v = h/2 W (m + m'), q' = q exp(v), m' = exp(-v) m + h exp(-v/2) t1, t1 at q exp(v/2). Conserves "
                     "angular momentum and energy of a free body. Where t1 is taken is not said in the paper on trap; "
                     "this is what gives order 2.",
    .reference = "J. C. Simo, K. K. Wong, Int. J. Numer. Meth. Engng 31 (1991) 19; " KRYSL "section 4",
    .order = 2,
    .implicit = true,
    .place = PH_TORQUE_MIDDLE,
    .claims = {.reversible = true, .free_momentum = true, .free_energy = true, .axis_momentum = true},
    .close = close_swc1,
};

const struct ph_integrator ph_integrator_akw = {
    .name = "akw",
    .summary = "Austin, Krishnaprasad and Wang's midpoint rule",
    .documentation = "m' = m + h z x W z + h/2 (t + t'), z = (m + m')/2, q' = q cay(h W z). Conserves angular momentum "
                     "and energy of a free body, and the energy of a heavy top.",
    .reference = "M. A. Austin, P. S. Krishnaprasad, L.-S. Wang, J. Comput. Phys. 107 (1993) 105; " KRYSL "section 4",
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true, .free_momentum = true, .free_energy = true, .top_energy = true},
    .close = close_akw,
};

const struct ph_integrator ph_integrator_bbtrap = {
    .name = "bbtrap",
    .summary = "Bottasso and Borri's trapezoidal rule",
    .documentation = "v = h/2 W (m + m'), q' = q exp(v), m' = exp(-v) (m + h/2 t) + h/2 t'. Conserves angular momentum "
                     "and energy of a free body; for that the same as swc1.",
    .reference = "C. L. Bottasso, M. Borri, Comput. Methods Appl. Mech. Engrg. 164 (1998) 307; " KRYSL "section 4",
    .order = 2,
    .implicit = true,
    .claims = {.reversible = true, .free_momentum = true, .free_energy = true, .axis_momentum = true},
    .not_linear = TILTS,
    .close = close_bbtrap,
};

const struct ph_integrator ph_integrator_bbtrapwd = {
    .name = "bbtrapwd",
    .summary = "Bottasso and Borri's trapezoidal rule with dexp",
    .documentation = "As bbtrap, with v = h/2 (dexp^-1_{-v} W m' + W m): the Runge-Kutta Munthe-Kaas method of the "
                     "trapezoidal rule. Conserves the angular momentum of a free body, not its energy; not symmetric, "
                     "the energy of a free body drifts.",
    .reference = "C. L. Bottasso, M. Borri, Comput. Methods Appl. Mech. Engrg. 164 (1998) 307; " KRYSL "section 4",
    .order = 2,
    .implicit = true,
    .claims = {.free_momentum = true, .axis_momentum = true},
    .not_linear = TILTS,
    .close = close_bbtrapwd,
};

const struct ph_integrator ph_integrator_midpoint = {
    .name = "midpoint",
    .summary = "implicit midpoint rule with a potential",
    .documentation = "m' = m + h (z x W z + t1), z = (m + m')/2, q' = q cay(h W z), which is the midpoint rule for the "
                     "matrix Q; t1 at the turn half way, the polar part of (Q + Q')/2. Conserves all quadratic "
                     "invariants of a free body, which it moves like the flow imr2. Not symplectic.",
    .reference = "G. Vilmart, Rigid body dynamics (2013), remark 4; E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, "
                 "section 5",
    .order = 2,
    .implicit = true,
    .place = PH_TORQUE_MIDDLE,
    .claims = {.reversible = true, .free_momentum = true, .free_energy = true},
    .close = close_midpoint,
};
