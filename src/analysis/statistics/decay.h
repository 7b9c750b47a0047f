/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_STATISTICS_DECAY_H
#define PH_ANALYSIS_STATISTICS_DECAY_H

/* From the sums of a correlator to a table and values: the function over its value at 0, its running integral, and the
 * relaxation time, each with an error. */

#include "analysis/analysis.h"
#include "analysis/statistics/correlator.h"

/* From sums to the curve: c = scale <a a> + offset; its running integral is multiplied with `factor`. */
struct ph_decay {
    size_t lags;
    double interval, n_signals, scale, offset, factor;
    size_t end; /* of the integral that is reported */
};

/* Names and descriptions of one correlation function */
struct ph_decay_names {
    const char *table, *help;
    const char *zero, *zero_help; /* value at time 0; NULL: not said */
    const char *time;             /* relaxation time */
    const char *integral, *integral_help;
    char zero_unit[PH_RESULT_UNIT], integral_unit[PH_RESULT_UNIT];
    const char *clock;
};

/* Adds table and values; the names get `label`, a kind of molecule, behind them. Fills in `end`: where the function is
 * lost in noise, or the second time of --fit. */
enum ph_status ph_decay_say(const struct ph_analysis_request *request, const struct ph_correlator *correlator,
                            struct ph_decay *decay, const struct ph_decay_names *names, const char *label,
                            struct ph_result *result, struct ph_error *err);

#endif
