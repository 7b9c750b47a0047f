/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_ANALYSIS_PRINT_H
#define PH_CLI_ANALYSIS_PRINT_H

/* Results of analyses on the screen, and the list of analyses */

#include "cli/cli.h"

#include "analysis/result.h"

void ph_cli_print_result(const struct ph_provenance *provenance, const struct ph_result *result);
void ph_cli_write_result(const struct ph_provenance *provenance, const struct ph_result *result); /* JSON */

#endif
