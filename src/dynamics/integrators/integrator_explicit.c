/* SPDX-License-Identifier: MIT */
/* Integrators that are explicit in the torque: implicit equations concern each body alone. W = I^-1, m and torques t in
 * the body frame, t' the torque at the end of the step; exp and cay of a vector are turns. */
#include "dynamics/integrators/integrator.h"

#include "rigid/rotors.h"

#include <string.h>

#define THESIS "; G. Ortolan, Topics on geometric integration, PhD thesis, University of Padua (2011), "

static void end_where_torque_was(struct ph_spin *spin) { memcpy(spin->end_q, spin->where, sizeof spin->end_q); }

/* ---- Kick, a map of the free body, kick: end_m = kept + h/2 t' ---- */

/* m + h/2 t */
static void kicked(const struct ph_spin *spin, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = spin->m[k] + 0.5 * spin->h * spin->torque[k];
}

static bool close_by_kick(struct ph_spin *spin)
{
    for (int k = 0; k < 3; ++k)
        spin->end_m[k] = spin->kept[k] + 0.5 * spin->h * spin->push[k];
    end_where_torque_was(spin);
    return true;
}

/* z = b + h/2 z x W z - lag h^2/4 (z.Wz) W z, q' = q cay(h W z), and from z by the same amounts with the other sign of
 * lag: the midpoint rule without, the variational method with lag */
static bool lead_by_midpoint(struct ph_spin *spin, double lag)
{
    double b[3], z[3], rate[3], turn[4];
    const double c = 0.5 * spin->h;
    kicked(spin, b);
    const bool solved = ph_spin_solve_euler(spin->w, c, lag, b, z);
    ph_spin_rate(spin, spin->h, z, rate);
    ph_turn_cay(rate, turn);
    ph_turn_apply(spin->q, turn, spin->where);
    ph_spin_rate(spin, 1.0, z, rate);
    ph_spin_euler(spin, c, z, spin->kept);
    ph_vec3_add(lag * c * c * ph_vec3_dot(z, rate), rate, spin->kept);
    return solved;
}

static bool lead_prk(struct ph_spin *spin) { return lead_by_midpoint(spin, 0.0); }
static bool lead_vlv(struct ph_spin *spin) { return lead_by_midpoint(spin, 1.0); }

/* z = exp(-t/2 W z) m, then m and q turn by t W z */
static bool turn_by_middle(const struct ph_spin *spin, double t, double m[3], double q[4])
{
    struct ph_spin_turned equation = {.c = 0.5 * t};
    double z[3], vector[3], turn[4];
    memcpy(equation.b, m, sizeof equation.b);
    const bool solved = ph_spin_solve_turned(spin->w, &equation, z);
    ph_spin_rate(spin, t, z, vector);
    ph_turn_exp(vector, turn);
    ph_turn_back(turn, m, m);
    ph_turn_apply(q, turn, q);
    return solved;
}

static bool lead_mcg(struct ph_spin *spin)
{
    kicked(spin, spin->kept);
    memcpy(spin->where, spin->q, sizeof spin->where);
    return turn_by_middle(spin, spin->h, spin->kept, spin->where);
}

static bool lead_liemid(struct ph_spin *spin)
{
    kicked(spin, spin->kept);
    memcpy(spin->where, spin->q, sizeof spin->where);
    return turn_by_middle(spin, 0.5 * spin->h, spin->kept, spin->where) &&
           turn_by_middle(spin, 0.5 * spin->h, spin->kept, spin->where);
}

/* ---- Newmark ---- */

/* z = m + h/2 (m x W m + t), q' = q turn(h W z) */
static bool lead_eln(struct ph_spin *spin, void (*map)(const double v[3], double turn[4]))
{
    double vector[3], turn[4];
    ph_spin_euler(spin, 0.5 * spin->h, spin->m, spin->kept);
    ph_vec3_add(0.5 * spin->h, spin->torque, spin->kept);
    ph_spin_rate(spin, spin->h, spin->kept, vector);
    map(vector, turn);
    ph_turn_apply(spin->q, turn, spin->where);
    return true;
}

static bool lead_eln_cay(struct ph_spin *spin) { return lead_eln(spin, ph_turn_cay); }
static bool lead_eln_exp(struct ph_spin *spin) { return lead_eln(spin, ph_turn_exp); }

/* m' = z + h/2 (m' x W m' + t') */
static bool close_eln(struct ph_spin *spin)
{
    double b[3];
    memcpy(b, spin->kept, sizeof b);
    ph_vec3_add(0.5 * spin->h, spin->push, b);
    end_where_torque_was(spin);
    return ph_spin_solve_euler(spin->w, 0.5 * spin->h, 0.0, b, spin->end_m);
}

/* ---- Torque in the middle ---- */

static bool lead_new3(struct ph_spin *spin)
{
    double vector[3], turn[4];
    ph_spin_rate(spin, 0.5 * spin->h, spin->m, vector);
    ph_turn_exp(vector, turn);
    ph_turn_back(turn, spin->m, spin->kept);
    ph_turn_apply(spin->q, turn, spin->where);
    return true;
}

/* exp(h/2 W m') m' = exp(-h/2 W m) m + h t */
static bool close_new3(struct ph_spin *spin)
{
    struct ph_spin_turned equation = {.c = 0.5 * spin->h};
    double z[3], vector[3], turn[4];
    memcpy(equation.b, spin->kept, sizeof equation.b);
    ph_vec3_add(spin->h, spin->push, equation.b);
    const bool solved = ph_spin_solve_turned(spin->w, &equation, z);
    ph_spin_rate(spin, 0.5 * spin->h, z, vector);
    ph_turn_exp(vector, turn);
    ph_turn_back(turn, equation.b, spin->end_m);
    ph_turn_apply(spin->where, turn, spin->end_q);
    return solved;
}

/* ---- The objects ---- */

const struct ph_integrator ph_integrator_rattle = {
    .name = "rattle",
    .summary = "RATTLE: kick, discrete Moser-Veselov step, kick",
    .documentation = "m + h/2 t, the discrete Moser-Veselov step of the free body (flow dmv2), m + h/2 t'. This is "
                     "RATTLE for the matrix Q with the constraint Q^T Q = 1, written in quaternions. Symplectic; the "
                     "energy of a free body is conserved. The same as the scheme verlet with the flow dmv2.",
    .reference = "R. I. McLachlan, C. Scovel, J. Nonlinear Sci. 5 (1995) 223; S. Reich, Physica D 76 (1994) 375; G. "
                 "Vilmart, Rigid body dynamics (2013), (11)",
    .order = 2,
    .claims = {.reversible = true,
               .symplectic = true,
               .free_symplectic = true,
               .free_momentum = true,
               .free_energy = true,
               .axis_momentum = true},
    .flow = &ph_flow_dmv2,
};

const struct ph_integrator ph_integrator_vlv = {
    .name = "vlv",
    .summary = "variational Lie-Verlet",
    .documentation = "z = m + h/2 (z x W z - h/2 (z.W z) W z + t), q' = q cay(h W z), m' = z + h/2 (z x W z + h/2 (z.W "
                     "z) W z + t'). Variational, hence symplectic; near to RATTLE but not the same: the energy of a "
                     "free body is not conserved exactly.",
    .reference = "N. Bou-Rabee, J. E. Marsden, Found. Comput. Math. 9 (2009) 197" THESIS "(4.11)",
    .order = 2,
    .claims =
        {.reversible = true, .symplectic = true, .free_symplectic = true, .free_momentum = true, .axis_momentum = true},
    .lead = lead_vlv,
    .close = close_by_kick,
};

#define ELN "J. C. Simo, L. Vu-Quoc, Comput. Methods Appl. Mech. Engrg. 66 (1988) 125" THESIS "(4.1)"

const struct ph_integrator ph_integrator_eln_cay = {
    .name = "eln-cay",
    .summary = "explicit Lie-Newmark, Cayley's map",
    .documentation = "z = m + h/2 (m x W m + t), q' = q cay(h W z), m' = z + h/2 (m' x W m' + t'). Newmark's method "
                     "with beta = 0, gamma = 1/2. Conserves nothing; the energy drifts.",
    .reference = ELN,
    .order = 2,
    .claims = {.reversible = true},
    .lead = lead_eln_cay,
    .close = close_eln,
};

const struct ph_integrator ph_integrator_eln_exp = {
    .name = "eln-exp",
    .summary = "explicit Lie-Newmark, exponential map",
    .documentation = "As eln-cay, with q' = q exp(h W z), as it was first proposed.",
    .reference = ELN,
    .order = 2,
    .claims = {.reversible = true},
    .lead = lead_eln_exp,
    .close = close_eln,
};

const struct ph_integrator ph_integrator_liemid_ea = {
    .name = "liemid-ea",
    .summary = "explicit Lie midpoint, LIEMID[EA]",
    .documentation = "m + h/2 t; two steps of h/2 of the free body, each z = exp(-h/4 W z) m, after which m and q turn "
                     "by h/2 W z; m + h/2 t'. Conserves the angular momentum of a free body, not its energy; thought "
                     "to be symplectic when it was proposed, but the energy drifts.",
    .reference = "P. Krysl, Int. J. Numer. Meth. Engng 63 (2005) 2171" THESIS "(4.6)",
    .order = 2,
    .claims = {.reversible = true, .free_momentum = true, .axis_momentum = true},
    .lead = lead_liemid,
    .close = close_by_kick,
};

const struct ph_integrator ph_integrator_prk = {
    .name = "prk",
    .summary = "partitioned Runge-Kutta Munthe-Kaas",
    .documentation = "z = m + h/2 (z x W z + t), q' = q cay(h W z), m' = z + h/2 (z x W z + t'). This is kick, "
                     "implicit midpoint step, kick: the scheme verlet with the flow imr2. Conserves angular momentum "
                     "and energy of a free body; the energy in a potential drifts.",
    .reference = "P. K. V. V. Nukala, W. Shelton, Int. J. Numer. Meth. Engng 69 (2007) 2636" THESIS "(4.8)",
    .order = 2,
    .claims = {.reversible = true, .free_momentum = true, .free_energy = true, .axis_momentum = true},
    .lead = lead_prk,
    .close = close_by_kick,
};

const struct ph_integrator ph_integrator_mcg = {
    .name = "mcg",
    .summary = "modified Crouch-Grossman",
    .documentation = "b = m + h/2 t, z = exp(-h/2 W z) b, q' = q exp(h W z), m' = exp(-h W z) b + h/2 t' ((4.9c) of "
                     "the thesis has z where m belongs, which would be of order 0.) Kick, the step of imidm for a free "
                     "body, kick; conjugate to new3. Conserves the angular momentum of a free body; the energy drifts.",
    .reference = "P. K. V. V. Nukala, W. Shelton, Int. J. Numer. Meth. Engng 69 (2007) 2636" THESIS "(4.9)",
    .order = 2,
    .claims = {.reversible = true, .free_momentum = true, .axis_momentum = true},
    .lead = lead_mcg,
    .close = close_by_kick,
};

const struct ph_integrator ph_integrator_new3 = {
    .name = "new3",
    .summary = "Koziara and Bicanic's semi-explicit method",
    .documentation = "q1 = q exp(h/2 W m), exp(h/2 W m') m' = exp(-h/2 W m) m + h t(q1), q' = q1 exp(h/2 W m'). One "
                     "torque in the middle of the step; centres move by position Verlet. Conserves the angular "
                     "momentum of a free body; the energy drifts.",
    .reference = "T. Koziara, N. Bicanic, Int. J. Numer. Meth. Engng 81 (2010) 1073" THESIS "(4.10)",
    .order = 2,
    .place = PH_TORQUE_MIDDLE,
    .claims = {.reversible = true, .free_momentum = true, .axis_momentum = true},
    .lead = lead_new3,
    .close = close_new3,
};
