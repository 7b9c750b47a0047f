/* SPDX-License-Identifier: MIT */
/* Effect of rounding on the energy of a liquid over very many force evaluations, with and without compensated sums. */
#include "lab/studies/frame/study.h"

#include "dynamics/dynamics.h"
#include "lab/line.h"
#include "lab/problems/problem.h"

#include <math.h>
#include <stdlib.h>

enum { CLAIM_DRIFT, CLAIM_WALK, CLAIMS };

/* ---- Texts about the measurement ---- */

static const char said_drift[] =
    "Over a time of %.0f, %.3g force evaluations, the slope is %.1e per unit of time with compensated sums, where a "
    "random walk without drift gives %.1e. With plain sums, %.3g evaluations: %.1e and %.1e.";
static const char said_walk_hidden[] = "The growth does not show above the truncation error: over a time of %.0f the "
                                       "energy changes by %.1e, and by %.1e with plain sums.";
static const char said_walk[] = "Over a time of %.0f the energy changes by %.1e, and by %.1e with plain sums.";
static const char also_walk[] = "The change grows with the time to the power %.2f (%.2f with plain sums).";
static const char headline[] =
    "In %.2g force evaluations the energy of a liquid drifts by less than %.0e of itself per unit of time";

enum { PLAIN, COMPENSATED, RUNS };
static const char *const run_names[RUNS] = {"plain", "compensated"};
static const char scheme_name[] = "srkn6-11b";

/* The truncation error, which oscillates about 0, is only 2e-13 of the energy at this step. */
static const double step = 0.004;
enum { SAMPLES_PER_MEAN = 8 };

/* Plain sums are there to compare with: their growth shows in a fifth of the time. */
struct lengths {
    size_t evaluations[RUNS];
    long steps_per_sample;
    double melting_time;
};
static const struct lengths full = {{[PLAIN] = 2000000, [COMPENSATED] = 10000000}, 100, 10.0};
static const struct lengths quick = {{[PLAIN] = 16500, [COMPENSATED] = 16500}, 30, 2.0};

static const struct lengths *lengths_of(const struct ph_study_options *options)
{
    return options->quick ? &quick : &full;
}

/* Relative energy errors at equal distances of time */
struct walk {
    size_t n;
    double *error;  /* owned */
    double between; /* time */
    size_t evaluations;
    double drift, drift_deviation; /* per unit of time, and its deviation for a random walk without drift */
    double exponent;               /* of the growth; NaN if it is hidden by the truncation error */
};

/* ---- Runs ---- */

static double total_energy(const struct ph_system *system, const struct ph_energy *energy)
{
    return ph_energy_total(energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
}

struct course {
    struct ph_dynamics *dynamics;
    struct ph_force_field *field;
};

static void course_clear(struct course *course)
{
    ph_dynamics_destroy(course->dynamics);
    ph_force_field_destroy(course->field);
}

static enum ph_status course_init(const struct ph_posed *posed, bool compensated, struct course *course,
                                  struct ph_error *err)
{
    *course = (struct course){.dynamics = NULL};
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme_name), .flow = ph_flow_find("exact"), .step = step, .compensated = compensated};
    enum ph_status status = ph_force_field_create(posed->system, &posed->interactions, &course->field, err);
    if (status == PH_OK)
        status = ph_dynamics_create(posed->system, course->field, &options, &course->dynamics, err);
    return status;
}

/* Of all runs, this one is the part from `begin` to `end`, between 0 and 1. */
static enum ph_status follow(struct ph_posed *posed, bool compensated, const struct ph_study_result *result,
                             double begin, double end, struct walk *walk, struct ph_error *err)
{
    struct course course;
    enum ph_status status = course_init(posed, compensated, &course, err);
    double first = 0.0;
    for (size_t k = 0; k < walk->n && status == PH_OK; ++k) {
        struct ph_energy energy;
        status =
            k > 0 ? ph_dynamics_advance(course.dynamics, lengths_of(&result->options)->steps_per_sample, err) : PH_OK;
        if (status == PH_OK)
            status = ph_dynamics_synchronise(course.dynamics, &energy, err);
        if (status != PH_OK)
            break;
        const double now = total_energy(posed->system, &energy);
        first = k == 0 ? now : first;
        walk->error[k] = (now - first) / fabs(first);
        if (k % 64 == 0)
            ph_study_tell(result, begin + (end - begin) * (double)k / (double)walk->n);
    }
    if (status == PH_OK)
        walk->evaluations = ph_state_counts(ph_dynamics_state(course.dynamics)).evaluations;
    course_clear(&course);
    return status;
}

/* ---- Growth ---- */

/* Root mean square of the change over a lag, between means of a few samples, which smooth the truncation error out */
static double change(const struct walk *walk, size_t lag)
{
    double sum = 0.0;
    size_t n = 0;
    for (size_t k = 0; k + lag + SAMPLES_PER_MEAN <= walk->n; ++k, ++n) {
        double difference = 0.0;
        for (size_t s = 0; s < SAMPLES_PER_MEAN; ++s)
            difference += (walk->error[k + lag + s] - walk->error[k + s]) / SAMPLES_PER_MEAN;
        sum += difference * difference;
    }
    return sqrt(sum / (double)n);
}

/* Slope of log(change) over log(lag), of lags from 1/128 to 1/8 of the whole. The square of the change at the shortest
 * lag, which is truncation, is subtracted from all squares. */
static double growth_exponent(const struct walk *walk)
{
    const double still = change(walk, SAMPLES_PER_MEAN);
    struct ph_line_sums line = {.n = 0.0};
    for (size_t lag = walk->n / 128; lag <= walk->n / 8 && lag > 0; lag *= 2) {
        const double moved = change(walk, lag), square = moved * moved - still * still;
        if (!(square > 0.0))
            return NAN;
        ph_line_sums_add(&line, log((double)lag), 0.5 * log(square));
    }
    return ph_line_sums_slope(&line);
}

/* The slope of a straight line, and how much a random walk of the same size, without drift, makes of it:
 * sqrt(6/5 variance per time / time) */
static void fit_drift(struct walk *walk)
{
    struct ph_line_sums line = {.n = 0.0};
    for (size_t k = 0; k < walk->n; ++k)
        ph_line_sums_add(&line, (double)k * walk->between, walk->error[k]);
    walk->drift = ph_line_sums_slope(&line);
    const size_t lag = walk->n / 16;
    const double far = change(walk, lag), near = change(walk, SAMPLES_PER_MEAN);
    const double per_time = fmax(far * far - near * near, 0.0) / ((double)lag * walk->between);
    walk->drift_deviation = sqrt(1.2 * per_time / ((double)walk->n * walk->between));
}

/* ---- Tables and verdicts ---- */

static const struct ph_table_column energy_columns[] = {
    {"sums", "compensated or plain", true}, {"time", "", false}, {"error", "relative energy error", false}};
static const struct ph_table_column growth_columns[] = {
    {"sums", "compensated or plain", true},
    {"lag", "time between", false},
    {"change", "root mean square change of the relative energy error, means of eight samples", false}};

static enum ph_status fill_tables(const struct walk walk[RUNS], struct ph_study_result *result, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t run = 0; run < RUNS; ++run) {
        const size_t every = walk[run].n > 4000 ? walk[run].n / 4000 : 1;
        for (size_t k = 0; k < walk[run].n && status == PH_OK; k += every)
            status = ph_table_append(&result->table[0], (const char *const[]){run_names[run]},
                                     (const double[]){(double)k * walk[run].between, walk[run].error[k]}, err);
        for (size_t lag = SAMPLES_PER_MEAN; lag <= walk[run].n / 4 && status == PH_OK; lag *= 2)
            status = ph_table_append(&result->table[1], (const char *const[]){run_names[run]},
                                     (const double[]){(double)lag * walk[run].between, change(&walk[run], lag)}, err);
    }
    return status;
}

static void judge(const struct walk walk[RUNS], struct ph_study_result *result)
{
    static const double allowed = 1e-13;
    const struct walk *c = &walk[COMPENSATED], *p = &walk[PLAIN];
    const bool below = fabs(c->drift) + 2.0 * c->drift_deviation < allowed;
    ph_study_judge(result, CLAIM_DRIFT, ph_finding(below, false), said_drift, (double)(c->n - 1) * c->between,
                   (double)c->evaluations, c->drift, c->drift_deviation, (double)p->evaluations, p->drift,
                   p->drift_deviation);
    const bool walks = fabs(c->exponent - 0.5) < 0.2;
    ph_study_judge(result, CLAIM_WALK, ph_finding(walks, isnan(c->exponent)),
                   isnan(c->exponent) ? said_walk_hidden : said_walk, (double)(p->n / 8) * p->between,
                   change(c, p->n / 8), change(p, p->n / 8));
    if (!isnan(c->exponent))
        ph_study_add(result, CLAIM_WALK, also_walk, c->exponent, p->exponent);
    ph_study_headline(result, headline, (double)c->evaluations, fabs(c->drift) + 2.0 * c->drift_deviation);
}

static enum ph_status run_all(const struct ph_study_options *options, const struct ph_study_result *result,
                              struct walk walk[RUNS], struct ph_error *err)
{
    enum ph_status status = PH_OK;
    const double plain = (double)walk[PLAIN].n / (double)(walk[PLAIN].n + walk[COMPENSATED].n);
    for (size_t run = 0; run < RUNS && status == PH_OK; ++run) {
        struct ph_posed posed;
        struct course course = {.dynamics = NULL};
        status = ph_problem_pose(&ph_problem_dipolar_liquid, 0, NULL, options->seed, 0, &posed, err);
        if (status == PH_OK)
            status = course_init(&posed, true, &course, err);
        if (status == PH_OK) /* the lattice melts */
            status = ph_dynamics_advance(course.dynamics, lround(lengths_of(options)->melting_time / step), err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(course.dynamics, NULL, err);
        course_clear(&course);
        if (status == PH_OK)
            status = follow(&posed, run == COMPENSATED, result, run == PLAIN ? 0.0 : plain, run == PLAIN ? plain : 1.0,
                            &walk[run], err);
        ph_posed_clear(&posed);
        if (status != PH_OK)
            break;
        fit_drift(&walk[run]);
        walk[run].exponent = growth_exponent(&walk[run]);
    }
    return status;
}

static enum ph_status run(const struct ph_study_options *options, struct ph_study_result *result, struct ph_error *err)
{
    const struct lengths *lengths = lengths_of(options);
    struct walk walk[RUNS] = {{.n = 0}};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < RUNS; ++k) {
        walk[k].n = lengths->evaluations[k] / (11 * (size_t)lengths->steps_per_sample) + 1;
        walk[k].between = (double)lengths->steps_per_sample * step;
        if (!(walk[k].error = calloc(walk[k].n, sizeof(double))))
            status = ph_no_memory(err, "%zu samples", walk[k].n);
    }
    if (status == PH_OK)
        status = run_all(options, result, walk, err);
    if (status == PH_OK) {
        judge(walk, result);
        status = fill_tables(walk, result, err);
    }
    for (size_t k = 0; k < RUNS; ++k)
        free(walk[k].error);
    return status;
}

const struct ph_study ph_study_rounding = {
    .name = "rounding",
    .title = "What rounding does to the energy of a liquid",
    .figure = "Brouwer's law",
    .reference = "D. Brouwer, Astron. J. 46 (1937) 149; E. Hairer, R. I. McLachlan, A. Razakarivony, BIT 48 (2008) 231",
    .setup = "108 dipolar soft spheres in a periodic box at density 0.8 and temperature near 1.35, from a lattice that "
             "melted for a time of 10. Ten million force evaluations of srkn6-11b with the exact free body, at a step "
             "of 0.004, where the truncation error is about 2e-13 of the energy, with compensated sums; two million "
             "with plain ones, to compare.",
    .quick = "16 500 force evaluations of each, after a time of 2.",
    .plot = "rounding",
    .shows = {{"Brouwer's law", "rounding.svg", "left: energy in time; right: growth of its error"}},
    .claim =
        {[CLAIM_DRIFT] = {PH_FINDING_HOLDS,
                          "With compensated sums the energy does not drift: less than 1e-13 of it per unit of time."},
         /* It shows in the full version only, and differs with rounding. */
         [CLAIM_WALK] = {PH_FINDING_NONE, "Its rounding error grows like a random walk, with the square root of time, "
                                          "which is the best there can be."}},
    .tables = {PH_STUDY_TABLE("energy", "relative energy errors", energy_columns),
               PH_STUDY_TABLE("growth", "growth of the error", growth_columns)},
    .run = run,
};
