/* SPDX-License-Identifier: MIT */
#include "run/observables.h"

#include "force/external/external.h"

#include <math.h>
#include <string.h>

bool ph_momentum_conserved(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const struct ph_external_fields *fields = &interactions->external;
    for (size_t k = 0; k < ph_external_count(); ++k) {
        const struct ph_external_kind *kind = ph_external_at(k);
        for (size_t s = 0; s < system->n_species && kind->pulls && ph_external_present(kind, fields); ++s)
            if (kind->pulls(fields, &system->species[s]))
                return false;
    }
    if (interactions->plumed.file[0] && !interactions->plumed.keeps_momentum)
        return false;
    return !interactions->pinned && (!interactions->caller.force || interactions->caller.keeps_momentum);
}

struct ph_degrees ph_degrees_count(const struct ph_system *system, const struct ph_interactions *interactions)
{
    struct ph_degrees degrees = {.rotation = ph_system_degrees_rotation(system)};
    if (!interactions->pinned)
        degrees.translation = 3 * system->n;
    if (ph_momentum_conserved(system, interactions) && system->n > 0)
        degrees.translation -= 3;
    for (size_t s = 0; s < system->n_species; ++s)
        for (int k = 0; k < 3; ++k)
            if (system->species[s].inertia[k] > 0.0)
                degrees.axis[k] += system->first[s + 1] - system->first[s];
    return degrees;
}

static double temperature(double kinetic, size_t degrees, double boltzmann)
{
    return degrees > 0 ? 2.0 * kinetic / ((double)degrees * boltzmann) : NAN;
}

void ph_observe(const struct ph_system *system, const struct ph_degrees *degrees, const struct ph_energy *energy,
                double boltzmann, struct ph_observables *out)
{
    struct ph_state_sums sums;
    ph_state_sum(system, &sums);
    ph_observe_sums(&sums, &system->box, degrees, energy, boltzmann, out);
}

void ph_observe_sums(const struct ph_state_sums *sums, const struct ph_box *box, const struct ph_degrees *degrees,
                     const struct ph_energy *energy, double boltzmann, struct ph_observables *out)
{
    const double translation = sums->kinetic[0][0] + sums->kinetic[1][1] + sums->kinetic[2][2];
    const double rotation = sums->axis[0] + sums->axis[1] + sums->axis[2];
    *out = (struct ph_observables){
        .potential = ph_energy_total(energy),
        .kinetic_translation = translation,
        .kinetic_rotation = rotation,
        .terms = *energy,
        .temperature = temperature(translation + rotation, degrees->translation + degrees->rotation, boltzmann),
        .temperature_translation = temperature(translation, degrees->translation, boltzmann),
        .temperature_rotation = temperature(rotation, degrees->rotation, boltzmann),
        .pressure = NAN,
        .shadow = NAN,
        .conserved = NAN,
        .volume = NAN,
        .density = NAN,
        .mass_density = NAN,
        .enthalpy = NAN,
        .acceptance = NAN,
        .cell_acceptance = NAN,
    };
    out->terms.electric += energy->waves;
    out->total = out->potential + translation + rotation;
    memcpy(out->momentum, sums->momentum, sizeof out->momentum);
    memcpy(out->angular_momentum, sums->angular_momentum, sizeof out->angular_momentum);
    memcpy(out->dipole, sums->dipole, sizeof out->dipole);
    memcpy(out->net_force, sums->force, sizeof out->net_force);
    for (int k = 0; k < 3; ++k) {
        out->temperature_axis[k] = temperature(sums->axis[k], degrees->axis[k], boltzmann);
        for (int l = 0; l < 3; ++l)
            out->pressure_tensor[k][l] =
                box->kind == PH_BOX_OPEN ? NAN : (2.0 * sums->kinetic[k][l] + energy->virial[k][l]) / box->volume;
    }
    out->pressure = (out->pressure_tensor[0][0] + out->pressure_tensor[1][1] + out->pressure_tensor[2][2]) / 3.0;
}

/* ---- Columns ---- */

#define ENERGY "kJ mol-1"
#define PRESSURE "kJ mol-1 nm-3"

static const struct ph_column all_columns[] = {
#define COLUMN(name, member, width, unit, needs, help)                                                                 \
    {                                                                                                                  \
        name, width, unit, help, needs, offsetof(struct ph_observables, member)                                        \
    }
    COLUMN("total_energy", total, 1, ENERGY, PH_NEEDS_NOTHING, "potential and kinetic energy"),
    COLUMN("shadow_energy", shadow, 1, ENERGY, PH_NEEDS_SHADOW,
           "what the scheme conserves better than the total energy"),
    COLUMN("potential_energy", potential, 1, ENERGY, PH_NEEDS_NOTHING, "all terms"),
    COLUMN("kinetic_energy_translation", kinetic_translation, 1, ENERGY, PH_NEEDS_NOTHING, "of the centres"),
    COLUMN("kinetic_energy_rotation", kinetic_rotation, 1, ENERGY, PH_NEEDS_ROTATION, "about the centres"),
    COLUMN("energy_radial", terms.radial, 1, ENERGY, PH_NEEDS_NOTHING, "Lennard-Jones and the like"),
    COLUMN("energy_electric", terms.electric, 1, ENERGY, PH_NEEDS_NOTHING, "charges and dipoles"),
    COLUMN("energy_long_range", terms.long_range, 1, ENERGY, PH_NEEDS_BOX, "correction beyond the cutoff"),
    COLUMN("energy_field", terms.field, 1, ENERGY, PH_NEEDS_NOTHING, "external fields"),
    COLUMN("energy_bias", terms.bias, 1, ENERGY, PH_NEEDS_BIAS, "bias of PLUMED"),
    COLUMN("temperature", temperature, 1, "K", PH_NEEDS_NOTHING, "of all degrees of freedom"),
    COLUMN("temperature_translation", temperature_translation, 1, "K", PH_NEEDS_NOTHING, "of the centres"),
    COLUMN("temperature_rotation", temperature_rotation, 1, "K", PH_NEEDS_ROTATION, "of all rotations"),
    COLUMN("temperature_axis", temperature_axis, 3, "K", PH_NEEDS_ROTATION, "of rotation about each body axis"),
    COLUMN("pressure", pressure, 1, PRESSURE, PH_NEEDS_BOX, "a third of the trace of the tensor"),
    COLUMN("pressure_tensor", pressure_tensor, 9, PRESSURE, PH_NEEDS_BOX, "molecular"),
    COLUMN("momentum", momentum, 3, "u nm ps-1", PH_NEEDS_NOTHING, "total"),
    COLUMN("angular_momentum", angular_momentum, 3, "u nm+2 ps-1", PH_NEEDS_OPEN_SPACE, "total, about the origin"),
    COLUMN("dipole", dipole, 3, "e nm", PH_NEEDS_NOTHING, "total"),
    COLUMN("net_force", net_force, 3, "kJ mol-1 nm-1", PH_NEEDS_MESH,
           "on all molecules: an error of the mesh, but for external fields"),
    COLUMN("conserved_energy", conserved, 1, ENERGY, PH_NEEDS_CONSERVED,
           "what the equations conserve: total energy without what came from thermostat and barostat"),
    COLUMN("volume", volume, 1, "nm+3", PH_NEEDS_VOLUME, "of the box"),
    COLUMN("density", density, 1, "nm-3", PH_NEEDS_VOLUME, "molecules per volume"),
    COLUMN("mass_density", mass_density, 1, "kg m-3", PH_NEEDS_MASS, "mass per volume"),
    COLUMN("enthalpy", enthalpy, 1, ENERGY, PH_NEEDS_VOLUME, "total energy, and pressure asked for times volume"),
    COLUMN("acceptance", acceptance, 1, NULL, PH_NEEDS_ACCEPTANCE, "part of the steps of the stage that were accepted"),
    COLUMN("cell_acceptance", cell_acceptance, 1, NULL, PH_NEEDS_CELL_ACCEPTANCE,
           "part of the changes of the cell that were accepted"),
    COLUMN("squared_force", configurational.squared_force, 1, "kJ+2 mol-2 nm-2", PH_NEEDS_CONFIGURATIONAL,
           "sum over all molecules"),
    COLUMN("laplacian_translation", configurational.laplacian_translation, 1, "kJ mol-1 nm-2", PH_NEEDS_CONFIGURATIONAL,
           "of the potential energy, all centres: an estimate"),
    COLUMN("squared_torque", configurational.squared_torque, 1, "kJ+2 mol-2", PH_NEEDS_CONFIGURATIONAL_ROTATION,
           "sum over all molecules"),
    COLUMN("laplacian_rotation", configurational.laplacian_rotation, 1, "kJ mol-1", PH_NEEDS_CONFIGURATIONAL_ROTATION,
           "of the potential energy, all rotations: an estimate"),
#undef COLUMN
};

_Static_assert(sizeof all_columns / sizeof *all_columns <= PH_COLUMNS_MAX, "room for all columns");

size_t ph_columns(const struct ph_system *system, const struct ph_interactions *interactions,
                  const struct ph_column_choice *choice, const struct ph_column *columns[PH_COLUMNS_MAX])
{
    const bool open = system->box.kind == PH_BOX_OPEN, rotates = ph_system_degrees_rotation(system) > 0;
    const bool there[] = {
        [PH_NEEDS_NOTHING] = true,
        [PH_NEEDS_BOX] = !open,
        [PH_NEEDS_OPEN_SPACE] = open,
        [PH_NEEDS_ROTATION] = rotates,
        [PH_NEEDS_SHADOW] = choice->shadow,
        [PH_NEEDS_MESH] = interactions->electrostatics == PH_ELECTROSTATICS_MESH,
        [PH_NEEDS_BIAS] = interactions->plumed.file[0] != '\0',
        [PH_NEEDS_CONSERVED] = choice->conserved,
        [PH_NEEDS_VOLUME] = choice->volume,
        [PH_NEEDS_MASS] = choice->mass,
        [PH_NEEDS_ACCEPTANCE] = choice->acceptance,
        [PH_NEEDS_CELL_ACCEPTANCE] = choice->cell_acceptance,
        [PH_NEEDS_CONFIGURATIONAL] = choice->configurational && !interactions->pinned,
        [PH_NEEDS_CONFIGURATIONAL_ROTATION] = choice->configurational && rotates,
    };
    size_t n = 0;
    for (size_t k = 0; k < sizeof all_columns / sizeof *all_columns; ++k)
        if (there[all_columns[k].needs])
            columns[n++] = &all_columns[k];
    return n;
}

size_t ph_observables_row(const struct ph_observables *observables, size_t n_columns,
                          const struct ph_column *const columns[], double row[PH_OBSERVABLE_NUMBERS])
{
    size_t n = 0;
    for (size_t k = 0; k < n_columns; ++k) {
        const size_t width = (size_t)columns[k]->width;
        memcpy(row + n, (const char *)observables + columns[k]->offset, width * sizeof(double));
        n += width;
    }
    return n;
}
