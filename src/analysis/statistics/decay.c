/* SPDX-License-Identifier: MIT */
#include "analysis/statistics/decay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* c(t)/c(0), the running integral, c(0), the relaxation time: 2 lags + 2 numbers */
static void curves(const double *sums, const void *data, double *out)
{
    const struct ph_decay *shape = data;
    const size_t n = shape->lags;
    double *integral = out + n, sum = 0.0, last = 0.0;
    for (size_t k = 0; k < n; ++k) {
        const double c = shape->scale * sums[k] / (sums[n + k] * shape->n_signals) + shape->offset;
        sum += k > 0 ? 0.5 * shape->interval * (last + c) : 0.0;
        last = out[k] = c;
        integral[k] = shape->factor * sum;
    }
    out[2 * n] = out[0];
    out[2 * n + 1] = integral[shape->end] / (shape->factor * out[0]);
    for (size_t k = 0; k < n; ++k)
        out[k] /= out[2 * n];
}

/* Where the curve is lost in noise: the first time that it is below twice its error */
static size_t find_end(const struct ph_analysis_request *request, const struct ph_decay *shape, const double *c,
                       const double *error)
{
    if (!isnan(request->fit[1]))
        return (size_t)fmin((double)shape->lags - 1.0,
                            fmax(1.0, floor(request->fit[1] / shape->interval * (1.0 + 1e-9))));
    size_t end = 1;
    while (end + 1 < shape->lags &&
           (end < 3 || fabs(c[end]) > 2.0 * error[end] || fabs(c[end + 1]) > 2.0 * error[end + 1]))
        ++end;
    return end;
}

/* Warns of an integral that ends before its function has decayed */
static void caution_if(bool cut, const struct ph_decay *shape, const double *c, struct ph_value *value)
{
    if (cut)
        ph_value_caution(
            value,
            "the function has not decayed: at the longest lag it is %.2g of its first value. The integral ends "
            "there without its tail, which is unknown",
            c[shape->end]);
}

static void say_values(const struct ph_decay_names *target, const struct ph_decay *shape, const char *label,
                       const double *values, const double *errors, struct ph_result *result)
{
    const size_t n = shape->lags;
    char name[PH_RESULT_NAME];
    const char *dot = label[0] ? "." : "";
    if (target->zero) {
        snprintf(name, sizeof name, "%s%s%.50s", target->zero, dot, label);
        ph_result_value(result, name, values[2 * n], errors[2 * n], target->zero_unit, target->zero_help);
    }
    const bool cut = shape->end + 1 >= n && !isnan(errors[0]);
    snprintf(name, sizeof name, "%s%s%.50s", target->time, dot, label);
    caution_if(cut, shape, values,
               ph_result_value(result, name, values[2 * n + 1], errors[2 * n + 1], target->clock,
                               "integral of the normalised function"));
    if (target->integral) {
        snprintf(name, sizeof name, "%s%s%.50s", target->integral, dot, label);
        caution_if(cut, shape, values,
                   ph_result_value(result, name, values[n + shape->end], errors[n + shape->end], target->integral_unit,
                                   target->integral_help));
    }
    snprintf(name, sizeof name, "integrated_to.%.30s%s%.40s", target->table, dot, label);
    ph_result_number(result, name, shape->interval * (double)shape->end, target->clock);
    if (n > 1 && values[1] < 0.5)
        ph_result_note(result,
                       "%s%s%s falls to %.2f from one time to the next: its integral is not accurate. Frames or series "
                       "must be written more often.",
                       target->table, dot, label, values[1]);
    if (cut)
        ph_result_note(result, "%s%s%s has not decayed within the longest lag: its integral is cut off there.",
                       target->table, dot, label);
}

enum ph_status ph_decay_say(const struct ph_analysis_request *request, const struct ph_correlator *correlator,
                            struct ph_decay *shape, const struct ph_decay_names *target, const char *label,
                            struct ph_result *result, struct ph_error *err)
{
    const size_t n = shape->lags, width = 2 * n + 2;
    double *sums = ph_correlator_table(correlator), *groups = ph_correlator_group_table(correlator);
    double *values = calloc(2 * width, sizeof *values);
    double *errors = values ? values + width : NULL;
    bool good = sums && groups && values &&
                ph_correlator_errors(correlator, sums, groups, curves, shape, width, values, errors);
    if (good) {
        shape->end = find_end(request, shape, values, errors);
        good = ph_correlator_errors(correlator, sums, groups, curves, shape, width, values, errors);
    }
    struct ph_result_table *table =
        good ? ph_result_table(result, n, target->help, "%s%s%s", target->table, label[0] ? "." : "", label) : NULL;
    const struct {
        const char *name, *unit;
        const double *from;
    } columns[] = {{"c", "", values},
                   {"c_error", "", errors},
                   {"integral", target->integral_unit, values ? values + n : NULL},
                   {"integral_error", target->integral_unit, errors ? errors + n : NULL}};
    double *time = ph_result_column(result, table, "time", target->clock);
    for (size_t k = 0; k < n && time; ++k)
        time[k] = shape->interval * (double)k;
    for (size_t c = 0; c < (target->integral ? 4 : 2) && good; ++c) {
        double *column = ph_result_column(result, table, columns[c].name, columns[c].unit);
        if (column)
            memcpy(column, columns[c].from, n * sizeof *column);
    }
    const size_t before = result->n_values;
    if (good)
        say_values(target, shape, label, values, errors, result);
    const bool rough = ph_correlator_groups(correlator) < 2 && shape->end > ph_correlator_first(correlator, 1);
    for (size_t k = before; k < result->n_values; ++k)
        result->values[k].rough = rough; /* the one signal is no longer than 16 times the integral */
    free(sums);
    free(groups);
    free(values);
    return good ? PH_OK : ph_no_memory(err, "a correlation function");
}
