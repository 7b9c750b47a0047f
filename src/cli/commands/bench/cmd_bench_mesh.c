/* SPDX-License-Identifier: MIT */
/* polhode bench mesh: accuracy and speed of electrostatics on a mesh. */
#include "cli/commands/bench/cmd_bench.h"
#include "lab/table.h"

#include "lab/bench/flows.h"
#include "lab/bench/mesh.h"

#include <stdio.h>

static const double bench_seconds = 20.0;

static const struct ph_table_column columns[] = {
    {"name", "fluid", true},
    {"molecules", "", false},
    {"tolerance", "asked for", false},
    {"expected_error", "", false},
    {"force_error", "relative, root mean square, against a direct sum", false},
    {"torque_error", "", false},
    {"grid", "points along an edge", false},
    {"width", "of the window", false},
    {"ms_per_evaluation", "all forces, one thread", false},
    {"ms_pairs", "the rest: pairs, radial ones too", false},
    {"ms_spread", "", false},
    {"ms_transform", "", false},
    {"ms_gather", "", false},
    {"ms_per_evaluation_all_threads", "", false},
    {"speed_up", "all threads against one", false},
    {"us_per_molecule", "one thread", false},
};
static const struct ph_table_look looks[] = {
    {"fluid", NULL},    {"N", NULL},         {"tolerance", "%.0e"}, {"expected", "%.1e"},
    {"force", "%.1e"},  {"torque", "%.1e"},  {"grid", NULL},        {"width", NULL},
    {"ms", "%.2f"},     {"pairs", "%.2f"},   {"spread", "%.2f"},    {"FFT", "%.2f"},
    {"gather", "%.2f"}, {"ms, all", "%.2f"}, {"speed-up", "%.2f"},  {"us/N", "%.3f"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static enum ph_status list(const struct ph_mesh_timing rows[PH_MESH_ROWS], struct ph_table *table, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int r = 0; r < PH_MESH_ROWS && status == PH_OK; ++r) {
        const struct ph_mesh_timing *row = &rows[r];
        const double n = (double)row->n, mesh = row->spread + row->transform + row->gather;
        status = ph_table_append(
            table, (const char *const[]){row->name},
            (const double[]){n, row->choice.tolerance, row->choice.expected_error, row->force_error, row->torque_error,
                             row->choice.grid[0], row->choice.width, 1e3 * row->seconds, 1e3 * (row->seconds - mesh),
                             1e3 * row->spread, 1e3 * row->transform, 1e3 * row->gather, 1e3 * row->seconds_all,
                             row->seconds / row->seconds_all, 1e6 * row->seconds / n},
            err);
    }
    return status;
}

static void say(struct ph_json *json, int threads, const struct ph_table *table)
{
    ph_json_say(json, "All forces and torques, electrostatics on a mesh; best of many. Errors of forces and torques "
                      "are relative to\nthe electric ones, root mean square, against a direct sum. Stockmayer: rho "
                      "0.8, T 1.35, cutoff 3.5; SPC/E:\n33.4 molecules per nm^3, cutoff 0.9 nm.\n\n");
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "bench", "mesh");
    ph_json_integer(json, "threads", threads);
    ph_json_table(json, "rows", table, looks);
    ph_json_end(json);
    ph_json_say(json,
                "\nms: of one thread, with its parts (pairs: radial and electric); all: of %d threads; us/N: per "
                "molecule.\n",
                threads);
}

enum ph_status ph_cli_bench_mesh(bool json, struct ph_error *err)
{
    const int threads = ph_bench_max_threads();
    struct ph_mesh_timing rows[PH_MESH_ROWS];
    struct ph_table table;
    ph_table_init(&table, "mesh", "electrostatics on a mesh", COLUMNS, columns);
    enum ph_status status = ph_bench_mesh(bench_seconds, threads, rows, err);
    if (status == PH_OK)
        status = list(rows, &table, err);
    if (status == PH_OK)
        say(&(struct ph_json){.out = stdout, .text = !json}, threads, &table);
    ph_table_clear(&table);
    return status;
}
