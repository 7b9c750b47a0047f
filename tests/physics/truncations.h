/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_PHYSICS_TRUNCATIONS_H
#define PH_TESTS_PHYSICS_TRUNCATIONS_H

/* All ways in which interactions end, electrostatics and boxes that tests of forces go through */

#include "force_systems.h"

static const struct {
    const char *name;
    enum ph_truncation truncation;
    int smoothness;
} truncations[] = {
    {"none", PH_TRUNCATE_NONE, 0},       {"cut", PH_TRUNCATE_CUT, 0},
    {"shifted", PH_TRUNCATE_SHIFTED, 0}, {"force-shifted", PH_TRUNCATE_FORCE_SHIFTED, 0},
    {"C2", PH_TRUNCATE_SWITCHED, 2},     {"C4", PH_TRUNCATE_SWITCHED, 4},
    {"C6", PH_TRUNCATE_SWITCHED, 6},     {"all", PH_TRUNCATE_SWITCHED, PH_SMOOTH_ALL},
};
enum { TRUNCATIONS = sizeof truncations / sizeof truncations[0] };

static const struct {
    const char *name;
    enum ph_electrostatics method;
    double epsilon;
} methods[] = {
    {"no reaction field", PH_ELECTROSTATICS_CUTOFF, 0.0},
    {"reaction field 4.5", PH_ELECTROSTATICS_REACTION_FIELD, 4.5},
    {"conductor", PH_ELECTROSTATICS_REACTION_FIELD, INFINITY},
};

static const struct {
    const char *name;
    const double (*shape)[3];
} boxes[] = {{"open", NULL}, {"cube", cube_edges}, {"brick", brick_edges}, {"tilted", tilted_edges}};

/* Without a cutoff there is no reaction field, and none ends with all derivatives. */
static inline bool takes_a_field(size_t truncation)
{
    return truncations[truncation].truncation != PH_TRUNCATE_NONE &&
           truncations[truncation].smoothness != PH_SMOOTH_ALL;
}

#endif
