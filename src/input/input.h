/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_INPUT_H
#define PH_INPUT_INPUT_H

/* An input file as plain data: typed, in range, every key known, combinations possible. Methods are still only names.
 * Numbers that were not given and have no default are NaN, texts are empty, integers PH_ABSENT. */

#include "base/external_fields.h"
#include "input/schema.h"
#include "input/texts.h"
#include "potential/angular.h"
#include "potential/curves/curve.h"
#include "potential/forms.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PH_WORD = 32,
    PH_INPUT_SPECIES_MAX = 16,
    PH_INPUT_PAIRS_MAX = 64,
    PH_INPUT_STAGES_MAX = 32,
    PH_INPUT_KEYS_MAX = 260,
    PH_INPUT_NAMES_MAX = 64,
    PH_INPUT_FORMULA = 1024,
};

/* One of the forms of potential/forms.h; `kind` is its name, "" without any. Fixed exponents are filled in, and numbers
 * that the form does not have are 0. */
struct ph_input_radial {
    int line[PH_FORM_COUNT]; /* where the forms begin, 0 if absent */
    char kind[PH_WORD];
    double epsilon, sigma, repulsive, attractive;
    char table[PH_PATH], formula[PH_INPUT_FORMULA]; /* of curves */
    size_t n_constants;
    char constants[PH_CURVE_CONSTANTS][2][PH_WORD]; /* names and numbers */
    struct ph_angular angular;                      /* a formula with axes, in place of a radial form; or kind NONE */
};

/* One of the forms of potential/angular.h; `kind` is its number, PH_ANGULAR_NONE without any. */
struct ph_input_angular {
    int line[PH_ANGULAR_KINDS]; /* where the forms begin, 0 if absent */
    double number[PH_ANGULAR_KINDS][PH_ANGULAR_NUMBERS];
    enum ph_angular_kind kind;
};

struct ph_input_molecules {
    int line;
    char model[PH_PATH];
    int64_t count;
};

struct ph_input_pair {
    int line;
    char sites[2][2 * PH_WORD]; /* "model.site" */
    struct ph_input_radial radial;
    struct ph_input_angular angular; /* of ellipsoids: numbers that take the place of the combining rule's */
};

struct ph_input_bath {
    int line;
    char kind[PH_WORD]; /* "": none */
    double temperature, friction, rotation_friction, relaxation_time;
    int64_t chain, seed, substeps; /* substeps: 1 without metropolis */
    bool shadow;                   /* metropolis: by the shadow energy */
};

struct ph_input_cell {
    int line;
    char kind[PH_WORD]; /* "": the box stays as it is */
    double pressure, pressure_bar;
    char shape[PH_WORD];
    double relaxation_time, compressibility; /* compressibility NaN: chosen */
    double density;
    int64_t every, seed;
};

/* A part of a run with methods of its own. However the input says it, all that moves is a list of these. */
struct ph_input_stage {
    int line;
    char name[PH_WORD];
    char scheme[PH_WORD], flow[PH_WORD], integrator[PH_WORD]; /* as in dynamics */
    double step;
    int64_t steps;
    bool land; /* at its end, scale momenta so that the mean temperature at constant energy will be the bath's */
    struct ph_input_bath thermostat;
    struct ph_input_cell barostat;
    int64_t frames_every, series_every, fluxes_every;
};

struct ph_input {
    char file[PH_PATH]; /* the input file itself */
    char title[PH_PATH];
    char units[PH_WORD]; /* reduced, md */

    struct {
        int line, box_line, start_line;
        struct {
            char kind[PH_WORD]; /* periodic, open */
            double density, mass_density, length[3], edges[9];
        } box;
        size_t n_molecules;
        struct ph_input_molecules molecules[PH_INPUT_SPECIES_MAX];
        struct {
            char kind[PH_WORD]; /* fcc, simple-cubic, random, gaussian, ice, file */
            char form[PH_WORD]; /* of an ice */
            int64_t cells[3];   /* of an ice; PH_ABSENT: chosen */
            double jitter, spacing, minimum_distance, radius, spread;
            char file[PH_PATH];
            int64_t frame; /* from 0, or backwards from -1 */
            char format[PH_WORD], length_unit[PH_WORD], atom_style[PH_WORD], units[PH_WORD]; /* "": found */
            size_t n_names;
            char names[PH_INPUT_NAMES_MAX][2][PH_WORD]; /* of atoms, and of sites */
            double tolerance, scale;
            char attitudes[PH_WORD]; /* random, aligned */
            double temperature;
            bool rescale;
            int64_t seed;
            int minimise_line;
            struct {
                int64_t steps; /* PH_ABSENT: none */
                double force;
            } minimise;
        } start;
    } system;

    struct {
        int line, switch_line, electrostatics_line, external_line;
        double cutoff;            /* 0: chosen with the mesh */
        char truncation[PH_WORD]; /* none, cut, shifted, force-shifted, switched */
        double switch_width;
        char smoothness[PH_WORD]; /* 2, 4, 6, all */
        char method[PH_WORD];     /* cutoff, reaction-field, ewald, mesh */
        bool method_chosen;       /* mesh, because charges or dipoles are in a periodic box and nothing was stated */
        double permittivity, ewald_tolerance;
        char geometry[PH_WORD], split[PH_WORD]; /* bulk, slab; gauss, bessel, or "" for methods without */
        int64_t ewald_smoothness, grid[3], mesh_width;
        double screening, shape, k_max, window; /* these, grid and mesh_width: 0 if the program is to choose */
        bool remove_net_force;
        char combining[PH_WORD]; /* lorentz-berthelot, geometric */
        bool long_range_correction;
        double skin;
        size_t n_pairs;
        struct ph_input_pair pairs[PH_INPUT_PAIRS_MAX];
        struct ph_external_fields external;
        bool pinned;
        struct {
            int line;
            char file[PH_PATH], log[PH_PATH]; /* "": no bias */
            int64_t every;
            bool keeps_momentum;
        } plumed;
    } interactions;

    struct {
        int line, equilibrate_line;
        char scheme[PH_WORD], flow[PH_WORD], integrator[PH_WORD]; /* scheme and integrator "": scheme chosen for you */
        char backend[PH_WORD];                                    /* cpu, cuda, emulated */
        double step;
        int64_t steps;
        bool compensated;
        double energy_bound;
        struct {
            int line;             /* 0: one time scale */
            char part[PH_WORD];   /* the fast or the slow part of the forces: near, reciprocal */
            char scheme[PH_WORD]; /* the inner one */
            int64_t substeps;
            double radius, width; /* NaN: chosen */
        } nested;
        struct {
            int64_t steps, seed;
            double temperature, relaxation_time;
            bool land;
        } equilibrate;
        struct ph_input_bath thermostat;
        struct ph_input_cell barostat;
    } dynamics; /* with stages: their common settings; scheme, flow, step and more are taken from the last stage */

    /* The stages of the run, also where the input has none: then equilibration, if any, and production */
    size_t n_stages;
    struct ph_input_stage stages[PH_INPUT_STAGES_MAX];
    bool staged; /* the input lists them */

    struct {
        int line;
        char file[PH_PATH], author[PH_PATH];
        int64_t frames_every, series_every, fluxes_every, checkpoint_every;
        /* of other quantities per molecule; PH_ABSENT: as positions */
        int64_t image_every, velocity_every, orientation_every, angular_momentum_every;
        int64_t dipole_every, force_every, torque_every;
        char precision[PH_WORD], writing[PH_WORD];
        int64_t compression;
        bool shadow_energy, configurational_temperature;
    } output;

    int lines[PH_INPUT_KEYS_MAX]; /* where each key of ph_input_schema was written */
    size_t n_sets;
    const char *const *sets; /* not owned */
    struct ph_texts *texts;  /* not owned; where files are read from and kept, or NULL */
};

extern const struct ph_schema ph_input_schema;

/* Reads a file, applies n_sets assignments "key.path=value" (as of --set; they must outlive the result) to it, fills in
 * defaults and checks. The struct holds no memory of its own. */
enum ph_status ph_input_read(const char *file, size_t n_sets, const char *const *sets, struct ph_input *input,
                             struct ph_error *err);
/* The same, keeping the texts of the input and of its models */
enum ph_status ph_input_read_keeping(struct ph_texts *texts, const char *file, size_t n_sets, const char *const *sets,
                                     struct ph_input *input, struct ph_error *err);

/* True if the user wrote this key */
bool ph_input_given(const struct ph_input *input, const char *path);
/* Writes where a key was given: "file:12", "--set a.b=c", or "file" if nowhere */
void ph_input_place(const struct ph_input *input, const char *path, char text[PH_PLACE]);
void ph_input_line_place(const struct ph_input *input, int line, char text[PH_PLACE]);

/* A sentence for messages about a mesh that the user did not ask for, beginning with a space; "" where it was stated */
const char *ph_input_why_mesh(const struct ph_input *input);

/* "system.start.jitter, system.start.spacing": keys that say nothing because the start is a file */
void ph_input_ignored(const struct ph_input *input, size_t size, char *list);

/* Adds a place to an error from code that knows keys but not files: the line of the key that begins the message, else
 * the file. If the mesh was chosen by default, errors of the force field say so. */
enum ph_status ph_input_error(const struct ph_input *input, const struct ph_error *inner, struct ph_error *err);

/* A file named in the input, relative to the input's own directory; false if the result is too long */
bool ph_input_relative(const struct ph_input *input, const char *name, char path[PH_PATH]);

/* Finds which form was given and completes its numbers; `place` and `key` are for the message. Reads the table, if it
 * is one: `file` is the one that names it, and `texts` may be NULL. */
enum ph_status ph_input_radial_finish(const char *place, const char *key, const char *file, struct ph_texts *texts,
                                      struct ph_input_radial *radial, struct ph_error *err);
/* The same of an angular form, which a formula that `radial` has may be. */
enum ph_status ph_input_angular_finish(const char *place, const char *key, const struct ph_input_radial *radial,
                                       struct ph_input_angular *angular, struct ph_error *err);
/* Completes what a pair has: a radial form, a formula, or the numbers of two ellipsoids. */
enum ph_status ph_input_pair_finish(const char *place, const char *key, const char *file, struct ph_texts *texts,
                                    struct ph_input_pair *pair, struct ph_error *err);
/* Refuses a formula with axes if two sites of one kind, which it is for, cannot be exchanged. */
enum ph_status ph_input_formula_check(const char *place, const char *key, const struct ph_input_radial *radial,
                                      struct ph_error *err);

#endif
