/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_BENCH_CMD_BENCH_H
#define PH_CLI_COMMANDS_BENCH_CMD_BENCH_H

/* Parts of `polhode bench` in files of their own */

#include "cli/cli.h"

/* cmd_bench_flows.c: results to stdout, tables also to a file */
struct ph_flows_words {
    const char *csv;  /* file name or NULL */
    const char *body; /* of the work-precision data; NULL: all */
    bool work_precision;
};
enum ph_status ph_cli_bench_flows(const struct ph_flows_words *words, bool json, struct ph_error *err);

/* cmd_bench_forces.c: results to stdout */
enum ph_status ph_cli_bench_forces(bool json, struct ph_error *err);
enum ph_status ph_cli_bench_team_forces(bool json, struct ph_error *err); /* of several processes: cmd_bench_team.c */
enum ph_status ph_cli_bench_scaling(bool json, struct ph_error *err);
enum ph_status ph_cli_bench_steps(const char *input, bool parts, bool json, struct ph_error *err);

/* cmd_bench_backend.c: results to stdout; backend NULL: cuda; input NULL: systems of its own */
enum ph_status ph_cli_bench_backend(const char *backend, const char *device, const char *input, bool json,
                                    struct ph_error *err);

/* cmd_bench_mesh.c: results to stdout */
enum ph_status ph_cli_bench_mesh(bool json, struct ph_error *err);

/* cmd_bench_accuracy.c: the words as typed, NULL if they were not */
struct ph_accuracy_words {
    const char *fluid, *schemes, *molecules, *states, *most;
};
enum ph_status ph_cli_bench_accuracy(const struct ph_accuracy_words *words, bool json, struct ph_error *err);

/* cmd_bench_averages.c: likewise; input NULL is an error */
struct ph_averages_words {
    const char *schemes, *steps, *reference, *reference_step, *reference_times, *time, *samples, *budgets, *seed,
        *thermostat;
};
enum ph_status ph_cli_bench_averages(const struct ph_averages_words *words, const char *input, bool json,
                                     struct ph_error *err);

#endif
