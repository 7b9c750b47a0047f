/* SPDX-License-Identifier: MIT */
/* Figures 1 to 3 of Krysl: convergence of implicit integrators on a free body and on Lagrange's tops. */
#include "lab/studies/frame/study.h"

#include "lab/papers.h"
#include "lab/problems/course.h"

#include <math.h>

enum { CLAIM_ORDER, CLAIM_IMID, CLAIM_AKW, CLAIM_TRAP, CLAIM_PAIR, CLAIM_FAST, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_order[] = "Between the two shortest steps the orders in momentum and orientation differ from 2 "
                                 "by %.2f at most, over seven methods and three problems.";
static const char said_imid[] = "At the shortest step the least error in the momentum is %.1e (%s; IMID %.1e), in the "
                                "orientation %.1e (%s; IMID %.1e, %.2f times as much).";
static const char said_akw[] = "Its error is %.6f times that of IMID in the momentum (both are the midpoint rule "
                               "there), and %.1f times in the orientation.";
static const char said_trap[] = "Its error in the momentum is %.2f times that of IMID.";
static const char said_pair[] =
    "Their error is %.0f times that of IMID; both are the same method for a free body (they differ by %.0e).";
static const char said_fast[] = "The best of the others errs %.1f times as much in the momentum and %.1f times in the "
                                "orientation (shortest step, t = 20).";
static const char headline[] =
    "All seven are of order two; on the fast top IMIDM errs by %.0e and IMID by %.0e at the same step";
static const char note[] =
    "The paper does not say at which time it looks at the fast top; here at t = 20 as for the slow one. It takes its "
    "own solutions with very short steps for the truth; here end states that were computed with 25 digits are.";

static const char *const methods[] = {"akw", "bbtrap", "swc1", "trap", "imid", "trapm", "imidm"};
enum { AKW, BBTRAP, SWC1, TRAP, IMID, TRAPM, IMIDM, METHODS };

enum { HALVINGS = 5 };

/* Problems with their ends, computed with 25 digits in multiple precision, and the longest step */
static const struct panel {
    const struct ph_problem *problem;
    double longest;
    double m[3], q[4];
} panels[] = {
    {&ph_problem_free_body,
     0.4,
     {0.6615686038527636818, 0.6341307090387867032, 0.4000247708794113935},
     {0.9357751480830911556, -0.3054767877725219505, -0.1396046546315315471, 0.107328210492214955}},
    {&ph_problem_slow_top,
     0.02,
     {0.4207897257865590996, 0.8395598343423358444, 5.0},
     {-0.6579998880653412919, -0.03045684463857357780, 0.04361263795162835264, -0.7511367823050341799}},
    {&ph_problem_fast_top,
     0.004,
     {-0.07100730512651705325, 1.069507148383622624, 50.0},
     {-0.7569930590504878254, -0.04108316297855929250, -0.1533497574221642513, -0.6338434618796861641}},
};
enum { FREE, SLOW, FAST, PANELS };

static const struct ph_table_column columns[] = {
    {"panel", "problem", true},
    {"method", "integrator", true},
    {"step", "of time", false},
    {"error_q", "of the orientation at the end: norm of the difference of the matrices", false},
    {"error_m", "of the momentum in the body: norm of the difference", false},
    {"evaluations", "of forces, per step", false},
};

struct errors {
    double m, q;
};

static enum ph_status measure(const struct panel *panel, const struct ph_posed *posed, size_t method, int halving,
                              struct ph_study_result *result, struct errors *errors, struct ph_error *err)
{
    const double time = panel->problem->time, wanted = ldexp(panel->longest, -halving);
    const long n = lround(time / wanted);
    struct ph_course course;
    enum ph_status status = ph_course_begin(posed, ph_integrator_find(methods[method]), time / (double)n, &course, err);
    if (status == PH_OK)
        status = ph_motion_advance(course.motion, n, err);
    if (status == PH_OK) {
        errors->m = ph_course_momentum_error(&course, panel->m);
        errors->q = ph_course_orientation_error(&course, panel->q);
        const struct ph_motion_counts counts = ph_motion_counts(course.motion);
        status = ph_table_append(
            &result->table[0], (const char *const[]){panel->problem->name, methods[method]},
            (const double[]){time / (double)n, errors->q, errors->m, (double)counts.evaluations / (double)counts.steps},
            err);
    }
    ph_course_clear(&course);
    return status;
}

/* The method with the least error, in orientation or momentum, at the shortest step */
static size_t best(struct errors e[METHODS][HALVINGS], int last, bool orientation)
{
    size_t found = 0;
    for (size_t m = 1; m < METHODS; ++m) {
        const double error = orientation ? e[m][last].q : e[m][last].m;
        const double least = orientation ? e[found][last].q : e[found][last].m;
        found = error < least ? m : found;
    }
    return found;
}

static void judge_order(struct ph_study_result *result, struct errors e[PANELS][METHODS][HALVINGS], int last)
{
    double worst = 0.0;
    size_t right = 0;
    for (size_t p = 0; p < PANELS; ++p)
        for (size_t m = 0; m < METHODS; ++m) {
            const double off = fmax(fabs(log2(e[p][m][last - 1].m / e[p][m][last].m) - 2.0),
                                    fabs(log2(e[p][m][last - 1].q / e[p][m][last].q) - 2.0));
            right += off < 0.2;
            worst = fmax(worst, off);
        }
    ph_study_judge(result, CLAIM_ORDER, ph_finding(right == PANELS * METHODS, true), said_order, worst);
}

static void judge_free(struct ph_study_result *result, struct errors e[METHODS][HALVINGS], int last)
{
    const size_t in_m = best(e, last, false), in_q = best(e, last, true);
    const double tie = e[IMID][last].m / e[in_m][last].m, off = e[IMID][last].q / e[in_q][last].q;
    ph_study_judge(result, CLAIM_IMID, ph_finding(tie < 1.001 && off < 1.001, tie < 1.001), said_imid, e[in_m][last].m,
                   methods[in_m], e[IMID][last].m, e[in_q][last].q, methods[in_q], e[IMID][last].q, off);
    const double akw_m = e[AKW][last].m / e[IMID][last].m, akw_q = e[AKW][last].q / e[IMID][last].q;
    ph_study_judge(result, CLAIM_AKW, ph_finding(fabs(akw_m - 1.0) < 1e-6 && akw_q > 5.0, false), said_akw, akw_m,
                   akw_q);
    const double trap = e[TRAP][last].m / e[IMID][last].m;
    ph_study_judge(result, CLAIM_TRAP, ph_finding(trap > 1.0 && trap < 4.0, false), said_trap, trap);
    const double pair = fmin(e[BBTRAP][last].m, e[SWC1][last].m) / e[IMID][last].m;
    ph_study_judge(result, CLAIM_PAIR, ph_finding(pair > 5.0, false), said_pair, pair,
                   fabs(e[BBTRAP][last].m - e[SWC1][last].m));
}

static void judge_fast(struct ph_study_result *result, struct errors e[METHODS][HALVINGS], int last)
{
    const double pair_m = fmax(e[TRAPM][last].m, e[IMIDM][last].m), pair_q = fmax(e[TRAPM][last].q, e[IMIDM][last].q);
    double other_m = INFINITY, other_q = INFINITY;
    for (size_t m = 0; m < TRAPM; ++m) {
        other_m = fmin(other_m, e[m][last].m);
        other_q = fmin(other_q, e[m][last].q);
    }
    ph_study_judge(result, CLAIM_FAST,
                   ph_finding(other_m > 2.0 * pair_m && other_q > 2.0 * pair_q, other_m > pair_m || other_q > pair_q),
                   said_fast, other_m / pair_m, other_q / pair_q);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    struct errors e[PANELS][METHODS][HALVINGS];
    const int halvings = options->quick ? 3 : HALVINGS;
    enum ph_status status = PH_OK;
    for (size_t p = 0; p < PANELS && status == PH_OK; ++p) {
        struct ph_posed posed;
        status = ph_problem_pose(panels[p].problem, 0, NULL, options->seed, 0, &posed, err);
        for (size_t m = 0; m < METHODS; ++m) {
            for (int k = 0; k < halvings && status == PH_OK; ++k)
                status = measure(&panels[p], &posed, m, k, result, &e[p][m][k], err);
            ph_study_tell(result, (double)(p * METHODS + m + 1) / (PANELS * METHODS));
        }
        ph_posed_clear(&posed);
    }
    if (status != PH_OK)
        return status;
    judge_order(result, e, halvings - 1);
    judge_free(result, e[FREE], halvings - 1);
    judge_fast(result, e[FAST], halvings - 1);
    ph_study_headline(result, headline, e[FAST][IMIDM][halvings - 1].m, e[FAST][IMID][halvings - 1].m);
    ph_study_note(result, note);
    return PH_OK;
}

const struct ph_study ph_study_conjugate = {
    .name = "conjugate-pairs",
    .title = "Convergence of midpoint and trapezoidal rules for rotations",
    .figure = "Figures 1 to 3",
    .reference = PH_PAPER_KRYSL ", sections 5.1 to 5.3",
    .setup = "A free body to t = 100 with steps 0.4, 0.2, ..., 0.025; the slow top to t = 20 with steps 0.02, ..., "
             "0.00125; the fast top to t = 20 with steps 0.004, ..., 0.00025.",
    .quick = "Without the two shortest steps.",
    .plot = "convergence",
    .shows = {{"Figure 1", "conjugate-pairs.svg", "first row, the free body"},
              {"Figure 2", "conjugate-pairs.svg", "second row, the slow top"},
              {"Figure 3", "conjugate-pairs.svg", "third row, the fast top"}},
    .claim =
        {[CLAIM_ORDER] = {PH_FINDING_HOLDS,
                          "Second-order accuracy of all the algorithms (free body, slow and fast top)."},
         [CLAIM_IMID] = {PH_FINDING_PARTLY,
                         "(Free body) The most accurate algorithm both in the body-frame momentum and in the error in "
                         "the orientation matrix is the energy-conserving IMID."},
         [CLAIM_AKW] = {PH_FINDING_HOLDS, "(Free body) AKW matches IMID in the body-frame momenta, but is an order of "
                                          "magnitude less accurate in the orientation matrix."},
         [CLAIM_TRAP] = {PH_FINDING_HOLDS,
                         "(Free body) TRAP is slightly less accurate than IMID in the body-frame momenta."},
         [CLAIM_PAIR] = {PH_FINDING_HOLDS, "(Free body) The energy- and momentum-conserving pair BBTRAP/SWC1 is rather "
                                           "inaccurate in the body-frame momenta."},
         [CLAIM_FAST] =
             {PH_FINDING_HOLDS,
              "(Fast top) The present IMIDM/TRAPM pair are significantly more accurate than the other algorithms."}},
    .tables = {PH_STUDY_TABLE("errors", "errors at the end", columns)},
    .run = run,
};
