/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_THERMOSTAT_H
#define PH_DYNAMICS_BATHS_THERMOSTAT_H

/* Stochastic velocity rescaling (Bussi, Donadio, Parrinello, J. Chem. Phys. 126 (2007) 014101). One number multiplies
 * all momenta of translation. Three more multiply all angular momenta about the first, second and third body axis. Each
 * of the four kinetic energies relaxes to its canonical mean, and fluctuates about it.
 *
 * The axes have numbers of their own because some do not exchange energy with anything: no torque turns a spherical or
 * symmetric top about its dipole. One number for all would leave that rotation at a temperature of its own. A total
 * momentum of zero stays zero. Random numbers are drawn by counter: they depend on seed and step alone, not on threads
 * or on a restart. */

#include "dynamics/baths/bath.h"

struct ph_thermostat {
    double kT;                    /* of the bath */
    double relaxation_time;       /* of kinetic energies; 0: canonical at once */
    size_t translation, rotation; /* degrees of freedom, for ph_thermostat_apply; 0 leaves the momenta alone */
    uint64_t seed;
};

/* Draws the scaling after a step of length h that ended as number `step`, for groups with so many degrees of freedom */
struct ph_scaling ph_thermostat_draw(const struct ph_thermostat *thermostat, const double degrees[PH_BATH_GROUPS],
                                     double h, uint64_t step);
/* Draws and applies the scaling to a system, with the translational degrees of freedom of the thermostat; returns the
 * heat. */
double ph_thermostat_apply(const struct ph_thermostat *thermostat, double h, uint64_t step, struct ph_system *system);

#endif
