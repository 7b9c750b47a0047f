/* SPDX-License-Identifier: MIT */
#ifndef POLHODE_H
#define POLHODE_H

/* The library of Polhode, molecular dynamics of rigid molecules. This header is the whole interface, for C99 and later,
 * C++, and languages that call C. tools/example.c is a complete program.
 *
 * An input (docs/input.md) makes a simulation: a file, a text, or a text and arrays. The caller advances, reads and
 * changes it through its handle, and destroys it. */

/* Failure. Functions that can fail return a status. They write a message into the caller's struct ph_error unless it is
 * NULL. Functions that make a simulation set *out to NULL when they fail. After PH_ERR_NUMBERS the simulation holds the
 * state whose numbers failed. Other failures leave the simulation unchanged. The library prints nothing and never ends
 * the program.
 *
 * Units are the units of the input. `md`: nm, ps, u, kJ/mol, K, e. So momenta are in u nm/ps, torques in kJ/mol,
 * pressures in kJ/mol/nm^3. `reduced`: multiples of the model's own length, mass and energy, and k_B = 1. */

/* Arrays are of double. They belong to the caller, except views. An array has one row per molecule, x y z, or w x y z
 * of a quaternion. Rows are in the order of the molecules' numbers, which begin at 0. Species come in the order of the
 * input, each with all its molecules. */

/* Threads. Only one thread at a time may use a simulation. Different threads may use different simulations at the same
 * time, because simulations share no variables. Functions that work with files call the HDF5 library, which only one
 * thread may call at a time, unless HDF5 was built thread-safe. So ph_simulation_from_file, _from_text, _from_arrays,
 * _resume, _save_as and _finish must not overlap with each other, nor with other calls of HDF5 in the program. */

/* Each simulation computes with a team of OpenMP threads. OMP_NUM_THREADS or omp_set_num_threads of the calling thread
 * sets their number; results do not depend on it. The library leaves the locale, the environment and the settings of
 * HDF5 alone. */

/* The same calls give the same bits. Bits also depend on where ph_simulation_advance ends, because it completes its
 * last step. A step in the middle is joined with the next one. So 10 steps and 5 + 5 steps differ by rounding. */

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

/* Returns a constant such as "1.2.3 (a1b2c3d)", with the revision of the source if known. */
PH_PUBLIC const char *ph_version(void);

/* ---- A simulation ---- */

struct ph_simulation; /* opaque */

/* Makes a simulation from an input file. `sets` are n_sets settings "key.path=value" that replace or add keys of the
 * input, as --set of the program; both may be 0. The library searches models beside the input, then in the folder that
 * the environment variable POLHODE_POTENTIALS names, then among its own models. Evaluates forces of the start. Writes
 * nothing. */
PH_PUBLIC enum ph_status ph_simulation_from_file(const char *file, size_t n_sets, const char *const *sets,
                                                 struct ph_simulation **out, struct ph_error *err);

/* Makes a simulation from the text of an input. Files that it names are relative to the current folder. Messages call
 * the text "input". */
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

/* Makes a simulation from arrays and the text of an input. The text has all keys but `system`: `units`, `interactions`,
 * `dynamics`, `output`. */
PH_PUBLIC enum ph_status ph_simulation_from_arrays(const char *text, size_t n_sets, const char *const *sets,
                                                   const struct ph_arrays *arrays, struct ph_simulation **out,
                                                   struct ph_error *err);

/* Makes a simulation from the checkpoint FILE.checkpoint, which ph_simulation_save_as or a run with the trajectory FILE
 * wrote. The run then has `steps` more steps than were planned, as with `polhode resume --steps`. An interrupted run
 * first does the steps that it had left. 0 or less: no steps more than planned. */
PH_PUBLIC enum ph_status ph_simulation_resume(const char *file, int64_t steps, struct ph_simulation **out,
                                              struct ph_error *err);

/* Writes the complete state to the checkpoint FILE.checkpoint. A simulation resumed from it continues as this one does,
 * bit for bit. Replaces an existing checkpoint, unless it belongs to a trajectory FILE. */
PH_PUBLIC enum ph_status ph_simulation_save_as(struct ph_simulation *simulation, const char *file,
                                               struct ph_error *err);

/* Accepts NULL. */
PH_PUBLIC void ph_simulation_destroy(struct ph_simulation *simulation);

/* ---- Advance ---- */

/* Does n steps, 0 or more, and writes nothing. The number of steps in the input does not matter. Steps follow the
 * stages of the input; the last stage never ends. In stages without a thermostat the function at its end compares the
 * conserved energy with its value at the beginning of the stage. It returns PH_ERR_NUMBERS if they differ by more than
 * dynamics.energy_bound. */
PH_PUBLIC enum ph_status ph_simulation_advance(struct ph_simulation *simulation, int64_t n, struct ph_error *err);

/* The same, but calls stop(data) after every step and ends early if it returns true. `stop` may be NULL. */
PH_PUBLIC enum ph_status ph_simulation_advance_until(struct ph_simulation *simulation, int64_t n,
                                                     bool (*stop)(void *data), void *data, struct ph_error *err);

/* Does all steps of the input with a trajectory (output.file) and checkpoints, as `polhode run` does. An existing
 * trajectory is an error unless `overwrite`. Calls stop(data) after every step; if it returns true, the run ends early
 * with a checkpoint. `stop` may be NULL. The simulation must be as it was made or resumed, because a trajectory needs
 * its beginning: neither advanced, nor changed after step 0. To continue a stopped run, resume it. */
PH_PUBLIC enum ph_status ph_simulation_finish(struct ph_simulation *simulation, bool overwrite,
                                              bool (*stop)(void *data), void *data, struct ph_error *err);

/* ---- Read and change ---- */

PH_PUBLIC int64_t ph_simulation_step(const struct ph_simulation *simulation); /* number of steps done */
PH_PUBLIC int64_t ph_simulation_end(const struct ph_simulation *simulation);  /* the last step of the input */
PH_PUBLIC double ph_simulation_time(const struct ph_simulation *simulation);  /* the simulated time */
/* Returns notes on the start for the user, one sentence per line, or "". They live as long as the simulation. */
PH_PUBLIC const char *ph_simulation_notes(const struct ph_simulation *simulation);

PH_PUBLIC size_t ph_simulation_molecules(const struct ph_simulation *simulation); /* their number */
PH_PUBLIC size_t ph_simulation_species(const struct ph_simulation *simulation);   /* their number */
PH_PUBLIC size_t ph_simulation_species_of(const struct ph_simulation *simulation, size_t molecule);

struct ph_species_facts {
    const char *name; /* of the model; lives as long as the simulation */
    size_t count;     /* of molecules */
    double mass;
    double inertia[3]; /* principal moments; all 0 for a point particle, one 0 for a linear rotor */
};
/* Returns facts on species s; the first is 0. */
PH_PUBLIC struct ph_species_facts ph_simulation_species_facts(const struct ph_simulation *simulation, size_t s);

/* A site of a molecule. Its position is in the body frame: the origin is the centre of mass, the axes are the principal
 * axes. A site of molecule i lies at r + Q(q) position. */
struct ph_site_facts {
    const char *name; /* lives as long as the simulation */
    double position[3];
    double mass, charge;
};
PH_PUBLIC size_t ph_simulation_sites(const struct ph_simulation *simulation, size_t s); /* their number in species s */
/* Returns facts on site k of species s; the first is 0. */
PH_PUBLIC struct ph_site_facts ph_simulation_site_facts(const struct ph_simulation *simulation, size_t s, size_t k);

/* Writes the three edge vectors of the box, one after the other. In open space returns false and writes zeros. */
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

/* Copies a quantity of all molecules to `to`: 3 numbers for each molecule, 4 of a quaternion. */
PH_PUBLIC enum ph_status ph_simulation_read(struct ph_simulation *simulation, enum ph_array which, double *to,
                                            struct ph_error *err);

/* Copies a quantity of all molecules from `from`. Positions may lie outside the box; PH_ARRAY_UNWRAPPED then reads them
 * as they were written. Quaternions must have length 1 to six digits; the library normalises them, and ignores
 * quaternions of point particles. Angular momenta about an axis without inertia must be 0. PH_ARRAY_FORCE and
 * PH_ARRAY_TORQUE cannot be written. The check of energy conservation begins anew with this state. */
PH_PUBLIC enum ph_status ph_simulation_write(struct ph_simulation *simulation, enum ph_array which, const double *from,
                                             struct ph_error *err);

/* The memory where the simulation keeps a quantity: number k of molecule i is data[i * row + k * column]. Its address
 * does not change while the simulation lives. It holds the present state after a successful call of
 * ph_simulation_view, _read, _energies or _advance. */
struct ph_view {
    double *data;
    size_t molecules, numbers; /* numbers of each: 3, 4 of a quaternion */
    size_t row, column;        /* doubles from one molecule, and from one number, to the next */
};

/* Returns a view, without a copy. PH_ARRAY_UNWRAPPED has no memory of its own, and no view. */
PH_PUBLIC enum ph_status ph_simulation_view(struct ph_simulation *simulation, enum ph_array which, struct ph_view *view,
                                            struct ph_error *err);

/* Tells the simulation that the caller has written this quantity through a view. Call it after ph_simulation_view and
 * the writing, before any other function. Accepts the same values as ph_simulation_write. New positions count as moves:
 * unwrapped positions change by the same vectors. If the call fails, the caller must restore the old values. */
PH_PUBLIC enum ph_status ph_simulation_changed(struct ph_simulation *simulation, enum ph_array which,
                                               struct ph_error *err);

struct ph_energies {
    double total; /* kinetic and potential */
    double kinetic_translation, kinetic_rotation;
    double potential;  /* the sum of these: */
    double radial;     /*   Lennard-Jones and the like */
    double electric;   /*   charges and dipoles, all of an Ewald sum */
    double long_range; /*   correction beyond the cutoff */
    double external;   /*   fields, a force of your own, a bias of PLUMED */
    double temperature, temperature_translation, temperature_rotation; /* NaN without degrees of freedom */
    double virial[9]; /* molecular: sum over pairs of R_ij F_ij, R_ij between centres; row by row */
    double pressure;  /* molecular, a third of the trace of its tensor; NaN in open space, like */
    double pressure_tensor[9];
    double momentum[3], angular_momentum[3], dipole[3]; /* of all molecules; angular momentum about the origin */
};

PH_PUBLIC enum ph_status ph_simulation_energies(struct ph_simulation *simulation, struct ph_energies *energies,
                                                struct ph_error *err);

/* ---- Forces of your own ---- */

/* Arguments and results of the function; arrays as above, valid during the call */
struct ph_force_call {
    size_t molecules;
    const double *positions;   /* of the centres, not wrapped into the box */
    const double *quaternions; /* four numbers each */
    double *forces, *torques;  /* results, 0 before; torques about the centres, in the SPACE frame */
    double energy;             /* result, 0 before */
};

/* Adds a force. Each evaluation of forces calls force(call, data) after all other forces, in the thread that called the
 * library. NULL removes the force. Its energy is a part of ph_energies.external. As for external fields, it does not
 * enter virial and pressure. Forces and torques must be minus the derivative of the energy, and the energy must depend
 * on positions and quaternions alone. It must be as smooth as the order of the scheme demands. Torques about axes
 * without inertia have no effect. */

/* `force` returns true if it has computed the force. If it returns false, the function that called it returns
 * PH_ERR_INPUT, and the state is in the middle of a step. `force` must not call functions of the same simulation.
 * `keeps_momentum`: the forces on all molecules always add up to 0. Temperatures then have three degrees of freedom
 * less.
 *
 * Refused with a barostat, schemes with force gradients, output.shadow_energy and output.configurational_temperature.
 * A checkpoint cannot hold a function: a resumed simulation refuses to advance until this function gives it its force
 * again, or NULL. */
PH_PUBLIC enum ph_status ph_simulation_set_force(struct ph_simulation *simulation,
                                                 bool (*force)(struct ph_force_call *call, void *data), void *data,
                                                 bool keeps_momentum, struct ph_error *err);

#ifdef __cplusplus
}
#endif

#endif
