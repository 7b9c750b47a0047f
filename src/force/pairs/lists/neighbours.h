/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LISTS_NEIGHBOURS_H
#define PH_FORCE_PAIRS_LISTS_NEIGHBOURS_H

#include "force/pairs/lists/cells.h"
#include "force/pairs/lists/tile.h"

/* Builds tiles one after the other; each thread has its own builder. System, cells and tiles are not owned. `images`:
 * how many images of the box are seen on each side. NULL without memory */
struct ph_list_builder *ph_list_builder_create(const struct ph_system *system, const struct ph_cells *cells,
                                               const struct ph_tiles *tiles, double radius, int images);
/* Builds the tile whose home cells are numbers first_cell .. end_cell-1. */
enum ph_status ph_list_builder_tile(struct ph_list_builder *builder, uint32_t first_cell, uint32_t end_cell,
                                    size_t n_fields, struct ph_tile *tile, struct ph_error *err);
void ph_list_builder_destroy(struct ph_list_builder *builder);

#endif
