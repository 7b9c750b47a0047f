/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_EWALD_INSIDE_H
#define PH_FORCE_LONGRANGE_EWALD_INSIDE_H

/* The term of an Ewald sum: ewald.c makes it, ewald_forces.c evaluates it. */

#include "force/longrange/mesh/mesh.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/longrange/surface.h"
#include "force/longrange/waves.h"
#include "force/term.h"

/* Sites of one species that have a charge, a dipole or a quadrupole, by their number in its layout; and its molecules
 * on this rank */
struct ph_charged_sites {
    size_t n, site[PH_SITES_MAX];
    struct ph_charged_tensor tensor[PH_SITES_MAX];
    size_t begin, end;   /* places of these molecules */
    bool unwrapped;      /* a slab has molecules of this species where they are beyond the faces of the box, too */
    size_t first;        /* site k of the molecule at place i is number first + (i - begin) n + k of ours; */
    size_t first_of_all; /* site k of molecule x of the species is number first_of_all + x n + k of all */
};

/* Molecules of one species that a thread takes at a time */
struct ph_ewald_turn {
    size_t species, begin, end;
};

struct ph_ewald {
    const struct ph_sites *sites;        /* not owned */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_wave_sites charged;        /* ours */
    struct ph_waves waves;               /* of a direct sum, or */
    struct ph_mesh *mesh;                /* owned; NULL for a direct sum */
    double constant;                     /* minus the self-energy of all molecules in reciprocal space */
    double background;                   /* energy of the net charge with its neutralising background */
    struct ph_surface surface;
    double mass; /* of all molecules */
    size_t n_turns, room_turns;
    struct ph_ewald_turn *turn;       /* owned */
    struct ph_charged_sites *species; /* owned */
    double charge[];                  /* of a site, [species * PH_SITES_MAX + k] */
};

enum ph_status ph_ewald_evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err);
enum ph_status ph_ewald_add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                  struct ph_error *err);

#endif
