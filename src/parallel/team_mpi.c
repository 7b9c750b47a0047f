/* SPDX-License-Identifier: MIT */
/* A team of processes that MPI connects: the only file that knows of it. Anything that MPI cannot do ends all
 * processes, with a message of MPI's own. */
#include "base/clock.h"
#include "parallel/team.h"

#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { TAG = 1 };

static MPI_Comm work, ending; /* what goes on at the end never meets what goes on before it */
static struct ph_team team;
static int *counts, *places;  /* of a gather, for each process */
static MPI_Request *requests; /* of an exchange: two for each process */
static MPI_Status *statuses;  /* theirs; to ignore them all draws a warning of gcc with the headers of MPICH */
static int n_requests;

static unsigned any(unsigned bits)
{
    unsigned all = 0;
    MPI_Allreduce(&bits, &all, 1, MPI_UNSIGNED, MPI_BOR, work);
    return all;
}

/* Counted in units, so that numbers of bytes may be beyond an int */
static MPI_Datatype unit_of(size_t bytes)
{
    MPI_Datatype unit;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &unit);
    MPI_Type_commit(&unit);
    return unit;
}

static void gather(size_t bytes, const size_t *n, void *all)
{
    int place = 0;
    for (size_t p = 0; p < team.size; ++p) {
        counts[p] = (int)n[p];
        places[p] = place;
        place += counts[p];
    }
    MPI_Datatype unit = unit_of(bytes);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, unit, work);
    MPI_Type_free(&unit);
}

static void sum(size_t n, uint32_t *numbers)
{
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)n, MPI_UINT32_T, MPI_SUM, work);
}

static void sum_wide(size_t n, int64_t *numbers)
{
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)n, MPI_INT64_T, MPI_SUM, work);
}

static void trade(size_t bytes, const void *out, void *in)
{
    MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, work);
}

static void broadcast(size_t rank, size_t bytes, void *data) { MPI_Bcast(data, (int)bytes, MPI_BYTE, (int)rank, work); }

static void begin_exchange(size_t bytes, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    MPI_Datatype unit = unit_of(bytes);
    n_requests = 0;
    for (size_t k = 0; k < n_in; ++k)
        MPI_Irecv(in[k].data, (int)in[k].n, unit, (int)in[k].rank, TAG, work, &requests[n_requests++]);
    for (size_t k = 0; k < n_out; ++k)
        MPI_Isend(out[k].data, (int)out[k].n, unit, (int)out[k].rank, TAG, work, &requests[n_requests++]);
    MPI_Type_free(&unit); /* what was begun still has it */
}

static void push_exchange(void)
{
    int done;
    MPI_Testall(n_requests, requests, &done, statuses);
}

static void finish_exchange(void) { MPI_Waitall(n_requests, requests, statuses); }

/* Lower ranks lose patience first, so that one alone speaks where several fail. */
static size_t end(bool failed, bool *alone)
{
    const double patience = 5.0 + 0.5 * (double)team.rank, began = ph_clock_wall();
    int mine = (int)(failed ? team.rank : team.size), first = 0, done = 0;
    MPI_Request request;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, ending, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
        if (failed && ph_clock_wall() - began > patience)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    *alone = !done;
    return done ? (size_t)first : team.rank;
}

static void leave(void) { MPI_Finalize(); }

static void abort_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

enum ph_status ph_team_mpi(const struct ph_team **out, struct ph_error *err)
{
    int provided, rank, size;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    MPI_Comm_rank(work, &rank);
    MPI_Comm_size(work, &size);
    team = (struct ph_team){
        .rank = (size_t)rank,
        .size = (size_t)size,
        .any = any,
        .gather = gather,
        .sum = sum,
        .sum_wide = sum_wide,
        .trade = trade,
        .broadcast = broadcast,
        .begin_exchange = begin_exchange,
        .push_exchange = push_exchange,
        .finish_exchange = finish_exchange,
        .end = end,
        .leave = leave,
        .abort = abort_all,
    };
    counts = calloc(team.size, sizeof *counts);
    places = calloc(team.size, sizeof *places);
    requests = calloc(2 * team.size, sizeof(MPI_Request));
    statuses = calloc(2 * team.size, sizeof(MPI_Status));
    *out = &team;
    if (!counts || !places || !requests || !statuses)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a team of %d processes.", size);
    if (provided < MPI_THREAD_FUNNELED)
        return ph_error_set(err, PH_ERR_INPUT, "This MPI library does not allow threads (MPI_THREAD_FUNNELED).");
    return PH_OK;
}
