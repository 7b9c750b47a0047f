/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_FRAME_WRITER_H
#define PH_OUTPUT_FRAME_WRITER_H

/* One of several processes that write the frames of one file together. The first of them has the trajectory, and with
 * it all that HDF5 does: it makes room for a frame (ph_trajectory_reserve_frame) and commits it. Each process, the
 * first too, has a writer, and puts the numbers of its molecules where they belong.
 *
 * Not HDF5's own parallel driver: files of that are invalid while they are written, and would be lost with a process
 * that is killed; the store keeps them valid at every instant (output/store.h). */

#include "output/trajectory.h"

struct ph_frame_writer; /* opaque */

/* The file is there, with the plan that the first process made it with; plan->compression is 0. *out may be set even on
 * failure: close it. */
enum ph_status ph_frame_writer_open(const char *file, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, struct ph_frame_writer **out,
                                    struct ph_error *err);
/* Room for the places of a frame, the same number in every process */
uint64_t *ph_frame_writer_places(struct ph_frame_writer *writer, size_t *n);
/* The share of process `rank` of `size`: every molecule belongs to one of them. */
enum ph_status ph_frame_writer_write(struct ph_frame_writer *writer, size_t rank, size_t size,
                                     const struct ph_system *system, struct ph_error *err);
enum ph_status ph_frame_writer_sync(struct ph_frame_writer *writer, struct ph_error *err); /* to the disk itself */
void ph_frame_writer_close(struct ph_frame_writer *writer);                                /* NULL is accepted */

/* Which of n things are written by process `rank` of `size`: blocks of 4096, so that no two processes write to one page
 * of the file. */
void ph_frame_writer_share(size_t n, size_t rank, size_t size, size_t *first, size_t *end);

#endif
