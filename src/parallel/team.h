/* SPDX-License-Identifier: MIT */
#ifndef PH_PARALLEL_TEAM_H
#define PH_PARALLEL_TEAM_H

/* The processes (ranks) that compute together. A single process is a team of one (team_alone.c); mpirun starts larger
 * teams (team_mpi.c, which only the program is linked with).
 *
 * All ranks call the same operations in the same order, each from the thread that began the program. No operation here
 * adds floating-point numbers. The caller adds them in a fixed order, so that results do not depend on the number of
 * ranks. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message of n units that one rank sends to another, or expects from it */
struct ph_parcel {
    size_t rank, n;
    void *data;
};

struct ph_team {
    size_t rank, size; /* this process is number `rank`, of 0 .. size-1 */

    /* Returns the bits that are set on any rank. The second highest bit is reserved. */
    unsigned (*any)(unsigned bits);
    /* Gathers blocks of all ranks in the order of their ranks: n[p] units of so many bytes from rank p. Before the call
     * each rank has put its own block in place, afterwards all blocks are there. */
    void (*gather)(size_t unit, const size_t *n, void *all);
    /* Replaces each of n integers by its sum over all ranks; sums must not overflow. */
    void (*sum)(size_t n, uint32_t *numbers);
    void (*sum_wide)(size_t n, int64_t *numbers);
    /* Replaces each of n numbers by its maximum over all ranks. Not for NaN */
    void (*largest)(size_t n, double *numbers);
    /* Exchanges one unit with each rank (all to all): unit p of `out` becomes unit `rank` of `in` on rank p. */
    void (*trade)(size_t unit, const void *out, void *in);
    /* Sends the data of one rank to all ranks. */
    void (*broadcast)(size_t rank, size_t bytes, void *data);

    /* Exchanges messages, one exchange at a time. There is at most one message to and one from each other rank, and
     * both ends know its size. The team owns the data until the exchange has finished. */
    void (*begin_exchange)(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in);
    /* Returns memory of at least so many bytes, shared with other ranks on this machine, for begin_loan. The first
     * caller keeps it until it asks for 0 bytes. A new call loses the contents. All ranks call this together. NULL:
     * there is none, or another caller has it. The team frees it. */
    void *(*shared_buffer)(const void *who, size_t bytes);
    /* Begins an exchange of messages in this memory, so that ranks on one machine copy nothing. After its end
     * in[k].data points to the received data, possibly in the memory of the sender. Read them before you send anything
     * to that rank. The sender may overwrite them after a later message from it has arrived, or after all ranks have
     * called shared_buffer again. */
    void (*begin_loan)(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in);
    void (*push_exchange)(void); /* makes progress on an exchange during other work; works without one, too */
    void (*finish_exchange)(void);

    /* Ends the work of this rank. Waits for all ranks to end theirs and returns the first rank that `failed`, or `size`
     * if none did. A rank that failed waits only a few seconds, because other ranks may be waiting for it elsewhere.
     * After that it gets its own rank with *alone true, and should report its error and abort. */
    size_t (*end)(bool failed, bool *alone);
    void (*leave)(void);       /* after `end`: the last call of all */
    void (*abort)(int status); /* ends all processes, at once */
};

/* Returns the team of this process: a team of one, unless ph_team_join was called */
const struct ph_team *ph_team(void);
void ph_team_join(const struct ph_team *team);

extern const struct ph_team ph_team_alone;

/* Starts MPI. The team can end its processes even if this fails. (team_mpi.c) */
enum ph_status ph_team_mpi(const struct ph_team **out, struct ph_error *err);

/* Returns PH_OK if all ranks have that; else all ranks get status and message of the first rank that failed. */
enum ph_status ph_team_agree(enum ph_status status, struct ph_error *err);
/* Checks that all ranks hold the same data: PH_OK if their hashes `number` agree */
enum ph_status ph_team_same(uint64_t number, struct ph_error *err);

#endif
