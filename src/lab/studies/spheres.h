/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_SPHERES_H
#define PH_LAB_STUDIES_SPHERES_H

/* Common measurements of the studies on spheres: a long run of every method, watched, and errors at t = 1 for several
 * steps. The methods come from s2.h, and from the engine's schemes where the bodies are linear rotors. */

#include "lab/sphere/s2.h"
#include "lab/studies/frame/study.h"

enum {
    PH_SPHERES_ELN,
    PH_SPHERES_RKMK4,
    PH_SPHERES_RKMKGL4,
    PH_SPHERES_RATTLE,
    PH_SPHERES_OWN, /* how many these are; then schemes of the engine */
    PH_SPHERES_SRKN4 = PH_SPHERES_OWN,
    PH_SPHERES_SRKN6,
    PH_SPHERES_METHODS
};
enum { PH_SPHERES_STEPS = 8 };

struct ph_spheres_plan {
    const char *problem;
    double time, step; /* of the long run */
    long samples;      /* of it */
    size_t body;       /* whose q.w is watched; |q| is watched for the first body, as in the paper */
    int first, last;   /* steps h = 2^-first ... 2^-last for the errors at t = 1 */
    bool engine;       /* the engine's schemes too */
};

/* Over the long run */
struct ph_spheres_run {
    double energy;                            /* at the start */
    double largest;                           /* |E - E0|, the largest */
    double slope;                             /* dE/dt by least squares */
    double residual;                          /* the largest deviation from that line */
    double norm, tangent;                     /* largest | |q| - 1 | of the first body, and |q.w| of the watched one, */
    double speed;                             /* whose largest |w| is this */
    double tangent_slope;                     /* growth of q.w, by least squares */
    double momentum;                          /* largest change of the angular momentum along the axis, */
    double momentum_slope, momentum_residual; /* its slope and residual, as of the energy */
    double seconds; /* processor time of the steps alone, mean of three runs as in the paper (quick: one) */
};

struct ph_spheres {
    struct ph_spheres_run run[PH_SPHERES_METHODS];
    size_t n_methods, n_steps;
    double step[PH_SPHERES_STEPS];
    double error_q[PH_SPHERES_METHODS][PH_SPHERES_STEPS], error_w[PH_SPHERES_METHODS][PH_SPHERES_STEPS];
};

const char *ph_spheres_method_name(size_t method);

/* The order that the finest errors show, of q or w; rounding is left out */
double ph_spheres_order(const struct ph_spheres *spheres, size_t method, bool velocity);

/* Measures, and fills the three tables of a study: summary, series, errors. */
enum ph_status ph_spheres_measure(const struct ph_spheres_plan *plan, struct ph_study_result *result,
                                  struct ph_spheres *spheres, struct ph_error *err);

/* The long run of one method alone, without tables */
enum ph_status ph_spheres_follow(const struct ph_spheres_plan *plan, size_t method, struct ph_spheres_run *run,
                                 struct ph_error *err);

/* The energy, or the angular momentum along the axis, drifts: a straight line changes more over the run than the values
 * deviate from it, three times at least. */
bool ph_spheres_momentum_drifts(const struct ph_spheres_plan *plan, const struct ph_spheres_run *run);
bool ph_spheres_drifts(const struct ph_spheres_plan *plan, const struct ph_spheres_run *run);

/* ---- Claims that the studies share; spheres_judge.c ---- */

/* ELN and RATTLE do not drift in energy, RKMK methods do */
void ph_spheres_judge_energy(struct ph_study_result *result, size_t claim, const struct ph_spheres_plan *plan,
                             const struct ph_spheres *spheres);
/* |q| = 1 to rounding by Lie group methods, and better so than by RATTLE */
void ph_spheres_judge_norm(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres);
/* q.w = 0 by ELN, while RKMK methods lose it */
void ph_spheres_judge_tangent(struct ph_study_result *result, size_t claim, const struct ph_spheres_plan *plan,
                              const struct ph_spheres *spheres);
/* Orders on the tangent bundle; RKMKGL4 more accurate than RKMK4; RATTLE less than all others */
void ph_spheres_judge_orders(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres);
/* Run times in the paper's order, ELN, RKMK4, RKMKGL4, RATTLE: a sentence, and notes on the engine's schemes */
void ph_spheres_add_times(struct ph_study_result *result, size_t claim, const struct ph_spheres *spheres,
                          const double published[PH_SPHERES_OWN]);
void ph_spheres_note(struct ph_study_result *result, const struct ph_spheres_plan *plan,
                     const struct ph_spheres *spheres);

#endif
