/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* fopencookie */
#include "cli/terminal/log.h"

#include "base/names.h"
#include "parallel/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char mark[] = "==== polhode "; /* of the first line of every run in it */
static int descriptor = -1;
static FILE *screen, *log_alone;

static bool write_all(int to, const char *text, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(to, text, n);
        if (written < 0 && errno != EINTR)
            return false;
        text += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* A log that cannot be written ends, and the run goes on. */
static ssize_t write_log(void *cookie, const char *text, size_t n)
{
    (void)cookie;
    if (descriptor >= 0 && !write_all(descriptor, text, n)) {
        fprintf(screen, "polhode: the log ends here, it cannot be written: %s.\n", strerror(errno));
        close(descriptor);
        descriptor = -1;
    }
    return (ssize_t)n;
}

static ssize_t write_both(void *cookie, const char *text, size_t n)
{
    const bool good = write_all(STDERR_FILENO, text, n);
    write_log(cookie, text, n);
    return good ? (ssize_t)n : 0;
}

static void write_time(void)
{
    char text[64];
    struct tm parts;
    const time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
    fputs(text, log_alone);
}

static void write_head(int argc, char *const *argv)
{
    char host[256] = "";
    const char *job = getenv("SLURM_JOB_ID"), *restarts = getenv("SLURM_RESTART_COUNT");
    gethostname(host, sizeof host - 1);
    fprintf(log_alone, "%s%s, ", mark, ph_version());
    write_time();
    fprintf(log_alone, ", on %s, process %ld", host, (long)getpid());
    if (job)
        fprintf(log_alone, ", job %s", job);
    if (restarts)
        fprintf(log_alone, ", restart %s", restarts);
    fputs("\n$", log_alone);
    for (int k = 0; k < argc; ++k)
        fprintf(log_alone, " %s", argv[k]);
    fputc('\n', log_alone);
}

/* Opens the log for appending. */
static enum ph_status open_log(const char *file, struct ph_error *err)
{
    char first[sizeof mark] = "";
    struct stat about;
    if (ph_name_ends(file, "h5md|h5|hdf5|checkpoint|1"))
        return ph_error_set(err, PH_ERR_INPUT,
                            "--log %s: is the name of a trajectory or checkpoint. Give another name, as in run.log.",
                            file);
    descriptor = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (descriptor < 0)
        return ph_error_set(err, PH_ERR_IO, "--log %s: cannot be opened: %s.", file, strerror(errno));
    const bool regular = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
    const ssize_t n = regular ? read(descriptor, first, strlen(mark)) : -1;
    if (n == 0 || (n > 0 && strcmp(first, mark) == 0))
        return PH_OK;
    close(descriptor);
    descriptor = -1;
    return ph_error_set(err, PH_ERR_INPUT,
                        "--log %s: is there already, and is not a log of polhode. Give another name.", file);
}

enum ph_status ph_cli_log_begin(const char *file, int argc, char *const *argv, struct ph_error *err)
{
    if (!file)
        return PH_OK;
    enum ph_status status = ph_ranks_is_first() ? open_log(file, err) : PH_OK;
    if (status == PH_OK && descriptor >= 0) {
        FILE *both = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_both});
        log_alone = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_log});
        if (both && log_alone) {
            setvbuf(both, NULL, _IONBF, 0);
            setvbuf(log_alone, NULL, _IOLBF, BUFSIZ);
            screen = stderr;
            stderr = both;
            write_head(argc, argv);
        } else {
            status = ph_no_memory(err, "the log");
        }
    }
    return ph_ranks_agree(status, err);
}

int ph_cli_log_end(int status)
{
    if (!log_alone)
        return status;
    fprintf(log_alone, "==== ");
    write_time();
    fprintf(log_alone, ", exit status %d\n", status);
    fflush(log_alone);
    if (descriptor >= 0)
        close(descriptor);
    descriptor = -1;
    return status;
}

FILE *ph_cli_screen(void) { return screen ? screen : stderr; }

FILE *ph_cli_log(void) { return log_alone; }

void ph_cli_log_text(const char *text)
{
    if (log_alone)
        fputs(text, log_alone);
}
