/* SPDX-License-Identifier: MIT */
/* Neighbour lists hold every pair within the radius once, whatever the size of their indices. */
#include "support.h"

#include "force/domain.h"
#include "model/start.h"

static struct ph_system *make_gas(size_t n, double edge)
{
    struct ph_species species = {.name = "point", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0};
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_box box;
    struct ph_error err = {.text = ""};
    struct ph_system *system = NULL;
    const struct ph_start start = {.kind = PH_START_RANDOM, .seed = 5};
    if (ph_species_complete(&species, NULL, NULL, &err) != PH_OK || ph_box_init_periodic(edges, &box, &err) != PH_OK ||
        ph_system_create(1, &species, &n, &box, &system, &err) != PH_OK ||
        ph_start_place(&start, system, &err) != PH_OK)
        fail_msg("%s", err.text);
    return system;
}

/* Pairs by the definition, images up to twice the box included; of a molecule and itself every second image */
static size_t count_pairs(const struct ph_system *system, double edge, double radius)
{
    size_t pairs = 0;
    for (size_t i = 0; i < system->n; ++i)
        for (size_t j = i; j < system->n; ++j)
            for (int image = j == i ? 63 : 0; image < 125; ++image) { /* 62 is no shift at all */
                const int shift[3] = {image / 25 - 2, image / 5 % 5 - 2, image % 5 - 2};
                double d2 = 0.0;
                for (int k = 0; k < 3; ++k) {
                    const double d = system->r[k][j] + shift[k] * edge - system->r[k][i];
                    d2 += d * d;
                }
                pairs += d2 < radius * radius;
            }
    return pairs;
}

static void expect_all_pairs(size_t n, double edge, double radius, size_t index_bytes)
{
    struct ph_system *system = make_gas(n, edge);
    struct ph_domains domains = {.n = 0};
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_domains_neighbours(system, 1.05 * radius, 3, &domains, &err), PH_OK);
    const size_t expected = count_pairs(system, edge, radius);
    const double inside[] = {0.0, 0.6 * radius};
    for (size_t k = 0; k < 2; ++k) {
        ph_domains_thin(system, inside[k], radius, &domains);
        size_t pairs = 0, bytes = 0;
        for (size_t d = 0; d < domains.n; ++d) {
            bytes = domains.domain[d].index_bytes > bytes ? domains.domain[d].index_bytes : bytes;
            pairs += domains.domain[d].pairs;
        }
        assert_int_equal(bytes, index_bytes); /* of the largest domain */
        assert_int_equal(pairs, expected);
    }
    ph_domains_clear(&domains);
    ph_system_destroy(system);
}

static void short_indices_hold_every_pair_once(void **state)
{
    (void)state;
    expect_all_pairs(700, 10.0, 2.3, 2);
    expect_all_pairs(120, 4.0, 5.1, 2); /* with images of oneself */
}

static void long_indices_hold_every_pair_once(void **state)
{
    (void)state;
    expect_all_pairs(2200, 10.0, 18.9, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_indices_hold_every_pair_once),
        cmocka_unit_test(long_indices_hold_every_pair_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
