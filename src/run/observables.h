/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_OBSERVABLES_H
#define PH_RUN_OBSERVABLES_H

/* Observables of a state: energies, temperatures, momenta, pressure, dipole. */

#include "force/force_field.h"
#include "model/state_sums.h"
#include "model/system.h"
#include "run/configurational.h"

#include <stdbool.h>

/* Degrees of freedom over which temperatures are taken. Translation: 3 for each molecule, less 3 where the total
 * momentum is conserved (it is zero from the start), none for pinned centres. Rotation: 3, 2 for linear molecules, 0
 * for points; `axis` counts the molecules that can turn about each body axis. Total angular momentum, conserved in
 * open space, is not zero in general and is not taken off. */
struct ph_degrees {
    size_t translation, rotation, axis[3];
};
struct ph_degrees ph_degrees_count(const struct ph_system *system, const struct ph_interactions *interactions);

/* Is the total momentum conserved? Not with fields that exert forces, tethers or pinned centres, nor with a force of
 * the caller unless the caller declares that it conserves momentum. */
bool ph_momentum_conserved(const struct ph_system *system, const struct ph_interactions *interactions);

struct ph_observables {
    double potential, kinetic_translation, kinetic_rotation, total; /* energies */
    double shadow;          /* energy that the scheme conserves better than `total`; filled in by the caller */
    struct ph_energy terms; /* of the potential energy */
    double temperature, temperature_translation, temperature_rotation, temperature_axis[3];
    double momentum[3];                     /* sum of p */
    double angular_momentum[3];             /* sum of r x p + Q m, about the origin, with unwrapped positions */
    double pressure_tensor[3][3], pressure; /* NaN in open space */
    double dipole[3];                       /* of all molecules */
    double net_force[3];                    /* sum of f */
    /* Of the ensemble; filled in by the caller */
    double conserved, volume, density, mass_density, enthalpy, acceptance, cell_acceptance;

    struct ph_configurational configurational; /* filled in by the caller */
};

/* Of a system whose forces and energy were just evaluated. `boltzmann`: energy per unit of temperature. Temperatures
 * without degrees of freedom are NaN. */
void ph_observe(const struct ph_system *system, const struct ph_degrees *degrees, const struct ph_energy *energy,
                double boltzmann, struct ph_observables *out);
/* The same from sums over the molecules */
void ph_observe_sums(const struct ph_state_sums *sums, const struct ph_box *box, const struct ph_degrees *degrees,
                     const struct ph_energy *energy, double boltzmann, struct ph_observables *out);

/* The columns of a time series */
struct ph_column {
    const char *name;
    int width;        /* 1, 3 or 9 numbers */
    const char *unit; /* in md units */
    const char *help;
    enum ph_column_needs {
        PH_NEEDS_NOTHING,
        PH_NEEDS_BOX,
        PH_NEEDS_OPEN_SPACE,
        PH_NEEDS_ROTATION,
        PH_NEEDS_SHADOW,
        PH_NEEDS_MESH,
        PH_NEEDS_BIAS,
        PH_NEEDS_CONSERVED,
        PH_NEEDS_VOLUME,
        PH_NEEDS_MASS,
        PH_NEEDS_ACCEPTANCE,
        PH_NEEDS_CELL_ACCEPTANCE,
        PH_NEEDS_CONFIGURATIONAL,
        PH_NEEDS_CONFIGURATIONAL_ROTATION
    } needs;
    size_t offset; /* in struct ph_observables */
};
enum { PH_COLUMNS_MAX = 32, PH_OBSERVABLE_NUMBERS = 64 };

/* Columns that a run adds to the columns of every system */
struct ph_column_choice {
    bool shadow, conserved, volume, mass, acceptance, cell_acceptance, configurational;
};

/* The columns that apply to a system and a run of it; returns how many */
size_t ph_columns(const struct ph_system *system, const struct ph_interactions *interactions,
                  const struct ph_column_choice *choice, const struct ph_column *columns[PH_COLUMNS_MAX]);

/* Their numbers one after the other; returns how many */
size_t ph_observables_row(const struct ph_observables *observables, size_t n_columns,
                          const struct ph_column *const columns[], double row[PH_OBSERVABLE_NUMBERS]);

#endif
