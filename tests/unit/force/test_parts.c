/* SPDX-License-Identifier: MIT */
/* Parts of a step: what is left out is left out, and comes back; measuring changes nothing. */
#include "support.h"

#include "force/leave_out.h"
#include "lab/bench/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fluids of the benchmarks with one site and with three, few molecules */
static const struct {
    const char *name;
    size_t n;
} fluids[] = {{"stockmayer-cut", 500}, {"spc-e", 216}, {"mixture-2", 500}};
enum { FLUIDS = sizeof fluids / sizeof *fluids };

static struct ph_bench_system make(size_t fluid)
{
    for (size_t w = 0; w < PH_WORKLOADS; ++w)
        if (strcmp(ph_workloads[w].name, fluids[fluid].name) == 0) {
            struct ph_bench_system bench;
            assert_ok(ph_bench_system_make(&ph_workloads[w], fluids[fluid].n, &bench, &err));
            return bench;
        }
    fail_msg("no fluid %s", fluids[fluid].name);
    return (struct ph_bench_system){.system = NULL};
}

static void evaluate(struct ph_bench_system *bench)
{
    assert_ok(ph_force_field_evaluate(bench->field, bench->system, PH_FORCES_ALL, NULL, NULL, &err));
}

static size_t pushed(const struct ph_system *system)
{
    size_t n = 0;
    for (size_t i = 0; i < system->n; ++i)
        n += system->f[0][i] != 0.0 || system->t[0][i] != 0.0;
    return n;
}

TEST(what_is_left_out_pushes_nothing)
{
    for (size_t fluid = 0; fluid < FLUIDS; ++fluid) {
        struct ph_bench_system bench = make(fluid);
        const size_t n = bench.system->n;
        double *before = malloc(n * sizeof *before);
        assert_non_null(before);
        evaluate(&bench);
        assert_int_equal(pushed(bench.system), n);
        memcpy(before, bench.system->f[0], n * sizeof *before);
        const size_t pairs = ph_force_field_counts(bench.field).molecule_pairs;

        ph_force_field_leave_out(bench.field, PH_LEAVE_OUT_NEIGHBOURS);
        evaluate(&bench);
        assert_int_equal(pushed(bench.system), 0);
        ph_force_field_forget(bench.field); /* new lists have their neighbours */
        evaluate(&bench);
        assert_memory_equal(bench.system->f[0], before, n * sizeof *before);

        ph_force_field_leave_out(bench.field, PH_LEAVE_OUT_KERNELS);
        evaluate(&bench);
        assert_int_equal(pushed(bench.system), 0);
        assert_int_equal(ph_force_field_counts(bench.field).molecule_pairs, pairs); /* all are still looked at */
        free(before);
        ph_bench_system_clear(&bench);
    }
}

/* Molecules end where they began, up to the rounding of going to and fro, and every part has its name and
 * its ceiling. Lists were thinned each time that one moved, and made no oftener than asked for. */
TEST(measuring_parts_changes_nothing)
{
    for (size_t fluid = 0; fluid < FLUIDS; ++fluid) {
        struct ph_bench_system bench = make(fluid);
        evaluate(&bench);
        const size_t n = bench.system->n;
        double *before = malloc(n * sizeof *before);
        assert_non_null(before);
        memcpy(before, bench.system->r[0], n * sizeof *before);
        struct ph_parts_bench *parts = NULL;
        struct ph_step_part_timing part[PH_STEP_PARTS];
        assert_ok(ph_parts_create(&bench, 0.002, 10.0, &parts, &err));
        assert_ok(ph_parts_time(parts, &err));
        ph_parts_read(parts, 1000, 1e-9, part);
        for (size_t i = 0; i < n; ++i)
            assert_close(bench.system->r[0][i], before[i], 1e-9, 1.0);
        for (int p = 0; p < PH_STEP_PARTS; ++p) {
            assert_non_null(part[p].name);
            assert_non_null(part[p].ceiling_name);
            assert_true(isfinite(part[p].seconds) && isfinite(part[p].ceiling));
        }
        assert_true(part[PH_STEP_KERNELS].ceiling == 1000 * 1e-9);
        ph_parts_destroy(parts);
        free(before);
        ph_bench_system_clear(&bench);
    }
}
