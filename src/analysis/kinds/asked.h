/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_ASKED_H
#define PH_ANALYSIS_KINDS_ASKED_H

/* Compares the target temperature and pressure of the input with the means of the production, or of another stage. The
 * summary of a run, `info`, reports and analyses all show this comparison. */

/* A run at constant energy that was brought to a temperature beforehand is off by more than its statistical error.
 * So are averages of a scheme with a finite step. Small deviations are real, and no fault. Target and mean disagree
 * if the difference exceeds both the chance deviation (ph_mean_chance: four errors and more) and a tolerance. The
 * tolerance of a temperature is 1.5 % of it, 3 % for parts of it. The tolerance of a pressure is 1.5 % of it or of
 * the pressure of an ideal gas of the same density, whichever is larger, because a liquid's own pressure may be
 * anything, zero as well. */

/* If chance allows more than a tenth, the run is too short to say. But in equilibrium every single temperature of F
 * degrees of freedom lies within sqrt(2/F) of the mean or thereabouts. A temperature that is off by six times that,
 * and by a tenth, disagrees however short the run, as where energy grows all the time. */

#include "analysis/analysis.h"
#include "analysis/statistics/blocks.h"
#include "output/reader/reader.h"

enum ph_agreement { PH_AGREES, PH_DISAGREES, PH_TOO_SHORT };
extern const char *const ph_agreement_names[]; /* one word each */

struct ph_asked_item {
    const char *name; /* "temperature of translation"; constant text */
    const char *unit; /* likewise; "" in reduced units. Pressures are in bar */
    double asked, obtained, error;
    enum ph_agreement verdict;
    bool shown; /* to people: wholes, and parts that disagree where the whole does not */
};

enum { PH_ASKED_MOST = 7, PH_ASKED_LINE = 160 };
struct ph_asked {
    size_t n; /* 0: the input has no target, or there is no production */
    struct ph_asked_item item[PH_ASKED_MOST];
};

/* Compares over the rows of a request; NULL: over the whole production */
enum ph_status ph_asked_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                             struct ph_asked *asked, struct ph_error *err);

/* Finds the mean pressure, of 0 rows if there are none, and the pressure of an ideal gas of the same density and
 * temperature */
enum ph_status ph_asked_pressure(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                 double boltzmann, struct ph_mean *pressure, double *ideal, struct ph_error *err);

/* Writes "temperature: asked 1.15, obtained 1.148(6)", and how the two disagree */
void ph_asked_line(const struct ph_asked_item *item, char line[PH_ASKED_LINE]);

/* 1.148(6), 1.1480(12): as many digits as the error allows, and the error in the last of them */
void ph_text_with_error(double value, double error, char text[64]);

/* Adds the target to the parameters of an analysis, and a note if the mean disagrees with it. `quantity` is
 * "temperature", with all its parts, or "pressure". */
enum ph_status ph_asked_note(const struct ph_reader *reader, const struct ph_analysis_request *request,
                             const char *quantity, struct ph_result *result, struct ph_error *err);

#endif
