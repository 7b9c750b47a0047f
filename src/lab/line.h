/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_LINE_H
#define PH_LAB_LINE_H

/* A straight line through points, by least squares. All zero before the first point */
struct ph_line_sums {
    double n, x, y, xx, xy; /* the number of points, and sums over them */
};

static inline void ph_line_sums_add(struct ph_line_sums *line, double x, double y)
{
    line->n += 1.0;
    line->x += x;
    line->y += y;
    line->xx += x * x;
    line->xy += x * y;
}

static inline double ph_line_sums_slope(const struct ph_line_sums *line)
{
    return (line->n * line->xy - line->x * line->y) / (line->n * line->xx - line->x * line->x);
}

#endif
