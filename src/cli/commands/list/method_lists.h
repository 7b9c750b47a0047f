/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_COMMANDS_LIST_METHOD_LISTS_H
#define PH_CLI_COMMANDS_LIST_METHOD_LISTS_H

/* Values of options that are names of methods, separated by commas */

#include "cli/cli.h"

#include "dynamics/schemes/scheme.h"
#include "rigid/flow.h"

enum { PH_CLI_METHODS_MAX = 128 };

/* `text` NULL: none. Unknown names are errors with the nearest known one. */
enum ph_status ph_cli_parse_schemes(const char *option, const char *text,
                                    const struct ph_scheme *schemes[PH_CLI_METHODS_MAX], size_t *n,
                                    struct ph_error *err);
enum ph_status ph_cli_parse_flows(const char *option, const char *text, const struct ph_flow *flows[PH_CLI_METHODS_MAX],
                                  size_t *n, struct ph_error *err);

#endif
