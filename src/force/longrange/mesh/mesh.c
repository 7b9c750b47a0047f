/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_inside.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/threads.h"
#include "base/vec3.h"
#include "parallel/ranks.h"
#include "parallel/spent.h"

#include <omp.h>
#include <stdlib.h>

/* ---- Set-up ---- */

void ph_mesh_destroy(struct ph_mesh *mesh)
{
    if (!mesh)
        return;
    for (int e = 0; e < 3; ++e)
        ph_fourier_free(&mesh->fourier[e]);
    for (int t = 0; t < PH_MESH_SPACES * mesh->threads && mesh->work; ++t)
        free(mesh->work[t]);
    ph_slabs_destroy(mesh->slabs);
    ph_mesh_transfer_destroy(mesh->transfer);
    void *const owned[] = {mesh->influence[0], mesh->influence[1], mesh->influence[2],   mesh->factor,
                           mesh->slope,        mesh->line_sums,    mesh->work,           mesh->place,
                           mesh->first,        mesh->site,         mesh->spread,         mesh->potential.value,
                           mesh->rate.value,   mesh->rates.spread, mesh->rates.gathered, mesh->rates.of_potential,
                           mesh->gathered,     mesh->across.value, mesh->windows,        mesh->counts};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k)
        free(owned[k]);
    free(mesh);
}

double *ph_mesh_grid_values(const struct ph_mesh *mesh)
{
    return ph_array_create(mesh->n_planes * mesh->potential.plane, sizeof(double));
}

static size_t n_cells(const struct ph_mesh *mesh)
{
    return (size_t)mesh->cells[0] * (size_t)mesh->cells[1] * (size_t)mesh->cells[2];
}

static bool reserve(struct ph_mesh *mesh)
{
    const size_t x = (size_t)mesh->points[0], y = (size_t)mesh->points[1], z = (size_t)mesh->waves;
    const size_t lines = (size_t)(mesh->lines[1] - mesh->lines[0]);
    mesh->potential.value = ph_mesh_grid_values(mesh);
    mesh->factor = ph_array_create(x * lines * z, sizeof(double));
    mesh->slope = ph_array_create(x * lines * z, sizeof(double));
    mesh->line_sums = ph_array_create(y * PH_MESH_SUMS, sizeof(double));
    mesh->work = calloc(PH_MESH_SPACES * (size_t)mesh->threads, sizeof *mesh->work);
    mesh->first = ph_array_create(n_cells(mesh) + 1, sizeof *mesh->first);
    if (mesh->slabs)
        mesh->across.value = ph_array_create(x * mesh->across.plane, sizeof(double));
    bool enough = (!mesh->slabs || mesh->across.value) && mesh->potential.value && mesh->factor && mesh->slope &&
                  mesh->line_sums && mesh->work && mesh->first;
    const size_t lines_size = (x > y ? x : y) * z, rows_size = (size_t)mesh->points[2] * PH_MESH_PAIRS;
    for (int t = 0; t < PH_MESH_SPACES * mesh->threads && enough; ++t)
        enough = (mesh->work[t] = ph_array_create(2 * (lines_size > rows_size ? lines_size : rows_size),
                                                  sizeof **mesh->work)) != NULL;
    for (int e = 0; e < 3 && enough; ++e)
        enough = (mesh->influence[e] = ph_array_create((size_t)mesh->points[e], sizeof(double))) != NULL &&
                 ph_fourier_init(mesh->points[e], &mesh->fourier[e]);
    return enough;
}

/* Ranges of sites that threads count at the same time, see sort_sites. No more than pays: at least two sites for each
 * cell */
static size_t ranges_of(const struct ph_mesh *mesh, size_t n, int threads)
{
    const size_t most = n / (2 * n_cells(mesh));
    return most < 1 ? 1 : most < (size_t)threads ? most : (size_t)threads;
}

/* Where threads have few planes, most windows reach planes of several threads, and each of these finds them again.
 * Windows are found once and kept if about four threads would find them. Fewer find them sooner than they read what
 * another thread has written: docs/measurements/speed/cores.md. */
static bool keeps_windows(const struct ph_mesh *mesh)
{
    enum { AGAIN = 3 };
    const int threads = ph_mesh_threads_now(mesh), planes = mesh->planes[1] - mesh->planes[0];
    return threads > 1 && threads * (mesh->window.width - 1) >= AGAIN * planes;
}

/* Arrays for as many sites as there is memory for in `here`; arrays of rates are made again on demand. */
static bool reserve_sites(struct ph_mesh *mesh)
{
    const int order = ph_mesh_order(mesh->sites);
    const size_t n = mesh->here->room, numbers = ph_grid_numbers(order + 1);
    if (n == mesh->room && mesh->place)
        return true;
    void *const old[] = {mesh->place,  mesh->site,         mesh->spread,         mesh->gathered,          mesh->windows,
                         mesh->counts, mesh->rates.spread, mesh->rates.gathered, mesh->rates.of_potential};
    for (size_t k = 0; k < sizeof old / sizeof *old; ++k)
        free(old[k]);
    mesh->rates.spread = mesh->rates.gathered = mesh->rates.of_potential = NULL;
    mesh->place = ph_array_create(n, sizeof *mesh->place);
    mesh->site = ph_array_create(n, sizeof *mesh->site);
    mesh->spread = ph_array_create(n * numbers, sizeof(double));
    mesh->gathered = ph_array_create(n * numbers, sizeof(double));
    mesh->windows = NULL;
    const size_t ranges = ranges_of(mesh, n, mesh->threads);
    mesh->counts = ph_array_create(ranges * n_cells(mesh), sizeof *mesh->counts);
    if (keeps_windows(mesh))
        mesh->windows = ph_array_create(n * ph_grid_windows_size(&mesh->window, order), sizeof(double));
    mesh->room = n;
    return mesh->place && mesh->site && mesh->spread && mesh->gathered && mesh->counts &&
           (mesh->windows || !keeps_windows(mesh));
}

enum ph_status ph_mesh_take_sites(struct ph_mesh *mesh, enum ph_status status, struct ph_error *err)
{
    if (mesh->transfer)
        status = ph_mesh_count_sites(mesh, status, err);
    if (status == PH_OK && !reserve_sites(mesh))
        status = ph_no_memory(err, "%zu sites on a mesh", mesh->here->n);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK && mesh->transfer)
        ph_mesh_send_sites(mesh);
    return status;
}

static void find_influence(const struct ph_window *window, int points, double *influence)
{
    enum { IMAGES = 3 };
    for (int k = 0; k < points; ++k) {
        const int n = ph_mesh_integer(k, points);
        double sum = 0.0;
        for (int j = -IMAGES; j <= IMAGES; ++j) {
            const double t = ph_window_transform(window, n + j * points, points);
            sum += t * t;
        }
        const double t = ph_window_transform(window, n, points);
        influence[k] = 2 * n == -points ? 0.0 : t * t / (sum * sum); /* a wave that the grid sees from one side */
    }
}

enum ph_status ph_mesh_create(const struct ph_box *box, const struct ph_interactions *interactions,
                              struct ph_wave_sites *sites, struct ph_mesh **out, struct ph_error *err)
{
    const struct ph_ewald_choice *choice = &interactions->ewald;
    struct ph_mesh *mesh = calloc(1, sizeof *mesh);
    *out = NULL;
    if (!mesh)
        return ph_no_memory(err, "the mesh");
    mesh->sites = mesh->here = sites;
    mesh->coulomb = interactions->coulomb;
    mesh->split = ph_split_of(interactions);
    mesh->window = ph_window(ph_split_order(choice), choice->width, choice->window);
    mesh->threads = omp_get_max_threads() > omp_get_num_procs() ? omp_get_max_threads() : omp_get_num_procs();
    for (int e = 0; e < 3; ++e) {
        mesh->points[e] = mesh->potential.points[e] = mesh->rate.points[e] = choice->grid[e];
        mesh->cells[e] = (choice->grid[e] + PH_MESH_CELL - 1) / PH_MESH_CELL;
    }
    mesh->waves = mesh->points[2] / 2 + 1;
    mesh->potential.row = mesh->rate.row = ph_padded((size_t)(mesh->points[2] + ph_grid_beyond(&mesh->window)));
    mesh->potential.plane = mesh->rate.plane = (size_t)mesh->points[1] * mesh->potential.row;
    enum ph_status status = ph_mesh_share(mesh, err);
    if (status == PH_OK && !reserve(mesh))
        status = ph_no_memory(err, "a mesh of %d x %d x %d points", choice->grid[0], choice->grid[1], choice->grid[2]);
    if (status != PH_OK) {
        ph_mesh_destroy(mesh);
        return status;
    }
    for (int e = 0; e < 3; ++e)
        find_influence(&mesh->window, mesh->points[e], mesh->influence[e]);
    ph_mesh_set_box(box, mesh);
    *out = mesh;
    return PH_OK;
}

static bool is_our_line(const struct ph_mesh *mesh, int y) { return mesh->lines[0] <= y && y < mesh->lines[1]; }

/* Line -y */
static int mirrored(const struct ph_mesh *mesh, int y) { return y == 0 ? 0 : mesh->points[1] - y; }

/* 1/T^2 of waves whose part in the density is as small as the rounding of doubles. Wide windows have such waves near
 * the corners of the grid, and zeros of T among them: times D they would be noise, of any size. */
static const double most_influence = 0x1p104;

/* Sets the factors of a wave, if it is in a line of this rank. In a rectangular box it also sets waves with n_x or n_y
 * of the opposite sign. They are as long, so that g is computed once for all four. */
static void set_waves(struct ph_mesh *mesh, double strength, bool rectangular, int x, int y, int z)
{
    double *const *d = mesh->influence, k[3], slope;
    ph_mesh_wave_vector(mesh, x, y, z, k);
    const double k2 = ph_vec3_dot(k, k);
    if (k2 == 0.0)
        return; /* stays 0 */
    const double g = ph_split_wave(&mesh->split, k2, &slope);
    for (int mirror = 0; mirror < (rectangular ? 4 : 1); ++mirror) {
        const int mx = mirror % 2 == 0 || x == 0 ? x : mesh->points[0] - x;
        const int my = mirror / 2 == 0 ? y : mirrored(mesh, y);
        if (!is_our_line(mesh, my))
            continue;
        const size_t w = ph_mesh_wave_at(mesh, mx, my, z);
        /* 0 for the last wave of a row, n = -points/2, if there is one */
        const double all = strength * d[0][mx] * d[1][my] * d[2][z];
        const double weight = all < strength * most_influence ? all : 0.0;
        mesh->factor[w] = weight * g / k2;
        mesh->slope[w] = 2.0 * weight * (g / k2 - slope) / k2;
    }
}

void ph_mesh_set_box(const struct ph_box *box, struct ph_mesh *mesh)
{
    const double pi = 3.14159265358979323846, strength = 4.0 * pi * mesh->coulomb / box->volume;
    const bool rectangular = box->kind == PH_BOX_ORTHORHOMBIC;
    for (int e = 0; e < 3; ++e)
        for (int k = 0; k < 3; ++k) {
            mesh->dual[e][k] = 2.0 * pi * box->inverse[e][k];
            mesh->to_points[e][k] = mesh->points[e] * box->inverse[e][k];
        }
    const int end_x = rectangular ? mesh->points[0] / 2 + 1 : mesh->points[0];
    const int end_y = rectangular ? mesh->points[1] / 2 + 1 : mesh->points[1];
#pragma omp parallel for schedule(static)
    for (int y = 0; y < end_y; ++y)
        for (int x = 0; x < end_x && (is_our_line(mesh, y) || is_our_line(mesh, mirrored(mesh, y))); ++x)
            for (int z = 0; z < mesh->waves; ++z)
                set_waves(mesh, strength, rectangular, x, y, z);
}

/* ---- Sites in the order of the grid ---- */

/* From here to the forces, all threads of a team call the functions that loop over all sites, planes or lines. Each
 * thread takes parts of the loop as it gets to them. There is one team for an evaluation, not one for each loop. No
 * result depends on the thread that does a part. */

static void locate(const struct ph_mesh *mesh, size_t j, struct ph_grid_site *out)
{
    for (int e = 0; e < 3; ++e)
        out->first[e] = ph_mesh_locate(mesh, mesh->here, j, e, &out->u[e]);
    out->number = (unsigned)j;
}

/* Sites are sorted by cell, and in their own order within: a matter of places alone. Each range of sites is counted
 * apart. Then the sites of one range come before those of the next in every cell, for any number of ranges. */
struct range {
    size_t begin, end;
    uint32_t *count; /* of each cell; then the place of its next site */
};

static struct range range_of(const struct ph_mesh *mesh, size_t r, size_t ranges)
{
    const size_t n = mesh->here->n;
    return (struct range){n * r / ranges, n * (r + 1) / ranges, mesh->counts + r * n_cells(mesh)};
}

static void count_sites(struct ph_mesh *mesh, struct range range)
{
    memset(range.count, 0, n_cells(mesh) * sizeof *range.count);
    for (size_t j = range.begin; j < range.end; ++j) {
        struct ph_grid_site site;
        locate(mesh, j, &site);
        const int x = site.first[0] / PH_MESH_CELL, y = site.first[1] / PH_MESH_CELL, z = site.first[2] / PH_MESH_CELL;
        mesh->place[j] = (uint32_t)((x * mesh->cells[1] + y) * mesh->cells[2] + z); /* its cell, at first */
        ++range.count[mesh->place[j]];
    }
}

/* Finds where the sites of each range begin in each cell. */
static void find_places(struct ph_mesh *mesh, size_t ranges)
{
    const size_t cells = n_cells(mesh);
    uint32_t next = 0;
    for (size_t cell = 0; cell < cells; ++cell) {
        mesh->first[cell] = next;
        for (size_t r = 0; r < ranges; ++r) {
            uint32_t *count = &mesh->counts[r * cells + cell];
            const uint32_t sites = *count;
            *count = next;
            next += sites;
        }
    }
    mesh->first[cells] = next;
}

void ph_mesh_to_points(const struct ph_mesh *mesh, double *const v[3], size_t j, double out[3])
{
    for (int e = 0; e < 3; ++e) {
        const double *to = mesh->to_points[e];
        out[e] = to[0] * v[0][j] + to[1] * v[1][j] + to[2] * v[2][j];
    }
}

void ph_mesh_tensor_to_points(const struct ph_mesh *mesh, double *const m[PH_WAVE_TENSOR], size_t j, double out[6])
{
    const double here[PH_WAVE_TENSOR] = {m[0][j], m[1][j], m[2][j], m[3][j], m[4][j], m[5][j]};
    ph_tensor_to_points(mesh->to_points, here, out);
}

static void place_range(struct ph_mesh *mesh, struct range range)
{
    const struct ph_wave_sites *sites = mesh->here;
    const int order = ph_mesh_order(sites);
    for (size_t j = range.begin; j < range.end; ++j) {
        const size_t place = mesh->place[j] = range.count[mesh->place[j]]++;
        double *c = mesh->spread + place * ph_grid_numbers(order);
        locate(mesh, j, &mesh->site[place]);
        c[0] = sites->charge[j];
        if (sites->dipoles)
            ph_mesh_to_points(mesh, sites->mu, j, c + 1);
        if (sites->quadrupoles)
            ph_mesh_tensor_to_points(mesh, sites->m, j, c + 4);
        if (mesh->windows)
            ph_grid_windows(&mesh->window, order, place, place + 1, mesh->site, mesh->windows);
    }
}

static void place_sites(struct ph_mesh *mesh)
{
    const size_t ranges = ranges_of(mesh, mesh->here->n, omp_get_num_threads());
#pragma omp for schedule(static)
    for (size_t r = 0; r < ranges; ++r)
        count_sites(mesh, range_of(mesh, r, ranges));
#pragma omp single
    find_places(mesh, ranges);
#pragma omp for schedule(static) nowait
    for (size_t r = 0; r < ranges; ++r)
        place_range(mesh, range_of(mesh, r, ranges));
    ph_spent_meet(PH_SPENT_MESH_SITES);
}

/* ---- Forces ---- */

void ph_mesh_minus_gradient(const struct ph_mesh *mesh, const double g[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = -(mesh->to_points[0][k] * g[0] + mesh->to_points[1][k] * g[1] + mesh->to_points[2][k] * g[2]);
}

static void gather_all(const struct ph_mesh *mesh, int order)
{
    const struct ph_wave_sites *sites = mesh->here;
    const size_t numbers = ph_grid_numbers(order);
    size_t own[2];
    ph_mesh_own_sites(mesh, own);
#pragma omp for schedule(dynamic) nowait
    for (size_t from = own[0]; from < own[1]; from += PH_TURN) {
        const size_t end = ph_turn_end(from, own[1]);
        ph_grid_gather(&mesh->window, order, from, end, mesh->site, &mesh->potential, mesh->gathered);
        for (size_t s = from; s < end; ++s) {
            const size_t j = mesh->site[s].number;
            const double *t = mesh->gathered + s * numbers;
            const double *c = mesh->spread + s * ph_grid_numbers(order - 1);
            double field[3], along[3], pull[3], gradient[6];
            ph_mesh_minus_gradient(mesh, t + 1, field);
            ph_mesh_set3(sites->field, j, field);
            if (!sites->dipoles)
                continue;
            ph_tensor_times(t + 4, c + 1, along);
            if (sites->quadrupoles) {
                ph_tensor_from_points(mesh->to_points, t + 4, gradient);
                ph_mesh_set6(sites->gradient, j, gradient);
                ph_tensor_add_third(t + 10, c + 4, along);
            }
            ph_mesh_minus_gradient(mesh, along, pull);
            ph_mesh_set3(sites->pull, j, pull);
        }
    }
    ph_spent_meet(PH_SPENT_MESH_GATHER);
}

/* Adds the time of the calling thread since `start`, and says which part begins; other threads count nothing. */
static void take_time(double *start, double *spent, enum ph_spent_part next)
{
#pragma omp master
    {
        ph_spent_begin(next);
        const double now = ph_clock_thread();
        *spent += now - *start;
        *start = now;
    }
}

double ph_mesh_evaluate(struct ph_mesh *mesh, double virial[3][3])
{
    const int order = ph_mesh_order(mesh->sites) + 1;
    double start = ph_clock_thread();
    ph_spent_begin(PH_SPENT_MESH_SITES);
#pragma omp parallel num_threads(ph_mesh_threads_now(mesh))
    {
        place_sites(mesh);
#pragma omp master
        ph_spent_begin(PH_SPENT_MESH_SPREAD);
        ph_mesh_spread_all(mesh, order - 1, mesh->windows, mesh->spread, &mesh->potential);
        take_time(&start, &mesh->times.spread, PH_SPENT_MESH_TRANSFORM);
        ph_mesh_transform_all(mesh, virial != NULL, &mesh->potential);
        take_time(&start, &mesh->times.transform, PH_SPENT_MESH_GATHER);
        gather_all(mesh, order);
        take_time(&start, &mesh->times.gather, PH_SPENT_OTHER);
    }
    if (mesh->transfer)
        ph_mesh_bring_back(mesh, false);
    if (!virial)
        return 0.0;
    ph_mesh_tell_sums(mesh);
    double sums[PH_MESH_SUMS] = {0.0};
    for (int y = 0; y < mesh->points[1]; ++y)
        for (int s = 0; s < PH_MESH_SUMS; ++s)
            sums[s] += mesh->line_sums[y * PH_MESH_SUMS + s];
    for (int a = 0, s = 1; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s)
            virial[a][b] = virial[b][a] = (a == b ? sums[0] : 0.0) - sums[s];
    return sums[0];
}

struct ph_mesh_times ph_mesh_times(const struct ph_mesh *mesh) { return mesh->times; }

struct ph_mesh_parts ph_mesh_parts(const struct ph_mesh *mesh)
{
    struct ph_mesh_parts parts = {.window = &mesh->window,
                                  .waves = mesh->waves,
                                  .to_points = mesh->to_points,
                                  .dual = mesh->dual,
                                  .factor = mesh->factor,
                                  .slope = mesh->slope};
    memcpy(parts.points, mesh->points, sizeof parts.points);
    return parts;
}
