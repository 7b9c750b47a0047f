/* SPDX-License-Identifier: MIT */
/* Threads that wait for each other spin while the machine is free, and sleep while other work needs the processors.
 *
 * A thread that sleeps takes long to wake up, so on a free machine spinning is faster. On a busy machine it is many
 * times slower, because a spinning thread holds the processor that the thread it waits for needs. */

/* gcc's OpenMP library cannot be told to change from one to the other. But it spins 100 times instead of 300000 while
 * there are more OpenMP threads than processors (documentation of GOMP_SPINCOUNT). So when a thread had to wait for a
 * processor, the program makes a second team of threads that does nothing but sleep. After a while this team ends, and
 * threads spin again as a trial.
 *
 * How long a thread waited for a processor counts only while threads spin. Threads that sleep also wait when they wake
 * up on a free machine. */
#define _GNU_SOURCE /* pthread_setname_np */
#include "base/clock.h"
#include "cli/cli.h"

#include <dirent.h>
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double busy = 0.05;                         /* this part of the time a thread waited for a processor */
static const double spin_least = 0.02, spin_most = 0.32; /* seconds between looks while threads spin */
static const double sleep_least = 1.0, sleep_most = 8.0; /* seconds before threads spin again as a trial */
enum { LOOKS = 3 };                                      /* so many times in a row: not a short disturbance */
enum { OTHERS = 4 };                                     /* threads that are not OpenMP's, of MPI or CUDA: at most */
enum { TEAM_MOST = 512, STACK = 256 << 10, TASKS_MOST = 2 * PH_CLI_THREADS_MOST };

/* ---- How long threads waited for a processor ---- */

struct tasks {
    size_t n;
    struct {
        long number;
        unsigned long long waited; /* ns, since the thread began */
    } of[TASKS_MOST];
};

/* Reads /proc/self/task/NUMBER/schedstat: time on a processor, time waited for one, how often it got one */
static bool read_waited(int folder, const char *number, unsigned long long *waited)
{
    char name[64], text[96], *end;
    snprintf(name, sizeof name, "%.20s/schedstat", number);
    const int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length > 0 ? length : 0] = '\0';
    strtoull(text, &end, 10);
    *waited = strtoull(end, NULL, 10);
    return length > 0;
}

/* Returns the longest time that one thread waited for a processor since the last call, in seconds */
static double read_tasks(struct tasks *tasks)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned long long most = 0, waited;
    size_t n = 0;
    for (const struct dirent *entry; folder && n < TASKS_MOST && (entry = readdir(folder));) {
        const long number = strtol(entry->d_name, NULL, 10);
        if (number <= 0 || !read_waited(dirfd(folder), entry->d_name, &waited))
            continue;
        const bool known = n < tasks->n && tasks->of[n].number == number;
        if (known && waited > tasks->of[n].waited + most)
            most = waited - tasks->of[n].waited;
        tasks->of[n].number = number;
        tasks->of[n++].waited = waited;
    }
    if (folder)
        closedir(folder);
    tasks->n = n;
    return 1e-9 * (double)most;
}

/* ---- The team that sleeps ---- */

static pthread_attr_t small; /* of threads that are not OpenMP's */

struct team {
    int threads;
    sem_t end;
};

static void *nothing(void *data) { return data; }

static void *sleep_in_team(void *data)
{
    struct team *team = data;
#pragma omp parallel num_threads(team->threads)
    {
        __asm__ volatile("" ::: "memory"); /* else there would be no team */
    }
    while (sem_wait(&team->end) != 0)
        continue;
    return NULL;
}

/* Whether so many threads can be made: else the library would end the program */
static bool there_is_room(int threads)
{
    pthread_t made[TEAM_MOST];
    int n = 0;
    while (n < threads && pthread_create(&made[n], NULL, nothing, NULL) == 0)
        ++n;
    for (int k = 0; k < n; ++k)
        pthread_join(made[k], NULL);
    return n == threads;
}

static void nap(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds,
                                  .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    nanosleep(&time, NULL);
}

/* Lets threads sleep while they wait, for so many seconds */
static void let_sleep(int threads, double seconds)
{
    struct team team = {.threads = threads};
    pthread_t thread;
    sem_init(&team.end, 0, 0);
    const bool made = there_is_room(threads) && pthread_create(&thread, &small, sleep_in_team, &team) == 0;
    nap(seconds);
    if (made) {
        sem_post(&team.end);
        pthread_join(thread, NULL);
    }
    sem_destroy(&team.end);
}

/* ---- The watch ---- */

static void *watch(void *data)
{
    static struct tasks tasks;
    const int processors = *(const int *)data;
    double spin = spin_least, sleep = sleep_least;
    int looks = 0; /* in a row at which the machine was busy */
    ph_cli_release_processors();
    for (;;) {
        read_tasks(&tasks);
        const double begun = ph_clock_wall();
        nap(spin);
        const double waited = read_tasks(&tasks), passed = ph_clock_wall() - begun;
        const int others = (int)tasks.n - 2; /* besides the first thread and this one */
        if (others < 1 || waited < busy * passed) {
            spin = spin < spin_most ? 2.0 * spin : spin;
            sleep = sleep > sleep_least ? 0.5 * sleep : sleep;
            looks = 0;
            continue;
        }
        spin = spin_least;
        if (++looks < LOOKS)
            continue;
        looks = 0;
        /* One more than processors, with the fewest threads that the first team may have */
        const int threads = processors + 1 - (others - OTHERS);
        let_sleep(threads < 2 ? 2 : threads > TEAM_MOST ? TEAM_MOST : threads, sleep);
        sleep = sleep < sleep_most ? 2.0 * sleep : sleep;
    }
    return NULL;
}

void ph_cli_watch_processors(void)
{
    static int processors;
    processors = omp_get_num_procs();
    pthread_t thread;
    sigset_t all, before;
    if (processors < 2 || pthread_attr_init(&small) != 0) /* on one processor threads sleep anyway */
        return;
    pthread_attr_setstacksize(&small, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the other threads */
    if (pthread_create(&thread, &small, watch, &processors) == 0) {
        pthread_setname_np(thread, "watch");
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}
