/* SPDX-License-Identifier: MIT */
/* A thermostat and an integrator that the program does not have, written as a user would write them: with the
 * operations of a state (state/state.h). Not a line is about ranks or devices.
 *
 *   new_methods cpu|ranks|emulated      `ranks` is started by mpiexec
 *
 * Prints for each method the hash of the final state, its energy, and the heat given, from the first process. On
 * processors also of the fluid that 'polhode bench' melts. */
#include "accel/engine/engine.h"
#include "base/random.h"
#include "base/rotation.h"
#include "dynamics/mover.h"
#include "lab/bench/systems.h"
#include "output/checkpoint/hash.h"
#include "parallel/team.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOLECULES = 500, STEPS = 40 };
static const double step = 0.002;

/* ---- A thermostat: H. C. Andersen, J. Chem. Phys. 72 (1980) 2384 ----
 *
 * After each step a molecule collides with probability friction h: its momenta are drawn anew. */

struct collisions {
    const struct ph_bath_options *bath;
    double chance;
    uint64_t step;
    struct ph_system *system;
};

static double collide_one(double inertia, double kT, struct ph_random *random, double *momentum)
{
    const double before = *momentum;
    *momentum = sqrt(inertia * kT) * ph_random_normal(random);
    return inertia > 0.0 ? 0.5 * (*momentum * *momentum - before * before) / inertia : 0.0;
}

static void collide(struct ph_range range, void *data, struct ph_exact *heat)
{
    const struct collisions *all = data;
    struct ph_system *system = all->system;
    const struct ph_species *species = &system->species[range.species];
    for (size_t i = range.begin; i < range.end; ++i) {
        struct ph_random random =
            ph_random_stream(all->bath->seed, PH_RANDOM_THERMOSTAT, all->step * system->n + system->id[i]);
        if (!(ph_random_uniform(&random) < all->chance))
            continue;
        double gained = 0.0;
        for (int k = 0; k < 3; ++k)
            gained += collide_one(species->mass, all->bath->kT, &random, &system->p[k][i]);
        for (int k = 0; k < 3; ++k)
            gained += collide_one(species->inertia[k], all->bath->kT, &random, &system->m[k][i]);
        ph_exact_add(1, &gained, heat);
    }
}

static enum ph_status after(const struct ph_bath_options *bath, double h, uint64_t number, struct ph_state *state,
                            double numbers[PH_BATH_NUMBERS], struct ph_error *err)
{
    struct collisions collisions = {bath, bath->friction[0] * fabs(h), number, ph_state_system(state)};
    struct ph_exact heat = {.spoilt = 0};
    (void)err;
    ph_state_total(state, collide, &collisions, 1, &heat);
    ph_state_add_up(state, 1, &heat);
    ph_state_changed(state, PH_STATE_MOMENTA);
    numbers[PH_BATH_HEAT] += ph_exact_value(&heat);
    return PH_OK;
}

static const struct ph_bath_kind andersen = {.name = "andersen", .after = after};

/* ---- An integrator: position Verlet, with a kick of its own ---- */

static void kick(struct ph_range range, void *data)
{
    struct ph_system *system = data;
    for (size_t i = range.begin; i < range.end; ++i) {
        const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
        const double torque[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
        double body[3];
        ph_quat_rotate(back, torque, body);
        for (int k = 0; k < 3; ++k) {
            system->p[k][i] += step * system->f[k][i];
            system->m[k][i] += step * body[k];
        }
    }
}

static enum ph_status position_verlet(struct ph_state *state, struct ph_error *err)
{
    enum ph_status status = ph_state_drift(state, 0.5 * step, err);
    if (status == PH_OK)
        status = ph_state_forces(state, PH_FORCES_ALL, NULL, err);
    if (status != PH_OK)
        return status;
    ph_state_each(state, kick, ph_state_system(state));
    ph_state_touch(state, PH_STATE_MOMENTA);
    return ph_state_drift(state, 0.5 * step, err);
}

/* ---- Both on the fluid ---- */

static enum ph_status report(const char *name, struct ph_state *state, double heat, struct ph_error *err)
{
    struct ph_energy energy;
    struct ph_state_sums sums;
    enum ph_status status = ph_state_forces(state, PH_FORCES_ALL, &energy, err);
    if (status == PH_OK)
        status = ph_state_observe(state, &sums, err);
    if (status == PH_OK)
        status = ph_state_show(state, PH_STATE_PLACES | PH_STATE_MOMENTA, err);
    const double kinetic =
        sums.kinetic[0][0] + sums.kinetic[1][1] + sums.kinetic[2][2] + sums.axis[0] + sums.axis[1] + sums.axis[2];
    if (status == PH_OK && ph_team()->rank == 0)
        printf("%s %016" PRIx64 " %.17g %.17g\n", name, ph_state_hash(ph_state_system(state)),
               ph_energy_total(&energy) + kinetic, heat);
    return status;
}

static enum ph_status run_thermostat(struct ph_bench_system *fluid, struct ph_backend *backend, struct ph_error *err)
{
    const struct ph_mover_options options = {.dynamics = {.scheme = ph_scheme_find("verlet"),
                                                          .flow = ph_flow_find("exact"),
                                                          .step = step,
                                                          .compensated = true,
                                                          .backend = backend},
                                             .bath = {.kind = &andersen, .kT = 1.5, .friction = {20.0}, .seed = 7}};
    struct ph_mover *mover = NULL;
    enum ph_status status = ph_mover_create(fluid->system, fluid->field, &options, &mover, err);
    if (status == PH_OK)
        status = ph_mover_advance(mover, STEPS, err);
    if (status == PH_OK)
        status = ph_mover_synchronise(mover, NULL, err);
    if (status == PH_OK)
        status = report("thermostat", ph_mover_state(mover), -ph_mover_conserved(mover, 0.0), err);
    ph_mover_destroy(mover);
    return status;
}

static enum ph_status run_integrator(struct ph_bench_system *fluid, struct ph_backend *backend, struct ph_error *err)
{
    const struct ph_state_options options = {.flow = ph_flow_find("exact"), .compensated = true, .backend = backend};
    struct ph_state *state = NULL;
    enum ph_status status = ph_state_create(fluid->system, fluid->field, &options, &state, err);
    for (int k = 0; k < STEPS && status == PH_OK; ++k)
        status = position_verlet(state, err);
    if (status == PH_OK)
        status = report("integrator", state, 0.0, err);
    ph_state_destroy(state);
    return status;
}

/* The fluid that benchmarks measure, with the steps for each list */
static enum ph_status run_melt(struct ph_bench_system *fluid, struct ph_backend *backend, struct ph_error *err)
{
    const struct ph_state_options options = {.flow = ph_flow_find("exact"), .backend = backend};
    struct ph_state *state = NULL;
    double steps_per_list = 0.0;
    enum ph_status status = ph_bench_system_melt(&ph_workloads[0], fluid, &steps_per_list, err);
    if (status == PH_OK)
        status = ph_state_create(fluid->system, fluid->field, &options, &state, err);
    if (status == PH_OK)
        status = report("melt", state, steps_per_list, err);
    ph_state_destroy(state);
    return status;
}

static enum ph_status run(bool emulated,
                          enum ph_status (*method)(struct ph_bench_system *, struct ph_backend *, struct ph_error *),
                          struct ph_error *err)
{
    struct ph_bench_system fluid = {.system = NULL};
    struct ph_backend *backend = NULL;
    enum ph_status status = ph_bench_system_make(&ph_workloads[0], MOLECULES, &fluid, err);
    if (status == PH_OK && emulated)
        status =
            ph_engine_create(&ph_machine_emulated, "emulated", fluid.system, &fluid.interactions, true, &backend, err);
    if (status == PH_OK)
        status = method(&fluid, backend, err);
    if (backend)
        backend->destroy(backend);
    ph_bench_system_clear(&fluid);
    return status;
}

int main(int argc, char **argv)
{
    const bool ranks = argc == 2 && strcmp(argv[1], "ranks") == 0,
               emulated = argc == 2 && strcmp(argv[1], "emulated") == 0;
    struct ph_error err = {.text = ""};
    const struct ph_team *team = &ph_team_alone;
    enum ph_status status = ranks ? ph_team_mpi(&team, &err) : PH_OK;
    ph_team_join(team);
    if (status == PH_OK)
        status = run(emulated, run_thermostat, &err);
    if (status == PH_OK)
        status = run(emulated, run_integrator, &err);
    if (status == PH_OK && !emulated)
        status = run(false, run_melt, &err);
    if (status != PH_OK)
        fprintf(stderr, "new_methods: %s\n", err.text);
    bool alone;
    if (ranks) {
        fflush(stdout);
        team->end(status != PH_OK, &alone);
        team->leave();
    }
    return (int)status;
}
