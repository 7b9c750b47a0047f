/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_SYSTEM_H
#define PH_MODEL_SYSTEM_H

/* The state of all molecules: one array per component, aligned.
 *
 * A molecule has a number, by which files, messages and random numbers know it: molecules of species s have the numbers
 * first[s] .. first[s+1]. In the arrays, molecules of one species lie in the places first[s] .. first[s+1] in any
 * order, and may change places. Loops over places (i, j) need not know the numbers; where numbers matter, molecule
 * `number` is at place[number], and the one at place i is id[i]. */

#include "base/error.h"
#include "model/box.h"
#include "model/species.h"

#include <stddef.h>
#include <stdint.h>

struct ph_system {
    size_t n_species;
    struct ph_species *species; /* owned */
    size_t *first; /* owned; first[s] .. first[s+1] are numbers and places of species s; n_species + 1 entries */
    struct ph_box box;

    size_t n; /* molecules */
    /* Owned, one block of memory; each array padded to a multiple of PH_LANES and aligned to 64 bytes. */
    double *r[3];         /* centre of mass, wrapped into the box */
    double *p[3];         /* momentum */
    double *q[4];         /* orientation, scalar first, body to space; 1 for point particles */
    double *m[3];         /* angular momentum in the body frame; 0 for point particles */
    double *f[3];         /* force on the centre of mass */
    double *t[3];         /* torque about the centre of mass, SPACE frame */
    int32_t *image[3];    /* box edges crossed: unwrapped position is r + sum image_k edge_k */
    uint32_t *id, *place; /* number of the molecule at a place; place of a number */
};

/* Creates a system of counts[s] molecules of species[s], and copies the species. State is zero, q = 1, places are
 * numbers. */
enum ph_status ph_system_create(size_t n_species, const struct ph_species *species, const size_t *counts,
                                const struct ph_box *box, struct ph_system **out, struct ph_error *err);
/* The same in two steps, for a rank that will hold a part of the system. ph_system_reserve allocates arrays for all
 * molecules but does not touch them, so that they take no physical memory. ph_system_number then initializes molecules
 * begin .. end-1 as above. All arrays of the other molecules remain 0. */
enum ph_status ph_system_reserve(size_t n_species, const struct ph_species *species, const size_t *counts,
                                 const struct ph_box *box, struct ph_system **out, struct ph_error *err);
void ph_system_number(struct ph_system *system, size_t begin, size_t end);
void ph_system_destroy(struct ph_system *system);
/* Makes `window` a system of molecules begin .. end-1 whose arrays lie in memory of the caller. Component x begins at
 * row + x step, in the order r, q, p, m, f, t; images likewise. `first` has room for n_species + 1. A window has no
 * numbers and places. */
void ph_system_window(const struct ph_system *system, size_t begin, size_t end, size_t step, double *row,
                      int32_t *image, size_t *first, struct ph_system *window);

/* Exchanges the molecules at places i and j, which have the same species. */
void ph_system_exchange(struct ph_system *system, size_t i, size_t j);

/* Species of the molecule at place i, or of number i */
size_t ph_system_species_of(const struct ph_system *system, size_t i);

/* Brings every centre into the box, counting images. */
void ph_system_wrap(struct ph_system *system);
/* The same for the n molecules at these places alone */
void ph_system_wrap_these(struct ph_system *system, size_t n, const uint32_t *places);

double ph_system_kinetic_translation(const struct ph_system *system);
double ph_system_kinetic_rotation(const struct ph_system *system);

/* Degrees of freedom of all rotations. Translation has 3 n, or 3 n - 3 with the total momentum fixed. */
size_t ph_system_degrees_rotation(const struct ph_system *system);

/* Returns the charge of all molecules: 0 if it is no more than rounding of the species' charges */
double ph_system_charge(const struct ph_system *system);

#endif
