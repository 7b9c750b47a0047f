/* SPDX-License-Identifier: MIT */
#include "run/build/closest.h"

#include "base/vec3.h"
#include "force/pairs/lists/cells.h"

#include <math.h>
#include <stdbool.h>

enum { FEW = 100 }; /* molecules that are not worth sorting into cells */

/* Offsets first .. last from a cell to those within reach in direction k, each of them once */
static void offsets(const struct ph_cells *cells, int k, int *first, int *last)
{
    const bool around = cells->periodic && 2 * cells->reach[k] + 1 >= cells->n[k];
    *first = around ? 0 : -cells->reach[k];
    *last = around ? cells->n[k] - 1 : cells->reach[k];
}

static void visit_cells(const struct ph_cells *cells, uint32_t one, uint32_t other, ph_pair_visitor *visit,
                        void *context)
{
    for (uint32_t a = cells->start[one]; a < cells->start[one + 1]; ++a)
        for (uint32_t b = cells->start[other]; b < cells->start[other + 1]; ++b)
            if (cells->molecule[a] < cells->molecule[b]) /* both cells see each other */
                visit(cells->molecule[a], cells->molecule[b], context);
}

static void visit_around(const struct ph_cells *cells, uint32_t cell, ph_pair_visitor *visit, void *context)
{
    int from[3], first[3], last[3], image;
    ph_cells_place(cells->key[cell], from);
    for (int k = 0; k < 3; ++k)
        offsets(cells, k, &first[k], &last[k]);
    for (int dx = first[0]; dx <= last[0]; ++dx)
        for (int dy = first[1]; dy <= last[1]; ++dy)
            for (int dz = first[2]; dz <= last[2]; ++dz) {
                int at[3] = {from[0] + dx, from[1] + dy, from[2] + dz};
                if (ph_cells_wrap(cells, 0, &at[0], &image) && ph_cells_wrap(cells, 1, &at[1], &image) &&
                    ph_cells_wrap(cells, 2, &at[2], &image))
                    visit_cells(cells, cell, ph_cells_find(cells, ph_cells_key(at[0], at[1], at[2])), visit, context);
            }
}

enum ph_status ph_near_pairs(const struct ph_system *system, double radius, ph_pair_visitor *visit, void *context,
                             struct ph_error *err)
{
    if (system->n <= FEW || isinf(radius)) {
        for (size_t i = 0; i < system->n; ++i)
            for (size_t j = i + 1; j < system->n; ++j)
                visit(i, j, context);
        return PH_OK;
    }
    struct ph_cells cells;
    const enum ph_status status = ph_cells_init(system, radius, &cells, err);
    if (status != PH_OK)
        return status;
    for (uint32_t c = 0; c < cells.n_cells; ++c)
        visit_around(&cells, c, visit, context);
    ph_cells_clear(&cells);
    return PH_OK;
}

/* ---- The closest pair ---- */

struct search {
    const struct ph_system *system;
    struct ph_closest *closest;
};

static void compare(size_t i, size_t j, void *context)
{
    const struct search *search = context;
    const struct ph_system *system = search->system;
    double d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = system->r[k][i] - system->r[k][j];
    ph_box_minimum_image(&system->box, d);
    const double distance = ph_vec3_norm(d);
    const size_t *before = search->closest->molecule; /* of equal ones the first */
    const bool first = i < before[0] || (i == before[0] && j < before[1]);
    if (distance < search->closest->distance || (distance == search->closest->distance && first))
        *search->closest = (struct ph_closest){{i, j}, distance};
}

/* About how far apart n molecules are in the space they occupy: a volume, a layer or a line, whichever gives more */
static double mean_spacing(const struct ph_system *system)
{
    const double n = (double)system->n;
    if (system->box.kind != PH_BOX_OPEN)
        return cbrt(system->box.volume / n);
    double extent[3];
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < system->n; ++i) {
            low = fmin(low, system->r[k][i]);
            high = fmax(high, system->r[k][i]);
        }
        extent[k] = high - low;
    }
    const double line = fmax(extent[0], fmax(extent[1], extent[2]));
    const double layer = fmax(extent[0] * extent[1], fmax(extent[1] * extent[2], extent[2] * extent[0]));
    return fmax(line / n, fmax(sqrt(layer / n), cbrt(extent[0] * extent[1] * extent[2] / n)));
}

/* Searches within a growing radius until there is a pair. */
enum ph_status ph_closest_pair(const struct ph_system *system, struct ph_closest *closest, struct ph_error *err)
{
    *closest = (struct ph_closest){.distance = INFINITY};
    struct search search = {system, closest};
    if (system->n < 2)
        return PH_OK;
    compare(0, 1, &search);
    enum ph_status status = PH_OK;
    double radius = mean_spacing(system), done = 0.0; /* all are in one place if that is 0 */
    for (; status == PH_OK && radius > 0.0 && closest->distance > done; radius *= 2.0) {
        status = ph_near_pairs(system, radius, compare, &search, err);
        done = radius;
    }
    return status;
}
