/* SPDX-License-Identifier: MIT */
/* Few molecules are moved without a parallel region, which even for one thread costs a system call; many are not. Where
 * there are regions, they are few: at the end of each all threads wait for the slowest. */
#include "support.h"

#include "dynamics/dynamics.h"
#include "force/force_field.h"
#include "force/longrange/ewald.h"
#include "model/start.h"
#include "run/threads.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* The linker puts these in the place of gcc's entries to parallel regions (tests/CMakeLists.txt). */
typedef void region(void *data);
void __real_GOMP_parallel(region *f, void *data, unsigned threads, unsigned flags);
void __wrap_GOMP_parallel(region *f, void *data, unsigned threads, unsigned flags);
void __real_GOMP_parallel_loop_nonmonotonic_dynamic(region *f, void *data, unsigned threads, long start, long end,
                                                    long step, long chunk, unsigned flags);
void __wrap_GOMP_parallel_loop_nonmonotonic_dynamic(region *f, void *data, unsigned threads, long start, long end,
                                                    long step, long chunk, unsigned flags);

static size_t regions;

#ifdef __clang__ /* has other entries */
static const bool counted = false;
#else
static const bool counted = true;

void __wrap_GOMP_parallel(region *f, void *data, unsigned threads, unsigned flags)
{
    ++regions;
    __real_GOMP_parallel(f, data, threads, flags);
}

void __wrap_GOMP_parallel_loop_nonmonotonic_dynamic(region *f, void *data, unsigned threads, long start, long end,
                                                    long step, long chunk, unsigned flags)
{
    ++regions;
    __real_GOMP_parallel_loop_nonmonotonic_dynamic(f, data, threads, start, end, step, chunk, flags);
}
#endif

enum setting { OPEN, PERIODIC, MESH };
enum { STEPS = 20 };

/* Regions entered in some steps of n polar spheres, after the first */
static size_t regions_of(size_t n, enum setting setting, const char *scheme)
{
    const bool open = setting == OPEN;
    struct ph_species species = {.name = "sphere", .n_sites = 1};
    species.site[0] = (struct ph_site){
        .name = "A", .mass = 1.0, .dipole = {0.0, 0.0, 0.7}, .radial = {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0}};
    const double inertia[3] = {0.1, 0.1, 0.1}, edge = 2.0 * cbrt((double)n);
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_box box = ph_box_open();
    struct ph_system *system = NULL;
    struct ph_force_field *field = NULL;
    struct ph_dynamics *dynamics = NULL;
    struct ph_error err = {.text = ""};
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC, .seed = 1, .spacing = 2.0};
    struct ph_interactions interactions = {.truncation = open ? PH_TRUNCATE_NONE : PH_TRUNCATE_SWITCHED,
                                           .cutoff = open                ? 0.0
                                                     : 0.45 * edge < 3.0 ? 0.45 * edge
                                                                         : 3.0,
                                           .switch_width = 0.5,
                                           .smoothness = 6,
                                           .skin = 1.0,
                                           .coulomb = 1.0};
    if (setting == MESH) {
        interactions.electrostatics = PH_ELECTROSTATICS_MESH;
        interactions.ewald = (struct ph_ewald_choice){.tolerance = 1e-4, .split = PH_SPLIT_BESSEL};
    }
    if (ph_species_complete(&species, NULL, inertia, &err) != PH_OK ||
        (!open && ph_box_init_periodic(edges, &box, &err) != PH_OK) ||
        ph_system_create(1, &species, &n, &box, &system, &err) != PH_OK ||
        ph_start_place(&start, system, &err) != PH_OK ||
        (setting == MESH && ph_ewald_choose(system, &interactions, &err) != PH_OK) ||
        ph_force_field_create(system, &interactions, &field, &err) != PH_OK)
        fail_msg("%s", err.text);
    ph_start_turn(1, system);
    const struct ph_dynamics_options options = {
        .scheme = ph_scheme_find(scheme), .flow = ph_flow_find("exact"), .step = 1e-3, .compensated = true};
    if (ph_dynamics_create(system, field, &options, &dynamics, &err) != PH_OK ||
        ph_dynamics_advance(dynamics, 1, &err) != PH_OK)
        fail_msg("%s", err.text);
    regions = 0;
    if (ph_dynamics_advance(dynamics, STEPS, &err) != PH_OK)
        fail_msg("%s", err.text);
    const size_t entered = regions;
    ph_dynamics_destroy(dynamics);
    ph_force_field_destroy(field);
    ph_system_destroy(system);
    return entered;
}

static const char *gradient_scheme(void)
{
    for (size_t k = 0; k < ph_scheme_count(); ++k)
        if (ph_scheme_at(k)->kind == PH_SCHEME_GRADIENT)
            return ph_scheme_at(k)->name;
    return NULL;
}

TEST(few_molecules_enter_no_parallel_region)
{
    if (!counted)
        skip();
    const char *const schemes[] = {"verlet", gradient_scheme()};
    for (int s = 0; s < 2; ++s) {
        assert_non_null(schemes[s]);
        assert_int_equal(regions_of(5, OPEN, schemes[s]), 0);
        assert_int_equal(regions_of(5, PERIODIC, schemes[s]), 0);
        assert_true(regions_of(600, PERIODIC, schemes[s]) >= STEPS);
    }
}

TEST(a_step_enters_few_parallel_regions)
{
    if (!counted)
        skip();
    /* kick and drift, sites, pairs with their sums: three, and lists */
    const size_t many = regions_of(600, PERIODIC, "verlet");
    /* pairs; the mesh */
    const size_t few = regions_of(125, MESH, "verlet");
    assert_true(many > 0 && many <= 4 * STEPS);
    assert_true(few > 0 && few <= 2 * STEPS);
}

/* A fluid of n spheres at density 0.8 on a machine with many processors: small ones get few threads, large ones all,
 * and more molecules never get fewer. */
static int suitable(size_t n, double cutoff)
{
    struct ph_species species = {.name = "sphere", .n_sites = 1};
    const double edge = cbrt((double)n / 0.8), edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    const struct ph_interactions interactions = {.truncation = PH_TRUNCATE_SWITCHED, .cutoff = cutoff};
    struct ph_box box;
    struct ph_system *system = NULL;
    struct ph_error err = {.text = ""};
    species.site[0] =
        (struct ph_site){.name = "A", .mass = 1.0, .radial = {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0}};
    if (ph_species_complete(&species, NULL, NULL, &err) != PH_OK || ph_box_init_periodic(edges, &box, &err) != PH_OK ||
        ph_system_create(1, &species, &n, &box, &system, &err) != PH_OK)
        fail_msg("%s", err.text);
    const int threads = ph_threads_suitable(system, &interactions);
    ph_system_destroy(system);
    return threads;
}

/* Polar spheres with a mesh on a machine with many processors */
static int suitable_for_mesh(size_t n, double density, int points)
{
    struct ph_species species = {.name = "sphere", .n_sites = 1};
    const double edge = cbrt((double)n / density), inertia[3] = {0.1, 0.1, 0.1};
    const double edges[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}};
    struct ph_interactions interactions = {.truncation = PH_TRUNCATE_SWITCHED,
                                           .cutoff = 3.0,
                                           .switch_width = 0.5,
                                           .smoothness = 6,
                                           .coulomb = 1.0,
                                           .electrostatics = PH_ELECTROSTATICS_MESH,
                                           .ewald = {.tolerance = 1e-2,
                                                     .split = PH_SPLIT_BESSEL,
                                                     .shape = 10.0,
                                                     .window = 15.0,
                                                     .width = 8,
                                                     .grid = {points, points, points}}};
    struct ph_box box;
    struct ph_system *system = NULL;
    struct ph_error err = {.text = ""};
    species.site[0] = (struct ph_site){
        .name = "A", .mass = 1.0, .dipole = {0.0, 0.0, 0.7}, .radial = {PH_RADIAL_SOFT_SPHERE, 1.0, 1.0, 12.0, 0.0}};
    if (ph_species_complete(&species, NULL, inertia, &err) != PH_OK ||
        ph_box_init_periodic(edges, &box, &err) != PH_OK ||
        ph_system_create(1, &species, &n, &box, &system, &err) != PH_OK ||
        ph_ewald_choose(system, &interactions, &err) != PH_OK)
        fail_msg("%s", err.text);
    const int threads = ph_threads_suitable(system, &interactions);
    ph_system_destroy(system);
    return threads;
}

TEST(threads_suit_the_work)
{
    enum { MANY = 64 };
    const char *chosen = getenv("OMP_NUM_THREADS");
    char before[32];
    snprintf(before, sizeof before, "%s", chosen ? chosen : "");
    const int most = omp_get_max_threads();
    unsetenv("OMP_NUM_THREADS");
    omp_set_num_threads(MANY);
    assert_int_equal(suitable(5, 1.0), 1);
    assert_int_equal(suitable(108, 2.5), 1);
    assert_true(suitable(500, 3.5) >= 4 && suitable(500, 3.5) <= 8);
    assert_true(suitable(500, 2.5) < suitable(500, 3.5)); /* fewer pairs, less work */
    assert_true(suitable(4096, 3.5) >= 8);
    assert_int_equal(suitable(100000, 3.5), MANY);
    for (size_t n = 64, fewest = 1; n < 40000; n = n * 5 / 4) {
        const size_t now = (size_t)suitable(n, 3.5);
        assert_true(now >= fewest && now <= MANY);
        fewest = now;
    }
    /* a gas of few pairs, whose transforms take nearly all time: catches a rule that counts pairs alone */
    assert_int_equal(suitable_for_mesh(60, 0.003, 90), MANY);
    assert_int_equal(suitable_for_mesh(60, 0.003, 10), 1);
    const char *const valid[] = {"64", " 64 ", "64,2", "64 , 2"};                  /* whoever has chosen is obeyed */
    const char *const other[] = {"", " ", "0", "-1", "all", "64x", "64,", "64,x"}; /* as if it was not there */
    for (size_t k = 0; k < sizeof valid / sizeof *valid; ++k) {
        setenv("OMP_NUM_THREADS", valid[k], 1);
        assert_int_equal(suitable(5, 1.0), MANY);
    }
    for (size_t k = 0; k < sizeof other / sizeof *other; ++k) {
        setenv("OMP_NUM_THREADS", other[k], 1);
        assert_int_equal(suitable(5, 1.0), 1);
    }
    unsetenv("OMP_NUM_THREADS");
    if (chosen)
        setenv("OMP_NUM_THREADS", before, 1);
    omp_set_num_threads(most);
}
