/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_CELLS_EXTENDED_H
#define PH_DYNAMICS_CELLS_EXTENDED_H

/* Constant temperature, constant pressure or both by one Hamiltonian with two more degrees of freedom, in real time:
 * Nose-Poincare (temperature) and Andersen (pressure, one volume for cells of any shape) for rigid molecules. Its flow
 * is symplectic and reversible, and composed to any order (composition.h): the extended energy is conserved to that. */

#include "dynamics/dynamics.h"

/* For lists of methods */
extern const char *const ph_extended_thermostat_summary, *const ph_extended_cell_summary, *const ph_extended_reference;

/* Uses only flow and step of `dynamics`. Centres must not be pinned. Sums are not compensated, because momenta
 * are scaled in every step, which rounds as much. */
struct ph_extended_options {
    const struct ph_scheme *composition; /* of steps of order two, see composition.h; NULL: no extended dynamics */
    bool thermostat, cell;               /* one or both */
    double kT;                           /* thermostat, */
    size_t degrees;         /* for so many degrees of freedom: all that have kinetic energy, see extended.c */
    double thermostat_time; /* Q = degrees kT time^2 */
    double pressure;        /* cell */
    double cell_time, compressibility; /* W = time^2/(compressibility V), V the volume where the stage begins; 0:
                                        * estimate for a liquid at the temperature then */
};

/* Its memory, stored in the numbers of the mover, so that checkpoints have it. All zero at the start of a stage. */
enum {
    PH_EXTENDED_BEGUN, /* 0: the others are not yet known */
    PH_EXTENDED_S,
    PH_EXTENDED_MOMENTUM_S,
    PH_EXTENDED_MOMENTUM_V,
    PH_EXTENDED_MASS_S,
    PH_EXTENDED_MASS_V,
    PH_EXTENDED_ENERGY, /* H0: the conserved energy at the beginning, and since then: */
    PH_EXTENDED_JUMPS,  /* of the energy, where an Ewald sum has chosen again for the box */
    PH_EXTENDED_NUMBERS
};

struct ph_extended; /* opaque */

/* None of system, field and numbers is owned; all must outlive the dynamics. */
enum ph_status ph_extended_create(struct ph_system *system, struct ph_force_field *field,
                                  const struct ph_extended_options *options, const struct ph_dynamics_options *dynamics,
                                  double numbers[PH_EXTENDED_NUMBERS], struct ph_extended **out, struct ph_error *err);
void ph_extended_destroy(struct ph_extended *extended);

/* n steps; nothing is pending afterwards. */
enum ph_status ph_extended_advance(struct ph_extended *extended, long n, struct ph_error *err);
enum ph_status ph_extended_evaluate(struct ph_extended *extended, struct ph_energy *energy, struct ph_error *err);

/* Resets s, its momentum and the momentum of the volume after the caller has changed the state. */
void ph_extended_reset(struct ph_extended *extended);

/* Returns the energy of the added variables. Its sum with the energy of the molecules is conserved. */
double ph_extended_energy(const struct ph_extended_options *options, const double numbers[PH_EXTENDED_NUMBERS],
                          double volume);

struct ph_state *ph_extended_state(const struct ph_extended *extended); /* that it moves */

#endif
