/* SPDX-License-Identifier: MIT */
#include "lab/studies/spheres.h"

#include "base/vec3.h"
#include "dynamics/dynamics.h"
#include "lab/bench/flows.h"
#include "lab/line.h"
#include "lab/stopwatch.h"

#include <math.h>
#include <string.h>

static const char *const names[PH_SPHERES_METHODS] = {
    [PH_SPHERES_ELN] = "eln-s2",       [PH_SPHERES_RKMK4] = "rkmk4",    [PH_SPHERES_RKMKGL4] = "rkmkgl4",
    [PH_SPHERES_RATTLE] = "rattle-s2", [PH_SPHERES_SRKN4] = "srkn4-6b", [PH_SPHERES_SRKN6] = "srkn6-14a",
};

const char *ph_spheres_method_name(size_t method) { return names[method]; }

/* ---- One run ---- */

/* A problem, and the method that moves it */
struct mover {
    struct ph_s2 *s2;             /* owned, as the next */
    struct ph_dynamics *dynamics; /* NULL: the method below */
    const struct ph_s2_method *method;
    double step;
};

static enum ph_status begin(const char *problem, size_t method, double step, struct mover *mover, struct ph_error *err)
{
    *mover = (struct mover){.method = ph_s2_method_find(names[method]), .step = step};
    enum ph_status status = ph_s2_create(ph_s2_problem_find(problem), &mover->s2, err);
    if (status != PH_OK || method < PH_SPHERES_OWN)
        return status;
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(names[method]), .flow = ph_flow_find("exact"), .step = step, .pinned = true};
    return ph_dynamics_create(mover->s2->posed.system, mover->s2->field, &options, &mover->dynamics, err);
}

static void end(struct mover *mover)
{
    ph_dynamics_destroy(mover->dynamics);
    ph_s2_destroy(mover->s2);
}

/* Does n steps; q and w are then the end state. */
static enum ph_status move(struct mover *mover, long n, struct ph_error *err)
{
    struct ph_s2 *s2 = mover->s2;
    if (!mover->dynamics)
        return ph_s2_advance(mover->method, mover->step, n, s2, err);
    enum ph_status status = ph_dynamics_advance(mover->dynamics, n, err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(mover->dynamics, NULL, err);
    ph_s2_take(s2->posed.system, s2->q, s2->w);
    return status;
}

/* Computing the energy resets the orientations of the rotors, with another rotation about their own axes: the engine's
 * momenta in the body frame must be rotated with them. */
static enum ph_status look(struct mover *mover, double *energy, struct ph_error *err)
{
    struct ph_s2 *s2 = mover->s2;
    const enum ph_status status = ph_s2_energy(s2, energy, err);
    if (mover->dynamics) {
        ph_s2_put(s2->n, (const double(*)[3])s2->q, (const double(*)[3])s2->w, s2->posed.system);
        ph_dynamics_reset(mover->dynamics);
    }
    return status;
}

/* ---- The long run ---- */

/* Columns of the series */
enum { METHOD, TIME, ENERGY, NORM, TANGENT, MOMENTUM };

static enum ph_status sample(struct mover *mover, const struct ph_spheres_plan *plan, size_t method, double t,
                             const double start[2], struct ph_table *series, struct ph_spheres_run *run,
                             struct ph_error *err)
{
    const struct ph_s2 *s2 = mover->s2;
    double energy, momentum[3];
    const enum ph_status status = look(mover, &energy, err);
    if (status != PH_OK)
        return status;
    ph_s2_momentum(s2, momentum);
    const double norm = ph_vec3_norm(s2->q[0]) - 1.0;
    const double tangent = ph_vec3_dot(s2->q[plan->body], s2->w[plan->body]);
    const double turned = ph_vec3_dot(s2->problem->axis, momentum) - start[1];
    run->largest = fmax(run->largest, fabs(energy - start[0]));
    run->norm = fmax(run->norm, fabs(norm));
    run->tangent = fmax(run->tangent, fabs(tangent));
    run->speed = fmax(run->speed, ph_vec3_norm(s2->w[plan->body]));
    run->momentum = fmax(run->momentum, fabs(turned));
    return ph_table_append(series, (const char *const[]){names[method]},
                           (const double[]){t, energy - start[0], norm, tangent, turned}, err);
}

/* Slope, and the largest residual, of a column of the rows of this run */
static void fit(const struct ph_table *series, size_t column, size_t first, double *slope, double *residual)
{
    struct ph_line_sums line = {.n = 0.0};
    const double *t = series->number[TIME], *y = series->number[column];
    for (size_t i = first; i < series->n_rows; ++i)
        ph_line_sums_add(&line, t[i], y[i]);
    *slope = ph_line_sums_slope(&line);
    *residual = 0.0;
    const double offset = (line.y - *slope * line.x) / line.n;
    for (size_t i = first; i < series->n_rows; ++i)
        *residual = fmax(*residual, fabs(y[i] - offset - *slope * t[i]));
}

static enum ph_status run_long(const struct ph_spheres_plan *plan, size_t method, struct ph_table *series,
                               struct ph_spheres_run *run, struct ph_error *err)
{
    const long steps = lround(plan->time / plan->step), every = steps / plan->samples > 0 ? steps / plan->samples : 1;
    const size_t first = series->n_rows;
    struct mover mover;
    double start[2] = {0.0, 0.0}, momentum[3];
    *run = (struct ph_spheres_run){.energy = 0.0};
    enum ph_status status = begin(plan->problem, method, plan->step, &mover, err);
    if (status == PH_OK)
        status = look(&mover, &start[0], err);
    if (status == PH_OK) {
        ph_s2_momentum(mover.s2, momentum);
        start[1] = ph_vec3_dot(mover.s2->problem->axis, momentum);
        run->energy = start[0];
        status = sample(&mover, plan, method, 0.0, start, series, run, err);
    }
    for (long done = 0; done < steps && status == PH_OK; done += every) {
        const struct ph_stopwatch watch = ph_stopwatch_start(1);
        status = move(&mover, every, err);
        run->seconds += ph_stopwatch_read_any(&watch);
        if (status == PH_OK)
            status = sample(&mover, plan, method, plan->step * (double)(done + every), start, series, run, err);
    }
    end(&mover);
    if (status == PH_OK) {
        double ignored;
        fit(series, ENERGY, first, &run->slope, &run->residual);
        fit(series, TANGENT, first, &run->tangent_slope, &ignored);
        fit(series, MOMENTUM, first, &run->momentum_slope, &run->momentum_residual);
    }
    return status;
}

static bool outgrows(double slope, double time, double residual) { return fabs(slope) * time > 3.0 * residual; }

bool ph_spheres_drifts(const struct ph_spheres_plan *plan, const struct ph_spheres_run *run)
{
    return outgrows(run->slope, plan->time, run->residual);
}

bool ph_spheres_momentum_drifts(const struct ph_spheres_plan *plan, const struct ph_spheres_run *run)
{
    return outgrows(run->momentum_slope, plan->time, run->momentum_residual);
}

/* ---- Errors at t = 1 ---- */

static enum ph_status reach(const char *problem, size_t method, long steps, struct mover *mover, struct ph_error *err)
{
    const enum ph_status status = begin(problem, method, 1.0 / (double)steps, mover, err);
    return status == PH_OK ? move(mover, steps, err) : status;
}

/* Against a reference of fine steps: the engine's scheme of order 6 where it can, else Gauss. A step that a method
 * cannot do has no error. */
static enum ph_status measure_errors(const struct ph_spheres_plan *plan, struct ph_spheres *spheres,
                                     struct ph_table *table, struct ph_error *err)
{
    struct mover reference, mover;
    enum ph_status status = reach(plan->problem, plan->engine ? PH_SPHERES_SRKN6 : PH_SPHERES_RKMKGL4,
                                  plan->engine ? 2048 : 16384, &reference, err);
    for (size_t m = 0; m < spheres->n_methods; ++m)
        for (size_t k = 0; k < spheres->n_steps && status == PH_OK; ++k) {
            const size_t n = reference.s2->n;
            status = reach(plan->problem, m, lround(1.0 / spheres->step[k]), &mover, err);
            const bool failed = status == PH_ERR_NUMBERS;
            spheres->error_q[m][k] = failed            ? NAN
                                     : status == PH_OK ? ph_s2_distance(n, (const double(*)[3])mover.s2->q,
                                                                        (const double(*)[3])reference.s2->q)
                                                       : NAN;
            spheres->error_w[m][k] = failed            ? NAN
                                     : status == PH_OK ? ph_s2_distance(n, (const double(*)[3])mover.s2->w,
                                                                        (const double(*)[3])reference.s2->w)
                                                       : NAN;
            end(&mover);
            if (failed)
                status = PH_OK;
            if (status == PH_OK)
                status = ph_table_append(
                    table, (const char *const[]){names[m]},
                    (const double[]){spheres->step[k], spheres->error_q[m][k], spheres->error_w[m][k]}, err);
        }
    end(&reference);
    return status;
}

double ph_spheres_order(const struct ph_spheres *spheres, size_t method, bool velocity)
{
    const double floor = 1e-11;
    const double *error = velocity ? spheres->error_w[method] : spheres->error_q[method];
    for (size_t k = spheres->n_steps; k-- > 1;)
        if (error[k] > floor)
            return log(error[k - 1] / error[k]) / log(spheres->step[k - 1] / spheres->step[k]);
    return NAN;
}

/* ---- Tables ---- */

static const struct ph_table_column summary_columns[] = {
    {"method", "", true},
    {"seconds", "processor time of the long run, mean of three (quick version: of one)", false},
    {"energy_error", "|E - E0|, the largest of the long run", false},
    {"energy_slope", "dE/dt by least squares", false},
    {"energy_residual", "largest deviation from that line", false},
    {"norm", "largest ||q| - 1| of the first body", false},
    {"tangent", "largest |q.w| of the last body", false},
    {"momentum", "largest change of the angular momentum along the axis of symmetry", false},
    {"order_q", "of the finest errors at t = 1", false},
    {"order_w", "", false},
};
static const struct ph_table_column series_columns[] = {
    {"method", "", true},       {"time", "", false},       {"energy", "E - E0", false},
    {"norm", "|q| - 1", false}, {"tangent", "q.w", false}, {"momentum", "J - J0 along the axis", false},
};
static const struct ph_table_column error_columns[] = {
    {"method", "", true},
    {"step", "of time", false},
    {"error_q", "distance of all directions from the reference, at t = 1", false},
    {"error_w", "of all angular velocities", false},
};

static enum ph_status add_summary(const struct ph_spheres *spheres, struct ph_table *table, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t m = 0; m < spheres->n_methods && status == PH_OK; ++m) {
        const struct ph_spheres_run *run = &spheres->run[m];
        status = ph_table_append(table, (const char *const[]){names[m]},
                                 (const double[]){run->seconds, run->largest, run->slope, run->residual, run->norm,
                                                  run->tangent, run->momentum, ph_spheres_order(spheres, m, false),
                                                  ph_spheres_order(spheres, m, true)},
                                 err);
    }
    return status;
}

/* The paper's run times are means over three simulations: does two more beside the known run. */
static enum ph_status average_time(const struct ph_spheres_plan *plan, size_t method, double *seconds,
                                   struct ph_error *err)
{
    enum { RUNS = 3 };
    enum ph_status status = PH_OK;
    for (int k = 1; k < RUNS && status == PH_OK; ++k) {
        struct ph_spheres_run again;
        status = ph_spheres_follow(plan, method, &again, err);
        *seconds += again.seconds;
    }
    *seconds /= RUNS;
    return status;
}

static enum ph_status measure(const struct ph_spheres_plan *plan, struct ph_study_result *result,
                              struct ph_spheres *spheres, struct ph_error *err)
{
    result->n_tables = 3;
    ph_table_init(&result->table[0], "summary", "the methods compared",
                  sizeof summary_columns / sizeof *summary_columns, summary_columns);
    ph_table_init(&result->table[1], "series", "the long run", sizeof series_columns / sizeof *series_columns,
                  series_columns);
    ph_table_init(&result->table[2], "errors", "errors at t = 1", sizeof error_columns / sizeof *error_columns,
                  error_columns);
    memset(spheres, 0, sizeof *spheres);
    spheres->n_methods = plan->engine ? PH_SPHERES_METHODS : PH_SPHERES_OWN;
    for (int k = plan->first; k <= plan->last; ++k)
        spheres->step[spheres->n_steps++] = ldexp(1.0, -k);
    enum ph_status status = PH_OK;
    for (size_t m = 0; m < spheres->n_methods && status == PH_OK; ++m) {
        status = run_long(plan, m, &result->table[1], &spheres->run[m], err);
        if (status == PH_OK && !result->options.quick)
            status = average_time(plan, m, &spheres->run[m].seconds, err);
        ph_study_tell(result, (double)(m + 1) / (double)(spheres->n_methods + 1));
    }
    if (status == PH_OK)
        status = measure_errors(plan, spheres, &result->table[2], err);
    return status == PH_OK ? add_summary(spheres, &result->table[0], err) : status;
}

enum ph_status ph_spheres_follow(const struct ph_spheres_plan *plan, size_t method, struct ph_spheres_run *run,
                                 struct ph_error *err)
{
    struct ph_table series;
    ph_table_init(&series, "series", "", sizeof series_columns / sizeof *series_columns, series_columns);
    const enum ph_status status = run_long(plan, method, &series, run, err);
    ph_table_clear(&series);
    return status;
}

/* On one thread: the systems are small, and times are to be compared. */
enum ph_status ph_spheres_measure(const struct ph_spheres_plan *plan, struct ph_study_result *result,
                                  struct ph_spheres *spheres, struct ph_error *err)
{
    const int threads = ph_bench_max_threads();
    ph_stopwatch_use_threads(1);
    const enum ph_status status = measure(plan, result, spheres, err);
    ph_stopwatch_use_threads(threads);
    return status;
}
