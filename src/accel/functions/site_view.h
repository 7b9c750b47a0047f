/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_SITE_VIEW_H
#define PH_ACCEL_FUNCTIONS_SITE_VIEW_H

/* Data for the bodies of accel/functions/site_functions.h besides the state: molecules of several sites and of several
 * species. All in the memory of a machine; made by accel/engine/site_table.c from the table that the processor uses
 * (force/pairs/pair_table.h). */

#include "model/species.h"
#include "potential/angular_formulas.h"
#include "potential/pair.h"
#include "rigid/top.h"

#include <stdint.h>

enum { PH_KIND_AXES = 2 * PH_SITES_MAX }; /* a record has no room for more, see PH_FIELDS_MAX */

/* One species: how it moves, and its interacting sites in the body frame. `position` and `dipole` say where in a record
 * the arm of a site (from the centre, in space) and its dipole are, as in force/pairs/lists/tile.h. */
struct ph_site_kind {
    struct ph_top top;
    double mass;
    bool rotates;
    uint32_t n_sites;
    uint32_t position[PH_SITES_MAX], dipole[PH_SITES_MAX];
    bool has_dipole[PH_SITES_MAX];
    double arm_body[PH_SITES_MAX][3], dipole_body[PH_SITES_MAX][3];
    uint32_t n_axes, axis[PH_KIND_AXES]; /* of angular forms: of all sites, and where each is in a record */
    double axis_body[PH_KIND_AXES][3];
};

/* Molecules with kernels of their own, by their sites: two alike, two, X with two Y in either order, and the same with
 * charges at a fourth place in place of X's */
enum ph_shape { PH_NO_SHAPE, PH_SHAPE_X2, PH_SHAPE_XY, PH_SHAPE_XY2, PH_SHAPE_YXY, PH_SHAPE_XY2M, PH_SHAPES };
enum { PH_SHAPE_SITES = 4, PH_SHAPE_KINDS = 4 };

/* Water whose pairs are computed without branches, see accel/functions/water_functions.h, by the field of charges */
enum ph_water_field { PH_NO_WATER, PH_WATER_SMOOTH, PH_WATER_SPLIT };
struct ph_water {
    struct ph_pair_term term; /* of the first sites */
    double cutoff, cut2;
    double strength[PH_SHAPE_KINDS];             /* of charges, for each kind of pairs */
    double inverse, t[8], s[8];                  /* smooth: T' and S by powers */
    double scale, power[2][PH_SPLIT_DEGREE + 1]; /* split: of struct ph_split_pairs */
};

/* A pair of sites. Entries of two species follow each other by the sites of i; `last`: the last of this site */
struct ph_site_entry {
    int variant; /* enum ph_site_variant of accel/functions/variants.h; PH_SITE_VARIANT_COUNT: none of them */
    enum ph_kernel_radial radial;
    enum ph_kernel_electric electric;
    enum ph_truncate truncate;
    int field; /* enum field of potential/pair_force.h */
    bool last;
    uint32_t position_i, dipole_i, position_j, dipole_j;
    struct ph_pair_term term;
    uint32_t angular; /* number in `angular` of a form in place of radial and electric terms, from 1 on; 0: none */
};

/* An angular form of two sites. They are apart from entries, which others pass as arguments of kernels. */
struct ph_angular_entry {
    struct ph_angular_term term;
    uint32_t axis_i[PH_AXES_MAX], axis_j[PH_AXES_MAX];
};

struct ph_site_view {
    uint32_t n_kinds; /* species; 0: single sites of one species, which have their own kernels */
    uint32_t record;  /* numbers of a molecule in `place` */
    bool common;      /* all entries are variants */
    struct ph_site_kind *kind;
    struct ph_site_entry *entry; /* of species s and t: numbers start[s n_kinds + t] up to the next */
    uint32_t *start;
    bool is_rare; /* some entries have angular forms, tables or formulas of the user's own */
    struct ph_angular_entry *angular;
    void *curves; /* copies of tables and formulas, named by entries */
    /* Not PH_NO_SHAPE: the molecules have a kernel of their own. All are of one species without dipoles, and all
     * entries are variants. */
    enum ph_shape shape;
    uint32_t entry_of[PH_SHAPE_KINDS];  /* an entry for each kind of pairs of sites */
    struct ph_site_entry *on_host;      /* with a shape: the entries in the memory of the host; else NULL */
    enum ph_water_field water_field;    /* not PH_NO_WATER: the shape is PH_SHAPE_XY2 or PH_SHAPE_XY2M; with it: */
    struct ph_water *water, *its_water; /* numbers, and the same in the memory of the host */
    struct ph_split_pairs *split;       /* tables of some Ewald sums, named by entries */
    uint32_t *species;                  /* of each molecule */
    uint32_t *species_at;               /* of each slot */
    double *place;                      /* records, by slots */
};

#endif
