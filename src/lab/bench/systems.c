/* SPDX-License-Identifier: MIT */
#include "lab/bench/systems.h"

#include "base/rotation.h"
#include "dynamics/dynamics.h"
#include "model/start.h"
#include "run/build/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* clang-format off */
const struct ph_workload ph_workloads[PH_WORKLOADS] = {
    {.name = "stockmayer-cut", .summary = "Stockmayer, cut at 3.5", .model = "stockmayer", .units = "reduced",
     .n = 4000, .density = 0.8, .temperature = 1.35, .cutoff = 3.5,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "stockmayer-c6", .summary = "the same, C6 switch from 3.0", .model = "stockmayer", .units = "reduced",
     .n = 4000, .density = 0.8, .temperature = 1.35, .cutoff = 3.5, .switch_width = 0.5,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-125", .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere", .units = "reduced",
     .n = 125, .density = 0.7, .temperature = 0.5, .open = true,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-1000", .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere", .units = "reduced",
     .n = 1000, .density = 0.7, .temperature = 0.5, .open = true,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "dipolar-4000", .summary = "dipolar soft spheres, all pairs",
     .model = "dipolar-soft-sphere", .units = "reduced",
     .n = 4000, .density = 0.7, .temperature = 0.5, .open = true,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "spc-e", .summary = "SPC/E water, reaction field, 0.9 nm", .model = "spc-e", .units = "md",
     .n = 1000, .density = 33.4, .temperature = 298.15, .cutoff = 0.9, .reaction_field = true,
     .step = 0.002, .ceiling = PH_CEILING_CHARGE},
    {.name = "lennard-jones", .summary = "Lennard-Jones, cut at 2.5", .model = "lennard-jones", .units = "reduced",
     .n = 4000, .density = 0.8, .temperature = 1.35, .cutoff = 2.5,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES},
    {.name = "mixture-2", .summary = "stockmayer-cut, two species", .model = "stockmayer", .units = "reduced",
     .n = 4000, .n_species = 2, .density = 0.8, .temperature = 1.35, .cutoff = 3.5,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "mixture-4", .summary = "stockmayer-cut, four species", .model = "stockmayer", .units = "reduced",
     .n = 4000, .n_species = 4, .density = 0.8, .temperature = 1.35, .cutoff = 3.5,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_DIPOLE},
    {.name = "co2", .summary = "TraPPE carbon dioxide, reaction field, 1.2 nm", .model = "trappe-co2", .units = "md",
     .n = 1000, .density = 5.0, .temperature = 320.0, .cutoff = 1.2, .reaction_field = true,
     .step = 0.002, .ceiling = PH_CEILING_LENNARD_JONES_CHARGE},
};
/* clang-format on */

void ph_bench_system_clear(struct ph_bench_system *bench)
{
    ph_force_field_destroy(bench->field);
    ph_system_destroy(bench->system);
    ph_interactions_free(&bench->interactions);
    *bench = (struct ph_bench_system){.system = NULL};
}

/* A model of the library by its name */
static enum ph_status find_species(const struct ph_workload *w, struct ph_species *species, struct ph_error *err)
{
    struct ph_input *input = calloc(1, sizeof *input);
    struct ph_input_model *model = calloc(1, sizeof *model);
    enum ph_status status = input && model ? PH_OK : ph_no_memory(err, "a model");
    if (status == PH_OK) {
        snprintf(input->units, sizeof input->units, "%s", w->units);
        snprintf(input->system.molecules[0].model, sizeof input->system.molecules[0].model, "%s", w->model);
        input->system.n_molecules = 1;
        status = ph_input_model(input, 0, model, err);
    }
    if (status == PH_OK)
        status = ph_build_species(model, species, err);
    free(input);
    free(model);
    return status;
}

static double thermal_energy(const struct ph_workload *w)
{
    return ph_units_find(w->units)->boltzmann * w->temperature;
}

enum ph_status ph_bench_system_make(const struct ph_workload *w, size_t n, struct ph_bench_system *bench,
                                    struct ph_error *err)
{
    *bench = (struct ph_bench_system){.system = NULL};
    const size_t n_species = w->n_species > 0 ? w->n_species : 1;
    struct ph_species species[PH_WORKLOAD_SPECIES];
    size_t count[PH_WORKLOAD_SPECIES];
    enum ph_status status = find_species(w, &species[0], err);
    if (status != PH_OK)
        return status;
    for (size_t s = 0; s < n_species; ++s) {
        species[s] = species[0];
        species[s].site[0].radial.sigma *= 1.0 - 0.02 * (double)s; /* so that pairs of species differ */
        species[s].site[0].radial.epsilon *= 1.0 + 0.1 * (double)s;
        count[s] = n * (s + 1) / n_species - n * s / n_species;
    }
    struct ph_box box = ph_box_open();
    const double edge = cbrt((double)n / w->density), edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    if (!w->open)
        status = ph_box_init_periodic(edges, &box, err);
    if (status == PH_OK)
        status = ph_system_create(n_species, species, count, &box, &bench->system, err);
    /* Lattices that have as many places as there are molecules: 4 k^3 or k^3 */
    const double k = cbrt((double)n / 4.0);
    const bool fcc = !w->open && fabs(k - round(k)) < 1e-9;
    const struct ph_start start = {.kind = fcc ? PH_START_FCC : PH_START_SIMPLE_CUBIC,
                                   .seed = 1,
                                   .jitter = 0.05,
                                   .spacing = cbrt(1.0 / w->density)};
    if (status == PH_OK)
        status = ph_start_place(&start, bench->system, err);
    if (status != PH_OK)
        return status;
    ph_start_turn(1, bench->system);
    ph_start_move(thermal_energy(w), true, false, 1, bench->system);
    bench->interactions = (struct ph_interactions){
        .truncation = w->open                 ? PH_TRUNCATE_NONE
                      : w->switch_width > 0.0 ? PH_TRUNCATE_SWITCHED
                                              : PH_TRUNCATE_CUT,
        .cutoff = w->cutoff,
        .switch_width = w->switch_width,
        .smoothness = 6,
        .electrostatics = w->reaction_field ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF,
        .epsilon_rf = INFINITY,
        .coulomb = ph_units_find(w->units)->coulomb,
    };
    return ph_force_field_create(bench->system, &bench->interactions, &bench->field, err);
}

size_t ph_bench_system_lists(const struct ph_bench_system *bench)
{
    return ph_force_field_counts(bench->field).lists_made;
}

enum ph_status ph_bench_system_melt(const struct ph_workload *w, struct ph_bench_system *bench, double *steps_per_list,
                                    struct ph_error *err)
{
    enum { MELT = 200, EVERY = 10, WATCH = 100 };
    *steps_per_list = 0.0;
    if (w->open)
        return PH_OK;
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact"), .step = w->step};
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_dynamics_create(bench->system, bench->field, &options, &dynamics, err);
    if (status != PH_OK)
        return status;
    /* momenta are redrawn repeatedly, to remove the energy that the melting lattice sets free */
    for (uint64_t n = 1; n <= MELT / EVERY && status == PH_OK; ++n) {
        status = ph_dynamics_advance(dynamics, EVERY, err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(dynamics, NULL, err);
        if (status == PH_OK) /* ph_start_move needs the numbers of all molecules, and sets the momenta of all */
            status = ph_state_show(ph_dynamics_state(dynamics), PH_STATE_MOMENTA, err);
        ph_start_move(thermal_energy(w), true, false, n, bench->system);
        ph_state_changed(ph_dynamics_state(dynamics), PH_STATE_MOMENTA);
    }
    const size_t before = ph_bench_system_lists(bench);
    if (status == PH_OK)
        status = ph_dynamics_advance(dynamics, WATCH, err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(dynamics, NULL, err);
    const size_t made = ph_bench_system_lists(bench) - before;
    *steps_per_list = made > 0 ? (double)WATCH / (double)made : WATCH;
    ph_dynamics_destroy(dynamics);
    return status;
}

/* ---- Counting pairs ---- */

static bool interacts(const struct ph_site *site)
{
    return site->radial.kind != PH_RADIAL_NONE || site->charge != 0.0 || site->dipole[0] != 0.0 ||
           site->dipole[1] != 0.0 || site->dipole[2] != 0.0;
}

/* Interacting sites of molecule i relative to its centre; returns how many */
static size_t arms(const struct ph_system *system, size_t i, double arm[PH_SITES_MAX][3])
{
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    size_t n = 0;
    for (size_t a = 0; a < species->n_sites; ++a)
        if (interacts(&species->site[a]))
            ph_quat_rotate(q, species->site[a].position, arm[n++]);
    return n;
}

/* Pairs of sites of molecule i, which has these arms, with molecules first .. end-1 but itself */
static size_t pairs_of(const struct ph_bench_system *bench, size_t i, size_t first, size_t end)
{
    const struct ph_system *system = bench->system;
    const struct ph_interactions *interactions = &bench->interactions;
    const bool endless = interactions->truncation == PH_TRUNCATE_NONE;
    const double cut2 = interactions->cutoff * interactions->cutoff;
    double of_i[PH_SITES_MAX][3], of_j[PH_SITES_MAX][3];
    const size_t n_i = arms(system, i, of_i);
    size_t pairs = 0;
    for (size_t j = first; j < end; ++j) {
        double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                       system->r[2][i] - system->r[2][j]};
        ph_box_minimum_image(&system->box, d);
        const size_t n_j = i != j ? arms(system, j, of_j) : 0;
        for (size_t a = 0; a < n_i; ++a)
            for (size_t b = 0; b < n_j; ++b) {
                double r2 = 0.0;
                for (int k = 0; k < 3; ++k)
                    r2 += pow(d[k] + of_i[a][k] - of_j[b][k], 2.0);
                pairs += endless || r2 < cut2;
            }
    }
    return pairs;
}

size_t ph_bench_system_pairs(const struct ph_bench_system *bench)
{
    size_t pairs = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : pairs)
    for (size_t i = 0; i < bench->system->n; ++i)
        pairs += pairs_of(bench, i, 0, i);
    return pairs;
}

double ph_bench_system_pairs_of(const struct ph_bench_system *bench, size_t tried)
{
    const size_t n = bench->system->n;
    size_t pairs = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : pairs)
    for (size_t k = 0; k < tried; ++k)
        pairs += pairs_of(bench, (size_t)((double)k / (double)tried * (double)n), 0, n);
    return 0.5 * (double)pairs / (double)tried * (double)n;
}
