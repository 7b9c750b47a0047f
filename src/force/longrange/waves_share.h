/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVES_SHARE_H
#define PH_FORCE_LONGRANGE_WAVES_SHARE_H

/* A sum over waves shared among the processes of a team. Each has some rows, for which it sums S over all sites, and
 * some blocks of sites, for which it sums fields over all rows; all get both. Every number is summed by one process in
 * the order of one, so it has the same bits for any number of them. Phases of all sites are found by all: they are few.
 */

#include <stdbool.h>
#include <stddef.h>

struct ph_waves;

/* Process p has rows first_row[p] .. first_row[p+1], with n_waves[p] waves, and sites from first_site[p] on */
struct ph_waves_share {
    size_t *first_row, *n_waves, *first_site, *n_sites; /* owned, in one piece */
    size_t rows[2], sites[2];                           /* of this process, from and to */
};

/* Needs the rows; false without memory. As many waves for each process as whole rows allow */
bool ph_waves_share_init(size_t block, const struct ph_waves *waves, struct ph_waves_share *share);
void ph_waves_share_clear(struct ph_waves_share *share);

/* Numbers of our waves, and vectors of our sites, go to all; the latter's second is told where there are dipoles. */
void ph_waves_tell_sums(const struct ph_waves *waves, double *re, double *im);
void ph_waves_tell_sites(const struct ph_waves *waves, double *const a[3], double *const b[3]);

#endif
