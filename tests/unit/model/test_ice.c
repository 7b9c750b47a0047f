/* SPDX-License-Identifier: MIT */
/* Ices: places and directions of the molecules, looked at without the tables that made them */
#include "support.h"

#include "base/rotation.h"
#include "model/start.h"
#include "model/units.h"

#include <stdlib.h>
#include <string.h>

enum { FORMS = 7, NEIGHBOURS = 8 };

static const struct {
    const char *name;
    double density; /* kg/m^3 */
    size_t n;       /* smallest and a larger crystal */
    size_t more, neighbours;
} forms[FORMS] = {{"Ih", 920, 8, 96, 4},   {"Ic", 931, 8, 64, 4},   {"II", 1180, 144, 144, 4}, {"III", 1165, 12, 96, 4},
                  {"V", 1231, 28, 112, 4}, {"VI", 1373, 10, 80, 4}, {"VII", 1599, 16, 128, 8}};

static struct ph_species make_water(void)
{
    static const double place[4][3] = {{0, 0, 0}, {0.0757, 0, 0.0586}, {-0.0757, 0, 0.0586}, {0, 0, 0.0157}};
    static const double charge[4] = {0, 0.5, 0.5, -1}, mass[4] = {15.9994, 1.008, 1.008, 0};
    struct ph_species species = {.name = "water", .n_sites = 4};
    for (int a = 0; a < 4; ++a) {
        strcpy(species.site[a].name, a == 0 ? "O" : a == 3 ? "M" : "H");
        memcpy(species.site[a].position, place[a], sizeof place[a]);
        species.site[a].charge = charge[a];
        species.site[a].mass = mass[a];
    }
    assert_ok(ph_species_complete(&species, NULL, NULL, &err));
    return species;
}

static struct ph_system *crystal(const char *name, size_t n, uint64_t seed)
{
    struct ph_species species = make_water();
    struct ph_start start = {.kind = PH_START_ICE, .ice = ph_ice_find(name), .seed = seed};
    struct ph_system *system;
    struct ph_box box;
    double edge[3][3];
    assert_ok(ph_ice_repeat(start.ice, n, start.cells, &err));
    ph_ice_edges(start.ice, start.cells, edge);
    assert_ok(ph_box_init_periodic((const double(*)[3])edge, &box, &err));
    assert_ok(ph_system_create(1, &species, &n, &box, &system, &err));
    assert_ok(ph_start_place(&start, system, &err));
    return system;
}

static void site(const struct ph_system *system, size_t i, size_t a, double r[3])
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    ph_quat_rotate(q, system->species[0].site[a].position, r);
    for (int k = 0; k < 3; ++k)
        r[k] += system->r[k][i];
}

static void total_dipole(const struct ph_system *system, double sum[3])
{
    double body[3];
    ph_species_dipole(&system->species[0], body);
    sum[0] = sum[1] = sum[2] = 0.0;
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double mu[3];
        ph_quat_rotate(q, body, mu);
        ph_vec3_add(1.0 / ph_vec3_norm(body), mu, sum);
    }
}

/* Differences d of oxygens i and j in all images nearer than 0.305 nm; returns how many. Small crystals have several.
 */
static size_t near_images(const struct ph_system *system, size_t i, size_t j, double near[NEIGHBOURS][3])
{
    double a[3], b[3];
    size_t n = 0;
    site(system, i, 0, a);
    site(system, j, 0, b);
    for (int m = 0; m < 125; ++m) {
        double d[3];
        const int by[3] = {m % 5 - 2, m / 5 % 5 - 2, m / 25 - 2};
        for (int k = 0; k < 3; ++k) {
            d[k] = b[k] - a[k];
            for (int e = 0; e < 3; ++e)
                d[k] += by[e] * system->box.edge[e][k];
        }
        const double length = ph_vec3_norm(d);
        if (length > 0.1 && length < 0.305) {
            assert_true(n < NEIGHBOURS);
            memcpy(near[n++], d, sizeof d);
        }
    }
    return n;
}

/* Follows each hydrogen of i to the neighbour that it points at. Returns the number of neighbours. */
static size_t follow_hydrogens(const struct ph_system *system, size_t i, int *accepted, int *given)
{
    double oxygen[3], hydrogen[2][3];
    size_t neighbours = 0;
    site(system, i, 0, oxygen);
    for (size_t h = 0; h < 2; ++h) {
        site(system, i, 1 + h, hydrogen[h]);
        for (int k = 0; k < 3; ++k)
            hydrogen[h][k] -= oxygen[k];
    }
    for (size_t j = 0; j < system->n; ++j) {
        double near[NEIGHBOURS][3];
        const size_t images = near_images(system, i, j, near);
        neighbours += images;
        for (size_t m = 0; m < images; ++m) {
            assert_true(ph_vec3_norm(near[m]) > 0.27);
            for (size_t h = 0; h < 2; ++h)
                if (ph_vec3_dot(near[m], hydrogen[h]) > cos(0.45) * ph_vec3_norm(near[m]) * ph_vec3_norm(hydrogen[h])) {
                    ++accepted[j];
                    ++given[i];
                }
        }
    }
    return neighbours;
}

TEST(every_molecule_has_four_neighbours_two_of_which_it_gives_a_hydrogen)
{
    for (size_t f = 0; f < 2 * FORMS; ++f) {
        const size_t n = f < FORMS ? forms[f].n : forms[f - FORMS].more, form = f % FORMS;
        if (f < FORMS && strcmp(forms[form].name, "V") == 0)
            continue; /* the cell alone is checked among the larger ones */
        struct ph_system *system = crystal(forms[form].name, n, 3 + f);
        int *accepted = calloc(2 * n, sizeof *accepted), *given = accepted + n;
        assert_non_null(accepted);
        for (size_t i = 0; i < n; ++i)
            assert_int_equal(follow_hydrogens(system, i, accepted, given), forms[form].neighbours);
        for (size_t i = 0; i < n; ++i)
            if (accepted[i] != 2 || given[i] != 2)
                fail_msg("ice %s: molecule %zu gives %d hydrogens and gets %d", forms[form].name, i, given[i],
                         accepted[i]);
        free(accepted);
        ph_system_destroy(system);
    }
}

TEST(crystals_have_their_published_density_and_no_dipole)
{
    for (size_t f = 0; f < FORMS; ++f) {
        struct ph_system *system = crystal(forms[f].name, forms[f].more, 1);
        const double density =
            ph_kilograms_per_cubic_metre * (double)system->n * system->species[0].mass / system->box.volume;
        assert_close(density, forms[f].density, 0.005, forms[f].density);
        assert_close(ph_ice_find(forms[f].name)->density, forms[f].density, 1e-12, forms[f].density);
        double sum[3];
        total_dipole(system, sum);
        if (!(ph_vec3_norm(sum) <= (strcmp(forms[f].name, "V") == 0 ? 0.1 : 0.05)))
            fail_msg("ice %s: dipole of %g molecules", forms[f].name, ph_vec3_norm(sum));
        ph_system_destroy(system);
    }
}

/* The sum of bonds from the molecule that gives to the one that gets: zero, not only small. Without turning loops that
 * cross the faces, most of these seeds would have one of some edges. */
TEST(bonds_add_up_to_nothing)
{
    const struct ph_ice_form *form = ph_ice_find("Ih");
    const size_t cells[3] = {3, 2, 2};
    struct ph_ice_cell cell;
    ph_ice_make(form, &cell);
    const size_t n = cell.n * 12;
    bool donor[4 * 96];
    assert_int_equal(n, 96);
    for (uint64_t seed = 0; seed < (PH_SANITIZED ? 4 : 20); ++seed) {
        assert_ok(ph_ice_protons(&cell, cells, (const double(*)[3])cell.edge, seed, donor, &err));
        double sum[3] = {0.0};
        for (size_t v = 0; v < n; ++v)
            for (size_t k = 0; k < PH_ICE_BONDS; ++k)
                if (donor[PH_ICE_BONDS * v + k])
                    ph_vec3_add(1.0, cell.bond[v % cell.n][k].way, sum);
        for (int k = 0; k < 3; ++k)
            assert_close(sum[k], 0.0, 1e-12, 1.0);
    }
}

/* All configurations of the 8 molecules of Ic that obey the rules and have no dipole, by trying all 2^16; many seeds
 * must find each of them about equally often. */
TEST(hydrogens_are_random)
{
    enum { BONDS = 16, SEEDS = PH_SANITIZED ? 100 : 2000 };
    const size_t one[3] = {1, 1, 1};
    struct ph_ice_cell cell;
    ph_ice_make(ph_ice_find("Ic"), &cell);
    assert_int_equal(cell.n, 8);
    size_t bond[BONDS], n_bonds = 0, allowed = 0; /* each seen from one of its ends */
    for (size_t v = 0; v < 8; ++v)
        for (size_t k = 0; k < PH_ICE_BONDS; ++k)
            if (v < cell.bond[v][k].to) {
                assert_true(n_bonds < BONDS);
                bond[n_bonds++] = PH_ICE_BONDS * v + k;
            }
    assert_int_equal(n_bonds, BONDS);
    int *found = calloc(1 << BONDS, sizeof *found);
    bool *good = calloc(1 << BONDS, sizeof *good);
    assert_true(found && good);
    for (size_t code = 0; code < 1 << BONDS; ++code) {
        int leaving[8] = {0};
        double sum[3] = {0.0};
        for (size_t b = 0; b < BONDS; ++b) {
            const struct ph_ice_bond *here = &cell.bond[bond[b] / PH_ICE_BONDS][bond[b] % PH_ICE_BONDS];
            const bool out = code >> b & 1;
            ++leaving[out ? bond[b] / PH_ICE_BONDS : here->to];
            ph_vec3_add(out ? 1.0 : -1.0, here->way, sum);
        }
        good[code] = ph_vec3_norm(sum) < 1e-9;
        for (int v = 0; v < 8; ++v)
            good[code] = good[code] && leaving[v] == 2;
        allowed += good[code];
    }
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        bool donor[32];
        size_t code = 0;
        assert_ok(ph_ice_protons(&cell, one, (const double(*)[3])cell.edge, seed, donor, &err));
        for (size_t b = 0; b < BONDS; ++b)
            code |= (size_t)donor[bond[b]] << b;
        assert_true(good[code]);
        ++found[code];
    }
    double square = 0.0;
    const double mean = (double)SEEDS / (double)allowed;
    for (size_t code = 0; code < 1 << BONDS; ++code)
        if (good[code])
            square += (found[code] - mean) * (found[code] - mean) / mean;
    assert_true(allowed > 10);
    if (!(square < (double)allowed + 6.0 * sqrt(2.0 * (double)allowed)) && !PH_SANITIZED)
        fail_msg("chi^2 %g of %zu configurations", square, allowed);
    free(found);
    free(good);
}

static double difference(const struct ph_system *a, const struct ph_system *b)
{
    double largest = 0.0;
    for (int k = 0; k < 4; ++k)
        for (size_t i = 0; i < a->n; ++i)
            largest = fmax(largest, fabs(a->q[k][i] - b->q[k][i]));
    return largest;
}

TEST(seeds_repeat_and_differ)
{
    for (size_t f = 0; f < FORMS; ++f) {
        struct ph_system *one = crystal(forms[f].name, forms[f].n, 5);
        struct ph_system *same = crystal(forms[f].name, forms[f].n, 5);
        struct ph_system *other = crystal(forms[f].name, forms[f].n, 6);
        assert_true(difference(one, same) == 0.0);
        if (strcmp(forms[f].name, "II") == 0)
            assert_true(difference(one, other) == 0.0); /* its hydrogens are ordered */
        else
            assert_true(difference(one, other) > 0.5);
        ph_system_destroy(one);
        ph_system_destroy(same);
        ph_system_destroy(other);
    }
}

TEST(numbers_that_do_not_fit_are_named)
{
    size_t cells[3];
    assert_ok(ph_ice_repeat(ph_ice_find("Ih"), 432, cells, &err));
    assert_int_equal(cells[0] * cells[1] * cells[2], 54);
    assert_true(cells[0] == 6 && cells[1] == 3 && cells[2] == 3);
    assert_error(ph_ice_repeat(ph_ice_find("Ih"), 433, cells, &err), PH_ERR_INPUT, "432 or 480");
    assert_error(ph_ice_repeat(ph_ice_find("II"), 72, cells, &err), PH_ERR_INPUT, "144");
    assert_error(ph_ice_repeat(ph_ice_find("Ic"), 8 * 13, cells, &err), PH_ERR_INPUT, "96 or 128");
}

TEST(what_is_no_water_is_refused)
{
    struct ph_species species = make_water();
    assert_ok(ph_ice_check_water(&species, &err));
    species.mass = 32.0;
    assert_error(ph_ice_check_water(&species, &err), PH_ERR_INPUT, "water");
    species = make_water();
    species.site[1].charge = 1.2; /* the dipole is no longer along an axis */
    assert_error(ph_ice_check_water(&species, &err), PH_ERR_INPUT, "principal axis");
}
