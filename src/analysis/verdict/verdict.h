/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_VERDICT_VERDICT_H
#define PH_ANALYSIS_VERDICT_VERDICT_H

/* Can the result of a run be trusted? The summary of a run, `info` and reports show a list of checks, and one line that
 * says "all well", or names the fault and its reason. */

/* Checks of numbers against targets or each other:
 *   temperature, pressure   targets against means                                      verdict_asked.c
 *   acceptance, cell        part of the steps, and of changes of the cell, accepted    verdict_moves.c
 *   drift, energy           of the energy that is conserved, and its error             verdict_energy.c
 *   equipartition           translation against rotation, axes against each other      verdict_temperatures.c
 *   axes                    temperature of axes without a torque                       verdict_temperatures.c
 *   configuration           positions and orientations against momenta                 verdict_temperatures.c */

/* Checks of the course of the run:
 *   settling                the first part against the last                            verdict_time.c
 *   length, dipole          correlation times against the length of the run            verdict_time.c
 *   stages, pressure        stages before the production, and its pressure from them   verdict_stages.c
 *   phases                  whether the density is the same everywhere                 verdict_places.c
 *   end                     whether the run came to its end                            verdict.c */

/* A check is wrong if a quantity is off by more than chance allows and by enough to matter. It is unclear if the run is
 * too short to tell. The limit of chance (ph_mean_chance) is so wide that a sound run is hardly ever called wrong,
 * though some ten quantities are compared. A system in open space without a target temperature is not expected to be in
 * equilibrium: the same checks of its energy hold, the others are left out. */

#include "output/reader/reader.h"

enum ph_finding { PH_WELL, PH_UNCLEAR, PH_WRONG }; /* the more serious, the larger */
extern const char *const ph_state_names[];         /* one word each */
extern const char *const ph_state_before[];        /* before a line that people read: "NOT WELL: " */

enum { PH_CHECK_TEXT = 320, PH_CHECK_MOST = 20, PH_VERDICT_LINE = 640 };

struct ph_check {
    const char *name; /* one word; constant text */
    enum ph_finding state;
    bool minor; /* unclear it may be, and the run be well */
    char text[PH_CHECK_TEXT];
};

struct ph_verdict {
    enum ph_finding state; /* of the most serious check; unclear if there is none */
    char line[PH_VERDICT_LINE];
    size_t n;
    struct ph_check check[PH_CHECK_MOST]; /* most important first */
};

/* How far the run has come, as its checkpoint says: steps done, and to be done in all; -1: not known */
struct ph_run_course {
    int64_t step, end;
    bool runs; /* a process is writing the file */
};

/* Reports numbers that are not finite as a fault of the run. Fails without memory, or if the file cannot be read. */
enum ph_status ph_verdict_read(const struct ph_reader *reader, const struct ph_run_course *course,
                               struct ph_verdict *verdict, struct ph_error *err);

#endif
