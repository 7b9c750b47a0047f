/* SPDX-License-Identifier: MIT */
/* From the density of the sites to their potential: spreading, and Fourier transforms of planes and lines. */
#include "force/longrange/mesh/mesh_inside.h"

#include "parallel/spent.h"

#include <omp.h>

/* Spreads to planes begin .. end all sites that reach them, in their order; more layers of cells than reach them do no
 * harm */
static void spread_planes(const struct ph_mesh *mesh, int order, const double *windows, const double *numbers,
                          int begin, int end, const struct ph_grid *grid)
{
    const int layers = mesh->cells[0], next = (end - 1) / PH_MESH_CELL + 1;
    const int reach = begin - mesh->window.width + 1; /* windows from here on reach `begin`; negative: around the box */
    const int low = reach < 0 ? 0 : reach / PH_MESH_CELL,
              around = reach < 0 ? (reach + mesh->points[0]) / PH_MESH_CELL : layers;
    memset(ph_grid_row(grid, begin, 0), 0, (size_t)(end - begin) * grid->plane * sizeof(double));
    ph_grid_spread(&mesh->window, order, ph_mesh_first_of_layer(mesh, low), ph_mesh_first_of_layer(mesh, next),
                   mesh->site, windows, numbers, begin, end, grid);
    ph_grid_spread(&mesh->window, order, ph_mesh_first_of_layer(mesh, around < next ? next : around),
                   ph_mesh_first_of_layer(mesh, layers), mesh->site, windows, numbers, begin, end, grid);
}

static void fold_plane(const struct ph_mesh *mesh, int x, const struct ph_grid *grid)
{
    for (int y = 0; y < mesh->points[1]; ++y) {
        double *restrict row = ph_grid_row(grid, x, y);
        const double *restrict beyond = row + mesh->points[2];
        for (int z = 0; z < mesh->window.width; ++z)
            row[z] += beyond[z];
    }
}

static void unfold_plane(const struct ph_mesh *mesh, int x, const struct ph_grid *grid)
{
    const size_t points = (size_t)mesh->points[2], beyond = grid->row - points;
    for (int y = 0; y < mesh->points[1]; ++y) {
        double *row = ph_grid_row(grid, x, y);
        for (size_t z = 0; z < beyond; ++z)
            row[points + z] = row[z % points];
    }
}

/* ---- Planes and lines ---- */

/* A work space for n lines of waves, or n pairs of rows: real parts, then imaginary parts */
static struct ph_complex_lines space(double *work, size_t n) { return (struct ph_complex_lines){work, work + n}; }

/* Rows y, y + 2, ... of a plane as real parts, those after them as imaginary parts: [z][pair]. Missing rows are zero.
 */
static void rows_to_pairs(const struct ph_mesh *mesh, const double *plane, int y, struct ph_complex_lines pairs)
{
    const size_t n = (size_t)mesh->points[2];
    for (size_t k = 0; k < 2 * PH_MESH_PAIRS; ++k) {
        double *to = (k % 2 == 0 ? pairs.re : pairs.im) + k / 2;
        const bool there = y + (int)k < mesh->points[1];
        const double *row = there ? plane + (size_t)(y + (int)k) * mesh->potential.row : NULL;
        for (size_t z = 0; z < n; ++z)
            to[z * PH_MESH_PAIRS] = there ? row[z] : 0.0;
    }
}

static void pairs_to_rows(const struct ph_mesh *mesh, struct ph_complex_lines pairs, int y, double *plane)
{
    for (size_t k = 0; k < 2 * PH_MESH_PAIRS && y + (int)k < mesh->points[1]; ++k) {
        const double *from = (k % 2 == 0 ? pairs.re : pairs.im) + k / 2;
        double *row = plane + (size_t)(y + (int)k) * mesh->potential.row;
        for (size_t z = 0; z < (size_t)mesh->points[2]; ++z)
            row[z] = from[z * PH_MESH_PAIRS];
    }
}

/* From waves S of pairs to those of their rows a and b, and back: with S' of the opposite wave
 *   A = (S + conj S')/2,  B = (S - conj S')/2i,  S = A + i B,  S' = conj A + i conj B. */
static void pairs_to_waves(const struct ph_mesh *mesh, struct ph_complex_lines pairs, int y,
                           struct ph_complex_lines waves)
{
    const size_t n = (size_t)mesh->points[2], half = (size_t)mesh->waves;
    for (size_t k = 0; k < PH_MESH_PAIRS && y + 2 * (int)k < mesh->points[1]; ++k) {
        const size_t a = (size_t)(y + 2 * (int)k) * half, b = a + half;
        const bool both = y + 2 * (int)k + 1 < mesh->points[1];
        for (size_t z = 0; z < half; ++z) {
            const size_t here = z * PH_MESH_PAIRS + k, there = (z > 0 ? n - z : 0) * PH_MESH_PAIRS + k;
            const double re = pairs.re[here], im = pairs.im[here], other_re = pairs.re[there],
                         other_im = pairs.im[there];
            waves.re[a + z] = 0.5 * (re + other_re);
            waves.im[a + z] = 0.5 * (im - other_im);
            if (both) {
                waves.re[b + z] = 0.5 * (im + other_im);
                waves.im[b + z] = 0.5 * (other_re - re);
            }
        }
    }
}

static void waves_to_pairs(const struct ph_mesh *mesh, struct ph_complex_lines waves, int y,
                           struct ph_complex_lines pairs)
{
    const size_t n = (size_t)mesh->points[2], half = (size_t)mesh->waves;
    for (size_t k = 0; k < PH_MESH_PAIRS; ++k) {
        const int row = y + 2 * (int)k;
        const size_t a = (size_t)row * half, b = a + half;
        const bool first = row < mesh->points[1], second = row + 1 < mesh->points[1];
        for (size_t z = 0; z < half; ++z) {
            const size_t here = z * PH_MESH_PAIRS + k, there = (z > 0 ? n - z : 0) * PH_MESH_PAIRS + k;
            const bool real = here == there; /* its imaginary part is rounding */
            const double a_re = first ? waves.re[a + z] : 0.0, a_im = first && !real ? waves.im[a + z] : 0.0;
            const double b_re = second ? waves.re[b + z] : 0.0, b_im = second && !real ? waves.im[b + z] : 0.0;
            pairs.re[there] = a_re + b_im;
            pairs.im[there] = b_re - a_im;
            pairs.re[here] = a_re - b_im;
            pairs.im[here] = a_im + b_re;
        }
    }
}

/* The work space that is not this one */
static double *other_space(double *const work[PH_MESH_SPACES], struct ph_complex_lines used)
{
    return used.re == work[0] ? work[1] : work[0];
}

/* The waves of a plane take the place of its rows: real parts, then imaginary parts. */
static void rows_to_work(const struct ph_mesh *mesh, const double *rows, size_t step, int n, struct ph_complex_lines to)
{
    const size_t half = (size_t)mesh->waves;
    for (size_t k = 0; k < (size_t)n; ++k) {
        memcpy(to.re + k * half, rows + k * step, half * sizeof *rows);
        memcpy(to.im + k * half, rows + k * step + half, half * sizeof *rows);
    }
}

static void work_to_rows(const struct ph_mesh *mesh, struct ph_complex_lines from, size_t step, int n, double *rows)
{
    const size_t half = (size_t)mesh->waves;
    for (size_t k = 0; k < (size_t)n; ++k) {
        memcpy(rows + k * step, from.re + k * half, half * sizeof *rows);
        memcpy(rows + k * step + half, from.im + k * half, half * sizeof *rows);
    }
}

static void transform_plane(const struct ph_mesh *mesh, double *plane, double *const work[PH_MESH_SPACES])
{
    const size_t half = (size_t)mesh->waves, n = (size_t)mesh->points[1] * half;
    const size_t size = (size_t)mesh->points[2] * PH_MESH_PAIRS;
    const struct ph_complex_lines waves = space(work[0], n);
    for (int y = 0; y < mesh->points[1]; y += 2 * PH_MESH_PAIRS) {
        const struct ph_complex_lines pairs = space(work[1], size), spare = space(work[2], size);
        rows_to_pairs(mesh, plane, y, pairs);
        pairs_to_waves(mesh, ph_fourier_transform(&mesh->fourier[2], false, PH_MESH_PAIRS, pairs, spare), y, waves);
    }
    work_to_rows(mesh, ph_fourier_transform(&mesh->fourier[1], false, half, waves, space(work[1], n)),
                 mesh->potential.row, mesh->points[1], plane);
}

static void transform_plane_back(const struct ph_mesh *mesh, double *plane, double *const work[PH_MESH_SPACES])
{
    const size_t half = (size_t)mesh->waves, n = (size_t)mesh->points[1] * half;
    const size_t size = (size_t)mesh->points[2] * PH_MESH_PAIRS;
    rows_to_work(mesh, plane, mesh->potential.row, mesh->points[1], space(work[0], n));
    const struct ph_complex_lines waves =
        ph_fourier_transform(&mesh->fourier[1], true, half, space(work[0], n), space(work[1], n));
    for (int y = 0; y < mesh->points[1]; y += 2 * PH_MESH_PAIRS) {
        const struct ph_complex_lines pairs = space(other_space(work, waves), size), spare = space(work[2], size);
        waves_to_pairs(mesh, waves, y, pairs);
        pairs_to_rows(mesh, ph_fourier_transform(&mesh->fourier[2], true, PH_MESH_PAIRS, pairs, spare), y, plane);
    }
}

/* Energy and virial of the waves with the same y; other half of the waves is the same once more, but for z = 0 */
static void sum_lines(const struct ph_mesh *mesh, int y, struct ph_complex_lines lines, double sums[PH_MESH_SUMS])
{
    const size_t waves = (size_t)mesh->waves, offset = ph_mesh_wave_at(mesh, 0, y, 0);
    for (int s = 0; s < PH_MESH_SUMS; ++s)
        sums[s] = 0.0;
    for (int x = 0; x < mesh->points[0]; ++x) {
        const double *factor = mesh->factor + offset + (size_t)x * waves;
        const double *slope = mesh->slope + offset + (size_t)x * waves;
        const double *re = lines.re + (size_t)x * waves, *im = lines.im + (size_t)x * waves;
        double energy = 0.0, s0 = 0.0, s1 = 0.0, s2 = 0.0, base[3];
        for (size_t z = 0; z < waves; ++z) {
            const double square = (z == 0 ? 0.5 : 1.0) * (re[z] * re[z] + im[z] * im[z]), part = square * slope[z];
            energy += square * factor[z];
            s0 += part;
            s1 += part * (double)z;
            s2 += part * (double)z * (double)z;
        }
        ph_mesh_wave_vector(mesh, x, y, 0, base);
        sums[0] += energy;
        for (int a = 0, s = 1; a < 3; ++a)
            for (int b = a; b < 3; ++b, ++s)
                sums[s] += s0 * base[a] * base[b] + s1 * (base[a] * mesh->dual[2][b] + base[b] * mesh->dual[2][a]) +
                           s2 * mesh->dual[2][a] * mesh->dual[2][b];
    }
}

PH_DISPATCHED static void multiply(size_t n, const double *restrict factor, double *restrict re, double *restrict im)
{
    PH_SIMD
    for (size_t w = 0; w < n; ++w) {
        re[w] *= factor[w];
        im[w] *= factor[w];
    }
}

/* Along x, of all waves with the same y: there, times the factors of the waves, and back */
static void transform_lines(const struct ph_mesh *mesh, int y, bool energy, const struct ph_grid *grid,
                            double *const work[PH_MESH_SPACES])
{
    const size_t half = (size_t)mesh->waves, n = (size_t)mesh->points[0] * half;
    double *rows = ph_grid_row(grid, 0, y);
    rows_to_work(mesh, rows, grid->plane, mesh->points[0], space(work[0], n));
    struct ph_complex_lines lines =
        ph_fourier_transform(&mesh->fourier[0], false, half, space(work[0], n), space(work[1], n));
    if (energy)
        sum_lines(mesh, y, lines, mesh->line_sums + y * PH_MESH_SUMS);
    multiply(n, mesh->factor + ph_mesh_wave_at(mesh, 0, y, 0), lines.re, lines.im);
    lines = ph_fourier_transform(&mesh->fourier[0], true, half, lines, space(other_space(work, lines), n));
    work_to_rows(mesh, lines, grid->plane, mesh->points[0], rows);
}

/* Returns the plane such that the windows of about `wanted` sites begin before it. */
static int plane_before(const struct ph_mesh *mesh, double wanted)
{
    int layer = 0;
    while (layer + 1 < mesh->cells[0] && (double)ph_mesh_first_of_layer(mesh, layer + 1) <= wanted)
        ++layer;
    const double first = (double)ph_mesh_first_of_layer(mesh, layer),
                 next = (double)ph_mesh_first_of_layer(mesh, layer + 1);
    const int plane = (int)(PH_MESH_CELL * (layer + (next > first ? (wanted - first) / (next - first) : 0.0)));
    return plane < mesh->points[0] ? plane : mesh->points[0];
}

int ph_mesh_threads_now(const struct ph_mesh *mesh)
{
    return omp_get_max_threads() < mesh->threads ? omp_get_max_threads() : mesh->threads;
}

/* Where part number `part` of our planes begins, of `parts` with about as many sites each */
static int plane_of_part(const struct ph_mesh *mesh, int part, int parts)
{
    size_t sites[2];
    ph_mesh_own_sites(mesh, sites);
    const double wanted = (double)sites[0] + (double)(sites[1] - sites[0]) * part / parts;
    const int plane = plane_before(mesh, wanted);
    const int *planes = mesh->planes;
    return part == parts || plane > planes[1] ? planes[1] : part == 0 || plane < planes[0] ? planes[0] : plane;
}

void ph_mesh_spread_all(const struct ph_mesh *mesh, int order, const double *windows, const double *numbers,
                        const struct ph_grid *grid)
{
    const int parts = omp_get_num_threads();
#pragma omp for schedule(dynamic) nowait
    for (int part = 0; part < parts; ++part) {
        const int begin = plane_of_part(mesh, part, parts), end = plane_of_part(mesh, part + 1, parts);
        if (begin < end)
            spread_planes(mesh, order, windows, numbers, begin, end, grid);
    }
    ph_spent_meet(PH_SPENT_MESH_SPREAD);
}

void ph_mesh_transform_all(const struct ph_mesh *mesh, bool energy, const struct ph_grid *grid)
{
    double *const *work = mesh->work + PH_MESH_SPACES * omp_get_thread_num();
    const struct ph_grid *lines = mesh->slabs ? &mesh->across : grid;
#pragma omp for schedule(dynamic) nowait
    for (int x = mesh->planes[0]; x < mesh->planes[1]; ++x) {
        fold_plane(mesh, x, grid);
        transform_plane(mesh, ph_grid_row(grid, x, 0), work);
    }
    ph_spent_meet(PH_SPENT_MESH_TRANSFORM);
    ph_mesh_move_rows(mesh, PH_SLABS_TO_LINES, grid, lines);
#pragma omp for schedule(dynamic) nowait
    for (int y = mesh->lines[0]; y < mesh->lines[1]; ++y)
        transform_lines(mesh, y, energy, lines, work);
    ph_spent_meet(PH_SPENT_MESH_TRANSFORM);
    ph_mesh_move_rows(mesh, PH_SLABS_TO_PLANES, lines, grid);
#pragma omp for schedule(dynamic) nowait
    for (int x = mesh->planes[0]; x < mesh->planes[1]; ++x) {
        transform_plane_back(mesh, ph_grid_row(grid, x, 0), work);
        unfold_plane(mesh, x, grid);
    }
    ph_spent_meet(PH_SPENT_MESH_TRANSFORM);
    ph_mesh_move_rows(mesh, PH_SLABS_TO_READERS, grid, grid);
}
