/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_ICE_ICE_H
#define PH_MODEL_ICE_ICE_H

/* Crystals of water. Every form is one constant object: its published cell, oxygens and density. Lengths are in nm.
 *
 * Oxygens form a network in which each has four neighbours. The rules of Bernal and Fowler (J. Chem. Phys. 1 (1933)
 * 515) put one hydrogen on each bond and two at each oxygen. In ice II the hydrogens are where diffraction finds them.
 * In the other forms they are disordered: any configuration that obeys the rules is equally likely, except that the
 * crystal has no dipole. */

#include "model/system.h"

#include <stddef.h>
#include <stdint.h>

enum { PH_ICE_ATOMS_MAX = 6, PH_ICE_CELL_MAX = 72, PH_ICE_BONDS = 4 };

/* A symmetry operation on fractional coordinates: new coordinate k is +-x, +-y or +-z (+-1, +-2, +-3), plus quarters/4
 */
struct ph_ice_symmetry {
    signed char axis[3], quarters[3];
};

struct ph_ice_form {
    const char *name, *reference;
    double density;           /* kg/m^3, as published for H2O */
    double edge[3], angle[3]; /* published cell: nm, degrees */
    size_t n_symmetries;
    const struct ph_ice_symmetry *symmetries; /* those that make the whole cell */
    size_t n_oxygens, n_hydrogens;            /* of the asymmetric unit; no hydrogens: disordered */
    double oxygen[PH_ICE_ATOMS_MAX][3], hydrogen[PH_ICE_ATOMS_MAX][3];
    const int (*whole)[3]; /* edges of a larger cell, as sums of those of the published one; NULL: the same */
    bool body_centred;     /* eight neighbours are equally near; four of them are bonded */
};

const struct ph_ice_form *ph_ice_find(const char *name); /* NULL: unknown */

/* A bond of an oxygen: which oxygen of the cell it leads to, in the cell that many edges away */
struct ph_ice_bond {
    size_t to, back; /* site, and which of its bonds leads back */
    int cell[3];
    double way[3]; /* in units of the cell's edges */
};

/* One cell as it repeats: a rectangular one, except for ice V */
struct ph_ice_cell {
    double edge[3][3];
    size_t n;
    double site[PH_ICE_CELL_MAX][3]; /* fractional coordinates */
    struct ph_ice_bond bond[PH_ICE_CELL_MAX][PH_ICE_BONDS];
    bool ordered;
    bool donor[PH_ICE_CELL_MAX][PH_ICE_BONDS]; /* where hydrogens are, in an ordered form */
};

void ph_ice_make(const struct ph_ice_form *form, struct ph_ice_cell *cell);

/* Chooses how often the cell repeats along each edge for n molecules: as near to a cube as possible. An error, with the
 * nearest numbers that fit, if n is no multiple of the cell's molecules, or if the longest edge would exceed twice the
 * shortest. */
enum ph_status ph_ice_repeat(const struct ph_ice_form *form, size_t n, size_t cells[3], struct ph_error *err);
/* The edges of the crystal as published, in nm */
void ph_ice_edges(const struct ph_ice_form *form, const size_t cells[3], double edge[3][3]);
size_t ph_ice_molecules(const struct ph_ice_form *form); /* of a cell */

/* Which molecules can be placed: rigid waters of any model. */
enum ph_status ph_ice_check_water(const struct ph_species *species, struct ph_error *err);

/* Places and turns all molecules; the box is the crystal, stretched to fit. The seed chooses the hydrogens. */
enum ph_status ph_ice_place(const struct ph_ice_form *form, const size_t cells[3], uint64_t seed,
                            struct ph_system *system, struct ph_error *err);

/* Chooses hydrogens: donor[4 v + k] is true if vertex v donates to its k-th bond. cells[0] x cells[1] x cells[2] cells
 * lie in the order of x, y, z, and vertex v is site v % n of cell v / n. `edge` are the edges of one cell. */
enum ph_status ph_ice_protons(const struct ph_ice_cell *cell, const size_t cells[3], const double edge[3][3],
                              uint64_t seed, bool *donor, struct ph_error *err);
/* The directions of both hydrogens of a vertex, unit vectors */
void ph_ice_hydrogens(const struct ph_ice_cell *cell, const double edge[3][3], const bool *donor, size_t vertex,
                      double direction[2][3]);

#endif
