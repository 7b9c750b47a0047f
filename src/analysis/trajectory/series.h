/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_SERIES_H
#define PH_ANALYSIS_TRAJECTORY_SERIES_H

/* Columns of the dense time series of our files: series/<name>, or a name with its group, as fluxes/heat_flux */

#include "analysis/analysis.h"
#include "analysis/statistics/blocks.h"
#include "output/reader/reader.h"

struct ph_series {
    size_t rows, width;
    double *values;  /* owned; row by row */
    double *time;    /* owned */
    double interval; /* NaN if rows are not equally apart */
    char unit[PH_H5MD_WORD], clock[PH_H5MD_WORD];
};

/* Opens the first file of a request for a function that looks at it. */
typedef enum ph_status ph_file_look(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                    struct ph_result *result, struct ph_error *err);
enum ph_status ph_look_at_file(const struct ph_analysis_request *request, ph_file_look *look, struct ph_result *result,
                               struct ph_error *err);

bool ph_series_has(const struct ph_reader *reader, const char *name);
bool ph_series_has_production(const struct ph_reader *reader, const char *name); /* any row of it */

/* The rows of a stage and range. Numbers must be finite, but for components that are NaN from the beginning, as the
 * temperature about an axis that nothing turns about. To be freed in any case. */
enum ph_status ph_series_read(const struct ph_reader *reader, const struct ph_analysis_request *request,
                              const char *name, const char *stage, struct ph_series *series, struct ph_result *result,
                              struct ph_error *err);
void ph_series_free(struct ph_series *series);

/* One component as a mean, added to the result with its error and correlation time; x scale */
struct ph_mean ph_series_mean(const struct ph_series *series, size_t component, double scale);
void ph_series_say(struct ph_result *result, const struct ph_series *series, const struct ph_mean *mean,
                   const char *name, const char *unit, const char *help);

/* Mean of the difference of two columns, with an error that takes their correlation into account */
struct ph_mean ph_series_difference(const struct ph_series *a, size_t component_a, const struct ph_series *b,
                                    size_t component_b);

/* Does a temperature stay as at the start, up to the error of the method? There is no torque about the axis of a
 * symmetric molecule. In equilibrium temperatures scatter by about the same amount, by sqrt(2/3N) of translation, which
 * is `usual`: a hundredth of that is no exchange of energy. */
bool ph_series_still(const struct ph_series *series, size_t component, double usual);

/* The mean of a pressure in bar, if it is in kJ/mol/nm^3 */
extern const double ph_series_bar; /* in a kJ/mol/nm^3 */
void ph_series_say_bar(struct ph_result *result, const struct ph_series *pressure);

/* Finds the temperature, --temperature or the mean of the series over the stage, and notes it as a parameter. */
enum ph_status ph_series_temperature(const struct ph_reader *reader, const struct ph_analysis_request *request,
                                     double *temperature, struct ph_result *result, struct ph_error *err);

#endif
