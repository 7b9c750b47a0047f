/* SPDX-License-Identifier: MIT */
#ifndef PH_PARALLEL_TEAM_H
#define PH_PARALLEL_TEAM_H

/* The processes that compute together. A process alone is a team of one (team_alone.c); mpirun starts larger ones
 * (team_mpi.c, which the program alone is linked with).
 *
 * All processes call the same operations in the same order, each from the thread that began the program. Nothing here
 * adds floating-point numbers: who adds them, in a fixed order, is up to the caller, so that results do not depend on
 * the number of processes. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one process sends to another, or expects from it: n units */
struct ph_parcel {
    size_t rank, n;
    void *data;
};

struct ph_team {
    size_t rank, size; /* this process is number `rank`, of 0 .. size-1 */

    /* Bits that are set in any process; the second highest is not for callers */
    unsigned (*any)(unsigned bits);
    /* Blocks of all processes in the order of their ranks: n[p] units of so many bytes of process p. Its own is in its
     * place when a process calls this, all are afterwards. */
    void (*gather)(size_t unit, const size_t *n, void *all);
    /* Sums of integers of all processes, n of them, in place of those of this one; they must not overflow. */
    void (*sum)(size_t n, uint32_t *numbers);
    void (*sum_wide)(size_t n, int64_t *numbers);
    /* The largest of all processes' numbers, n times likewise. Not for NaN */
    void (*largest)(size_t n, double *numbers);
    /* One unit for each process, in the order of ranks: unit p of `out` is unit `rank` of `in` of process p. */
    void (*trade)(size_t unit, const void *out, void *in);
    /* The data of this rank go to all. */
    void (*broadcast)(size_t rank, size_t bytes, void *data);

    /* One exchange at a time. There is at most one parcel to and one from each other process, and both ends know its
     * size. Between beginning and end the data belong to the team. */
    void (*begin_exchange)(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in);
    /* Memory of at least so many bytes, out of which other processes of this machine read what is sent, as below. It
     * belongs to who asks for it first, until he asks for none; what was in it is lost when he asks again. All
     * processes ask together. NULL: there is none, or another has it. The team frees it. */
    void *(*lend)(const void *who, size_t bytes);
    /* An exchange of parcels out of this memory, so that on one machine nothing is copied: after its end in[k].data is
     * where its data are, which may be in memory of who sent them. They are to be read before anything is sent there,
     * and may be overwritten when something has come from there since, or when all have asked for memory again. */
    void (*begin_loan)(size_t unit, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in);
    void (*push_exchange)(void); /* lets it go on, now and then, while other things are done; none need be begun */
    void (*finish_exchange)(void);

    /* The end of this process's work. Waits until all have come to theirs and gives the first rank that `failed`, or
     * `size` if none did. A process that failed waits for some seconds only, since others may wait for it elsewhere:
     * then it is given its own rank with *alone true, and should say why and abort. */
    size_t (*end)(bool failed, bool *alone);
    void (*leave)(void);       /* after that: the last call of all */
    void (*abort)(int status); /* ends all processes, at once */
};

/* The team of this process: alone, unless ph_team_join was called */
const struct ph_team *ph_team(void);
void ph_team_join(const struct ph_team *team);

extern const struct ph_team ph_team_alone;

/* Starts MPI. The team can end its processes even if this fails. (team_mpi.c) */
enum ph_status ph_team_mpi(const struct ph_team **out, struct ph_error *err);

/* PH_OK if all processes have that; else all get status and message of the first that has not. */
enum ph_status ph_team_agree(enum ph_status status, struct ph_error *err);
/* For what all processes are to hold alike: PH_OK if they have the same number, a hash of it */
enum ph_status ph_team_same(uint64_t number, struct ph_error *err);

/* For measurements: seconds that this process has spent in all of these since the first call of this, sending,
 * receiving and waiting for others. (team_timed.c) */
double ph_team_seconds(void);

#endif
