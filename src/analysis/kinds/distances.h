/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_DISTANCES_H
#define PH_ANALYSIS_KINDS_DISTANCES_H

/* The bins of distance that analyses of pairs share */

#include "analysis/trajectory/recording.h"

struct ph_bins {
    size_t n;
    double width, end; /* n width, at most the cutoff */
};

/* Chooses bins from --cutoff (default: half the smallest width of the box, which is also the largest accepted) and
 * --spacing (default: 0.02 in reduced units, 0.002 nm, otherwise a four-hundredth of the cutoff). Notes both as
 * parameters. */
enum ph_status ph_bins_choose(const struct ph_analysis_request *request, const struct ph_recording *recording,
                              struct ph_bins *bins, struct ph_result *result, struct ph_error *err);

double ph_bins_middle(const struct ph_bins *bins, size_t k);
double ph_bins_shell(const struct ph_bins *bins, size_t k); /* volume of the shell */

#endif
