/* SPDX-License-Identifier: MIT */
/* polhode bench forces, polhode bench steps: speed of forces and of whole steps. */
#include "cli/cmd_bench.h"

#include "lab/bench/flows.h"
#include "lab/bench/forces.h"

#include <math.h>
#include <stdlib.h>

static const double bench_seconds = 14.0; /* about six more to make the systems */

/* A number of the given width and digits, or a dash for what could not be measured or does not exist */
static void cell(int width, int digits, double value)
{
    if (isfinite(value))
        printf(" %*.*f", width, digits, value);
    else
        printf(" %*s", width, "-");
}

/* ---- Forces ---- */

static double million_pairs(const struct ph_force_timing *t) { return 1e-6 * (double)t->pairs / t->seconds; }

static double of_ceiling(const struct ph_force_timing *t) { return (double)t->pairs * t->ceiling_seconds / t->seconds; }

static void print_forces(size_t n, const struct ph_force_timing *timings, int threads)
{
    puts(
        "Forces and torques, double precision; best of many. Systems with a cutoff: a lattice that melted for 200 "
        "steps,\n"
        "at its temperature; all pairs: a lattice with displacements. Pairs: of sites within the cutoff, each once.\n");
    printf("%-15s %6s %9s %6s | %8s %8s %8s %8s | %8s %8s | %8s %8s %7s\n", "", "", "pairs in", "list/", "ms", "Mpairs",
           "ns per", "share of", "ms, all", "times", "ms with", "ms to", "share");
    printf("%-15s %6s %9s %6s | %8s %8s %8s %8s | %8s %8s | %8s %8s %7s\n", "system", "N", "cutoff", "cutoff",
           "1 thread", "per s", "pair", "ceiling", "threads", "faster", "energy", "list", "of lists");
    bool missing = false;
    for (size_t k = 0; k < n; ++k) {
        const struct ph_force_timing *t = &timings[k];
        printf("%-15s %6zu %9zu", t->name, t->n, t->pairs);
        cell(6, 3, (double)t->pairs_evaluated / (double)t->pairs);
        printf(" |");
        cell(8, 3, 1e3 * t->seconds);
        cell(8, 1, million_pairs(t));
        cell(8, 2, 1e9 * t->seconds / (double)t->pairs);
        cell(8, 2, of_ceiling(t));
        printf(" |");
        cell(8, 3, 1e3 * t->seconds_all);
        cell(8, 2, t->seconds / t->seconds_all);
        printf(" |");
        cell(8, 3, 1e3 * t->energy_seconds);
        cell(8, 3, t->list_seconds > 0.0 ? 1e3 * t->list_seconds : NAN);
        cell(8, 3, t->list_seconds > 0.0 ? ph_force_list_share(t) : NAN);
        puts("");
        missing = missing || !isfinite(t->seconds_all);
    }
    printf("\nAll threads: %d.", threads);
    if (missing)
        printf(" A dash there: they never ran together, other work keeps the processors busy.");
    puts(" Share of lists: of the time of forces, in steps of\n0.002 (ps for water). Ceiling: the same terms for data "
         "in the "
         "first-level cache, without cutoff or list, one thread:");
    for (int kind = 0; kind < PH_CEILINGS; ++kind)
        for (size_t k = 0; k < n; ++k)
            if (timings[k].kind == (enum ph_ceiling)kind) {
                printf("  %-24s %6.1f million pairs per second\n", ph_ceiling_name(timings[k].kind),
                       1e-6 / timings[k].ceiling_seconds);
                break;
            }
}

static void write_forces(size_t n, const struct ph_force_timing *timings, int threads)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    ph_json_string(&json, "bench", "forces");
    ph_json_integer(&json, "threads", threads);
    ph_json_begin_array(&json, "systems");
    for (size_t k = 0; k < n; ++k) {
        const struct ph_force_timing *t = &timings[k];
        ph_json_begin_object(&json, NULL);
        ph_json_string(&json, "name", t->name);
        ph_json_string(&json, "summary", t->summary);
        ph_json_integer(&json, "molecules", (long)t->n);
        ph_json_integer(&json, "pairs", (long)t->pairs);
        ph_json_integer(&json, "pairs_evaluated", (long)t->pairs_evaluated);
        ph_json_number(&json, "ms_per_evaluation", 1e3 * t->seconds);
        ph_json_number(&json, "million_pairs_per_second", million_pairs(t));
        ph_json_number(&json, "ns_per_pair", 1e9 * t->seconds / (double)t->pairs);
        ph_json_string(&json, "ceiling", ph_ceiling_name(t->kind));
        ph_json_number(&json, "ceiling_million_pairs_per_second", 1e-6 / t->ceiling_seconds);
        ph_json_number(&json, "share_of_ceiling", of_ceiling(t));
        ph_json_number(&json, "ms_per_evaluation_all_threads", 1e3 * t->seconds_all);
        ph_json_number(&json, "speed_up", t->seconds / t->seconds_all);
        ph_json_number(&json, "ms_with_energy", 1e3 * t->energy_seconds);
        ph_json_number(&json, "ms_per_list", 1e3 * t->list_seconds);
        ph_json_number(&json, "ms_per_list_all_threads", 1e3 * t->list_seconds_all);
        ph_json_number(&json, "step", t->step);
        ph_json_number(&json, "steps_per_list", t->steps_per_list);
        ph_json_number(&json, "share_of_lists", ph_force_list_share(t));
        ph_json_end(&json);
    }
    ph_json_end(&json);
    ph_json_end(&json);
}

enum ph_status ph_cli_bench_forces(bool json, struct ph_error *err)
{
    const size_t n = ph_bench_forces_count();
    const int threads = ph_bench_max_threads();
    struct ph_force_timing *timings = calloc(n, sizeof *timings);
    if (!timings)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu timings.", n);
    const enum ph_status status = ph_bench_forces(bench_seconds, threads, timings, err);
    if (status == PH_OK && json)
        write_forces(n, timings, threads);
    else if (status == PH_OK)
        print_forces(n, timings, threads);
    free(timings);
    return status;
}

/* ---- Growth with size ---- */

static void print_scaling(const struct ph_force_scaling *rows)
{
    puts("Stockmayer, cut at 3.5, lattice with displacements, one thread; ns and bytes per molecule\n");
    printf("%8s %-16s | %10s %10s %10s | %8s %8s %12s\n", "N", "order in memory", "forces", "list", "sum", "state",
           "forces", "peak in all");
    for (size_t k = 0; k < PH_SCALING_ROWS; ++k) {
        printf("%8zu %-16s |", rows[k].n, rows[k].shuffled ? "shuffled" : "of the lattice");
        cell(10, 0, 1e9 * rows[k].seconds);
        cell(10, 0, 1e9 * rows[k].list_seconds);
        cell(10, 0, 1e9 * (rows[k].seconds + rows[k].list_seconds));
        printf(" |");
        cell(8, 0, rows[k].state_bytes);
        cell(8, 0, rows[k].force_bytes);
        cell(12, 0, rows[k].list_peak_bytes);
        puts("");
    }
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
        const struct ph_force_scaling *large = &rows[shuffled], *small = &rows[2 + shuffled];
        printf("\n%zu molecules against %zu, %s: forces %.2f, list %.2f, sum %.2f times the time per molecule",
               large->n, small->n, shuffled ? "shuffled" : "in order", large->seconds / small->seconds,
               large->list_seconds / small->list_seconds,
               (large->seconds + large->list_seconds) / (small->seconds + small->list_seconds));
    }
    puts("");
}

static void write_scaling(const struct ph_force_scaling *rows)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    ph_json_string(&json, "bench", "forces-scaling");
    ph_json_begin_array(&json, "sizes");
    for (size_t k = 0; k < PH_SCALING_ROWS; ++k) {
        ph_json_begin_object(&json, NULL);
        ph_json_integer(&json, "molecules", (long)rows[k].n);
        ph_json_bool(&json, "shuffled", rows[k].shuffled);
        ph_json_number(&json, "ns_per_molecule", 1e9 * rows[k].seconds);
        ph_json_number(&json, "ns_per_molecule_list", 1e9 * rows[k].list_seconds);
        ph_json_number(&json, "bytes_per_molecule_state", rows[k].state_bytes);
        ph_json_number(&json, "bytes_per_molecule_forces", rows[k].force_bytes);
        ph_json_number(&json, "bytes_per_molecule_peak", rows[k].list_peak_bytes);
        ph_json_end(&json);
    }
    ph_json_end(&json);
    ph_json_end(&json);
}

enum ph_status ph_cli_bench_scaling(bool json, struct ph_error *err)
{
    struct ph_force_scaling rows[PH_SCALING_ROWS];
    const enum ph_status status = ph_bench_scaling(rows, err);
    if (status == PH_OK && json)
        write_scaling(rows);
    else if (status == PH_OK)
        print_scaling(rows);
    return status;
}

/* ---- Steps ---- */

enum ph_status ph_cli_bench_steps(const char *input, bool json, struct ph_error *err)
{
    struct ph_step_timing t;
    const enum ph_status status = ph_bench_steps(input, ph_bench_max_threads(), &t, err);
    if (status != PH_OK)
        return status;
    const double rate = (double)t.steps / t.seconds;
    const double pair_rate = t.pairs > 0 ? 1e-6 * (double)t.pairs * (double)t.evaluations / t.seconds : NAN;
    if (json) {
        struct ph_json out = {.out = stdout};
        ph_json_begin_object(&out, NULL);
        ph_json_string(&out, "bench", "steps");
        ph_json_integer(&out, "molecules", (long)t.n);
        ph_json_integer(&out, "pairs", (long)t.pairs);
        ph_json_integer(&out, "threads", t.threads);
        ph_json_string(&out, "scheme", t.scheme->name);
        ph_json_string(&out, "flow", t.flow->name);
        ph_json_number(&out, "step", t.step);
        ph_json_integer(&out, "steps", t.steps);
        ph_json_integer(&out, "evaluations", (long)t.evaluations);
        ph_json_number(&out, "seconds", t.seconds);
        ph_json_number(&out, "steps_per_second", rate);
        ph_json_number(&out, "million_pairs_per_second", pair_rate);
        ph_json_integer(&out, "lists_made", (long)t.lists_made);
        ph_json_number(&out, "potential_energy_at_start", t.potential);
        ph_json_number(&out, "drift_per_molecule", t.drift);
        ph_json_end(&out);
        return PH_OK;
    }
    printf("%zu molecules, %ld steps of %s with the flow %s, h = %g, %d thread%s\n", t.n, t.steps, t.scheme->name,
           t.flow->name, t.step, t.threads, t.threads == 1 ? " (processor time)" : "s");
    printf("%.4g steps per second, %.4g ms per step, %.4g us per molecule and force evaluation\n", rate, 1e3 / rate,
           1e6 * t.seconds / ((double)t.n * (double)t.evaluations));
    if (t.pairs > 0)
        printf("%.1f million pairs per second (%zu pairs of sites within the cutoff at the start)\n", pair_rate,
               t.pairs);
    printf("%zu lists made; energy changed by %.2e per molecule\n", t.lists_made, t.drift);
    return PH_OK;
}
