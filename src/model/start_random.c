/* SPDX-License-Identifier: MIT */
#include "model/start_random.h"

#include "base/library.h"
#include "base/random.h"
#include "base/vec3.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Random sequential addition: cells no smaller than the minimum distance, each a chain of the molecules placed in it,
 * so a new place is compared with the molecules of 27 cells only. Coordinates are fractions of the box; open space uses
 * the cube around its sphere and does not repeat. */

static const double pi = 3.14159265358979323846;
/* Random sequential addition of spheres stops at 0.384 of the volume (Feder 1980), and is very slow before. */
static const double filling_limit = 0.384;
enum { ATTEMPTS = 100000 };

struct grid {
    int cells[3];
    int32_t *head, *next; /* owned; -1 ends a chain */
};

static void grid_free(struct grid *grid)
{
    free(grid->head);
    free(grid->next);
}

static bool grid_init(const double widths[3], double distance, size_t n, struct grid *grid)
{
    const double most = ceil(ph_library_cbrt((double)n)); /* more cells than molecules would be wasted */
    size_t total = 1;
    for (int k = 0; k < 3; ++k) {
        const double fit = distance > 0.0 ? floor(widths[k] / distance) : most;
        grid->cells[k] = (int)fmax(1.0, fmin(fit, most));
        total *= (size_t)grid->cells[k];
    }
    grid->head = malloc(total * sizeof *grid->head);
    grid->next = malloc((n > 0 ? n : 1) * sizeof *grid->next);
    if (!grid->head || !grid->next) {
        grid_free(grid);
        return false;
    }
    for (size_t c = 0; c < total; ++c)
        grid->head[c] = -1;
    return true;
}

static size_t cell_index(const struct grid *grid, const int at[3])
{
    return ((size_t)at[2] * (size_t)grid->cells[1] + (size_t)at[1]) * (size_t)grid->cells[0] + (size_t)at[0];
}

static void cell_of(const struct grid *grid, const double fraction[3], int at[3])
{
    for (int k = 0; k < 3; ++k) {
        const int cell = (int)(fraction[k] * grid->cells[k]);
        at[k] = cell < grid->cells[k] ? cell : grid->cells[k] - 1;
    }
}

/* Neighbours -1, 0, 1 of a coordinate, each cell once; returns how many */
static int neighbours(int at, int cells, bool periodic, int list[3])
{
    int n = 0;
    for (int step = -1; step <= 1; ++step) {
        int other = at + step;
        if (periodic)
            other = (other + cells) % cells;
        else if (other < 0 || other >= cells)
            continue;
        bool seen = false;
        for (int k = 0; k < n; ++k)
            seen = seen || list[k] == other;
        if (!seen)
            list[n++] = other;
    }
    return n;
}

static bool is_free(const struct grid *grid, const struct ph_system *system, const double r[3], const int at[3],
                    double distance)
{
    const bool periodic = system->box.kind != PH_BOX_OPEN;
    int list[3][3], n[3];
    for (int k = 0; k < 3; ++k)
        n[k] = neighbours(at[k], grid->cells[k], periodic, list[k]);
    for (int a = 0; a < n[0]; ++a)
        for (int b = 0; b < n[1]; ++b)
            for (int c = 0; c < n[2]; ++c) {
                const int cell[3] = {list[0][a], list[1][b], list[2][c]};
                for (int32_t j = grid->head[cell_index(grid, cell)]; j >= 0; j = grid->next[j]) {
                    double d[3] = {r[0] - system->r[0][j], r[1] - system->r[1][j], r[2] - system->r[2][j]};
                    ph_box_minimum_image(&system->box, d);
                    if (ph_vec3_dot(d, d) < distance * distance)
                        return false;
                }
            }
    return true;
}

/* A uniform place as fractions and as a vector; false if it fell outside the sphere of open space */
static bool draw(const struct ph_system *system, double radius, struct ph_random *random, double fraction[3],
                 double r[3])
{
    for (int k = 0; k < 3; ++k)
        fraction[k] = ph_random_uniform(random);
    if (system->box.kind == PH_BOX_OPEN) {
        for (int k = 0; k < 3; ++k)
            r[k] = radius * (2.0 * fraction[k] - 1.0);
        return ph_vec3_dot(r, r) <= radius * radius;
    }
    for (int j = 0; j < 3; ++j)
        r[j] = fraction[0] * system->box.edge[0][j] + fraction[1] * system->box.edge[1][j] +
               fraction[2] * system->box.edge[2][j];
    return true;
}

enum ph_status ph_start_random(const struct ph_start *start, struct ph_system *system, struct ph_error *err)
{
    const bool open = system->box.kind == PH_BOX_OPEN;
    const double distance = start->minimum_distance, radius = start->radius;
    if (open && !(radius > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "Random places in open space need a radius above 0, not %g.", radius);
    const double volume = open ? 4.0 / 3.0 * pi * radius * radius * radius : system->box.volume;
    const double filling = (double)system->n * pi / 6.0 * distance * distance * distance / volume;
    const double widths[3] = {open ? 2.0 * radius : system->box.width[0], open ? 2.0 * radius : system->box.width[1],
                              open ? 2.0 * radius : system->box.width[2]};
    struct grid grid;
    if (!grid_init(widths, distance, system->n, &grid))
        return ph_no_memory(err, "the places of %zu molecules", system->n);
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < system->n && status == PH_OK; ++i) {
        struct ph_random random = ph_random_stream(start->seed, PH_RANDOM_POSITION, system->id[i]);
        double r[3] = {0.0}, fraction[3];
        int at[3] = {0};
        bool found = false;
        for (int attempt = 0; !found && attempt < ATTEMPTS; ++attempt)
            if (draw(system, radius, &random, fraction, r)) {
                cell_of(&grid, fraction, at);
                found = is_free(&grid, system, r, at, distance);
            }
        if (!found)
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "Only %zu of %zu molecules found a random place at least %g from all others in a "
                                  "volume of %g: they would fill %.2f of it, and random addition reaches at most %.2f. "
                                  "Use a lattice, a smaller minimum distance or more room.",
                                  i, system->n, distance, volume, filling, filling_limit);
        for (int k = 0; k < 3; ++k)
            system->r[k][i] = r[k];
        const size_t cell = cell_index(&grid, at);
        grid.next[i] = grid.head[cell];
        grid.head[cell] = (int32_t)i;
    }
    grid_free(&grid);
    return status;
}
