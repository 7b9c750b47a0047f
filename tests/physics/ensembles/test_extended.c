/* SPDX-License-Identifier: MIT */
/* Extended Hamiltonians: the order of their compositions in the extended energy, reversibility, the ensembles that they
 * sample, and the same bits for any number of threads and after a restart. */
#include "physics/movers.h"

#include "dynamics/schemes/composition.h"
#include "output/checkpoint/hash.h"

#include <omp.h>

static struct ph_extended_options extended(const char *composition, bool thermostat, bool cell, size_t degrees)
{
    return (struct ph_extended_options){.composition = ph_scheme_find(composition),
                                        .thermostat = thermostat,
                                        .cell = cell,
                                        .kT = 1.35,
                                        .degrees = degrees,
                                        .thermostat_time = 0.1,
                                        .pressure = 1.0,
                                        .cell_time = 0.15,
                                        .compressibility = 0.1};
}

static struct ph_mover_options options_of(const struct ph_extended_options *extension, double step)
{
    struct ph_mover_options options = plain_options("verlet", step);
    options.extended = *extension;
    return options;
}

/* ---- Compositions ---- */

/* The weights add up to one, their odd powers below the order to zero; and the list is not empty by mistake. */
TEST(weights_of_compositions_meet_their_order)
{
    int found[12] = {0};
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        if (!ph_is_composition(scheme))
            continue;
        ++found[scheme->order];
        for (int power = 1; power <= scheme->order + 1; power += 2) {
            long double sum = 0.0L, size = 0.0L;
            for (int k = 0; k < ph_composition_steps(scheme); ++k) {
                const long double weight = ph_composition_weight(scheme, k);
                sum += powl(weight, power);
                size += fabsl(powl(weight, power));
            }
            const double residual = (double)(fabsl(sum - (power == 1 ? 1.0L : 0.0L)) / size);
            const double rounding = scheme->digits < 16 ? 1e-13 : 1e-14; /* those with fewer published digits */
            if (power > scheme->order ? !(residual > 1e-5) : !(residual < rounding))
                fail_msg("%s: sum of powers %d is off by %g", scheme->name, power, residual);
        }
    }
    assert_true(found[2] >= 1 && found[4] >= 3 && found[6] >= 3 && found[8] >= 3);
    static const char *const not [] = {"verlet-position", "pefrl", "mclachlan2", "srkn6-14a", "chin4a"};
    for (size_t k = 0; k < sizeof not / sizeof *not ; ++k)
        assert_false(ph_is_composition(ph_scheme_find(not [k])));
}

/* ---- Order ---- */

struct start {
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_box box;
    double *state;
    size_t degrees;
};

/* A polar fluid that has left its lattice, with a switch that is smooth enough */
static struct start make_start(void)
{
    const struct ph_interactions in = switched(2.0, 0.8, PH_SMOOTH_ALL);
    struct start start = {.system = make_fluid(64, 0.6, 5)};
    start.field = make_field(start.system, &in);
    run(start.system, start.field, "verlet", "exact", 0.004, 100);
    ph_start_move(1.35, true, false, 6, start.system);
    start.box = start.system->box;
    start.state = take_state(start.system);
    start.degrees = 3 * start.system->n - 3 + ph_system_degrees_rotation(start.system);
    return start;
}

static void put_start(const struct start *start)
{
    start->system->box = start->box;
    put_state(start->state, start->system, start->field);
    assert_ok(ph_force_field_box_changed(start->field, start->system, &err));
}

static void free_start(struct start *start)
{
    free(start->state);
    put_away(start->field, start->system);
}

/* Root of the mean square of the error of the extended energy, at `times` times of a span */
static double energy_error(const struct start *start, const struct ph_extended_options *extension, double span,
                           long times, long steps_each)
{
    put_start(start);
    const struct ph_mover_options options = options_of(extension, span / (double)(times * steps_each));
    struct ph_mover *mover = make_mover(start->system, start->field, &options);
    const double before = mover_conserved(mover, start->system);
    double square = 0.0;
    for (long k = 0; k < times; ++k) {
        move(mover, steps_each);
        const double error = mover_conserved(mover, start->system) - before;
        square += error * error;
    }
    ph_mover_destroy(mover);
    return sqrt(square / (double)times);
}

TEST(every_order_is_seen_in_the_extended_energy)
{
    if (PH_SANITIZED)
        skip();
    static const struct {
        const char *name;
        long steps; /* of each of the times, for the longer step */
    } compositions[] = {{"verlet", 16},  {"suzuki4", 6},     {"mclachlan4-ss5", 6},
                        {"yoshida6", 5}, {"kahan-li6-9", 5}, {"kahan-li8-17", 3}};
    static const struct {
        const char *name;
        bool thermostat, cell;
    } ensembles[] = {{"NVT", true, false}, {"NPH", false, true}, {"NPT", true, true}};
    struct start start = make_start();
    for (size_t e = 0; e < 3; ++e)
        for (size_t c = 0; c < sizeof compositions / sizeof *compositions; ++c) {
            const struct ph_extended_options extension =
                extended(compositions[c].name, ensembles[e].thermostat, ensembles[e].cell, start.degrees);
            const long steps = compositions[c].steps;
            const double coarse = energy_error(&start, &extension, 0.25, 10, steps);
            const double fine = energy_error(&start, &extension, 0.25, 10, 2 * steps);
            const double order = log2(coarse / fine);
            if (!(fabs(order - extension.composition->order) < 0.2))
                fail_msg("%s, %s: order %d stated, %.2f seen (errors %.2e, %.2e)", ensembles[e].name,
                         compositions[c].name, extension.composition->order, order, coarse, fine);
        }
    free_start(&start);
}

/* ---- Reversibility ---- */

TEST(back_with_the_opposite_step)
{
    struct start start = make_start();
    const struct ph_extended_options extension = extended("mclachlan4-ss5", true, true, start.degrees);
    const struct ph_mover_options there = options_of(&extension, 0.01), back = options_of(&extension, -0.01);
    put_start(&start);
    struct ph_mover *mover = make_mover(start.system, start.field, &there);
    move(mover, 40);
    struct ph_mover *other = make_mover(start.system, start.field, &back);
    memcpy(ph_mover_save(other).numbers, ph_mover_save(mover).numbers, PH_MOVER_NUMBERS * sizeof(double));
    assert_true(fabs(start.system->box.volume / start.box.volume - 1.0) > 1e-3); /* something happened */
    move(other, 40);
    double *end = take_state(start.system);
    assert_close(state_distance(start.system->n, start.state, end), 0.0, 1e-10, 1.0);
    assert_close(start.system->box.volume, start.box.volume, 1e-11, start.box.volume);
    const double *numbers = ph_mover_save(other).numbers;
    assert_close(numbers[PH_EXTENDED_S], 1.0, 1e-11, 1.0);
    assert_close(numbers[PH_EXTENDED_MOMENTUM_S] / numbers[PH_EXTENDED_MASS_S], 0.0, 1e-10, 1.0);
    free(end);
    ph_mover_destroy(other);
    ph_mover_destroy(mover);
    free_start(&start);
}

/* ---- Bits ---- */

/* 30 steps in one piece, or in two with everything made anew between them; what is kept is what checkpoints keep */
static uint64_t end_of(const struct start *start, const struct ph_extended_options *extension, bool in_pieces)
{
    struct ph_mover_options options = options_of(extension, 0.01);
    put_start(start);
    struct ph_system *system = start->system;
    struct ph_mover *mover = make_mover(system, start->field, &options);
    move(mover, 13);
    if (in_pieces) {
        const struct ph_interactions in = switched(2.0, 0.8, PH_SMOOTH_ALL);
        double numbers[PH_MOVER_NUMBERS];
        memcpy(numbers, ph_mover_save(mover).numbers, sizeof numbers);
        ph_mover_destroy(mover);
        struct ph_force_field *field = make_field(system, &in);
        const struct ph_force_memory memory = ph_force_field_memory(start->field);
        assert_ok(ph_force_field_restore(field, system, &memory, &err));
        mover = make_mover(system, field, &options);
        memcpy(ph_mover_save(mover).numbers, numbers, sizeof numbers);
        ph_mover_restore(mover, 13, false);
        move(mover, 17);
        ph_mover_destroy(mover);
        ph_force_field_destroy(field);
    } else {
        move(mover, 17);
        ph_mover_destroy(mover);
    }
    return ph_state_hash(system);
}

TEST(the_same_bits_for_all_threads_and_in_pieces)
{
    const int threads = omp_get_max_threads();
    struct start start = make_start();
    const struct ph_extended_options extension = extended("mclachlan4-ss5", true, true, start.degrees);
    omp_set_num_threads(1);
    const uint64_t one = end_of(&start, &extension, false);
    for (int n = 1; n <= 3; ++n) {
        omp_set_num_threads(n);
        assert_true(end_of(&start, &extension, false) == one);
        assert_true(end_of(&start, &extension, true) == one);
    }
    omp_set_num_threads(threads);
    free_start(&start);
}

/* ---- What goes together ---- */

TEST(what_does_not_go_together_is_refused)
{
    struct start start = make_start();
    const struct ph_extended_options extension = extended("verlet", true, true, start.degrees);
    struct ph_mover *mover;
    struct ph_mover_options options = options_of(&extension, 0.01);
    options.dynamics.pinned = true;
    assert_error(ph_mover_create(start.system, start.field, &options, &mover, &err), PH_ERR_INPUT, "pinned");
    options = options_of(&extension, 0.01);
    options.extended.composition = ph_scheme_find("pefrl");
    assert_error(ph_mover_create(start.system, start.field, &options, &mover, &err), PH_ERR_INPUT, "pefrl");
    options = options_of(&extension, 0.01);
    options.cell.kind = ph_cell_find("cell-rescaling");
    assert_error(ph_mover_create(start.system, start.field, &options, &mover, &err), PH_ERR_INPUT, "");
    free_start(&start);
}
