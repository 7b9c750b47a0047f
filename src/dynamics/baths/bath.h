/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_BATH_H
#define PH_DYNAMICS_BATHS_BATH_H

/* Heat baths, each one constant object. A bath changes momenta only, and keeps the canonical distribution of a
 * temperature. Composed with steps at constant energy it gives that ensemble up to the error of these steps. So
 * averages have the order of the scheme. Random numbers are drawn by counter: they depend on the seed, the step number
 * and the number of the molecule, not on threads or on a restart. */

#include "model/system.h"
#include "state/state.h"

#include <stdbool.h>

struct ph_bath_options {
    const struct ph_bath_kind *kind;
    double kT;
    double friction[2];             /* of translation and rotation, per time; 0 leaves these alone */
    double relaxation_time;         /* of kinetic energies; 0: canonical at once (not for chains) */
    int chain;                      /* thermostats in a chain */
    size_t translation;             /* degrees of freedom; 0 leaves these momenta alone */
    size_t rotation;                /* likewise */
    double degrees[PH_BATH_GROUPS]; /* of each group, by ph_bath_count_degrees: the mover's */
    uint64_t seed;
    int substeps; /* Metropolis' rule decides after as many steps of the scheme; 0: after each */
    bool shadow;  /* Metropolis' rule takes the shadow energy, whose correction depends on places alone */
};

/* Applies a bath before or after step number `step`, of length h. */
typedef enum ph_status ph_bath_half(const struct ph_bath_options *bath, double h, uint64_t step, struct ph_state *state,
                                    double numbers[PH_BATH_NUMBERS], struct ph_error *err);

struct ph_bath_kind {
    const char *name, *summary, *reference;
    const char *documentation;    /* a paragraph for the user */
    bool keeps_momentum;          /* a total momentum of zero stays zero */
    bool metropolis;              /* steps are accepted or rejected by their error of energy, see mover.c */
    ph_bath_half *before, *after; /* either may be NULL; numbers are zero where a stage begins */
    ph_bath_half *middle; /* in the middle of the central drift of a step; NULL: none. The last kick stays pending */
    /* Energy of the bath's own variables; NULL without such */
    double (*energy)(const struct ph_bath_options *bath, const double numbers[PH_BATH_NUMBERS]);
};

size_t ph_bath_count(void);
const struct ph_bath_kind *ph_bath_at(size_t k);
const struct ph_bath_kind *ph_bath_find(const char *name); /* NULL: there is none */

/* Counts the momenta of a group, translation or rotation about body axis group - 1. Rotation counts only molecules that
 * can turn about the axis. */
size_t ph_bath_degrees(const struct ph_system *system, int group);
/* Counts them for all groups, 0 for groups without a bath. Translation may have fewer than all if the total momentum is
 * conserved. */
void ph_bath_count_degrees(const struct ph_system *system, size_t translation, size_t rotation,
                           double degrees[PH_BATH_GROUPS]);

#endif
