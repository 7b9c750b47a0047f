/* SPDX-License-Identifier: MIT */
/* Counts what travels between processes, by the profiling interface of MPI: loaded before its library (LD_PRELOAD),
 * each function that moves data counts, then does what it is for. At the end each process writes to the file
 * $COUNT_MESSAGES.<rank> a line for each function and size of unit:
 *   function, bytes of a unit, calls, units out of this process, units into it
 * With COUNT_LIMIT in the environment a call that counts further than that ends all processes.
 * Of what all get from all (gather, broadcast) units out are counted once, however the library sends them on. The
 * functions are those that src/parallel/team_mpi.c calls; tools/count-messages makes sure of that. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 64 };

static struct kind {
    const char *function;
    int bytes;
    long calls, out, in;
} kinds[KINDS];

static void check(const char *function, long n)
{
    const char *limit = getenv("COUNT_LIMIT");
    if (!limit || n <= atol(limit))
        return;
    fprintf(stderr, "MPI_%s counts to %ld, beyond %s.\n", function, n, limit);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

static void count(const char *function, MPI_Datatype type, long out, long in)
{
    int bytes, k = 0;
    PMPI_Type_size(type, &bytes);
    while (k < KINDS - 1 && kinds[k].function && !(strcmp(kinds[k].function, function) == 0 && kinds[k].bytes == bytes))
        ++k;
    kinds[k].function = function;
    kinds[k].bytes = bytes;
    ++kinds[k].calls;
    kinds[k].out += out;
    kinds[k].in += in;
}

static void write_counts(void)
{
    int rank;
    char name[4096];
    const char *file = getenv("COUNT_MESSAGES");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", file ? file : "counts", rank);
    FILE *out = fopen(name, "w");
    for (int k = 0; out && k < KINDS && kinds[k].function; ++k)
        fprintf(out, "%s,%d,%ld,%ld,%ld\n", kinds[k].function, kinds[k].bytes, kinds[k].calls, kinds[k].out,
                kinds[k].in);
    if (!out || fclose(out) != 0)
        perror(name);
}

int MPI_Finalize(void)
{
    write_counts();
    return PMPI_Finalize();
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    check("Isend", n);
    count("Isend", type, n, 0);
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Irecv(void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    check("Irecv", n);
    count("Irecv", type, 0, n);
    return PMPI_Irecv(data, n, type, from, tag, comm, request);
}

int MPI_Allgatherv(const void *own, int n, MPI_Datatype own_type, void *all, const int counts[], const int places[],
                   MPI_Datatype type, MPI_Comm comm)
{
    int rank, size;
    long in = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    for (int p = 0; p < size; ++p)
        in += p == rank ? 0 : counts[p];
    check("Allgatherv", places[size - 1] + counts[size - 1]);
    count("Allgatherv", type, counts[rank], in);
    return PMPI_Allgatherv(own, n, own_type, all, counts, places, type, comm);
}

int MPI_Allreduce(const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    check("Allreduce", n);
    count("Allreduce", type, n, n);
    return PMPI_Allreduce(own, all, n, type, op, comm);
}

int MPI_Alltoall(const void *own, int n, MPI_Datatype type, void *all, int n_each, MPI_Datatype type_each,
                 MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    check("Alltoall", n);
    count("Alltoall", type, (long)(size - 1) * n, (long)(size - 1) * n_each);
    return PMPI_Alltoall(own, n, type, all, n_each, type_each, comm);
}

int MPI_Iallreduce(const void *own, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    check("Iallreduce", n);
    count("Iallreduce", type, n, n);
    return PMPI_Iallreduce(own, all, n, type, op, comm, request);
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int from, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    check("Bcast", n);
    count("Bcast", type, rank == from ? n : 0, rank == from ? 0 : n);
    return PMPI_Bcast(data, n, type, from, comm);
}
