/* SPDX-License-Identifier: MIT */
/* Table 2.1 of Ortolan's thesis: what rigid body integrators preserve, with its question marks answered. */
#include "lab/studies/frame/study.h"

#include "lab/certify/integrator.h"
#include "lab/drift.h"
#include "lab/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLAIM_VARIATIONAL, CLAIM_ENERGY_MOMENTUM, CLAIM_PRK, CLAIM_MCG, CLAIM_NEW3, CLAIM_OPEN_ONES, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_variational[] =
    "A step changes the two-form in a potential by %.0e (rattle) and %.0e (vlv), which is rounding; the energy of a "
    "free body by %.0e and %.0e, and that of vlv drifts by %.0e +- %.0e per unit of time. In a potential the energies "
    "drift by %.0e +- %.0e and %.0e +- %.0e: none of these drifts is one.";
static const char said_energy_momentum[] =
    "Energy and momentum of a free body stay to %.0e and %.0e (swc1), %.0e and %.0e (akw). In a potential, which the "
    "table leaves open: momentum along an axis of symmetry is %s with swc1 and %s with akw (deviation %.0e); the "
    "energy drifts with both, by %.2e and %.2e per unit of time, but akw conserves that of a heavy top, to %.0e.";
static const char said_prk[] =
    "They stay to %.0e and %.0e: for a free body it is the implicit midpoint rule. In a potential, which the table "
    "leaves open: momentum along an axis of symmetry is %s, the energy drifts by %.2e.";
static const char said_mcg[] =
    "It is the other way round: the energy of a free body changes by %.0e, the momentum is conserved to %.0e.";
static const char said_new3[] =
    "To %.0e; so does LIEMID(EA), to %.0e, for which the table has no mark. Energies change by %.0e and %.0e.";
static const char said_open_ones[] =
    "so much does a step change the two-form, without and with a potential, where rounding is 1e-13: %zu of %zu are "
    "not symplectic in either case. Their energies drift: they are not conjugate to symplectic methods either.";
static const char headline[] =
    "Of %zu integrators in a potential %zu are symplectic (RATTLE and VLV of those in the table); %zu drift in energy";
static const char note_not_measured[] =
    "Two rows of the table are not measured, since neither the thesis nor what else was at hand has their formulas. "
    "Algo_1 of Simo and Wong is said to conserve the energy of a free body and nothing else; so does imid. The method "
    "of Lewis and Simo is for a free body alone, of which it is said to conserve everything; so does the discrete "
    "Moser-Veselov step, whose orientation is Lewis and Simo's (Fields Inst. Commun. 10 (1996) 121): that is rattle "
    "without a potential. Whether these are the same methods is not known here.";
static const char note_nearly[] =
    "With a generic potential no method conserves the energy exactly: 'nearly' says that no drift is seen. Free bodies "
    "are too simple to tell methods apart: there hardly any drifts, symplectic or not.";

/* Rows of the table that the program has methods for, then its other methods */
static const struct row {
    const char *method, *name; /* name in the thesis; "" if it is not there */
    bool open;                 /* it asks whether the method is symplectic */
} rows[] = {
    {"eln-cay", "Lie-Newmark", true},
    {"tln-cay", "Lie-Newmark", true},
    {"swc1", "Algo_C1", false},
    {"akw", "Austin et al.", false},
    {"rattle", "RATTLE", false},
    {"vlv", "Variational", false},
    {"liemid-ea", "LIEMID(EA)", true},
    {"prk", "PRK", true},
    {"mcg", "MCG", true},
    {"new3", "NEW3", true},
    {"midpoint", "", false},
    {"eln-exp", "", false},
    {"tln-exp", "", false},
    {"trap", "", false},
    {"imid", "", false},
    {"trapm", "", false},
    {"imidm", "", false},
    {"bbtrap", "", false},
    {"bbtrapwd", "", false},
};
enum { ELN, TLN, SWC1, AKW, RATTLE, VLV, LIEMID, PRK, MCG, NEW3, THESIS, ROWS = sizeof rows / sizeof *rows };

static const struct ph_table_column columns[] = {
    {"method", "integrator", true},
    {"thesis", "its name in the thesis", true},
    {"free_symplectic", "free body: symplectic", true},
    {"free_energy", "free body: energy conserved, nearly conserved, or it drifts", true},
    {"free_momentum", "free body: angular momentum in space conserved", true},
    {"symplectic", "in a potential: symplectic", true},
    {"energy", "in a potential: nearly conserved, or it drifts", true},
    {"momentum", "in a potential with an axis of symmetry: angular momentum along it conserved", true},
    {"order", "in the momentum, problem 'attractor'", false},
    {"drift", "of the energy per unit of time, problem 'attractor', h = 0.125", false},
    {"deviation", "its standard deviation", false},
    {"two_form", "largest change of the symplectic two-form in a step", false},
};

static bool has(const struct ph_card *card, const char *property)
{
    return ph_card_property(card, property)->verdict == PH_VERDICT_YES;
}

static bool lacks(const struct ph_card *card, const char *property)
{
    return ph_card_property(card, property)->verdict == PH_VERDICT_NO;
}

static double off(const struct ph_card *card, const char *property)
{
    return ph_card_property(card, property)->deviation;
}

static const char *word(const struct ph_card *card, const char *property)
{
    return has(card, property) ? "yes" : lacks(card, property) ? "no" : "open";
}

/* Of the energy in the problem 'attractor', h = 0.125 */
static const struct ph_figure *drift_of(const struct ph_card *card)
{
    return ph_card_figure(card, "energy_drift_coarse");
}

/* In the momentum, problem 'attractor' */
static double order_of(const struct ph_card *card)
{
    size_t i = 0;
    while (strcmp(card->orders[i].where, "attractor") != 0 || strcmp(card->orders[i].quantity, "m") != 0)
        ++i;
    return card->orders[i].measured.order;
}

/* Drift of the energy of a free body, the problem 'book' */
struct free_drift {
    double slope, deviation;
};

static bool drifts_free(const struct free_drift *drift) { return fabs(drift->slope) > 5.0 * drift->deviation; }

static enum ph_status measure_free_drift(const char *method, struct free_drift *drift, struct ph_error *err)
{
    struct ph_posed posed;
    struct ph_drift measured;
    const struct ph_drift_test test = {
        .integrator = ph_integrator_find(method), .step = 0.125, .time = 4000.0, .samples = 32000};
    enum ph_status status = ph_problem_pose(&ph_problem_book, 0, NULL, 1, 0, &posed, err);
    if (status == PH_OK)
        status = ph_drift_measure(&posed, &test, &measured, err);
    ph_posed_clear(&posed);
    if (status == PH_OK)
        *drift = (struct free_drift){.slope = measured.slope, .deviation = measured.deviation};
    return status;
}

static const char *free_energy_word(const struct ph_card *card, const struct free_drift *drift)
{
    if (!lacks(card, "free: energy"))
        return word(card, "free: energy");
    return drifts_free(drift) ? "drifts" : "nearly";
}

static const char *energy_word(const struct ph_card *card)
{
    return lacks(card, "no energy drift") ? "drifts" : has(card, "no energy drift") ? "nearly" : "open";
}

static enum ph_status add_row(const struct row *row, const struct ph_card *card, const struct free_drift *drift,
                              struct ph_table *table, struct ph_error *err)
{
    return ph_table_append(table,
                           (const char *const[]){row->method, row->name, word(card, "free: symplectic"),
                                                 free_energy_word(card, drift), word(card, "free: momentum"),
                                                 word(card, "symplectic"), energy_word(card),
                                                 word(card, "momentum on axis")},
                           (const double[]){order_of(card), drift_of(card)->value, drift_of(card)->deviation,
                                            ph_card_property(card, "symplectic")->deviation},
                           err);
}

static void judge_marked(struct ph_study_result *result, const struct ph_card *c, const struct free_drift *free_drifts)
{
    const bool rattle = has(&c[RATTLE], "free: symplectic") && has(&c[RATTLE], "free: energy") &&
                        has(&c[RATTLE], "free: momentum") && has(&c[RATTLE], "symplectic") &&
                        has(&c[RATTLE], "momentum on axis") && has(&c[RATTLE], "no energy drift");
    const bool vlv = has(&c[VLV], "free: symplectic") && !has(&c[VLV], "free: energy") &&
                     has(&c[VLV], "free: momentum") && has(&c[VLV], "symplectic") && has(&c[VLV], "momentum on axis") &&
                     has(&c[VLV], "no energy drift") && !drifts_free(&free_drifts[VLV]);
    ph_study_judge(result, CLAIM_VARIATIONAL, ph_finding(rattle && vlv, false), said_variational,
                   off(&c[RATTLE], "symplectic"), off(&c[VLV], "symplectic"), off(&c[RATTLE], "free: energy"),
                   off(&c[VLV], "free: energy"), free_drifts[VLV].slope, free_drifts[VLV].deviation,
                   drift_of(&c[RATTLE])->value, drift_of(&c[RATTLE])->deviation, drift_of(&c[VLV])->value,
                   drift_of(&c[VLV])->deviation);
    const bool both = has(&c[SWC1], "free: energy") && has(&c[SWC1], "free: momentum") &&
                      has(&c[AKW], "free: energy") && has(&c[AKW], "free: momentum") &&
                      !has(&c[SWC1], "free: symplectic") && !has(&c[AKW], "free: symplectic");
    ph_study_judge(result, CLAIM_ENERGY_MOMENTUM, ph_finding(both, false), said_energy_momentum,
                   off(&c[SWC1], "free: energy"), off(&c[SWC1], "free: momentum"), off(&c[AKW], "free: energy"),
                   off(&c[AKW], "free: momentum"), has(&c[SWC1], "momentum on axis") ? "conserved" : "not conserved",
                   has(&c[AKW], "momentum on axis") ? "conserved" : "not conserved in general",
                   off(&c[AKW], "momentum on axis"), drift_of(&c[SWC1])->value, drift_of(&c[AKW])->value,
                   off(&c[AKW], "energy of a top"));
    ph_study_judge(result, CLAIM_PRK, ph_finding(has(&c[PRK], "free: energy") && has(&c[PRK], "free: momentum"), false),
                   said_prk, off(&c[PRK], "free: energy"), off(&c[PRK], "free: momentum"),
                   has(&c[PRK], "momentum on axis") ? "conserved" : "not conserved", drift_of(&c[PRK])->value);
}

static void judge_others(struct ph_study_result *result, const struct ph_card *c)
{
    ph_study_judge(result, CLAIM_MCG, ph_finding(has(&c[MCG], "free: energy"), false), said_mcg,
                   off(&c[MCG], "free: energy"), off(&c[MCG], "free: momentum"));
    ph_study_judge(result, CLAIM_NEW3,
                   ph_finding(has(&c[NEW3], "free: momentum") && !has(&c[NEW3], "free: energy"), false), said_new3,
                   off(&c[NEW3], "free: momentum"), off(&c[LIEMID], "free: momentum"), off(&c[NEW3], "free: energy"),
                   off(&c[LIEMID], "free: energy"));
    size_t open = 0, not = 0;
    for (size_t r = 0; r < THESIS; ++r) {
        if (!rows[r].open)
            continue;
        ++open;
        not += lacks(&c[r], "free: symplectic") && lacks(&c[r], "symplectic") && lacks(&c[r], "no energy drift");
        ph_study_add(result, CLAIM_OPEN_ONES, "%s %.0e, %.0e;", rows[r].method, off(&c[r], "free: symplectic"),
                     off(&c[r], "symplectic"));
    }
    ph_study_judge(result, CLAIM_OPEN_ONES, ph_finding(false, not != open), said_open_ones, not, open);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    struct ph_card cards[ROWS];
    struct free_drift free_drifts[ROWS];
    size_t symplectic = 0, drifting = 0;
    const size_t n = options->quick ? THESIS : ROWS;
    for (size_t r = 0; r < n; ++r) {
        enum ph_status status = ph_certify_integrator(ph_integrator_find(rows[r].method), &cards[r], err);
        if (status == PH_OK)
            status = measure_free_drift(rows[r].method, &free_drifts[r], err);
        if (status == PH_OK)
            status = add_row(&rows[r], &cards[r], &free_drifts[r], &result->table[0], err);
        if (status != PH_OK)
            return status;
        symplectic += has(&cards[r], "symplectic");
        drifting += lacks(&cards[r], "no energy drift");
        ph_study_tell(result, (double)(r + 1) / (double)n);
    }
    judge_marked(result, cards, free_drifts);
    judge_others(result, cards);
    ph_study_headline(result, headline, n, symplectic, drifting);
    ph_study_note(result, note_not_measured);
    ph_study_note(result, note_nearly);
    return PH_OK;
}

const struct ph_study ph_study_synopsis = {
    .name = "integrator-properties",
    .title = "Rigid body integrators and what they preserve",
    .figure = "Table 2.1",
    .reference = PH_PAPER_ORTOLAN ", section 2.3",
    .setup = "Every method is certified on one body: the two-form by the Jacobian of a step, energy and momentum over "
             "700 steps, and the drift of the energy over [0, 4000] in the problems 'attractor' and 'book'.",
    .quick = "The methods of the table alone.",
    .plot = "synopsis",
    .shows = {{"Table 2.1", "properties.csv",
               "drawn in integrator-properties.svg; the first ten rows are those of the table"}},
    .claim = {[CLAIM_VARIATIONAL] =
                  {PH_FINDING_HOLDS,
                   "RATTLE and variational integrators: symplectic and momentum preserving, without and with a "
                   "potential; energy of a free body exactly (RATTLE) or nearly, in a potential nearly."},
              [CLAIM_ENERGY_MOMENTUM] = {PH_FINDING_HOLDS, "Algo_C1 and Austin et al.: energy and momentum of a free "
                                                           "body are preserved, the symplectic form is not."},
              [CLAIM_PRK] = {PH_FINDING_HOLDS, "PRK: energy and momentum of a free body are preserved."},
              [CLAIM_MCG] = {PH_FINDING_FAILS,
                             "MCG: the energy of a free body is preserved (no mark for its momentum)."},
              [CLAIM_NEW3] = {PH_FINDING_HOLDS, "NEW3: the momentum of a free body is preserved, its energy is not."},
              [CLAIM_OPEN_ONES] = {PH_FINDING_FAILS,
                                   "(Question marks) Lie-Newmark, LIEMID(EA), PRK, MCG and NEW3 might be symplectic, "
                                   "for a free body or with a generic potential."}},
    .tables = {PH_STUDY_TABLE("properties", "what integrators preserve, measured", columns)},
    .run = run,
};
