/* SPDX-License-Identifier: MIT */
/* The library of models: each has the mass, moments, dipole and quadrupole that its paper gives, and its spheres. A
 * model that is not in the table is missing from the test, which fails. */
#include "support.h"

#include "input/model_file.h"
#include "model/species.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
    const char *name;
    double mass, inertia[3], dipole; /* dipole in the model's units */
    double quadrupole;               /* of charges and point quadrupoles, D A: (Qxx - Qyy)/2, Qzz of linear molecules */
    int degrees;
};

/* Water: moments in u nm^2, dipoles and quadrupoles in Debye (1 e nm = 48.0320... D) from the literature's geometry.
 * Papers print dipoles and quadrupoles of SPC to TIP5P with three decimals: 2.35 and 2.035 of SPC/E, for example. */
static const double debye = 48.03204712;
static const struct expected models[] = {
    {"lennard-jones", 1, {0, 0, 0}, 0, 0, 0},
    {"soft-sphere", 1, {0, 0, 0}, 0, 0, 0},
    {"wca", 1, {0, 0, 0}, 0, 0, 0},
    {"stockmayer", 1, {0.1, 0.1, 0.1}, 1.7320508075688772, 0, 3},
    {"dipolar-soft-sphere", 1, {1, 1.88, 2.88}, 1.4142135623730951, 0, 3},
    {"dipolar-lj-dumbbell", 1, {0.09, 0.09, 0}, 2.449489742783178, 0, 2},
    {"spc-e", 18.0154, {0.0059681832, 0.0194079807, 0.0134397975}, 2.35054, 2.0356, 3},
    {"tip3p", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.34697, 1.7214, 3},
    {"tip4p", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.17738, 2.1466, 3},
    {"tip4p-2005", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.30521, 2.2969, 3},
    {"tip5p", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.29, 1.5621, 3},
    {"spc", 18.0154, {0.00596818318, 0.0194079807, 0.0134397975}, 2.27400, 1.9693, 3},
    {"tip4p-ew", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.32094, 2.1641, 3},
    {"tip4p-ice", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.42561, 2.4344, 3},
    {"tip4p-eps", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.43450, 2.17554, 3},
    {"tip4p-d", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.40298, 2.3943, 3},
    {"tip4p-fb", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.42789, 2.1709, 3},
    {"tip3p-fb", 18.0154, {0.00630971815, 0.0198435288, 0.0135338106}, 2.41928, 2.0519, 3},
    {"opc", 18.0154, {0.0052111357, 0.0146867806, 0.00947564486}, 2.47966, 2.2997, 3},
    {"opc3", 18.0154, {0.00571860889, 0.0185969413, 0.0128783324}, 2.43, 2.0600, 3},
    {"tip5p-e", 18.0154, {0.0061456955, 0.0176968472, 0.0115511518}, 2.29, 1.5621, 3},
    {"trappe-co2", 44.009, {0.430565088, 0.430565088, 0}, 0, -4.5242, 2},
    {"epm2-co2", 44.009, {0.422437916, 0.422437916, 0}, 0, -4.1294, 2},
    {"trappe-n2", 28.014, {0.08474235, 0.08474235, 0}, 0, -1.4007, 2},
    {"trappe-o2", 31.998, {0.117120679, 0.117120679, 0}, 0, -0.39733, 2},
    {"gay-berne-3-5-2-1", 1, {0.5, 0.5, 0}, 0, 0, 2},
    {"gay-berne-3-5-1-3", 1, {0.5, 0.5, 0}, 0, 0, 2},
    {"gay-berne-4.4-20-1-1", 1, {1.018, 1.018, 0}, 0, 0, 2},
    {"gay-berne-0.345-0.2-1-2", 1, {0.05595125, 0.05595125, 0}, 0, 0, 2},
    {"argon-buckingham", 39.948, {0, 0, 0}, 0, 0, 0},
    {"ethylene-oxide", 44.053, {0.1516462947, 0.3223268307, 0.170680536}, 2.459, 0, 3},
    {"methanol", 32.042, {0.007368864379, 0.1673552606, 0.174724125}, 2.14315, 0.0173959, 3},
    {"acetonitrile", 41.053, {0.4339821794, 0.4339821794, 0}, 4.04, 0, 2},
    {"carbon-monoxide", 28.01, {0.09108433601, 0.09108433601, 0}, 0.7378, 0, 2},
    {"nitrogen", 28.014, {0.07668503055, 0.07668503055, 0}, 0, 1.4397, 2},
    {"carbon-dioxide", 44.009, {0.4675539569, 0.4675539569, 0}, 0, 3.7938, 2},
    {"carbon-dioxide-3cljq", 44.009, {0.5299225930, 0.5299225930, 0}, 0, 4.0739, 2},
    {"benzene", 78.114, {0.892234896, 0.892234896, 1.784469792}, 0, 0, 3}, /* 6 m r^2, half of it about the others */
    {"ssd", 18.0153, {0.017695, 0.006145, 0.01155}, 2.35, 0, 3},
    {"ssd1", 18.0153, {0.017695, 0.006145, 0.01155}, 2.35, 0, 3},
    {"ssd-e", 18.0153, {0.017695, 0.006145, 0.01155}, 2.42, 0, 3},
    {"ssd-rf", 18.0153, {0.017695, 0.006145, 0.01155}, 2.48, 0, 3},
};
enum { MODELS = sizeof models / sizeof *models };

/* Lennard-Jones spheres in the units of the papers: Angstrom, and K, kcal/mol or kJ/mol */
static const double kelvin = 0.00831446261815324, kcal = 4.184;
static const struct sphere {
    const char *model, *site;
    double sigma, epsilon, unit;
    double digits; /* the paper's */
} spheres[] = {
    {"spc", "O", 3.166, 0.650, 1.0, 3e-4},
    {"spc-e", "O", 3.166, 0.650, 1.0, 3e-4},
    {"tip4p-2005", "O", 3.1589, 93.2, kelvin, 1e-6},
    {"tip4p-ew", "O", 3.16435, 0.16275, kcal, 1e-6},
    {"tip4p-ice", "O", 3.1668, 106.1, kelvin, 1e-6},
    {"tip4p-eps", "O", 3.165, 93.0, kelvin, 1e-9},
    {"tip4p-eps", "O", 3.165, 0.77324, 1.0, 1e-5},          /* of the file for GROMACS */
    {"tip4p-eps", "O", 3.165, 0.1848, kcal, 1e-4},          /* of STORMM */
    {"tip4p-d", "O", 3.16499897, 0.2238417433, kcal, 1e-8}, /* of C6 = 900, C12 = 904657 */
    {"tip4p-fb", "O", 3.165552430462, 0.7492790213533, 1.0, 1e-12},
    {"tip3p-fb", "O", 3.1780, 0.1558652008, kcal, 1e-9},
    {"opc", "O", 3.16655, 0.21280, kcal, 1e-6},
    {"opc3", "O", 3.1742703509, 0.163406, kcal, 1e-6},
    {"tip5p-e", "O", 3.097, 0.178, kcal, 1e-6},
    {"trappe-n2", "N", 3.31, 36.0, kelvin, 1e-6},
    {"trappe-o2", "O", 3.02, 49.0, kelvin, 1e-6},
    {"trappe-co2", "C", 2.80, 27.0, kelvin, 1e-6},
    {"trappe-co2", "O", 3.05, 79.0, kelvin, 1e-6},
    {"epm2-co2", "C", 2.757, 28.129, kelvin, 1e-5},
    {"epm2-co2", "O", 3.033, 80.507, kelvin, 1e-5},
    {"ethylene-oxide", "CH2", 3.5266, 84.739, kelvin, 1e-9},
    {"ethylene-oxide", "O", 3.0929, 62.126, kelvin, 1e-9},
    {"methanol", "CH3", 3.7543, 120.592, kelvin, 1e-9},
    {"methanol", "O", 3.030, 87.879, kelvin, 1e-9},
    {"acetonitrile", "CH3", 3.88, 184.31, kelvin, 1e-9},
    {"acetonitrile", "C", 2.81, 10.64, kelvin, 1e-9},
    {"acetonitrile", "N", 3.27, 43.19, kelvin, 1e-9},
    {"carbon-monoxide", "X", 3.3009, 36.897, kelvin, 1e-9},
    {"nitrogen", "N", 3.3211, 34.897, kelvin, 1e-9},
    {"carbon-dioxide", "O", 2.9847, 133.22, kelvin, 1e-9},
    {"carbon-dioxide-3cljq", "C", 2.8137, 12.3724, kelvin, 1e-8},
    {"carbon-dioxide-3cljq", "O", 2.9755, 100.493, kelvin, 1e-8},
    {"benzene", "C", 3.55, 0.07, kcal, 1e-12},
    {"benzene", "H", 2.42, 0.03, kcal, 1e-12},
    {"ssd", "W", 3.051, 0.152, kcal, 1e-12},
    {"ssd1", "W", 3.016, 0.152, kcal, 1e-12},
    {"ssd-e", "W", 3.035, 0.152, kcal, 1e-12},
    {"ssd-rf", "W", 3.019, 0.152, kcal, 1e-12},
};

static void read_model(const char *name, struct ph_input_model *model, struct ph_species *species)
{
    char file[512];
    snprintf(file, sizeof file, "%s/../../potentials/%s.yaml", POLHODE_TEST_DATA, name);
    assert_ok(ph_model_read(file, NULL, model, &err));
    assert_ok(ph_build_species(model, species, &err));
    assert_string_equal(species->name, name);
}

TEST(shipped_models_have_the_moments_and_dipoles_of_the_literature)
{
    for (size_t k = 0; k < MODELS; ++k) {
        const struct expected *want = &models[k];
        static struct ph_input_model model;
        struct ph_species species;
        read_model(want->name, &model, &species);
        assert_true(strlen(model.source) > 10);
        assert_close(species.mass, want->mass, 1e-12, species.mass);
        const double unit = strcmp(model.units, "md") == 0 ? debye : 1.0;
        double dipole[3], charge = 0.0;
        ph_species_dipole(&species, dipole);
        const double size = unit * sqrt(dipole[0] * dipole[0] + dipole[1] * dipole[1] + dipole[2] * dipole[2]);
        assert_close(size, want->dipole, strncmp(want->name, "tip5p", 5) == 0 ? 2e-3 : 3e-6, fmax(want->dipole, 1e-6));
        for (int j = 0; j < 3; ++j)
            assert_close(species.inertia[j], want->inertia[j], 1e-8, want->inertia[j]);
        double quadrupole = 0.0;
        for (size_t a = 0; a < species.n_sites; ++a) {
            const struct ph_site *site = &species.site[a];
            const double *r = site->position;
            charge += site->charge;
            const double *u = site->axis[2];
            const double own =
                site->angular.kind == PH_ANGULAR_QUADRUPOLE ? site->angular.number[PH_QUADRUPOLE_Q] : 0.0;
            quadrupole += 10.0 * unit *
                          (species.degrees == 3
                               ? 0.75 * (site->charge * (r[0] * r[0] - r[1] * r[1]) + own * (u[0] * u[0] - u[1] * u[1]))
                               : site->charge * r[2] * r[2] + own * fabs(u[2]));
        }
        assert_close(charge, 0.0, 2e-15, 1.0);
        assert_close(quadrupole, want->quadrupole, 3e-5, fmax(fabs(want->quadrupole), 1e-6));
        assert_int_equal(species.degrees, want->degrees);
    }
}

/* Catches a wrong unit, a digit, and spheres of two sites that changed places */
TEST(spheres_are_those_of_the_papers)
{
    for (size_t k = 0; k < sizeof spheres / sizeof *spheres; ++k) {
        const struct sphere *want = &spheres[k];
        static struct ph_input_model model;
        struct ph_species species;
        size_t found = 0;
        read_model(want->model, &model, &species);
        for (size_t a = 0; a < species.n_sites; ++a) {
            const struct ph_site *site = &species.site[a];
            if (strcmp(site->name, want->site) != 0)
                continue;
            assert_close(10.0 * site->radial.sigma, want->sigma, want->digits, want->sigma);
            assert_close(site->radial.epsilon, want->epsilon * want->unit, want->digits, want->epsilon * want->unit);
            ++found;
        }
        assert_true(found > 0);
    }
}

static bool look_up(const char *file, void *data)
{
    const char *name = strrchr(file, '/') + 1;
    const size_t length = strlen(name) - strlen(".yaml");
    for (size_t k = 0; k < MODELS; ++k)
        if (strlen(models[k].name) == length && strncmp(name, models[k].name, length) == 0) {
            ++*(size_t *)data;
            return true;
        }
    fail_msg("%s is in the library, but not in this test", name);
    return false;
}

TEST(each_model_of_the_library_is_tested)
{
    size_t found = 0;
    setenv("POLHODE_POTENTIALS", POLHODE_TEST_DATA "/../../potentials", 1);
    ph_model_visit(look_up, &found);
    assert_int_equal(found, MODELS);
    unsetenv("POLHODE_POTENTIALS");
}
