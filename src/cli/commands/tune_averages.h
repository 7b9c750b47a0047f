/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_TUNE_AVERAGES_H
#define PH_CLI_COMMANDS_TUNE_AVERAGES_H

/* polhode tune --for averages: the cheapest scheme and step whose bias is shown to be within a tolerance. */

#include "cli/cli.h"

/* Words as typed; time and schemes NULL if they were not */
struct ph_tune_averages_words {
    const char *input, *tolerance, *time, *schemes;
    bool json, quiet;
};
enum ph_status ph_cli_tune_averages(const struct ph_tune_averages_words *words, struct ph_error *err);

#endif
