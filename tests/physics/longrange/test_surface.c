/* SPDX-License-Identifier: MIT */
/* What the wave k = 0 leaves in an Ewald sum: net charges in a uniform background, and slabs. Against lattice
 * constants, and against what must not matter: the screening, how far the copies of a slab are away, and whether they
 * are shifted sideways. */
#include "physics/ewald_sums.h"

#include "run/build/methods.h"
#include "run/gradients.h"

/* ---- Net charges ---- */

/* Energy per ion of a crystal of n^3 cells of edge 1, over that of two ions at the radius of a sphere per ion */
static double energy_of_crystal(const double corners[][3], size_t n_corners, double cutoff)
{
    enum { N = 3 };
    struct ph_species species = make_molecule(ATOM, none);
    species.site[0].charge = -2.0;
    const struct ph_box box = make_box(cube_edges, N);
    struct ph_system *system;
    assert_int_equal(ph_system_create(1, &species, (size_t[]){N * N * N * n_corners}, &box, &system, NULL), PH_OK);
    for (size_t i = 0; i < system->n; ++i) {
        const size_t cell = i / n_corners, at[3] = {cell % N, cell / N % N, cell / N / N};
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = (double)at[x] + corners[i % n_corners][x];
    }
    const struct ph_interactions interactions = ewald(cutoff, 1e-15);
    const struct ph_energy energy = evaluate_once(system, &interactions);
    /* of degree -1 in lengths */
    const double trace = energy.virial[0][0] + energy.virial[1][1] + energy.virial[2][2];
    assert_close(trace, electric(&energy), 1e-11, electric(&energy));
    const double radius = cbrt(3.0 / (4.0 * pi * (double)n_corners));
    const double result = electric(&energy) / (double)system->n * radius / (1.7 * 4.0);
    ph_system_destroy(system);
    return result;
}

/* Electrons in a background: E. Wigner, Phys. Rev. 46 (1934) 1002; digits of R. A. Coldwell-Horsfall, A. A. Maradudin,
 * J. Math. Phys. 1 (1960) 395, and later ones */
TEST(crystals_in_a_background_have_the_energies_of_wigner)
{
    static const double simple[][3] = {{0, 0, 0}}, body[][3] = {{0, 0, 0}, {0.5, 0.5, 0.5}},
                        face[][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    for (int k = 0; k < 2; ++k) {
        const double cutoff = k == 0 ? 1.4 : 0.95; /* another screening */
        assert_close(energy_of_crystal(simple, 1, cutoff), -0.880059442, 2e-9, 1.0);
        assert_close(energy_of_crystal(body, 2, cutoff), -0.895929255682, 1e-11, 1.0);
        assert_close(energy_of_crystal(face, 4, cutoff), -0.895873615195, 1e-11, 1.0);
    }
}

/* Waters and rods have a charge of 0.1 each, atoms one of -0.7; beside them dipoles. */
static struct ph_system *charged_mixture(const struct ph_box *box, uint64_t seed)
{
    struct ph_system *system = make_system((size_t[MOLECULES]){3, 4, 4, 4, 4}, none, box, 1.2, seed);
    system->species[0].site[0].charge = -0.7;
    assert_close(ph_system_charge(system), 0.8 - 2.1, 1e-14, 1.0);
    return system;
}

TEST(the_screening_does_not_matter_with_a_net_charge)
{
    for (size_t b = PH_SANITIZED ? 2 : 0; b < 3; ++b) {
        const struct ph_box box = make_box(boxes[b].shape, 7.0);
        struct ph_system *system = charged_mixture(&box, 3 + b);
        const double half = 0.499 * fmin(box.width[0], fmin(box.width[1], box.width[2]));
        struct ph_interactions wide = ewald(half, 1e-15), narrow = ewald(0.7 * half, 1e-15);
        for (int slab = 0; slab < 2; ++slab) {
            wide.ewald.slab = narrow.ewald.slab = slab == 1;
            const struct result want = result_of(system, &wide), got = result_of(system, &narrow);
            const double off = distance(&got, &want);
            print_message("%s%s: off by %.2g of %.3g\n", boxes[b].name, slab ? ", slab" : "", off,
                          electric(&want.energy));
            assert_true(off < 1e-11 && fabs(want.energy.waves - got.energy.waves) > 5e-3);
        }
        ph_system_destroy(system);
    }
}

/* Also of slabs, neutral or not, in boxes with any third edge: the strains of the check tilt it. */
TEST(forces_are_gradients_with_slabs_and_net_charges)
{
    for (size_t b = PH_SANITIZED ? 1 : 0; b < 3; ++b)
        for (int slab = 0; slab < 2; ++slab) {
            if (PH_SANITIZED && slab != (int)(b % 2)) /* two boxes, one of them with a slab */
                continue;
            const struct ph_box box = make_box(boxes[b].shape, 7.0);
            struct ph_interactions interactions = ewald(2.9, 1e-2);
            interactions.truncation = PH_TRUNCATE_SWITCHED;
            interactions.smoothness = 6;
            interactions.switch_width = 1.1;
            interactions.ewald.slab = slab == 1;
            struct ph_system *system = charged_mixture(&box, 4 * b);
            struct ph_gradients gradients;
            assert_ok(ph_check_gradients(system, &interactions, PH_SANITIZED ? 1 : 5, &gradients, &err));
            print_message("%s%s: force %.2g, torque %.2g, virial %.2g\n", boxes[b].name, slab ? ", slab" : "",
                          gradients.force.deviation, gradients.torque.deviation, gradients.virial.deviation);
            assert_true(gradients.virial.checked);
            assert_true(gradients.force.deviation < 1e-8 && gradients.torque.deviation < 1e-8 &&
                        gradients.virial.deviation < 1e-8);
            double total[3] = {0.0}, size = 0.0;
            const struct result result = result_of(system, &interactions);
            for (size_t i = 0; i < system->n; ++i)
                for (int x = 0; x < 3; ++x) {
                    total[x] += result.force[x][i];
                    size += fabs(result.force[x][i]);
                }
            for (int x = 0; x < 3; ++x)
                assert_close(total[x], 0.0, 1e-12, size);
            ph_system_destroy(system);
        }
}

TEST(a_net_charge_is_said)
{
    const struct ph_methods methods = {.scheme = ph_scheme_find("verlet"), .flow = ph_flow_find("exact")};
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *charged = charged_mixture(&box, 1);
    struct ph_system *neutral = make_system((size_t[MOLECULES]){0, 4, 0, 0, 0}, none, &box, 1.2, 1);
    struct ph_interactions interactions = ewald(3.0, 1e-6);
    interactions.truncation = PH_TRUNCATE_SWITCHED;
    interactions.smoothness = 6;
    char advice[PH_ADVICE];
    ph_methods_advice(&methods, charged, &interactions, advice);
    assert_string_equal(advice, "The box has a net charge of -1.3: a uniform background neutralises it.");
    ph_methods_advice(&methods, neutral, &interactions, advice);
    assert_string_equal(advice, "");
    interactions.ewald.slab = true;
    ph_methods_advice(&methods, charged, &interactions, advice);
    assert_non_null(strstr(advice, "The slab has a net charge of -1.3: nothing"));
    interactions.electrostatics = PH_ELECTROSTATICS_CUTOFF;
    ph_methods_advice(&methods, charged, &interactions, advice);
    assert_string_equal(advice, "");
    ph_system_destroy(charged);
    ph_system_destroy(neutral);
}

/* ---- Slabs ---- */

/* Energy per dipole of n^2 dipoles of moment 1 on a square lattice of spacing 1, in a box of this height */
static double sheet_of_dipoles(bool upright, double height, bool slab)
{
    enum { N = 4 };
    struct ph_species species = make_molecule(POLAR, none);
    set_dipole(&species.site[0], upright ? 0.0 : 1.0, 0.0, upright ? 1.0 : 0.0);
    const double edge[3][3] = {{N, 0, 0}, {0, N, 0}, {0, 0, height}};
    struct ph_box box;
    struct ph_system *system;
    assert_int_equal(ph_box_init_periodic(edge, &box, NULL), PH_OK);
    assert_int_equal(ph_system_create(1, &species, (size_t[]){N * N}, &box, &system, NULL), PH_OK);
    for (size_t i = 0; i < system->n; ++i) {
        system->r[0][i] = (double)(i % N);
        system->r[1][i] = (double)(i / N);
        system->r[2][i] = 0.9 * height;
    }
    struct ph_interactions interactions = ewald(1.9, 1e-15);
    interactions.coulomb = 1.0;
    interactions.ewald.slab = slab;
    const struct result result = result_of(system, &interactions);
    ph_system_destroy(system);
    return electric(&result.energy) / (N * N);
}

/* J. Topping, Proc. R. Soc. London A 114 (1927) 67: the sum of 1/r^3 over a square lattice is 9.0336... */
TEST(sheets_of_dipoles_have_the_energy_of_topping)
{
    const double topping = 9.03362168310095;
    assert_close(sheet_of_dipoles(true, 6.0, true), 0.5 * topping, 1e-12, 1.0);
    assert_close(sheet_of_dipoles(false, 6.0, true), -0.25 * topping, 1e-12, 1.0);
    /* In three directions of copies the field of an upright sheet is lost: 2 pi M^2/V. */
    assert_close(sheet_of_dipoles(true, 6.0, false), 0.5 * topping - 2.0 * pi / 6.0, 1e-12, 1.0);
}

/* A slab 7 thick, in a box of this height whose third edge goes sideways */
static struct ph_system *slab_of(const double (*shape)[3], double height, double sideways)
{
    const struct ph_box thin = make_box(shape, 7.0);
    struct ph_system *system = charged_mixture(&thin, 5);
    const double edge[3][3] = {{thin.edge[0][0], thin.edge[0][1], 0.0},
                               {thin.edge[1][0], thin.edge[1][1], 0.0},
                               {sideways, -0.5 * sideways, height}};
    ph_system_wrap(system);
    assert_ok(ph_box_init_periodic(edge, &system->box, &err));
    for (size_t i = 0; i < system->n; ++i)
        system->r[2][i] += 0.5 * (height - 7.0);
    return system;
}

TEST(copies_of_a_slab_do_not_matter)
{
    const struct {
        double height, sideways;
    } other[] = {{48.0, 0.0}, {40.0, 2.9}};
    for (int slab = 0; slab < 2; ++slab) {
        struct ph_interactions interactions = ewald(3.0, 1e-14);
        interactions.ewald.slab = slab == 1;
        struct ph_system *system = slab_of(cube_edges, 40.0, 0.0);
        const struct result want = result_of(system, &interactions);
        ph_system_destroy(system);
        for (int k = 0; k < 2; ++k) {
            system = slab_of(cube_edges, other[k].height, other[k].sideways);
            const struct result got = result_of(system, &interactions);
            ph_system_destroy(system);
            const double off = distance(&got, &want);
            print_message("%s, height %g, sideways %g: off by %.2g of %.6g\n", slab ? "slab" : "bulk", other[k].height,
                          other[k].sideways, off, electric(&want.energy));
            if (slab)
                assert_true(off < 1e-10);
            else if (k == 0)
                assert_true(off > 1e-2); /* without the correction they do */
        }
    }
}

TEST(slabs_need_empty_space_around)
{
    const struct ph_box box = make_box(cube_edges, 7.0);
    struct ph_system *system = make_system((size_t[MOLECULES]){0, 4, 0, 0, 0}, none, &box, 1.2, 1);
    struct ph_interactions interactions = ewald(3.0, 1e-6);
    struct ph_force_field *field;
    interactions.ewald.slab = true;
    ph_force_field_destroy(make_field(system, &interactions));
    interactions.epsilon_rf = 3.0;
    assert_error(ph_force_field_create(system, &interactions, &field, &err), PH_ERR_INPUT, "permittivity is 3");
    ph_system_destroy(system);
}

/* A slab of ions is where it is, also across the faces of its box: they are put into the box and counted on. */
TEST(ions_of_a_slab_may_cross_a_face)
{
    enum { N = 10 };
    const double tall[3][3] = {{1, 0, 0}, {0, 1, 0}, {0.1, 0, 3}};
    const struct ph_box box = make_box(tall, 5.0);
    for (int net = 0; net < 2; ++net) {
        struct ph_system *system = make_system((size_t[MOLECULES]){N / 2, N / 2, 0, 0, 0}, none, &box, 0.9, 2);
        system->species[0].site[0].charge = 1.0;
        system->species[1].site[0].charge = net ? -0.6 : -1.0; /* beside a dipole */
        struct ph_interactions in = ewald(2.4, 1e-8);
        in.ewald.slab = true;
        for (size_t i = 0; i < N; ++i) /* at half the height */
            system->r[2][i] = 7.5 + 0.3 * random_number(7, i);
        struct ph_force_field *field = make_field(system, &in);
        const struct ph_energy want = evaluate(field, system);
        double force[N];
        memcpy(force, system->f[2], sizeof force);
        for (size_t i = 0; i < N; ++i) {
            double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i] + 7.5};
            int image[3] = {0, 0, 0};
            ph_box_wrap(&box, r, image);
            for (int k = 0; k < 3; ++k) {
                system->r[k][i] = r[k];
                system->image[k][i] = image[k];
            }
        }
        ph_force_field_forget(field);
        const struct ph_energy got = evaluate(field, system);
        print_message("slab across a face: %.12g, %.12g at half the height\n", electric(&got), electric(&want));
        assert_close(electric(&got), electric(&want), 1e-9, electric(&want));
        for (size_t i = 0; i < N; ++i)
            assert_close(system->f[2][i], force[i], 1e-9, 10.0);
        if (net == 1) { /* one that goes away would be a copy of itself on the other side */
            struct ph_energy energy;
            struct ph_error err = {.text = ""};
            system->image[2][3] += 1;
            assert_int_equal(ph_force_field_evaluate(field, system, PH_FORCES_ALL, NULL, &energy, &err),
                             PH_ERR_NUMBERS);
            assert_non_null(strstr(err.text, "has left the slab"));
            assert_non_null(strstr(err.text, "take a higher box"));
        }
        put_away(field, system);
    }
}
