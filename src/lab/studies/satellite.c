/* SPDX-License-Identifier: MIT */
/* The satellite of Celledoni et al., Figures 14 and 15: energy error and the path of Q^T e3. */
#include "lab/studies/frame/study.h"

#include "base/rotation.h"
#include "lab/papers.h"

#include <math.h>
#include <stddef.h>

enum { CLAIM_ENERGY, CLAIM_COARSE, CLAIM_FINE, CLAIM_ACCURATE, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said[] = "The error is %.2e in the root mean square, %.2e at most: %.2f and %.2f times %.0e.";
static const char said_energy[] = "H0 = %.12g at the start, %.1e from the paper's.";
static const char said_accurate[] =
    "MR errs by %.1e (h = 0.1) and %.1e (h = 0.05). At the same step its error is %.1e times that of the exact "
    "splitting; but a step of SRKN6-14a needs 14 force evaluations. With steps 14 times shorter, so as many "
    "evaluations, MR errs by %.1e and %.1e, still %.1e times more at h = 0.05.";
static const char headline[] = "SRKN6-14a with the exact free body keeps the satellite's energy to %.1e (h = 0.1) and "
                               "%.1e (h = 0.05), MR errs by %.1e and %.1e";

/* The runs of the study. The last two are Verlet's steps with as many force evaluations as srkn6-14a needs. */
static const struct {
    const char *scheme, *flow;
    double step;
    bool path;
} runs[] = {
    {"verlet", "mr2", 0.1, true},       {"verlet", "mr2", 0.05, true},        {"srkn6-14a", "exact", 0.1, true},
    {"srkn6-14a", "exact", 0.05, true}, {"verlet", "mr2", 0.1 / 14.0, false}, {"verlet", "mr2", 0.05 / 14.0, false},
};
enum { MR_COARSE, MR_FINE, EXACT_COARSE, EXACT_FINE, SAME_COARSE, SAME_FINE, RUNS };

struct watcher {
    struct ph_table *path; /* NULL: not kept */
    size_t run;
    double first, square;
    size_t n;
    enum ph_status status;
    struct ph_error *err;
};

static void watch(double t, const struct ph_system *system, const struct ph_observables *observables, void *data)
{
    struct watcher *w = data;
    if (t == 0.0)
        w->first = observables->total;
    const double error = (observables->total - w->first) / w->first;
    if (t > 0.0) {
        w->square += error * error;
        ++w->n;
    }
    if (!w->path || w->status != PH_OK)
        return;
    static const double e3[3] = {0.0, 0.0, 1.0};
    const double back[4] = {system->q[0][0], -system->q[1][0], -system->q[2][0], -system->q[3][0]};
    double x[3];
    ph_quat_rotate(back, e3, x);
    w->status = ph_table_append(w->path, (const char *const[]){runs[w->run].scheme, runs[w->run].flow},
                                (const double[]){runs[w->run].step, t, x[0], x[1], x[2], error}, w->err);
}

static const struct ph_table_column path_columns[] = {
    {"scheme", "splitting scheme", true},
    {"flow", "flow of the free rigid body", true},
    {"step", "of time", false},
    {"time", "", false},
    {"x", "Q^T e3: the direction of the earth in the body frame", false},
    {"y", "", false},
    {"z", "", false},
    {"error", "relative energy error, with its sign", false},
};
static const struct ph_table_column error_columns[] = {
    {"scheme", "splitting scheme", true},
    {"flow", "flow of the free rigid body", true},
    {"step", "of time", false},
    {"evaluations", "force evaluations", false},
    {"seconds", "processor time", false},
    {"error", "relative energy error, the largest", false},
    {"error_rms", "its root mean square over the steps", false},
    {"error_end", "at the end", false},
};

struct measured {
    double energy, largest, rms;
};

static enum ph_status follow(size_t run, const struct ph_posed *posed, struct ph_study_result *result,
                             struct measured *measured, struct ph_error *err)
{
    struct watcher w = {.path = runs[run].path ? &result->table[1] : NULL, .run = run, .err = err};
    const struct ph_energy_test test = {.scheme = ph_scheme_find(runs[run].scheme),
                                        .flow = ph_flow_find(runs[run].flow),
                                        .step = runs[run].step,
                                        .time = ph_problem_satellite.time,
                                        .samples = runs[run].path ? 1000000 : 4000,
                                        .watch = watch,
                                        .data = &w};
    struct ph_energy_test_result r;
    enum ph_status status = ph_energy_test_run(posed, &test, &r, err);
    if (status == PH_OK)
        status = w.status;
    if (status != PH_OK)
        return status;
    *measured = (struct measured){.energy = r.energy, .largest = r.largest, .rms = sqrt(w.square / (double)w.n)};
    return ph_table_append(&result->table[0], (const char *const[]){runs[run].scheme, runs[run].flow},
                           (const double[]){r.step, (double)r.evaluations, r.seconds, r.largest, measured->rms, r.last},
                           err);
}

/* "Of the order of 10^n" means the error as seen in a plot over time. Its root mean square rounds to that power, and
 * the largest error is not ten times as much. */
static void judge_error(struct ph_study_result *result, size_t claim, const struct measured *m, double published)
{
    const bool typical = fabs(log10(m->rms / published)) < 0.5, bounded = m->largest < 10.0 * published;
    ph_study_judge(result, claim, ph_finding(typical && bounded, typical || bounded), said, m->rms, m->largest,
                   m->rms / published, m->largest / published, published);
}

static void judge(struct ph_study_result *result, const struct measured m[RUNS])
{
    const double published = ph_problem_satellite.energy, off = fabs(m[0].energy / published - 1.0);
    ph_study_judge(result, CLAIM_ENERGY, ph_finding(off < 1e-9, false), said_energy, m[0].energy, off);
    judge_error(result, CLAIM_COARSE, &m[EXACT_COARSE], 1e-7);
    judge_error(result, CLAIM_FINE, &m[EXACT_FINE], 1e-10);
    const double same_step = m[MR_FINE].largest / m[EXACT_FINE].largest;
    const double same_work = m[SAME_FINE].largest / m[EXACT_FINE].largest;
    ph_study_judge(result, CLAIM_ACCURATE, ph_finding(same_work > 1.0 && same_step > 1.0, false), said_accurate,
                   m[MR_COARSE].largest, m[MR_FINE].largest, same_step, m[SAME_COARSE].largest, m[SAME_FINE].largest,
                   same_work);
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    struct measured measured[RUNS];
    struct ph_posed posed;
    enum ph_status status = ph_problem_pose(&ph_problem_satellite, 0, NULL, options->seed, 0, &posed, err);
    for (size_t k = 0; k < RUNS && status == PH_OK; ++k) {
        status = follow(k, &posed, result, &measured[k], err);
        ph_study_tell(result, (double)(k + 1) / RUNS);
    }
    ph_posed_clear(&posed);
    if (status != PH_OK)
        return status;
    judge(result, measured);
    ph_study_headline(result, headline, measured[EXACT_COARSE].largest, measured[EXACT_FINE].largest,
                      measured[MR_COARSE].largest, measured[MR_FINE].largest);
    return PH_OK;
}

const struct ph_study ph_study_satellite = {
    .name = "satellite",
    .title = "A satellite in the gravity gradient of the earth",
    .figure = "Figures 14 and 15",
    .reference = PH_PAPER_CELLEDONI ", section 3.3.2",
    .setup = "The satellite is followed over [0, 400] with MR (Verlet, the free body by mr2) and with SRKN6-14a and "
             "the exact free body, with steps of 0.1 and 0.05; the energy is looked at after every step.",
    .quick = "Nothing is left out: all takes a second or two.",
    .plot = "satellite",
    .shows = {{"Figure 14", "satellite.svg", "MR, grey: paths above, energy errors below"},
              {"Figure 15", "satellite.svg", "SRKN6-14a, orange: paths above, energy errors below"}},
    .claim =
        {[CLAIM_ENERGY] = {PH_FINDING_HOLDS, "The system has an energy H0 = 1.21595664 10^7."},
         [CLAIM_COARSE] = {PH_FINDING_HOLDS,
                           "The relative error on the energy (SRKN6-14a, exact) is of the order of 10^-7 for h = 0.1."},
         [CLAIM_FINE] = {PH_FINDING_HOLDS, "It is of the order of 10^-10 for h = 0.05."},
         [CLAIM_ACCURATE] =
             {PH_FINDING_HOLDS,
              "The splitting method based on the exact approximation of the rigid body is very accurate."}},
    .tables = {PH_STUDY_TABLE("errors", "energy errors", error_columns),
               PH_STUDY_TABLE("path", "path of Q^T e3 and energy error", path_columns)},
    .run = run,
};
