/* SPDX-License-Identifier: MIT */
/* A slow network, by the profiling interface of MPI: loaded before its library (LD_PRELOAD), messages of an exchange
 * arrive $DELAY_MESSAGES microseconds after they were sent, at the earliest. Work that is done in the meantime hides
 * the delay. What all agree on at once is not delayed. */
#include <mpi.h>
#include <stdlib.h>

static double delay = -1.0, arrival;

static void sent(void)
{
    const char *microseconds = getenv("DELAY_MESSAGES");
    if (delay < 0.0)
        delay = microseconds ? 1e-6 * strtod(microseconds, NULL) : 0.0;
    arrival = PMPI_Wtime() + delay;
}

int MPI_Isend(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    sent();
    return PMPI_Isend(data, n, type, to, tag, comm, request);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    const int result = PMPI_Waitall(n, requests, statuses);
    while (PMPI_Wtime() < arrival)
        continue;
    return result;
}
