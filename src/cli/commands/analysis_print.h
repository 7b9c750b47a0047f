/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_ANALYSIS_PRINT_H
#define PH_CLI_COMMANDS_ANALYSIS_PRINT_H

/* Results of analyses as text or JSON */

#include "cli/cli.h"

#include "analysis/result.h"

void ph_cli_say_result(struct ph_json *json, const struct ph_provenance *provenance, const struct ph_result *result);

#endif
