/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_PAIR_TABLE_H
#define PH_FORCE_PAIRS_PAIR_TABLE_H

/* Table of interacting sites of all species, with their kernels and constants. */

#include "force/interactions.h"
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "force/pairs/kernels/derivative/derivative_kernel.h"
#include "force/pairs/kernels/flat_kernel.h"
#include "force/pairs/kernels/group/group_kernel.h"
#include "force/pairs/kernels/kernel.h"
#include "model/system.h"

enum { PH_FIELDS_MAX = 6 * PH_SITES_MAX };

/* The fields of one species: where in a molecule's record position, dipole and axes of each site are (see tile.h) */
struct ph_layout {
    size_t n_fields;
    size_t
        n_far; /* an even number: fields before the axes of forms that end by themselves, which few neighbours need */
    size_t n_sites;                                                          /* interacting ones */
    size_t site[PH_SITES_MAX], position[PH_SITES_MAX], dipole[PH_SITES_MAX]; /* index in the species; fields */
    bool has_dipole[PH_SITES_MAX];
    size_t n_axes[PH_SITES_MAX], axis[PH_SITES_MAX][PH_AXES_MAX]; /* of angular forms; fields */
    size_t body_axis[PH_SITES_MAX][PH_AXES_MAX];                  /* which of the axes of the site in the species */
};

/* A pair of sites, and the kernels for it alone */
struct ph_site_pair {
    size_t position_i, dipole_i, position_j, dipole_j;  /* fields; a dipole that is not used names the position */
    ph_kernel *kernel[PH_ROWS_KINDS][2];                /* [rows][energy] */
    ph_kernel *inside[PH_ROWS_KINDS][2];                /* the same for pairs that are known to be inside */
    ph_flat_kernel *flat[2];                            /* for short lists, [energy]; NULL where there is none */
    ph_derivative_kernel *derivative[2][PH_ROWS_KINDS]; /* [inside][rows] */
    enum ph_kernel_radial radial;
    enum ph_kernel_electric electric;
    enum ph_truncate truncate;
    struct ph_pair_term term;
    double row[PH_TERM_ROWS]; /* constants that may differ between species of a kind */

    struct ph_angular_term angular;       /* an angular form in place of all kernels above; kind NONE: none */
    const size_t *axis_i, *axis_j;        /* fields of the axes; of the layouts */
    ph_angular_kernel *angular_kernel[2]; /* [rates] */
};

/* Pairs of one site of j with one or more sites of i, which one call of a kernel does */
struct ph_site_group {
    size_t n, pair[PH_GROUP_MAX];
    ph_group_kernel *kernel[2][2]; /* [inside][energy]; of a single pair NULL */
};

struct ph_site_pairs {
    size_t n;
    struct ph_site_pair *pair;   /* owned */
    struct ph_site_group *group; /* owned: every pair is in one of them */
    size_t n_groups;
    bool single; /* the only kernel sets every field of j */
    bool leads;  /* the first kernel sets every one of the `n_far` fields of j; the others, if any, end by themselves */
    size_t
        n_rows; /* of the first species j of a kind: how many of `row` the kernel takes from rows; 0: they all agree */
};

struct ph_pair_table {
    size_t n_species, n_fields;   /* fields: the most of any species */
    size_t record;                /* their number, made even: two are moved together */
    struct ph_layout *layout;     /* owned, per species */
    struct ph_split_pairs *split; /* owned: of an Ewald sum whose pairs end by themselves, or NULL */
    struct ph_site_pairs *of;     /* owned, of[s * n_species + t]: molecule i of species s with j of species t */
    /* Owned, per species. Species s and the following ones, up to kind_end[s], are of one kind: their molecules j
     * differ in constants alone, so that one kernel can take them together (see PH_ROWS_MIXED_SET). */
    size_t *kind_end;
};

/* The layout of molecule i. One kind has one, and mixtures of one kind are common: there is nothing to look up. */
static inline const struct ph_layout *ph_layout_of(const struct ph_pair_table *table, const struct ph_system *system,
                                                   size_t i)
{
    return &table->layout[table->kind_end[0] == table->n_species ? 0 : ph_system_species_of(system, i)];
}

enum ph_status ph_pair_table_init(const struct ph_system *system, const struct ph_interactions *interactions,
                                  struct ph_pair_table *table, struct ph_error *err);
void ph_pair_table_clear(struct ph_pair_table *table);
/* Pairs of an Ewald sum get another split of the same kind, with the same cutoff. */
void ph_pair_table_set_split(const struct ph_interactions *interactions, struct ph_pair_table *table);

/* Does interactions.pairs name this site? It may have no interaction of its own. */
bool ph_site_is_given(const struct ph_interactions *interactions, const struct ph_species *species, size_t a);
/* The radial interaction that interactions.pairs gives for two sites, NONE where it gives a formula with axes; or NULL
 */
const struct ph_radial *ph_pair_given(const struct ph_interactions *interactions, const struct ph_species *s, size_t a,
                                      const struct ph_species *t, size_t b);

/* What it gives as a formula with axes, or NULL; `exchanged`, which may be NULL: whether site b is its first one */
const struct ph_angular *ph_pair_given_angular(const struct ph_interactions *interactions, const struct ph_species *s,
                                               size_t a, const struct ph_species *t, size_t b, bool *exchanged);

/* The numbers that it gives for two ellipsoids, or NULL */
const struct ph_angular *ph_pair_given_ellipsoids(const struct ph_interactions *interactions,
                                                  const struct ph_species *s, size_t a, const struct ph_species *t,
                                                  size_t b);

/* The radial interaction between two sites after overrides and combining rules; kind NONE if either has none. */
enum ph_status ph_combine(const struct ph_interactions *interactions, const struct ph_species *s, size_t a,
                          const struct ph_species *t, size_t b, struct ph_radial *out, struct ph_error *err);

/* The kernels' name for the smoothness of a switch */
enum ph_switch_kind ph_switch_kind_of(const struct ph_interactions *interactions);

/* u(r), untruncated (WCA: with its own end), and its derivative */
double ph_radial_energy(const struct ph_radial *radial, double r);
double ph_radial_derivative(const struct ph_radial *radial, double r);

#endif
