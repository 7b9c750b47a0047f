/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_BATHS_H
#define PH_TESTS_BATHS_H

/* Systems in heat baths, and averages with errors. */

#include "force_systems.h"

#include "dynamics/mover.h"
#include "state/momenta.h"

/* ---- Systems ---- */

/* A system with all that moves it */
struct heated {
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_mover *mover;
};

static inline void destroy(struct heated *heated)
{
    ph_mover_destroy(heated->mover);
    put_away(heated->field, heated->system);
}

static inline struct ph_system *make_bodies(const struct ph_site *site, const double inertia[3], size_t n,
                                            const struct ph_box *box, const struct ph_start *start)
{
    struct ph_species species = {.name = "body", .n_sites = 1, .site = {*site}};
    const double mass = 1.0;
    struct ph_system *system = NULL;
    assert_ok(ph_species_complete(&species, &mass, inertia, &err));
    assert_ok(ph_system_create(1, &species, &n, box, &system, &err));
    assert_ok(ph_start_place(start, system, &err));
    ph_start_turn(start->seed, system);
    ph_start_move(1.0, true, false, start->seed, system);
    return system;
}

/* Tethered dipoles in a field along z, too far from each other to interact; mu = 1, m = 1. A molecule's orientation
 * matters by the direction n of the field in its frame alone, and n is held near the dipole. */
struct rotors {
    size_t n;
    double inertia[3];
    double field, tether;
};
static const double rotor_dipole[3] = {0.5, 0.5, 0.70710678118654752440};

static inline struct heated make_rotors(const struct rotors *rotors)
{
    struct ph_site site = {.name = "A"};
    memcpy(site.dipole, rotor_dipole, sizeof site.dipole);
    const struct ph_box box = ph_box_open();
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC, .seed = 1, .spacing = 20.0};
    const struct ph_interactions interactions = {
        .cutoff = 1.0,
        .skin = 8.0, /* one list is enough */
        .truncation = PH_TRUNCATE_CUT,
        .coulomb = 1.0,
        .external = {.electric_field = {0.0, 0.0, rotors->field}, .tether = rotors->tether}};
    struct heated heated = {.system = make_bodies(&site, rotors->inertia, rotors->n, &box, &start)};
    heated.field = make_field(heated.system, &interactions);
    return heated;
}

/* A cluster: tethered soft spheres with dipoles, in a field; all interact. */
static inline struct heated make_cluster(size_t n)
{
    const struct ph_site site = {
        .name = "A", .dipole = {0.4, 0.0, 0.6}, .radial = {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 6.0, 0.0}};
    const struct ph_box box = ph_box_open();
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC, .seed = 1, .spacing = 1.3};
    const struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .external = {.electric_field = {0.0, 0.0, 2.0}, .tether = 5.0}};
    struct heated heated = {.system = make_bodies(&site, (const double[3]){0.2, 0.3, 0.4}, n, &box, &start)};
    heated.field = make_field(heated.system, &interactions);
    return heated;
}

/* A Stockmayer fluid with mu^2 = 3 at density 0.8; as smooth as schemes of order 6 ask for */
static inline struct heated make_fluid(size_t n, double cutoff)
{
    const struct ph_site site = {.name = "A", .dipole = {0.0, 0.0, 1.7320508075688772}, .radial = lennard_jones};
    const struct ph_box box = make_box(cube_edges, cbrt((double)n / 0.8));
    const struct ph_start start = {.kind = PH_START_FCC, .seed = 1, .jitter = 0.02};
    const struct ph_interactions interactions = {.cutoff = cutoff,
                                                 .truncation = PH_TRUNCATE_SWITCHED,
                                                 .switch_width = 0.5,
                                                 .smoothness = 6,
                                                 .coulomb = 1.0,
                                                 .electrostatics = PH_ELECTROSTATICS_REACTION_FIELD,
                                                 .epsilon_rf = INFINITY};
    struct heated heated = {.system = make_bodies(&site, (const double[3]){0.1, 0.1, 0.1}, n, &box, &start)};
    heated.field = make_field(heated.system, &interactions);
    return heated;
}

/* ---- Motion ---- */

/* kT = 1, all momenta free: those who keep the total momentum have three degrees less where nothing pulls */
static inline struct ph_bath_options bath_of(const char *name, double friction, double relaxation_time,
                                             const struct ph_system *system)
{
    return (struct ph_bath_options){.kind = ph_bath_find(name),
                                    .kT = 1.0,
                                    .friction = {friction, friction},
                                    .relaxation_time = relaxation_time,
                                    .chain = 3,
                                    .translation = 3 * system->n,
                                    .rotation = ph_system_degrees_rotation(system),
                                    .seed = 11};
}

static inline void set_moving(struct heated *heated, const char *scheme, double step,
                              const struct ph_bath_options *bath)
{
    const struct ph_mover_options options = {
        .dynamics = {.scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = step}, .bath = *bath};
    ph_mover_destroy(heated->mover);
    assert_ok(ph_mover_create(heated->system, heated->field, &options, &heated->mover, &err));
}

static inline void go(struct heated *heated, long steps) { assert_ok(ph_mover_advance(heated->mover, steps, &err)); }

static inline struct ph_energy energy_of(struct heated *heated)
{
    struct ph_energy energy;
    assert_ok(ph_mover_synchronise(heated->mover, &energy, &err));
    return energy;
}

static inline double total_of(struct heated *heated)
{
    const struct ph_energy energy = energy_of(heated);
    return ph_energy_total(&energy) + ph_system_kinetic_translation(heated->system) +
           ph_system_kinetic_rotation(heated->system);
}

/* ---- What is averaged ---- */

/* Kinetic temperatures of translation and of the body axes, in units of kT = 1 */
static inline void temperatures(const struct ph_system *system, double t[PH_BATH_GROUPS])
{
    double kinetic[PH_BATH_GROUPS];
    ph_momenta_kinetic(system, NULL, kinetic);
    for (int group = 0; group < PH_BATH_GROUPS; ++group)
        t[group] = 2.0 * kinetic[group] / (double)ph_bath_degrees(system, group);
}

/* Mean over the molecules of the cosine between dipole and field */
static inline double cosine(const struct ph_system *system, const double dipole[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double mu[3];
        ph_quat_rotate(q, dipole, mu);
        sum += mu[2] / sqrt(dipole[0] * dipole[0] + dipole[1] * dipole[1] + dipole[2] * dipole[2]);
    }
    return sum / (double)system->n;
}

/* Energies of tethers and field of a molecule, in the mean */
static inline double rotor_energy(const struct rotors *rotors, const struct ph_system *system, double *const anchor[3])
{
    double squares = 0.0;
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k)
            squares += (system->r[k][i] - anchor[k][i]) * (system->r[k][i] - anchor[k][i]);
    return 0.5 * rotors->tether * squares / (double)system->n - rotors->field * cosine(system, rotor_dipole);
}

/* ---- Averages, whose errors come from means over blocks of time ---- */

enum { BLOCKS = 32, MOST = 8 };

struct averages {
    int n; /* quantities */
    long per_block, samples;
    double block[BLOCKS][MOST]; /* sums */
};

static inline void sample(struct averages *averages, const double x[])
{
    const long block = averages->samples++ / averages->per_block;
    for (int k = 0; k < averages->n && block < BLOCKS; ++k)
        averages->block[block][k] += x[k];
}

static inline double mean(const struct averages *averages, int k, double *error)
{
    double sum = 0.0, squares = 0.0;
    for (int b = 0; b < BLOCKS; ++b) {
        const double x = averages->block[b][k] / (double)averages->per_block;
        sum += x;
        squares += x * x;
    }
    *error = sqrt((squares - sum * sum / BLOCKS) / BLOCKS / (BLOCKS - 1));
    return sum / BLOCKS;
}

/* Mean of quantity k is `want` within so many errors, and the error is below `precision`. */
static inline void assert_mean(const struct averages *averages, int k, double want, double errors, double precision,
                               const char *what, const char *name)
{
    double error;
    const double got = mean(averages, k, &error);
    if (!(fabs(got - want) < errors * error) || !(error < precision))
        fail_msg("%s: %s is %.5f +- %.5f, not %.5f (%.1f errors; allowed %.1f, and an error of %.5f)", what, name, got,
                 error, want, (got - want) / error, errors, precision);
}

/* ---- Bias by pairs of runs with the same noise ----
 *
 * Averages of a scheme less those of a much better one. Both have the same step, so that the bath gives both the same
 * noise: friction draws the two trajectories together until they differ only by what the steps differ, of order h^p,
 * and so do the fluctuations of the difference. The relative error of a bias does not grow as the bias shrinks, and
 * biases of 1e-5 are measured from runs whose averages have errors of 1e-2. */
enum { BIAS_ENERGY, BIAS_T = 1, BIASES = 1 + PH_BATH_GROUPS };

struct pair_of_runs {
    const char *scheme, *better;
    double step, time, friction;
    int every; /* steps between samples */
    void (*observe)(const void *data, struct heated *heated, double x[BIASES]);
    const void *data;
};

static inline void observe_rotors(const void *data, struct heated *heated, double x[BIASES])
{
    const struct ph_force_memory memory = ph_force_field_memory(heated->field);
    x[BIAS_ENERGY] = rotor_energy(data, heated->system, memory.anchor);
    temperatures(heated->system, x + BIAS_T);
}

/* Destroys the two, which are alike. */
static inline struct averages measure_bias(const struct pair_of_runs *runs, struct heated pair[2])
{
    for (int k = 0; k < 2; ++k) {
        const struct ph_bath_options bath = bath_of("langevin", runs->friction, 0.0, pair[k].system);
        set_moving(&pair[k], k == 0 ? runs->scheme : runs->better, runs->step, &bath);
        go(&pair[k], (long)(20.0 / (runs->friction * runs->step)));
    }
    struct averages averages = {.n = BIASES, .per_block = (long)(runs->time / (BLOCKS * runs->step * runs->every))};
    while (averages.samples < BLOCKS * averages.per_block) {
        double x[2][BIASES], difference[BIASES];
        for (int k = 0; k < 2; ++k) {
            go(&pair[k], runs->every);
            runs->observe(runs->data, &pair[k], x[k]);
        }
        for (int k = 0; k < BIASES; ++k)
            difference[k] = x[0][k] - x[1][k];
        sample(&averages, difference);
    }
    destroy(&pair[0]);
    destroy(&pair[1]);
    return averages;
}

/* Two runs of a scheme: the bias of quantity k falls with the step like h^order, within 0.3 and three errors of
 * the slope, which is known to `precision`. With 0.25 a right slope fails once in 40 000 times, and one that has lost
 * two orders passes once in 20 000. */
static inline void assert_slope(const char *scheme, const char *what, int k, int order, const struct averages bias[2],
                                const double step[2], double precision)
{
    double error[2], at[2];
    for (int s = 0; s < 2; ++s)
        at[s] = mean(&bias[s], k, &error[s]);
    const double width = log(step[0] / step[1]), slope = log(at[0] / at[1]) / width;
    const double slope_error = hypot(error[0] / at[0], error[1] / at[1]) / width;
    print_message("%s, %s: bias %9.2e +- %.1e at %g, %9.2e +- %.1e at %g: slope %.2f +- %.2f\n", scheme, what, at[0],
                  error[0], step[0], at[1], error[1], step[1], slope, slope_error);
    if (!(fabs(slope - order) < 0.3 + 3.0 * slope_error) || !(slope_error < precision))
        fail_msg("%s: the bias of %s falls with a slope of %.2f +- %.2f, not %d", scheme, what, slope, slope_error,
                 order);
}

#endif
