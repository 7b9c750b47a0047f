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

/* Energy and virial of the waves with the same y; other half of the waves is the same once more, but for z = 0 */
static void sum_lines(const struct ph_mesh *mesh, int y, const fftw_complex *lines, double sums[PH_MESH_SUMS])
{
    const size_t waves = (size_t)mesh->waves, offset = ph_mesh_wave_at(mesh, 0, y, 0);
    for (int s = 0; s < PH_MESH_SUMS; ++s)
        sums[s] = 0.0;
    for (int x = 0; x < mesh->points[0]; ++x) {
        const double *factor = mesh->factor + offset + (size_t)x * waves;
        const double *slope = mesh->slope + offset + (size_t)x * waves;
        double energy = 0.0, s0 = 0.0, s1 = 0.0, s2 = 0.0, base[3];
        for (size_t z = 0; z < waves; ++z) {
            const double *s = (const double *)&lines[(size_t)x * waves + z];
            const double square = (z == 0 ? 0.5 : 1.0) * (s[0] * s[0] + s[1] * s[1]), part = square * slope[z];
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

PH_DISPATCHED static void multiply(size_t n, const double *restrict factor, double *restrict lines)
{
    PH_SIMD
    for (size_t w = 0; w < n; ++w) {
        lines[2 * w] *= factor[w];
        lines[2 * w + 1] *= factor[w];
    }
}

/* Between work spaces [..][z] and the rows of the grid, which hold waves in place of values */
static void rows_to_work(const struct ph_mesh *mesh, const double *rows, size_t step, int n, fftw_complex *work)
{
    for (int k = 0; k < n; ++k)
        memcpy(work + (size_t)k * (size_t)mesh->waves, rows + (size_t)k * step, (size_t)mesh->waves * sizeof *work);
}

static void work_to_rows(const struct ph_mesh *mesh, const fftw_complex *work, size_t step, int n, double *rows)
{
    for (int k = 0; k < n; ++k)
        memcpy(rows + (size_t)k * step, work + (size_t)k * (size_t)mesh->waves, (size_t)mesh->waves * sizeof *work);
}

static void transform_plane(const struct ph_mesh *mesh, double *plane, fftw_complex *const work[2])
{
    fftw_execute_dft_r2c(mesh->rows_forward, plane, work[0]);
    fftw_execute_dft(mesh->columns_forward, work[0], work[1]);
    work_to_rows(mesh, work[1], mesh->potential.row, mesh->points[1], plane);
}

static void transform_plane_back(const struct ph_mesh *mesh, double *plane, fftw_complex *const work[2])
{
    rows_to_work(mesh, plane, mesh->potential.row, mesh->points[1], work[0]);
    fftw_execute_dft(mesh->columns_back, work[0], work[1]);
    fftw_execute_dft_c2r(mesh->rows_back, work[1], plane);
}

/* Along x, of all waves with the same y: there, times the factors of the waves, and back */
static void transform_lines(const struct ph_mesh *mesh, int y, bool energy, const struct ph_grid *grid,
                            fftw_complex *const work[2])
{
    const size_t n = (size_t)mesh->points[0] * (size_t)mesh->waves;
    double *rows = ph_grid_row(grid, 0, y);
    rows_to_work(mesh, rows, grid->plane, mesh->points[0], work[0]);
    fftw_execute_dft(mesh->lines_forward, work[0], work[1]);
    if (energy)
        sum_lines(mesh, y, work[1], mesh->line_sums + y * PH_MESH_SUMS);
    multiply(n, mesh->factor + ph_mesh_wave_at(mesh, 0, y, 0), (double *)work[1]);
    fftw_execute_dft(mesh->lines_back, work[1], work[0]);
    work_to_rows(mesh, work[0], grid->plane, mesh->points[0], rows);
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
    fftw_complex *const *work = mesh->work + 2 * omp_get_thread_num();
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
