/* SPDX-License-Identifier: MIT */
/* To be preloaded into the program: memory runs out where the test says. Counted are the allocations that the program's
 * own code and libyaml ask for from main on, told by the return address; HDF5 and others go on as ever, and so do
 * libraries linked into the program that begin before main (that of CUDA). glibc's allocator does the work.
 *
 *   MEMORY_RECORD=FILE   writes a line for each counted allocation: the calls in the program that led to it
 *   MEMORY_FAILS_AT=N    the N-th fails, from 1; one more line there says that it did
 *   MEMORY_IS_GONE=1     and all after it
 *   MEMORY_SERVES=NAME   does so again for each line "N GONE" of the standard input, in a child that begins with main,
 * since loading libraries takes longer than most failures; its output is in NAME.out and NAME.err, and its wait status
 * is a line of the standard output
 *
 * If the program ends all ranks with MPI_Abort, a last line says "aborted". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static struct {
    uintptr_t begin, end;
} program, yaml;
static atomic_long count;
static long fails_at;
static bool is_gone;
static int record = -1;
static bool has_begun; /* main */
static _Thread_local bool busy;

static int measure(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    int *number = data;
    uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int k = 0; k < object->dlpi_phnum; ++k)
        if (object->dlpi_phdr[k].p_type == PT_LOAD) {
            const uintptr_t from = object->dlpi_addr + object->dlpi_phdr[k].p_vaddr;
            const uintptr_t to = from + object->dlpi_phdr[k].p_memsz;
            begin = from < begin ? from : begin;
            end = to > end ? to : end;
        }
    if ((*number)++ == 0) { /* the program comes first */
        program.begin = begin;
        program.end = end;
    } else if (strstr(object->dlpi_name, "libyaml")) {
        yaml.begin = begin;
        yaml.end = end;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void)
{
    int number = 0;
    dl_iterate_phdr(measure, &number);
    const char *at = getenv("MEMORY_FAILS_AT"), *file = getenv("MEMORY_RECORD");
    fails_at = at ? atol(at) : 0;
    is_gone = getenv("MEMORY_IS_GONE") != NULL;
    if (file)
        record = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *frame;
    busy = true;
    backtrace(&frame, 1); /* allocates when it is first called */
    busy = false;
}

/* The innermost calls that lie in the program, as offsets for addr2line; libyaml counts as one place. */
static void describe(long n, bool failed)
{
    enum { DEPTH = 24, SHOWN = 4 };
    void *frames[DEPTH];
    char line[256];
    int length = snprintf(line, sizeof line, "%s%ld", failed ? "failed " : "", n), shown = 0;
    const int depth = backtrace(frames, DEPTH);
    for (int k = 0; k < depth && shown < SHOWN; ++k) {
        const uintptr_t address = (uintptr_t)frames[k];
        if (address < program.begin || address >= program.end)
            continue;
        length += snprintf(line + length, sizeof line - (size_t)length, " %lx", (long)(address - program.begin));
        ++shown;
    }
    line[length++] = '\n';
    if (write(record, line, (size_t)length) < 0)
        _exit(99);
}

static bool fails(void *caller)
{
    const uintptr_t address = (uintptr_t)caller;
    if (busy || !has_begun ||
        !((program.begin <= address && address < program.end) || (yaml.begin <= address && address < yaml.end)))
        return false;
    const long n = atomic_fetch_add(&count, 1) + 1;
    const bool failed = fails_at > 0 && (is_gone ? n >= fails_at : n == fails_at);
    if (record >= 0 && (fails_at == 0 || n == fails_at)) {
        busy = true;
        describe(n, failed);
        busy = false;
    }
    if (failed)
        errno = ENOMEM;
    return failed;
}

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
static main_function *program_main;

/* A descriptor becomes this file. */
static void become(int descriptor, const char *name, const char *ending, int how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", name, ending);
    const int file = open(path, how | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || dup2(file, descriptor) < 0)
        _exit(99);
    close(file);
}

/* Returns in children. */
static void serve(const char *name)
{
    char line[64];
    for (ssize_t length; (length = read(STDIN_FILENO, line, sizeof line - 1)) > 0;) {
        line[length] = '\0';
        char *gone;
        fails_at = strtol(line, &gone, 10);
        is_gone = strtol(gone, NULL, 10) != 0;
        const pid_t child = fork();
        if (child == 0) {
            unsetenv("MEMORY_SERVES");
            become(STDIN_FILENO, "/dev/null", "", O_RDONLY);
            become(STDOUT_FILENO, name, ".out", O_WRONLY);
            become(STDERR_FILENO, name, ".err", O_WRONLY);
            if (record >= 0 && (ftruncate(record, 0) != 0 || lseek(record, 0, SEEK_SET) != 0))
                _exit(99);
            return;
        }
        int status;
        if (child < 0 || waitpid(child, &status, 0) != child || dprintf(STDOUT_FILENO, "%d\n", status) < 0)
            _exit(99);
    }
    _exit(0);
}

static int count_from_here(int argc, char **argv, char **environment)
{
    const char *name = getenv("MEMORY_SERVES");
    if (name)
        serve(name);
    has_begun = true;
    return program_main(argc, argv, environment);
}

/* What calls main */
start_function __libc_start_main;
int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*ld_fini)(void), void *stack)
{
    start_function *start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program_main = main;
    return start(count_from_here, argc, argv, init, fini, ld_fini, stack);
}

void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }

void *calloc(size_t n, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }

void *realloc(void *memory, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

/* Which the C library would make with an allocation of its own */
char *strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* The communicator is a pointer or an int, by the kind of MPI; both fit. */
int MPI_Abort(void *communicator, int status);
int MPI_Abort(void *communicator, int status)
{
    static const char line[] = "aborted\n";
    int (*next)(void *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Abort");
    if (record >= 0 && write(record, line, sizeof line - 1) < 0)
        _exit(99);
    return next(communicator, status);
}
