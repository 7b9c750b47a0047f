/* SPDX-License-Identifier: MIT */
/* Geometric properties of free-body integrators: Table 2 of Hairer and Vilmart and Table 2 of Vilmart, every entry
 * measured. */
#include "lab/studies/frame/study.h"

#include "base/plain.h"
#include "lab/certify/flow.h"
#include "lab/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_DMV2R, CLAIM_DMV, CLAIM_IMR, CLAIM_JEM, CLAIM_SR, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said[] = "%d of %d flows have all properties of the row: %s.";
static const char headline[] =
    "Orders, invariants, Poisson and symplectic maps of %d free-body methods, each entry of the table measured";
static const char note[] = "What a deviation means, and what rounding could make of zero: `polhode certify NAME`.";

/* One row of the table: which of Qy, C, H, Poisson, symplectic it has */
enum { PROPERTIES = 5, FAMILY = 6 };
static const struct row {
    const char *flows[FAMILY]; /* NULL from the end on; only flows that the program has are measured */
    bool exact_momentum;
    bool has[PROPERTIES];
} rows[CLAIMS] = {
    [CLAIM_DMV2R] = {{"dmv4", "dmv6", "dmv8", "dmv10", "dmv12", "dmv14"}, false, {true, true, true, true, false}},
    [CLAIM_DMV] = {{"dmv2"}, false, {true, true, true, true, true}},
    [CLAIM_IMR] = {{"imr2", "imr4", "imr6"}, false, {true, true, true, false, false}},
    [CLAIM_JEM] = {{"jem2", "jem4"}, true, {false, true, true, true, false}},
    [CLAIM_SR] = {{"sr2", "sr4", "sr6"}, false, {true, true, false, true, true}},
};
static const char *const property_names[PROPERTIES] = {"Qy", "C", "H", "Poisson", "symplectic"};

/* The same on cards */
static const char *const card_names[PROPERTIES] = {"space momentum", "norm", "energy", "Poisson", "symplectic"};

static const char *word(enum ph_property_verdict verdict)
{
    return verdict == PH_VERDICT_YES ? "yes" : verdict == PH_VERDICT_NO ? "no" : "open";
}

/* The order in m or q on the first body that resolves it; 0: exact */
static double order_of(const struct ph_card *card, const char *quantity)
{
    for (size_t i = 0; i < card->n_orders; ++i) {
        const struct ph_card_order *order = &card->orders[i];
        if (strcmp(order->quantity, quantity) == 0 && order->weight == PH_ORDER_ENOUGH && order->measured.resolved)
            return order->measured.exact ? 0.0 : order->measured.order;
    }
    return NAN;
}

static const struct ph_table_column columns[] = {
    {"flow", "flow of the free rigid body", true},
    {"order_m", "order of accuracy in the angular momentum; 0: exact", false},
    {"order_q", "in the orientation", false},
    {"Qy", "angular momentum in space is conserved", true},
    {"C", "norm of the angular momentum", true},
    {"H", "energy", true},
    {"Poisson", "the map of the angular momentum is Poisson", true},
    {"symplectic", "the map of both is symplectic", true},
    {"Qy_off", "largest deviation", false},
    {"H_off", "", false},
    {"Poisson_off", "", false},
    {"symplectic_off", "", false},
};

static enum ph_status add_row(const struct ph_card *card, struct ph_table *table, struct ph_error *err)
{
    const struct ph_property *p[PROPERTIES];
    for (int k = 0; k < PROPERTIES; ++k)
        p[k] = ph_card_property(card, card_names[k]);
    return ph_table_append(table,
                           (const char *const[]){card->name, word(p[0]->verdict), word(p[1]->verdict),
                                                 word(p[2]->verdict), word(p[3]->verdict), word(p[4]->verdict)},
                           (const double[]){order_of(card, "m"), order_of(card, "q"), p[0]->deviation, p[2]->deviation,
                                            p[3]->deviation, p[4]->deviation},
                           err);
}

/* True if a card has the properties and orders of the row. Adds each difference to the text. */
static bool agrees(struct ph_study_result *result, const struct row *row, size_t claim, const struct ph_card *card)
{
    bool all = true;
    for (int k = 0; k < PROPERTIES; ++k) {
        const struct ph_property *p = ph_card_property(card, card_names[k]);
        if (p->verdict == (row->has[k] ? PH_VERDICT_YES : PH_VERDICT_NO))
            continue;
        ph_study_add(result, claim, "%s: %s is %s (deviation %.1e).", card->name, property_names[k], word(p->verdict),
                     p->deviation);
        all = false;
    }
    const double m = order_of(card, "m"), q = order_of(card, "q");
    const bool right_m = row->exact_momentum ? m == 0.0 : fabs(m - card->order) < 0.2;
    if (!right_m || !(fabs(q - card->order) < 0.2)) {
        ph_study_add(result, claim, "%s: order %.2f in y, %.2f in Q.", card->name, m, q);
        all = false;
    }
    return all;
}

static enum ph_status measure_row(const struct row *row, size_t claim, struct ph_study_result *result, int *checked,
                                  struct ph_error *err)
{
    int found = 0, good = 0;
    char seen[256] = "";
    for (int k = 0; k < FAMILY && row->flows[k]; ++k) {
        const struct ph_flow *flow = ph_flow_find(row->flows[k]);
        struct ph_card card;
        if (!flow)
            continue;
        enum ph_status status = ph_certify_flow(flow, &card, err);
        if (status == PH_OK)
            status = add_row(&card, &result->table[0], err);
        if (status != PH_OK)
            return status;
        ++found;
        good += agrees(result, row, claim, &card);
        const size_t used = strlen(seen);
        const double in_y = order_of(&card, "m"), in_q = order_of(&card, "q");
        if (in_y > 0.0)
            ph_snprintf(seen + used, sizeof seen - used, "%s%s (order %.2f, %.2f)", used > 0 ? ", " : "", flow->name,
                        in_y, in_q);
        else if (in_q > 0.0)
            ph_snprintf(seen + used, sizeof seen - used, "%s%s (y exact, order %.2f in Q)", used > 0 ? ", " : "",
                        flow->name, in_q);
        else
            snprintf(seen + used, sizeof seen - used, "%s%s (no error beyond rounding)", used > 0 ? ", " : "",
                     flow->name);
    }
    *checked += found;
    ph_study_judge(result, claim, ph_finding(found > 0 && good == found, good > 0), said, good, found,
                   found > 0 ? seen : "there is none");
    return PH_OK;
}

static enum ph_status measure_rows(size_t n, const struct row *all, struct ph_study_result *result,
                                   struct ph_error *err)
{
    int checked = 0;
    for (size_t claim = 0; claim < n; ++claim) {
        ph_study_tell(result, (double)claim / (double)n);
        const enum ph_status status = measure_row(&all[claim], claim, result, &checked, err);
        if (status != PH_OK)
            return status;
    }
    ph_study_headline(result, headline, checked);
    ph_study_note(result, note);
    return PH_OK;
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    (void)options;
    return measure_rows(CLAIMS, rows, result, err);
}

const struct ph_study ph_study_properties = {
    .name = "free-body-properties",
    .title = "Geometric properties of free-body integrators",
    .figure = "Table 2",
    .reference = PH_PAPER_HAIRER ", section 3",
    .setup = "Orders in the angular momentum y and the orientation Q, conservation of the angular momentum in space "
             "Qy, of its norm C and of the energy H, and whether the maps of y and of both are Poisson and symplectic, "
             "by the certification of flows.",
    .quick = "Nothing is left out: all takes seconds.",
    .plot = "properties",
    .shows = {{"Table 2", "properties.csv", "the marks and what was measured; drawn in free-body-properties.svg"}},
    .claim =
        {[CLAIM_DMV2R] = {PH_FINDING_HOLDS,
                          "DMV2r: order 2r in y and Q; Qy, C(y) and H(y) are preserved; Poisson, not symplectic."},
         [CLAIM_DMV] = {PH_FINDING_HOLDS,
                        "DMV: order 2 in y and Q; Qy, C(y) and H(y) are preserved; Poisson and symplectic."},
         [CLAIM_IMR] = {PH_FINDING_HOLDS,
                        "IMR2r: order 2r in y and Q; Qy, C(y) and H(y) are preserved; neither Poisson nor symplectic."},
         [CLAIM_JEM] =
             {PH_FINDING_HOLDS,
              "JEM2r: y exact, order 2r in Q; C(y) and H(y) are preserved, Qy is not; Poisson, not symplectic."},
         [CLAIM_SR] = {PH_FINDING_HOLDS,
                       "SR2r: order 2r in y and Q; Qy and C(y) are preserved, H(y) is not; Poisson and symplectic."}},
    .tables = {PH_STUDY_TABLE("properties", "geometric properties, measured", columns)},
    .run = run,
};

/* ---- The same by Vilmart ---- */

enum { ROW_JACOBI, ROW_SR, ROW_DMV, ROW_IMR, ROW_PREPROCESSED, ROWS };

static const struct row vilmart_rows[ROWS] = {
    [ROW_JACOBI] = {{"exact"}, false, {true, true, true, true, true}},
    [ROW_SR] = {{"sr2"}, false, {true, true, false, true, true}},
    [ROW_DMV] = {{"dmv2"}, false, {true, true, true, true, true}},
    [ROW_IMR] = {{"imr2"}, false, {true, true, true, false, false}},
    [ROW_PREPROCESSED] = {{"dmv4", "dmv6", "dmv8", "dmv10"}, false, {true, true, true, true, false}},
};

static enum ph_status run_vilmart(const struct ph_study_options *options, struct ph_study_result *result,
                                  struct ph_error *err)
{
    (void)options;
    return measure_rows(ROWS, vilmart_rows, result, err);
}

const struct ph_study ph_study_vilmart_properties = {
    .name = "vilmart-properties",
    .title = "Geometric properties of free rigid body integrators",
    .figure = "Table 2",
    .reference = PH_PAPER_VILMART,
    .setup = "As free-body-properties, for the methods of the encyclopedia entry.",
    .quick = "Nothing is left out: all takes seconds.",
    .plot = "properties",
    .shows = {{"Table 2", "properties.csv", "the marks and what was measured; drawn in vilmart-properties.svg"}},
    .claim =
        {[ROW_JACOBI] = {PH_FINDING_HOLDS,
                         "Jacobi's analytic solution: exact; Qy, C(y) and H(y) preserved; Poisson, symplectic."},
         [ROW_SR] = {PH_FINDING_HOLDS,
                     "Symmetric+Rotation splitting: order 2; Qy and C(y) preserved, H(y) not; Poisson, symplectic."},
         [ROW_DMV] = {PH_FINDING_HOLDS,
                      "RATTLE/DMV algorithm: order 2; Qy, C(y) and H(y) preserved; Poisson, symplectic."},
         [ROW_IMR] = {PH_FINDING_HOLDS,
                      "Implicit midpoint rule: order 2; Qy, C(y) and H(y) preserved; neither Poisson nor symplectic."},
         [ROW_PREPROCESSED] =
             {PH_FINDING_HOLDS,
              "Preprocessed DMV algorithm: order 2p; Qy, C(y) and H(y) preserved; Poisson, not symplectic."}},
    .tables = {PH_STUDY_TABLE("properties", "geometric properties, measured", columns)},
    .run = run_vilmart,
};
