/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_EWALD_H
#define PH_FORCE_LONGRANGE_EWALD_H

/* The terms that an Ewald sum adds to the screened interactions of pairs. These are the sum in reciprocal space less
 * the self-energy of each molecule, and the field of a polarised sphere in a continuum. P. P. Ewald, Ann. Phys. 369
 * (1921) 253; in a continuum, with dipoles: S. W. de Leeuw, J. W. Perram, E. R. Smith, Proc. R. Soc. London A 373
 * (1980) 27; forces and stress of multipoles: A. Aguado, P. A. Madden, J. Chem. Phys. 119 (2003) 7471. */

#include "force/interactions.h"
#include "force/longrange/mesh/mesh.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/longrange/surface.h"
#include "force/longrange/waves.h"
#include "model/system.h"

/* Chooses parameters of interactions->ewald that are 0. Fails for open space, no cutoff, a tolerance out of range. */
enum ph_status ph_ewald_choose(const struct ph_system *system, struct ph_interactions *interactions,
                               struct ph_error *err);

/* Notes in `complete` the parameters that were 0 in `asked`. */
void ph_ewald_note_chosen(const struct ph_ewald_choice *asked, struct ph_ewald_choice *complete);
/* ph_ewald_is_rough returns true if, with complete choices, the expected error in this box is above the tolerance, and
 * above the error expected when they were made. It is false if the user has given all parameters. Then
 * ph_ewald_choose_again chooses the program's parameters again; a direct sum takes the reciprocal vectors up to k_max
 * of this box. */
bool ph_ewald_is_rough(const struct ph_system *system, const struct ph_interactions *interactions);
enum ph_status ph_ewald_choose_again(const struct ph_system *system, struct ph_interactions *interactions,
                                     struct ph_error *err);

/* The interactions a term of ph_term_ewald was made from; no overrides */
const struct ph_interactions *ph_ewald_interactions(const void *term);

/* Parts of a term of ph_term_ewald, for machines that evaluate it elsewhere; valid while the term is there */
struct ph_ewald_parts {
    const struct ph_waves *waves; /* of a direct sum; NULL on a mesh */
    struct ph_mesh_parts mesh;
    double constant, background; /* of the energy */
    struct ph_surface surface;
    double mass; /* of all molecules */
    bool dipoles, quadrupoles;
};

struct ph_ewald_parts ph_ewald_parts(const void *term);
/* Sites of a species that take part, by their numbers in its layout, and their charges; returns how many */
size_t ph_ewald_sites(const void *term, size_t species, const size_t **site, const double **charge);
const struct ph_charged_tensor *ph_ewald_tensors(const void *term, size_t species); /* of these */

#endif
