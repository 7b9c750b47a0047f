/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_TRAJECTORY_FRAME_WRITER_H
#define PH_OUTPUT_TRAJECTORY_FRAME_WRITER_H

/* One of several processes that write the frames of one file together. The first of them has the trajectory, and with
 * it all that HDF5 does: it makes room for a frame (ph_trajectory_reserve_frame) and commits it. Each process, the
 * first too, has a writer, and puts the numbers of its molecules where they belong.
 *
 * Why not HDF5's own parallel driver: its files are invalid while they are written, and would be lost with a process
 * that is killed. The store keeps files valid at every instant (output/hdf5/store.h). */

#include "output/trajectory/trajectory.h"

struct ph_frame_writer; /* opaque */

/* The file is there, with the plan that the first process made it with; plan->compression is 0. *out may be set even on
 * failure: close it. */
enum ph_status ph_frame_writer_open(const char *file, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, struct ph_frame_writer **out,
                                    struct ph_error *err);
/* Room for the places of a frame, the same number in every process; begins a frame */
uint64_t *ph_frame_writer_places(struct ph_frame_writer *writer, size_t *n);
/* Returns sums for checksums over the data of this rank: add them up over all ranks, then rank 0 writes them. */
int64_t *ph_frame_writer_sums(struct ph_frame_writer *writer, size_t *n);
enum ph_status ph_frame_writer_seal(struct ph_frame_writer *writer, const struct ph_trajectory *trajectory,
                                    struct ph_error *err);
/* Writes some molecules, at most PH_RANGE_BLOCK, given as a system of their own (ph_system_window, with places). They
 * begin at `begin` in the whole system, whose state is not read. Exactly one rank must write each molecule. */
enum ph_status ph_frame_writer_put(struct ph_frame_writer *writer, const struct ph_system *whole, size_t begin,
                                   const struct ph_system *window, struct ph_error *err);
enum ph_status ph_frame_writer_sync(struct ph_frame_writer *writer, struct ph_error *err); /* to the disk itself */
void ph_frame_writer_close(struct ph_frame_writer *writer);                                /* NULL is accepted */

#endif
