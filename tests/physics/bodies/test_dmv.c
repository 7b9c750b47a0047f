/* SPDX-License-Identifier: MIT */
/* The implicit flows: discrete Moser-Veselov of order 2 to 14 and the implicit midpoint rule. */
#include "physics/bodies.h"

#include <float.h>

struct implicit_flow {
    const char *name;
    double reach;           /* max |omega| h of one part of a step */
    int coarse, fine;       /* steps to t = 10 that show the order of the trajectory; 0: rounding is too near */
    double longer, shorter; /* max |omega| h of two single steps that show the order of the local error */
};

static const struct implicit_flow flows[] = {
    {"dmv2", 0.8, 1000, 1500, 0.06, 0.05}, {"dmv4", 1.2, 500, 750, 0.12, 0.10},   {"dmv6", 1.2, 300, 450, 0.24, 0.20},
    {"dmv8", 1.2, 200, 280, 0.36, 0.30},   {"dmv10", 1.2, 170, 220, 0.42, 0.36},  {"dmv12", 1.2, 0, 0, 0.48, 0.42},
    {"dmv14", 1.2, 0, 0, 0.66, 0.58},      {"imr2", 1.2, 1000, 1500, 0.06, 0.05}, {"imr4", 1.2, 500, 750, 0.12, 0.10},
    {"imr6", 1.2, 300, 450, 0.24, 0.20},
};
enum { N_FLOWS = sizeof flows / sizeof flows[0] };

static const struct ph_flow *find(const char *name)
{
    const struct ph_flow *flow = ph_flow_find(name);
    if (!flow)
        fail_msg("no flow %s", name);
    return flow;
}

/* Random numbers of our own: the same everywhere */
static uint64_t generator = 1;

static double uniform(void)
{
    generator ^= generator << 13;
    generator ^= generator >> 7;
    generator ^= generator << 17;
    return (double)(generator >> 11) * 0x1p-53;
}

static double power(double smallest) { return exp(log(smallest) * uniform()); }

enum kind { GENERAL, ROD, FLAT, NEAR_SPHERE, IMPOSSIBLE, KINDS };

static struct ph_top random_top(enum kind kind)
{
    const double a = power(1e-3), b = power(1e-3), c = power(1e-3), rod = power(1e-6);
    switch (kind) {
    case GENERAL: return make_top(b + c, c + a, a + b);
    case ROD: return make_top(1.0, rod, 1.0 + rod * uniform());
    case FLAT: return make_top(a + b, a, b);
    case NEAR_SPHERE: return make_top(1.0, 1.0 + power(1e-16), 1.0 + power(1e-16));
    default: return make_top(power(1e-6), power(1e-6), power(1e-6));
    }
}

/* Angular momenta as from nowhere, thermal ones, angular velocities as from nowhere, and near the axes and planes */
static struct body random_body(const struct ph_top *top, int style)
{
    struct body body = make_body(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; ++k) {
        body.m[k] = uniform() + uniform() + uniform() + uniform() - 2.0;
        body.m[k] *= style == 1 ? sqrt(top->inertia[k]) : style == 2 ? top->inertia[k] : 1.0;
    }
    if (style >= 3)
        body.m[style % 3] *= style < 6 ? 1e3 : 1e-6;
    return body;
}
enum { STYLES = 9 };

/* The largest |omega| on the curve of m, or the frequency of small motions about axis 3 if that is larger (impossible
 * bodies) */
static double rate(const struct ph_top *top, const struct body *body)
{
    const double w1 = top->inverse[0], w3 = top->inverse[2];
    double square[3];
    for (int k = 0; k < 3; ++k)
        square[k] = body->m[top->axis[k]] * body->m[top->axis[k]];
    const double d1 = top->a2 * square[0] - top->a1 * square[1], d3 = top->a2 * square[2] - top->a3 * square[1];
    const double omega = (w1 + w3) * d1 + w3 * w3 * (square[0] + square[1] + square[2]);
    return sqrt(fmax(omega, -top->a1 * d3)) / top->scale;
}

static double energy(const struct ph_top *top, const struct body *body)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        sum += top->inertia[k] > 0.0 ? body->m[k] * body->m[k] / top->inertia[k] : 0.0;
    return 0.5 * sum;
}

static double error(const struct body *got, const struct body *want)
{
    return fmax(momentum_distance(got->m, want->m) / norm3(want->m), orientation_distance(got->q, want->q));
}

static void assert_same_invariants(const char *name, const struct ph_top *top, const struct body *before,
                                   const struct body *after, double tolerance)
{
    double space[3];
    ph_quat_rotate(after->q, after->m, space);
    const double q_square =
        after->q[0] * after->q[0] + after->q[1] * after->q[1] + after->q[2] * after->q[2] + after->q[3] * after->q[3];
    const double in_energy = fabs(energy(top, after) / energy(top, before) - 1.0);
    const double in_norm = fabs(norm3(after->m) / norm3(before->m) - 1.0);
    const double in_space = momentum_distance(space, before->m) / norm3(before->m);
    if (!(fmax(fmax(in_energy, in_norm), fmax(in_space, fabs(q_square - 1.0))) <= tolerance))
        fail_msg("%s, I = %g %g %g, m = %g %g %g: energy off by %.1e, |m| by %.1e, Q m by %.1e, |q|^2 by %.1e", name,
                 top->inertia[0], top->inertia[1], top->inertia[2], before->m[0], before->m[1], before->m[2], in_energy,
                 in_norm, in_space, q_square - 1.0);
}

/* The water molecule of Hairer and Vilmart to t = 10. A wrong d5 leaves the order of m at 6 and that of q at 4. */
static void trajectories_have_the_stated_order(void **state)
{
    const struct ph_top top = make_top(0.345, 0.653, 1.0);
    const struct body start = make_body(1.8, 0.4, -0.9);
    struct body exact = start;
    advance(find("exact"), &top, 10.0, &exact);
    for (int f = 0; f < N_FLOWS; ++f) {
        if (flows[f].coarse == 0)
            continue;
        const struct ph_flow *flow = find(flows[f].name);
        const int steps[2] = {flows[f].coarse, flows[f].fine};
        double in_m[2], in_q[2];
        for (int i = 0; i < 2; ++i) {
            struct body body = start;
            for (int n = 0; n < steps[i]; ++n)
                advance(flow, &top, 10.0 / steps[i], &body);
            in_m[i] = momentum_distance(body.m, exact.m);
            in_q[i] = orientation_distance(body.q, exact.q);
        }
        const double ratio = log((double)steps[1] / steps[0]);
        const double slope_m = log(in_m[0] / in_m[1]) / ratio, slope_q = log(in_q[0] / in_q[1]) / ratio;
        if (!(fabs(slope_m - flow->order) < 0.2 && fabs(slope_q - flow->order) < 0.2))
            fail_msg("%s: order %.2f in m (%.1e, %.1e), %.2f in q (%.1e, %.1e)", flow->name, slope_m, in_m[0], in_m[1],
                     slope_q, in_q[0], in_q[1]);
    }
}

/* One step of many bodies has the error h^(order+1): the geometric mean over the bodies shows orders 12 and 14 too,
 * where a trajectory leaves no room between rounding and the first neglected term. That term still bends the slope a
 * little. */
static void single_steps_have_the_stated_order(void **state)
{
    enum { BODIES = 400 };
    const struct ph_flow *exact = find("exact");
    for (int f = 0; f < N_FLOWS; ++f) {
        const struct ph_flow *flow = find(flows[f].name);
        double mean[2] = {0.0, 0.0};
        generator = 3;
        for (int i = 0; i < BODIES; ++i) {
            const struct ph_top top = random_top(i % 2 ? GENERAL : FLAT);
            const struct body start = random_body(&top, i % 3);
            for (int j = 0; j < 2; ++j) {
                const double h = (j == 0 ? flows[f].longer : flows[f].shorter) / rate(&top, &start);
                struct body got = start, want = start;
                advance(flow, &top, h, &got);
                advance(exact, &top, h, &want);
                mean[j] += log(error(&got, &want)) / BODIES;
            }
        }
        const double slope = (mean[0] - mean[1]) / log(flows[f].longer / flows[f].shorter);
        if (!(fabs(slope - (flow->order + 1)) < 0.2))
            fail_msg("%s: local order %.2f, not %d (errors %.1e, %.1e)", flow->name, slope, flow->order + 1,
                     exp(mean[0]), exp(mean[1]));
    }
}

/* Bodies of all kinds, steps from tiny to many times the reach, both directions; and back again */
static void every_body_and_step_conserves_the_invariants(void **state)
{
    static const double steps[] = {1e-12, 0.01, 0.3, 0.79, 0.81, 1.19, 1.21, 5.0, 50.0};
    generator = 5;
    for (int i = 0; i < KINDS * STYLES * (PH_SANITIZED ? 1 : 20); ++i) {
        const struct ph_top top = random_top((enum kind)(i % KINDS));
        const struct body start = random_body(&top, i / KINDS % STYLES);
        for (int f = 0; f < N_FLOWS; ++f)
            for (size_t j = 0; j < sizeof steps / sizeof steps[0]; ++j) {
                const struct ph_flow *flow = find(flows[f].name);
                const double h = (i % 2 ? 1.0 : -1.0) * steps[j] / rate(&top, &start);
                const double tolerance = steps[j] < 2.0 ? 4e-15 : 6e-14;
                struct body body = start;
                advance(flow, &top, h, &body);
                assert_same_invariants(flow->name, &top, &start, &body, tolerance);
                advance(flow, &top, -h, &body);
                assert_close(error(&body, &start), 0.0, 1e-10 * fmax(1.0, steps[j]), 1.0);
            }
    }
}

/* The error of a step of the length of the reach is bounded for all bodies, and falls from order to order: there is no
 * body for which the series do not converge there. */
static void errors_fall_with_the_order_at_the_reach(void **state)
{
    static const double bound[] = {0.15, 0.07, 5e-3, 8e-4, 1.5e-4, 3e-5, 6e-6};
    const struct ph_flow *exact = find("exact");
    generator = 7;
    for (int i = 0; i < KINDS * STYLES * (PH_SANITIZED ? 1 : 100); ++i) {
        const struct ph_top top = random_top((enum kind)(i % KINDS));
        const struct body start = random_body(&top, i / KINDS % STYLES);
        for (int f = 0; f < 7; ++f) {
            const double h = 0.9999 * flows[f].reach / rate(&top, &start);
            struct body got = start, want = start;
            advance(find(flows[f].name), &top, h, &got);
            advance(exact, &top, h, &want);
            if (!(error(&got, &want) < bound[f]))
                fail_msg("%s, I = %g %g %g, m = %g %g %g: error %.1e", flows[f].name, top.inertia[0], top.inertia[1],
                         top.inertia[2], start.m[0], start.m[1], start.m[2], error(&got, &want));
        }
    }
}

/* About a fixed axis the step of order 2r turns by the angle whose sine is the series of sin(omega h) up to h^(2r-1);
 * the midpoint rule and its modified forms by the angle whose half has the tangent that is the series of tan(omega
 * h/2). Just beyond the reach in two parts: this pins the number of parts, too. */
static void spheres_turn_by_the_known_angle(void **state)
{
    const struct ph_top top = make_top(2.5, 2.5, 2.5);
    const struct body start = make_body(0.3, -0.4, 1.2); /* |m| = 1.3 */
    for (int f = 0; f < N_FLOWS; ++f)
        for (int parts = 1; parts <= 2; ++parts) {
            const struct ph_flow *flow = find(flows[f].name);
            const double whole = flows[f].reach * (parts == 1 ? 0.999 : 1.001), x = whole / parts;
            double sine = 0.0, term = x;
            for (int k = 1; k <= flow->order - 1; k += 2) {
                sine += term;
                term *= -x * x / ((k + 1.0) * (k + 2.0));
            }
            const double tangent = 0.5 * x + (flow->order > 2 ? x * x * x / 24.0 : 0.0) +
                                   (flow->order > 4 ? x * x * x * x * x / 240.0 : 0.0);
            const double angle = parts * (strncmp(flow->name, "imr", 3) == 0 ? 2.0 * atan(tangent) : asin(sine));
            struct body body = start;
            advance(flow, &top, whole * 2.5 / 1.3, &body);
            assert_close(body.q[0], cos(0.5 * angle), 4.0 * DBL_EPSILON, 1.0);
            for (int k = 0; k < 3; ++k) {
                assert_close(body.q[1 + k], sin(0.5 * angle) * start.m[k] / 1.3, 4.0 * DBL_EPSILON, 1.0);
                assert_close(body.m[k], start.m[k], 2.0 * DBL_EPSILON, 1.3);
            }
        }
}

/* Turning about axis 3, any body is a sphere of moment I3: s/I3 + d = sin(x)/(x I3), also for rods, where it is what is
 * left of terms (I3/I1)^n times as large. V = c x^2 with c = v_scale I3^2. */
static void series_of_a_body_on_its_axis_is_that_of_the_sine(void **state)
{
    generator = 11;
    for (int i = 0; i < 200; ++i) {
        const struct ph_top top = i == 0 ? make_top(1e-50, 1.0, 1.0) : random_top((enum kind)(i % KINDS));
        const struct ph_dmv_series *series = &top.dmv;
        const double w3 = top.inverse[2], c = series->v_scale / (w3 * w3);
        double want = 1.0;
        for (int l = 1; l <= PH_DMV_LEVELS; ++l) {
            want *= -1.0 / (2.0 * l * (2.0 * l + 1.0));
            const int at = PH_DMV_INDEX(0, l);
            const double s = series->s[at], d = series->d[at] / w3; /* to be multiplied by V^l, V of order one */
            assert_close(s + d, want / pow(c, l), 4.0 * DBL_EPSILON, 1.0 + fabs(d));
        }
    }
}

/* Table 1 of Hairer and Vilmart in its own variables, for a body without small numbers */
static void series_agree_with_the_printed_ones(void **state)
{
    generator = 13;
    for (int i = 0; i < 50; ++i) {
        const struct ph_top top = make_top(1.0 + uniform(), 1.0 + uniform(), 1.0 + uniform());
        const double *w = top.inverse, y1 = uniform(), y2 = uniform(), y3 = uniform();
        const double C = 0.5 * (y1 * y1 + y2 * y2 + y3 * y3),
                     H = 0.5 * (w[0] * y1 * y1 + w[1] * y2 * y2 + w[2] * y3 * y3);
        const double s1 = top.moment[0] + top.moment[1] + top.moment[2],
                     delta = top.moment[0] * top.moment[1] * top.moment[2];
        const double E1 = w[0] + w[1] + w[2], E2 = s1 / delta, E3 = 1.0 / delta;
        const double s[3] = {
            -E1 * H / 3 + E2 * C / 6,
            ((2 * E1 * E1 - E2) * H * H + 2 * (4 * E3 - E1 * E2) * C * H + 2 * (E2 * E2 - 3 * E1 * E3) * C * C) / 60,
            (4 * (-E1 * E1 * E1 + E1 * E2 + 18 * E3) * H * H * H +
             (6 * E1 * E1 * E2 + 41 * E2 * E2 - 212 * E1 * E3) * C * H * H +
             6 * (-6 * E1 * E2 * E2 + 22 * E1 * E1 * E3 - 5 * E2 * E3) * C * C * H +
             (17 * E2 * E2 * E2 - 66 * E1 * E2 * E3 + 100 * E3 * E3) * C * C * C) /
                2520,
        };
        const double d[3] = {
            E2 * H / 6 - E3 * C / 3,
            (-(E1 * E2 + 6 * E3) * H * H + (8 * E1 * E3 - E2 * E2) * C * H - E2 * E3 * C * C) / 60,
            (2 * (E1 * E1 * E2 - 13 * E2 * E2 + 30 * E1 * E3) * H * H * H +
             (13 * E1 * E2 * E2 - 64 * E1 * E1 * E3 + 110 * E2 * E3) * C * H * H +
             2 * (E2 * E2 * E2 - E1 * E2 * E3 - 88 * E3 * E3) * C * C * H +
             (-19 * E2 * E2 * E3 + 72 * E1 * E3 * E3) * C * C * C) /
                2520,
        };
        const double x = 2.0 * top.dmv.x_scale * (H - w[2] * C), v = 2.0 * top.dmv.v_scale * C;
        for (int level = 1; level <= 3; ++level) {
            double got_s = 0.0, got_d = 0.0;
            for (int k = 0; k <= level; ++k) {
                got_s += top.dmv.s[PH_DMV_INDEX(k, level - k)] * pow(x, k) * pow(v, level - k);
                got_d += top.dmv.d[PH_DMV_INDEX(k, level - k)] * pow(x, k) * pow(v, level - k);
            }
            assert_close(got_s, s[level - 1], 1e-14, 1.0);
            assert_close(got_d, d[level - 1], 1e-14, 1.0);
        }
    }
}

/* Alone, or among 36 others with other steps in all senses (at rest, one part, fifty parts): the same bits */
static void a_body_does_not_depend_on_its_neighbours(void **state)
{
    enum { N = 37 };
    generator = 17;
    for (int f = 0; f < N_FLOWS; ++f) {
        const struct ph_flow *flow = find(flows[f].name);
        const struct ph_top top = random_top(GENERAL);
        double m[3][N], q[4][N];
        struct body alone[N];
        for (int i = 0; i < N; ++i) {
            alone[i] = random_body(&top, i % STYLES);
            const double scale = i % 7 == 0 ? 0.0 : 30.0 * power(1e-4) / rate(&top, &alone[i]);
            for (int k = 0; k < 3; ++k)
                m[k][i] = alone[i].m[k] *= scale;
            for (int k = 0; k < 4; ++k)
                q[k][i] = alone[i].q[k];
            for (int n = 0; n < 3; ++n)
                advance(flow, &top, 1.0, &alone[i]);
        }
        const struct ph_bodies all = {.n = N, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}};
        for (int n = 0; n < 3; ++n)
            ph_flow_advance(flow, &top, 1.0, all);
        for (int i = 0; i < N; ++i) {
            for (int k = 0; k < 3; ++k)
                assert_memory_equal(&m[k][i], &alone[i].m[k], sizeof(double));
            for (int k = 0; k < 4; ++k)
                assert_memory_equal(&q[k][i], &alone[i].q[k], sizeof(double));
        }
    }
}

static void long_runs_do_not_drift(void **state)
{
    const struct ph_top top = make_top(1.0, 1.88, 2.88);
    const struct body start = make_body(0.7, 0.9, -1.1);
    for (int f = 0; f < N_FLOWS; ++f) {
        struct body body = start;
        for (int n = 0; n < 20000; ++n)
            advance(find(flows[f].name), &top, 0.1, &body);
        assert_same_invariants(flows[f].name, &top, &start, &body, 2e-13);
    }
}

/* Nothing that the interface allows makes a step that is not a number, and a body at rest stays at rest. */
static void extremes_stay_finite(void **state)
{
    const struct ph_top tops[] = {make_top(1.0, 1.88, 2.88), make_top(1e-55, 1.0, 1.0), make_top(1e-55, 1e-50, 1.0),
                                  make_top(1e-55, 0.5, 1.0), make_top(0.0, 3.0, 3.0),   make_top(1e-30, 1e-30, 2e-30)};
    for (size_t t = 0; t < sizeof tops / sizeof tops[0]; ++t)
        for (int f = 0; f < N_FLOWS; ++f) {
            const struct ph_flow *flow = find(flows[f].name);
            struct body rest = make_body(0.0, 0.0, 0.0);
            advance(flow, &tops[t], 1e300, &rest);
            assert_true(rest.q[0] == 1.0 && rest.q[1] == 0.0 && rest.q[2] == 0.0 && rest.q[3] == 0.0);
            for (int style = 0; style < STYLES; ++style) {
                struct body start = random_body(&tops[t], style);
                if (tops[t].linear_axis >= 0)
                    start.m[tops[t].linear_axis] = 0.0;
                const double h[] = {0.0,
                                    1e-300,
                                    0.1 / rate(&tops[t], &start),
                                    7.0 / rate(&tops[t], &start),
                                    1e20 / rate(&tops[t], &start),
                                    -1e300};
                for (size_t j = 0; j < sizeof h / sizeof h[0]; ++j) {
                    struct body body = start;
                    advance(flow, &tops[t], h[j], &body);
                    assert_same_invariants(flow->name, &tops[t], &start, &body, 1e-13);
                }
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trajectories_have_the_stated_order),
        cmocka_unit_test(single_steps_have_the_stated_order),
        cmocka_unit_test(every_body_and_step_conserves_the_invariants),
        cmocka_unit_test(errors_fall_with_the_order_at_the_reach),
        cmocka_unit_test(spheres_turn_by_the_known_angle),
        cmocka_unit_test(series_of_a_body_on_its_axis_is_that_of_the_sine),
        cmocka_unit_test(series_agree_with_the_printed_ones),
        cmocka_unit_test(a_body_does_not_depend_on_its_neighbours),
        cmocka_unit_test(long_runs_do_not_drift),
        cmocka_unit_test(extremes_stay_finite),
    };
    return cmocka_run_group_tests_name("implicit flows", tests, NULL, NULL);
}
