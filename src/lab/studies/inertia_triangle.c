/* SPDX-License-Identifier: MIT */
#include "lab/studies/inertia_triangle.h"

#include "lab/problems/free_bodies.h"

#include <math.h>
#include <stdbool.h>

const char *const ph_triangle_methods[PH_TRIANGLE_METHODS] = {
    "exact-rotation",   "exact-kosenko", "exact-rotation-g6",  "exact-kosenko-g6",  "dmv6", "exact-rotation-g8",
    "exact-kosenko-g8", "dmv8",          "exact-rotation-g10", "exact-kosenko-g10", "dmv10"};
const double ph_triangle_steps[PH_TRIANGLE_STEPS] = {0.4, 0.04};

enum { METHODS = PH_TRIANGLE_METHODS, STEPS = PH_TRIANGLE_STEPS, STARTS = PH_TRIANGLE_STARTS };
static const double end_time = 10.0;
static const double corner_x = 0.15, corner_y = 0.85; /* the "top left corner": x below, y above */
static const double lost = 0.1;                       /* a run with this error or more counts as failed */

static void measure_point(uint64_t seed, size_t index, bool check, struct ph_triangle_point *point,
                          struct ph_error *err)
{
    const double inertia[3] = {point->x, point->y, 1.0};
    double m[STARTS][3], q[STARTS][4], error[STARTS];
    struct ph_top top;
    point->checked = NAN;
    for (size_t i = 0; i < STARTS; ++i)
        ph_free_draw_momentum(seed, index * STARTS + i, m[i]);
    point->status = ph_top_init(inertia, &top, err);
    if (point->status == PH_OK)
        point->status =
            ph_free_reference(&top, STARTS, (const double(*)[3])m, end_time, q, check ? &point->checked : NULL, err);
    const struct ph_free_course course = {&top, STARTS, (const double(*)[3])m, end_time, (const double(*)[4])q};
    for (int s = 0; s < STEPS; ++s)
        for (int k = 0; k < METHODS && point->status == PH_OK; ++k) {
            point->status = ph_free_errors(ph_flow_find(ph_triangle_methods[k]), &course,
                                           lround(end_time / ph_triangle_steps[s]), error, err);
            double sum = 0.0;
            int good = 0;
            for (size_t i = 0; i < STARTS && point->status == PH_OK; ++i)
                if (error[i] < lost) {
                    sum += ph_free_digits(error[i]);
                    ++good;
                }
            point->digits[s][k] = sum / (good > 0 ? good : 1);
            point->failed[s][k] = STARTS - good;
        }
}

size_t ph_triangle_grid(size_t columns, size_t rows, struct ph_triangle_point *points)
{
    size_t n = 0;
    for (size_t j = 0; j < rows; ++j)
        for (size_t i = 0; i < columns; ++i) {
            const double x = ((double)i + 0.5) / (double)columns, y = 0.5 + 0.5 * ((double)j + 0.5) / (double)rows;
            if (x + y >= 1.0 && x < y)
                points[n++] = (struct ph_triangle_point){.x = x, .y = y};
        }
    return n;
}

enum ph_status ph_triangle_measure(uint64_t seed, const struct ph_lab_progress *progress, size_t n,
                                   struct ph_triangle_point *points, struct ph_error *err)
{
    const size_t check_every = 1 + n / 25;
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; ++i) {
        struct ph_error own;
        measure_point(seed, i, i % check_every == 0, &points[i], &own);
#pragma omp critical
        {
            if (points[i].status != PH_OK)
                *err = own;
            ++done;
            if (progress->tell)
                progress->tell((double)done / (double)n, progress->data);
        }
    }
    for (size_t i = 0; i < n; ++i)
        if (points[i].status != PH_OK)
            return points[i].status;
    return PH_OK;
}

struct ph_triangle_summary ph_triangle_summarise(size_t n, const struct ph_triangle_point *points, int step, int method)
{
    struct ph_triangle_summary sum = {.least = HUGE_VAL};
    double in_corner = 0.0, square = 0.0;
    for (size_t i = 0; i < n; ++i) {
        const double digits = points[i].digits[step][method];
        sum.mean += digits / (double)n;
        square += digits * digits / (double)n;
        sum.least = fmin(sum.least, digits);
        sum.most = fmax(sum.most, digits);
        sum.failed += points[i].failed[step][method];
        if (points[i].x < corner_x && points[i].y > corner_y) {
            sum.corner += digits;
            in_corner += 1.0;
        }
    }
    sum.corner /= in_corner;
    sum.deviation = sqrt(fmax(0.0, square - sum.mean * sum.mean));
    return sum;
}
