/* SPDX-License-Identifier: MIT */
/* Figures 4 and 5 of Krysl: the energy of a body before a soft wall, with long steps. */
#include "lab/studies/frame/study.h"

#include "lab/drift.h"
#include "lab/papers.h"

#include <math.h>

enum { CLAIM_BOUNDED, CLAIM_IRREGULAR, CLAIM_CLEAN, CLAIM_MIDPOINT, CLAIM_SYMPLECTIC, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_bounded[] = "these are the ranges of H/H0; %zu of %d broke down.";
static const char said_irregular[] = "Means of H/H0 over 40 parts of the time wander by %.1e at least with AKW, BBTRAP "
                                     "and SWC1, and by %.1e at most with the paper's methods.";
static const char said_clean[] = "The range of H/H0 is %.3f at most with the paper's methods and %.3f with the others, "
                                 "%.1f times as much; %zu of the four are better than all of the others.";
static const char said_midpoint[] = "Ranges: TRAP %.4f, IMID %.4f; TRAPM %.4f, IMIDM %.4f.";
static const char said_symplectic[] =
    "Clean as they are here, in the problem 'attractor' (h = 0.125) the energy of IMIDM changes by %.2e +- %.0e per "
    "unit of time, and that of TRAPM by %.2e +- %.0e: neither is symplectic nor conjugate to a symplectic method. "
    "'polhode certify imidm' finds the same from the Jacobian of a step.";
static const char headline[] = "Before a soft wall, with a step of 0.5, H/H0 stays within %.3f with the paper's "
                               "methods and within %.3f with those it compares with";

/* The paper's own methods first, then the methods it compares with */
static const char *const methods[] = {"trap", "imid", "trapm", "imidm", "akw", "bbtrap", "swc1"};
enum { TRAP, IMID, TRAPM, IMIDM, OWN, AKW = OWN, BBTRAP, SWC1, METHODS };

static const double step = 0.5, drift_step = 0.125;

static const struct ph_table_column range_columns[] = {
    {"method", "integrator", true},
    {"lowest", "H/H0, least", false},
    {"highest", "largest", false},
    {"range", "largest less least", false},
    {"wander", "of the means over 40 parts of the time: largest less least", false},
    {"slope", "of H/H0 per unit of time", false},
    {"deviation", "standard deviation of the slope", false},
    {"drift", "slope of the energy in the problem 'attractor', h = 0.125, per unit of time", false},
    {"drift_deviation", "its standard deviation", false},
};
struct measured {
    double low, high, wander; /* of H/H0 */
    double slope, deviation;  /* of its drift in the other problem */
    bool broke;
};

static double range(const struct measured *m) { return m->high - m->low; }

static enum ph_status follow(const struct ph_posed *wall, const struct ph_posed *attractor, size_t method, bool quick,
                             struct ph_study_result *result, struct measured *measured, struct ph_error *err)
{
    const struct ph_integrator *integrator = ph_integrator_find(methods[method]);
    struct ph_drift drift, other;
    double potential, kinetic;
    enum ph_status status = ph_posed_energy(wall, &potential, &kinetic, err);
    const double time = quick ? 4000.0 : ph_problem_soft_wall.time;
    struct ph_drift_track track = {.table = &result->table[1],
                                   .method = methods[method],
                                   .step = step,
                                   .scale = potential + kinetic,
                                   .spacing = time / 4000.0,
                                   .err = err};
    const struct ph_drift_test test = {.integrator = integrator,
                                       .step = step,
                                       .time = time,
                                       .samples = 1000000,
                                       .watch = ph_drift_track,
                                       .data = &track};
    const struct ph_drift_test long_test = {
        .integrator = integrator, .step = drift_step, .time = quick ? 2000.0 : 10000.0, .samples = 1000000};
    if (status == PH_OK)
        status = ph_drift_measure(wall, &test, &drift, err);
    if (status == PH_OK)
        status = track.status;
    if (status == PH_OK)
        status = ph_drift_measure(attractor, &long_test, &other, err);
    if (status != PH_OK)
        return status;
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < PH_DRIFT_PARTS; ++i) {
        least = fmin(least, drift.mean[i]);
        most = fmax(most, drift.mean[i]);
    }
    *measured = (struct measured){.low = 1.0 + drift.low / drift.start,
                                  .high = 1.0 + drift.high / drift.start,
                                  .wander = (most - least) / drift.start,
                                  .slope = other.slope,
                                  .deviation = other.deviation,
                                  .broke = drift.broke};
    return ph_table_append(&result->table[0], (const char *const[]){methods[method]},
                           (const double[]){measured->low, measured->high, range(measured), measured->wander,
                                            drift.slope / drift.start, drift.deviation / drift.start, other.slope,
                                            other.deviation},
                           err);
}

static void judge(struct ph_study_result *result, const struct measured m[METHODS])
{
    size_t broken = 0, above = 0;
    double own = 0.0, others = 0.0, own_wander = 0.0, other_wander = INFINITY, least_other = INFINITY;
    for (size_t k = 0; k < METHODS; ++k) {
        broken += m[k].broke;
        ph_study_add(result, CLAIM_BOUNDED, "%s [%.3f, %.3f];", methods[k], m[k].low, m[k].high);
        if (k < OWN) {
            own = fmax(own, range(&m[k]));
            own_wander = fmax(own_wander, m[k].wander);
        } else {
            others = fmax(others, range(&m[k]));
            least_other = fmin(least_other, range(&m[k]));
            other_wander = fmin(other_wander, m[k].wander);
        }
    }
    for (size_t k = 0; k < OWN; ++k)
        above += range(&m[k]) < least_other;
    ph_study_judge(result, CLAIM_BOUNDED, ph_finding(broken == 0, false), said_bounded, broken, METHODS);
    ph_study_judge(result, CLAIM_IRREGULAR, ph_finding(other_wander > 3.0 * own_wander, false), said_irregular,
                   other_wander, own_wander);
    ph_study_judge(result, CLAIM_CLEAN, ph_finding(above == OWN && others > 3.0 * own, above > 0), said_clean, own,
                   others, others / own, above);
    ph_study_judge(result, CLAIM_MIDPOINT,
                   ph_finding(range(&m[TRAP]) > range(&m[IMID]) && range(&m[TRAPM]) > range(&m[IMIDM]), false),
                   said_midpoint, range(&m[TRAP]), range(&m[IMID]), range(&m[TRAPM]), range(&m[IMIDM]));
    const double imidm = fabs(m[IMIDM].slope) / m[IMIDM].deviation, trapm = fabs(m[TRAPM].slope) / m[TRAPM].deviation;
    ph_study_judge(result, CLAIM_SYMPLECTIC, ph_finding(!(imidm > 5.0 && trapm > 5.0), false), said_symplectic,
                   m[IMIDM].slope, m[IMIDM].deviation, m[TRAPM].slope, m[TRAPM].deviation);
    ph_study_headline(result, headline, own, others);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    struct measured measured[METHODS];
    struct ph_posed wall, attractor = {.system = NULL};
    enum ph_status status = ph_problem_pose(&ph_problem_soft_wall, 0, NULL, options->seed, 0, &wall, err);
    if (status == PH_OK)
        status = ph_problem_pose(&ph_problem_attractor, 0, NULL, options->seed, 0, &attractor, err);
    for (size_t k = 0; k < METHODS && status == PH_OK; ++k) {
        status = follow(&wall, &attractor, k, options->quick, result, &measured[k], err);
        ph_study_tell(result, (double)(k + 1) / METHODS);
    }
    ph_posed_clear(&wall);
    ph_posed_clear(&attractor);
    if (status != PH_OK)
        return status;
    judge(result, measured);
    ph_study_note(result, "%s", ph_problem_soft_wall.documentation);
    return PH_OK;
}

const struct ph_study ph_study_soft_wall = {
    .name = "soft-wall",
    .title = "A body in a Coulomb potential with soft wall contact",
    .figure = "Figures 4 and 5",
    .reference = PH_PAPER_KRYSL ", section 5.4",
    .setup = "The problem 'soft-wall' with 40000 steps of 0.5, in which the body turns by up to 38 degrees; and the "
             "test of long-time stability (problem 'attractor') for the same methods.",
    .quick = "8000 steps, and the other test over [0, 2000].",
    .plot = "wall",
    .shows = {{"Figure 4", "soft-wall.svg", "above: AKW, BBTRAP, SWC1"},
              {"Figure 5", "soft-wall.svg", "below: TRAP, IMID, TRAPM, IMIDM, on a fifth of the scale"}},
    .claim = {[CLAIM_BOUNDED] = {PH_FINDING_HOLDS, "None of the solutions blow up."},
              [CLAIM_IRREGULAR] = {PH_FINDING_HOLDS,
                                   "The long-term behaviour (of AKW, BBTRAP and SWC1) displays an irregular pattern; "
                                   "the present algorithms yield very clean and well behaved solutions."},
              [CLAIM_CLEAN] = {PH_FINDING_HOLDS,
                               "In the overall quality of the representation of the Hamiltonian, all of the present "
                               "algorithms are superior to the reference algorithms (the scale of the figure is 1/5)."},
              [CLAIM_MIDPOINT] = {PH_FINDING_HOLDS,
                                  "The trapezoidal rules display somewhat higher error than the midpoint rules."},
              [CLAIM_SYMPLECTIC] = {PH_FINDING_FAILS, "It appears from numerical evidence, and from an incomplete "
                                                      "proof, that the algorithm IMIDM is symplectic."}},
    .tables = {PH_STUDY_TABLE("ranges", "ranges of the energy", range_columns),
               PH_STUDY_TABLE("energy", "energy in time", ph_drift_track_columns)},
    .run = run,
};
