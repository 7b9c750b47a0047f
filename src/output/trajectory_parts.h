/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_PARTS_H
#define PH_OUTPUT_TRAJECTORY_PARTS_H

/* Within the trajectory writer: which element holds what of a system. */

#include "output/rows.h"
#include "output/trajectory.h"

/* One element of the frames */
struct ph_part {
    enum ph_trajectory_element element;
    bool sites;        /* one line for each site, else for each molecule */
    size_t first, end; /* molecules */
    struct ph_rows rows;
};

/* Molecules with a site elsewhere, or with several: particles are sites. */
bool ph_trajectory_has_bodies(const struct ph_system *system);
size_t ph_trajectory_particles(const struct ph_system *system); /* how many */

/* All elements that the plan asks for, positions first; the caller frees *parts. */
enum ph_status ph_trajectory_parts(const struct ph_system *system, const struct ph_trajectory_plan *plan,
                                   struct ph_part **parts, size_t *n, struct ph_error *err);

/* The numbers of one part, doubles or 32-bit integers as its form says */
void ph_part_fill(const struct ph_part *part, const struct ph_system *system, void *out);

/* trajectory_model.c: what does not change: masses, charges, kinds of particles, models, bonds, and names for VMD */
bool ph_trajectory_put_model(hid_t file, const struct ph_system *system, bool physical);

#endif
