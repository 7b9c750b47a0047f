/* SPDX-License-Identifier: MIT */
/* Stochastic cell rescaling, made exact by Metropolis' rule. */

/* At constant pressure P and fixed momenta, the cell h (its columns are the edges) and the centres have the density
 * V^N exp(-(U + P V)/kT), with N the number of molecules. Its measure of cells knows no scale and no shape: dV, at a
 * fixed shape. In coordinates x of the cell we let it walk with a diffusion D,
 *     dx = (D F + dD/dx) dt + sqrt(2 D) dW,   F = d ln(density)/dx,   D = kT beta/(n V tau).
 * The volume of a substance of compressibility beta then relaxes within the time tau (Bernetti and Bussi; n = 1, or 3
 * with edges of their own: Del Tatto and others). */

/* The proposal is one Euler step of this, over all the time since the last: y = x' - x is normal, of mean m = D dt
 * (F + d ln D/dx) and variance 2 D dt. Energy and virial of the proposed cell give the density of the way back. The
 * rule of Metropolis and Hastings accepts or rejects it. So the distribution of cells is exact however long dt is; a dt
 * beyond tau is rejected too often. */

/* Kinetic pressure is N kT/V here, not the present one: at fixed momenta nothing else is in the density. Where the
 * total momentum is zero, 3 degrees of freedom are missing, and N - 1 stands for N. The kinetic part of the observed
 * pressure comes from 3 N - 3 momenta. Its mean then equals the target, as with a volume that moves. */

/* The virial W = sum R F^T (energy.h) gives -dU = sum_ab e_ab W_ba for a strain e of the centres, orientations as
 * they are.
 *   isotropic  x = ln V; V^N dV is V^(N+1) dx; -dU/dx = tr W/3
 *   edges      x_k = ln L_k of the three edges, in fixed directions; V^N dL1 dL2 dL3 is V^(N+1) d^3x; the strain is
 *              h E_kk h^-1, so -dU/dx_k = (h^-1 W h)_kk
 *   full       h = T, upper triangular; T' = A T, and y are the six ln A_aa and A_ab: see below */

/* The full cell. Of all cells V^(N-2) d^9h has the volumes V^N dV. With h = R T, R a rotation that changes nothing,
 * d^9h is T11^2 T22 d^6T dR. The density of T' for a given T is the density of y times V/V' (exponentials) over
 * T11 T22^2 T33^3. So the factor beside the densities of y in Metropolis' rule is V^(N-1) (T11/T33)^2. The drift
 * follows from the density V^(N+1) (T11/T33)^2 with respect to d^6T/(T11^3 T22^2 T33), which no A changes: F_aa = N + 1
 * + (2, 0, -2)_a + (W_aa - P V)/kT, F_ab = W_ba/kT. */

/* A fluid does not resist a change of shape. With edges, or the full cell, shapes wander for ever, and V alone has a
 * distribution. A cell that would be too small for the cutoff ends the run: to reject it would change the ensemble. */
#include "dynamics/cells/cell_kinds.h"

#include "base/library.h"
#include "base/random.h"
#include "state/kept.h"

#include <math.h>

enum { MOST = 6 };               /* coordinates */
enum { XX, YY, ZZ, XY, XZ, YZ }; /* of the full cell */
static const int row[MOST] = {0, 1, 2, 0, 0, 1}, column[MOST] = {0, 1, 2, 1, 2, 2};
static const int coordinates[] = {[PH_CELL_ISOTROPIC] = 1, [PH_CELL_EDGES] = 3, [PH_CELL_FULL] = 6};

/* ---- The walk ---- */

/* Data for the density of the way from a cell */
struct walk {
    double log_density;
    double mean[MOST], variance; /* of y */
};

/* N above */
static double centres(const struct ph_cell_options *cell, const struct ph_system *system)
{
    return cell->centres > 0.0 ? cell->centres : (double)system->n;
}

static void find_forces(const struct ph_cell_options *cell, const struct ph_system *system, const double virial[3][3],
                        double force[MOST])
{
    const struct ph_box *box = &system->box;
    const double n = centres(cell, system), kT = cell->kT, work = cell->pressure * box->volume;
    if (cell->shape == PH_CELL_ISOTROPIC)
        force[0] = n + ((virial[0][0] + virial[1][1] + virial[2][2]) / 3.0 - work) / kT;
    for (int k = 0; k < 3 && cell->shape == PH_CELL_EDGES; ++k) {
        double along = 0.0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                along += box->inverse[k][a] * virial[a][b] * box->edge[k][b];
        force[k] = n + (along - work) / kT;
    }
    for (int k = 0; k < MOST && cell->shape == PH_CELL_FULL; ++k) {
        const double pull = virial[column[k]][row[k]];
        force[k] = k <= ZZ ? n + 2.0 - 2.0 * k + (pull - work) / kT : pull / kT;
    }
}

static struct walk walk_from(const struct ph_cell_options *cell, double dt, const struct ph_system *system,
                             const struct ph_energy *energy)
{
    const struct ph_box *box = &system->box;
    const bool isotropic = cell->shape == PH_CELL_ISOTROPIC, full = cell->shape == PH_CELL_FULL;
    const double beta = cell->compressibility > 0.0 ? cell->compressibility
                                                    : PH_CELL_LIQUID * box->volume / ((double)system->n * cell->kT);
    const double d = cell->kT * beta * dt / ((isotropic ? 1.0 : 3.0) * box->volume * cell->relaxation_time);
    const double power = centres(cell, system) + (full ? -1.0 : 1.0);
    struct walk walk = {.variance = 2.0 * d};
    walk.log_density =
        power * ph_library_log(box->volume) - (ph_energy_total(energy) + cell->pressure * box->volume) / cell->kT;
    if (full)
        walk.log_density += 2.0 * ph_library_log(box->edge[0][0] / box->edge[2][2]);
    find_forces(cell, system, energy->virial, walk.mean);
    for (int k = 0; k < coordinates[cell->shape]; ++k)
        walk.mean[k] *= d;
    return walk;
}

/* Returns the logarithm of the density of y, up to a term that all shapes share. */
static double log_probability(const struct walk *walk, int n, const double y[MOST])
{
    double square = 0.0;
    for (int k = 0; k < n; ++k)
        square += (y[k] - walk->mean[k]) * (y[k] - walk->mean[k]);
    return -0.5 * (square / walk->variance + n * ph_library_log(walk->variance));
}

/* Computes the edges of the cell after the change y. */
static void strain(enum ph_cell_shape shape, const struct ph_box *box, const double y[MOST], double edge[3][3])
{
    double factor[3];
    for (int k = 0; k < 3; ++k)
        factor[k] = ph_library_exp(shape == PH_CELL_ISOTROPIC ? y[0] / 3.0 : y[k]);
    for (int e = 0; e < 3; ++e)
        for (int a = 0; a < 3; ++a)
            edge[e][a] = factor[shape == PH_CELL_FULL ? a : e] * box->edge[e][a];
    for (int k = XY; k < MOST && shape == PH_CELL_FULL; ++k)
        for (int e = 0; e < 3; ++e)
            edge[e][row[k]] += y[k] * box->edge[e][column[k]];
}

/* The y that leads back */
static void reverse(enum ph_cell_shape shape, const double y[MOST], double back[MOST])
{
    for (int k = 0; k < MOST; ++k)
        back[k] = -y[k];
    if (shape != PH_CELL_FULL)
        return;
    const double x = ph_library_exp(-y[XX]), yy = ph_library_exp(-y[YY]), z = ph_library_exp(-y[ZZ]); /* A^-1 */
    back[XY] = -y[XY] * x * yy;
    back[YZ] = -y[YZ] * yy * z;
    back[XZ] = (y[XY] * y[YZ] * yy - y[XZ]) * x * z;
}

/* ---- A change ---- */

static enum ph_status too_small(const struct ph_cell_options *cell, struct ph_error *err)
{
    const struct ph_error why = *err;
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The cell has become too small for the cutoff, at a pressure of %g: %s More molecules, or a "
                        "smaller cutoff, leave room for its fluctuations.",
                        cell->pressure, why.text);
}

/* A cell that is proposed, and the number in (0, 1) that decides */
struct proposal {
    struct walk from;
    double dt, y[MOST], edge[3][3], chance;
};

/* Goes to the cell and decides. */
static enum ph_status try_cell(const struct ph_cell_options *cell, const struct proposal *proposal,
                               struct ph_state *state, struct ph_energy *energy, bool *accepted, struct ph_error *err)
{
    const int n = coordinates[cell->shape];
    enum ph_status status = ph_cell_set_box(proposal->edge, state, err);
    if (status != PH_OK)
        return too_small(cell, err);
    status = ph_state_forces(state, PH_FORCES_ALL, energy, err);
    if (status == PH_ERR_NUMBERS && !ph_state_is_lost(state))
        return PH_OK; /* molecules overlap: no */
    if (status != PH_OK)
        return status;
    double back[MOST];
    const struct walk to = walk_from(cell, proposal->dt, ph_state_system(state), energy);
    reverse(cell->shape, proposal->y, back);
    const double log_ratio = to.log_density - proposal->from.log_density + log_probability(&to, n, back) -
                             log_probability(&proposal->from, n, proposal->y);
    *accepted = ph_library_log(proposal->chance) < log_ratio; /* false for NaN */
    return PH_OK;
}

/* The same, but restores the state if it is not accepted. All ranks have memory for that, or all stop. */
static enum ph_status try_and_return(const struct ph_cell_options *cell, const struct proposal *proposal,
                                     struct ph_state *state, struct ph_energy *energy, bool *accepted,
                                     struct ph_error *err)
{
    struct ph_system *system = ph_state_system(state);
    const struct ph_box before = system->box;
    struct ph_kept *kept;
    struct ph_error ours;
    enum ph_status status = ph_state_agree(state, ph_kept_create(state, PH_STATE_PLACES, &kept, err), err);
    if (status == PH_OK) {
        ph_kept_begin(kept, state);
        status = try_cell(cell, proposal, state, energy, accepted, err ? err : &ours);
        ph_kept_end(kept, state);
    }
    if (status == PH_OK && !*accepted) {
        system->box = before;
        ph_kept_bring_back(kept, false, state);
        status = ph_force_field_box_changed(ph_state_field(state), system, err);
    }
    ph_kept_destroy(kept);
    return status;
}

static enum ph_status change(const struct ph_cell_options *cell, double h, int64_t step, const struct ph_energy *energy,
                             struct ph_state *state, double numbers[PH_CELL_NUMBERS], bool *changed,
                             struct ph_error *err)
{
    const struct ph_system *system = ph_state_system(state);
    *changed = false;
    if (cell->shape == PH_CELL_FULL && !ph_cell_is_triangular(&system->box))
        return ph_error_set(err, PH_ERR_INPUT,
                            "A cell of any shape must have its first edge along x and its second in the plane of x and "
                            "y; they are (%g, %g, %g) and (%g, %g, %g).",
                            system->box.edge[0][0], system->box.edge[0][1], system->box.edge[0][2],
                            system->box.edge[1][0], system->box.edge[1][1], system->box.edge[1][2]);
    struct ph_random random = ph_random_stream(cell->seed, PH_RANDOM_CELL, (uint64_t)step);
    struct proposal proposal = {.dt = fabs(h) * (double)cell->every, .chance = ph_random_uniform(&random)};
    proposal.from = walk_from(cell, proposal.dt, system, energy);
    for (int k = 0; k < coordinates[cell->shape]; ++k)
        proposal.y[k] = proposal.from.mean[k] + sqrt(proposal.from.variance) * ph_random_normal(&random);
    numbers[PH_CELL_TRIED] += 1.0;
    strain(cell->shape, &system->box, proposal.y, proposal.edge);
    const double before = ph_energy_total(energy) + cell->pressure * system->box.volume;
    struct ph_energy after;
    bool accepted = false;
    const enum ph_status status = try_and_return(cell, &proposal, state, &after, &accepted, err);
    if (accepted) {
        numbers[PH_CELL_ACCEPTED] += 1.0;
        numbers[PH_CELL_WORK] += ph_energy_total(&after) + cell->pressure * system->box.volume - before;
    }
    *changed = true;
    return status;
}

const struct ph_cell_kind ph_cell_rescaling = {
    .name = "cell-rescaling",
    .summary = "random changes of the cell towards a pressure, accepted or rejected by Metropolis' rule",
    .reference = "M. Bernetti, G. Bussi, J. Chem. Phys. 153 (2020) 114107; V. Del Tatto, P. Raiteri, M. Bernetti, G. "
                 "Bussi, Appl. Sci. 12 (2022) 1139",
    .pressure = true,
    .change = change,
};
