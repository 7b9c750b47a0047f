/* SPDX-License-Identifier: MIT */
#include "force/ranks/slabs.h"

#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>

void ph_slabs_destroy(struct ph_slabs *slabs)
{
    if (!slabs)
        return;
    free(slabs->layer);
    free(slabs->plane);
    free(slabs->line);
    free(slabs->out);
    free(slabs->in);
    free(slabs->parcel_out);
    free(slabs->parcel_in);
    free(slabs->n_of);
    free(slabs);
}

/* ---- Which rows travel ---- */

/* Whether process p gathers from plane x, which another has. Without planes it has no sites. */
static bool reads(const struct ph_slabs *slabs, size_t p, int x)
{
    const int begin = slabs->plane[p], end = slabs->plane[p + 1];
    return begin < end && (x - end + slabs->n_planes) % slabs->n_planes < slabs->reach;
}

/* Rows from rank p to rank q: rows of planes x .. and lines y ..; readers need only some planes */
struct rows {
    int x[2], y[2];
};

static struct rows rows_of(const struct ph_slabs *slabs, enum ph_slab_move move, size_t p, size_t q)
{
    const size_t planes = move == PH_SLABS_TO_PLANES ? q : p, lines = move == PH_SLABS_TO_PLANES ? p : q;
    struct rows rows = {.x = {slabs->plane[planes], slabs->plane[planes + 1]},
                        .y = {slabs->line[lines], slabs->line[lines + 1]}};
    if (move == PH_SLABS_TO_READERS) {
        rows.y[0] = 0;
        rows.y[1] = slabs->n_lines;
    }
    return rows;
}

/* Copies the rows that process q gets between the grid and a buffer, in the order of planes, then lines; NULL: counts
 * them. How many there are */
static size_t copy_rows(const struct ph_slabs *slabs, enum ph_slab_move move, size_t q, struct rows rows,
                        const struct ph_grid *grid, bool to_grid, double *buffer)
{
    const size_t n = rows.y[1] > rows.y[0] ? (size_t)(rows.y[1] - rows.y[0]) : 0;
    size_t copied = 0;
    for (int x = rows.x[0]; x < rows.x[1]; ++x) {
        if (move == PH_SLABS_TO_READERS && !reads(slabs, q, x))
            continue;
        if (buffer && n > 0) { /* rows of a plane lie side by side */
            double *here = ph_grid_row(grid, x, rows.y[0]);
            double *there = buffer + copied * slabs->row;
            memcpy(to_grid ? here : there, to_grid ? there : here, n * slabs->row * sizeof(double));
        }
        copied += n;
    }
    return copied;
}

/* ---- Set-up ---- */

static bool reserve(struct ph_slabs *slabs)
{
    const struct ph_team *team = ph_team();
    size_t most_out = 0, most_in = 0;
    for (int k = 0; k < PH_SLABS_MOVES; ++k) {
        const enum ph_slab_move move = (enum ph_slab_move)k;
        size_t out = 0, in = 0;
        for (size_t p = 0; p < team->size; ++p) {
            if (p == team->rank)
                continue;
            out += copy_rows(slabs, move, p, rows_of(slabs, move, team->rank, p), NULL, false, NULL);
            in += copy_rows(slabs, move, team->rank, rows_of(slabs, move, p, team->rank), NULL, false, NULL);
        }
        most_out = out > most_out ? out : most_out;
        most_in = in > most_in ? in : most_in;
    }
    slabs->out = malloc((most_out + 1) * slabs->row * sizeof(double));
    slabs->in = malloc((most_in + 1) * slabs->row * sizeof(double));
    return slabs->out && slabs->in;
}

enum ph_status ph_slabs_create(const struct ph_grid *grid, int planes_of_layer, int reach, struct ph_slabs **out,
                               struct ph_error *err)
{
    const size_t size = ph_team()->size;
    *out = NULL;
    if (size == 1)
        return PH_OK;
    struct ph_slabs *slabs = calloc(1, sizeof *slabs);
    bool enough = slabs != NULL;
    if (enough) {
        slabs->n_planes = grid->points[0];
        slabs->n_lines = grid->points[1];
        slabs->reach = reach;
        slabs->row = grid->row;
        slabs->layer = malloc((size + 1) * sizeof *slabs->layer);
        slabs->plane = malloc((size + 1) * sizeof *slabs->plane);
        slabs->line = malloc((size + 1) * sizeof *slabs->line);
        slabs->parcel_out = malloc(size * sizeof *slabs->parcel_out);
        slabs->parcel_in = malloc(size * sizeof *slabs->parcel_in);
        slabs->n_of = malloc(size * sizeof *slabs->n_of);
        enough = slabs->layer && slabs->plane && slabs->line && slabs->parcel_out && slabs->parcel_in && slabs->n_of;
    }
    const size_t layers = (size_t)((grid->points[0] + planes_of_layer - 1) / planes_of_layer);
    for (size_t p = 0; p <= size && enough; ++p) {
        slabs->layer[p] = (int)(layers * p / size);
        const int plane = slabs->layer[p] * planes_of_layer;
        slabs->plane[p] = plane < slabs->n_planes ? plane : slabs->n_planes;
        slabs->line[p] = (int)((size_t)slabs->n_lines * p / size);
    }
    if (enough && reserve(slabs)) {
        *out = slabs;
        return PH_OK;
    }
    ph_slabs_destroy(slabs);
    return ph_no_memory(err, "sharing a mesh among processes");
}

void ph_slabs_planes(const struct ph_slabs *slabs, struct ph_grid *grid, size_t *n_planes)
{
    const int *plane = slabs->plane + ph_team()->rank, own = plane[1] - plane[0], all = own + slabs->reach;
    grid->first[0] = own > 0 ? plane[0] : 0;
    *n_planes = (size_t)(own == 0 ? 1 : all < slabs->n_planes ? all : slabs->n_planes);
}

void ph_slabs_lines(const struct ph_slabs *slabs, struct ph_grid *lines)
{
    const int *line = slabs->line + ph_team()->rank;
    lines->first[1] = line[0];
    lines->plane = (size_t)(line[1] - line[0]) * lines->row;
}

/* ---- Travel ---- */

static void copy_own(const struct ph_slabs *slabs, enum ph_slab_move move, const struct ph_grid *from,
                     const struct ph_grid *to)
{
    const struct rows rows = rows_of(slabs, move, ph_team()->rank, ph_team()->rank);
    const size_t n = (size_t)(rows.y[1] - rows.y[0]) * slabs->row;
    for (int x = rows.x[0]; x < rows.x[1] && n > 0; ++x)
        memcpy(ph_grid_row(to, x, rows.y[0]), ph_grid_row(from, x, rows.y[0]), n * sizeof(double));
}

void ph_slabs_move(const struct ph_slabs *slabs, enum ph_slab_move move, const struct ph_grid *from_grid,
                   const struct ph_grid *to_grid)
{
    const struct ph_team *team = ph_team();
    size_t n_out = 0, n_in = 0, rows_out = 0, rows_in = 0;
    for (size_t p = 0; p < team->size; ++p) {
        if (p == team->rank)
            continue;
        double *to = slabs->out + rows_out * slabs->row, *from = slabs->in + rows_in * slabs->row;
        const size_t out = copy_rows(slabs, move, p, rows_of(slabs, move, team->rank, p), from_grid, false, to);
        const size_t in = copy_rows(slabs, move, team->rank, rows_of(slabs, move, p, team->rank), NULL, false, NULL);
        if (out > 0)
            slabs->parcel_out[n_out++] = (struct ph_parcel){.rank = p, .n = out, .data = to};
        if (in > 0)
            slabs->parcel_in[n_in++] = (struct ph_parcel){.rank = p, .n = in, .data = from};
        rows_out += out;
        rows_in += in;
    }
    if (from_grid != to_grid)
        copy_own(slabs, move, from_grid, to_grid);
    team->begin_exchange(slabs->row * sizeof(double), n_out, slabs->parcel_out, n_in, slabs->parcel_in);
    team->finish_exchange();
    for (size_t k = 0; k < n_in; ++k) {
        const struct rows rows = rows_of(slabs, move, slabs->parcel_in[k].rank, team->rank);
        copy_rows(slabs, move, team->rank, rows, to_grid, true, slabs->parcel_in[k].data);
    }
}
