/* SPDX-License-Identifier: MIT */
/* Radial forms that have a loop of their own (potential/forms.h): numbers of their formulas, walls, combining rules,
 * tails, and the order that schemes have with them. */
#include "physics/force_reference.h"
#include "physics/form_checks.h"
#include "physics/truncations.h"

#include "force/pairs/pair_table.h"

static const struct ph_radial exp_6 = {PH_RADIAL_BUCKINGHAM, 600000.0, 0.083984375, 0.0, 3.5};
static const struct ph_radial born = {PH_RADIAL_BUCKINGHAM, 2000.0, 0.15625, 0.0, 0.0};
static const struct ph_radial yukawa = {PH_RADIAL_YUKAWA, 1.5, 0.75, 2.5, 0.0};
static const struct ph_radial morse = {PH_RADIAL_MORSE, 0.625, 1.125, 5.0, 0.0};
static const double exp_6_wall = 0.24653249252766631596;

/* Two atoms on the x axis */
static struct ph_system *make_pair(const struct ph_radial *radial, double r)
{
    struct ph_species species = {.name = "atom", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = *radial};
    struct ph_error err = {.text = ""};
    struct ph_system *system = NULL;
    const struct ph_box box = ph_box_open();
    if (ph_species_complete(&species, NULL, NULL, &err) != PH_OK ||
        ph_system_create(1, &species, &(size_t){2}, &box, &system, &err) != PH_OK)
        fail_msg("%s", err.text);
    system->r[0][1] = r;
    return system;
}

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* ---- Formulas ---- */

/* u, u' and u'' by mpmath with 40 digits */
static const struct {
    const struct ph_radial *radial;
    double r, u, slope, curvature;
} numbers[] = {
    {&exp_6, 0.5, 1334.0597281258264323, -15863.780948847049612, 183263.62432115556747},
    {&exp_6, 0.875, 10.124263644278060828, -159.93128568377770616, 2113.2295163082284051},
    {&exp_6, 1.0, 0.54591686067920696282, -27.174637969017534069, 426.61429395667389403},
    {&exp_6, 1.125, -0.81312101997765748535, -1.6672249630644353064, 72.19518052694542537},
    {&exp_6, 1.5, -0.29676393298954321812, 1.1039826605570238644, -4.2461688015095982602},
    {&exp_6, 2.25, -0.026974322932621974175, 0.071918681296426800488, -0.22360140250979850156},
    {&born, 0.5, 81.524407956732430332, -521.75621092308755413, 3339.2397499077603464},
    {&born, 1.0, 3.3231145463478689982, -21.267933096626361588, 136.11477181840871416},
    {&born, 2.0, 0.005521545144074401586, -0.03533788892207617015, 0.22616248910128748896},
    {&yukawa, 0.25, 15.706543308578286193, -102.09253150575886025, 914.90614772468517072},
    {&yukawa, 0.75, 1.5, -5.75, 24.708333333333333333},
    {&yukawa, 1.25, 0.25785431717417109029, -0.85091924667476459796, 2.9730602770181926711},
    {&yukawa, 3.0, 0.0013524611760058989583, -0.0038319733320167137153, 0.011007531238048010966},
    {&morse, 0.5, 295.30814655080535623, -3095.3308098425956122, 31664.554820098666372},
    {&morse, 1.0, -0.15384309837662714805, -10.13810625018511856, 159.7637486716081358},
    {&morse, 1.125, -0.625, 0.0, 31.25},
    {&morse, 1.5, -0.17699511739615488647, 0.81148263118074596912, -3.3224835979034452132},
    {&morse, 2.5, -0.0012909547333032745626, 0.0064514370914850141169, -0.032223819707111483625},
};

/* By the functions for single distances, and by the kernels. Catches a wrong factor in a formula, and constants in the
 * wrong order. */
TEST(every_formula_has_its_numbers)
{
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        const struct ph_radial *radial = numbers[k].radial;
        const double r = numbers[k].r, u = numbers[k].u, slope = numbers[k].slope, curvature = numbers[k].curvature;
        const double size = fmax(fabs(slope), fabs(u)); /* the slope may vanish */
        assert_close(ph_radial_energy(radial, r), u, 1e-13, u);
        assert_close(ph_radial_derivative(radial, r), slope, 1e-13, size);
        struct ph_system *system = make_pair(radial, r);
        struct ph_force_field *field = make_field(system, &endless);
        const struct ph_energy energy = evaluate(field, system);
        assert_close(energy.radial, u, 1e-13, u);
        assert_close(system->f[0][0], slope, 1e-13, size);
        assert_close(system->f[0][1], -slope, 1e-13, size);
        assert_close(energy.virial[0][0], -r * slope, 1e-13, r * size);
        double rows[4][2] = {{0.0, 1.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, nothing[5][2] = {{0.0}};
        const struct ph_rates rates = {
            (double *const[]){rows[0], rows[1], rows[1]}, (double *const[]){nothing[0], nothing[1], nothing[1]},
            (double *const[]){rows[2], nothing[2], nothing[2]}, (double *const[]){nothing[3], nothing[4], nothing[4]}};
        struct ph_error err = {.text = ""};
        if (ph_force_field_rates(field, system, NULL, &rates, &err) != PH_OK)
            fail_msg("%s", err.text);
        assert_close(rows[2][1], -curvature, 1e-12, curvature);
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}

/* Every truncation and box, in a mixture with charges and dipoles: catches a form that is not cut, shifted or switched
 * like all others. */
TEST(truncated_forms_agree_with_the_plain_sum)
{
    static const struct ph_radial forms[] = {{PH_RADIAL_BUCKINGHAM, 6e5, 0.09375, 0.0, 1.0},
                                             {PH_RADIAL_YUKAWA, 1.0, 1.0, 2.0, 0.0},
                                             {PH_RADIAL_MORSE, 1.0, 1.0, 6.0, 0.0}};
    static const size_t counts[MOLECULES] = {4, 3, 4, 3, 4};
    for (size_t k = 0; k < 3; ++k)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (size_t b = 0; b < 4; b += 3) {
                if (truncations[t].truncation == PH_TRUNCATE_NONE && boxes[b].shape)
                    continue;
                const struct ph_interactions interactions = {
                    .truncation = truncations[t].truncation,
                    .smoothness = truncations[t].smoothness,
                    .cutoff = truncations[t].truncation == PH_TRUNCATE_NONE ? 0.0 : 2.5,
                    .switch_width = truncations[t].truncation == PH_TRUNCATE_SWITCHED ? 1.1 : 0.0,
                    .combining = (k + t) % 2 ? PH_COMBINE_GEOMETRIC : PH_COMBINE_LORENTZ_BERTHELOT,
                    .coulomb = 1.7};
                const struct ph_box box = make_box(boxes[b].shape, 5.7);
                struct ph_system *system = make_system(counts, forms[k], &box, 1.2, k + t);
                struct ph_force_field *field = make_field(system, &interactions);
                const struct ph_energy energy = evaluate(field, system);
                struct reference want = reference_evaluate(system, &interactions, NULL);
                const struct deviation off = reference_compare(&want, system, &energy);
                if (!(off.energy < 1e-13 && off.force < 1e-13 && off.torque < 1e-13 && off.virial < 1e-13))
                    fail_msg("%s, %s, %s: energy %.2g, force %.2g, torque %.2g, virial %.2g",
                             ph_form_of(&forms[k])->name, truncations[t].name, boxes[b].name, off.energy, off.force,
                             off.torque, off.virial);
                reference_free(&want);
                ph_force_field_destroy(field);
                ph_system_destroy(system);
            }
}

/* ---- Walls ---- */

TEST(buckingham_has_a_wall_at_its_maximum)
{
    assert_close(ph_radial_wall(&exp_6), exp_6_wall, 1e-14, 1.0);
    assert_close(ph_radial_size(&exp_6), 1.0242441908130708134, 1e-14, 1.0);
    assert_close(ph_radial_depth(&exp_6), 0.8353095559307996796, 1e-13, 1.0);
    assert_true(ph_radial_wall(&born) == 0.0 && ph_radial_wall(&yukawa) == 0.0 && ph_radial_wall(&morse) == 0.0);
    assert_close(ph_radial_size(&morse), 1.125 - log(2.0) / 5.0, 1e-15, 1.0);
    for (int within = 0; within < 2; ++within) {
        struct ph_system *system = make_pair(&exp_6, exp_6_wall * (within ? 1.0 - 1e-12 : 1.0 + 1e-12));
        struct ph_force_field *field = make_field(system, &endless);
        struct ph_energy energy;
        struct ph_error err = {.text = ""};
        const enum ph_status status = ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err);
        assert_int_equal(status, within ? PH_ERR_NUMBERS : PH_OK);
        static const char *const words[] = {"Molecules 0 and 1", "sites A and A are 0.24653", "maximum at 0.24653"};
        for (size_t k = 0; k < 3 && within; ++k)
            if (!strstr(err.text, words[k]))
                fail_msg("'%s' without '%s'", err.text, words[k]);
        if (!within)
            assert_close(energy.radial, 16274.705599089175357, 1e-13, 16274.7);
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}

static void assert_refused(const struct ph_radial *radial, const struct ph_interactions *interactions,
                           const char *words)
{
    struct ph_system *system = make_pair(radial, 1.0);
    struct ph_force_field *field;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_force_field_create(system, interactions, &field, &err), PH_ERR_INPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' without '%s'", err.text, words);
    ph_system_destroy(system);
}

TEST(forms_without_a_wall_are_refused)
{
    static const struct ph_radial sticky = {PH_RADIAL_BUCKINGHAM, 10.0, 0.1, 0.0, 3.5};
    static const struct ph_radial flat = {PH_RADIAL_MORSE, 1.0, 1.0, 0.69, 0.0};
    assert_refused(&sticky, &endless, "nothing keeps two sites apart");
    assert_refused(&flat, &endless, "nothing keeps two sites apart");
    struct ph_interactions interactions = {
        .truncation = PH_TRUNCATE_SWITCHED, .cutoff = 1.0, .switch_width = 0.8, .smoothness = 2, .coulomb = 1.0};
    assert_refused(&exp_6, &interactions, "wall is at 0.246");
}

/* Energies by the geometric mean, lengths as interactions.combining says, and all else must agree. */
TEST(unlike_sites_combine_by_the_list)
{
    const struct ph_radial other = {PH_RADIAL_BUCKINGHAM, 150000.0, 0.0625, 0.0, 0.875};
    struct ph_radial out, steeper = morse;
    assert_true(ph_radial_combine(&exp_6, &other, false, &out));
    assert_true(out.epsilon == 300000.0 && out.sigma == 0.0732421875 && out.attractive == 1.75 && out.repulsive == 0.0);
    assert_true(ph_radial_combine(&exp_6, &other, true, &out));
    assert_close(out.sigma, sqrt(0.083984375 * 0.0625), 1e-15, 1.0);
    assert_true(ph_radial_combine(&exp_6, &exp_6, false, &out) && ph_radial_alike(&out, &exp_6));
    steeper.repulsive = 5.5;
    assert_true(ph_radial_combine(&morse, &morse, false, &out) && !ph_radial_combine(&morse, &steeper, false, &out));
    assert_true(!ph_radial_combine(&morse, &yukawa, false, &out));
}

/* ---- Tails ---- */

/* Integrals of (u - u truncated) r^2 and of u' r^3 beyond the cutoff, by mpmath */
TEST(tails_are_integrals_of_what_was_cut)
{
    static const struct {
        const struct ph_radial *radial;
        double switched, cut, slope;
    } tails[] = {{&exp_6, -0.10351746143515254303, -0.074666626896967504649, 0.44799877372170591747},
                 {&yukawa, 0.028594556640429802808, 0.016427525626376367739, -0.13779295202124315354},
                 {&morse, -0.0058721149826442762715, -0.0018930661505625489109, 0.025850366159551311773}};
    const double pi = 3.14159265358979323846;
    for (size_t k = 0; k < 3; ++k)
        for (int smooth = 0; smooth < 2; ++smooth) {
            struct ph_system *system = make_pair(tails[k].radial, 1.5);
            system->box = make_box(cube_edges, 5.5);
            struct ph_interactions interactions = {.truncation = smooth ? PH_TRUNCATE_SWITCHED : PH_TRUNCATE_CUT,
                                                   .cutoff = 2.5,
                                                   .switch_width = smooth ? 0.5 : 0.0,
                                                   .smoothness = 2,
                                                   .long_range_correction = true,
                                                   .coulomb = 1.0};
            struct ph_force_field *field = make_field(system, &interactions);
            const struct ph_energy energy = evaluate(field, system);
            const double factor = 2.0 * pi * 4.0 / system->box.volume;
            const double want = smooth ? tails[k].switched : tails[k].cut;
            assert_close(energy.long_range, factor * want, 1e-13, factor * want);
            ph_force_field_destroy(field);
            interactions.long_range_correction = false;
            field = make_field(system, &interactions);
            const double without = evaluate(field, system).virial[1][1];
            const double virial = smooth ? want : -tails[k].slope / 3.0; /* by parts: nothing is left at the ends */
            assert_close(energy.virial[1][1] - without, factor * virial, 1e-12, factor * virial);
            ph_force_field_destroy(field);
            ph_system_destroy(system);
        }
}

/* ---- Schemes ---- */

/* A fluid, of which 16 molecules have two sites that turn, with the smoothest polynomial switch. Gradients of forces
 * need the second derivative. Catches forces that are no gradients, and rates that are not theirs. */
TEST(schemes_keep_their_order)
{
    static const struct ph_radial forms[] = {{PH_RADIAL_BUCKINGHAM, 6e5, 0.09375, 0.0, 1.0},
                                             {PH_RADIAL_YUKAWA, 1.0, 1.0, 2.0, 0.0},
                                             {PH_RADIAL_MORSE, 1.0, 1.0, 6.0, 0.0}};
    const struct ph_box box = make_box(cube_edges, 5.8);
    const struct ph_interactions interactions = switched(2.8, 1.6, 6);
    for (size_t k = 0; k < 3; ++k) {
        struct ph_system *system = make_system((size_t[MOLECULES]){24, 0, 0, 16, 0}, forms[k], &box, 1.2, 3);
        ph_start_move(0.5, true, false, 3, system);
        struct ph_force_field *field = make_field(system, &interactions);
        check_orders(system, field);
        ph_force_field_destroy(field);
        ph_system_destroy(system);
    }
}
