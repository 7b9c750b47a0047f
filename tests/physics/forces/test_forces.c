/* SPDX-License-Identifier: MIT */
/* What must hold for forces whatever they are: they are gradients of the energy, they balance, the virial is the
 * derivative with respect to strain; external fields; and what is refused. */
#include "physics/force_systems.h"
#include "physics/truncations.h"

#include <omp.h>

/* ---- Derivatives of the energy ---- */

/* Six points, error of order h^6 */
static double richardson(double (*energy)(void *, double), void *context, double h)
{
    double d[3];
    for (int k = 0; k < 3; ++k, h *= 0.5) {
        const double after = energy(context, h), before = energy(context, -h);
        d[k] = (after - before) / (2.0 * h);
    }
    const double one = (4.0 * d[1] - d[0]) / 3.0, two = (4.0 * d[2] - d[1]) / 3.0;
    return (16.0 * two - one) / 15.0;
}

struct probe {
    struct ph_force_field *field;
    struct ph_system *system;
    size_t i;
    int axis;
};

static double energy_of_shift(void *context, double h)
{
    struct probe *p = context;
    double *x = &p->system->r[p->axis][p->i], kept = *x;
    *x += h;
    const struct ph_energy energy = evaluate(p->field, p->system);
    *x = kept;
    return ph_energy_total(&energy);
}

/* Turned about an axis of space */
static double energy_of_turn(void *context, double h)
{
    struct probe *p = context;
    double turn[4] = {cos(0.5 * h), 0.0, 0.0, 0.0}, q[4], kept[4];
    turn[1 + p->axis] = sin(0.5 * h);
    for (int k = 0; k < 4; ++k)
        kept[k] = p->system->q[k][p->i];
    ph_quat_multiply(turn, kept, q);
    for (int k = 0; k < 4; ++k)
        p->system->q[k][p->i] = q[k];
    const struct ph_energy energy = evaluate(p->field, p->system);
    for (int k = 0; k < 4; ++k)
        p->system->q[k][p->i] = kept[k];
    return ph_energy_total(&energy);
}

static double largest_difference; /* for the report */

static void check_gradients(struct ph_force_field *field, struct ph_system *system, double step, const char *what)
{
    evaluate(field, system);
    double largest[2] = {0.0};
    double(*kept)[2][3] = calloc(system->n, sizeof *kept);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x) {
            kept[i][0][x] = system->f[x][i];
            kept[i][1][x] = system->t[x][i];
            largest[0] = fmax(largest[0], fabs(system->f[x][i]));
            largest[1] = fmax(largest[1], fabs(system->t[x][i]));
        }
    for (size_t i = 0; i < system->n; ++i)
        for (int axis = 0; axis < 3; ++axis)
            for (int turn = 0; turn < 2; ++turn) {
                struct probe probe = {field, system, i, axis};
                const double *given = kept[i][turn];
                const double want = -richardson(turn ? energy_of_turn : energy_of_shift, &probe, step);
                const double size = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2]);
                const double off = fabs(given[axis] - want) / fmax(size, 0.1 * largest[turn] + 1e-300);
                largest_difference = fmax(largest_difference, off);
                if (!(off < 1e-8) && !(largest[turn] == 0.0 && fabs(want) < 1e-10))
                    fail_msg("%s: %s %d of molecule %zu is %.17g, finite differences give %.17g", what,
                             turn ? "torque" : "force", axis, i, given[axis], want);
            }
    free(kept);
}

static struct ph_interactions interactions_of(size_t t)
{
    const bool endless = truncations[t].truncation == PH_TRUNCATE_NONE;
    return (struct ph_interactions){
        .truncation = truncations[t].truncation,
        .smoothness = truncations[t].smoothness,
        .cutoff = endless ? 0.0 : 2.4,
        .switch_width = truncations[t].truncation == PH_TRUNCATE_SWITCHED ? 1.2 : 0.0,
        .coulomb = 1.3,
    };
}

/* For every form and truncation, with and without a reaction field. Catches a force that is not that of the energy: the
 * slope of the switch forgotten in one term, a torque taken in the body frame. */
static void forces_and_torques_are_gradients_of_the_energy(void **state)
{
    static const struct ph_radial radials[] = {
        {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0},         {PH_RADIAL_MIE, 1.0, 1.0, 14.0, 7.0},
        {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0}, {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 9.5, 0.0},
        {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0},
    };
    const double step = 2e-3;
    for (size_t k = 0; k < sizeof radials / sizeof radials[0]; ++k)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (int rf = 0; rf < 2; ++rf) {
                struct ph_interactions interactions = interactions_of(t);
                const bool endless = truncations[t].truncation == PH_TRUNCATE_NONE;
                if ((endless || truncations[t].smoothness == PH_SMOOTH_ALL) && rf)
                    continue;
                interactions.electrostatics = rf ? PH_ELECTROSTATICS_REACTION_FIELD : PH_ELECTROSTATICS_CUTOFF;
                interactions.epsilon_rf = t % 2 ? 5.0 : INFINITY;
                const struct ph_box box = make_box(endless ? NULL : (k + t) % 2 ? tilted_edges : brick_edges, 5.5);
                static const size_t counts[MOLECULES] = {1, 1, 1, 1, 1};
                struct ph_system *system = make_clear_system(counts, radials[k], &box, &interactions, 1.25, 2 * step);
                struct ph_force_field *field = make_field(system, &interactions);
                char what[64];
                snprintf(what, sizeof what, "radial %zu, %s, rf %d", k, truncations[t].name, rf);
                check_gradients(field, system, step, what);
                put_away(field, system);
            }
    print_message("forces and torques: largest relative difference %.2g\n", largest_difference);
    largest_difference = 0.0;
}

/* ---- Balance ---- */

/* A pair in open space: t_i + t_j + r x f_i = 0, f_i + f_j = 0. Catches a torque with the wrong arm. */
static void a_pair_balances_forces_and_torques(void **state)
{
    for (int one = 0; one < MOLECULES; ++one)
        for (int other = one; other < MOLECULES; ++other)
            for (size_t t = 0; t < TRUNCATIONS; ++t)
                for (uint64_t seed = 1; seed <= 5; ++seed) {
                    size_t counts[MOLECULES] = {0};
                    ++counts[one];
                    ++counts[other];
                    const struct ph_box box = ph_box_open();
                    struct ph_system *s = make_system(counts, lennard_jones, &box, 1.0, seed);
                    const struct ph_interactions interactions = interactions_of(t);
                    evaluate_once(s, &interactions);
                    double r[3], f[3], size = 1e-10;
                    for (int x = 0; x < 3; ++x) {
                        r[x] = s->r[x][0] - s->r[x][1];
                        f[x] = s->f[x][0];
                        size += fabs(f[x]) * 4.0 + fabs(s->t[x][0]) + fabs(s->t[x][1]);
                        assert_close(s->f[x][1], -f[x], 1e-14, size);
                    }
                    for (int x = 0; x < 3; ++x) {
                        const int y = (x + 1) % 3, z = (x + 2) % 3;
                        assert_close(s->t[x][0] + s->t[x][1], r[z] * f[y] - r[y] * f[z], 1e-14, size);
                    }
                    ph_system_destroy(s);
                }
}

/* Newton's third law in a box, and angular momentum in open space */
static void the_total_force_and_torque_vanish(void **state)
{
    static const double(*const shapes[])[3] = {NULL, cube_edges, tilted_edges};
    for (size_t b = 0; b < 3; ++b) {
        const struct ph_box box = make_box(shapes[b], 9.0);
        struct ph_system *s = make_system((size_t[MOLECULES]){80, 80, 80, 60, 40}, lennard_jones, &box, 1.0, 1);
        struct ph_interactions interactions = interactions_of(6);
        interactions.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
        interactions.epsilon_rf = 80.0;
        evaluate_once(s, &interactions);
        double force[3] = {0.0}, torque[3] = {0.0}, size = 0.0, arm = 0.0;
        for (size_t i = 0; i < s->n; ++i)
            for (int x = 0; x < 3; ++x) {
                const int y = (x + 1) % 3, z = (x + 2) % 3;
                force[x] += s->f[x][i];
                torque[x] += s->t[x][i] + s->r[y][i] * s->f[z][i] - s->r[z][i] * s->f[y][i];
                size += fabs(s->f[x][i]);
                arm = fmax(arm, fabs(s->r[x][i]));
            }
        for (int x = 0; x < 3; ++x) {
            assert_close(force[x], 0.0, 1e-15, size);
            if (!shapes[b])
                assert_close(torque[x], 0.0, 1e-15, size * arm);
        }
        ph_system_destroy(s);
    }
}

/* ---- Virial ---- */

struct strained {
    const struct ph_system *system;
    const struct ph_interactions *interactions;
    int row, column; /* of the strain; -1: all of the diagonal, the volume */
};

/* Centres and box edges become (1 + strain) times what they were; orientations stay. */
static double energy_of_strain(void *context, double h)
{
    const struct strained *s = context;
    double edge[3][3], strain[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; ++k)
        strain[k][k] += s->row < 0 ? h : 0.0;
    if (s->row >= 0)
        strain[s->row][s->column] += h;
    const size_t counts[MOLECULES] = {s->system->first[1] - s->system->first[0],
                                      s->system->n_species > 1 ? s->system->first[2] - s->system->first[1] : 0,
                                      s->system->n_species > 2 ? s->system->first[3] - s->system->first[2] : 0,
                                      s->system->n_species > 3 ? s->system->first[4] - s->system->first[3] : 0,
                                      s->system->n_species > 4 ? s->system->first[5] - s->system->first[4] : 0};
    struct ph_box box = ph_box_open();
    if (s->system->box.kind != PH_BOX_OPEN) {
        for (int e = 0; e < 3; ++e)
            for (int x = 0; x < 3; ++x)
                edge[e][x] = strain[x][0] * s->system->box.edge[e][0] + strain[x][1] * s->system->box.edge[e][1] +
                             strain[x][2] * s->system->box.edge[e][2];
        assert_int_equal(ph_box_init_periodic((const double(*)[3])edge, &box, NULL), PH_OK);
    }
    struct ph_system *copy;
    assert_int_equal(ph_system_create(s->system->n_species, s->system->species, counts, &box, &copy, NULL), PH_OK);
    for (size_t i = 0; i < copy->n; ++i) {
        for (int x = 0; x < 3; ++x)
            copy->r[x][i] = strain[x][0] * s->system->r[0][i] + strain[x][1] * s->system->r[1][i] +
                            strain[x][2] * s->system->r[2][i];
        for (int k = 0; k < 4; ++k)
            copy->q[k][i] = s->system->q[k][i];
    }
    const struct ph_energy energy = evaluate_once(copy, s->interactions);
    ph_system_destroy(copy);
    return ph_energy_total(&energy);
}

/* dU/d strain_ab = -virial_ba, and with the volume: dU/d ln L = -trace. Catches an atomic virial in place of the
 * molecular one, images without their shift, a transposed tensor. */
static void the_virial_is_the_derivative_with_respect_to_strain(void **state)
{
    static const double(*const shapes[])[3] = {NULL, cube_edges, brick_edges, tilted_edges};
    for (size_t b = 0; b < 4; ++b)
        for (size_t t = 0; t < TRUNCATIONS; ++t) {
            if (truncations[t].truncation == PH_TRUNCATE_NONE && shapes[b])
                continue;
            const double step = 2e-4;
            struct ph_interactions interactions = interactions_of(t);
            if (t > 0 && truncations[t].smoothness != PH_SMOOTH_ALL) {
                interactions.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
                interactions.epsilon_rf = 3.0;
            }
            const struct ph_box box = make_box(shapes[b], 6.0);
            static const size_t counts[MOLECULES] = {1, 2, 2, 1, 1};
            struct ph_system *system = make_clear_system(counts, lennard_jones, &box, &interactions, 1.25, 6 * step);
            const struct ph_energy energy = evaluate_once(system, &interactions);
            double largest = 0.0;
            for (int k = 0; k < 9; ++k)
                largest = fmax(largest, fabs(energy.virial[k / 3][k % 3]));
            struct strained strained = {system, &interactions, -1, 0};
            const double trace = energy.virial[0][0] + energy.virial[1][1] + energy.virial[2][2];
            double off = fabs(-richardson(energy_of_strain, &strained, step) - trace) / largest;
            for (int k = 0; k < 9; ++k) {
                strained.row = k / 3;
                strained.column = k % 3;
                const double want = -richardson(energy_of_strain, &strained, step);
                off = fmax(off, fabs(want - energy.virial[k % 3][k / 3]) / largest);
            }
            largest_difference = fmax(largest_difference, off);
            if (!(off < 1e-8))
                fail_msg("box %zu, %s: virial is off by %.2g", b, truncations[t].name, off);
            ph_system_destroy(system);
        }
    print_message("virial: largest relative difference %.2g\n", largest_difference);
    largest_difference = 0.0;
}

/* ---- External fields ---- */

/* All at once, with molecules that have crossed the box: gradients, and that the pair virial is left alone. */
static void external_fields_are_gradients_too(void **state)
{
    struct ph_interactions interactions = interactions_of(6);
    const struct ph_box box = make_box(tilted_edges, 5.5);
    static const size_t counts[MOLECULES] = {1, 1, 1, 1, 1};
    struct ph_system *system = make_clear_system(counts, lennard_jones, &box, &interactions, 1.25, 4e-3);
    struct ph_force_field *plain = make_field(system, &interactions);
    const struct ph_energy before = evaluate(plain, system);
    const struct ph_interactions external = {
        .truncation = interactions.truncation,
        .smoothness = interactions.smoothness,
        .cutoff = interactions.cutoff,
        .switch_width = interactions.switch_width,
        .coulomb = interactions.coulomb,
        .external.electric_field = {0.7, -0.4, 1.1},
        .external.gravity = {0.1, 0.2, -0.5},
        .external.body_force = {-0.6, 0.3, 0.4},
        .external.body_point = {0.2, -0.3, 0.5},
        .external.tether = 2.5,
    };
    for (size_t i = 0; i < system->n; ++i)
        system->image[i % 3][i] += 2;
    struct ph_force_field *field = make_field(system, &external);
    for (size_t i = 0; i < system->n; ++i)
        for (int x = 0; x < 3; ++x)
            system->r[x][i] += 1e-4 * random_number(1, 3 * i + (size_t)x);
    const struct ph_energy after = evaluate(field, system);
    assert_true(after.field != 0.0 && before.field == 0.0);
    check_gradients(field, system, 2e-3, "external fields");
    ph_force_field_destroy(field);
    put_away(plain, system);
}

/* One molecule, by hand: a charge q in a field E feels q E, a dipole mu x E, a tether k times its stretch also after
 * the molecule has been wrapped. */
static void external_fields_have_their_closed_forms(void **state)
{
    const struct ph_box box = make_box(cube_edges, 5.0);
    struct ph_species ion = make_molecule(POLAR, lennard_jones);
    ion.site[0].charge = 2.0;
    struct ph_system *s;
    const size_t one = 1;
    assert_int_equal(ph_system_create(1, &ion, &one, &box, &s, NULL), PH_OK);
    struct ph_interactions interactions = interactions_of(1);
    interactions.external.electric_field[2] = 3.0;
    s->r[2][0] = 1.0;
    struct ph_force_field *field = make_field(s, &interactions);
    struct ph_energy energy = evaluate(field, s);
    assert_close(s->f[2][0], 6.0, 1e-15, 6.0);
    assert_close(s->t[0][0], -0.5 * 3.0, 1e-15, 3.0); /* (0.3, -0.5, 1.1) x (0, 0, 3) */
    assert_close(s->t[1][0], -0.3 * 3.0, 1e-15, 3.0);
    assert_close(s->t[2][0], 0.0, 1e-15, 3.0);
    assert_close(energy.field, -1.1 * 3.0 - 6.0 * 1.0, 1e-15, 10.0);
    ph_force_field_destroy(field);

    interactions = interactions_of(1);
    interactions.external.tether = 4.0;
    s->r[0][0] = 4.9;
    field = make_field(s, &interactions);
    s->r[0][0] = 5.3; /* leaves the box: wrapped to 0.3, one image */
    energy = evaluate(field, s);
    assert_int_equal(s->image[0][0], 1);
    assert_close(s->r[0][0], 0.3, 1e-15, 5.0);
    assert_close(s->f[0][0], -4.0 * 0.4, 4e-15, 5.0);
    assert_close(energy.field, 2.0 * 0.16, 4e-15, 5.0);
    ph_force_field_destroy(field);

    interactions = interactions_of(1);
    interactions.external.gravity[1] = -9.0;
    interactions.external.body_force[0] = 2.0;
    interactions.external.body_point[2] = 0.5;
    s->q[0][0] = s->q[1][0] = sqrt(0.5); /* turns z to -y */
    field = make_field(s, &interactions);
    evaluate(field, s);
    assert_close(s->f[0][0], 2.0, 1e-15, 2.0);
    assert_close(s->f[1][0], -9.0 * ion.mass, 1e-15, 20.0);
    assert_close(s->t[2][0], 1.0, 4e-16, 1.0); /* (0, -1/2, 0) x (2, 0, 0) = (0, 0, 1) */
    assert_close(s->t[0][0], 0.0, 1e-15, 1.0);
    assert_close(s->t[1][0], 0.0, 1e-15, 1.0);
    put_away(field, s);
}

/* ---- What is refused ---- */

static enum ph_status try_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                 struct ph_error *err)
{
    struct ph_force_field *field;
    const enum ph_status status = ph_force_field_create(system, interactions, &field, err);
    assert_true((status == PH_OK) == (field != NULL));
    ph_force_field_destroy(field);
    return status;
}

static void assert_refused(const struct ph_system *system, const struct ph_interactions *interactions, const char *one,
                           const char *two)
{
    struct ph_error err = {.text = ""};
    const enum ph_status status = try_create(system, interactions, &err);
    if (status != PH_ERR_INPUT || !strstr(err.text, one) || !strstr(err.text, two))
        fail_msg("status 2 and '%s', '%s' expected, got %d and '%s'", one, two, (int)status, err.text);
}

static void impossible_interactions_are_refused_with_the_numbers(void **state)
{
    const struct ph_box box = make_box(brick_edges, 4.0); /* widths 5, 4, 3.6 */
    struct ph_system *s = make_system((size_t[MOLECULES]){3, 0, 3, 0, 0}, lennard_jones, &box, 1.0, 1);
    struct ph_interactions interactions = interactions_of(1);
    interactions.cutoff = 1.81;
    assert_refused(s, &interactions, "1.81", "3.6");
    interactions.cutoff = 1.8;
    assert_int_equal(try_create(s, &interactions, NULL), PH_OK);
    interactions.cutoff = 0.0;
    assert_refused(s, &interactions, "interactions.cutoff is 0", "positive");
    interactions.cutoff = NAN;
    assert_refused(s, &interactions, "interactions.cutoff is", "positive");
    interactions = interactions_of(0);
    assert_refused(s, &interactions, "periodic box", "interactions.cutoff");
    interactions = interactions_of(6);
    interactions.cutoff = 1.5;
    interactions.switch_width = 1.6;
    assert_refused(s, &interactions, "switch.width is 1.6", "1.5");
    interactions.switch_width = 0.0;
    assert_refused(s, &interactions, "switch.width is 0", "1.5");

    interactions = interactions_of(1);
    interactions.cutoff = 1.5;
    s->species[0].site[0].radial.kind = PH_RADIAL_SOFT_SPHERE;
    assert_refused(s, &interactions, "atom.A and water.O", "interactions.pairs");
    s->species[0].site[0].radial = (struct ph_radial){PH_RADIAL_MIE, 1.0, 1.0, 14.0, 6.0};
    assert_refused(s, &interactions, "atom.A and water.O", "different form");
    s->species[0].site[0].radial.repulsive = 12.0;
    interactions.truncation = PH_TRUNCATE_SHIFTED;
    interactions.long_range_correction = true;
    assert_refused(s, &interactions, "long_range_correction", "switched");
    interactions.truncation = PH_TRUNCATE_CUT;
    s->species[0].site[0].radial.attractive = s->species[1].site[0].radial.attractive = 3.0;
    assert_refused(s, &interactions, "r^-3", "does not exist");
    ph_system_destroy(s);
}

/* A reaction field is that of a sphere with the radius of the cutoff: without one there is none. */
static void a_reaction_field_needs_a_cutoff(void **state)
{
    const struct ph_box box = ph_box_open();
    struct ph_system *s = make_system((size_t[MOLECULES]){0, 2, 2, 0, 0}, lennard_jones, &box, 1.0, 1);
    struct ph_interactions interactions = interactions_of(0);
    interactions.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    interactions.epsilon_rf = 10.0;
    assert_refused(s, &interactions, "reaction", "cutoff");
    ph_system_destroy(s);
}

/* It ends by a polynomial: all derivatives are more than it can have. */
static void a_reaction_field_has_not_all_derivatives(void **state)
{
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *s = make_system((size_t[MOLECULES]){0, 2, 2, 0, 0}, lennard_jones, &box, 1.0, 1);
    struct ph_interactions interactions = interactions_of(TRUNCATIONS - 1);
    interactions.electrostatics = PH_ELECTROSTATICS_REACTION_FIELD;
    interactions.epsilon_rf = 10.0;
    assert_refused(s, &interactions, "reaction", "smoothness must be 2, 4 or 6");
    ph_system_destroy(s);
}

/* WCA ends by itself, at 2^(1/6) sigma. A cutoff below that would end it earlier, and lists would miss some pairs. */
static void a_cutoff_inside_wca_is_refused(void **state)
{
    const struct ph_radial wca = {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0};
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *s = make_system((size_t[MOLECULES]){5, 0, 0, 0, 0}, wca, &box, 1.0, 1);
    struct ph_interactions interactions = interactions_of(1);
    interactions.cutoff = 1.12 * s->species[0].site[0].radial.sigma;
    assert_refused(s, &interactions, "cutoff", "1.1");
    interactions.cutoff = 1.13 * s->species[0].site[0].radial.sigma;
    assert_int_equal(try_create(s, &interactions, NULL), PH_OK);
    ph_system_destroy(s);
}

static void assert_numbers_fail(struct ph_force_field *field, struct ph_system *s, const char *one, const char *two)
{
    struct ph_error err = {.text = ""};
    struct ph_energy energy;
    for (int with_energy = 0; with_energy < 2; ++with_energy) {
        const enum ph_status status =
            ph_force_field_evaluate(field, s, PH_FORCES_ALL, NULL, with_energy ? &energy : NULL, &err);
        if (status != PH_ERR_NUMBERS || !strstr(err.text, one) || !strstr(err.text, two))
            fail_msg("status 3 and '%s', '%s' expected, got %d and '%s'", one, two, (int)status, err.text);
    }
}

/* Catches comparisons with the cutoff that are false for NaN, and so drop the pair. */
static void overlaps_name_both_molecules(void **state)
{
    for (int form = 0; form < 4; ++form) /* Lennard-Jones, any exponent, WCA, dipoles alone */
        for (size_t t = 0; t < TRUNCATIONS; ++t) {
            const bool open = truncations[t].truncation == PH_TRUNCATE_NONE;
            static const struct ph_radial radials[] = {{PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0},
                                                       {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 9.5, 0.0},
                                                       {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0},
                                                       {PH_RADIAL_NONE, 0.0, 0.0, 0.0, 0.0}};
            const struct ph_box box = make_box(open ? NULL : tilted_edges, 6.0);
            const size_t counts[MOLECULES] = {0, form == 3 ? 60 : 0, 0, 0, 0}, atoms[MOLECULES] = {60, 0, 0, 0, 0};
            struct ph_system *s = make_system(form == 3 ? counts : atoms, radials[form], &box, 1.0, 1);
            const struct ph_interactions interactions = interactions_of(t);
            struct ph_force_field *field = make_field(s, &interactions);
            evaluate(field, s);
            for (int x = 0; x < 3; ++x)
                s->r[x][41] = s->r[x][17];
            assert_numbers_fail(field, s, "molecule 17", "molecule is 41");
            put_away(field, s);
        }
}

/* Whether the list is new or old, and without a list: the molecule at fault is named, not one that felt it. */
static void positions_that_are_no_numbers_name_the_molecule(void **state)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (int open = 0; open < 3; ++open) /* box; open with a cutoff; all pairs */
        for (size_t v = 0; v < 6; ++v)
            for (int old_list = 0; old_list < 2; ++old_list) {
                const struct ph_box box = make_box(open ? NULL : cube_edges, 6.0);
                struct ph_system *s = make_system((size_t[MOLECULES]){20, 0, 20, 0, 0}, lennard_jones, &box, 1.0, 1);
                const struct ph_interactions interactions = interactions_of(open == 2 ? 0 : v < 3 ? 6 : 1);
                struct ph_force_field *field = make_field(s, &interactions);
                if (old_list)
                    evaluate(field, s);
                s->r[1][23] = values[v % 3];
                assert_numbers_fail(field, s, "molecule 23", "finite");
                put_away(field, s);
            }
}

static void orientations_that_are_no_numbers_name_the_molecule(void **state)
{
    for (size_t t = 0; t < TRUNCATIONS; ++t) {
        const struct ph_box box = make_box(truncations[t].truncation == PH_TRUNCATE_NONE ? NULL : cube_edges, 6.0);
        struct ph_system *s = make_system((size_t[MOLECULES]){20, 0, 20, 0, 0}, lennard_jones, &box, 1.0, 1);
        const struct ph_interactions interactions = interactions_of(t);
        struct ph_force_field *field = make_field(s, &interactions);
        evaluate(field, s);
        s->q[2][31] = NAN;
        assert_numbers_fail(field, s, "molecule 31", "finite");
        put_away(field, s);
    }
}

/* The wall is where molecule 1 points, straight down. */
static void fields_without_bounds_name_the_molecule(void **state)
{
    const struct ph_box box = ph_box_open();
    struct ph_system *s = make_system((size_t[MOLECULES]){0, 3, 0, 0, 0}, lennard_jones, &box, 2.0, 1);
    struct ph_interactions interactions = interactions_of(0);
    interactions.external.wall_repulsion = 0.7;
    interactions.external.wall_height = 1.0;
    struct ph_force_field *field = make_field(s, &interactions);
    evaluate(field, s);
    for (int k = 0; k < 4; ++k)
        s->q[k][1] = k == 1;
    assert_numbers_fail(field, s, "molecule 1", "External fields");
    double rates[6] = {0.0}, *const v[3] = {rates, rates, rates};
    assert_int_equal(ph_force_field_rates(field, s, NULL, &(struct ph_rates){v, v, v, v}, NULL),
                     PH_ERR_NUMBERS); /* no forces to go by */
    for (int k = 0; k < 4; ++k)
        s->q[k][1] = k == 0;
    evaluate(field, s); /* and recovers */
    put_away(field, s);
}

/* Ions so strong that their squares overflow, further apart than the cutoff: the pairs do not notice. */
static void waves_without_bounds_are_noticed(void **state)
{
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *s = make_system((size_t[MOLECULES]){2, 0, 0, 0, 0}, lennard_jones, &box, 1.0, 1);
    struct ph_system *ions;
    struct ph_species species[2] = {s->species[0], s->species[0]};
    species[0].site[0].charge = 1e170;
    species[1].site[0].charge = -1e170;
    assert_int_equal(ph_system_create(2, species, (size_t[]){1, 1}, &box, &ions, NULL), PH_OK);
    for (int x = 0; x < 3; ++x)
        ions->r[x][1] = 2.9;
    struct ph_interactions interactions = interactions_of(1);
    interactions.electrostatics = PH_ELECTROSTATICS_EWALD;
    interactions.epsilon_rf = INFINITY;
    struct ph_force_field *field = make_field(ions, &interactions);
    assert_numbers_fail(field, ions, "molecule 0", "finite");
    put_away(field, ions);
    ph_system_destroy(s);
}

/* A few molecules, many times: threads would only wait for each other. What they could break is tested in
 * test_forces_reference.c. */
int main(void)
{
    omp_set_num_threads(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_and_torques_are_gradients_of_the_energy),
        cmocka_unit_test(a_pair_balances_forces_and_torques),
        cmocka_unit_test(the_total_force_and_torque_vanish),
        cmocka_unit_test(the_virial_is_the_derivative_with_respect_to_strain),
        cmocka_unit_test(external_fields_are_gradients_too),
        cmocka_unit_test(external_fields_have_their_closed_forms),
        cmocka_unit_test(impossible_interactions_are_refused_with_the_numbers),
        cmocka_unit_test(a_reaction_field_needs_a_cutoff),
        cmocka_unit_test(a_reaction_field_has_not_all_derivatives),
        cmocka_unit_test(a_cutoff_inside_wca_is_refused),
        cmocka_unit_test(overlaps_name_both_molecules),
        cmocka_unit_test(positions_that_are_no_numbers_name_the_molecule),
        cmocka_unit_test(orientations_that_are_no_numbers_name_the_molecule),
        cmocka_unit_test(fields_without_bounds_name_the_molecule),
        cmocka_unit_test(waves_without_bounds_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
