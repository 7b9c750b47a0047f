/* SPDX-License-Identifier: MIT */
/* The force field against the plain sum over all pairs and images of force_reference.h. */
#include "physics/force_reference.h"
#include "physics/force_systems.h"
#include "physics/truncations.h"

#include <omp.h>

static const double tolerance = 1e-13;

static struct deviation worst; /* of all comparisons, for the report at the end */

static void keep_worst(struct deviation off)
{
    worst.energy = fmax(worst.energy, off.energy);
    worst.force = fmax(worst.force, off.force);
    worst.torque = fmax(worst.torque, off.torque);
    worst.virial = fmax(worst.virial, off.virial);
}

static void report_worst(const char *what)
{
    print_message("%s: largest deviations, energy %.2g, force %.2g, torque %.2g, virial %.2g\n", what, worst.energy,
                  worst.force, worst.torque, worst.virial);
    worst = (struct deviation){0};
}

/* Evaluates with and without energy and compares both; the energy of the last call is not needed. */
static void compare(struct ph_force_field *field, struct ph_system *system, const struct ph_interactions *interactions,
                    const char *what)
{
    struct reference want = reference_evaluate(system, interactions, NULL);
    for (int with_energy = 1; with_energy >= 0; --with_energy) {
        struct ph_energy energy;
        struct ph_error err = {.text = ""};
        static struct ph_energy last;
        if (ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, with_energy ? &energy : NULL, &err) != PH_OK)
            fail_msg("%s: %s", what, err.text);
        if (with_energy)
            last = energy;
        const struct deviation off = reference_compare(&want, system, &last);
        if (!(off.energy < tolerance && off.force < tolerance && off.torque < tolerance && off.virial < tolerance))
            fail_msg("%s, %s energy: deviations energy %.2g, force %.2g, torque %.2g, virial %.2g", what,
                     with_energy ? "with" : "without", off.energy, off.force, off.torque, off.virial);
        keep_worst(off);
    }
    reference_free(&want);
}

static void compare_new(struct ph_system *system, const struct ph_interactions *interactions, const char *what)
{
    struct ph_force_field *field = make_field(system, interactions);
    compare(field, system, interactions, what);
    ph_force_field_destroy(field);
}

/* ---- Kernels, truncations, boxes ---- */

static const struct {
    const char *name;
    struct ph_radial radial;
} radials[] = {
    {"Lennard-Jones", {PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0}}, {"Mie 14-7", {PH_RADIAL_MIE, 1.0, 1.0, 14.0, 7.0}},
    {"Mie 9-6", {PH_RADIAL_MIE, 1.0, 1.0, 9.0, 6.0}},        {"soft 12", {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0}},
    {"soft 9.5", {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 9.5, 0}}, {"WCA", {PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0}},
};
enum { RADIALS = sizeof radials / sizeof radials[0] };

static struct ph_interactions interactions_of(size_t truncation, size_t method)
{
    return (struct ph_interactions){
        .truncation = truncations[truncation].truncation,
        .smoothness = truncations[truncation].smoothness,
        .cutoff = truncations[truncation].truncation == PH_TRUNCATE_NONE ? 0.0 : 2.5,
        .switch_width = 1.1,
        .electrostatics = methods[method].method,
        .epsilon_rf = methods[method].epsilon,
        .coulomb = 1.7,
    };
}

/* Every radial form with every truncation, electrostatics and box, in a mixture whose sites have charges, dipoles, both
 * and neither. Catches any wrong sign or factor in a kernel, two kernels exchanged in a table, a term missing from the
 * fused ones, the wrong combining rule. */
TEST(every_kernel_agrees_with_the_plain_sum)
{
    for (size_t k = 0; k < RADIALS; ++k)
        for (size_t t = 0; t < TRUNCATIONS; ++t)
            for (size_t m = 0; m < 3; ++m)
                for (size_t b = 0; b < 4; ++b) {
                    const bool endless = truncations[t].truncation == PH_TRUNCATE_NONE;
                    if ((endless && boxes[b].shape) || (m > 0 && !takes_a_field(t)))
                        continue;
                    struct ph_interactions interactions = interactions_of(t, m);
                    interactions.combining = (k + t + b) % 2 ? PH_COMBINE_GEOMETRIC : PH_COMBINE_LORENTZ_BERTHELOT;
                    const struct ph_box box = make_box(boxes[b].shape, 5.7);
                    static const size_t counts[MOLECULES] = {3, 3, 4, 3, 4};
                    struct ph_system *system = make_system(counts, radials[k].radial, &box, 1.2, 10 * k + b);
                    char what[128];
                    snprintf(what, sizeof what, "%s, %s, %s, %s", radials[k].name, truncations[t].name, methods[m].name,
                             boxes[b].name);
                    compare_new(system, &interactions, what);
                    ph_system_destroy(system);
                }
    report_worst("kernels");
}

/* One species alone takes paths of its own. */
TEST(every_molecule_alone_agrees_with_the_plain_sum)
{
    for (int kind = 0; kind < MOLECULES; ++kind)
        for (size_t b = 0; b < 4; ++b)
            for (size_t t = 0; t < TRUNCATIONS; t += b == 0 ? 1 : 3) {
                if (truncations[t].truncation == PH_TRUNCATE_NONE && boxes[b].shape)
                    continue;
                const struct ph_interactions interactions = interactions_of(t, 0);
                const struct ph_box box = make_box(boxes[b].shape, 6.5);
                size_t counts[MOLECULES] = {0};
                counts[kind] = 37;
                struct ph_system *system = make_system(counts, lennard_jones, &box, 1.15, 3 + b);
                char what[128];
                snprintf(what, sizeof what, "molecule %d, %s, %s", kind, truncations[t].name, boxes[b].name);
                compare_new(system, &interactions, what);
                ph_system_destroy(system);
            }
    report_worst("one species");
}

/* Pairs before the switch take kernels without an end, also where a chunk of them is filled up to whole vectors.
 * Catches what is far away, but feels a reaction field that grows with the distance. */
TEST(pairs_before_the_switch_agree_with_the_plain_sum)
{
    for (int kind = 0; kind < MOLECULES; ++kind)
        for (size_t m = 0; m < 3; ++m) {
            struct ph_interactions interactions = interactions_of(6, m);
            interactions.cutoff = 3.2;
            interactions.switch_width = 0.4;
            const struct ph_box box = make_box(cube_edges, 6.5);
            size_t counts[MOLECULES] = {0};
            counts[kind] = 80;
            struct ph_system *system = make_system(counts, lennard_jones, &box, 1.0, m);
            char what[128];
            snprintf(what, sizeof what, "molecule %d before the switch, %s", kind, methods[m].name);
            compare_new(system, &interactions, what);
            ph_system_destroy(system);
        }
    report_worst("before the switch");
}

/* Lists too short to fill vectors are done pair by pair, several hundred at a time. Catches neighbours that are added
 * to another molecule than their own at the end of such a chunk, and dipoles of i and j exchanged. */
TEST(short_lists_agree_with_the_plain_sum)
{
    static const size_t counts[][MOLECULES] = {{400, 0}, {0, 400}, {150, 250}, {120, 120, 40}};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t k = 0; k < RADIALS; ++k)
            for (size_t t = 1; t < TRUNCATIONS; ++t) {
                const size_t method = takes_a_field(t) ? (c + k + t) % 3 : 0;
                struct ph_interactions interactions = interactions_of(t, method);
                interactions.cutoff = 1.9;
                interactions.switch_width = 0.7;
                const struct ph_box box = make_box(tilted_edges, 9.0);
                struct ph_radial radial = radials[k].radial;
                radial.sigma = radial.kind == PH_RADIAL_WCA ? 1.4 : 1.0; /* or some molecules hardly touch another */
                struct ph_system *system = make_system(counts[c], radial, &box, 0.9, 10 * k + t);
                char what[128];
                snprintf(what, sizeof what, "short lists, mixture %zu, %s, %s, %s", c, radials[k].name,
                         truncations[t].name, methods[method].name);
                compare_new(system, &interactions, what);
                ph_system_destroy(system);
            }
    report_worst("short lists");
}

/* Explicit pairs instead of the combining rule, between forms that have none */
TEST(explicit_pairs_replace_the_combining_rule)
{
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){8, 8, 8, 0, 0}, lennard_jones, &box, 1.1, 5);
    for (size_t s = 0; s < 3; ++s) /* atoms are soft spheres now, polar ones WCA */
        if (s < 2)
            system->species[s].site[0].radial.kind = s == 0 ? PH_RADIAL_SOFT_SPHERE : PH_RADIAL_WCA;
    struct ph_pair_override pairs[] = {
        {.site = {"atom.A", "polar.A"}, .radial = {PH_RADIAL_MIE, 0.8, 0.9, 10.0, 5.0}},
        {.site = {"water.O", "atom.A"}, .radial = {PH_RADIAL_SOFT_SPHERE, 0.5, 1.1, 8.0, 0.0}},
        {.site = {"polar.A", "water.O"}, .radial = {PH_RADIAL_WCA, 1.5, 1.2, 12.0, 6.0}},
        {.site = {"water.H", "water.O"},
         .radial = {PH_RADIAL_MIE, 0.1, 0.6, 12.0, 6.0}}, /* hydrogens have none of their own */
        {.site = {"polar.A", "polar.A"}, .radial = {PH_RADIAL_NONE, 0.0, 0.0, 0.0, 0.0}},
    };
    struct ph_interactions interactions = interactions_of(6, 1);
    interactions.overrides = pairs;
    interactions.n_overrides = sizeof pairs / sizeof pairs[0];
    compare_new(system, &interactions, "explicit pairs");
    ph_system_destroy(system);
    report_worst("explicit pairs");
}

/* A site that has nothing of its own, neither charge nor dipole, takes part in the pairs that name it. */
TEST(explicit_pairs_reach_bare_sites)
{
    const struct ph_box box = make_box(cube_edges, 6.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){10, 0, 10, 0, 0}, lennard_jones, &box, 1.1, 6);
    system->species[1].site[1].charge = 0.0;
    struct ph_pair_override pairs[] = {{.site = {"water.H", "atom.A"}, .radial = {PH_RADIAL_MIE, 0.4, 0.8, 12.0, 6.0}}};
    struct ph_interactions interactions = interactions_of(1, 0);
    interactions.overrides = pairs;
    interactions.n_overrides = 1;
    compare_new(system, &interactions, "bare sites");
    ph_system_destroy(system);
}

/* ---- Places ---- */

/* Centres on faces, edges and corners of the box, and many boxes away. Catches ghosts that are missing or doubled, and
 * molecules cut by the boundary. */
TEST(molecules_anywhere_in_space_agree_with_the_plain_sum)
{
    for (size_t b = 1; b < 4; ++b) {
        const struct ph_box box = make_box(boxes[b].shape, 7.0);
        struct ph_system *system = make_system((size_t[MOLECULES]){20, 10, 20, 10, 10}, lennard_jones, &box, 1.1, b);
        const struct ph_interactions interactions = interactions_of(6, 2);
        for (size_t i = 0; i < system->n; ++i)
            for (int e = 0; e < 3; ++e) {
                const double turns = rint(3.4 * random_number(7, 3 * i + (size_t)e));
                for (int x = 0; x < 3; ++x)
                    system->r[x][i] += turns * box.edge[e][x];
            }
        compare_new(system, &interactions, "beyond the edges");
        /* corners: fractions 0 or 1/2, and 1 - 2^-53 */
        struct ph_system *few = make_system((size_t[MOLECULES]){2, 2, 2, 1, 1}, lennard_jones, &box, 1.1, b);
        for (size_t i = 0; i < 8; ++i)
            for (int x = 0; x < 3; ++x) {
                few->r[x][i] = 0.0;
                for (size_t e = 0; e < 3; ++e)
                    few->r[x][i] += box.edge[e][x] * ((i >> e & 1) ? 0.5 : i % 3 == 0 ? 1.0 - 0x1p-53 : 0.0);
            }
        struct ph_interactions close = interactions;
        close.cutoff = 0.5 * fmin(box.width[0], fmin(box.width[1], box.width[2])) * (1.0 - 1e-9);
        compare_new(few, &close, "on the corners");
        ph_system_destroy(few);
        ph_system_destroy(system);
    }
    report_worst("places");
}

/* The cutoff is half the box, and the list reaches beyond the box. Catches images that are seen twice or not at all. */
TEST(boxes_smaller_than_the_list_agree_with_the_plain_sum)
{
    static const size_t counts[][MOLECULES] = {{2, 0, 0, 0, 0}, {0, 0, 1, 1, 0}, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 7},
                                               {5, 0, 5, 0, 0}, {0, 3, 2, 3, 3}, {0, 12, 0, 0, 0}};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t b = 1; b < 4; ++b)
            for (int wide = 0; wide < 3; ++wide)
                for (uint64_t seed = 1; seed <= 4; ++seed) {
                    const struct ph_box box = make_box(boxes[b].shape, 3.4);
                    const double width = fmin(box.width[0], fmin(box.width[1], box.width[2]));
                    struct ph_interactions interactions = interactions_of(1 + seed, seed % 3);
                    interactions.cutoff = 0.5 * width;
                    interactions.skin = wide * 0.4 * width;
                    struct ph_system *system = make_system(counts[c], lennard_jones, &box, 0.8, seed);
                    char what[96];
                    snprintf(what, sizeof what, "tiny %s, counts %zu, skin %g, seed %d", boxes[b].name, c,
                             interactions.skin, (int)seed);
                    compare_new(system, &interactions, what);
                    ph_system_destroy(system);
                }
    report_worst("tiny boxes");
}

/* Molecules longer than the box less the cutoff meet their own images: catches images that are left out, or seen from
 * both sides. */
TEST(long_molecules_meet_their_own_images)
{
    const size_t counts[] = {1, 2, 3, 6};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
        for (size_t b = 1; b < 4; ++b)
            for (uint64_t seed = 1; seed <= 6; ++seed) {
                const struct ph_box box = make_box(boxes[b].shape, 3.4);
                struct ph_interactions interactions = interactions_of(1 + seed, seed % 3);
                interactions.cutoff = 0.5 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
                struct ph_system *system = make_long_system(counts[c], lennard_jones, &box, seed);
                char what[96];
                snprintf(what, sizeof what, "%zu long molecules, %s, seed %d", counts[c], boxes[b].name, (int)seed);
                compare_new(system, &interactions, what);
                ph_system_destroy(system);
            }
    report_worst("own images");
}

/* Numbers of molecules around the sizes of blocks, chunks and tiles, in open space and in boxes */
TEST(any_number_of_molecules_agrees_with_the_plain_sum)
{
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 31, 33, 63, 64, 65, 255, 257, 300, 513, 801};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
        for (int open = 0; open < 3; ++open) { /* box; open with a cutoff; all pairs, many more */
            if (open == 2 && sizes[k] > 400)
                continue;
            const struct ph_box box = make_box(open ? NULL : brick_edges, fmax(5.8, cbrt((double)sizes[k] / 0.35)));
            const struct ph_interactions interactions = interactions_of(open == 2 ? 0 : 5, 0);
            size_t counts[MOLECULES] = {0, sizes[k], 0, 0, 0};
            if (k % 2 && sizes[k] > 2) {
                counts[ATOM] = sizes[k] / 3;
                counts[POLAR] -= counts[ATOM];
            }
            struct ph_system *system = make_system(counts, lennard_jones, &box, 0.95, k);
            char what[64];
            snprintf(what, sizeof what, "%zu molecules, %s", sizes[k], open == 2 ? "all pairs" : open ? "open" : "box");
            compare_new(system, &interactions, what);
            ph_system_destroy(system);
        }
    report_worst("sizes");
}

TEST(thousands_of_molecules_agree_with_the_plain_sum)
{
    struct ph_box box = make_box(cube_edges, cbrt(5000 / 0.6));
    struct ph_system *system = make_system((size_t[MOLECULES]){0, 5000, 0, 0, 0}, lennard_jones, &box, 0.9, 1);
    struct ph_interactions interactions = interactions_of(6, 2);
    compare_new(system, &interactions, "5000 polar molecules");
    ph_system_destroy(system);
    box = make_box(tilted_edges, cbrt(1000 / 0.6));
    system = make_system((size_t[MOLECULES]){300, 0, 400, 300, 0}, lennard_jones, &box, 0.9, 2);
    compare_new(system, &interactions, "1000 molecules of three kinds");
    ph_system_destroy(system);
    report_worst("thousands");
}

/* More neighbours than a kernel takes at once */
TEST(many_neighbours_agree_with_the_plain_sum)
{
    const struct ph_box box = make_box(cube_edges, 9.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){300, 300, 0, 0, 0}, lennard_jones, &box, 0.8, 9);
    struct ph_interactions interactions = interactions_of(2, 0);
    interactions.cutoff = 4.4;
    compare_new(system, &interactions, "hundreds of neighbours");
    ph_system_destroy(system);
    report_worst("many neighbours");
}

/* ---- Lists ---- */

static void displace(struct ph_system *system, double distance, uint64_t seed)
{
    for (size_t i = 0; i < system->n; ++i) {
        struct ph_random random = ph_random_stream(seed, PH_RANDOM_TEST, i);
        double direction[3];
        ph_random_direction(&random, direction);
        for (int x = 0; x < 3; ++x)
            system->r[x][i] += distance * direction[x];
    }
    ph_start_turn(seed, system);
}

/* Lists are kept while no molecule has moved by half the skin, and then made anew; in between and after jumps of any
 * length the result is that of the plain sum. Catches a skin that is used twice, and ghosts that do not follow. */
TEST(lists_are_reused_and_renewed)
{
    for (size_t b = 0; b < 4; ++b) {
        const struct ph_box box = make_box(boxes[b].shape, 8.0);
        struct ph_system *system = make_system((size_t[MOLECULES]){60, 0, 60, 40, 0}, lennard_jones, &box, 1.15, 4);
        struct ph_interactions interactions = interactions_of(4, 1);
        interactions.skin = 0.4;
        struct ph_force_field *field = make_field(system, &interactions);
        compare(field, system, &interactions, "first list");
        assert_int_equal(ph_force_field_counts(field).lists_made, 1);
        double *kept[3];
        for (int x = 0; x < 3; ++x)
            kept[x] = memcpy(malloc(system->n * sizeof(double)), system->r[x], system->n * sizeof(double));
        for (uint64_t move = 1; move <= 3; ++move) { /* always 0.19 from where the list was made */
            for (int x = 0; x < 3; ++x)
                memcpy(system->r[x], kept[x], system->n * sizeof(double));
            displace(system, 0.1999, move);
            compare(field, system, &interactions, "small moves");
            assert_int_equal(ph_force_field_counts(field).lists_made, 1);
        }
        for (int x = 0; x < 3; ++x)
            memcpy(system->r[x], kept[x], system->n * sizeof(double));
        displace(system, 0.01, 8);
        system->r[1][system->n - 1] += 0.22; /* one molecule beyond half the skin is enough */
        compare(field, system, &interactions, "one large move");
        assert_int_equal(ph_force_field_counts(field).lists_made, 2);
        for (int e = 0; e < 3 && b > 0; ++e)
            for (int x = 0; x < 3; ++x)
                system->r[x][5] -= 2.0 * box.edge[e][x];
        compare(field, system, &interactions, "a jump over boxes");
        displace(system, 0.3, 9);
        compare(field, system, &interactions, "all move");
        const size_t made = ph_force_field_counts(field).lists_made;
        ph_force_field_forget(field);
        compare(field, system, &interactions, "forgotten");
        assert_int_equal(ph_force_field_counts(field).lists_made, made + 1);
        for (int x = 0; x < 3; ++x)
            free(kept[x]);
        put_away(field, system);
    }
    report_worst("lists");
}

/* Steps of all lengths, to and fro, of molecules whose sites are their centres, so that nothing is in reserve: whatever
 * a list leaves out between two rebuilds, no pair is missed. */
TEST(a_long_walk_misses_no_pair)
{
    for (size_t b = 0; b < 4; b += 3) {
        const struct ph_box box = make_box(boxes[b].shape, 7.0);
        struct ph_system *system = make_system((size_t[MOLECULES]){60, 60, 0, 0, 0}, lennard_jones, &box, 1.1, 4);
        struct ph_interactions interactions = interactions_of(1, 0);
        interactions.skin = 0.8;
        struct ph_force_field *field = make_field(system, &interactions);
        evaluate(field, system); /* wraps */
        double *home[3];
        for (int x = 0; x < 3; ++x)
            home[x] = memcpy(malloc(system->n * sizeof(double)), system->r[x], system->n * sizeof(double));
        for (uint64_t step = 0; step < 40; ++step) {
            static const double lengths[] = {0.0, 0.04, 0.09, 0.11, 0.15, 0.0, 0.25, 0.3, 0.05, 0.39, 0.2};
            for (int x = 0; x < 3; ++x)
                memcpy(system->r[x], home[x], system->n * sizeof(double));
            displace(system, lengths[step % 11], step);
            char what[32];
            snprintf(what, sizeof what, "step %d of a walk", (int)step);
            compare(field, system, &interactions, what);
        }
        assert_int_equal(ph_force_field_counts(field).lists_made, 1); /* always within half the skin of home */
        for (int x = 0; x < 3; ++x)
            free(home[x]);
        put_away(field, system);
    }
    report_worst("walk");
}

/* ---- Threads ---- */

enum { ENERGIES = sizeof(struct ph_energy) / sizeof(double) }; /* copied as an array */

struct bits {
    size_t n;
    double *value; /* forces, torques, energies, virial */
};

static struct bits bits_of(const struct ph_system *system, const struct ph_energy *energy)
{
    struct bits bits = {.n = 6 * system->n + ENERGIES};
    bits.value = calloc(bits.n, sizeof(double));
    for (size_t x = 0; x < 3; ++x) {
        memcpy(bits.value + x * system->n, system->f[x], system->n * sizeof(double));
        memcpy(bits.value + (x + 3) * system->n, system->t[x], system->n * sizeof(double));
    }
    memcpy(bits.value + 6 * system->n, energy, ENERGIES * sizeof(double));
    return bits;
}

/* The same bits whoever makes the list and whoever sums. */
TEST(threads_do_not_change_a_bit)
{
    const int before = omp_get_max_threads();
    for (int open = 0; open < 2; ++open) {
        const struct ph_box box = make_box(open ? NULL : tilted_edges, 14.0);
        struct ph_system *system =
            make_system((size_t[MOLECULES]){300, 500, 300, 200, 100}, lennard_jones, &box, 0.9, 3);
        const struct ph_interactions interactions = interactions_of(open ? 0 : 6, open ? 0 : 1);
        struct bits first = {0};
        for (int makers = 1; makers <= 3; ++makers)
            for (int summers = 1; summers <= 3; ++summers) {
                omp_set_num_threads(makers);
                struct ph_force_field *field = make_field(system, &interactions);
                evaluate(field, system);
                omp_set_num_threads(summers);
                for (int again = 0; again < 2; ++again) {
                    const struct ph_energy energy = evaluate(field, system);
                    const struct bits now = bits_of(system, &energy);
                    if (!first.value)
                        first = now;
                    else {
                        assert_int_equal(memcmp(first.value, now.value, first.n * sizeof(double)), 0);
                        free(now.value);
                    }
                }
                ph_force_field_destroy(field);
            }
        free(first.value);
        ph_system_destroy(system);
    }
    omp_set_num_threads(before);
}
