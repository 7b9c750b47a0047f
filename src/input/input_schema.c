/* SPDX-License-Identifier: MIT */
#include "input/input.h"
#include "input/radial_keys.h"
#include "input/stage_keys.h"

#include <math.h>

/* All keys of an input file. In md units lengths are nm, times ps, masses u, charges e, energies kJ/mol, temperatures
 * K. */

#define AT(member) offsetof(struct ph_input, member)
#define STAGE(member) offsetof(struct ph_input_stage, member)
#define MAP(path, member, ...)                                                                                         \
    {                                                                                                                  \
        path, PH_KEY_MAP, AT(member), __VA_ARGS__                                                                      \
    }
#define NUMBER(path, member, ...)                                                                                      \
    {                                                                                                                  \
        path, PH_KEY_NUMBER, AT(member), __VA_ARGS__                                                                   \
    }
#define INTEGER(path, member, ...)                                                                                     \
    {                                                                                                                  \
        path, PH_KEY_INTEGER, AT(member), __VA_ARGS__                                                                  \
    }
#define FLAG(path, member, ...)                                                                                        \
    {                                                                                                                  \
        path, PH_KEY_FLAG, AT(member), __VA_ARGS__                                                                     \
    }
#define VECTOR(path, member, ...)                                                                                      \
    {                                                                                                                  \
        path, PH_KEY_VECTOR, AT(member), __VA_ARGS__                                                                   \
    }
#define TEXT(path, member, ...)                                                                                        \
    {                                                                                                                  \
        path, PH_KEY_TEXT, AT(member), sizeof((struct ph_input *)0)->member, __VA_ARGS__                               \
    }
#define CHOICE(path, member, ...)                                                                                      \
    {                                                                                                                  \
        path, PH_KEY_CHOICE, AT(member), sizeof((struct ph_input *)0)->member, __VA_ARGS__                             \
    }

/* Ranges: numbers above 0, and from 0; `large` is beyond any use, and small enough to avoid overflow. */
#define POSITIVE .high = 1e15, .above = true
#define NOT_NEGATIVE .high = 1e15

static const struct ph_key keys[] = {
    TEXT("title", title, .help = "description of the run"),
    CHOICE("units", units, .required = true, .choices = "reduced|md",
           .help = "reduced: sigma, epsilon, mass; md: nm, ps, u, e, kJ/mol, K"),

    MAP("system", system.line, .required = true, .help = "the simulated system"),
    MAP("system.box", system.box_line, .help = "the simulation box"),
    CHOICE("system.box.kind", system.box.kind, .fallback = "periodic", .choices = "periodic|open",
           .help = "a periodic box, or open space without boundaries"),
    NUMBER("system.box.density", system.box.density, POSITIVE,
           .help = "molecules per volume; the box is then a cube, or the crystal of an ice"),
    NUMBER("system.box.mass_density", system.box.mass_density, POSITIVE,
           .help = "mass per volume in kg/m^3, with units: md; the box is then a cube, or the crystal of an ice"),
    {"system.box.length", PH_KEY_LENGTHS, AT(system.box.length), POSITIVE, .help = "edges of a rectangular box"},
    {"system.box.edges", PH_KEY_EDGES, AT(system.box.edges), .help = "edge vectors of a tilted box"},
    {"system.molecules", PH_KEY_LIST, AT(system.molecules), sizeof(struct ph_input_molecules), AT(system.n_molecules),
     PH_INPUT_SPECIES_MAX, offsetof(struct ph_input_molecules, line), .required = true,
     .help = "models and how many molecules of each"},
    {"system.molecules[].model", PH_KEY_TEXT, offsetof(struct ph_input_molecules, model), PH_PATH, .required = true,
     .help = "name of a model in potentials/, or path of a file"},
    {"system.molecules[].count", PH_KEY_INTEGER, offsetof(struct ph_input_molecules, count), .low = 1.0, .high = 1e9,
     .required = true, .help = "number of molecules"},

    MAP("system.start", system.start_line, .required = true, .stands = "system.start.file",
        .help = "the configuration at time 0; the name of a file in its place is that of its file: start: run.h5md"),
    CHOICE("system.start.kind", system.start.kind, .choices = "fcc|simple-cubic|random|gaussian|ice|file|given",
           .help =
               "where the molecules are: needed, unless there is a file; given: by a program that uses the library"),
    CHOICE("system.start.form", system.start.form, .choices = "Ih|Ic|II|III|V|VI|VII",
           .help = "ice: which crystal of water"),
    {"system.start.cells", PH_KEY_COUNTS, AT(system.start.cells), .low = 1.0, .high = 1e6,
     .help = "ice: how often its cell repeats along each edge; default: as nearly a cube as the count allows"},
    NUMBER("system.start.jitter", system.start.jitter, .high = 1.0, .fallback = "0",
           .help = "lattices: random displacement (standard deviation), in units of the neighbour distance"),
    NUMBER("system.start.spacing", system.start.spacing, POSITIVE,
           .help = "lattices in open space: distance of nearest neighbours"),
    NUMBER("system.start.minimum_distance", system.start.minimum_distance, NOT_NEGATIVE,
           .help = "random: smallest distance of two centres; default 0.9 of the largest sigma"),
    NUMBER("system.start.radius", system.start.radius, POSITIVE,
           .help = "random in open space: radius of the sphere that is filled"),
    NUMBER("system.start.spread", system.start.spread, POSITIVE,
           .help = "gaussian: standard deviation of each coordinate"),
    TEXT("system.start.file", system.start.file,
         .help = "file: H5MD, XYZ with one line per molecule or per atom, PDB, GROMACS GRO, LAMMPS data"),
    CHOICE("system.start.format", system.start.format, .choices = "xyz|pdb|gro|lammps",
           .help = "file: its format; default: by content and ending"),
    INTEGER("system.start.frame", system.start.frame, .fallback = "-1",
            .help = "file: which of its frames, from 0, or backwards from -1, the last"),
    {"system.start.names", PH_KEY_WORDS, AT(system.start.names), PH_WORD, AT(system.start.n_names), PH_INPUT_NAMES_MAX,
     .help =
         "file: sites that its atoms are, by name or LAMMPS type; '-': atoms to leave out; also models that residues "
         "are"},
    CHOICE("system.start.length_unit", system.start.length_unit, .choices = "nm|angstrom",
           .help = "file: unit of its lengths; default: that of its format, or for XYZ that of the input"),
    NUMBER("system.start.scale", system.start.scale, POSITIVE, .fallback = "1",
           .help =
               "file: factor from its lengths to those of the input, whatever their units, 0.1 from Angstrom to nm"),
    CHOICE("system.start.atom_style", system.start.atom_style, .choices = "atomic|charge|molecular|full",
           .help = "file, LAMMPS data: columns of its atoms; default: as 'Atoms # style' says, or by their number"),
    CHOICE("system.start.units", system.start.units, .choices = "real|metal|nano|lj",
           .help = "file, LAMMPS data: its units; default: those of its first line, or real"),
    NUMBER("system.start.tolerance", system.start.tolerance, .high = 1.0,
           .help = "file: largest rms distance of its sites from the rigid model, over the model's extent, besides the "
                   "rounding of the file; default 1e-3, for atoms that were found by their names 0.02"),
    CHOICE("system.start.attitudes", system.start.attitudes, .fallback = "random", .choices = "random|aligned",
           .help = "orientations: uniformly random, or all along the axes of space; file: for molecules of unknown "
                   "orientation; not for ice"),
    NUMBER("system.start.temperature", system.start.temperature, NOT_NEGATIVE, .fallback = "0",
           .help =
               "of Maxwell-Boltzmann momenta, which replace those of a file; 0: at rest; default: the momenta of the "
               "file, or 0"),
    FLAG("system.start.rescale", system.start.rescale, .fallback = "true",
         .help = "scale momenta to precisely this temperature"),
    INTEGER("system.start.seed", system.start.seed, .high = 0x1p53, .fallback = "1", .help = "of the random numbers"),

    MAP("system.start.minimise", system.start.minimise_line,
        .help =
            "before anything moves, go downhill in potential energy (FIRE), momenta left as they are: for random and "
            "imported starts. Molecules that overlap are taken apart first"),
    INTEGER("system.start.minimise.steps", system.start.minimise.steps, .low = 1.0, .high = 0x1p53, .required = true,
            .help = "at most; each is an evaluation of forces"),
    NUMBER("system.start.minimise.force", system.start.minimise.force, NOT_NEGATIVE,
           .help = "done when no force is larger, nor any torque over the radius of gyration; default: the "
                   "largest epsilon/sigma"),

    MAP("interactions", interactions.line, .help = "how molecules interact"),
    NUMBER("interactions.cutoff", interactions.cutoff, POSITIVE,
           .help = "distance beyond which two sites do not interact as pairs; needed in a periodic box, but for "
                   "electrostatics.method: mesh without any radial terms"),
    CHOICE("interactions.truncation", interactions.truncation, .choices = "none|cut|shifted|force-shifted|switched",
           .help = "how interactions end at the cutoff; default switched, or none without a cutoff"),
    MAP("interactions.switch", interactions.switch_line, .help = "how interactions go to zero before the cutoff"),
    NUMBER("interactions.switch.width", interactions.switch_width, POSITIVE,
           .help = "over which interactions vanish; default 0.15 cutoffs. Radial terms are multiplied by a switching "
                   "function, a reaction field vanishes by itself"),
    CHOICE("interactions.switch.smoothness", interactions.smoothness, .fallback = "6", .choices = "2|4|6|all",
           .help = "continuous derivatives; all: not with a reaction field"),
    MAP("interactions.electrostatics", interactions.electrostatics_line, .help = "charges and dipoles"),
    CHOICE("interactions.electrostatics.method", interactions.method, .choices = "cutoff|reaction-field|ewald|mesh",
           .help = "treatment of their long range; ewald: a direct sum over reciprocal vectors; mesh: the same on a "
                   "grid, for large systems; default mesh for charges or dipoles in a periodic box, else cutoff"),
    NUMBER("interactions.electrostatics.permittivity", interactions.permittivity, .low = 1.0, .high = INFINITY,
           .help = "of the surrounding continuum; .inf (the default) is a conductor. A reaction field that vanishes "
                   "smoothly acts as a conductor on the sample as a whole, whatever this is"),
    NUMBER("interactions.electrostatics.tolerance", interactions.ewald_tolerance, .low = 1e-15, .high = 0.01,
           .help = "ewald, mesh: relative error of forces, from which all that follows is chosen; default 1e-6; mesh: "
                   "not below 3e-12"),
    CHOICE("interactions.electrostatics.geometry", interactions.geometry, .fallback = "bulk", .choices = "bulk|slab",
           .help = "ewald, mesh: periodic in three directions, or along the first two edges of the box only; slab: the "
                   "molecules must leave the faces of the third direction empty"),
    CHOICE("interactions.electrostatics.split", interactions.split, .choices = "gauss|bessel",
           .help = "ewald, mesh: of 1/r between pairs and reciprocal vectors; gauss: erfc(a r)/r, cut at the cutoff; "
                   "bessel: ends at the cutoff by itself; default gauss for ewald, bessel for mesh"),
    NUMBER("interactions.electrostatics.screening", interactions.screening, POSITIVE,
           .help = "split gauss: a in erfc(a r)/r; default from tolerance and cutoff"),
    INTEGER("interactions.electrostatics.smoothness", interactions.ewald_smoothness, .low = 2.0, .high = 12.0,
            .fallback = "6", .help = "split bessel, mesh: continuous derivatives of the electric energy"),
    NUMBER("interactions.electrostatics.shape", interactions.shape, POSITIVE,
           .help = "split bessel: its parameter beta; default from the tolerance"),
    NUMBER("interactions.electrostatics.k_max", interactions.k_max, POSITIVE,
           .help = "ewald: largest length of the reciprocal vectors; default from tolerance and split"),
    {"interactions.electrostatics.grid", PH_KEY_COUNTS, AT(interactions.grid), .low = 8.0, .high = 4096.0,
     .help = "mesh: points along each edge of the box; default from the tolerance"},
    INTEGER("interactions.electrostatics.width", interactions.mesh_width, .low = 4.0, .high = 20.0,
            .help = "mesh: points along an edge to which a site is spread; default from the tolerance"),
    NUMBER("interactions.electrostatics.window", interactions.window, POSITIVE,
           .help = "mesh: parameter beta of the window that spreads a site; default from the tolerance"),
    FLAG("interactions.electrostatics.remove_net_force", interactions.remove_net_force, .fallback = "false",
         .help = "mesh: take the mean force, an error of the mesh, off all molecules; forces are then not precisely "
                 "gradients of the energy"),
    CHOICE("interactions.combining", interactions.combining, .fallback = "lorentz-berthelot",
           .choices = "lorentz-berthelot|geometric", .help = "epsilon and sigma of unlike sites"),
    FLAG("interactions.long_range_correction", interactions.long_range_correction, .fallback = "false",
         .help = "add the mean energy and pressure of radial terms beyond the cutoff"),
    NUMBER("interactions.skin", interactions.skin, NOT_NEGATIVE, .fallback = "0",
           .help = "of the pair list; 0: chosen by the program"),
    {"interactions.pairs", PH_KEY_LIST, AT(interactions.pairs), sizeof(struct ph_input_pair), AT(interactions.n_pairs),
     PH_INPUT_PAIRS_MAX, offsetof(struct ph_input_pair, line),
     .help = "interactions of two sites instead of those of the combining rule"},
    {"interactions.pairs[].sites", PH_KEY_PAIR, offsetof(struct ph_input_pair, sites), 2 * PH_WORD, .required = true,
     .help = "two sites, written model.site"},
    PH_RADIAL_KEYS("interactions.pairs[]", ph_input_pair) PH_ELLIPSOID_KEYS("interactions.pairs[]", ph_input_pair)
        MAP("interactions.external", interactions.external_line, .help = "external fields"),
    VECTOR("interactions.external.electric_field", interactions.external.electric_field, .fallback = "0",
           .help = "E in -mu . E - q r . E"),
    VECTOR("interactions.external.gravity", interactions.external.gravity, .fallback = "0",
           .help = "acceleration of centres"),
    VECTOR("interactions.external.body_force", interactions.external.body_force, .fallback = "0",
           .help = "constant force in space on the body_point of every molecule"),
    VECTOR("interactions.external.body_point", interactions.external.body_point, .fallback = "0",
           .help = "where body_force acts, in the body frame"),
    NUMBER("interactions.external.tether", interactions.external.tether, NOT_NEGATIVE, .fallback = "0",
           .help = "k in k/2 |r - r_start|^2"),
    NUMBER("interactions.external.gravity_gradient", interactions.external.gravity_gradient, NOT_NEGATIVE,
           .fallback = "0",
           .help = "k in 3/2 k e.I e, e the third axis of space in the body frame: k = G M/distance^3 of a satellite"),
    NUMBER("interactions.external.wall_repulsion", interactions.external.wall_repulsion, .low = -1e15, .high = 1e15,
           .fallback = "0", .help = "a in a/z - b/z^10, z = height + e.Q e, e the third axis: a charge before a wall"),
    NUMBER("interactions.external.wall_core", interactions.external.wall_core, .low = -1e15, .high = 1e15,
           .fallback = "0", .help = "b in the same"),
    NUMBER("interactions.external.wall_height", interactions.external.wall_height, .high = 1e15, .above = true,
           .low = 1.0, .fallback = "1.1", .help = "height in the same"),
    NUMBER("interactions.external.valley_stiffness", interactions.external.valley_stiffness, NOT_NEGATIVE,
           .fallback = "0", .help = "k in k (d - d0)^2, d = sqrt(2 tr(1 - Q)): a valley of orientations around Q = 1"),
    NUMBER("interactions.external.valley_distance", interactions.external.valley_distance, NOT_NEGATIVE,
           .fallback = "1", .help = "d0 in the same"),
    NUMBER("interactions.external.attraction", interactions.external.attraction, .low = -1e15, .high = 1e15,
           .fallback = "0", .help = "a in -a/d, d = sqrt(2 tr(1 - R^T Q)): an orientation R that attracts"),
    VECTOR("interactions.external.attractor", interactions.external.attractor, .fallback = "0",
           .help = "the rotation vector of R"),
    FLAG("interactions.external.pinned", interactions.pinned, .fallback = "false", .help = "centres do not move"),
    MAP("interactions.plumed", interactions.plumed.line, .stands = "interactions.plumed.file",
        .help = "a bias that the library PLUMED computes, found by the environment variable PLUMED_KERNEL; the name of "
                "a file in its place is that of its file"),
    TEXT("interactions.plumed.file", interactions.plumed.file,
         .help = "input of PLUMED; its atoms are the sites of all molecules, from 1"),
    TEXT("interactions.plumed.log", interactions.plumed.log, .fallback = "plumed.log",
         .help = "where PLUMED writes its log"),
    INTEGER("interactions.plumed.every", interactions.plumed.every, .low = 1.0, .high = 1e9, .fallback = "1",
            .help = "steps from one action of PLUMED to the next: it prints and adds hills at these steps alone"),
    FLAG("interactions.plumed.keeps_momentum", interactions.plumed.keeps_momentum, .fallback = "false",
         .help = "forces of the bias on all molecules add up to 0; temperatures then have three degrees less"),

    MAP("dynamics", dynamics.line, .help = "how molecules move; not needed for energies"),
    TEXT("dynamics.scheme", dynamics.scheme, .help = "splitting scheme, see polhode list schemes"),
    TEXT("dynamics.flow", dynamics.flow, .fallback = "exact", .help = "free rigid body, see polhode list flows"),
    TEXT("dynamics.integrator", dynamics.integrator,
         .help = "one-step method instead of scheme and flow, see polhode list integrators"),
    CHOICE("dynamics.backend", dynamics.backend, .fallback = "cpu", .choices = "cpu|cuda|emulated",
           .help = "where the run takes place: this processor, a graphics processor, or its arithmetic on this "
                   "processor; see polhode list backends"),
    NUMBER("dynamics.step", dynamics.step, POSITIVE, .help = "length of one time step; needed, but for stages"),
    INTEGER("dynamics.steps", dynamics.steps, .high = 0x1p53, .help = "number of steps; needed, but for stages"),
    FLAG("dynamics.compensated", dynamics.compensated, .fallback = "true",
         .help = "schemes: compensated sums, which keep what rounding removes from positions and momenta"),
    NUMBER("dynamics.energy_bound", dynamics.energy_bound, POSITIVE, .fallback = "0.1",
           .help = "stop when the total energy has changed by more than this part of kinetic and potential energy"),
    MAP("dynamics.nested", dynamics.nested.line,
        .help = "two time scales: each drift of the scheme becomes steps of an inner scheme with the fast forces, its "
                "kicks have the slow ones; see docs/choosing.md"),
    CHOICE("dynamics.nested.part", dynamics.nested.part, .fallback = "near", .choices = "near|reciprocal",
           .help = "near: pairs within a radius are fast; reciprocal: the reciprocal sum of ewald or mesh is slow, all "
                   "else fast"),
    TEXT("dynamics.nested.scheme", dynamics.nested.scheme, .fallback = "bcss2-3",
         .help = "of the fast forces; both schemes must be without gradients"),
    INTEGER("dynamics.nested.substeps", dynamics.nested.substeps, .low = 1.0, .high = 1000.0, .fallback = "1",
            .help = "inner steps for each drift"),
    NUMBER("dynamics.nested.radius", dynamics.nested.radius, POSITIVE,
           .help = "near: distance of sites at which fast forces end; below the cutoff; default: 1.6 times the largest "
                   "sigma"),
    NUMBER("dynamics.nested.width", dynamics.nested.width, POSITIVE,
           .help = "near: over which they end, with six continuous derivatives; at most the radius; default: half of "
                   "it"),
    MAP("dynamics.equilibrate", dynamics.equilibrate_line,
        .help = "steps before the first, with a thermostat (stochastic velocity rescaling)"),
    INTEGER("dynamics.equilibrate.steps", dynamics.equilibrate.steps, .high = 0x1p53, .fallback = "0",
            .help = "how many"),
    NUMBER("dynamics.equilibrate.temperature", dynamics.equilibrate.temperature, POSITIVE,
           .help = "of the thermostat; default: that of the start"),
    NUMBER("dynamics.equilibrate.relaxation_time", dynamics.equilibrate.relaxation_time, NOT_NEGATIVE,
           .help = "in which kinetic energies follow the thermostat; default: 50 steps"),
    INTEGER("dynamics.equilibrate.seed", dynamics.equilibrate.seed, .high = 0x1p53, .fallback = "1",
            .help = "of the thermostat's random numbers"),
    FLAG("dynamics.equilibrate.land", dynamics.equilibrate.land, .fallback = "true",
         .help = "end with the energy whose mean temperature is that of the thermostat: momenta are scaled after the "
                 "last of these steps, see docs/ensembles.md"),
    PH_BATH_KEYS("dynamics.thermostat", AT(dynamics.thermostat)),
    PH_CELL_KEYS("dynamics.barostat", AT(dynamics.barostat)),

    {"stages", PH_KEY_LIST, AT(stages), sizeof(struct ph_input_stage), AT(n_stages), PH_INPUT_STAGES_MAX, STAGE(line),
     .help = "parts of the run, one after the other, instead of dynamics.steps; the last is the "
             "production"},
    {"stages[].name", PH_KEY_TEXT, STAGE(name), PH_WORD, .required = true, .help = "for messages, files and analyses"},
    {"stages[].scheme", PH_KEY_TEXT, STAGE(scheme), PH_WORD, .help = "default: dynamics.scheme"},
    {"stages[].flow", PH_KEY_TEXT, STAGE(flow), PH_WORD, .help = "default: dynamics.flow"},
    {"stages[].integrator", PH_KEY_TEXT, STAGE(integrator), PH_WORD, .help = "default: dynamics.integrator"},
    {"stages[].step", PH_KEY_NUMBER, STAGE(step), POSITIVE, .help = "length of one step; default: dynamics.step"},
    {"stages[].steps", PH_KEY_INTEGER, STAGE(steps), .high = 0x1p53, .required = true, .help = "number of steps"},
    {"stages[].land", PH_KEY_FLAG, STAGE(land), .fallback = "false",
     .help = "with a thermostat: as dynamics.equilibrate.land"},
    PH_BATH_KEYS("stages[].thermostat", STAGE(thermostat)),
    PH_CELL_KEYS("stages[].barostat", STAGE(barostat)),
    {"stages[].frames_every", PH_KEY_INTEGER, STAGE(frames_every), .high = 0x1p53,
     .help = "steps between configurations, 0: never; default: output.frames_every"},
    {"stages[].series_every", PH_KEY_INTEGER, STAGE(series_every), .high = 0x1p53,
     .help = "steps between rows of the series; default: output.series_every"},
    {"stages[].fluxes_every", PH_KEY_INTEGER, STAGE(fluxes_every), .high = 0x1p53,
     .help = "steps between rows of fluxes; default: output.fluxes_every"},

    MAP("output", output.line, .help = "the data that a run writes"),
    TEXT("output.file", output.file, .help = "H5MD file; default: the input's name with .h5md"),
    INTEGER("output.frames_every", output.frames_every, .high = 0x1p53, .fallback = "100",
            .help = "steps between configurations; 0: never"),
    INTEGER("output.series_every", output.series_every, .high = 0x1p53, .fallback = "10",
            .help = "steps between rows of energies, temperatures, pressure; 0: none"),
    INTEGER("output.fluxes_every", output.fluxes_every, .high = 0x1p53, .fallback = "0",
            .help =
                "steps between rows of the fluxes of momentum and energy, from which transport coefficients follow; "
                "0: none"),
    INTEGER(
        "output.checkpoint_every", output.checkpoint_every, .high = 0x1p53,
        .help =
            "steps between checkpoints; 0: only at start and end; default: after 1, 2, 4, ... s, then one a minute"),
    INTEGER("output.image_every", output.image_every, .high = 0x1p53,
            .help = "steps between counts of box edges crossed; default: as positions, that is frames_every"),
    INTEGER("output.velocity_every", output.velocity_every, .high = 0x1p53,
            .help = "between velocities; default: as positions"),
    INTEGER("output.orientation_every", output.orientation_every, .high = 0x1p53,
            .help = "between orientations (quaternions); default: as positions"),
    INTEGER("output.angular_momentum_every", output.angular_momentum_every, .high = 0x1p53,
            .help = "between angular momenta in the body frame; default: as positions"),
    INTEGER("output.dipole_every", output.dipole_every, .high = 0x1p53, .fallback = "0",
            .help = "between dipoles of molecules; 0: none"),
    INTEGER("output.force_every", output.force_every, .high = 0x1p53, .fallback = "0",
            .help = "between forces; 0: none"),
    INTEGER("output.torque_every", output.torque_every, .high = 0x1p53, .fallback = "0",
            .help = "between torques; 0: none"),
    CHOICE("output.precision", output.precision, .fallback = "double", .choices = "double|single",
           .help = "of the numbers of frames: single halves the file; series and checkpoints are double in any case"),
    INTEGER("output.compression", output.compression, .high = 9.0, .fallback = "0",
            .help = "of frames, from 0 (none, fastest) to 9 (smallest)"),
    CHOICE("output.writing", output.writing, .fallback = "gathered", .choices = "gathered|collective",
           .help =
               "of several processes, the first writes frames and checkpoints, or each its share of them, for large "
               "runs on a file system that all reach; the files are the same"),
    FLAG("output.shadow_energy", output.shadow_energy, .fallback = "false",
         .help = "also the energy that a scheme of order 2 conserves better than the total energy: in each row of the "
                 "series, at the cost of two more evaluations, of none with saba2 and sbab2"),
    FLAG("output.configurational_temperature", output.configurational_temperature, .fallback = "false",
         .help =
             "also what the temperature of positions and orientations is found from: squared forces and torques, and "
             "second derivatives of the energy, in each row of the series, at the cost of one more evaluation or "
             "two; forces must not jump at the cutoff"),
    TEXT("output.author", output.author, .help = "recorded in the file; default: the user's name"),
};

_Static_assert(sizeof keys / sizeof *keys <= PH_INPUT_KEYS_MAX, "room for the line of every key");

const struct ph_schema ph_input_schema = {"input", sizeof keys / sizeof *keys, keys};
