/* SPDX-License-Identifier: MIT */
#ifndef POLHODE_H
#define POLHODE_H

/* Polhode, molecular dynamics of rigid molecules, as a library. This header is all of it: C from C99 on, C++, and
 * whatever calls C. tools/example.c is a whole program.
 *
 * A simulation is made from an input (docs/input.md): a file, a text, or a text and arrays; it is advanced, read and
 * changed through its handle. The caller destroys it. */

/* Failure. Functions that can fail return a status, and write a message into the caller's struct ph_error unless that
 * is NULL. Functions that make a simulation set *out to NULL when they fail. After PH_ERR_NUMBERS the state is that in
 * which the numbers failed; other failures leave the simulation as it was. Nothing is printed, and the program is never
 * ended.
 *
 * Units are those of the input. `md`: nm, ps, u, kJ/mol, K, e; so momenta are in u nm/ps, torques in kJ/mol, pressures
 * in kJ/mol/nm^3. `reduced`: multiples of the model's own length, mass and energy, and k_B = 1. */

/* Arrays are of double and belong to the caller, but for views. Each has one row per molecule, in the order of the
 * molecules' numbers, which begin at 0: x y z, or w x y z of a quaternion. Species come in the order of the input, and
 * all molecules of one before those of the next. */

/* Threads. One simulation is used by one thread at a time. Different simulations may be used by different threads at
 * the same time: they share no variables. But those functions that work with files do so through the HDF5 library,
 * which lets only one thread in at a time unless it was built otherwise: ph_simulation_from_file, _from_text,
 * _from_arrays, _resume, _save_as and _finish, and all other use of HDF5 in the program, must not overlap. */

/* Each simulation computes with a team of OpenMP threads, as many as OMP_NUM_THREADS or omp_set_num_threads say for
 * the thread that calls; results do not depend on how many. Locale, environment and HDF5's settings are left as they
 * were. Simulations with a mesh plan transforms with FFTW where they are made, change their box or end, one at a
 * time. A program that plans with FFTW itself, in another thread at the same time, calls
 * fftw_make_planner_thread_safe first. */

/* The same calls give the same bits. Bits also depend on where ph_simulation_advance ends, since a step that is looked
 * at is completed, and one that is not is joined with the next: 10 steps and 5 + 5 steps differ by rounding. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PH_PUBLIC __attribute__((visibility("default")))

/* ---- Failure ---- */

/* These are also the exit statuses of the program. */
enum ph_status {
    PH_OK = 0,
    PH_ERR_CHECK = 1,   /* a check or certification found a failure; of the program only */
    PH_ERR_INPUT = 2,   /* wrong usage or wrong input */
    PH_ERR_NUMBERS = 3, /* NaN, overlap, no convergence, energy that is not conserved */
    PH_ERR_IO = 4,      /* a file could not be read or written */
    PH_ERR_MEMORY = 5
};

enum { PH_ERROR_TEXT = 1024 };

struct ph_error {
    enum ph_status status;
    char text[PH_ERROR_TEXT]; /* one or more sentences, no newline at the end */
};

/* As "0.1.0 (a1b2c3d)" with the revision it was built from, if known; a constant */
PH_PUBLIC const char *ph_version(void);

/* ---- A simulation ---- */

struct ph_simulation; /* opaque */

/* From an input file. `sets` are n_sets settings "key.path=value" that replace or add to what the input says, as --set
 * of the program; both may be 0. Models are looked up beside the input, in the folder that the environment variable
 * POLHODE_POTENTIALS names, and among those that came with the library. The start is evaluated; nothing is written. */
PH_PUBLIC enum ph_status ph_simulation_from_file(const char *file, size_t n_sets, const char *const *sets,
                                                 struct ph_simulation **out, struct ph_error *err);

/* From the text of an input. Files that it names are looked up from the current folder; messages call it "input". */
PH_PUBLIC enum ph_status ph_simulation_from_text(const char *text, size_t n_sets, const char *const *sets,
                                                 struct ph_simulation **out, struct ph_error *err);

/* Molecules and their state. All arrays are copied. */
struct ph_arrays {
    size_t n_species;
    const char *const *models; /* name or file of the model of each species, as system.molecules[].model */
    const size_t *counts;      /* of molecules of each species */
    const double *edges;       /* of the periodic box, as in ph_simulation_box; NULL: open space */
    const double *positions;   /* as in ph_simulation_write, like the following */
    const double *quaternions; /* NULL: all molecules along the axes of space */
    const double *momenta, *angular_momenta; /* NULL: at rest */
};

/* From arrays, and the text of an input that says everything else: `units`, `interactions`, `dynamics`, `output`, but
 * not `system`. */
PH_PUBLIC enum ph_status ph_simulation_from_arrays(const char *text, size_t n_sets, const char *const *sets,
                                                   const struct ph_arrays *arrays, struct ph_simulation **out,
                                                   struct ph_error *err);

/* From the checkpoint FILE.checkpoint, which ph_simulation_save_as wrote, or a run with the trajectory FILE. The run is
 * to have as many steps as were planned, and `steps` more: what an interrupted run had left to do is done first, as by
 * `polhode resume --steps`. 0 or less: no more. */
PH_PUBLIC enum ph_status ph_simulation_resume(const char *file, int64_t steps, struct ph_simulation **out,
                                              struct ph_error *err);

/* Writes the checkpoint FILE.checkpoint, of the complete state: a simulation resumed from it continues as this one
 * does, bit for bit. An existing checkpoint is replaced, but not that of a trajectory FILE. */
PH_PUBLIC enum ph_status ph_simulation_save_as(struct ph_simulation *simulation, const char *file,
                                               struct ph_error *err);

/* NULL is accepted. */
PH_PUBLIC void ph_simulation_destroy(struct ph_simulation *simulation);

/* ---- Moving it ---- */

/* n steps, 0 or more, however many the input asks for; nothing is written. They go through the stages of the input, the
 * last of which never ends. In stages without a thermostat the total energy, or what is conserved in its place, is
 * compared at the end with that when the stage began: PH_ERR_NUMBERS if it is off by more than dynamics.energy_bound.
 */
PH_PUBLIC enum ph_status ph_simulation_advance(struct ph_simulation *simulation, int64_t n, struct ph_error *err);

/* The same, but after every step `stop` is asked whether to end early; it gets `data`, and may be NULL. */
PH_PUBLIC enum ph_status ph_simulation_advance_until(struct ph_simulation *simulation, int64_t n,
                                                     bool (*stop)(void *data), void *data, struct ph_error *err);

/* All steps that the input asks for, with a trajectory (output.file) and checkpoints, as `polhode run` does. An
 * existing trajectory is an error unless `overwrite`. After every step `stop` is asked whether to end early, with a
 * checkpoint; it gets `data`, and may be NULL. For simulations as they were made or resumed: one that was moved, or
 * changed after step 0, has no beginning of a trajectory. To go on with one that was stopped, resume it. */
PH_PUBLIC enum ph_status ph_simulation_finish(struct ph_simulation *simulation, bool overwrite,
                                              bool (*stop)(void *data), void *data, struct ph_error *err);

/* ---- Looking at it ---- */

PH_PUBLIC int64_t ph_simulation_step(const struct ph_simulation *simulation); /* done last, from 0 */
PH_PUBLIC int64_t ph_simulation_end(const struct ph_simulation *simulation);  /* the last that the input asks for */
PH_PUBLIC double ph_simulation_time(const struct ph_simulation *simulation);  /* now */
/* Notes on the start for the user, one sentence per line; "" if there are none. Valid as long as the simulation. */
PH_PUBLIC const char *ph_simulation_notes(const struct ph_simulation *simulation);

PH_PUBLIC size_t ph_simulation_molecules(const struct ph_simulation *simulation); /* how many */
PH_PUBLIC size_t ph_simulation_species(const struct ph_simulation *simulation);   /* how many */
PH_PUBLIC size_t ph_simulation_species_of(const struct ph_simulation *simulation, size_t molecule);

struct ph_species_facts {
    const char *name; /* of the model; lives as long as the simulation */
    size_t count;     /* of molecules */
    double mass;
    double inertia[3]; /* principal moments; all 0 for a point particle, one 0 for a linear rotor */
};
/* Of species s, which begin at 0 */
PH_PUBLIC struct ph_species_facts ph_simulation_species_facts(const struct ph_simulation *simulation, size_t s);

/* The three edge vectors of the box, one after the other; false, and zeros, in open space */
PH_PUBLIC bool ph_simulation_box(const struct ph_simulation *simulation, double edges[9]);

enum ph_array {
    PH_ARRAY_POSITION,   /* of the centre of mass, inside the box */
    PH_ARRAY_UNWRAPPED,  /* the same, not wrapped into the box */
    PH_ARRAY_MOMENTUM,   /* p */
    PH_ARRAY_QUATERNION, /* q, four numbers, the scalar first: x_space = Q(q) x_body; of a point particle 1 0 0 0 */
    PH_ARRAY_ANGULAR_MOMENTUM, /* about the centre, in the BODY frame: its principal axes */
    PH_ARRAY_FORCE,            /* on the centre */
    PH_ARRAY_TORQUE            /* about the centre, in the SPACE frame */
};

/* Copies a quantity of all molecules to `to`, 3 numbers for each, 4 of a quaternion. */
PH_PUBLIC enum ph_status ph_simulation_read(struct ph_simulation *simulation, enum ph_array which, double *to,
                                            struct ph_error *err);

/* Copies from `from`. Positions may lie outside the box; as PH_ARRAY_UNWRAPPED they are then read as they were written.
 * Quaternions must be of length 1 to six digits, and are made so to all; those of point particles do not matter.
 * Angular momenta about an axis without inertia must be 0. PH_ARRAY_FORCE and PH_ARRAY_TORQUE cannot be written.
 * Conservation of energy is checked from this state on. */
PH_PUBLIC enum ph_status ph_simulation_write(struct ph_simulation *simulation, enum ph_array which, const double *from,
                                             struct ph_error *err);

/* The memory in which the simulation itself keeps a quantity: number k of molecule i is data[i * row + k * column].
 * Where it lies does not change as long as the simulation lives; what it holds is the present state after a function
 * that looks at it: this one, _read, _energies, or _advance that was successful. */
struct ph_view {
    double *data;
    size_t molecules, numbers; /* numbers of each: 3, 4 of a quaternion */
    size_t row, column;        /* doubles from one molecule, and from one number, to the next */
};

/* Nothing is copied. Positions that are not wrapped have no memory of their own, and no view. */
PH_PUBLIC enum ph_status ph_simulation_view(struct ph_simulation *simulation, enum ph_array which, struct ph_view *view,
                                            struct ph_error *err);

/* Says that this quantity was written through a view; to be called after ph_simulation_view and the writing, before all
 * else. The same is accepted, and follows, as of ph_simulation_write, but positions are moves of molecules: unwrapped
 * ones move as far. Where it fails the caller puts back what was there. */
PH_PUBLIC enum ph_status ph_simulation_changed(struct ph_simulation *simulation, enum ph_array which,
                                               struct ph_error *err);

struct ph_energies {
    double total; /* kinetic and potential */
    double kinetic_translation, kinetic_rotation;
    double potential;                                                  /* the sum of these: */
    double radial;                                                     /*   Lennard-Jones and the like */
    double electric;                                                   /*   charges and dipoles, all of an Ewald sum */
    double long_range;                                                 /*   correction beyond the cutoff */
    double external;                                                   /*   fields */
    double temperature, temperature_translation, temperature_rotation; /* NaN without degrees of freedom */
    double virial[9]; /* molecular: sum over pairs of R_ij F_ij, R_ij between centres; row by row */
    double pressure;  /* molecular, a third of the trace of its tensor; NaN in open space, like */
    double pressure_tensor[9];
    double momentum[3], angular_momentum[3], dipole[3]; /* of all molecules; angular momentum about the origin */
};

PH_PUBLIC enum ph_status ph_simulation_energies(struct ph_simulation *simulation, struct ph_energies *energies,
                                                struct ph_error *err);

/* ---- A force of the caller's own ---- */

/* What it gets and gives; arrays as above, valid during the call */
struct ph_force_call {
    size_t molecules;
    const double *positions;   /* of the centres, not wrapped into the box */
    const double *quaternions; /* four numbers each */
    double *forces, *torques;  /* 0: to be filled in; torques about the centres, in the SPACE frame */
    double energy;             /* 0: to be filled in */
};

/* From now on `force` is called, by the thread that called the library, whenever forces are evaluated, after all
 * others were; it gets `data`. NULL: no such force any more. The energy is a part of ph_energies.external; like
 * external fields, it does not enter virial and pressure. Forces and torques must be minus the derivative of the
 * energy, which depends on nothing else, and as smooth as the order of the scheme wants; torques about axes without
 * inertia do nothing. */

/* `force` returns whether it could be computed: if not, PH_ERR_INPUT, and the state is one within a step. It must
 * not call functions of the same simulation. `keeps_momentum`: the forces on all molecules always add up to 0; if
 * so, temperatures take three degrees of freedom less.
 *
 * Refused: with a barostat, schemes with force gradients, output.shadow_energy and output.configurational_temperature.
 * Functions cannot be saved: a simulation that is resumed does nothing before it was given its force anew, or NULL. */
PH_PUBLIC enum ph_status ph_simulation_set_force(struct ph_simulation *simulation,
                                                 bool (*force)(struct ph_force_call *call, void *data), void *data,
                                                 bool keeps_momentum, struct ph_error *err);

#ifdef __cplusplus
}
#endif

#endif
