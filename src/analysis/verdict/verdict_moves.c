/* SPDX-License-Identifier: MIT */
/* Does the system move? Two methods propose a change and accept it with a probability that depends on the error, or
 * the change, of the energy: steps of `metropolis`, and cells of `cell-rescaling`. Both sample exactly, whatever
 * part they accept, if they accept any. An average acceptance of erfc(sqrt(d/kT)/2) means that a proposal raises the
 * energy by d on average (Gupta, Irbaeck, Karsch, Petersson, Phys. Lett. B 242 (1990) 437). */

/* One half is d = 0.9 kT: sampling is slow. A tenth is d = 5.4 kT, where the acceptance falls off as a Gaussian and
 * the next state may be stuck: that is wrong. Rows of the series hold the part of all proposals of the stage so far,
 * so that the last row tells. */
#include "analysis/verdict/verdict_parts.h"

#include <math.h>

enum { ROWS = 30 }; /* that can tell; each has at least one proposal */

enum ph_status ph_judged_accepted(const struct ph_judged *run, const char *name, double *accepted, size_t *rows,
                                  struct ph_error *err)
{
    struct ph_series series;
    const enum ph_status status = ph_judged_read(run, name, &series, err);
    *rows = status == PH_OK ? series.rows : 0;
    *accepted = *rows > 0 ? series.values[*rows - 1] : NAN;
    ph_series_free(&series);
    return status;
}

static enum ph_status check(const struct ph_judged *run, const char *name, const char *series, const char *what,
                            const char *remedy, struct ph_error *err)
{
    const double slow = 0.5, stuck = 0.1;
    double accepted;
    size_t rows;
    const enum ph_status status = ph_judged_accepted(run, series, &accepted, &rows, err);
    if (status != PH_OK || isnan(accepted))
        return status;
    const enum ph_finding state = accepted >= slow ? PH_WELL : accepted < stuck && rows >= ROWS ? PH_WRONG : PH_UNCLEAR;
    const char *words = accepted > 0.0 ? "" : ": nothing moves";
    ph_verdict_say(run->verdict, name, state, "%.3g %% of the %s were accepted%s%s%s", 100.0 * accepted, what, words,
                   state == PH_WELL ? "" : "; ", state == PH_WELL ? "" : remedy)
        ->minor = accepted >= stuck; /* slow, but exact: the length tells whether that matters */
    return status;
}

enum ph_status ph_check_moves(const struct ph_judged *run, struct ph_error *err)
{
    const enum ph_status status =
        check(run, "acceptance", "acceptance", "steps", "take a shorter step, or a scheme of higher order", err);
    return status == PH_OK ? check(run, "cell", "cell_acceptance", "changes of the cell",
                                   "take a longer barostat.relaxation_time", err)
                           : status;
}
