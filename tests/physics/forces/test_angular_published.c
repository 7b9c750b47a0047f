/* SPDX-License-Identifier: MIT */
/* Angular forms against another program: energies, stresses and forces of spheres and ellipsoids in LAMMPS. */
#include "physics/angular_reference.h"

enum { BODIES = 48, COPIES = 2 };

struct body {
    int type;
    double r[3], q[4], force[2][3]; /* of Gay-Berne and RE-squared */
};

static void read_bodies(struct body body[BODIES])
{
    FILE *file = fopen(POLHODE_TEST_DATA "/ellipsoids.csv", "r");
    char line[512];
    size_t n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && n < BODIES) {
        int number;
        struct body *b = &body[n];
        if (sscanf(line, "%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &number, &b->type, &b->r[0],
                   &b->r[1], &b->r[2], &b->q[0], &b->q[1], &b->q[2], &b->q[3], &b->force[0][0], &b->force[0][1],
                   &b->force[0][2], &b->force[1][0], &b->force[1][1], &b->force[1][2]) == 15)
            ++n;
    }
    fclose(file);
    assert_int_equal(n, BODIES);
}

/* The form of a type with this program's parameters. Spheres meet ellipsoids with epsilon 3, and each other not at all:
 * they have another cutoff. */
static struct ph_angular form_of_type(enum ph_angular_kind kind, int type)
{
    static const double half[3][3] = {{0.5, 0.5, 0.5}, {0.5, 1.0, 1.0}, {1.5, 0.5, 0.5}}, even[3] = {1, 1, 1};
    const double *s = half[type - 1], wells[3] = {1.0, 1.0, type == 1 ? 1.0 : 0.2};
    struct ph_angular form = kind == PH_ANGULAR_GAY_BERNE ? gay_berne(s[0], s[1], s[2], wells, 1.0, 3.0)
                                                          : re_squared(s[0], s[1], s[2], even);
    if (kind == PH_ANGULAR_GAY_BERNE && type == 1)
        form.number[PH_GB_EPSILON] = 9.0; /* the mean with 1 is 3 */
    return form;
}

/* Two copies of the box of the file, because its cutoff is longer than half an edge; molecules of some types */
static struct ph_system *copy_bodies(enum ph_angular_kind kind, const struct body body[BODIES], int types,
                                     size_t *index)
{
    const double wide = 8.207884544048145 + 1.3679807573413574, high = 6.155913408036108 + 1.0259855680060177;
    const double edges[3][3] = {{wide, 0, 0}, {0, wide, 0}, {0, 0, COPIES * high}};
    static const char *const names[] = {"sphere", "disc", "rod"};
    struct ph_species species[3];
    size_t counts[3] = {0}, n_species = 0, i = 0;
    for (int type = 1; type <= types; ++type) {
        struct ph_angular form = form_of_type(kind, type);
        species[n_species] = make_ellipsoid(names[type - 1], &form);
        for (size_t b = 0; b < BODIES; ++b)
            counts[n_species] += body[b].type == type ? COPIES : 0;
        ++n_species;
    }
    struct ph_box box;
    struct ph_system *system;
    assert_ok(ph_box_init_periodic(edges, &box, &err));
    assert_ok(ph_system_create(n_species, species, counts, &box, &system, &err));
    for (int type = 1; type <= types; ++type)
        for (size_t b = 0; b < BODIES; ++b)
            for (size_t copy = 0; copy < COPIES && body[b].type == type; ++copy, ++i) {
                for (size_t k = 0; k < 3; ++k)
                    system->r[k][i] = body[b].r[k] + (k == 2 ? (double)copy * high : 0.0);
                for (size_t k = 0; k < 4; ++k)
                    system->q[k][i] = body[b].q[k];
                index[i] = b;
            }
    return system;
}

/* Energy, stress and forces of 48 bodies. The forces of two spheres end at 2.5 there, of all others at 4. Catches a
 * wrong exponent of wells that are biaxial with respect to the shape, and pairs across several images of a box. */
static void ellipsoids_agree_with_lammps(void **state)
{
    static const double energies[] = {-19.396706665334502, -0.39966334026307593};
    static const double stress[2][6] = {{-4.4129836306193852e+01, -4.6248182335301976e+01, -4.4804677777978164e+01,
                                         2.5850051401668588e+00, -3.3317979376924267e+00, 5.4943194178167065e+00},
                                        {1.2506378997289177e+01, 1.7412948256684093e+00, 4.8014683333961381e+00,
                                         -2.0266096456508992e-01, 3.3217241046230663e+00, -5.2004918709446790e-01}};
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    struct body body[BODIES];
    size_t index[BODIES * COPIES];
    read_bodies(body);
    for (size_t form = 0; form < 2; ++form) {
        const enum ph_angular_kind kind = form == 0 ? PH_ANGULAR_GAY_BERNE : PH_ANGULAR_RE_SQUARED;
        const struct ph_interactions far = {.truncation = PH_TRUNCATE_CUT, .cutoff = 4.0, .coulomb = 1.0};
        const struct ph_interactions near = {.truncation = PH_TRUNCATE_CUT, .cutoff = 2.5, .coulomb = 1.0};
        struct ph_system *system = copy_bodies(kind, body, 3, index);
        struct ph_energy energy = evaluate_once(system, &far);
        for (int pass = 0; pass < 2 && form == 0;
             ++pass) {                          /* less spheres with epsilon 9, and with epsilon 3 instead */
            size_t of_spheres[BODIES * COPIES]; /* the first molecules of all */
            struct ph_system *spheres = copy_bodies(kind, body, 1, of_spheres);
            const double factor = pass == 0 ? -1.0 : 3.0 / 9.0;
            const struct ph_energy part = evaluate_once(spheres, pass == 0 ? &far : &near);
            energy.radial += factor * part.radial;
            for (int k = 0; k < 9; ++k)
                energy.virial[k / 3][k % 3] += factor * part.virial[k / 3][k % 3];
            for (size_t i = 0; i < spheres->n; ++i)
                for (size_t x = 0; x < 3; ++x)
                    system->f[x][i] += factor * spheres->f[x][i];
            ph_system_destroy(spheres);
        }
        assert_close(energy.radial / COPIES, energies[form], 1e-12, form == 0 ? 20.0 : 5.0);
        for (int k = 0; k < 6; ++k)
            assert_close(energy.virial[row[k]][column[k]] / COPIES, stress[form][k], 1e-12, 50.0);
        for (size_t i = 0; i < system->n; ++i)
            for (size_t x = 0; x < 3; ++x)
                assert_close(system->f[x][i], body[index[i]].force[form][x], 1e-12, 4.0);
        ph_system_destroy(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ellipsoids_agree_with_lammps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
