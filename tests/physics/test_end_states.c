/* SPDX-License-Identifier: MIT */
/* Fine steps reach end states that were computed in multiple precision, with 25 digits. What is allowed is what
 * rounding makes of it: measured with schemes of several kinds, and said where it is more than usual. */
#include "motion.h"
#include "trials.h"

/* One of each kind, of high order; the flow is exact. */
static const struct {
    const char *name;
    double passes; /* per unit of time, for problems whose fastest motion takes about that */
} schemes[] = {{"srkn6-14a", 1400.0}, {"rkn8-19a", 760.0}, {"sofroniou10-35", 1050.0}, {"composed10-chin4a", 1250.0}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

/* Distance from the end, of the scheme that is farthest; `rate`: how much faster than 1 the motion is */
static double worst_distance(const struct ph_trial_problem *problem, double rate)
{
    double worst = 0.0;
    for (size_t s = 0; s < SCHEMES; ++s) {
        const struct ph_scheme *scheme = ph_scheme_find(schemes[s].name);
        assert_non_null(scheme);
        struct ph_trial trial;
        struct ph_trial_body end[PH_TRIAL_MOST];
        struct ph_error err;
        bool broken;
        assert_int_equal(ph_trial_init(problem, scheme, ph_flow_find("exact"), &trial, &err), PH_OK);
        const long n = (long)ceil(problem->time * rate * schemes[s].passes / ph_scheme_evaluations(scheme));
        assert_int_equal(ph_trial_advance(&trial, problem->time / (double)n, n, &broken, &err), PH_OK);
        assert_false(broken);
        ph_trial_take(&trial, end);
        ph_trial_clear(&trial);
        const double distance = ph_trial_distance(problem->n, end, problem->end);
        worst = distance <= worst ? worst : distance;
        if (getenv("POLHODE_SHOW"))
            print_message("%s %g %s: %.2e\n", problem->name, problem->time, schemes[s].name, distance);
    }
    return worst;
}

static void expect_reached(const struct ph_trial_problem *problem, double rate, double most)
{
    const double distance = worst_distance(problem, rate);
    if (!(distance < most))
        fail_msg("%s at %g: off by %.2e, allowed %.2e", problem->name, problem->time, distance, most);
}

static void clusters_of_dipoles_reach_their_end(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double time, rate, most;
    } clusters[] = {{"p2a", 0.25, 1.0, 1e-12}, {"p2a", 1.0, 3.0, 1e-12},   {"p3a", 0.25, 1.0, 1e-12},
                    {"p3a", 1.0, 1.5, 1e-12},  {"p5a", 0.25, 10.0, 1e-12}, {"p5b", 0.25, 1.0, 1e-12}};
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters; ++i) {
        const struct ph_trial_problem problem = read_cluster(clusters[i].name, clusters[i].time);
        expect_reached(&problem, clusters[i].rate, clusters[i].most);
    }
}

static void tops_reach_their_end(void **state)
{
    (void)state;
    struct rigid_row rows[32];
    const size_t n = read_rigid_rows(32, rows);
    int tops = 0;
    for (size_t i = 0; i < n; ++i) {
        struct ph_trial_problem problem;
        if (!heavy_top(&rows[i], &problem))
            continue;
        expect_reached(&problem, 1.0, 1e-12);
        ++tops;
    }
    assert_int_equal(tops, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_of_dipoles_reach_their_end),
        cmocka_unit_test(tops_reach_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
