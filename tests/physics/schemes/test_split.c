/* SPDX-License-Identifier: MIT */
/* The Kaiser-Bessel split of 1/r: its functions against numbers from another program, how smoothly they end, what an
 * advice on schemes says about that, and how well the tolerance is met. Forces from it are compared with those of the
 * other split in test_ewald.c, rates in test_derivative.c. */
#include "physics/force_systems.h"

#include "force/longrange/ewald.h"
#include "force/longrange/split.h"
#include "run/build/methods.h"

static const struct ph_radial none = {.kind = PH_RADIAL_NONE};

static struct ph_split split_with(int smoothness, double shape, double cutoff)
{
    const struct ph_interactions interactions = {
        .cutoff = cutoff, .ewald = {.split = PH_SPLIT_BESSEL, .smoothness = smoothness, .shape = shape}};
    return ph_split_of(&interactions);
}

/* B0 to B4 of the pairs as the kernels find them */
static void find_pairs(const struct ph_split_pairs *pairs, double cutoff, double r, double b[5])
{
    const struct ph_smooth f = ph_split_functions(pairs, 1.0, false, cutoff * cutoff, r * r, 1.0 / r);
    const double values[5] = {f.b0, f.b1, f.b2, f.b3, f.b4};
    memcpy(b, values, sizeof values);
}

/* 1 3 5 ... (2n-1)/r^(2n+1) */
static double bare(int n, double r)
{
    double b = 1.0 / r;
    for (int k = 0; k < n; ++k)
        b *= (2 * k + 1) / (r * r);
    return b;
}

/* Integrals of t^2n times derivatives of the window, by mpmath with 40 digits */
TEST(its_functions_have_their_values)
{
    static const struct {
        int smoothness;
        double shape, cutoff, x, lack[5];
    } known[] = {
        {6,
         20.0,
         1.7,
         0.0,
         {2.577577857090151172, 8.6538161901139702113, 49.842108020547986089, 325.44767969218665351,
          2202.0048403372316501}},
        {6,
         20.0,
         1.7,
         0.3,
         {1.7765513008525480875, 4.2675351231609401656, 21.681951943779123703, 135.32137019174691132,
          908.11318831185505747}},
        {6,
         20.0,
         1.7,
         0.75,
         {0.78431191575954546267, 0.48243162817936268334, 0.88963761233109976181, 2.7249802244313919839,
          11.553911305291169526}},
        {6,
         20.0,
         1.7,
         0.96875,
         {0.60721062618595724941, 0.22388143881773903099, 0.24763844611789112548, 0.45652734917086657099,
          1.1782665275384070712}},
        {8,
         27.0,
         1.0,
         0.3,
         {3.1475291296069178756, 25.599437019826493627, 470.21494506497449456, 11036.470566149390612,
          286232.88522321387229}},
        {8,
         27.0,
         1.0,
         0.75,
         {1.3333332336514859325, 2.3703628278923221832, 12.641428546037380787, 112.33514076469627327,
          1395.8933957083557697}},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        const double rc = known[k].cutoff, r = known[k].x * rc;
        const struct ph_split split = split_with(known[k].smoothness, known[k].shape, rc);
        const struct ph_split_pairs pairs = ph_split_pairs(&split);
        double b[5];
        find_pairs(&pairs, rc, r > 0.0 ? r : 1.0, b);
        for (int n = 0; n < 5; ++n) {
            const double want = known[k].lack[n];
            assert_close(ph_split_lack(&split, n, r), want, 2e-15, want); /* r is rounded */
            if (r > 0.0) /* polynomials: to a part of what they are at r = 0 */
                assert_close(bare(n, r) - b[n], want, 1e-14, bare(n, r) + ph_split_lack(&split, n, 0.0));
        }
    }
    const struct ph_split split = split_with(6, 20.0, 1.7);
    assert_close(ph_split_lack(&split, 2, 1.75), bare(2, 1.75), 1e-15, bare(2, 1.75)); /* beyond: all of it */
}

/* For all shapes that are chosen, and beyond the cutoff */
TEST(polynomials_are_as_good)
{
    for (int smoothness = 2; smoothness <= 12; smoothness += 2)
        for (double shape = 5.0; shape <= 36.0; shape += 5.0) {
            const struct ph_split split = split_with(smoothness, shape, 1.3);
            const struct ph_split_pairs pairs = ph_split_pairs(&split);
            const double good = shape <= 20.0 ? 4e-15 : shape <= 30.0 ? 2e-12 : 1e-10;
            double b[5];
            for (double r = 0.04; r < 1.3; r += 0.1) {
                find_pairs(&pairs, 1.3, r, b);
                for (int n = 0; n < 5; ++n)
                    assert_close(bare(n, r) - b[n], ph_split_lack(&split, n, r), good,
                                 bare(n, r) + ph_split_lack(&split, n, 0.0));
            }
            for (double r = 1.3; r < 1e30; r *= 1e10) {
                find_pairs(&pairs, 1.3, r, b);
                for (int n = 0; n < 5; ++n)
                    assert_true(b[n] == 0.0);
            }
            const struct ph_smooth nowhere = ph_split_functions(&pairs, 1.0, false, 1.69, NAN, NAN);
            assert_true(isnan(nowhere.b0) && isnan(nowhere.b3));
        }
}

/* B(n) vanishes at the cutoff as (rc - r)^(m + 1 - n), m = smoothness + 2: one power more than it has continuous
 * derivatives. Two dipoles have B2, with as many as asked for; those of a lower m would show. */
TEST(pairs_end_as_smoothly_as_asked_for)
{
    for (int smoothness = 2; smoothness <= 8; smoothness += 2) {
        const struct ph_split split = split_with(smoothness, 4.0, 1.0);
        const struct ph_split_pairs pairs = ph_split_pairs(&split);
        double far[5], near[5];
        find_pairs(&pairs, 1.0, 1.0 - 0.08, far);
        find_pairs(&pairs, 1.0, 1.0 - 0.04, near);
        for (int n = 0; n < 3; ++n) {
            const double slope = log2(far[n] / near[n]), want = smoothness + 3 - n;
            if (!(fabs(slope - want) < 0.4))
                fail_msg("smoothness %d, B%d: ends with power %.2f, not %.0f", smoothness, n, slope, want);
        }
    }
}

/* ---- The tolerance ---- */

enum { EDGE = 5, SITES = EDGE * EDGE * EDGE - 1 };

/* Sites of two kinds on a lattice, anyhow, each displaced by up to a quarter: ions of both signs, or dipoles */
static struct ph_system *disordered(bool dipoles)
{
    struct ph_species species[2];
    for (int s = 0; s < 2; ++s) {
        species[s] = make_molecule(dipoles ? POLAR : ATOM, none);
        species[s].site[0].charge = dipoles ? 0.0 : s == 0 ? 1.0 : -1.0;
    }
    const struct ph_box box = make_box(cube_edges, EDGE);
    struct ph_system *system;
    assert_int_equal(ph_system_create(2, species, (size_t[]){SITES / 2, SITES / 2}, &box, &system, NULL), PH_OK);
    uint32_t random = 12345;
    size_t order[SITES];
    for (size_t i = 0; i < SITES; ++i) {
        random = random * 1664525u + 1013904223u;
        const size_t at = (random >> 8) % (i + 1);
        order[i] = i;
        order[i] = order[at];
        order[at] = i;
    }
    for (size_t i = 0; i < SITES; ++i) {
        const size_t cell[3] = {order[i] % EDGE, order[i] / EDGE % EDGE, order[i] / EDGE / EDGE};
        double square = 0.0;
        for (int k = 0; k < 7; ++k) {
            random = random * 1664525u + 1013904223u;
            const double u = (random >> 8) / 16777216.0 - 0.5;
            if (k < 3)
                system->r[k][i] = (double)cell[k] + 0.5 * u;
            else
                square += u * u, system->q[k - 3][i] = u;
        }
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = dipoles ? system->q[k][i] / sqrt(square) : k == 0;
    }
    return system;
}

static void find_forces(struct ph_system *system, const struct ph_interactions *interactions, double force[3][SITES])
{
    evaluate_once(system, interactions);
    for (int x = 0; x < 3; ++x)
        memcpy(force[x], system->f[x], sizeof force[x]);
}

TEST(the_tolerance_is_the_error)
{
    for (int dipoles = 0; dipoles < 2; ++dipoles) {
        struct ph_system *system = disordered(dipoles);
        struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT,
                                               .cutoff = 2.45,
                                               .electrostatics = PH_ELECTROSTATICS_EWALD,
                                               .epsilon_rf = INFINITY,
                                               .ewald = {.tolerance = 1e-14},
                                               .coulomb = 1.0};
        double want[3][SITES], got[3][SITES];
        find_forces(system, &interactions, want);
        for (int smoothness = 6; smoothness <= 8; smoothness += 2)
            for (double cutoff = 1.6; cutoff < 2.5; cutoff += 0.8)
                for (double tolerance = 1e-4; tolerance > 5e-11; tolerance *= 1e-2) {
                    interactions.cutoff = cutoff;
                    interactions.ewald = (struct ph_ewald_choice){
                        .split = PH_SPLIT_BESSEL, .tolerance = tolerance, .smoothness = smoothness};
                    find_forces(system, &interactions, got);
                    double off = 0.0, size = 0.0;
                    for (size_t k = 0; k < 3 * SITES; ++k) {
                        off += pow(got[k / SITES][k % SITES] - want[k / SITES][k % SITES], 2.0);
                        size += pow(want[k / SITES][k % SITES], 2.0);
                    }
                    off = sqrt(off / size);
                    print_message("%s, cutoff %.1f, smoothness %d, tolerance %.0e: %.2g\n",
                                  dipoles ? "dipoles" : "ions", cutoff, smoothness, tolerance, off);
                    assert_true(off > 0.02 * tolerance && off < tolerance);
                }
        ph_system_destroy(system);
    }
}

TEST(what_it_cannot_do_is_refused)
{
    struct ph_system *system = disordered(false);
    static const struct {
        struct ph_ewald_choice choice;
        const char *word;
    } wrong[] = {{{.smoothness = 1}, "smoothness is 1; it must lie between 2 and 12"},
                 {{.shape = 37.0}, "shape is 37; it must lie between 0 and 36"},
                 {{.tolerance = 1e-13}, "take split: gauss"},
                 {{.tolerance = 1e-10, .shape = 5.0}, "shape 5 does not reach: take a larger one"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        struct ph_interactions interactions = {.truncation = PH_TRUNCATE_CUT,
                                               .cutoff = 2.0,
                                               .electrostatics = PH_ELECTROSTATICS_EWALD,
                                               .epsilon_rf = INFINITY,
                                               .ewald = wrong[k].choice,
                                               .coulomb = 1.0};
        interactions.ewald.split = PH_SPLIT_BESSEL;
        struct ph_error err = {.text = ""};
        assert_int_equal(ph_ewald_choose(system, &interactions, &err), PH_ERR_INPUT);
        if (!strstr(err.text, wrong[k].word))
            fail_msg("'%s' is not in: %s", wrong[k].word, err.text);
    }
    ph_system_destroy(system);
}

/* ---- Smoothness and schemes ---- */

TEST(advice_knows_how_smooth_it_is)
{
    static const struct {
        struct ph_radial radial;
        enum ph_truncation truncation;
        struct ph_ewald_choice choice;
        const char *scheme;
        int smooth;
        const char *words[2]; /* NULL: no advice */
    } cases[] = {
        {{.kind = PH_RADIAL_NONE},
         PH_TRUNCATE_CUT,
         {.split = PH_SPLIT_BESSEL, .smoothness = 6},
         "srkn6-11b",
         6,
         {NULL}},
        {{.kind = PH_RADIAL_NONE},
         PH_TRUNCATE_CUT,
         {.split = PH_SPLIT_BESSEL, .smoothness = 4},
         "srkn6-11b",
         4,
         {"only 4 continuous derivatives", "Take interactions.electrostatics.smoothness: 8."}},
        {{.kind = PH_RADIAL_NONE},
         PH_TRUNCATE_CUT,
         {.split = PH_SPLIT_GAUSS},
         "srkn6-11b",
         -1,
         {"jumps at the cutoff", "Take interactions.electrostatics.split: bessel (or method: mesh)."}},
        {{PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0},
         PH_TRUNCATE_CUT,
         {.split = PH_SPLIT_BESSEL, .smoothness = 6},
         "srkn6-11b",
         -1,
         {"jumps at the cutoff", "Take interactions.truncation: switched, with switch.smoothness: 6."}},
        {{PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0},
         PH_TRUNCATE_SHIFTED,
         {.split = PH_SPLIT_GAUSS},
         "srkn6-11b",
         -1,
         {"switch.smoothness: 6, and interactions.electrostatics.split: bessel", ""}},
        {{PH_RADIAL_MIE, 1.0, 1.0, 12.0, 6.0},
         PH_TRUNCATE_SWITCHED,
         {.split = PH_SPLIT_BESSEL, .smoothness = 6},
         "srkn6-11b",
         6,
         {NULL}},
        {{PH_RADIAL_WCA, 1.0, 1.0, 12.0, 6.0},
         PH_TRUNCATE_CUT,
         {.split = PH_SPLIT_BESSEL, .smoothness = 6},
         "srkn6-11b",
         1,
         {"WCA", "only 1 continuous derivative"}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        struct ph_species species = make_molecule(POLAR, cases[k].radial);
        const struct ph_box box = make_box(cube_edges, 5.0);
        struct ph_system *system;
        assert_int_equal(ph_system_create(1, &species, (size_t[]){2}, &box, &system, NULL), PH_OK);
        const struct ph_interactions interactions = {.truncation = cases[k].truncation,
                                                     .cutoff = 2.0,
                                                     .switch_width = 0.5,
                                                     .smoothness = 6,
                                                     .electrostatics = PH_ELECTROSTATICS_EWALD,
                                                     .ewald = cases[k].choice};
        const struct ph_methods methods = {.scheme = ph_scheme_find(cases[k].scheme), .flow = ph_flow_find("exact")};
        char advice[PH_ADVICE];
        ph_methods_advice(&methods, system, &interactions, advice);
        assert_int_equal(ph_smoothness(system, &interactions), cases[k].smooth);
        if (!cases[k].words[0])
            assert_string_equal(advice, "");
        for (int w = 0; w < 2 && cases[k].words[0]; ++w)
            if (!strstr(advice, cases[k].words[w]))
                fail_msg("case %zu: '%s' is not in: %s", k, cases[k].words[w], advice);
        ph_system_destroy(system);
    }
}
