/* SPDX-License-Identifier: MIT */
#include "cli/terminal/progress.h"

#include "base/clock.h"
#include "parallel/ranks.h"
#include "run/build/build.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t ph_cli_columns(void)
{
    struct winsize size;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col > 1 ? size.ws_col : 2;
    const char *text = getenv("COLUMNS");
    const long columns = text ? strtol(text, NULL, 10) : 0;
    return columns > 1 && columns < 10000 ? (size_t)columns : 80;
}

struct ph_cli_progress ph_cli_progress_begin(void)
{
    const double time = ph_clock_wall();
    return (struct ph_cli_progress){.began = time, .shown = time, .part = 1};
}

void ph_cli_progress_show(double fraction, void *data)
{
    struct ph_cli_progress *progress = data;
    const double time = ph_clock_wall();
    if (fraction < progress->fraction) {
        progress->began = time;
        ++progress->part;
    }
    progress->fraction = fraction;
    if (time - progress->shown < 0.2)
        return;
    const double spent = time - progress->began;
    progress->shown = time;
    progress->any = true;
    fputs("\r\033[K", stderr);
    if (progress->part > 1)
        fprintf(stderr, "part %d: ", progress->part);
    fprintf(stderr, "%.1f %%", 100.0 * fraction);
    if (spent > 1.0 && fraction > 0.0)
        fprintf(stderr, ", %.0f s left", spent * (1.0 - fraction) / fraction);
    fflush(stderr);
}

void ph_cli_progress_end(const struct ph_cli_progress *progress)
{
    if (progress->any)
        fputs("\r\033[K", stderr);
}

static void show_compiler(const char *about)
{
    static const char what[] = "compiling the formula ";
    const size_t columns = ph_cli_columns(), room = columns > sizeof what ? columns - sizeof what : 0;
    fputs("\r\033[K", stderr);
    if (about)
        fprintf(stderr, "%s%.*s", what, (int)(room < 4096 ? room : 4096), about);
    fflush(stderr);
}

void ph_cli_watch_compilers(void)
{
    if (ph_ranks_is_first() && isatty(STDERR_FILENO))
        ph_build_watch_compilers(show_compiler);
}

void ph_cli_print_duration(FILE *out, double s)
{
    if (s < 99.5)
        fprintf(out, "%.0f s", s);
    else if (s < 99.5 * 60.0)
        fprintf(out, "%.0f min", s / 60.0);
    else if (s < 99.5 * 3600.0)
        fprintf(out, "%.1f h", s / 3600.0);
    else
        fprintf(out, "%.3g days", s / 86400.0);
}
