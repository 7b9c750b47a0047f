/* SPDX-License-Identifier: MIT */
/* A fluid of polar molecules at constant pressure: its mean pressure is the one asked for, whatever the shape of the
 * cell, and its density is the same for all shapes and for the extended Hamiltonian, whose kinetic energies are those
 * of the temperature. */
#include "physics/movers.h"

static const double kT = 1.3, pressure = 4.0;
enum { N = 64, EACH = 40 }; /* molecules, samples of a block */
/* Errors of 20 blocks that a mean may be off: beyond three times in a million, and there are 30 means. The largest
 * error allowed to a mean is about twice its average over five starts, because every machine has a chaotic run of its
 * own. */
static const double SURE = 6.5;

/* WCA spheres with dipoles, equilibrated at about their density */
static struct ph_system *make_spheres(const struct ph_interactions *in, struct ph_force_field **field)
{
    static const struct ph_radial wca = {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0};
    struct ph_species species = {.name = "polar sphere", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .dipole = {0.3, 0.5, 0.8}, .radial = wca};
    const size_t n = N;
    const struct ph_box box = make_box(cube_edges, cbrt((double)n / 0.55));
    const struct ph_start start = {.kind = PH_START_FCC, .seed = 1, .jitter = 0.05};
    struct ph_system *system = NULL;
    assert_ok(ph_species_complete(&species, NULL, (const double[]){0.1, 0.12, 0.15}, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    ph_start_turn(2, system);
    ph_start_move(kT, true, false, 3, system);
    *field = make_field(system, in);
    return system;
}

struct means {
    struct average volume, pressure, pressure_along[3], translation, rotation, of_volume, of_s;
};

/* The mean of (n kT + virial/3)/V is the pressure where volumes have the measure V^n dV: n is the number of molecules,
 * and one less in an extended Hamiltonian with a total momentum of zero. */
static void sample(double n, const struct ph_energy *energy, const struct ph_system *system, struct means *means)
{
    const double v = system->box.volume;
    for (int k = 0; k < 3; ++k)
        add_sample(&means->pressure_along[k], (n * kT + energy->virial[k][k]) / v);
    add_sample(&means->volume, v);
    add_sample(&means->pressure,
               (n * kT + (energy->virial[0][0] + energy->virial[1][1] + energy->virial[2][2]) / 3.0) / v);
    add_sample(&means->translation, ph_system_kinetic_translation(system));
    add_sample(&means->rotation, ph_system_kinetic_rotation(system));
}

static struct means means_of(long each)
{
    struct means means = {.volume = {.each = each}};
    means.pressure = means.translation = means.rotation = means.of_volume = means.of_s = means.volume;
    for (int k = 0; k < 3; ++k)
        means.pressure_along[k] = means.volume;
    return means;
}

static const struct ph_interactions interactions = {
    .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 1.3, .switch_width = 0.3, .smoothness = 6, .coulomb = 1.0};

/* Momenta are drawn anew all the time, which makes the temperature exact. */
static void run_block(enum ph_cell_shape shape, int block, struct ph_force_field *field, struct ph_system *system,
                      struct means *means)
{
    struct ph_mover_options options = plain_options("pefrl", 0.02);
    options.cell = (struct ph_cell_options){.kind = ph_cell_find("cell-rescaling"),
                                            .kT = kT,
                                            .pressure = pressure,
                                            .relaxation_time = 1.0,
                                            .compressibility = 0.1,
                                            .shape = shape,
                                            .every = 5,
                                            .seed = 1000 * (uint64_t)shape + (uint64_t)(block + 1)};
    struct ph_mover *mover = make_mover(system, field, &options);
    for (int k = 0; k < EACH; ++k) {
        ph_start_move(kT, false, false, (uint64_t)((block + 1) * EACH + k), system);
        ph_mover_momenta_changed(mover);
        move(mover, 15);
        const struct ph_energy energy = mover_energy(mover);
        if (means)
            sample((double)system->n, &energy, system, means);
    }
    assert_true(ph_mover_cell_acceptance(mover) > 0.75); /* of 120 trials; on average 0.95 of all shapes */
    ph_mover_destroy(mover);
}

/* Fluids let their cells take any shape, and long runs any that is too flat for the cutoff: so each block of a shape
 * begins in a cube, with a state of equilibrium that the isotropic run has reached. */
static void run_shapes(struct means means[3])
{
    struct ph_force_field *field;
    struct ph_system *system = make_spheres(&interactions, &field);
    for (int k = 0; k < 3; ++k)
        means[k] = means_of(EACH);
    run_block(PH_CELL_ISOTROPIC, -1, field, system, NULL);
    for (int block = 0; block < BLOCKS; ++block) {
        const struct ph_box box = system->box;
        double *state = take_state(system);
        for (int shape = PH_CELL_FULL; shape >= PH_CELL_ISOTROPIC; --shape) {
            system->box = box;
            put_state(state, system, field);
            assert_ok(ph_force_field_box_changed(field, system, &err));
            run_block((enum ph_cell_shape)shape, block, field, system, &means[shape]);
        }
        free(state);
    }
    put_away(field, system);
}

static struct means run_extended(bool cell, long each)
{
    struct ph_force_field *field;
    struct ph_system *system = make_spheres(&interactions, &field);
    struct ph_mover_options options = plain_options("mclachlan4-ss5", 0.015);
    options.extended = (struct ph_extended_options){.composition = ph_scheme_find("mclachlan4-ss5"),
                                                    .thermostat = true,
                                                    .cell = cell,
                                                    .kT = kT,
                                                    .degrees = 3 * system->n - 3 + 3 * system->n,
                                                    .thermostat_time = 0.3,
                                                    .pressure = pressure,
                                                    .cell_time = 0.5,
                                                    .compressibility = 0.1};
    struct ph_mover *mover = make_mover(system, field, &options);
    struct means means = means_of(each);
    for (long k = -200; k < BLOCKS * each; ++k) {
        move(mover, 10);
        const struct ph_energy energy = mover_energy(mover);
        if (k < 0)
            continue;
        sample((double)system->n - 1.0, &energy, system, &means);
        const double *numbers = ph_mover_save(mover).numbers;
        const double p_s = numbers[PH_EXTENDED_MOMENTUM_S], p_v = numbers[PH_EXTENDED_MOMENTUM_V];
        add_sample(&means.of_s, p_s * p_s / numbers[PH_EXTENDED_MASS_S]);
        add_sample(&means.of_volume, cell ? p_v * p_v / numbers[PH_EXTENDED_MASS_V] : 0.0);
    }
    const double h0 = ph_mover_save(mover).numbers[PH_EXTENDED_ENERGY];
    /* Where spheres begin to touch, forces have a kink: the energy walks, by up to 1e-3 as seen so far. */
    assert_close(mover_conserved(mover, system), h0, 3e-3, h0);
    ph_mover_destroy(mover);
    put_away(field, system);
    return means;
}

TEST(pressures_and_densities_agree)
{
    struct means shape[3];
    run_shapes(shape);
    const struct means extended = run_extended(true, 3 * EACH / 2);
    for (int k = 0; k < 3; ++k) {
        static const char *const names[] = {"isotropic", "edges", "full"};
        assert_mean(names[k], &shape[k].pressure, pressure, SURE, 0.015);
        for (int x = 0; x < 3; ++x)
            assert_mean(names[k], &shape[k].pressure_along[x], pressure, SURE, 0.03);
        assert_same_mean(names[k], &shape[k].volume, &extended.volume, SURE);
        assert_same_mean(names[k], &shape[k].volume, &shape[0].volume, SURE);
        assert_true(error_of(&shape[k].volume) < 0.006 * mean_of(&shape[k].volume));
    }
    assert_mean("extended", &extended.pressure, pressure, SURE, 0.008);
    assert_mean("translation", &extended.translation, 0.5 * (3 * N - 3) * kT, SURE, 0.016);
    assert_mean("rotation", &extended.rotation, 0.5 * 3 * N * kT, SURE, 0.016);
    assert_mean("momentum of the volume", &extended.of_volume, kT, SURE, 0.27);
    assert_mean("momentum of s", &extended.of_s, kT, SURE, 0.3);
}

TEST(temperature_without_pressure)
{
    const struct means extended = run_extended(false, EACH);
    assert_mean("translation", &extended.translation, 0.5 * (3 * N - 3) * kT, SURE, 0.016);
    assert_mean("rotation", &extended.rotation, 0.5 * 3 * N * kT, SURE, 0.016);
    assert_mean("momentum of s", &extended.of_s, kT, SURE, 0.35);
}
