/* SPDX-License-Identifier: MIT */
/* Space has no direction of its own: a pair that is turned as a whole, whose molecules exchange numbers, or that is
 * seen in a mirror, has the same energy, and forces and torques that are turned, exchanged or mirrored. */
#include "physics/motion.h"
#include "physics/multipoles.h"

#include "potential/curves/curve.h"

static const struct ph_interactions endless = {.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};

/* Of three axes, with no symmetry but that of a mirror in the plane of y and z of each site */
static struct ph_angular formula_of_axes(void)
{
    static const char u[] = "3*((1/r)^12 - (1/r)^6)*(1 + 0.2*(a3.n - b3.n) + 0.3*((a1.n)^2 + (b1.n)^2) + "
                            "0.1*(a2.b2) - 0.15*(a3.b3) + 0.2*(a2.n)*(b2.n))";
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    const struct ph_curve *curve;
    if (!ph_program_compile(u, 0, NULL, &program, &fault))
        fail_msg("column %zu: %s", fault.column, fault.text);
    assert_ok(ph_curve_of_formula(u, &program, &curve, &err));
    return ph_curve_angular(curve);
}

/* Sites of two molecules for each kind of pair. Every one is its own image in the plane of its y and z. */
static void make_sites_of(int kind, struct ph_site site[2])
{
    static const double wells[3] = {1.2, 0.7, 0.3}, other_wells[3] = {0.5, 0.9, 1.4};
    struct ph_angular form[2] = {{.kind = PH_ANGULAR_NONE}, {.kind = PH_ANGULAR_NONE}};
    switch (kind) {
    case PH_ANGULAR_GAY_BERNE:
        form[0] = gay_berne(0.3, 0.5, 0.9, wells, 1.5, 2);
        form[1] = gay_berne(0.6, 0.4, 0.5, other_wells, 1.5, 2);
        break;
    case PH_ANGULAR_RE_SQUARED:
        form[0] = re_squared(0.3, 0.5, 0.9, wells);
        form[1] = re_squared(0.6, 0.4, 0.5, other_wells);
        break;
    case PH_ANGULAR_STICKY:
        form[0] = (struct ph_angular){PH_ANGULAR_STICKY, {1.3, 0.07715, 1.5, 2.6, 1.6, 2.4, 2.0}};
        form[1] = (struct ph_angular){PH_ANGULAR_STICKY, {0.8, 0.07715, 1.4, 2.5, 1.3, 2.7, 2.0}};
        break;
    case PH_ANGULAR_PATCH:
        form[0] = (struct ph_angular){PH_ANGULAR_PATCH, {1.7, 1.5, 3.2, 100.0, 180.0, 1.0}};
        form[1] = (struct ph_angular){PH_ANGULAR_PATCH, {1.2, 1.4, 3.0, 120.0, 180.0, 1.0}};
        break;
    case PH_ANGULAR_QUADRUPOLE:
        form[0] = quadrupole_of(0.9, -0.2, -0.7);
        form[1] = quadrupole_of(-0.3, 0.8, -0.5);
        break;
    case PH_ANGULAR_DIPOLE_QUADRUPOLE: form[1] = quadrupole_of(-0.3, 0.8, -0.5); break;
    case PH_ANGULAR_QUADRUPOLE_DIPOLE: form[0] = quadrupole_of(0.9, -0.2, -0.7); break;
    case PH_ANGULAR_FORMULA: form[0] = form[1] = formula_of_axes(); break;
    default: fail_msg("form %d is not in this test", kind);
    }
    for (int k = 0; k < 2; ++k) {
        site[k] = angular_site(&form[k]);
        if (form[k].kind == PH_ANGULAR_NONE)
            set_dipole(&site[k], 0.0, 0.7, -0.4);
    }
}

struct pair_state {
    double d[3], q[2][4];
};

struct pair_result {
    double u, f[2][3], t[2][3];
};

static struct pair_result evaluate_sites(const struct ph_site site[2], const struct pair_state *at,
                                         const struct ph_interactions *interactions)
{
    struct ph_species species[2];
    for (int k = 0; k < 2; ++k) {
        species[k] = (struct ph_species){.n_sites = 1, .site = {site[k]}};
        snprintf(species[k].name, sizeof species[k].name, "m%d", k);
        assert_ok(ph_species_complete(&species[k], NULL, (const double[]){0.5, 0.6, 0.25}, &err));
    }
    struct ph_system *system = make_two(&species[0], &species[1], at->d, at->q);
    const struct ph_energy energy = evaluate_once(system, interactions);
    struct pair_result result = {.u = energy.radial + energy.electric};
    for (int k = 0; k < 2; ++k)
        for (int x = 0; x < 3; ++x) {
            result.f[k][x] = system->f[x][k];
            result.t[k][x] = system->t[x][k];
        }
    ph_system_destroy(system);
    return result;
}

static void expect_same(const char *what, int kind, const struct pair_result *got, const struct pair_result *want)
{
    double size = fabs(want->u), off = fabs(got->u - want->u);
    for (int k = 0; k < 2; ++k)
        for (int x = 0; x < 3; ++x) {
            size = fmax(size, fmax(fabs(want->f[k][x]), fabs(want->t[k][x])));
            off = fmax(off, fmax(fabs(got->f[k][x] - want->f[k][x]), fabs(got->t[k][x] - want->t[k][x])));
        }
    if (!(off < 2e-13 * size && size > 1e-3))
        fail_msg("%s, form %d: off by %.2g of %.2g", what, kind, off, size);
}

/* The pair turned as a whole about an axis anywhere: forces and torques turn along. */
static void expect_turned(int kind, const struct ph_site site[2], const struct pair_state *at,
                          const struct ph_interactions *interactions, const double turn[4])
{
    struct pair_state turned;
    struct pair_result want = evaluate_sites(site, at, interactions), rotated = want;
    ph_quat_rotate(turn, at->d, turned.d);
    for (int k = 0; k < 2; ++k) {
        ph_quat_multiply(turn, at->q[k], turned.q[k]);
        ph_quat_rotate(turn, want.f[k], rotated.f[k]);
        ph_quat_rotate(turn, want.t[k], rotated.t[k]);
    }
    const struct pair_result got = evaluate_sites(site, &turned, interactions);
    expect_same("turned", kind, &got, &rotated);
}

/* The molecules by the other numbers: what acted on the first acts on the second. */
static void expect_exchanged(int kind, const struct ph_site site[2], const struct pair_state *at,
                             const struct ph_interactions *interactions)
{
    const struct ph_site exchanged[2] = {site[1], site[0]};
    const struct pair_result want = evaluate_sites(site, at, interactions);
    struct pair_state other;
    struct pair_result swapped = want;
    for (int x = 0; x < 3; ++x)
        other.d[x] = -at->d[x];
    for (int k = 0; k < 2; ++k) {
        memcpy(other.q[k], at->q[1 - k], sizeof other.q[k]);
        memcpy(swapped.f[k], want.f[1 - k], sizeof swapped.f[k]);
        memcpy(swapped.t[k], want.t[1 - k], sizeof swapped.t[k]);
    }
    const struct pair_result got = evaluate_sites(exchanged, &other, interactions);
    expect_same("exchanged", kind, &got, &swapped);
}

/* Seen in the plane of x and y of space. A site that is its own image in the plane of its y and z turns to Z R X, where
 * Z and X are half turns about z of space and x of the body. Torques are no vectors: they get the other sign. */
static void expect_mirrored(int kind, const struct ph_site site[2], const struct pair_state *at,
                            const struct ph_interactions *interactions)
{
    static const double about_z[4] = {0, 0, 0, 1}, about_x[4] = {0, 1, 0, 0};
    const struct pair_result want = evaluate_sites(site, at, interactions);
    struct pair_state image = *at;
    struct pair_result seen = want;
    image.d[2] = -at->d[2];
    for (int k = 0; k < 2; ++k) {
        ph_quat_multiply(at->q[k], about_x, image.q[k]);
        ph_quat_multiply(about_z, image.q[k], image.q[k]);
        seen.f[k][2] = -want.f[k][2];
        seen.t[k][0] = -want.t[k][0];
        seen.t[k][1] = -want.t[k][1];
    }
    const struct pair_result got = evaluate_sites(site, &image, interactions);
    expect_same("mirrored", kind, &got, &seen);
}

/* Every form in the list, and a formula. Catches a form that depends on axes of space, forces and torques in another
 * frame than the site's, and constants of the first site where those of the second belong. */
TEST(every_form_has_the_symmetries_of_space)
{
    const struct ph_interactions ended = switched(3.4, 1.7, 4);
    for (int kind = PH_ANGULAR_NONE + 1; kind < PH_ANGULAR_KINDS; ++kind) {
        struct ph_site site[2];
        make_sites_of(kind, site);
        for (uint64_t trial = 0; trial < 6; ++trial) {
            struct pair_state at;
            double turn[4], norm = 0.0, r = 0.0;
            for (size_t k = 0; k < 4; ++k) {
                turn[k] = random_number(trial, k);
                norm += turn[k] * turn[k];
                at.q[0][k] = random_number(trial, 4 + k);
                at.q[1][k] = random_number(trial, 8 + k);
            }
            for (size_t k = 0; k < 4; ++k)
                turn[k] /= sqrt(norm);
            for (size_t k = 0; k < 3; ++k) {
                at.d[k] = random_number(trial, 12 + k);
                r += at.d[k] * at.d[k];
            }
            for (size_t k = 0; k < 3; ++k)
                at.d[k] *= (1.8 + 0.1 * (double)trial) / sqrt(r);
            const struct ph_interactions *interactions = trial % 2 == 0 ? &endless : &ended;
            expect_turned(kind, site, &at, interactions, turn);
            expect_exchanged(kind, site, &at, interactions);
            expect_mirrored(kind, site, &at, interactions);
        }
    }
}
