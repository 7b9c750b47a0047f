/* SPDX-License-Identifier: MIT */
/* A machine whose processes cannot share memory, by the profiling interface of MPI: loaded before its library
 * (LD_PRELOAD). The process of the machine whose number is $NO_SHARED_MEMORY gets none from the call on whose number is
 * $NO_SHARED_MEMORY_FROM, 1 for the first; the others get what they ask for, and cannot do anything with it. With
 * $SHARED_MEMORY_ROOM file systems have so many bytes left. */
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/statvfs.h>

int statvfs(const char *path, struct statvfs *about)
{
    const char *left = getenv("SHARED_MEMORY_ROOM");
    (void)path;
    if (!left) {
        errno = ENOSYS;
        return -1;
    }
    *about = (struct statvfs){.f_frsize = 1, .f_bavail = (fsblkcnt_t)atoll(left)};
    return 0;
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *memory, MPI_Win *window)
{
    static int calls;
    const char *which = getenv("NO_SHARED_MEMORY"), *from = getenv("NO_SHARED_MEMORY_FROM");
    int rank;
    if (!which || ++calls < (from ? atoi(from) : 1))
        return PMPI_Win_allocate_shared(size, unit, info, comm, memory, window);
    PMPI_Comm_rank(comm, &rank);
    if (rank != atoi(which))
        return PMPI_Win_allocate_shared(size, unit, info, MPI_COMM_SELF, memory, window);
    PMPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM); /* ends all, unless somebody has said that it need not */
    return MPI_ERR_NO_MEM;
}
