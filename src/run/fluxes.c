/* SPDX-License-Identifier: MIT */
/* ---- Heat flux ----
 *
 * A molecule has the energy e_i = p^2/2m + w.L/2 + 1/2 sum_j u_ij, all of it at its centre: the energy of a pair is
 * split evenly. With the force f_ij and the torque t_ij that j exerts on i,
 *   d/dt (kinetic energy of i) = sum_j (v_i.f_ij + w_i.t_ij),    du_ij/dt = -(v_i.f_ij + w_i.t_ij + v_j.f_ji +
 * w_j.t_ji) so that de_i/dt = 1/2 sum_j [v_i.f_ij + w_i.t_ij - v_j.f_ji - w_j.t_ji]: what i gains is what all j lose.
 */

/* The current that obeys the local conservation law is J = d/dt sum_i r_i e_i, for unwrapped r_i. With f_ji = -f_ij
 *   J = sum_i v_i e_i + 1/2 sum_(i<j) r_ij [(v_i + v_j).f_ij + w_i.t_ij - w_j.t_ji],    r_ij = r_i - r_j.
 * Point particles have the first two terms alone (J. H. Irving, J. G. Kirkwood, J. Chem. Phys. 18 (1950) 817). The work
 * of the torques belongs to a current between centres (D. J. Evans, S. Murad, Mol. Phys. 68 (1989) 1219). The work of
 * forces on sites is the same sum, v_a = v_i + w_i x d_a. */

/* Another split of pair energies, a part x to i and 1 - x to j, adds d/dt sum (x - 1/2) r_ij u_ij to J. The time
 * integral of J then changes by a bounded amount, so the conductivity is the same. */

/* ---- Momentum flux ----
 *
 * Molecular: V P = sum p p^T/m + sum_(i<j) r_ij f_ij^T, which is not symmetric: r_ij x f_ij = -t_ij - t_ji.
 *
 * Atomic: the same sums over mass points a of rigid molecules, at r_i + d_a, which also feel forces of constraint F_a.
 * All forces on a molecule make m_a (dv_i/dt + d''_a), and sum m_a d_a = 0. So
 *   V P' = V P + sum_i sum_(a in i) m_a (d'_a d'_a^T + d_a d''_a^T). */

/* With d' = w x d and d'' = w' x d + w x (w x d) the sums over a need only M = sum m_a d_a d_a^T = tr(I)/2 - I, I the
 * tensor of inertia, not the places of the masses. With O and A the matrices of w x and w' x:
 *   d'd'^T -> -O M O,   d d''^T -> M (O^2 - A),   w' = I^-1 (t - w x L).
 * The result is symmetric, since the antisymmetric part of M (O^2 - A) is that of the torque. Its mean is that of the
 * molecular one: the difference is the rate of a bounded quantity. So both have the same viscosity. */

/* ---- What is left out ----
 *
 * Forces that are no sums over pairs have no such current: external fields, tethers, forces of the caller, PLUMED. The
 * reciprocal part of an Ewald sum is a sum over pairs, but needs a sum over waves of its own, which is not written. Its
 * momentum flux is complete. The long-range correction moves the energy of each molecule of one kind by the same
 * amount, which carries nothing while the total momentum is 0; in a mixture it would not. */
#include "run/fluxes.h"

#include "base/array.h"
#include "base/rotation.h"
#include "base/threads.h"
#include "force/external/external.h"
#include "force/pairs/loops/flux.h"

#include <stdlib.h>
#include <string.h>

enum { VELOCITY, OMEGA = 3, MOTION = 6 };
enum { HEAT = 0, ATOMIC = 3, SUMS = 12 };
_Static_assert(SUMS % PH_EACH_SUMS == 0, "sums are done in turns");

struct work {
    const struct ph_system *system;
    double *motion[MOTION]; /* owned */
    size_t turn;
};

/* Motion of a molecule, in space */
struct moving {
    double v[3], omega[3], energy; /* kinetic */
    double difference[3][3];       /* atomic less molecular */
};

/* inverse moments; a moment of 0 has no motion */
static double over(double x, double moment) { return moment > 0.0 ? x / moment : 0.0; }

static void hat(const double v[3], double m[3][3])
{
    const double matrix[3][3] = {{0.0, -v[2], v[1]}, {v[2], 0.0, -v[0]}, {-v[1], v[0], 0.0}};
    memcpy(m, matrix, sizeof matrix);
}

static void multiply(double a[3][3], double b[3][3], double out[3][3])
{
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            out[k][l] = a[k][0] * b[0][l] + a[k][1] * b[1][l] + a[k][2] * b[2][l];
}

/* In the body frame: -O M O + M (O^2 - A), with the torque t there */
static void internal_flow(const double inertia[3], const double m[3], const double t[3], double out[3][3])
{
    const double half = 0.5 * (inertia[0] + inertia[1] + inertia[2]);
    double mass[3][3] = {{half - inertia[0], 0.0, 0.0}, {0.0, half - inertia[1], 0.0}, {0.0, 0.0, half - inertia[2]}};
    double omega[3], rate[3], o[3][3], a[3][3], oo[3][3], om[3][3], omo[3][3], bend[3][3];
    for (int k = 0; k < 3; ++k)
        omega[k] = over(m[k], inertia[k]);
    ph_vec3_cross(m, omega, rate); /* -w x L */
    for (int k = 0; k < 3; ++k)
        rate[k] = over(t[k] + rate[k], inertia[k]);
    hat(omega, o);
    hat(rate, a);
    multiply(o, o, oo);
    multiply(o, mass, om);
    multiply(om, o, omo);
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            oo[k][l] -= a[k][l];
    multiply(mass, oo, bend);
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            out[k][l] = bend[k][l] - omo[k][l];
}

/* Q x Q^T */
static void to_space(const double q[4], double x[3][3])
{
    double rows[3][3], turned[3][3];
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < 3; ++k)
            ph_quat_rotate(q, x[k], rows[k]);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                turned[k][l] = rows[l][k];
        memcpy(x, turned, sizeof turned);
    }
}

static void move(const struct ph_system *system, size_t species, size_t i, struct moving *out)
{
    const struct ph_species *about = &system->species[species];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double m[3], omega[3], p[3], t[3], t_body[3];
    out->energy = 0.0;
    for (int k = 0; k < 3; ++k) {
        m[k] = system->m[k][i];
        p[k] = system->p[k][i];
        t[k] = system->t[k][i];
        out->v[k] = p[k] / about->mass;
        omega[k] = over(m[k], about->inertia[k]);
        out->energy += 0.5 * (p[k] * out->v[k] + m[k] * omega[k]);
    }
    ph_quat_rotate(q, omega, out->omega);
    ph_quat_rotate(back, t, t_body);
    internal_flow(about->inertia, m, t_body, out->difference);
    to_space(q, out->difference);
}

static void note_motion(struct ph_range range, void *data)
{
    const struct work *work = data;
    for (size_t i = range.begin; i < range.end; ++i) {
        struct moving moving;
        move(work->system, range.species, i, &moving);
        for (int k = 0; k < 3; ++k) {
            work->motion[VELOCITY + k][i] = moving.v[k];
            work->motion[OMEGA + k][i] = moving.omega[k];
        }
    }
}

/* Sums over molecules, some at a time */
static void terms(struct ph_range range, void *data, struct ph_exact *sums)
{
    const struct work *work = data;
    double term[SUMS][PH_TURN];
    for (size_t i = range.begin; i < range.end; ++i) {
        struct moving moving;
        move(work->system, range.species, i, &moving);
        for (int k = 0; k < 3; ++k)
            term[HEAT + k][i - range.begin] = moving.energy * moving.v[k];
        for (int k = 0; k < 9; ++k)
            term[ATOMIC + k][i - range.begin] = moving.difference[k / 3][k % 3];
    }
    for (size_t k = 0; k < PH_EACH_SUMS; ++k)
        ph_exact_add(range.end - range.begin, term[work->turn * PH_EACH_SUMS + k], &sums[k]);
}

static void sum_molecules(struct ph_state *state, struct work *work, double sum[SUMS])
{
    for (work->turn = 0; work->turn < SUMS / PH_EACH_SUMS; ++work->turn) {
        struct ph_exact exact[PH_EACH_SUMS] = {{.spoilt = 0}};
        ph_state_total(state, terms, work, PH_EACH_SUMS, exact);
        ph_state_add_up(state, PH_EACH_SUMS, exact);
        for (size_t k = 0; k < PH_EACH_SUMS; ++k)
            sum[work->turn * PH_EACH_SUMS + k] = ph_exact_value(&exact[k]);
    }
}

static enum ph_status flux_of_pairs(struct ph_state *state, struct work *work, struct ph_pair_flux *pairs,
                                    struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int k = 0; k < MOTION && status == PH_OK; ++k)
        if (!(work->motion[k] = ph_array_create(ph_padded(work->system->n), sizeof(double))))
            status = ph_no_memory(err, "the velocities of %zu molecules", work->system->n);
    status = ph_state_agree(state, status, err);
    if (status == PH_OK) {
        ph_state_each(state, note_motion, work);
        status = ph_state_flux(state, &(struct ph_rates){.velocity = work->motion, .omega = work->motion + OMEGA},
                               pairs, err);
    }
    for (int k = 0; k < MOTION; ++k)
        free(work->motion[k]);
    return status;
}

enum ph_status ph_fluxes_observe(struct ph_state *state, const double pressure[3][3], bool heat, struct ph_fluxes *out,
                                 struct ph_error *err)
{
    struct work work = {.system = ph_state_system(state)};
    const double inverse = 1.0 / work.system->box.volume;
    struct ph_pair_flux pairs = {.energy = 0.0};
    double sum[SUMS];
    sum_molecules(state, &work, sum);
    const enum ph_status status = heat ? flux_of_pairs(state, &work, &pairs, err) : PH_OK;
    out->volume = work.system->box.volume;
    for (int k = 0; k < 3; ++k) {
        out->heat[k] = heat ? inverse * (sum[HEAT + k] + pairs.current[k]) : 0.0;
        for (int l = 0; l < 3; ++l) {
            out->momentum[k][l] = pressure[k][l];
            out->momentum_atomic[k][l] = pressure[k][l] + inverse * sum[ATOMIC + 3 * k + l];
        }
    }
    return status;
}

static const struct ph_column columns_of_fluxes[PH_FLUX_COLUMNS] = {
    {"momentum_flux", 9, "kJ mol-1 nm-3", "molecular pressure tensor", PH_NEEDS_BOX,
     offsetof(struct ph_fluxes, momentum)},
    {"momentum_flux_atomic", 9, "kJ mol-1 nm-3", "pressure tensor of the mass points of molecules", PH_NEEDS_BOX,
     offsetof(struct ph_fluxes, momentum_atomic)},
    {"volume", 1, "nm+3", "of the box", PH_NEEDS_BOX, offsetof(struct ph_fluxes, volume)},
    {"heat_flux", 3, "kJ mol-1 nm-2 ps-1", "energy that crosses a plane", PH_NEEDS_BOX,
     offsetof(struct ph_fluxes, heat)},
};
_Static_assert(sizeof(struct ph_fluxes) == PH_FLUX_NUMBERS * sizeof(double), "nothing but the columns");

size_t ph_flux_columns(bool heat, const struct ph_column *columns[PH_FLUX_COLUMNS])
{
    const size_t n = heat ? PH_FLUX_COLUMNS : PH_FLUX_COLUMNS - 1;
    for (size_t k = 0; k < n; ++k)
        columns[k] = &columns_of_fluxes[k];
    return n;
}

const char *ph_fluxes_no_heat(const struct ph_system *system, const struct ph_interactions *interactions)
{
    if (ph_is_ewald(interactions))
        return "The reciprocal part of electrostatics.method: ewald or mesh has no heat flux yet. Accepted: "
               "reaction-field, cutoff.";
    for (size_t k = 0; k < ph_external_count(); ++k)
        if (ph_external_present(ph_external_at(k), &interactions->external))
            return "External fields do work that no current between molecules carries.";
    if (interactions->plumed.file[0] || interactions->caller.force || interactions->pinned)
        return "Forces from outside the molecules do work that no current between them carries.";
    if (interactions->long_range_correction && system->n_species > 1)
        return "interactions.long_range_correction in a mixture changes the energies of its kinds by different "
               "amounts, "
               "which the heat flux does not have. Accepted: false.";
    return NULL;
}
