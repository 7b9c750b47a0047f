/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_TERM_H
#define PH_FORCE_TERM_H

/* A term of the force field: something that adds forces, torques and energy. Every kind of term is one constant object
 * of functions; the force field is an array of terms, used only through these. To add a kind: such an object, and a
 * line in force_field.c. */

#include "force/energy.h"
#include "force/sites.h"

/* Arguments to create a term; system and sites outlive it. */
struct ph_term_setup {
    const struct ph_system *system;
    const struct ph_interactions *interactions; /* with all choices made */
    const struct ph_sites *sites;
};

struct ph_term_kind {
    const char *name;
    /* *out stays NULL where the interactions ask for nothing of the kind. */
    enum ph_status (*create)(const struct ph_term_setup *setup, void **out, struct ph_error *err);
    void (*destroy)(void *term);

    /* Adds to system->f and system->t, and to *energy unless it is NULL. The sites are placed. */
    enum ph_status (*evaluate)(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err);
    /* Adds to the rates, at the state of the last evaluation. NULL: forces do not change. */
    enum ph_status (*rates)(void *term, const struct ph_system *system, const struct ph_rates *rates,
                            struct ph_error *err);
    /* system->box and positions have changed. NULL: the term does not depend on the box. */
    enum ph_status (*box_changed)(void *term, const struct ph_system *system, struct ph_error *err);

    /* ---- All of these may be NULL ---- */
    /* Before sites are placed; centres may be wrapped into the box here. */
    enum ph_status (*prepare)(void *term, struct ph_system *system, struct ph_error *err);
    /* Why the force on molecule i is not finite after this term was added; PH_OK if the term does not know. */
    enum ph_status (*explain)(const void *term, const struct ph_system *system, size_t i, struct ph_error *err);
    /* As the functions of these names in force_field.h */
    void (*forget)(void *term);
    void (*remember)(const void *term, struct ph_force_memory *memory);
    enum ph_status (*restore)(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                              struct ph_error *err);
    void (*count)(const void *term, struct ph_force_counts *counts);
    /* Returns true if the last evaluation saw that forces and torques on all molecules, or on ours, are finite after it
     * has added to them. */
    bool (*saw_finite)(const void *term);
};

extern const struct ph_term_kind ph_term_pairs;    /* pairs/pairs.c */
extern const struct ph_term_kind ph_term_tail;     /* longrange/tail.c */
extern const struct ph_term_kind ph_term_ewald;    /* longrange/ewald.c */
extern const struct ph_term_kind ph_term_external; /* external/external.c */
extern const struct ph_term_kind ph_term_plumed;   /* external/plumed.c */
extern const struct ph_term_kind ph_term_caller;   /* external/caller.c */

#endif
