/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PROBLEMS_PROBLEM_H
#define PH_LAB_PROBLEMS_PROBLEM_H

/* Problems of the literature: systems with their interactions and start, as in the paper.
 *
 * A problem is one constant object. Lists, studies, certification and tests read it; adding one is adding an object in
 * a file beside this one and a line to the registry. */

#include "base/error.h"
#include "force/interactions.h"
#include "model/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A problem posed: all that is needed to begin. Zero before, cleared after. */
struct ph_posed {
    struct ph_system *system; /* owned */
    struct ph_interactions interactions;
};
void ph_posed_clear(struct ph_posed *posed);

/* The state of another system, in one of its own; without forces */
enum ph_status ph_posed_copy_system(const struct ph_system *from, struct ph_system **out, struct ph_error *err);

/* For problems of one body: at the origin, in the orientation q = 1, at rest, its centre pinned; no interactions yet */
enum ph_status ph_posed_body(const char *name, const double inertia[3], struct ph_posed *posed, struct ph_error *err);

/* Potential and kinetic energy as the system stands */
enum ph_status ph_posed_energy(const struct ph_posed *posed, double *potential, double *kinetic, struct ph_error *err);

struct ph_problem_parameter {
    const char *name, *help;
    double value; /* unless set otherwise */
};
enum { PH_PROBLEM_PARAMETERS = 6 };

struct ph_problem {
    const char *name;
    const char *summary;       /* one line */
    const char *documentation; /* a paragraph: potential energy, parameters, choices where the source does not say */
    const char *reference;
    double time;   /* over which the source follows it */
    double energy; /* at the start, as published; 0 if it is not */
    bool random;   /* the start depends on seed and number */
    size_t n_parameters;
    struct ph_problem_parameter parameter[PH_PROBLEM_PARAMETERS];
    /* `value` has n_parameters numbers in the order above; `posed` is zero and is cleared by the caller on failure. */
    enum ph_status (*pose)(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err);
};

/* A parameter to be set */
struct ph_setting {
    const char *name;
    double value;
};

/* Start number `number` of a seed; problems that are not random have only one. The caller clears `posed`, also if this
 * failed. */
enum ph_status ph_problem_pose(const struct ph_problem *problem, size_t n_settings, const struct ph_setting *settings,
                               uint64_t seed, uint64_t number, struct ph_posed *posed, struct ph_error *err);

/* The registry, in the order of the documentation; ph_problem_find returns NULL for an unknown name. */
size_t ph_problem_count(void);
const struct ph_problem *ph_problem_at(size_t index);
const struct ph_problem *ph_problem_find(const char *name);

/* problem_tops.c, problem_bodies.c, problem_dipoles.c, problem_rotors.c */
extern const struct ph_problem ph_problem_perturbed_body, ph_problem_satellite, ph_problem_slow_top,
    ph_problem_fast_top;
extern const struct ph_problem ph_problem_random_body, ph_problem_book, ph_problem_heavy_book, ph_problem_flat_body,
    ph_problem_asymmetric_body, ph_problem_free_body, ph_problem_soft_wall, ph_problem_attractor;
extern const struct ph_problem ph_problem_dipole_cloud, ph_problem_dipole_lattice, ph_problem_dipolar_liquid;
extern const struct ph_problem ph_problem_spherical_pendulum, ph_problem_dipole_array;

#endif
