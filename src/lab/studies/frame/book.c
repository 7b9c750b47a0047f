/* SPDX-License-Identifier: MIT */
/* Figure 1 of Vilmart: paths of the principal axes of a book that is thrown into the air. */
#include "lab/studies/frame/study.h"

#include "base/numerics/matrix.h"
#include "base/vec3.h"
#include "lab/papers.h"
#include "rigid/flow.h"

#include <math.h>

enum { CLAIM_NONTRIVIAL, CLAIM_CONSERVED, CLAIM_ACCURATE, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_nontrivial[] = "After t = %.2f the momentum in the body is back to %.1e, but the orientation is "
                                      "%.2f away from its start (distance of quaternions).";
static const char said_conserved[] = "The energy stays to %.0e of itself, Q y to %.0e, over %d steps.";
static const char said_accurate[] = "At t = 40 it is %.0e away from the exact solution.";
static const char headline[] =
    "Principal axes of a free book: when the momentum is back where it was, after %.1f, the book is not";

static const double step = 0.01;
enum { N_STEPS = 4000 };

static const struct ph_table_column columns[] = {
    {"time", "", false},
    {"x1", "Q e1, the first axis in space", false},
    {"y1", "", false},
    {"z1", "", false},
    {"x2", "Q e2", false},
    {"y2", "", false},
    {"z2", "", false},
    {"x3", "Q e3", false},
    {"y3", "", false},
    {"z3", "", false},
    {"energy", "H(y)/H(y(0)) - 1", false},
    {"momentum", "|Q y - y(0)|", false},
};

struct body {
    double m[3], q[4];
};

static void advance(const struct ph_flow *flow, const struct ph_top *top, double h, struct body *body)
{
    const struct ph_bodies view = {.n = 1,
                                   .m = {&body->m[0], &body->m[1], &body->m[2]},
                                   .q = {&body->q[0], &body->q[1], &body->q[2], &body->q[3]}};
    ph_flow_advance(flow, top, h, view);
}

static double energy(const struct ph_top *top, const double m[3])
{
    return 0.5 * (m[0] * m[0] / top->inertia[0] + m[1] * m[1] / top->inertia[1] + m[2] * m[2] / top->inertia[2]);
}

/* Motion of the axes: how far Q and y are from their start when y comes back to it, at its best */
struct seen {
    double energy, momentum; /* largest errors */
    double y_back, q_back;   /* distance of y from its start after a period, and of Q then */
    double period;
    double off; /* from the exact solution at the end, in m and q */
};

static double distance(size_t n, const double *a, const double *b)
{
    double minus = 0.0, plus = 0.0;
    for (size_t k = 0; k < n; ++k) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return n == 4 ? sqrt(fmin(minus, plus)) : sqrt(minus);
}

static enum ph_status note(const struct ph_top *top, double t, const struct body *start, const struct body *now,
                           struct ph_table *table, struct seen *seen, struct ph_error *err)
{
    double rotation[3][3], space[3];
    ph_quat_to_matrix(now->q, rotation);
    for (int i = 0; i < 3; ++i)
        space[i] = ph_vec3_dot(rotation[i], now->m);
    const double e = energy(top, now->m) / energy(top, start->m) - 1.0, p = distance(3, space, start->m);
    seen->energy = fmax(seen->energy, fabs(e));
    seen->momentum = fmax(seen->momentum, p);
    const double back = distance(3, now->m, start->m);
    if (t > 1.0 && back < seen->y_back) {
        seen->y_back = back;
        seen->q_back = distance(4, now->q, start->q);
        seen->period = t;
    }
    double numbers[12] = {t};
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 3; ++k)
            numbers[1 + 3 * axis + k] = rotation[k][axis];
    numbers[10] = e;
    numbers[11] = p;
    return ph_table_append(table, NULL, numbers, err);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    (void)options;
    const struct ph_flow *flow = ph_flow_find("dmv10");
    struct ph_posed posed;
    struct ph_top top;
    enum ph_status status = ph_problem_pose(&ph_problem_book, 0, NULL, 1, 0, &posed, err);
    struct body start = {.q = {1.0, 0.0, 0.0, 0.0}};
    for (int k = 0; k < 3 && status == PH_OK; ++k)
        start.m[k] = posed.system->m[k][0];
    if (status == PH_OK)
        status = ph_top_init(posed.system->species[0].inertia, &top, err);
    ph_posed_clear(&posed);
    if (status != PH_OK)
        return status;
    struct body body = start, exact = start;
    struct seen seen = {.y_back = INFINITY};
    for (int n = 0; n <= N_STEPS && status == PH_OK; ++n) {
        status = note(&top, n * step, &start, &body, &result->table[0], &seen, err);
        if (n < N_STEPS)
            advance(flow, &top, step, &body);
    }
    advance(ph_flow_find("exact"), &top, N_STEPS * step, &exact);
    seen.off = fmax(distance(3, body.m, exact.m), distance(4, body.q, exact.q));
    ph_study_judge(result, CLAIM_NONTRIVIAL, ph_finding(seen.y_back < 0.02 && seen.q_back > 0.1, false),
                   said_nontrivial, seen.period, seen.y_back, seen.q_back);
    ph_study_judge(result, CLAIM_CONSERVED, ph_finding(seen.energy < 1e-13 && seen.momentum < 1e-13, false),
                   said_conserved, seen.energy, seen.momentum, N_STEPS);
    ph_study_judge(result, CLAIM_ACCURATE, ph_finding(seen.off < 1e-12, false), said_accurate, seen.off);
    ph_study_headline(result, headline, seen.period);
    return status;
}

const struct ph_study ph_study_book = {
    .name = "book",
    .title = "Principal axes of a free rigid body in space",
    .figure = "Figure 1 (right)",
    .reference = PH_PAPER_VILMART,
    .setup = "The problem 'book': I = (0.376, 0.627, 1), y(0) = (0, 0.6, -0.8), Q(0) = 1, with the preprocessed "
             "discrete Moser-Veselov algorithm of order 10, h = 0.01, 0 <= t <= 40.",
    .quick = "Nothing is left out.",
    .plot = "axes",
    .shows = {{"Figure 1 (right)", "book.svg", ""}},
    .claim =
        {[CLAIM_NONTRIVIAL] = {PH_FINDING_HOLDS,
                               "Even in the absence of an external potential, the solution for Q(t) is non trivial "
                               "(even though the solution y(t) of the Euler equations alone is periodic)."},
         [CLAIM_CONSERVED] = {PH_FINDING_HOLDS, "The algorithm exactly conserves Q y, C(y) and H(y)."},
         [CLAIM_ACCURATE] =
             {PH_FINDING_HOLDS,
              "The accuracy can be improved up to an arbitrarily high order of convergence (order 10 in the figure)."}},
    .tables = {PH_STUDY_TABLE("axes", "principal axes in space", columns)},
    .run = run,
};
