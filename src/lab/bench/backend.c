/* SPDX-License-Identifier: MIT */
#include "lab/bench/backend.h"

#include "base/clock.h"
#include "dynamics/dynamics.h"
#include "lab/bench/systems.h"
#include "run/build/build.h"
#include "run/build/methods.h"
#include "run/simulation/stages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLUID(n)                                                                                                       \
    "units: reduced\n"                                                                                                 \
    "system:\n"                                                                                                        \
    "  box: {kind: periodic, density: 0.8}\n"                                                                          \
    "  molecules: [{model: stockmayer, count: " #n "}]\n"                                                              \
    "  start: {kind: simple-cubic, jitter: 0.02, temperature: 1.35, seed: 7}\n"                                        \
    "interactions: {cutoff: 3.5, truncation: cut, electrostatics: {method: reaction-field}}\n"                         \
    "dynamics: {scheme: verlet, flow: exact, step: 0.002, steps: 1}\n"
#define WATER(n, electrostatics)                                                                                       \
    "units: md\n"                                                                                                      \
    "system:\n"                                                                                                        \
    "  box: {kind: periodic, density: 33.37}\n"                                                                        \
    "  molecules: [{model: spc-e, count: " #n "}]\n"                                                                   \
    "  start: {kind: simple-cubic, temperature: 298, seed: 1}\n"                                                       \
    "interactions:\n"                                                                                                  \
    "  {cutoff: 0.9, switch: {width: 0.1, smoothness: 6}, electrostatics: {" electrostatics "}}\n"                     \
    "dynamics: {scheme: verlet, flow: exact, step: 0.002, steps: 1}\n"
#define FIELD "method: reaction-field"
#define MESH "method: mesh, tolerance: 1e-4"

const struct ph_backend_system ph_backend_systems[PH_BACKEND_SYSTEMS] = {
    {"Stockmayer, 1000", FLUID(1000), true},
    {"SPC/E, reaction field, 512", WATER(512, FIELD), true},
    {"SPC/E, mesh, 512", WATER(512, MESH), true},
    {"Stockmayer, 4096", FLUID(4096), false},
    {"Stockmayer, 32768", FLUID(32768), false},
    {"Stockmayer, 262144", FLUID(262144), false},
    {"SPC/E, reaction field, 4096", WATER(4096, FIELD), false},
    {"SPC/E, reaction field, 64000", WATER(64000, FIELD), false},
    {"SPC/E, mesh, 4096", WATER(4096, MESH), false},
    {"SPC/E, mesh, 64000", WATER(64000, MESH), false},
};

/* What moves */
struct course {
    struct ph_bench_system bench;
    struct ph_backend *backend;
    struct ph_dynamics *dynamics;
};

static void finish(struct course *course)
{
    ph_dynamics_destroy(course->dynamics);
    if (course->backend)
        course->backend->destroy(course->backend);
    course->dynamics = NULL;
    course->backend = NULL;
}

/* Goes on from the present state of the system, on this machine. */
static enum ph_status begin(const struct ph_backend_kind *kind, const struct ph_machine *machine,
                            const struct ph_input *input, struct course *course, struct ph_error *err)
{
    struct ph_methods methods;
    enum ph_status status = ph_methods_find(input, &methods, err);
    if (status == PH_OK)
        status = ph_engine_create(machine, kind->name, course->bench.system, &course->bench.interactions,
                                  input->dynamics.compensated, &course->backend, err);
    if (status != PH_OK)
        return status;
    const struct ph_dynamics_options options = {.scheme = methods.scheme,
                                                .flow = methods.flow,
                                                .step = methods.step,
                                                .compensated = input->dynamics.compensated,
                                                .pinned = course->bench.interactions.pinned,
                                                .backend = course->backend};
    return ph_dynamics_create(course->bench.system, course->bench.field, &options, &course->dynamics, err);
}

/* So many steps, and their seconds until the last task has ended */
static enum ph_status advance(const struct course *course, long steps, double *seconds, struct ph_error *err)
{
    struct ph_state_sums sums;
    const double began = ph_clock_wall();
    enum ph_status status = ph_dynamics_advance(course->dynamics, steps, err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(course->dynamics, NULL, err);
    if (status == PH_OK)
        status = ph_state_observe(ph_dynamics_state(course->dynamics), &sums, err);
    *seconds = ph_clock_wall() - began;
    return status;
}

/* ---- Whole steps ---- */

/* Pairs of some molecules with all */
static double estimate_pairs(const struct ph_bench_system *bench, bool *estimated)
{
    enum { COUNTABLE = 8192, TRIED = 256 };
    *estimated = bench->system->n > COUNTABLE;
    return *estimated ? ph_bench_system_pairs_of(bench, TRIED) : (double)ph_bench_system_pairs(bench);
}

static enum ph_status time_steps(struct course *course, double seconds, struct ph_backend_timing *timing,
                                 struct ph_error *err)
{
    struct ph_state *state = ph_dynamics_state(course->dynamics);
    struct ph_engine_counts before, after;
    double took = 0.0;
    long steps = 8;
    enum ph_status status = advance(course, 1, &took, err);
    for (bool enough = false; status == PH_OK && !enough; steps *= enough ? 1 : 2) {
        status = advance(course, steps, &took, err); /* the lattice melts */
        enough = took > 0.2 * seconds;
    }
    if (status == PH_OK)
        status = ph_engine_count(course->backend, &before, err);
    const size_t evaluations = ph_state_counts(state).evaluations;
    timing->steps = (long)ceil((double)steps * seconds / took);
    if (status == PH_OK)
        status = advance(course, timing->steps, &timing->seconds, err);
    timing->evaluations = ph_state_counts(state).evaluations - evaluations;
    if (status == PH_OK)
        status = ph_engine_count(course->backend, &after, err);
    timing->lists_made = status == PH_OK ? after.lists_made - before.lists_made : 0;
    if (status == PH_OK)
        status = ph_state_show(state, PH_STATE_PLACES | PH_STATE_MOMENTA, err);
    if (status == PH_OK)
        timing->pairs = estimate_pairs(&course->bench, &timing->estimated);
    return status;
}

/* ---- Parts ---- */

static enum ph_status time_parts(struct course *course, struct ph_backend_timing *timing, struct ph_error *err)
{
    double took;
    timing->part_steps = timing->steps / 4 + 1;
    enum ph_status status = advance(course, 1, &took, err);
    ph_timed_restart();
    if (status == PH_OK)
        status = advance(course, timing->part_steps, &took, err);
    return status == PH_OK ? ph_timed_read(&timing->timed, &timing->part_seconds, err) : status;
}

/* ---- One system ---- */

static enum ph_status time_both(const struct ph_backend_kind *kind, const struct ph_input *input, double seconds,
                                struct course *course, struct ph_backend_timing *timing, struct ph_error *err)
{
    enum ph_status status =
        ph_force_field_create(course->bench.system, &course->bench.interactions, &course->bench.field, err);
    if (status == PH_OK)
        status = begin(kind, kind->machine, input, course, err);
    if (status == PH_OK)
        status = time_steps(course, seconds, timing, err);
    finish(course);
    if (status == PH_OK)
        status = begin(kind, ph_timed_machine(kind->machine), input, course, err);
    if (status == PH_OK)
        status = time_parts(course, timing, err);
    finish(course);
    ph_timed_release();
    return status;
}

enum ph_status ph_bench_backend(const struct ph_backend_kind *kind, struct ph_texts *texts, const char *name,
                                double seconds, struct ph_backend_timing *timing, struct ph_error *err)
{
    char set[64];
    const char *sets[] = {set};
    snprintf(set, sizeof set, "dynamics.backend=%s", kind->name);
    *timing = (struct ph_backend_timing){.ns_per_day = NAN};
    struct ph_input *input = calloc(1, sizeof *input);
    if (!input)
        return ph_no_memory(err, "an input");
    struct course course = {.backend = NULL};
    struct ph_error inner = {.text = ""};
    enum ph_status status = ph_input_read_keeping(texts, name, 1, sets, input, err);
    if (status == PH_OK)
        status = ph_build_system(input, &course.bench.system, &course.bench.interactions, NULL, err);
    if (status == PH_OK)
        status = ph_stages_check(input, course.bench.system, &course.bench.interactions, err);
    if (status == PH_OK && time_both(kind, input, seconds, &course, timing, &inner) != PH_OK)
        status = ph_input_error(input, &inner, err);
    if (status == PH_OK) {
        timing->n = course.bench.system->n;
        timing->step = input->dynamics.step;
        if (strcmp(input->units, "md") == 0) /* ps */
            timing->ns_per_day = 86.4 * timing->step * (double)timing->steps / timing->seconds;
    }
    ph_bench_system_clear(&course.bench);
    free(input);
    return status;
}
