/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_RDF_REPORT_H
#define PH_ANALYSIS_KINDS_RDF_REPORT_H

/* The report of distribution functions: from counts of pairs, summed over blocks of frames, to curves and numbers. The
 * layout of the sums is defined here; the counting follows it. */

#include "analysis/kinds/distances.h"
#include "analysis/trajectory/sweep.h"

/* Points whose pairs are counted: centres of molecules, or sites */
struct ph_rdf_points {
    enum ph_quantity quantity;
    size_t n, n_types, n_pairs; /* kinds of pairs */
    const int *type, *molecule; /* molecule NULL: every point is one */
    size_t offset, weighted;    /* of their sums: counts, and counts times V/<V>, the same in a box that stays */
};

enum { PH_RDF_FRAMES, PH_RDF_FIRST_SUM, PH_RDF_SETS = 2 };

struct ph_rdf {
    struct ph_bins bins;
    bool changing; /* the box; */
    double volume; /* mean; NaN in open space */
    size_t n_sets;
    struct ph_rdf_points sets[PH_RDF_SETS];
};

/* A-A, A-B, ..., B-B, ... */
static inline size_t ph_rdf_pair(size_t n_types, size_t a, size_t b)
{
    const size_t low = a < b ? a : b, high = a < b ? b : a;
    return low * n_types - low * (low + 1) / 2 + high;
}

enum ph_status ph_rdf_report(const struct ph_recording *recording, const struct ph_rdf *task,
                             const struct ph_pass *sweep, struct ph_result *result, struct ph_error *err);

#endif
