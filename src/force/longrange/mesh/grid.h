/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_GRID_H
#define PH_FORCE_LONGRANGE_MESH_GRID_H

/* Spreading sites to a periodic grid and gathering from it, by a window and its derivatives.
 *
 * A site at u, in points along the three edges, spreads numbers c(i,j,k) to the points x, y, z as the sum of
 * c(i,j,k) W_i(u1 - x) W_j(u2 - y) W_k(u3 - z), W_i the derivative of order i: a charge c(0,0,0), a dipole c(1,0,0),
 * c(0,1,0), c(0,0,1), and so on. It gathers from values on the grid the sums over the points of value W_i W_j W_k:
 * value and derivatives at the site. Numbers with i + j + k up to an order stand in the order 000 100 010 001 200 110
 * 101 020 011 002 300 210 201 120 111 102 030 021 012 003 400 310
 * 301 220 211 202 130 121 112 103 040 031 022 013 004. */

/* Windows are products of three, so most of the work is along rows of the grid. Rows extend beyond the last point for
 * the sites near the end. Spread values there are folded back, and values to gather are copied there before. Every
 * point of the grid sums its sites in the same order, and belongs to one thread. So the bits are the same for any
 * number of threads. */

#include "force/longrange/mesh/window.h"

#include <stddef.h>

enum { PH_GRID_NUMBERS = 35 };

/* How many numbers there are up to an order 0 .. 4 */
static inline size_t ph_grid_numbers(int order)
{
    static const size_t numbers[] = {1, 4, 10, 20, PH_GRID_NUMBERS};
    return numbers[order];
}

struct ph_grid {
    int points[3];
    int first[2];      /* the plane x that comes first, those after it following around the box, and the row y: 0, 0 but
                          for parts of a grid */
    size_t row, plane; /* doubles from row to row (y), and from plane to plane (x) */
    double *value;     /* owned by the creator of the grid; aligned */
};

/* Where row y of plane x begins */
static inline double *ph_grid_row(const struct ph_grid *grid, int x, int y)
{
    const int plane = x - grid->first[0];
    return grid->value + (size_t)(plane < 0 ? plane + grid->points[0] : plane) * grid->plane +
           (size_t)(y - grid->first[1]) * grid->row;
}

/* A site: where, in points, and the first point of its window along each edge, within the grid */
struct ph_grid_site {
    double u[3];
    int first[3];
    unsigned number; /* in the caller's order */
};

/* Rows need this many values more than there are points. */
int ph_grid_beyond(const struct ph_window *window);

/* Finds the windows of sites begin .. end up to an order 0 .. 2. Each site takes ph_grid_windows_size doubles. */
size_t ph_grid_windows_size(const struct ph_window *window, int order);
void ph_grid_windows(const struct ph_window *window, int order, size_t begin, size_t end,
                     const struct ph_grid_site *sites, double *out);

/* Adds sites begin .. end to the planes from first_plane to before end_plane, beyond the end of rows too; order 0 .. 3;
 * numbers of site s are c[s * ph_grid_numbers(order)] and following. windows: of all sites; or NULL, and each call
 * finds those that it needs, with the same bits. */
void ph_grid_spread(const struct ph_window *window, int order, size_t begin, size_t end,
                    const struct ph_grid_site *sites, const double *windows, const double *c, int first_plane,
                    int end_plane, const struct ph_grid *grid);

/* Sets the numbers of sites begin .. end; order 1 .. 4 */
void ph_grid_gather(const struct ph_window *window, int order, size_t begin, size_t end,
                    const struct ph_grid_site *sites, const struct ph_grid *grid, double *out);

#endif
