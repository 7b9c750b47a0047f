/* SPDX-License-Identifier: MIT */
#include "input/other_programs.h"

#include "base/names.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#define RIGID "Molecules are rigid bodies here, and moved as such: there are no constraints to be kept. Leave this out."

static const struct key {
    const char *words, *sentence;
} keys[] = {
    {"dt|timestep|time_step|delta_t", "This is dynamics.step here, the length of one time step."},
    {"nsteps|n_steps|numsteps|run|run_time|runtime|duration",
     "This is dynamics.steps here, the number of steps, each of length dynamics.step."},
    {"ensemble|nve|nvt|npt|fix|tcoupl|pcoupl",
     "The ensemble follows from dynamics.thermostat and dynamics.barostat here: NVE without both, NVT with the first, "
     "NPT with both."},
    {"ref_t|target_temp|targettemp|langevintemp", "This is dynamics.thermostat.temperature here."},
    {"tau_t|tautthermostat|langevindamping", "This is dynamics.thermostat.relaxation_time here, or its friction."},
    {"ref_p|target_pressure|targetpressure", "This is dynamics.barostat.pressure or pressure_bar here."},
    {"tau_p|taubarostat", "This is dynamics.barostat.relaxation_time here."},
    {"langevin|nose_hoover|berendsen|v_rescale", "Thermostats are chosen by dynamics.thermostat.kind here."},
    {"parrinello_rahman|c_rescale|mttk", "Barostats are chosen by dynamics.barostat.kind here."},
    {"gen_vel|gen_temp|velocity|velocities", "Momenta are drawn by system.start.temperature here."},
    {"gen_seed|ld_seed|random_seed", "Seeds are system.start.seed and dynamics.thermostat.seed here."},
    {"annealing|equilibration|simulated_annealing", "This is dynamics.equilibrate here, or the list 'stages'."},
    {"minimize|minimization|emtol|emstep", "This is system.start.minimise here."},
    {"rcoulomb|rvdw|rlist|rcut|r_cut|cut_off|cutoff_radius|cutoffradius|pair_style|pair_coeff",
     "This is interactions.cutoff here, one distance for all pairs; what acts between them is said by the models."},
    {"rvdw_switch|rcoulomb_switch|switchdist|switchingradius|switching",
     "This is interactions.switch here; its width is the distance over which interactions vanish before the cutoff."},
    {"vdwtype|vdw_modifier|coulomb_modifier|pair_modify|cutoffmethod|cutoff_method",
     "This is interactions.truncation here, or interactions.long_range_correction for a tail."},
    {"dispcorr|tail|tail_correction", "This is interactions.long_range_correction here."},
    {"coulombtype|kspace|kspace_style|kspace_modify|pme|pppm|ewald|electrostaticsummationmethod|long_range",
     "This is interactions.electrostatics.method here: mesh is what others call PME or PPPM."},
    {"ewald_rtol|pme_tolerance|pmetolerance|fourierspacing|pme_order|pmegridspacing",
     "This follows from interactions.electrostatics.tolerance here, the relative error of forces."},
    {"epsilon_rf|dielectric", "This is interactions.electrostatics.permittivity here."},
    {"neighbor|neigh_modify|nstlist|verlet_buffer_tolerance|pairlistdist|skin_thickness",
     "Pair lists look after themselves here; interactions.skin may be given."},
    {"mixing|combination_rule|comb_rule|mixing_rule", "This is interactions.combining here."},
    {"shake|rattle|lincs|settle|constraints|constraint_algorithm|rigidbonds|rigid", RIGID},
    {"nstxout|nstxout_compressed|nstvout|nstfout|dump|dcdfreq|sampletime|trajectory",
     "This is output.frames_every here; output.velocity_every and others are there for single quantities."},
    {"nstenergy|nstlog|nstcalcenergy|thermo|thermo_style|thermo_modify|statustime|outputenergies",
     "This is output.series_every here."},
    {"nstcheck|restart|write_restart|restartfreq", "This is output.checkpoint_every here."},
    {"pbc|boundary|usesperiodicboundaryconditions|useperiodicboundaryconditions|cellbasisvector1",
     "This is system.box here."},
    {"topology|forcefield|force_field|component|atom_style|species|residues",
     "This is system.molecules here, a list of models; 'polhode list models' shows those that are there."},
    {"coordinates|read_data|structure|initial_configuration|read_restart|initialconfig",
     "This is system.start here, with kind: file."},
    {"pull|umbrella|restraints|external_field|electric_field_x", "This is interactions.external here."},
};

static const struct value {
    const char *words, *of, *sentence; /* `of`: last words of the keys */
} values[] = {
    {"lj", "units", "Those of Lennard and Jones are called reduced here."},
    {"real|metal|si|gromacs|nano|electron", "units", "Those of molecules are called md here: nm, ps, u, e, kJ/mol, K."},
    {"velocity_verlet|vv|md_vv|leapfrog|leap_frog|md|nve", "scheme|integrator",
     "This is dynamics.scheme: verlet here; the default is a scheme of order 6."},
    {"dlm|symmetric_split", "scheme|integrator|flow",
     "This is dynamics.scheme: verlet with dynamics.flow: mr2 here, rotations about one axis after the other; the "
     "default, exact, is the true motion."},
    {"shake|lincs|settle", "scheme|integrator", RIGID},
    {"sd|bd|langevin|baoab|langevinhull", "scheme|integrator|flow",
     "This is a thermostat here: dynamics.thermostat.kind: langevin."},
    {"nvt|nose_hoover|npt|npti|nptf", "scheme|integrator|flow",
     "This is a thermostat here, or a barostat: dynamics.thermostat.kind: nose-hoover, dynamics.barostat.kind: "
     "cell-rescaling."},
    {"steep|cg|l_bfgs|minimize|min", "scheme|integrator", "This is system.start.minimise here."},
    {"berendsen", "thermostat|thermostat.kind",
     "Take velocity-rescaling: it relaxes in the same way, and has the fluctuations of the canonical ensemble, which "
     "Berendsen's lacks."},
    {"berendsen", "barostat|barostat.kind",
     "Take cell-rescaling: it relaxes in the same way, and has the fluctuations of the ensemble, which Berendsen's "
     "lacks."},
    {"v_rescale|vrescale|bussi|csvr|temp/csvr", "thermostat|thermostat.kind", "This is velocity-rescaling here."},
    {"nvt|nose|nhc|nose_hoover_chain|nose_hoover_chains|mtk", "thermostat|thermostat.kind",
     "This is nose-hoover here."},
    {"sd|bd|brownian|stochastic", "thermostat|thermostat.kind", "This is langevin here."},
    {"andersen|andersen_massive", "thermostat|thermostat.kind",
     "Random momenta are drawn by langevin and metropolis here."},
    {"parrinello_rahman|mttk|mtk|npt|npti|langevin_piston|nose_hoover", "barostat|barostat.kind",
     "Take cell-rescaling, which has the fluctuations of the ensemble whatever the thermostat, or andersen with "
     "nose-poincare, which is deterministic."},
    {"c_rescale|crescale|stochastic_cell_rescaling|monte_carlo|mc", "barostat|barostat.kind",
     "This is cell-rescaling here."},
    {"deform|fix_deform", "barostat|barostat.kind", "This is ramp here."},
    {"pme|spme|pppm|p3m|p3m_ad|particle_mesh_ewald|smooth_pme", "electrostatics|electrostatics.method",
     "This is mesh here, with a tolerance from which all else is chosen."},
    {"rf|reaction_field_zero|generalized_reaction_field", "electrostatics|electrostatics.method",
     "This is reaction-field here."},
    {"dsf|wolf|shifted_force|damped_shifted_force|shift", "electrostatics|electrostatics.method",
     "There is no damped and shifted sum here: take mesh, the sum to infinity, or reaction-field."},
    {"cut|coul/cut|none|plain|simple", "electrostatics|electrostatics.method", "This is cutoff here."},
    {"potential_shift|shift|shifted_potential", "truncation", "This is shifted here."},
    {"force_switch|shifted_force|force_shift", "truncation", "This is force-shifted here."},
    {"switch|potential_switch|switching_function", "truncation", "This is switched here."},
    {"arithmetic|lorentz|lb", "combining", "This is lorentz-berthelot here."},
};

enum { LONGEST = 63 };

/* False for words longer than any in the tables */
static bool plain(const char *word, char out[LONGEST + 1])
{
    const size_t length = strlen(word);
    if (length > LONGEST)
        return false;
    for (size_t k = 0; k <= length; ++k)
        out[k] = (char)(word[k] == '-' || word[k] == ' ' ? '_' : tolower((unsigned char)word[k]));
    return true;
}

const char *ph_peer_key(const char *name)
{
    char word[LONGEST + 1];
    if (!plain(name, word))
        return NULL;
    for (int whole = 1; whole >= 0; --whole) { /* "pair_style lj/cut": then its first word */
        for (size_t k = 0; k < sizeof keys / sizeof *keys; ++k)
            if (word[0] && ph_name_among(word, keys[k].words))
                return keys[k].sentence;
        word[strcspn(name, " ")] = '\0';
    }
    return NULL;
}

/* True if a key, or its end after one of its dots, is among these */
static bool ends(const char *key, const char *among)
{
    bool found = ph_name_among(key, among);
    for (const char *dot = strchr(key, '.'); dot && !found; dot = strchr(dot + 1, '.'))
        found = ph_name_among(dot + 1, among);
    return found;
}

const char *ph_peer_value(const char *key, const char *value)
{
    char word[LONGEST + 1];
    if (!plain(value, word) || !word[0])
        return NULL;
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
        if (ends(key, values[k].of) && ph_name_among(word, values[k].words))
            return values[k].sentence;
    return NULL;
}
