/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_MESH_MESH_INSIDE_H
#define PH_FORCE_LONGRANGE_MESH_MESH_INSIDE_H

/* Shared by the files of the mesh: mesh.c, mesh_transform.c, mesh_rates.c for rates, ranks/mesh_share.c for a grid on
 * several ranks, ranks/mesh_transfer.c for sites that travel between ranks */

#include "base/numerics/fourier.h"
#include "force/longrange/mesh/grid.h"
#include "force/longrange/mesh/mesh.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/longrange/split.h"
#include "force/ranks/slabs.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PH_MESH_CELL = 8 };   /* points along an edge: sites are taken cell by cell */
enum { PH_MESH_PAIRS = 8 };  /* of rows that are transformed side by side, as real and imaginary parts */
enum { PH_MESH_SPACES = 3 }; /* of a thread to work in */
enum { PH_MESH_SUMS = 7 };   /* energy and six numbers of the virial, of the lines across all planes with the same y */

/* Numbers of sites in the order of the grid, for rates; NULL until these are wanted */
struct ph_mesh_rates {
    double *spread, *gathered, *of_potential;
};

/* Sites that travel to the ranks whose planes their windows reach. Each list is in the order of ranks, then of
 * numbers. */
struct ph_mesh_transfer {
    uint32_t *home, *next; /* rank that has plane x, the first of a window; after rank p, the next with planes */
    uint32_t *n_out, *n_in, *n_home_out,
        *n_home_in; /* sites for each process and from each; whose windows begin there */
    size_t room_ours, room_out, room_in;
    uint32_t *plane;    /* where the windows of ours begin */
    uint32_t *out, *in; /* numbers in `sites` of sent sites, and in `came` of received ones */
    uint32_t *filled;   /* of each process, while lists are made */
    double *records_out, *records_in;
    uint32_t *order, *spare; /* of received sites, by their numbers */
    size_t *run;
    struct ph_parcel *parcel_out, *parcel_in;
    struct ph_wave_sites came;
};

struct ph_mesh {
    struct ph_wave_sites *sites;       /* not owned; ours */
    struct ph_wave_sites *here;        /* not owned; sites whose windows reach our planes: all, or received ones */
    struct ph_mesh_transfer *transfer; /* owned; NULL in a process alone */
    double coulomb;
    struct ph_split split;
    struct ph_window window;
    int points[3], waves; /* waves: along a row, half of them and one */
    int threads;          /* at most so many have work spaces */
    double to_points[3][3], dual[3][3];
    double *influence[3];   /* D, one edge each, [n modulo points] */
    double *factor, *slope; /* a D and the factor of the virial, [y][x][z], y from the first of our lines on */
    double *line_sums;      /* [y][PH_MESH_SUMS] */
    double **work;          /* for every thread PH_MESH_SPACES, each for a plane, for lines, or for pairs of rows */
    struct ph_fourier fourier[3];   /* along each edge */
    struct ph_grid potential, rate; /* of potential and its rate; the second NULL until rates are wanted */
    size_t n_planes;                /* that these have memory for */
    struct ph_grid across;          /* of our lines, all planes; no values in a process alone */
    uint32_t *place;                /* of every site in the order of the grid */
    size_t room;                    /* so many sites fit into memory: */
    int cells[3];
    uint32_t *counts; /* scratch: for ranges of sites, [cell] */
    uint32_t *first;  /* of the sites whose windows begin in a cell, [(x cells[1] + y) cells[2] + z]; x the slowest */
    struct ph_grid_site *site; /* in the order of the grid, as */
    double *spread, *gathered; /* numbers of the sites */
    double *windows;           /* of the sites, if they are kept; else NULL */
    struct ph_mesh_rates rates;
    struct ph_mesh_times times;
    struct ph_slabs *slabs;             /* owned; NULL in a process alone */
    int layers[2], planes[2], lines[2]; /* of this process, from and to: all, or its slab */
};

/* ---- Sites, grid and space ---- */

/* The order of the derivatives that sites spread: of charges, of dipoles or of quadrupoles */
static inline int ph_mesh_order(const struct ph_wave_sites *sites)
{
    return sites->quadrupoles ? 2 : sites->dipoles ? 1 : 0;
}

/* The first site of a layer of cells */
static inline size_t ph_mesh_first_of_layer(const struct ph_mesh *mesh, int layer)
{
    return mesh->first[(size_t)layer * (size_t)mesh->cells[1] * (size_t)mesh->cells[2]];
}
/* Returns the range of sites whose windows begin in our planes. */
static inline void ph_mesh_own_sites(const struct ph_mesh *mesh, size_t range[2])
{
    range[0] = ph_mesh_first_of_layer(mesh, mesh->layers[0]);
    range[1] = ph_mesh_first_of_layer(mesh, mesh->layers[1]);
}
/* Along edge e: how far site j is from the first point of its window, which is returned. A site that is not finite, or
 * so far away that half of its digits are lost, gets a NaN, and so do all forces then. */
static inline int ph_mesh_locate(const struct ph_mesh *mesh, const struct ph_wave_sites *sites, size_t j, int e,
                                 double *from)
{
    const double *to = mesh->to_points[e], points = mesh->points[e];
    double u = to[0] * sites->r[0][j] + to[1] * sites->r[1][j] + to[2] * sites->r[2][j];
    const bool lost = !(fabs(u) < 1e8 * points);
    u -= points * floor(u / points);
    const double begin = lost ? 0.0 : ceil(u - 0.5 * mesh->window.width);
    const int first = (int)begin;
    *from = lost ? NAN : u - begin;
    return first < 0 ? first + mesh->points[e] : first >= mesh->points[e] ? first - mesh->points[e] : first;
}
/* A vector of site j in points along the edges; derivatives in these to a vector in space, -(to_points^T g) */
void ph_mesh_to_points(const struct ph_mesh *mesh, double *const v[3], size_t j, double out[3]);
void ph_mesh_minus_gradient(const struct ph_mesh *mesh, const double g[3], double out[3]);
/* Tensor M of site j in points along the edges */
void ph_mesh_tensor_to_points(const struct ph_mesh *mesh, double *const m[PH_WAVE_TENSOR], size_t j, double out[6]);
static inline void ph_mesh_set6(double *const to[PH_WAVE_TENSOR], size_t j, const double from[6])
{
    for (int k = 0; k < PH_WAVE_TENSOR; ++k)
        to[k][j] = from[k];
}
static inline void ph_mesh_set3(double *const to[3], size_t j, const double from[3])
{
    for (int k = 0; k < 3; ++k)
        to[k][j] = from[k];
}

/* ---- Waves ---- */

/* The integer n of wave number k of `points`: those above the half are negative */
static inline int ph_mesh_integer(int k, int points) { return 2 * k < points ? k : k - points; }
static inline void ph_mesh_wave_vector(const struct ph_mesh *mesh, int x, int y, int z, double k[3])
{
    const double n[3] = {ph_mesh_integer(x, mesh->points[0]), ph_mesh_integer(y, mesh->points[1]), z};
    for (int a = 0; a < 3; ++a)
        k[a] = n[0] * mesh->dual[0][a] + n[1] * mesh->dual[1][a] + n[2] * mesh->dual[2][a];
}
static inline size_t ph_mesh_wave_at(const struct ph_mesh *mesh, int x, int y, int z)
{
    return ((size_t)(y - mesh->lines[0]) * (size_t)mesh->points[0] + (size_t)x) * (size_t)mesh->waves + (size_t)z;
}

/* ---- Density and potential (mesh_transform.c) ---- */

double *ph_mesh_grid_values(const struct ph_mesh *mesh); /* memory for a grid */
int ph_mesh_threads_now(const struct ph_mesh *mesh);
/* By all threads of a team: numbers of the sites to a density, with `windows` as in ph_grid_spread; density to
 * potential, with sums of the lines for energies */
void ph_mesh_spread_all(const struct ph_mesh *mesh, int order, const double *windows, const double *numbers,
                        const struct ph_grid *grid);
void ph_mesh_transform_all(const struct ph_mesh *mesh, bool energy, const struct ph_grid *grid);

/* ---- Several processes (mesh_share.c) ---- */

/* Finds the part of the grid of this rank, before memory is reserved. */
enum ph_status ph_mesh_share(struct ph_mesh *mesh, struct ph_error *err);
/* Exchanges rows. Called by one thread, while the other threads wait */
void ph_mesh_move_rows(const struct ph_mesh *mesh, enum ph_slab_move move, const struct ph_grid *from,
                       const struct ph_grid *to);
/* Sends the sums of our lines to all ranks. */
void ph_mesh_tell_sums(const struct ph_mesh *mesh);

/* ---- Sites that travel (mesh_transfer.c); nothing in a process alone ---- */

enum ph_status ph_mesh_transfer_create(struct ph_mesh *mesh, struct ph_error *err);
void ph_mesh_transfer_destroy(struct ph_mesh_transfer *transfer);
/* ph_mesh_count_sites counts the sites that each rank needs from ours, and allocates memory for the sites that we need;
 * `status` as in ph_mesh_take_sites. The next functions send sites from `sites` to `here`, then their rates, and return
 * fields and pulls, or their rates. */
enum ph_status ph_mesh_count_sites(struct ph_mesh *mesh, enum ph_status status, struct ph_error *err);
void ph_mesh_send_sites(struct ph_mesh *mesh);
void ph_mesh_send_rates(struct ph_mesh *mesh);
void ph_mesh_bring_back(struct ph_mesh *mesh, bool rates);

#endif
