/* SPDX-License-Identifier: MIT */
#include "lab/bench/parts.h"

#include "base/clock.h"
#include "dynamics/dynamics.h"
#include "force/leave_out.h"
#include "force/pairs/pairs.h"
#include "lab/stopwatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The measured times. The parts are differences of these. */
enum timed { ALL, NO_KERNELS, NO_NEIGHBOURS, THIN, LIST, DRIFT, KICK, TIMED };

struct ph_parts_bench {
    struct ph_bench_system *bench;    /* not owned */
    struct ph_force_field *field[3];  /* owned; ALL, NO_KERNELS, NO_NEIGHBOURS */
    struct ph_dynamics *dynamics;     /* owned */
    struct ph_system *flying;         /* owned: some molecules in the first-level cache */
    struct ph_force_field *no_forces; /* owned, of these */
    struct ph_dynamics *flight;       /* owned */
    double step, steps_per_list, thinnings_per_list;
    double fields; /* of a molecule, on average */
    double best[TIMED], gather, scatter, gather_centre, byte, drift_in_cache;
};

void ph_parts_destroy(struct ph_parts_bench *parts)
{
    if (!parts)
        return;
    for (int k = 0; k < 3; ++k)
        ph_force_field_destroy(parts->field[k]);
    ph_dynamics_destroy(parts->dynamics);
    ph_dynamics_destroy(parts->flight);
    ph_force_field_destroy(parts->no_forces);
    ph_system_destroy(parts->flying);
    free(parts);
}

static double fields_of(const struct ph_species *species)
{
    double n = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        const bool dipole = site->dipole[0] != 0.0 || site->dipole[1] != 0.0 || site->dipole[2] != 0.0;
        n += dipole ? 6.0 : site->charge != 0.0 || site->radial.kind != PH_RADIAL_NONE ? 3.0 : 0.0;
    }
    return n;
}

static enum ph_status create_dynamics(struct ph_system *system, struct ph_force_field *field, double step,
                                      struct ph_dynamics **out, struct ph_error *err)
{
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = step};
    return ph_dynamics_create(system, field, &options, out, err);
}

/* A few molecules of the first species, for the drift in the cache; their momenta are taken from the system */
static enum ph_status create_flight(struct ph_parts_bench *parts, struct ph_error *err)
{
    const struct ph_system *system = parts->bench->system;
    const size_t few = 128, count[1] = {system->first[1] < few ? system->first[1] : few};
    const struct ph_box box = ph_box_open();
    const struct ph_interactions none = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};
    enum ph_status status = ph_system_create(1, system->species, count, &box, &parts->flying, err);
    if (status != PH_OK)
        return status;
    for (int k = 0; k < 4; ++k)
        memcpy(parts->flying->q[k], system->q[k], count[0] * sizeof(double));
    for (int k = 0; k < 3; ++k)
        memcpy(parts->flying->m[k], system->m[k], count[0] * sizeof(double));
    status = ph_force_field_create(parts->flying, &none, &parts->no_forces, err);
    return status == PH_OK ? create_dynamics(parts->flying, parts->no_forces, parts->step, &parts->flight, err)
                           : status;
}

enum ph_status ph_parts_create(struct ph_bench_system *bench, double step, double steps_per_list,
                               struct ph_parts_bench **out, struct ph_error *err)
{
    struct ph_parts_bench *parts = *out = calloc(1, sizeof *parts);
    if (!parts)
        return ph_no_memory(err, "the parts of a step");
    const struct ph_system *system = bench->system;
    const struct ph_force_counts counts = ph_force_field_counts(bench->field);
    parts->bench = bench;
    parts->step = step;
    parts->steps_per_list = steps_per_list;
    parts->thinnings_per_list = (double)counts.lists_thinned / (double)counts.lists_made;
    for (size_t s = 0; s < system->n_species; ++s)
        parts->fields +=
            fields_of(&system->species[s]) * (double)(system->first[s + 1] - system->first[s]) / (double)system->n;
    for (int k = 0; k < TIMED; ++k)
        parts->best[k] = HUGE_VAL;
    parts->gather = parts->scatter = parts->gather_centre = parts->byte = parts->drift_in_cache = HUGE_VAL;
    enum ph_status status = PH_OK;
    for (int k = 0; k < 3 && status == PH_OK; ++k) {
        status = ph_force_field_create(bench->system, &bench->interactions, &parts->field[k], err);
        if (status == PH_OK)
            status = ph_force_field_evaluate(parts->field[k], bench->system, PH_FORCES_ALL, NULL, NULL, err);
    }
    if (status == PH_OK) {
        ph_force_field_leave_out(parts->field[NO_KERNELS], PH_LEAVE_OUT_KERNELS);
        status = create_dynamics(bench->system, parts->field[ALL], step, &parts->dynamics, err);
    }
    return status == PH_OK ? create_flight(parts, err) : status;
}

/* To and fro by a fifth of the skin: far enough for every evaluation to thin the lists, too little to make them */
static void nudge(struct ph_parts_bench *parts, int call)
{
    const double way = 0.2 * ph_pairs_skin(&parts->bench->interactions);
    parts->bench->system->r[0][0] += call % 2 ? -way : way;
}

static double to_and_fro(const struct ph_parts_bench *parts, int call) { return call % 2 ? -parts->step : parts->step; }

static enum ph_status do_once(struct ph_parts_bench *parts, enum timed what, int call, struct ph_error *err)
{
    struct ph_force_field *field = parts->field[what < 3 ? what : 0];
    switch (what) {
    case DRIFT: return ph_state_drift(ph_dynamics_state(parts->dynamics), to_and_fro(parts, call), err);
    case KICK:
        return ph_state_kick(ph_dynamics_state(parts->dynamics), PH_FORCES_ALL, to_and_fro(parts, call), 0.0, err);
    case THIN: nudge(parts, call); break;
    case LIST: ph_force_field_forget(field); break;
    default: break;
    }
    return ph_force_field_evaluate(field, parts->bench->system, PH_FORCES_ALL, NULL, NULL, err);
}

static enum ph_status time_one(struct ph_parts_bench *parts, enum timed what, struct ph_error *err)
{
    static const double least = 2e-3;
    enum ph_status status = do_once(parts, what, 0, err);
    if (what == NO_NEIGHBOURS)
        ph_force_field_leave_out(parts->field[NO_NEIGHBOURS], PH_LEAVE_OUT_NEIGHBOURS);
    int calls = 0;
    const struct ph_stopwatch watch = ph_stopwatch_start(1);
    do {
        status = status == PH_OK ? do_once(parts, what, ++calls, err) : status;
    } while (status == PH_OK && (ph_clock_wall() - watch.wall < least || calls % 2 == 0)); /* back where it was */
    parts->best[what] = fmin(parts->best[what], ph_stopwatch_read(&watch) / calls);
    return status;
}

static enum ph_status time_flight(struct ph_parts_bench *parts, struct ph_error *err)
{
    enum { FLOWS = 64 };
    enum ph_status status = ph_state_drift(ph_dynamics_state(parts->flight), parts->step, err);
    const struct ph_stopwatch watch = ph_stopwatch_start(1);
    for (int n = 0; n < FLOWS && status == PH_OK; ++n)
        status = ph_state_drift(ph_dynamics_state(parts->flight), to_and_fro(parts, n), err);
    parts->drift_in_cache = fmin(parts->drift_in_cache, ph_stopwatch_read(&watch) / (FLOWS * (double)parts->flying->n));
    return status;
}

enum ph_status ph_parts_time(struct ph_parts_bench *parts, struct ph_error *err)
{
    const size_t fields = (size_t)ceil(parts->fields);
    enum ph_status status = PH_OK;
    ph_stopwatch_use_threads(1);
    for (int k = 0; k < TIMED && status == PH_OK; ++k)
        status = time_one(parts, (enum timed)k, err);
    if (status == PH_OK)
        status = time_flight(parts, err);
    parts->gather = fmin(parts->gather, ph_ceiling_gather(fields));
    parts->scatter = fmin(parts->scatter, ph_ceiling_scatter(fields));
    parts->gather_centre = fmin(parts->gather_centre, ph_ceiling_gather(4));
    parts->byte = fmin(parts->byte, ph_ceiling_byte());
    return status;
}

void ph_parts_read(const struct ph_parts_bench *parts, size_t pairs, double pair_ceiling,
                   struct ph_step_part_timing part[PH_STEP_PARTS])
{
    const double *t = parts->best, n = (double)parts->bench->system->n, lists = 1.0 / parts->steps_per_list;
    const double thinnings = parts->thinnings_per_list * lists;
    /* Two molecules share a list: a neighbour is fetched once for both. */
    const double fetched = 0.5 * (double)ph_force_field_counts(parts->field[ALL]).molecule_pairs;
    const double word = parts->byte * sizeof(double);
    bool turns = false;
    for (size_t s = 0; s < parts->bench->system->n_species; ++s)
        turns = turns || parts->bench->system->species[s].degrees > 0;
    const double state = turns ? 7.0 : 3.0, pushes = turns ? 6.0 : 3.0; /* r, q; f, t, and as many momenta */
    part[PH_STEP_LISTS] =
        (struct ph_step_part_timing){"making lists", "every neighbour fetched once", (t[LIST] - t[THIN]) * lists,
                                     fetched * parts->gather_centre * lists};
    part[PH_STEP_THINNING] =
        (struct ph_step_part_timing){"thinning lists", "every neighbour fetched once", (t[THIN] - t[ALL]) * thinnings,
                                     fetched * parts->gather_centre * thinnings};
    part[PH_STEP_SURROUNDS] =
        (struct ph_step_part_timing){"sites, copies, sums", "each word once, in order", t[NO_NEIGHBOURS],
                                     n * word * (state + 2.0 * parts->fields + pushes)};
    part[PH_STEP_MOVING] =
        (struct ph_step_part_timing){"gather, scatter", "neighbours side by side in the cache",
                                     t[NO_KERNELS] - t[NO_NEIGHBOURS], fetched * (parts->gather + parts->scatter)};
    part[PH_STEP_KERNELS] = (struct ph_step_part_timing){"kernels", "rows in the cache, no cutoff",
                                                         t[ALL] - t[NO_KERNELS], (double)pairs * pair_ceiling};
    part[PH_STEP_DRIFT] =
        (struct ph_step_part_timing){"drift", "bodies in the cache", t[DRIFT], n * parts->drift_in_cache};
    part[PH_STEP_KICK] = (struct ph_step_part_timing){"kick", "each word once, in order", t[KICK],
                                                      n * word * (3.0 * pushes + (turns ? 4.0 : 0.0))};
}
