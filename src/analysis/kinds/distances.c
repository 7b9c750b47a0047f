/* SPDX-License-Identifier: MIT */
#include "analysis/kinds/distances.h"

#include <math.h>

enum ph_status ph_bins_choose(const struct ph_analysis_request *request, const struct ph_recording *recording,
                              struct ph_bins *bins, struct ph_result *result, struct ph_error *err)
{
    const size_t most = 1000000;
    double half;
    const enum ph_status status = ph_recording_half_width(recording, &half, err);
    if (status != PH_OK)
        return status;
    const char *name = recording->reader.file.name;
    if (isnan(half) && isnan(request->cutoff))
        return ph_error_set(err, PH_ERR_INPUT, "%s: is of open space: --cutoff must say up to which distance to look.",
                            name);
    if (request->cutoff > half * (1.0 + 1e-12))
        return ph_error_set(err, PH_ERR_INPUT,
                            "--cutoff %g: is above half the smallest width of the box, %.10g: images would be counted "
                            "twice.",
                            request->cutoff, half);
    const double cutoff = isnan(request->cutoff) ? half : request->cutoff;
    double width = request->spacing;
    if (isnan(width))
        width = recording->physical ? 0.002 : (recording->length[0] == '\0' ? 0.02 : cutoff / 400.0);
    if (!(cutoff > 0.0) || !(width > 0.0) || !(width <= cutoff) || !(cutoff / width < (double)most))
        return ph_error_set(err, PH_ERR_INPUT,
                            "--cutoff %g and --spacing %g: not accepted; both must be above 0, and make 1 to %zu bins.",
                            cutoff, width, most);
    bins->n = (size_t)(cutoff / width * (1.0 + 1e-12));
    bins->width = width;
    bins->end = (double)bins->n * width;
    ph_result_number(result, "cutoff", bins->end, recording->length);
    ph_result_number(result, "spacing", width, recording->length);
    return PH_OK;
}

double ph_bins_middle(const struct ph_bins *bins, size_t k) { return ((double)k + 0.5) * bins->width; }

double ph_bins_shell(const struct ph_bins *bins, size_t k)
{
    const double pi = 3.14159265358979323846, w = bins->width, n = (double)k;
    return 4.0 / 3.0 * pi * w * w * w * (3.0 * n * n + 3.0 * n + 1.0);
}
