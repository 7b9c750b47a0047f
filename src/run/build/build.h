/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_BUILD_BUILD_H
#define PH_RUN_BUILD_BUILD_H

/* From names and numbers of an input to objects. */

#include "force/interactions.h"
#include "input/input.h"
#include "input/model_file.h"
#include "model/start.h"
#include "model/system.h"
#include "model/units.h"
#include "run/build/notes.h"

/* The system at its start, moving with the temperature asked for (without one: as an H5MD file says, or at rest), and
 * its interactions. The caller owns both: ph_system_destroy, ph_interactions_free. `notes` may be NULL. */
enum ph_status ph_build_system(const struct ph_input *input, struct ph_system **system,
                               struct ph_interactions *interactions, struct ph_build_notes *notes,
                               struct ph_error *err);
/* The same without a start: all at rest at the origin of open space. A resumed run fills in state and box. `reserved`:
 * room for all molecules, as ph_system_reserve gives */
enum ph_status ph_build_empty(const struct ph_input *input, bool reserved, struct ph_system **system,
                              struct ph_interactions *interactions, struct ph_error *err);
/* All at rest at the origin of the input's box: the state comes from elsewhere (system.start.kind: given). `reserved`
 * as above */
enum ph_status ph_build_unplaced(const struct ph_input *input, bool reserved, struct ph_system **system,
                                 struct ph_interactions *interactions, struct ph_error *err);
/* A start that ranks can make in parts, so that no rank has all of it: ph_build_unplaced reserves memory for all. Then
 * ph_build_place_part sets positions and orientations of the molecules of a part, or of all if `part` is NULL. */
bool ph_build_parts(const struct ph_input *input);
enum ph_status ph_build_place_part(const struct ph_input *input, const struct ph_start_part *part,
                                   struct ph_system *view, struct ph_error *err);
/* Detect a slab with ions that lies across the faces of its box. Its ions have been wrapped into the box, and nothing
 * says that ions at both faces belong together. The empty space between ions, along the third edge, must be where the
 * box ends. Each rank adds the numbers of its ions in each of 64 parts of the box, and outside, to `filled`. Then
 * ph_build_check_slab checks the sums of all ranks. */
enum { PH_BUILD_SLAB = 65 };
bool ph_build_is_slab(const struct ph_interactions *interactions);
void ph_build_fill_slab(const struct ph_system *system, int64_t filled[PH_BUILD_SLAB]);
enum ph_status ph_build_check_slab(const struct ph_input *input, const int64_t filled[PH_BUILD_SLAB],
                                   struct ph_error *err);
/* implausible.c: of temperatures, steps, densities and lengths that look as if they had other units; added to the notes
 */
void ph_build_note_implausible(const struct ph_input *input, const struct ph_system *system,
                               const struct ph_interactions *interactions, struct ph_build_notes *notes);
/* electric_notes.c: adds notes on the default treatment of charges and dipoles, and warnings of the effects of a
 * treatment that the input names */
void ph_build_note_electrostatics(const struct ph_input *input, const struct ph_system *system,
                                  const struct ph_interactions *interactions, struct ph_build_notes *notes);
/* table_notes.c: the errors of interpolation in tables; compiles formulas, and notes by what */
void ph_build_watch_compilers(void (*say)(const char *about)); /* called with a formula, and with NULL when it is done;
                                                                  before threads are made; NULL: nothing is called */
void ph_build_note_tables(const struct ph_system *system, const struct ph_interactions *interactions,
                          struct ph_build_notes *notes);
/* shape_notes.c: a switch that begins where ellipsoids touch */
void ph_build_note_shapes(const struct ph_system *system, const struct ph_interactions *interactions,
                          struct ph_build_notes *notes);
/* bath_notes.c: the same, and warnings of thermostats and barostats that do not sample this system. ph_build_system
 * does this, the others do not. */
void ph_build_note_physics(const struct ph_input *input, const struct ph_system *system,
                           const struct ph_interactions *interactions, struct ph_build_notes *notes);
/* build_ice.c: how often the cell of an ice repeats; the edges of the crystal, at its own density or that of the input;
 * a note on both */
enum ph_status ph_build_ice_cells(const struct ph_input *input, size_t n, size_t cells[3], struct ph_error *err);
enum ph_status ph_build_ice_edges(const struct ph_input *input, const struct ph_species *species, const size_t *counts,
                                  double edge[3][3], struct ph_error *err);
void ph_build_note_ice(const struct ph_input *input, const struct ph_system *system, struct ph_build_notes *notes);
void ph_interactions_free(struct ph_interactions *interactions);

/* One model file as a species, in its principal frame */
enum ph_status ph_build_species(const struct ph_input_model *model, struct ph_species *species, struct ph_error *err);

/* build_interactions.c: `interactions` of the input; the species are needed to check the names of pairs. */
enum ph_status ph_build_interactions(const struct ph_input *input, size_t n_species, const struct ph_species *species,
                                     struct ph_interactions *interactions, struct ph_error *err);
double ph_build_largest_sigma(size_t n_species, const struct ph_species *species); /* of all sites */
/* Within which pairs are fast by default, where schemes are nested: the first shell of neighbours. 0 without any sigma
 */
double ph_build_near_radius(size_t n_species, const struct ph_species *species);
enum ph_status ph_build_radial(const struct ph_input_radial *radial, struct ph_radial *out, struct ph_error *err);

#endif
