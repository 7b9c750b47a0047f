/* SPDX-License-Identifier: MIT */
#ifndef PH_CLI_CMD_CERTIFY_H
#define PH_CLI_CMD_CERTIFY_H

/* Parts of `polhode certify` in files of their own: cards to stdout, one in full or several as a table; or into a
 * JSON document that is open */

#include "cli/cli.h"

#include "lab/certify/integrator.h"
#include "lab/certify/scheme.h"
#include "lab/certify/sphere.h"

/* "no", "yes", "?" and "confirmed", "CONTRADICTED", "open" */
extern const char *const ph_verdict_words[], *const ph_claim_words[];

/* "exact", "2.00", "?" */
const char *ph_cli_order_text(const struct ph_order *order, char text[static 16]);

/* cmd_certify_flow.c */
void ph_cli_flow_card(const struct ph_flow_card *card);
void ph_cli_flow_table(size_t n, const struct ph_flow_card *cards);
void ph_cli_flow_json(struct ph_json *json, size_t n, const struct ph_flow_card *cards);

/* cmd_certify_scheme.c */
void ph_cli_scheme_card(const struct ph_scheme_card *card);
void ph_cli_scheme_table(size_t n, const struct ph_scheme_card *cards);
void ph_cli_scheme_json(struct ph_json *json, size_t n, const struct ph_scheme_card *cards);

/* cmd_certify_integrator.c */
void ph_cli_integrator_card(const struct ph_integrator_card *card);
void ph_cli_integrator_table(size_t n, const struct ph_integrator_card *cards);
void ph_cli_integrator_json(struct ph_json *json, size_t n, const struct ph_integrator_card *cards);

/* cmd_certify_s2.c */
void ph_cli_s2_card(const struct ph_s2_card *card);
void ph_cli_s2_table(size_t n, const struct ph_s2_card *cards);
void ph_cli_s2_json(struct ph_json *json, size_t n, const struct ph_s2_card *cards);

#endif
