/* SPDX-License-Identifier: MIT */
/* The Hamiltonian of Nose-Poincare and Andersen for rigid molecules.
 *   H = s [ K_t(p~/(s V^(1/3))) + K_r(m~/s) + U(V^(1/3) r~, q) + P_s^2/(2 Q) + g kT ln s + P_V^2/(2 W) + P V - H0 ] */

/* S. D. Bond, B. J. Leimkuhler, B. B. Laird, J. Comput. Phys. 151 (1999) 114 (temperature). J. B. Sturgeon, B. B.
 * Laird, J. Chem. Phys. 112 (2000) 3474 (and pressure). H. Okumura, S. G. Itoh, Y. Okamoto, J. Chem. Phys. 126 (2007)
 * 084103 (rigid molecules).
 *
 * Real momenta are p = p~/(s V^(1/3)) and m = m~/s, real centres r = V^(1/3) r~. H0 is the value of the rest of the
 * bracket at the beginning. So H = 0, and time is real. Systems hold real positions and momenta; a change of s or V
 * at fixed p~, m~, r~ scales them. Without a thermostat s stays 1, without a cell V stays. */

/* Sampled ensemble: insert dr~ dp~ = s^(3N) dr dp, dm~ = s^(rotations) dm and the root of H in s. The microcanonical
 * measure of H becomes
 *   exp(-(f/g) (K + U + P V + P_V^2/2W + P_s^2/2Q)/kT) dr dp dq dm dV dP_V dP_s.
 * f counts the momenta that s scales, without momenta that are conserved as zero. So g = f gives the canonical ensemble
 * of constant temperature and pressure, in real time. */

/* (P_V is not scaled by s here. Where it is, g = f + 1.) With a total momentum of zero dr~ dp~ has 3 dimensions of
 * p~ less, thus a factor 1/V. Volumes then have the measure V^(N-1) dV, as of an ideal gas with one molecule less. They
 * are smaller by kT beta (beta the compressibility) than volumes of cell_rescaling.c. Only ergodic motion samples this
 * ensemble: fluids do, a few oscillators do not. */

/* Masses: d(ln s)/dt = P_s/Q and dP_s/dt = 2 K - g kT. With Q = g kT tau^2, kinetic energy that exchanges no other
 * energy swings with the period 2 pi tau/sqrt(2). Likewise dV/dt = s P_V/W and dP_V/dt = s (P_now - P). The pressure
 * falls by dV/(beta V). So W = tau^2/(beta V) makes the volume swing with the period 2 pi tau. */

/* Four parts of H have exact flows, for a time t:
 *   potential   s [U + P V + g kT ln s - H0]: p += f t, m += torque t, P_s -= (U + P V + g kT (ln s + 1) - H0) t,
 *               P_V -= s (dU/dV + P) t with dU/dV = -tr W/(3 V), W the virial
 *   thermostat  s P_s^2/2Q: with c = 1 + P_s t/2Q, s goes to s c^2, P_s to P_s/c
 *   piston      s P_V^2/2W: V += s P_V t/W, P_s -= P_V^2 t/2W
 *   drift       s K: free flight and free rotation, P_s += K t, P_V += 2 s K_t t/3V */

/* With a rotor that is not exact, K is the mean of before and after the drift, so that the step stays symmetric. The
 * step of order two is potential thermostat piston, each for t/2, drift for t, piston thermostat potential for t/2. It
 * takes one evaluation of forces, energy and virial, at its end. */
#include "dynamics/cells/extended.h"

#include "base/library.h"
#include "dynamics/baths/bath.h"
#include "dynamics/cells/cell.h"
#include "dynamics/schemes/composition.h"

#include <math.h>
#include <stdlib.h>

const char *const ph_extended_thermostat_summary =
    "deterministic, of any order: a further degree of freedom scales all momenta; with andersen or alone";
const char *const ph_extended_cell_summary = "deterministic, of any order: the volume has a mass and a momentum; with "
                                             "nose-poincare, or alone at constant enthalpy";
const char *const ph_extended_reference = "H. Okumura, S. G. Itoh, Y. Okamoto, J. Chem. Phys. 126 (2007) 084103";

struct ph_extended {
    struct ph_system *system; /* not owned; of the state */
    struct ph_extended_options options;
    double step, *numbers;  /* not owned */
    struct ph_state *state; /* owned */
    struct ph_energy energy;
    bool known;       /* forces and energy belong to this state; */
    bool box_changed; /* and the force field does not know the box */
};

/* ---- Set-up ---- */

void ph_extended_destroy(struct ph_extended *extended)
{
    if (!extended)
        return;
    ph_state_destroy(extended->state);
    free(extended);
}

enum ph_status ph_extended_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_extended_options *options, const struct ph_dynamics_options *dynamics,
                                  double numbers[PH_EXTENDED_NUMBERS], struct ph_extended **out, struct ph_error *err)
{
    *out = NULL;
    if (!ph_is_composition(options->composition))
        return ph_error_set(err, PH_ERR_INPUT,
                            "The scheme '%s' is not a composition of Verlet steps that begin with a kick, which an "
                            "extended Hamiltonian needs.",
                            options->composition->name);
    if (dynamics->pinned)
        return ph_error_set(err, PH_ERR_INPUT, "An extended Hamiltonian needs centres that are not pinned.");
    struct ph_extended *extended = calloc(1, sizeof *extended);
    if (!extended)
        return ph_no_memory(err, "the dynamics");
    *extended = (struct ph_extended){.system = system, .options = *options, .step = dynamics->step, .numbers = numbers};
    const struct ph_state_options where = {.flow = dynamics->flow, .backend = dynamics->backend};
    const enum ph_status status = ph_state_create(system, field, &where, &extended->state, err);
    if (status != PH_OK) {
        ph_extended_destroy(extended);
        return status;
    }
    *out = extended;
    return PH_OK;
}

void ph_extended_reset(struct ph_extended *extended)
{
    extended->numbers[PH_EXTENDED_BEGUN] = 0.0;
    extended->known = false;
    ph_state_changed(extended->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
}

struct ph_state *ph_extended_state(const struct ph_extended *extended) { return extended->state; }

/* ---- Energy ---- */

/* Kinetic energies of translation and rotation: exact sums, the same for any distribution of molecules */
struct kinetic {
    double translation, rotation;
};

static struct kinetic kinetic(struct ph_extended *extended)
{
    double of[PH_BATH_GROUPS];
    ph_state_kinetic(extended->state, of);
    return (struct kinetic){of[0], of[1] + of[2] + of[3]};
}

static double bath_energy(const struct ph_extended_options *options, double s)
{
    return options->thermostat ? (double)options->degrees * options->kT * ph_library_log(s) : 0.0;
}

double ph_extended_energy(const struct ph_extended_options *options, const double numbers[PH_EXTENDED_NUMBERS],
                          double volume)
{
    double energy = options->cell ? options->pressure * volume : 0.0;
    if (numbers[PH_EXTENDED_BEGUN] == 0.0)
        return energy;
    const double p_s = numbers[PH_EXTENDED_MOMENTUM_S], p_v = numbers[PH_EXTENDED_MOMENTUM_V];
    if (options->thermostat)
        energy += 0.5 * p_s * p_s / numbers[PH_EXTENDED_MASS_S] + bath_energy(options, numbers[PH_EXTENDED_S]);
    if (options->cell)
        energy += 0.5 * p_v * p_v / numbers[PH_EXTENDED_MASS_V];
    return energy - numbers[PH_EXTENDED_JUMPS];
}

static enum ph_status tell_box(struct ph_extended *extended, struct ph_error *err)
{
    struct ph_error why = {.text = ""};
    const enum ph_status status = ph_force_field_box_changed(ph_state_field(extended->state), extended->system, &why);
    if (status == PH_OK)
        return PH_OK;
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The cell has become too small for the cutoff, at a pressure of %g: %s More molecules, or a "
                        "smaller cutoff, leave room for its fluctuations.",
                        extended->options.pressure, why.text);
}

static enum ph_status know_energy(struct ph_extended *extended, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (extended->known)
        return PH_OK;
    if (extended->box_changed)
        status = tell_box(extended, err);
    extended->box_changed = status != PH_OK;
    if (status == PH_OK)
        status = ph_state_forces(extended->state, PH_FORCES_ALL, &extended->energy, err);
    extended->known = status == PH_OK;
    return status;
}

enum ph_status ph_extended_evaluate(struct ph_extended *extended, struct ph_energy *energy, struct ph_error *err)
{
    const enum ph_status status = know_energy(extended, err);
    if (status == PH_OK)
        *energy = extended->energy;
    return status;
}

/* ---- The four flows ---- */

static enum ph_status potential(struct ph_extended *extended, double t, struct ph_error *err)
{
    const struct ph_extended_options *options = &extended->options;
    double *numbers = extended->numbers;
    enum ph_status status = know_energy(extended, err);
    if (status == PH_OK)
        status = ph_state_kick(extended->state, PH_FORCES_ALL, t, 0.0, err);
    if (status != PH_OK)
        return status;
    const double(*virial)[3] = (const double(*)[3])extended->energy.virial;
    const double volume = extended->system->box.volume, s = numbers[PH_EXTENDED_S];
    double energy = ph_energy_total(&extended->energy) - numbers[PH_EXTENDED_ENERGY];
    if (options->cell) {
        const double inside = (virial[0][0] + virial[1][1] + virial[2][2]) / (3.0 * volume);
        numbers[PH_EXTENDED_MOMENTUM_V] += t * s * (inside - options->pressure);
        energy += options->pressure * volume;
    }
    if (options->thermostat)
        numbers[PH_EXTENDED_MOMENTUM_S] -=
            t * (energy + bath_energy(options, s) + (double)options->degrees * options->kT);
    return PH_OK;
}

static void thermostat(struct ph_extended *extended, double t)
{
    double *numbers = extended->numbers;
    if (!extended->options.thermostat)
        return;
    const double c = 1.0 + 0.5 * t * numbers[PH_EXTENDED_MOMENTUM_S] / numbers[PH_EXTENDED_MASS_S];
    numbers[PH_EXTENDED_MOMENTUM_S] /= c;
    numbers[PH_EXTENDED_S] *= c * c;
    const double factor = 1.0 / (c * c);
    ph_state_scale_by(extended->state, (const double[PH_BATH_GROUPS]){factor, factor, factor, factor});
}

static enum ph_status piston(struct ph_extended *extended, double t, struct ph_error *err)
{
    double *numbers = extended->numbers;
    const struct ph_system *system = extended->system;
    if (!extended->options.cell)
        return PH_OK;
    const double p = numbers[PH_EXTENDED_MOMENTUM_V], mass = numbers[PH_EXTENDED_MASS_V];
    const double ratio = 1.0 + numbers[PH_EXTENDED_S] * p * t / (mass * system->box.volume);
    if (!(ratio > 0.0))
        return ph_error_set(err, PH_ERR_NUMBERS,
                            "The volume would go from %g to %g within one step: the step is too long for the mass of "
                            "the cell.",
                            system->box.volume, ratio * system->box.volume);
    const double factor = ph_library_cbrt(ratio);
    double edge[3][3];
    for (int k = 0; k < 9; ++k)
        edge[k / 3][k % 3] = factor * system->box.edge[k / 3][k % 3];
    struct ph_box box;
    const enum ph_status status = ph_box_init_periodic((const double(*)[3])edge, &box, err);
    if (status != PH_OK)
        return status;
    const double map[3][3] = {{factor, 0.0, 0.0}, {0.0, factor, 0.0}, {0.0, 0.0, factor}};
    ph_state_set_box(extended->state, map, &box);
    ph_state_scale_by(extended->state, (const double[PH_BATH_GROUPS]){1.0 / factor, 1.0, 1.0, 1.0});
    if (extended->options.thermostat)
        numbers[PH_EXTENDED_MOMENTUM_S] -= 0.5 * t * p * p / mass;
    extended->known = false;
    extended->box_changed = true;
    return PH_OK;
}

static enum ph_status drift(struct ph_extended *extended, double t, struct ph_error *err)
{
    const struct ph_system *system = extended->system;
    double *numbers = extended->numbers;
    const struct kinetic before = kinetic(extended);
    const enum ph_status status = ph_state_drift(extended->state, t, err);
    if (status != PH_OK)
        return status;
    const double rotation = 0.5 * (before.rotation + kinetic(extended).rotation);
    if (extended->options.thermostat)
        numbers[PH_EXTENDED_MOMENTUM_S] += t * (before.translation + rotation);
    if (extended->options.cell)
        numbers[PH_EXTENDED_MOMENTUM_V] += t * numbers[PH_EXTENDED_S] * before.translation / (1.5 * system->box.volume);
    extended->known = false;
    return PH_OK;
}

/* ---- Composition ---- */

static enum ph_status step(struct ph_extended *extended, double t, struct ph_error *err)
{
    enum ph_status status = potential(extended, 0.5 * t, err);
    if (status != PH_OK)
        return status;
    thermostat(extended, 0.5 * t);
    status = piston(extended, 0.5 * t, err);
    if (status == PH_OK)
        status = drift(extended, t, err);
    if (status == PH_OK)
        status = piston(extended, 0.5 * t, err);
    if (status != PH_OK)
        return status;
    thermostat(extended, 0.5 * t);
    return potential(extended, 0.5 * t, err);
}

/* Finds the mass of the cell from the present kinetic energies. */
static enum ph_status find_mass(const struct ph_extended *extended, const struct kinetic *now, double *mass,
                                struct ph_error *err)
{
    const struct ph_extended_options *options = &extended->options;
    const struct ph_system *system = extended->system;
    const double kT = 2.0 * (now->translation + now->rotation) / (double)options->degrees;
    const double compressibility = options->compressibility > 0.0
                                       ? options->compressibility
                                       : PH_CELL_LIQUID * system->box.volume / ((double)system->n * kT);
    *mass = options->cell_time * options->cell_time / (compressibility * system->box.volume);
    return isfinite(compressibility) ? PH_OK
                                     : ph_error_set(err, PH_ERR_INPUT,
                                                    "barostat.compressibility is missing, and nothing moves that would "
                                                    "have a temperature from which to estimate it.");
}

static enum ph_status begin(struct ph_extended *extended, struct ph_error *err)
{
    const struct ph_extended_options *options = &extended->options;
    const struct ph_system *system = extended->system;
    double *numbers = extended->numbers;
    if (numbers[PH_EXTENDED_BEGUN] != 0.0)
        return PH_OK;
    enum ph_status status = know_energy(extended, err);
    if (status != PH_OK)
        return status;
    const struct kinetic now = kinetic(extended);
    if (options->cell)
        status = find_mass(extended, &now, &numbers[PH_EXTENDED_MASS_V], err);
    if (status != PH_OK)
        return status;
    const double time_s = options->thermostat_time;
    numbers[PH_EXTENDED_S] = 1.0;
    numbers[PH_EXTENDED_MOMENTUM_S] = numbers[PH_EXTENDED_MOMENTUM_V] = numbers[PH_EXTENDED_JUMPS] = 0.0;
    if (options->thermostat)
        numbers[PH_EXTENDED_MASS_S] = (double)options->degrees * options->kT * time_s * time_s;
    numbers[PH_EXTENDED_BEGUN] = 1.0;
    numbers[PH_EXTENDED_ENERGY] = now.translation + now.rotation + ph_energy_total(&extended->energy) +
                                  ph_extended_energy(options, numbers, system->box.volume);
    return PH_OK;
}

/* Chooses Ewald parameters again between steps if they are no longer accurate enough for the box. The energy jumps
 * then, and H0 with it. */
static enum ph_status choose_again(struct ph_extended *extended, struct ph_error *err)
{
    enum ph_status status = know_energy(extended, err);
    if (status != PH_OK || !ph_force_field_is_rough(ph_state_field(extended->state), extended->system))
        return status;
    const double before = ph_energy_total(&extended->energy);
    status = ph_force_field_choose_again(ph_state_field(extended->state), extended->system, err);
    if (status != PH_OK)
        return status;
    ph_state_changed(extended->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
    extended->known = false;
    status = know_energy(extended, err);
    if (status != PH_OK)
        return status;
    const double jump = ph_energy_total(&extended->energy) - before;
    extended->numbers[PH_EXTENDED_ENERGY] += jump;
    extended->numbers[PH_EXTENDED_JUMPS] += jump;
    return PH_OK;
}

enum ph_status ph_extended_advance(struct ph_extended *extended, long n, struct ph_error *err)
{
    const struct ph_scheme *composition = extended->options.composition;
    enum ph_status status = begin(extended, err);
    for (long done = 0; done < n && status == PH_OK; ++done) {
        for (int k = 0; k < ph_composition_steps(composition) && status == PH_OK; ++k)
            status = step(extended, ph_composition_weight(composition, k) * extended->step, err);
        if (status == PH_OK && extended->options.cell)
            status = choose_again(extended, err);
    }
    return status;
}
