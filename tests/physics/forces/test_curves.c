/* SPDX-License-Identifier: MIT */
/* Tables and formulas of the user's own (potential/curves/curve.h) in molecules: against built-in Lennard-Jones in all
 * boxes and truncations, at the beginning of a table, and the order that schemes have with them. */
#include "physics/form_checks.h"
#include "physics/truncations.h"

#include "force/pairs/pair_table.h"
#include "potential/curves/curve.h"

enum { POINTS = 400, SITES = 7, PAIRS = SITES * (SITES + 1) / 2 };

static struct ph_radial make_formula(const char *formula, double epsilon, double sigma)
{
    struct ph_program_constant constants[] = {{.name = "eps", .value = epsilon}, {.name = "s", .value = sigma}};
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    if (!ph_program_compile(formula, 2, constants, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    const struct ph_curve *curve;
    assert_ok(ph_curve_of_formula(formula, &program, &curve, &err));
    return ph_curve_radial(curve);
}

/* Lennard-Jones at distances that grow by one factor */
static struct ph_radial make_table(double epsilon, double sigma, double first, double last)
{
    double r[POINTS], u[POINTS];
    for (int k = 0; k < POINTS; ++k) {
        r[k] = first * exp(k * log(last / first) / (POINTS - 1));
        const double x = pow(sigma / r[k], 6.0);
        u[k] = 4.0 * epsilon * x * (x - 1.0);
    }
    const struct ph_curve *curve;
    assert_ok(ph_curve_of_table("table", POINTS, r, u, &curve, &err));
    return ph_curve_radial(curve);
}

enum form { TABLE, FORMULA };

/* The interaction of each pair of sites as a curve with the numbers that the combining rule gives */
static size_t curves_of(enum form form, const struct ph_system *system, const struct ph_interactions *interactions,
                        struct ph_pair_override pairs[PAIRS])
{
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = s; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = s == t ? a : 0; b < system->species[t].n_sites; ++b) {
                    const struct ph_species *one = &system->species[s], *other = &system->species[t];
                    struct ph_radial lj;
                    assert_ok(ph_combine(interactions, one, a, other, b, &lj, &err));
                    if (lj.kind == PH_RADIAL_NONE)
                        continue;
                    assert_true(n < PAIRS);
                    pairs[n] = (struct ph_pair_override){
                        .radial = form == FORMULA ? make_formula("4*eps*((s/r)^12 - (s/r)^6)", lj.epsilon, lj.sigma)
                                                  : make_table(lj.epsilon, lj.sigma, 0.3, 2.75)};
                    snprintf(pairs[n].site[0], sizeof pairs[n].site[0], "%s.%s", one->name, one->site[a].name);
                    snprintf(pairs[n].site[1], sizeof pairs[n].site[1], "%s.%s", other->name, other->site[b].name);
                    ++n;
                }
    return n;
}

/* Mixtures of molecules with charges and dipoles. Catches curves that are not cut, shifted, switched or combined like
 * all others, and rates that are not theirs. */
TEST(curves_of_lennard_jones_are_lennard_jones)
{
    static const size_t counts[MOLECULES] = {4, 3, 4, 3, 4};
    for (int form = TABLE; form <= FORMULA; ++form)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (size_t b = 0; b < 4; b += 3) {
                const bool endless = truncations[t].truncation == PH_TRUNCATE_NONE;
                if (endless && (boxes[b].shape || form == TABLE))
                    continue;
                struct ph_interactions interactions = {
                    .truncation = truncations[t].truncation,
                    .smoothness = truncations[t].smoothness,
                    .cutoff = endless ? 0.0 : 2.5,
                    .switch_width = truncations[t].truncation == PH_TRUNCATE_SWITCHED ? 1.1 : 0.0,
                    .coulomb = 1.7};
                const struct ph_box box = make_box(boxes[b].shape, 5.7);
                struct ph_system *system = make_system(counts, lennard_jones, &box, 1.2, t);
                struct all_forces want = evaluate_all(system, &interactions);
                struct ph_pair_override pairs[PAIRS];
                interactions.n_overrides = curves_of((enum form)form, system, &interactions, pairs);
                interactions.overrides = pairs;
                struct all_forces got = evaluate_all(system, &interactions);
                const size_t n = system->n;
                const double tolerance = form == FORMULA ? 1e-13 : 1e-9;
                const double energy = fabs(got.energy.radial - want.energy.radial) / fabs(want.energy.radial);
                const double force = difference(6 * n, got.f, want.f);
                const double rate = difference(6 * n, got.f + 6 * n, want.f + 6 * n);
                if (!(energy < tolerance && force < tolerance && rate < 100.0 * tolerance))
                    fail_msg("%s, %s, %s: energy %.2g, forces %.2g, rates %.2g", form == FORMULA ? "formula" : "table",
                             truncations[t].name, boxes[b].name, energy, force, rate);
                free(want.f);
                free(got.f);
                ph_system_destroy(system);
            }
}

/* Two atoms on the x axis */
static struct ph_system *make_pair(const struct ph_radial *radial, double r)
{
    struct ph_species species = {.name = "atom", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = *radial};
    struct ph_system *system = NULL;
    const struct ph_box box = ph_box_open();
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    assert_ok(ph_system_create(1, &species, &(size_t){2}, &box, &system, &err));
    system->r[0][1] = r;
    return system;
}

TEST(sites_nearer_than_a_table_are_an_error)
{
    const struct ph_radial table = make_table(1.0, 1.0, 0.8, 2.75);
    const struct ph_interactions cut = {.truncation = PH_TRUNCATE_CUT, .cutoff = 2.5, .coulomb = 1.0};
    for (int within = 0; within < 2; ++within) {
        struct ph_system *system = make_pair(&table, 0.8 * (within ? 1.0 - 1e-12 : 1.0 + 1e-12));
        struct ph_force_field *field;
        struct ph_energy energy;
        assert_ok(ph_force_field_create(system, &cut, &field, &err));
        if (within) {
            assert_error(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err), PH_ERR_NUMBERS,
                         "Molecules 0 and 1 overlap: their sites A and A are 0.8 apart, nearer than the first point");
        } else {
            assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
            assert_close(energy.radial, 4.0 * (pow(0.8, -12.0) - pow(0.8, -6.0)), 1e-9, 58.0);
        }
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}

/* Catches a wall at another maximum, and a wall where there is none. */
TEST(formulas_that_fall_without_bound_have_a_wall)
{
    const struct ph_radial built_in = {PH_RADIAL_BUCKINGHAM, 600000.0, 0.083984375, 0.0, 3.5};
    const struct ph_radial formula = make_formula("600000*exp(-r/0.083984375) - 3.5*(eps*s/r)^6", 1.0, 1.0);
    assert_close(ph_radial_wall(&formula), ph_radial_wall(&built_in), 1e-13, 1.0);
    assert_close(ph_radial_size(&formula), ph_radial_size(&built_in), 1e-13, 1.0);
    assert_close(ph_radial_depth(&formula), ph_radial_depth(&built_in), 1e-9, 1.0);
    const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};
    struct ph_system *system = make_pair(&formula, 0.246);
    struct ph_force_field *field;
    struct ph_energy energy;
    assert_ok(ph_force_field_create(system, &endless, &field, &err));
    assert_error(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err), PH_ERR_NUMBERS,
                 "interaction has its maximum at 0.24653");
    ph_force_field_destroy(field);
    ph_system_destroy(system);
    static const char *const without[] = {"eps*s*exp(-r^2)", "-eps*s/r", "eps/r^12 - s/r^6",
                                          "eps*exp(-r)/r - s*exp(-r^2)"};
    for (size_t k = 0; k < sizeof without / sizeof *without; ++k) {
        const struct ph_radial plain = make_formula(without[k], 1.0, 1.0);
        assert_true(ph_radial_wall(&plain) == 0.0);
    }
}

TEST(what_a_curve_does_not_know_is_refused)
{
    const struct ph_radial table = make_table(1.0, 1.0, 0.8, 2.75), formula = make_formula("eps*s/r^7", 1.0, 1.0);
    struct ph_interactions in = {.truncation = PH_TRUNCATE_CUT, .cutoff = 2.75, .coulomb = 1.0};
    struct ph_system *system = make_pair(&table, 1.0);
    struct ph_force_field *field;
    assert_ok(ph_force_field_create(system, &in, &field, &err));
    ph_force_field_destroy(field);
    in.cutoff = nextafter(2.75, 3.0);
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT, "atom.A and atom.A ends at 2.75");
    in.truncation = PH_TRUNCATE_NONE;
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT, "ends at 2.75 (table): give a cutoff");
    ph_system_destroy(system);
    system = make_pair(&formula, 1.0);
    system->box = make_box(cube_edges, 6.0);
    in = (struct ph_interactions){
        .truncation = PH_TRUNCATE_CUT, .cutoff = 2.5, .coulomb = 1.0, .long_range_correction = true};
    assert_error(ph_force_field_create(system, &in, &field, &err), PH_ERR_INPUT,
                 "interactions.long_range_correction is not possible with a formula");
    ph_system_destroy(system);
    struct ph_radial out;
    assert_false(ph_radial_combine(&table, &formula, false, &out));
    assert_true(ph_radial_combine(&table, &table, false, &out) && ph_radial_alike(&table, &out));
    const struct ph_radial longer = make_table(1.0, 1.0, 0.8, 3.0);
    assert_false(ph_radial_combine(&table, &longer, false, &out));
}

/* Formulas without a well, or with u = 0 where it might have a size, act as they say. One with a bounded core may be
 * negative there, and has no wall. (The first two were left out, silently; the third one did not combine with itself.)
 */
TEST(formulas_of_any_shape_act)
{
    static const struct {
        const char *formula;
        double r, u;
    } tried[] = {{"eps*0.5*(r-s)^2", 1.5, 0.125},
                 {"eps*log(r/s)", 1.5, 0.405465108108164},
                 {"eps*sqrt(r-2*s)", 2.25, 0.5},
                 {"-5*eps*exp(-4*r^2/s^2)", 0.3, -3.48838163035535}};
    const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; ++k) {
        const struct ph_radial formula = make_formula(tried[k].formula, 1.0, 1.0);
        struct ph_system *system = make_pair(&formula, tried[k].r);
        const struct all_forces result = evaluate_all(system, &endless);
        assert_close(result.energy.radial, tried[k].u, 1e-13, tried[k].u);
        free(result.f);
        ph_system_destroy(system);
    }
    const struct ph_radial core = make_formula("-5*eps*exp(-4*r^2) + 2*s*exp(-(r-1.5)^2)", 1.0, 1.0);
    assert_true(ph_radial_wall(&core) == 0.0 && ph_radial_size(&core) < 3.0);
}

/* A formula that grows without end is cut all the same: places that only fill a row must not turn into NaN. */
TEST(growing_formulas_end_at_the_cutoff)
{
    const struct ph_radial spring = make_formula("eps*exp(r^4) + s*r^30", 1.0, 1.0);
    struct ph_interactions in = {
        .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 1.5, .switch_width = 0.5, .smoothness = 6, .coulomb = 1.0};
    for (int far = 0; far < 2; ++far) {
        struct ph_system *system = make_pair(&spring, far ? 100.0 : 0.5);
        struct ph_force_field *field;
        struct ph_energy energy;
        assert_ok(ph_force_field_create(system, &in, &field, &err));
        assert_ok(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err));
        assert_close(energy.radial, far ? 0.0 : exp(0.0625) + pow(0.5, 30.0), 1e-14, 1.0);
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}

/* Molecules that turn, and a scheme with gradients of forces. Catches a spline that is not smooth enough for order 6.
 */
TEST(schemes_keep_their_order)
{
    const struct ph_box box = make_box(cube_edges, 5.6);
    for (int form = TABLE; form <= FORMULA; ++form) {
        struct ph_interactions interactions = switched(2.7, 1.6, 6);
        struct ph_pair_override pairs[PAIRS];
        struct ph_system *system = make_system((size_t[MOLECULES]){24, 0, 0, 16, 0}, lennard_jones, &box, 1.2, 3);
        interactions.n_overrides = curves_of((enum form)form, system, &interactions, pairs);
        interactions.overrides = pairs;
        ph_start_move(0.5, true, false, 3, system);
        struct ph_force_field *field = make_field(system, &interactions);
        check_orders(system, field);
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}
