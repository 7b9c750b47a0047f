/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_inside.h"
#include "parallel/team.h"

enum ph_status ph_mesh_share(struct ph_mesh *mesh, struct ph_error *err)
{
    mesh->layers[1] = mesh->cells[0];
    mesh->planes[1] = mesh->points[0];
    mesh->lines[1] = mesh->points[1];
    mesh->n_planes = (size_t)mesh->points[0];
    mesh->across = mesh->potential;
    const enum ph_status status =
        ph_slabs_create(&mesh->potential, PH_MESH_CELL, mesh->window.width - 1, &mesh->slabs, err);
    if (!mesh->slabs)
        return status;
    ph_slabs_planes(mesh->slabs, &mesh->potential, &mesh->n_planes);
    ph_slabs_lines(mesh->slabs, &mesh->across);
    mesh->rate.first[0] = mesh->potential.first[0];
    for (size_t k = 0; k < 2; ++k) {
        mesh->layers[k] = mesh->slabs->layer[ph_team()->rank + k];
        mesh->planes[k] = mesh->slabs->plane[ph_team()->rank + k];
        mesh->lines[k] = mesh->slabs->line[ph_team()->rank + k];
    }
    return ph_mesh_transfer_create(mesh, err);
}

void ph_mesh_move_rows(const struct ph_mesh *mesh, enum ph_slab_move move, const struct ph_grid *from,
                       const struct ph_grid *to)
{
    if (!mesh->slabs)
        return;
#pragma omp master
    ph_slabs_move(mesh->slabs, move, from, to);
#pragma omp barrier
}

void ph_mesh_tell_sums(const struct ph_mesh *mesh)
{
    const struct ph_slabs *slabs = mesh->slabs;
    if (!slabs)
        return;
    for (size_t p = 0; p < ph_team()->size; ++p)
        slabs->n_of[p] = (size_t)(slabs->line[p + 1] - slabs->line[p]);
    ph_team()->gather(PH_MESH_SUMS * sizeof(double), slabs->n_of, mesh->line_sums);
}
