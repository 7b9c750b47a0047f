/* SPDX-License-Identifier: MIT */
/* polhode bench forces, polhode bench steps: speed of forces and of whole steps. */
#include "cli/commands/bench/cmd_bench.h"
#include "lab/table.h"

#include "lab/bench/flows.h"
#include "lab/bench/forces.h"
#include "lab/stopwatch.h"
#include "parallel/ranks.h"

#include <math.h>
#include <stdlib.h>

static const double bench_seconds = 24.0; /* about ten more to make the systems */

/* ---- Forces ---- */

static const struct ph_table_column force_columns[] = {
    {"name", "system", true},
    {"summary", "", true},
    {"molecules", "", false},
    {"pairs", "of sites within the cutoff, each once", false},
    {"pairs_evaluated", "of the list", false},
    {"pairs_evaluated_per_pair", "", false},
    {"ms_per_evaluation", "one thread", false},
    {"million_pairs_per_second", "", false},
    {"ns_per_pair", "", false},
    {"ceiling", "what to compare with", true},
    {"ceiling_million_pairs_per_second", "", false},
    {"share_of_ceiling", "", false},
    {"ms_per_evaluation_all_threads", "", false},
    {"speed_up", "all threads against one", false},
    {"ms_with_energy", "one thread", false},
    {"ms_per_list", "one thread", false},
    {"ms_per_list_all_threads", "", false},
    {"step", "of time", false},
    {"steps_per_list", "", false},
    {"share_of_lists", "of the time of forces", false},
};
static const struct ph_table_look force_looks[] = {
    {"system", NULL},       {NULL, NULL},           {"N", NULL},          {"pairs", NULL},      {NULL, NULL},
    {"list/pairs", "%.3f"}, {"ms", "%.3f"},         {"Mpairs/s", "%.1f"}, {"ns/pair", "%.2f"},  {NULL, NULL},
    {NULL, NULL},           {"of ceiling", "%.2f"}, {"ms, all", "%.3f"},  {"speed-up", "%.2f"}, {"ms, energy", "%.3f"},
    {"ms/list", "%.3f"},    {NULL, NULL},           {NULL, NULL},         {NULL, NULL},         {"of lists", "%.3f"},
};
enum { FORCE_COLUMNS = sizeof force_columns / sizeof *force_columns };

static enum ph_status list_forces(size_t n, const struct ph_force_timing *timings, struct ph_table *table,
                                  struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n && status == PH_OK; ++k) {
        const struct ph_force_timing *t = &timings[k];
        const double pairs = (double)t->pairs;
        const bool lists = t->list_seconds > 0.0; /* else there are none */
        status = ph_table_append(
            table, (const char *const[]){t->name, t->summary, ph_ceiling_name(t->kind)},
            (const double[]){(double)t->n, pairs, (double)t->pairs_evaluated, (double)t->pairs_evaluated / pairs,
                             1e3 * t->seconds, 1e-6 * pairs / t->seconds, 1e9 * t->seconds / pairs,
                             1e-6 / t->ceiling_seconds, pairs * t->ceiling_seconds / t->seconds, 1e3 * t->seconds_all,
                             t->seconds / t->seconds_all, 1e3 * t->energy_seconds, lists ? 1e3 * t->list_seconds : NAN,
                             lists ? 1e3 * t->list_seconds_all : NAN, t->step, lists ? t->steps_per_list : NAN,
                             lists ? ph_force_list_share(t) : NAN},
            err);
    }
    return status;
}

static void say_forces(struct ph_json *json, size_t n, const struct ph_force_timing *timings, int threads,
                       double side_by_side, const struct ph_table *table)
{
    ph_json_say(json,
                "Forces and torques, double precision; best of many. Systems with a cutoff: a lattice that melted "
                "for 200 steps,\nat its temperature; all pairs: a lattice with displacements. Pairs: of sites "
                "within the cutoff, each once.\n\n");
    ph_json_table(json, "systems", table, force_looks);
    bool missing = false;
    for (size_t k = 0; k < n; ++k)
        missing = missing || !isfinite(timings[k].seconds_all);
    ph_json_say(json, "\nms: of one thread; all: of %d.", threads);
    if (isfinite(side_by_side))
        ph_json_say(json, " The speed-up can be %.2f at most: that is what they do with a system each.", side_by_side);
    if (missing)
        ph_json_say(json, " A dash there: they never ran together, other work keeps the processors busy.");
    ph_json_say(json, "\nof lists: their share in the time of forces, in steps of 0.002 (ps for water). Ceiling: the "
                      "same terms for data in the\nfirst-level cache, without cutoff or list, one thread:\n");
    for (int kind = 0; kind < PH_CEILINGS; ++kind)
        for (size_t k = 0; k < n; ++k)
            if (timings[k].kind == (enum ph_ceiling)kind) {
                ph_json_say(json, "  %-24s %6.1f million pairs per second\n", ph_ceiling_name(timings[k].kind),
                            1e-6 / timings[k].ceiling_seconds);
                break;
            }
}

static const struct ph_table_column part_columns[] = {
    {"system", "", true},
    {"part", "of a step", true},
    {"ns_per_molecule", "one thread", false},
    {"ns_per_pair", "of sites within the cutoff", false},
    {"share", "of a step", false},
    {"ceiling", "what to compare with", true},
    {"ceiling_ns_per_molecule", "", false},
    {"share_of_ceiling", "", false},
};
static const struct ph_table_look part_looks[] = {
    {"system", NULL},  {"part of a step", NULL}, {"ns/molecule", "%.1f"}, {"ns/pair", "%.2f"},
    {"share", "%.3f"}, {"ceiling", NULL},        {"ns/molecule", "%.1f"}, {"reached", "%.2f"},
};
enum { PART_COLUMNS = sizeof part_columns / sizeof *part_columns };

static enum ph_status list_parts(size_t n, const struct ph_force_timing *timings, struct ph_table *table,
                                 struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n; ++k) {
        const struct ph_force_timing *t = &timings[k];
        struct ph_step_part_timing all = {.name = "all", .ceiling_name = ""};
        for (int p = 0; p < PH_STEP_PARTS; ++p) {
            all.seconds += t->part[p].seconds;
            all.ceiling += t->part[p].ceiling;
        }
        for (int p = 0; p <= PH_STEP_PARTS && status == PH_OK && t->part[0].name; ++p) {
            const struct ph_step_part_timing *part = p < PH_STEP_PARTS ? &t->part[p] : &all;
            status =
                ph_table_append(table, (const char *const[]){t->name, part->name, part->ceiling_name},
                                (const double[]){1e9 * part->seconds / (double)t->n,
                                                 1e9 * part->seconds / (double)t->pairs, part->seconds / all.seconds,
                                                 1e9 * part->ceiling / (double)t->n, part->ceiling / part->seconds},
                                err);
        }
    }
    return status;
}

static void say_parts(struct ph_json *json, const struct ph_table *table)
{
    ph_json_say(json, "\nParts of a step of one evaluation (Verlet, exact flow), one thread: evaluations that leave "
                      "something out are\ncompared with whole ones; lists count as often as they are made in a run. "
                      "Kernels work while neighbours are on their\nway: a part may so take less than its ceiling.\n\n");
    ph_json_table(json, "parts", table, part_looks);
}

enum ph_status ph_cli_bench_forces(bool json, struct ph_error *err)
{
    const size_t n = ph_bench_forces_count();
    const int threads = ph_bench_max_threads();
    struct ph_force_timing *timings = calloc(n, sizeof *timings);
    if (!timings)
        return ph_no_memory(err, "%zu timings", n);
    struct ph_table table, parts;
    ph_table_init(&table, "forces", "what forces cost", FORCE_COLUMNS, force_columns);
    ph_table_init(&parts, "parts", "parts of a step", PART_COLUMNS, part_columns);
    double side_by_side = NAN;
    enum ph_status status = ph_bench_forces(bench_seconds, threads, timings, &side_by_side, err);
    if (status == PH_OK)
        status = list_forces(n, timings, &table, err);
    if (status == PH_OK)
        status = list_parts(n, timings, &parts, err);
    if (status == PH_OK) {
        struct ph_json out = {.out = stdout, .text = !json};
        ph_json_begin_object(&out, NULL);
        ph_json_string(&out, "bench", "forces");
        ph_json_integer(&out, "threads", threads);
        ph_json_number(&out, "speed_up_at_most", side_by_side);
        say_forces(&out, n, timings, threads, side_by_side, &table);
        say_parts(&out, &parts);
        ph_json_end(&out);
    }
    ph_table_clear(&table);
    ph_table_clear(&parts);
    free(timings);
    return status;
}

/* ---- Growth with size ---- */

static const struct ph_table_column scaling_columns[] = {
    {"molecules", "", false},
    {"order", "in memory", true},
    {"ns_per_molecule", "forces", false},
    {"ns_per_molecule_list", "", false},
    {"ns_per_molecule_sum", "", false},
    {"ns_per_molecule_step", "whole steps, lists included", false},
    {"bytes_per_molecule_state", "", false},
    {"bytes_per_molecule_forces", "", false},
    {"bytes_per_molecule_peak", "in all", false},
};
static const struct ph_table_look scaling_looks[] = {
    {"N", NULL},
    {"order in memory", NULL},
    {"ns, forces", "%.0f"},
    {"ns, list", "%.0f"},
    {"sum", "%.0f"},
    {"ns, step", "%.0f"},
    {"bytes, state", "%.0f"},
    {"bytes, forces", "%.0f"},
    {"peak in all", "%.0f"},
};
enum { SCALING_COLUMNS = sizeof scaling_columns / sizeof *scaling_columns };

static enum ph_status list_scaling(const struct ph_force_scaling *rows, struct ph_table *table, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < PH_SCALING_ROWS && status == PH_OK; ++k) {
        status =
            ph_table_append(table, (const char *const[]){rows[k].shuffled ? "shuffled" : "of the lattice"},
                            (const double[]){(double)rows[k].n, 1e9 * rows[k].seconds, 1e9 * rows[k].list_seconds,
                                             1e9 * (rows[k].seconds + rows[k].list_seconds), 1e9 * rows[k].step_seconds,
                                             rows[k].state_bytes, rows[k].force_bytes, rows[k].list_peak_bytes},
                            err);
    }
    return status;
}

static void say_scaling(struct ph_json *json, const struct ph_force_scaling *rows, const struct ph_table *table)
{
    ph_json_say(json,
                "Stockmayer, cut at 3.5, from a lattice with displacements, one thread, all in turn; ns and bytes "
                "per molecule.\nForces and list: best of ten; steps: mean of 40 of Verlet with the exact flow, "
                "lists included\n\n");
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "bench", "forces-scaling");
    ph_json_table(json, "sizes", table, scaling_looks);
    ph_json_end(json);
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
        const struct ph_force_scaling *large = &rows[shuffled], *small = &rows[2 + shuffled];
        ph_json_say(json,
                    "\n%zu molecules against %zu, %s: forces %.2f, list %.2f, whole steps %.2f times the time per "
                    "molecule",
                    large->n, small->n, shuffled ? "shuffled" : "in order", large->seconds / small->seconds,
                    large->list_seconds / small->list_seconds, large->step_seconds / small->step_seconds);
    }
    ph_json_say(json, "\n");
}

enum ph_status ph_cli_bench_scaling(bool json, struct ph_error *err)
{
    struct ph_force_scaling rows[PH_SCALING_ROWS];
    struct ph_table table;
    ph_table_init(&table, "scaling", "how the cost grows", SCALING_COLUMNS, scaling_columns);
    enum ph_status status = ph_bench_scaling(rows, err);
    if (status == PH_OK)
        status = list_scaling(rows, &table, err);
    if (status == PH_OK)
        say_scaling(&(struct ph_json){.out = stdout, .text = !json}, rows, &table);
    ph_table_clear(&table);
    return status;
}

/* ---- Steps ---- */

static void say_steps(struct ph_json *json, const struct ph_step_timing *t)
{
    const size_t processes = ph_ranks_count();
    const double rate = (double)t->steps / t->seconds;
    const double pair_rate = t->pairs > 0 ? 1e-6 * (double)t->pairs * (double)t->evaluations / t->seconds : NAN;
    ph_json_string(json, "bench", "steps");
    ph_json_integer(json, "molecules", (long)t->n);
    ph_json_number(json, "pairs", t->pairs > 0 ? (double)t->pairs : NAN); /* else too many to be counted */
    ph_json_integer(json, "processes", (long)processes);
    ph_json_integer(json, "threads", t->threads);
    if (processes > 1) {
        ph_json_number(json, "share_of_exchange", t->team.exchange / t->seconds);
        ph_json_number(json, "share_of_waiting", t->team.waiting / t->seconds);
    }
    ph_json_string(json, "scheme", t->scheme->name);
    ph_json_string(json, "flow", t->flow->name);
    ph_json_number(json, "step", t->step);
    ph_json_integer(json, "steps", t->steps);
    ph_json_integer(json, "evaluations", (long)t->evaluations);
    ph_json_number(json, "seconds", t->seconds);
    ph_json_number(json, "steps_per_second", rate);
    ph_json_number(json, "million_pairs_per_second", pair_rate);
    ph_json_integer(json, "lists_made", (long)t->lists_made);
    ph_json_number(json, "potential_energy_at_start", t->potential);
    ph_json_number(json, "drift_per_molecule", t->drift);
    ph_json_say(json, "%zu molecules, %ld steps of %s with the flow %s, h = %g, ", t->n, t->steps, t->scheme->name,
                t->flow->name, t->step);
    if (processes > 1)
        ph_json_say(json, "%zu processes with %d thread%s each\n", processes, t->threads, t->threads == 1 ? "" : "s");
    else
        ph_json_say(json, "%d thread%s\n", t->threads, t->threads == 1 ? " (processor time)" : "s");
    ph_json_say(json, "%.4g steps per second, %.4g ms per step, %.4g us per molecule and force evaluation\n", rate,
                1e3 / rate, 1e6 * t->seconds / ((double)t->n * (double)t->evaluations));
    if (t->pairs > 0)
        ph_json_say(json, "%.1f million pairs per second (%zu pairs of sites within the cutoff at the start)\n",
                    pair_rate, t->pairs);
    if (processes > 1)
        ph_json_say(json, "%.1f %% of the time in exchange, %.1f %% waiting for slower processes\n",
                    1e2 * t->team.exchange / t->seconds, 1e2 * t->team.waiting / t->seconds);
    ph_json_say(json, "%zu lists made; energy changed by %.2e per molecule\n", t->lists_made, t->drift);
}

static const struct ph_table_column spent_columns[] = {
    {"part", "of a step", true},
    {"ms_one_thread", "of a step", false},
    {"ms_all_threads", "of a step", false},
    {"ms_waiting", "of the pair loop, included: mean of all threads", false},
    {"speed_up", "all threads against one", false},
};
enum { SPENT_COLUMNS = sizeof spent_columns / sizeof *spent_columns };

static enum ph_status add_spent(const char *name, double one, double all, double waiting, struct ph_table *table,
                                struct ph_error *err)
{
    return ph_table_append(table, (const char *const[]){name},
                           (const double[]){1e3 * one, 1e3 * all, 1e3 * waiting, all > 0.0 ? one / all : NAN}, err);
}

/* Parts of a step, and the whole step last */
static enum ph_status list_spent(const struct ph_step_timing *one, const struct ph_step_timing *all,
                                 struct ph_table *table, struct ph_error *err)
{
    double sum[3] = {0.0};
    enum ph_status status = PH_OK;
    for (int part = 0; part < PH_SPENT_PARTS && status == PH_OK; ++part) {
        const double t[3] = {one->spent.seconds[part] / (double)one->steps,
                             all->spent.seconds[part] / (double)all->steps,
                             all->spent.waiting[part] / (double)all->steps};
        for (int k = 0; k < 3; ++k)
            sum[k] += t[k];
        if (t[0] > 0.0)
            status = add_spent(ph_spent_name((enum ph_spent_part)part), t[0], t[1], t[2], table, err);
    }
    return status == PH_OK ? add_spent("step", sum[0], sum[1], sum[2], table, err) : status;
}

static enum ph_status say_spent(struct ph_json *json, const struct ph_step_timing *one,
                                const struct ph_step_timing *all, struct ph_error *err)
{
    char threads[32];
    struct ph_table table;
    ph_table_init(&table, "parts", "parts of a step", SPENT_COLUMNS, spent_columns);
    const enum ph_status status = list_spent(one, all, &table, err);
    snprintf(threads, sizeof threads, "%d thread%s", all->threads, all->threads == 1 ? "" : "s");
    const struct ph_table_look looks[SPENT_COLUMNS] = {
        {"part", NULL}, {"1 thread", "%.4f"}, {threads, "%.4f"}, {"waiting", "%.4f"}, {"speed-up", "%.2f"}};
    if (status == PH_OK) {
        ph_json_say(json, "\nParts of a step, ms; waiting: for the last tile, included, mean of all threads\n\n");
        ph_json_table(json, "parts", &table, looks);
    }
    ph_table_clear(&table);
    return status;
}

enum ph_status ph_cli_bench_steps(const char *input, bool parts, bool json, struct ph_error *err)
{
    const int most = ph_bench_max_threads();
    struct ph_step_timing one, all;
    struct ph_json out = {.out = stdout, .text = !json};
    enum ph_status status = parts ? ph_bench_steps(input, 1, true, &one, err) : PH_OK;
    ph_stopwatch_use_threads(most);
    if (status == PH_OK)
        status = ph_bench_steps(input, 0, parts, &all, err);
    if (status != PH_OK)
        return status;
    ph_json_begin_object(&out, NULL);
    say_steps(&out, &all);
    if (parts)
        status = say_spent(&out, &one, &all, err);
    ph_json_end(&out);
    return status;
}
