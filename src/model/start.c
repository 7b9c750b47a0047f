/* SPDX-License-Identifier: MIT */
#include "model/start.h"

#include "base/random.h"
#include "base/vec3.h"
#include "model/start_random.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static const double fcc_basis[4][3] = {{0.25, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.75, 0.25, 0.75}, {0.75, 0.75, 0.25}};
static const double cubic_basis[1][3] = {{0.5, 0.5, 0.5}};

struct lattice {
    size_t n_basis;
    const double (*basis)[3]; /* in units of a cell */
    size_t cells[3];
    double cell[3][3]; /* edges of one cell */
    double origin[3];
    double nearest; /* distance of nearest sites, of the cubic lattice with the shortest edge */
};

/* Grows the number of cells along the edges, always where cells are longest, so that they stay near cubes; edges equal
 * to within a millionth grow together. */
static void count_cells(size_t n, const double edges[3], struct lattice *lattice)
{
    size_t *cells = lattice->cells;
    cells[0] = cells[1] = cells[2] = 1;
    while (lattice->n_basis * cells[0] * cells[1] * cells[2] < n) {
        double longest = 0.0;
        for (int k = 0; k < 3; ++k)
            longest = fmax(longest, edges[k] / (double)cells[k]);
        for (int k = 0; k < 3; ++k)
            if (edges[k] / (double)cells[k] > (1.0 - 1e-6) * longest)
                ++cells[k];
    }
}

/* For n molecules */
static struct lattice make_lattice(const struct ph_start *start, size_t n, const struct ph_system *system)
{
    const bool fcc = start->kind == PH_START_FCC;
    struct lattice lattice = {.n_basis = fcc ? 4 : 1, .basis = fcc ? fcc_basis : cubic_basis};
    const double near_in_cell = fcc ? sqrt(0.5) : 1.0;
    if (system->box.kind == PH_BOX_OPEN) {
        count_cells(n, (double[]){1.0, 1.0, 1.0}, &lattice);
        for (int k = 0; k < 3; ++k) {
            lattice.cell[k][k] = start->spacing / near_in_cell;
            lattice.origin[k] = -0.5 * (double)lattice.cells[k] * lattice.cell[k][k];
        }
        lattice.nearest = start->spacing;
        return lattice;
    }
    const double edges[3] = {ph_vec3_norm(system->box.edge[0]), ph_vec3_norm(system->box.edge[1]),
                             ph_vec3_norm(system->box.edge[2])};
    count_cells(n, edges, &lattice);
    double shortest = INFINITY;
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j)
            lattice.cell[k][j] = system->box.edge[k][j] / (double)lattice.cells[k];
        shortest = fmin(shortest, ph_vec3_norm(lattice.cell[k]));
    }
    lattice.nearest = near_in_cell * shortest;
    return lattice;
}

static void lattice_site(const struct lattice *lattice, size_t index, double r[3])
{
    const double *basis = lattice->basis[index % lattice->n_basis];
    const size_t cell = index / lattice->n_basis;
    const size_t at[3] = {cell % lattice->cells[0], cell / lattice->cells[0] % lattice->cells[1],
                          cell / lattice->cells[0] / lattice->cells[1]};
    for (int j = 0; j < 3; ++j) {
        r[j] = lattice->origin[j];
        for (int k = 0; k < 3; ++k)
            r[j] += ((double)at[k] + basis[k]) * lattice->cell[k][j];
    }
}

/* A random order of 0 .. n - 1 (Fisher and Yates) */
static uint32_t *shuffled(size_t n, uint64_t seed)
{
    uint32_t *order = malloc(n * sizeof *order);
    if (!order)
        return NULL;
    for (size_t i = 0; i < n; ++i)
        order[i] = (uint32_t)i;
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_ORDER, 0);
    for (size_t i = n; i > 1; --i) {
        const size_t j = ph_random_below(&random, i);
        const uint32_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
    return order;
}

/* Places n molecules in all. Molecules of a single species are all alike: they need no shuffled order. */
static enum ph_status place_on_lattice(const struct ph_start *start, size_t n, struct ph_system *system,
                                       struct ph_error *err)
{
    if (system->box.kind == PH_BOX_OPEN && !(start->spacing > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "A lattice in open space needs a spacing above 0, not %g.",
                            start->spacing);
    const struct lattice lattice = make_lattice(start, n, system);
    const size_t n_sites = lattice.n_basis * lattice.cells[0] * lattice.cells[1] * lattice.cells[2];
    uint32_t *order = n > 0 && system->n_species > 1 ? shuffled(n, start->seed) : NULL;
    if (n > 0 && system->n_species > 1 && !order)
        return ph_no_memory(err, "the order of %zu molecules", n);
    for (size_t i = 0; i < system->n; ++i) {
        double r[3];
        const size_t number = system->id[i];
        lattice_site(&lattice, (order ? (size_t)order[number] : number) * n_sites / n, r);
        struct ph_random random = ph_random_stream(start->seed, PH_RANDOM_JITTER, number);
        for (int k = 0; k < 3; ++k)
            system->r[k][i] = r[k] + start->jitter * lattice.nearest * ph_random_normal(&random);
    }
    free(order);
    return PH_OK;
}

static enum ph_status place(const struct ph_start *start, size_t n, struct ph_system *system, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    if (start->kind == PH_START_RANDOM) {
        assert(n == system->n);
        status = ph_start_random(start, system, err);
    } else if (start->kind == PH_START_ICE) {
        assert(n == system->n);
        status = ph_ice_place(start->ice, start->cells, start->seed, system, err);
    } else if (start->kind == PH_START_GAUSSIAN) {
        for (size_t i = 0; i < system->n; ++i) {
            struct ph_random random = ph_random_stream(start->seed, PH_RANDOM_POSITION, system->id[i]);
            for (int k = 0; k < 3; ++k)
                system->r[k][i] = start->spread * ph_random_normal(&random);
        }
    } else {
        status = place_on_lattice(start, n, system, err);
    }
    for (size_t i = 0; i < system->n && status == PH_OK; ++i) {
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        if (!ph_box_reaches(&system->box, r))
            status = ph_error_set(
                err, PH_ERR_INPUT, "Molecule %u would be at (%g, %g, %g), more than %g %s from the origin.",
                system->id[i], r[0], r[1], r[2], PH_FAR, system->box.kind == PH_BOX_OPEN ? "units of length" : "boxes");
    }
    ph_system_wrap(system);
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->image[k][i] = 0;
    return status;
}

enum ph_status ph_start_place(const struct ph_start *start, struct ph_system *system, struct ph_error *err)
{
    return place(start, system->n, system, err);
}

bool ph_start_parts(const struct ph_start *start)
{
    return start->kind != PH_START_RANDOM && start->kind != PH_START_ICE;
}

enum ph_status ph_start_place_part(const struct ph_start *start, const struct ph_start_part *part,
                                   struct ph_system *system, struct ph_error *err)
{
    if (!ph_start_parts(start))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Molecules placed at random, and those of ices, depend on all others, so that none can be "
                            "placed without them. Accepted in parts: lattices and gaussian clouds.");
    return place(start, part->whole->n, system, err);
}

void ph_start_turn(uint64_t seed, struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->species[s].degrees == 0)
            continue;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            struct ph_random random = ph_random_stream(seed, PH_RANDOM_ORIENTATION, system->id[i]);
            double q[4];
            ph_random_orientation(&random, q);
            for (int k = 0; k < 4; ++k)
                system->q[k][i] = q[k];
        }
    }
}
