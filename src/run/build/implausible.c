/* SPDX-License-Identifier: MIT */
/* Notes on values that look as if they were not in the units of the input. A note refuses nothing: the limits lie
 * beyond the usual values of molecular simulations, and a wrong hint costs one line. */
#include "run/build/build.h"

#include "base/vec3.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 256 };

/* The highest temperature that the input asks for, and its key; 0 without */
static double highest_temperature(const struct ph_input *input, char key[TEXT])
{
    double highest = input->system.start.temperature;
    snprintf(key, TEXT, "system.start.temperature");
    for (size_t k = 0; k < input->n_stages; ++k)
        if (input->stages[k].thermostat.kind[0] != '\0' && input->stages[k].thermostat.temperature > highest) {
            highest = input->stages[k].thermostat.temperature;
            snprintf(key, TEXT, "the temperature of a thermostat");
        }
    return highest;
}

/* Of the scheme: with substeps a step has several */
static double longest_step(const struct ph_input *input)
{
    double longest = 0.0;
    for (size_t k = 0; k < input->n_stages; ++k)
        longest = fmax(longest, input->stages[k].step / (double)input->stages[k].thermostat.substeps);
    return longest;
}

static double largest(const double *x, size_t n)
{
    double found = 0.0;
    for (size_t k = 0; k < n; ++k)
        found = fmax(found, fabs(x[k]));
    return found;
}

/* Numbers of a model. Limits: 19 D for a point dipole, 48 D Angstrom for a point quadrupole, 2400 K for a radial form
 */
static void note_site(const char *model, const struct ph_site *site, struct ph_build_notes *notes)
{
    const double dipole = largest(site->dipole, 3), depth = ph_radial_depth(&site->radial);
    const double *moments = site->angular.number;
    const double quadrupole = site->angular.kind == PH_ANGULAR_QUADRUPOLE
                                  ? fmax(fabs(moments[PH_QUADRUPOLE_Q]), largest(moments + PH_QUADRUPOLE_MOMENTS, 3))
                                  : 0.0;
    if (dipole > 0.4)
        ph_build_note(notes,
                      "Is this meant? Site %s.%s has a dipole of %g e nm, which is %.3g D. Dipoles are in e nm: %g D "
                      "are %.6g.\n",
                      model, site->name, dipole, ph_debye_of_e_nm * dipole, dipole, dipole / ph_debye_of_e_nm);
    if (quadrupole > 0.1)
        ph_build_note(notes,
                      "Is this meant? Site %s.%s has a quadrupole of %g e nm^2, which is %.3g D Angstrom. Quadrupoles "
                      "are in e nm^2: %g D Angstrom are %.6g.\n",
                      model, site->name, quadrupole, 10.0 * ph_debye_of_e_nm * quadrupole, quadrupole,
                      0.1 * quadrupole / ph_debye_of_e_nm);
    if (depth > 20.0)
        ph_build_note(notes,
                      "Is this meant? Site %s.%s has a %s interaction with an energy of %g kJ/mol. Energies are in "
                      "kJ/mol: %g K are %.6g.\n",
                      model, site->name, ph_form_of(&site->radial)->title, depth, depth,
                      ph_units_find("md")->boltzmann * depth);
}

static void note_model(const struct ph_species *species, struct ph_build_notes *notes)
{
    double reach = 0.0; /* of the sites from the centre */
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        const double length = ph_site_length(site);
        note_site(species->name, site, notes);
        if (length > 0.0)
            reach = fmax(reach, sqrt(ph_vec3_dot(site->position, site->position)) + 0.5 * length);
    }
    const double gyration = ph_species_gyration(species);
    if (reach > 0.0 && gyration > reach)
        ph_build_note(notes,
                      "Is this meant? %s has moments of inertia up to %g u nm^2: a radius of gyration of %.3g nm, but "
                      "its sites reach to %.3g nm. Moments are in u nm^2: 1 u Angstrom^2 is 0.01.\n",
                      species->name, largest(species->inertia, 3), gyration, reach);
}

static void note_md(const struct ph_input *input, const struct ph_system *system,
                    const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    char key[TEXT];
    const double temperature = highest_temperature(input, key), step = longest_step(input);
    const double sigma = ph_build_largest_sigma(system->n_species, system->species);
    if (temperature > 0.0 && temperature < 2.0)
        ph_build_note(notes, "Is this meant? %s is %g K. Reduced temperatures need units: reduced.\n", key,
                      temperature);
    if (step > 0.05)
        ph_build_note(notes, "Is this meant? A step is %g ps long. Steps are in ps: %g fs are %g.\n", step, step,
                      0.001 * step);
    if (interactions->truncation != PH_TRUNCATE_NONE && interactions->cutoff > 3.0)
        ph_build_note(notes, "Is this meant? interactions.cutoff is %g nm. Lengths are in nm: %g Angstrom are %g.\n",
                      interactions->cutoff, interactions->cutoff, 0.1 * interactions->cutoff);
    if (sigma > 1.5)
        ph_build_note(notes, "Is this meant? A site has a sigma of %g nm. Lengths are in nm: %g Angstrom are %g.\n",
                      sigma, sigma, 0.1 * sigma);
    for (size_t s = 0; s < system->n_species; ++s)
        if (system->first[s + 1] > system->first[s])
            note_model(&system->species[s], notes);
    double mass = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        mass += (double)(system->first[s + 1] - system->first[s]) * system->species[s].mass;
    const double density = ph_kilograms_per_cubic_metre * mass / system->box.volume;
    if (system->box.kind != PH_BOX_OPEN && density > 23000.0) /* osmium */
        ph_build_note(notes,
                      "Is this meant? The box has %g molecules per nm^3, that is %.4g kg/m^3: no matter is so dense. "
                      "system.box.density counts molecules; system.box.mass_density takes kg/m^3.\n",
                      (double)system->n / system->box.volume, density);
}

static void note_reduced(const struct ph_input *input, const struct ph_system *system, struct ph_build_notes *notes)
{
    char key[TEXT];
    const double temperature = highest_temperature(input, key), step = longest_step(input);
    const double sigma = ph_build_largest_sigma(system->n_species, system->species);
    if (!(sigma > 0.0) || system->n < 2) /* then nothing is the unit of energy */
        return;
    if (temperature > 50.0)
        ph_build_note(
            notes, "Is this meant? %s is %g in reduced units, so many epsilon/k. Temperatures in K need units: md.\n",
            key, temperature);
    if (step > 0.5)
        ph_build_note(notes,
                      "Is this meant? A step is %g units of time long, in which molecules pass each other. Steps of "
                      "fluids are some hundredths.\n",
                      step);
    const double filled = (double)system->n * sigma * sigma * sigma / system->box.volume;
    if (system->box.kind != PH_BOX_OPEN && filled > 3.0)
        ph_build_note(notes,
                      "Is this meant? The box has %g molecules per volume, %.3g in a cube of edge sigma. Liquids have "
                      "about 1 there; densities in kg/m^3 or nm^-3 need units: md.\n",
                      (double)system->n / system->box.volume, filled);
}

void ph_build_note_implausible(const struct ph_input *input, const struct ph_system *system,
                               const struct ph_interactions *interactions, struct ph_build_notes *notes)
{
    if (strcmp(input->units, "md") == 0)
        note_md(input, system, interactions, notes);
    else
        note_reduced(input, system, notes);
}
