/* SPDX-License-Identifier: MIT */
/* A team of processes connected by MPI: the only file that calls MPI. MPI errors end all processes, with a message of
 * MPI. Shared memory is the exception, because the team works without it. */
#include "base/clock.h"
#include "base/room.h"
#include "parallel/team.h"

#include <assert.h>
#include <dirent.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { TAG = 1 };

static MPI_Comm work, ending; /* ending: a separate communicator, so that shutdown messages cannot match earlier ones */
static struct ph_team team;
static int *counts, *places;  /* of a gather, for each process */
static MPI_Request *requests; /* of an exchange: two for each process */
static MPI_Status *statuses;  /* not ignored, because that draws a warning of gcc with the headers of MPICH */
static int n_requests;

static bool unsaid; /* shared memory is not available, and the user has not seen a message yet */

/* Reduces bits over all ranks. One more bit says that shared memory is missing; rank 0 then prints a note. */
static unsigned any(unsigned bits)
{
    const unsigned note = 1u << 30;
    assert(!(bits & note));
    unsigned all = 0, own = bits | (unsaid ? note : 0);
    MPI_Allreduce(&own, &all, 1, MPI_UNSIGNED, MPI_BOR, work);
    unsaid = false;
    if (all & note && team.rank == 0)
        fputs("Note: memory that processes of one machine share, such as /dev/shm, cannot be had, or not as much as "
              "they need: they send messages instead, which takes longer.\n",
              stderr);
    return all & ~note;
}

/* MPI counts with int. No call counts further than `most`: sums and broadcasts are split into pieces, and longer
 * messages use one unit of a larger type. POLHODE_MPI_COUNT sets it for tests. */
static size_t most = 1 << 30;

static int piece(size_t n) { return (int)(n < most ? n : most); }

/* Returns a type of n units of so many bytes; the caller frees it. */
static MPI_Datatype type_of(size_t n, MPI_Datatype unit, size_t bytes)
{
    MPI_Datatype type;
    if (n <= most) {
        MPI_Type_contiguous((int)n, unit, &type);
    } else {
        MPI_Datatype block = type_of(most, unit, bytes);
        MPI_Datatype parts[] = {type_of(n / most, block, most * bytes), type_of(n % most, unit, bytes)};
        MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, (MPI_Aint)(n / most * most * bytes)}, parts, &type);
        MPI_Type_free(&block);
        MPI_Type_free(&parts[0]);
        MPI_Type_free(&parts[1]);
    }
    MPI_Type_commit(&type);
    return type;
}

/* Returns a type of so many bytes. Messages are counted in units, so that their bytes may exceed an int. */
static MPI_Datatype unit_of(size_t bytes) { return type_of(bytes, MPI_BYTE, 1); }

static void send(const struct ph_parcel *parcel, MPI_Datatype unit, size_t bytes)
{
    MPI_Datatype type = parcel->n > most ? type_of(parcel->n, unit, bytes) : unit;
    MPI_Isend(parcel->data, parcel->n > most ? 1 : (int)parcel->n, type, (int)parcel->rank, TAG, work,
              &requests[n_requests++]);
    if (type != unit)
        MPI_Type_free(&type); /* operations that have begun keep the type */
}

static void receive(const struct ph_parcel *parcel, MPI_Datatype unit, size_t bytes)
{
    MPI_Datatype type = parcel->n > most ? type_of(parcel->n, unit, bytes) : unit;
    MPI_Irecv(parcel->data, parcel->n > most ? 1 : (int)parcel->n, type, (int)parcel->rank, TAG, work,
              &requests[n_requests++]);
    if (type != unit)
        MPI_Type_free(&type);
}

static void sum(size_t n, uint32_t *numbers)
{
    for (size_t k = 0; k < n || k == 0; k += most)
        MPI_Allreduce(MPI_IN_PLACE, numbers + k, piece(n - k), MPI_UINT32_T, MPI_SUM, work);
}

static void sum_wide(size_t n, int64_t *numbers)
{
    for (size_t k = 0; k < n || k == 0; k += most)
        MPI_Allreduce(MPI_IN_PLACE, numbers + k, piece(n - k), MPI_INT64_T, MPI_SUM, work);
}

static void largest(size_t n, double *numbers)
{
    for (size_t k = 0; k < n || k == 0; k += most)
        MPI_Allreduce(MPI_IN_PLACE, numbers + k, piece(n - k), MPI_DOUBLE, MPI_MAX, work);
}

static void trade(size_t bytes, const void *out, void *in)
{
    PH_ROOM(bytes <= most); /* a few numbers for each process */
    MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, work);
}

static void broadcast(size_t rank, size_t bytes, void *data)
{
    for (size_t k = 0; k < bytes || k == 0; k += most)
        MPI_Bcast((char *)data + k, piece(bytes - k), MPI_BYTE, (int)rank, work);
}

/* Gathers blocks; broadcasts them one after the other if MPI cannot count their offsets. */
static void gather(size_t bytes, const size_t *n, void *all)
{
    size_t place = 0;
    for (size_t p = 0; p < team.size; ++p)
        place += n[p];
    const bool counted = place <= most;
    place = 0;
    for (size_t p = 0; p < team.size; ++p) {
        if (!counted) {
            broadcast(p, n[p] * bytes, (char *)all + place * bytes);
        } else {
            counts[p] = (int)n[p];
            places[p] = (int)place;
        }
        place += n[p];
    }
    if (!counted)
        return;
    MPI_Datatype unit = unit_of(bytes);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, unit, work);
    MPI_Type_free(&unit);
}

static void begin_exchange(size_t bytes, size_t n_out, const struct ph_parcel *out, size_t n_in,
                           const struct ph_parcel *in)
{
    MPI_Datatype unit = unit_of(bytes);
    n_requests = 0;
    for (size_t k = 0; k < n_in; ++k)
        receive(&in[k], unit, bytes);
    for (size_t k = 0; k < n_out; ++k)
        send(&out[k], unit, bytes);
    MPI_Type_free(&unit);
}

static void push_exchange(void)
{
    int done;
    MPI_Testall(n_requests, requests, &done, statuses);
}

/* ---- Processes of one machine ---- */

/* Mailboxes in shared memory: a rank tells another rank where the data are that it shares. A mailbox counts these
 * messages and holds the offsets of the last ones in the memory of the sender. The memory of each rank begins with its
 * mailboxes to all ranks on the machine, and only that rank writes there. At most two messages are unread, because a
 * rank that receives ghosts replies with sums before the next message of either kind. */
enum { LAST = 4, LINE = 64 }; /* of the cache */
struct mailbox {
    _Alignas(LINE) _Atomic uint64_t sent;
    uint64_t place[LAST];
};
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "numbers of messages are seen by other processes");

static MPI_Comm machine = MPI_COMM_NULL; /* NULL: no shared memory */
static MPI_Win window = MPI_WIN_NULL;
static int n_there, *there; /* n_there: ranks that share memory with this one; there[p]: number of rank p among them */
static const void *borrower;
static size_t room;                /* bytes of shared memory, without mailboxes */
static char **memory;              /* of each of them */
static uint64_t *received;         /* number of messages from each */
static struct ph_parcel **awaited; /* of the present exchange */
static size_t n_awaited;
static unsigned looks; /* polls of a mailbox before the process yields the core */

static size_t mailboxes(void) { return (size_t)n_there * sizeof(struct mailbox); }

static struct mailbox *mailbox_of(size_t from, size_t to) { return (struct mailbox *)(void *)memory[from] + there[to]; }

static void give_up_window(void)
{
    if (window == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

/* Returns the next start of a cache line. Its offset in a window is the same on all ranks, because windows begin at
 * pages. */
static char *line_from(char *address) { return address + (LINE - (uintptr_t)address % LINE) % LINE; }

/* Makes ranks of this machine send messages from now on. All of them call this together. */
static void free_shared_buffer(void)
{
    MPI_Comm_free(&machine);
    for (size_t p = 0; p < team.size; ++p)
        there[p] = MPI_UNDEFINED;
    unsaid = true;
}

/* Returns true if there is memory for the requests of all ranks together. Open MPI (4.1) checks this itself on one
 * rank, which fails while the other ranks wait for it forever. MPICH does not check, so that processes crash. Without
 * /dev/shm this returns true, and allocation has to be tried. */
static bool has_room(size_t bytes)
{
    int64_t all = (int64_t)bytes;
    struct statvfs about;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, machine);
    int lacks = statvfs("/dev/shm", &about) == 0 &&
                (double)about.f_bavail * (double)about.f_frsize < 1.1 * (double)all + 0x1p20;
    MPI_Allreduce(MPI_IN_PLACE, &lacks, 1, MPI_INT, MPI_LOR, machine);
    return !lacks;
}

/* Returns true if all ranks got their window. If only some ranks did, the window leaks, because freeing it needs all
 * ranks. */
static bool allocate_window(size_t bytes, void **mine)
{
    if (!has_room(bytes))
        return false;
    MPI_Comm_set_errhandler(machine, MPI_ERRORS_RETURN);
    int failed = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, machine, mine, &window) != MPI_SUCCESS;
    MPI_Comm_set_errhandler(machine, MPI_ERRORS_ARE_FATAL);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_LOR, machine);
    window = failed ? MPI_WIN_NULL : window;
    return !failed;
}

static bool make_window(size_t bytes)
{
    const size_t page = 4096;
    void *mine;
    give_up_window();
    room = bytes + bytes / 8;
    if (!allocate_window((LINE + mailboxes() + room + page - 1) / page * page, &mine)) {
        free_shared_buffer();
        return false;
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    memset(line_from(mine), 0, mailboxes());
    for (size_t p = 0; p < team.size; ++p) {
        MPI_Aint size;
        int unit;
        received[p] = 0;
        if (there[p] != MPI_UNDEFINED)
            MPI_Win_shared_query(window, there[p], &size, &unit, &memory[p]);
        memory[p] = there[p] != MPI_UNDEFINED ? line_from(memory[p]) : NULL;
    }
    MPI_Win_sync(window);
    MPI_Barrier(machine);
    MPI_Win_sync(window); /* mailboxes of other ranks are empty */
    return true;
}

/* Reduces bits over the ranks of this machine and orders their memory accesses. After a new call of shared_buffer a
 * rank may overwrite its shared data, though no mailbox from their readers has arrived: after a list build, different
 * ranks may read. The reduction alone does not order loads and stores of shared memory, because messages need not order
 * them. So the window is synchronised on both sides: every earlier read completes before any later write. */
static unsigned ask_machine(unsigned bits)
{
    if (window != MPI_WIN_NULL)
        MPI_Win_sync(window);
    MPI_Allreduce(MPI_IN_PLACE, &bits, 1, MPI_UNSIGNED, MPI_BOR, machine);
    if (window != MPI_WIN_NULL)
        MPI_Win_sync(window);
    return bits;
}

static void *shared_buffer(const void *who, size_t bytes)
{
    enum { LARGER = 1, BUSY = 2 };
    if (bytes == 0 && borrower == who)
        borrower = NULL;
    if (bytes == 0 || machine == MPI_COMM_NULL)
        return NULL;
    const unsigned bits =
        ask_machine((window == MPI_WIN_NULL || bytes > room ? LARGER : 0) | (borrower && borrower != who ? BUSY : 0));
    if (bits & BUSY)
        return NULL;
    if (bits & LARGER && !make_window(bytes > room ? bytes : room))
        return NULL;
    borrower = who;
    return memory[team.rank] + mailboxes();
}

static void begin_loan(size_t bytes, size_t n_out, const struct ph_parcel *out, size_t n_in, struct ph_parcel *in)
{
    const bool messages = (size_t)n_there < team.size;
    MPI_Datatype unit = messages ? unit_of(bytes) : MPI_DATATYPE_NULL;
    assert(n_awaited == 0); /* one exchange at a time: an unread mailbox would be taken for the next one */
    n_requests = 0;
    for (size_t k = 0; k < n_in; ++k)
        if (there[in[k].rank] != MPI_UNDEFINED)
            awaited[n_awaited++] = &in[k];
        else
            receive(&in[k], unit, bytes);
    for (size_t k = 0; k < n_out; ++k)
        if (there[out[k].rank] != MPI_UNDEFINED) {
            struct mailbox *mailbox = mailbox_of(team.rank, out[k].rank);
            const uint64_t sent = atomic_load_explicit(&mailbox->sent, memory_order_relaxed);
            mailbox->place[sent % LAST] = (uint64_t)((char *)out[k].data - memory[team.rank]);
            atomic_store_explicit(&mailbox->sent, sent + 1, memory_order_release);
        } else {
            send(&out[k], unit, bytes);
        }
    if (messages)
        MPI_Type_free(&unit);
}

/* Makes progress on pending operations while this process waits for a mailbox, including internal ones of the MPI
 * library, which may progress only during calls. */
static void keep_going(void)
{
    int some;
    if (n_requests > 0)
        push_exchange();
    else
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, work, &some, MPI_STATUS_IGNORE);
}

/* Waits for a mailbox. With more ranks than cores it yields the core soon, because the sender needs it. Otherwise it
 * yields late, because another program would get the core for a while. */
static void await(struct ph_parcel *parcel)
{
    enum { PUSH = 100 };
    struct mailbox *mailbox = mailbox_of(parcel->rank, team.rank);
    const uint64_t number = received[parcel->rank]++;
    for (unsigned tries = 1; atomic_load_explicit(&mailbox->sent, memory_order_acquire) <= number; ++tries) {
        if (tries % PUSH == 0)
            keep_going();
        if (tries > looks)
            sched_yield();
    }
    parcel->data = memory[parcel->rank] + mailbox->place[number % LAST];
}

static void finish_exchange(void)
{
    for (; n_awaited > 0; --n_awaited)
        await(awaited[n_awaited - 1]);
    MPI_Waitall(n_requests, requests, statuses);
}

/* Finds the ranks on this machine; POLHODE_PER_MACHINE limits them, for tests, to so many consecutive ranks. A single
 * rank shares no memory. */
static void find_machine(int rank)
{
    const char *told = getenv("POLHODE_PER_MACHINE");
    const int each = told ? atoi(told) : 0;
    MPI_Comm shared;
    MPI_Comm_split_type(work, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_split(shared, each > 0 ? rank / each : 0, 0, &machine);
    MPI_Comm_free(&shared);
    MPI_Comm_size(machine, &n_there);
    looks = n_there > sysconf(_SC_NPROCESSORS_ONLN) ? 500 : 500000;
    if (n_there == 1)
        MPI_Comm_free(&machine);
}

static bool meet_machine(void)
{
    MPI_Group of_team, of_machine;
    int *all = malloc(team.size * sizeof *all);
    there = malloc(team.size * sizeof *there);
    memory = calloc(team.size, sizeof *memory);
    received = calloc(team.size, sizeof *received);
    awaited = calloc(team.size, sizeof(struct ph_parcel *));
    const bool complete = all && there && memory && received && awaited;
    if (complete)
        find_machine((int)team.rank);
    if (complete && machine != MPI_COMM_NULL) {
        for (size_t p = 0; p < team.size; ++p)
            all[p] = (int)p;
        MPI_Comm_group(work, &of_team);
        MPI_Comm_group(machine, &of_machine);
        MPI_Group_translate_ranks(of_team, (int)team.size, all, of_machine, there);
        MPI_Group_free(&of_team);
        MPI_Group_free(&of_machine);
    }
    free(all);
    return complete;
}

/* Lower ranks time out first, so that only one rank reports if several fail. */
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

static void leave(void)
{
    give_up_window();
    MPI_Finalize();
}

/* ---- Threads of MPI ---- */

/* Returns true if the state is S in /proc/self/task/<number>/stat, behind the name of the program in brackets, or
 * unknown */
static bool is_asleep(const char *thread)
{
    char name[64], text[256] = "";
    snprintf(name, sizeof name, "/proc/self/task/%.20s/stat", thread);
    FILE *about = fopen(name, "r");
    const bool known = about && fgets(text, sizeof text, about);
    if (about)
        fclose(about);
    const char *state = strrchr(text, ')');
    return !known || !state || strncmp(state, ") S", 3) == 0;
}

static bool others_are_asleep(void)
{
    DIR *threads = opendir("/proc/self/task");
    bool asleep = true;
    for (struct dirent *thread; threads && asleep && (thread = readdir(threads));)
        asleep = thread->d_name[0] == '.' || atoi(thread->d_name) == (int)getpid() || is_asleep(thread->d_name);
    if (threads)
        closedir(threads);
    return asleep;
}

/* Waits until the threads that MPI_Init has started have finished their work and sleep. Open MPI 4.1 leaves work to one
 * of them. On a busy machine this thread may get no core until MPI_Finalize, and run after MPI_Finalize has unloaded
 * its code. The process then crashes at an address that is not mapped, without a backtrace. The wait is limited,
 * because a thread of some other MPI may never sleep. */
static void await_threads(void)
{
    for (int tries = 0; tries < 2000 && !others_are_asleep(); ++tries)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static void abort_all(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

enum ph_status ph_team_mpi(const struct ph_team **out, struct ph_error *err)
{
    int provided, rank, size;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    await_threads();
    MPI_Comm_dup(MPI_COMM_WORLD, &work);
    MPI_Comm_dup(MPI_COMM_WORLD, &ending);
    MPI_Comm_rank(work, &rank);
    MPI_Comm_size(work, &size);
    const char *limit = getenv("POLHODE_MPI_COUNT");
    most = limit && atoi(limit) > 0 ? (size_t)atoi(limit) : most;
    team = (struct ph_team){
        .rank = (size_t)rank,
        .size = (size_t)size,
        .any = any,
        .gather = gather,
        .sum = sum,
        .sum_wide = sum_wide,
        .largest = largest,
        .trade = trade,
        .broadcast = broadcast,
        .begin_exchange = begin_exchange,
        .shared_buffer = shared_buffer,
        .begin_loan = begin_loan,
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
    if (!counts || !places || !requests || !statuses || !meet_machine())
        return ph_no_memory(err, "a team of %d processes", size);
    if (provided < MPI_THREAD_FUNNELED)
        return ph_error_set(err, PH_ERR_INPUT, "This MPI library does not allow threads (MPI_THREAD_FUNNELED).");
    return PH_OK;
}
