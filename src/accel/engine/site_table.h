/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_SITE_TABLE_H
#define PH_ACCEL_ENGINE_SITE_TABLE_H

/* The tables of accel/functions/site_view.h, in the memory of a machine. */

#include "accel/machines/machine.h"
#include "force/pairs/pair_table.h"

/* `sites` is all zero before; ph_site_table_release is safe after a failure, too. */
enum ph_status ph_site_table_make(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                  const struct ph_pair_table *table, struct ph_site_view *sites, struct ph_error *err);
void ph_site_table_release(const struct ph_machine *machine, struct ph_site_view *sites);
/* The pairs of sites alone: replaces them by those of a table of the same sites */
enum ph_status ph_site_table_set_entries(const struct ph_machine *machine, const struct ph_pair_table *table,
                                         struct ph_site_view *sites, struct ph_error *err);
void ph_site_table_release_entries(const struct ph_machine *machine, struct ph_site_view *sites);

#endif
