/* SPDX-License-Identifier: MIT */
/* The exact flows against solutions of 25 digits, and for every kind of body, state and step. */
#include "physics/bodies.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

static const double rounding = 0x1p-53;

/* One row of a table in tests/data: moments, momentum, time; momentum and orientation then; condition numbers if given
 */
struct row {
    char name[32];
    double inertia[3], m0[3], time, m[3], q[4], cond_m, cond_q;
};

static bool read_row(FILE *file, struct row *row)
{
    char line[1024];
    if (!fgets(line, sizeof line, file))
        return false;
    double value[16] = {0.0};
    int n = 0;
    char *field = strtok(line, ",\n");
    snprintf(row->name, sizeof row->name, "%s", field);
    strtok(NULL, ",\n"); /* class */
    while (n < 16 && (field = strtok(NULL, ",\n")))
        value[n++] = strtod(field, NULL);
    assert_true(n == 14 || n == 16);
    memcpy(row->inertia, value, sizeof row->inertia);
    memcpy(row->m0, value + 3, sizeof row->m0);
    row->time = value[6];
    memcpy(row->m, value + 7, sizeof row->m);
    memcpy(row->q, value + 10, sizeof row->q);
    row->cond_m = n == 16 ? value[14] : 1.0;
    /* A linear rotor turns by |m| t/I, half of it in the quaternion. */
    row->cond_q = n == 16 ? value[15] : 0.5 * norm3(row->m0) * fabs(row->time) / fmax(row->inertia[0], row->inertia[1]);
    return true;
}

/* Largest error over the rows of a file, in units of 2^-53 max(1, cond); each row in a lane among other rows */
static double worst_error(const struct ph_flow *flow, const char *file_name, int expected_rows)
{
    char path[512], header[1024];
    snprintf(path, sizeof path, "%s/%s", POLHODE_TEST_DATA, file_name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    double worst = 0.0;
    int rows = 0;
    for (struct row row; read_row(file, &row); ++rows) {
        const struct ph_top top = make_top(row.inertia[0], row.inertia[1], row.inertia[2]);
        struct body body = make_body(row.m0[0], row.m0[1], row.m0[2]);
        advance(flow, &top, row.time, &body);
        const double size = fmax(fabs(row.m[0]), fmax(fabs(row.m[1]), fabs(row.m[2])));
        const double error_m = size > 0.0 ? momentum_distance(body.m, row.m) / size : norm3(body.m);
        const double error_q = orientation_distance(body.q, row.q);
        const double in_m = error_m / (rounding * fmax(1.0, row.cond_m)),
                     in_q = error_q / (rounding * fmax(1.0, row.cond_q));
        if (!(in_m <= worst && in_q <= worst))
            worst = isnan(in_m) || isnan(in_q) ? INFINITY : fmax(worst, fmax(in_m, in_q));
    }
    fclose(file);
    assert_int_equal(rows, expected_rows);
    return worst;
}

static void check_accuracy(const char *flow_name, double allowed)
{
    const struct ph_flow *flow = ph_flow_find(flow_name);
    assert_non_null(flow);
    const double bodies = worst_error(flow, "free_body.csv", 222);
    const double stress = worst_error(flow, "free_body_stress.csv", 520);
    const double linear = worst_error(flow, "linear_rotor.csv", 30);
    print_message("%s: %.2f, %.2f, %.2f rounding units per condition number\n", flow_name, bodies, stress, linear);
    if (!(bodies <= allowed && stress <= allowed && linear <= allowed))
        fail_msg("%s: more than %g", flow_name, allowed);
}

static void exact_is_within_eight_roundings_of_every_reference_row(void **state) { check_accuracy("exact", 8.0); }

/* They hand over to `exact` where they would lose more than a factor 1e3. A wrong sign in a frame or a lost turn of the
 * amplitude gives errors of 1e15. */
static void other_exact_formulations_lose_at_most_three_digits(void **state)
{
    check_accuracy("exact-rotation", 3e3);
    check_accuracy("exact-kosenko", 3e3);
    check_accuracy("exact-vanzon", 3e3);
}

static const double shapes[][3] = {{0.345, 0.653, 1.0}, {1.0, 1.88, 2.88},      {1.0, 1.0, 1.0},       {1.0, 1.0, 1.7},
                                   {0.4, 1.0, 1.0},     {1e-6, 1.0, 1.0001},    {1.0, 1.0 + 1e-15, 2}, {2.0, 3.0, 1.0},
                                   {3.0, 1.0, 2.0},     {2.0, 1.0, 3.0},        {0.0, 1.7, 1.7},       {1.7, 0.0, 1.7},
                                   {1.7, 1.7, 0.0},     {1.0, 1.0, 1.0 - 1e-15}};
static const double momenta[][3] = {{1.8, 0.4, -0.9},  {0.0, 0.0, 1.0},     {0.0, 1.0, 0.0}, {-1.0, 0.0, 0.0},
                                    {1e-9, 1.0, 1e-9}, {0.3, 1e-170, -1.0}, {0.0, 0.0, 0.0}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0], N_MOMENTA = sizeof momenta / sizeof momenta[0] };

static struct body body_for(const struct ph_top *top, const double m[3])
{
    struct body body = make_body(m[0], m[1], m[2]);
    if (top->linear_axis >= 0)
        body.m[top->linear_axis] = 0.0;
    return body;
}

/* h from 1e-12 to 1e6 turns and both signs; the flows are total: unit quaternion, |m| kept, Q m kept (where that is
 * claimed) as far as the step's angle is known. */
static void every_flow_is_total_and_conserves_the_space_momentum(void **state)
{
    static const double steps[] = {0.0, 1e-12, 1e-6, 0.01, 0.3, 2.0, 50.0, 3e3};
    for (size_t f = 0; f < ph_flow_count(); ++f)
        for (int i = 0; i < N_SHAPES; ++i)
            for (int j = 0; j < N_MOMENTA; ++j)
                for (size_t k = 0; k < 2 * sizeof steps / sizeof steps[0]; ++k) {
                    const struct ph_flow *flow = ph_flow_at(f);
                    if (flow->order > 0 && k + 1 == 2 * sizeof steps / sizeof steps[0])
                        continue; /* thousands of substeps; the other sign has them */
                    const struct ph_top top = make_top(shapes[i][0], shapes[i][1], shapes[i][2]);
                    const struct body before = body_for(&top, momenta[j]);
                    struct body after = before;
                    double h = (k % 2 ? -1.0 : 1.0) * steps[k / 2];
                    if (shapes[i][0] == 1e-6 && flow->order > 0)
                        h *= 1e-5; /* so much faster does the rod turn */
                    advance(flow, &top, h, &after);
                    double space[3], norm_q = 0.0;
                    for (int c = 0; c < 4; ++c)
                        norm_q += after.q[c] * after.q[c];
                    ph_quat_rotate(after.q, after.m, space);
                    const double size = norm3(before.m), error = momentum_distance(space, before.m);
                    /* rounding of every turn: explicit in the implicit flows, which take substeps */
                    const double turned = flow->order == 0 ? 0.0 : size * fabs(h) * top.inverse[0] / top.scale;
                    if (!(fabs(norm_q - 1.0) < 1e-15) || !(fabs(norm3(after.m) - size) <= 8e-16 * size) ||
                        (flow->claims.conserves_space_momentum && !(error <= 4e-16 * (20.0 + turned) * size)))
                        fail_msg("%s, moments %g %g %g, momentum %g %g %g, h %g: |q|^2-1 %.1e, Qm off by %.1e",
                                 flow->name, shapes[i][0], shapes[i][1], shapes[i][2], momenta[j][0], momenta[j][1],
                                 momenta[j][2], h, norm_q - 1.0, error);
                }
}

static void exact_survives_a_million_turns_and_huge_or_subnormal_momenta(void **state)
{
    const struct ph_flow *flow = ph_flow_find("exact");
    static const double sizes[] = {0x1p-1074, 1e-310, 1e-200, 1.0, 1e200, 8e307};
    static const double steps[] = {1e-300, 1e-12, 1.0, 6e6, 1e18, 1e300};
    for (int i = 0; i < N_SHAPES; ++i)
        for (int j = 0; j < N_MOMENTA; ++j)
            for (size_t a = 0; a < sizeof sizes / sizeof sizes[0]; ++a)
                for (size_t b = 0; b < sizeof steps / sizeof steps[0]; ++b) {
                    const struct ph_top top = make_top(shapes[i][0], shapes[i][1], shapes[i][2]);
                    struct body body = body_for(&top, momenta[j]);
                    for (int k = 0; k < 3; ++k)
                        body.m[k] *= sizes[a];
                    const double size = norm3(body.m);
                    advance(flow, &top, steps[b], &body);
                    double norm_q = 0.0;
                    for (int c = 0; c < 4; ++c)
                        norm_q += body.q[c] * body.q[c];
                    if (!(fabs(norm_q - 1.0) < 1e-15) || !(fabs(norm3(body.m) - size) <= 1e-15 * size + 0x1p-1074))
                        fail_msg("moments %g %g %g, momentum %g %g %g, h %g: |q|^2-1 %.1e, |m| %g", shapes[i][0],
                                 shapes[i][1], shapes[i][2], body.m[0], body.m[1], body.m[2], steps[b], norm_q - 1.0,
                                 norm3(body.m));
                }
}

/* Scaling moments and momentum by s, or the momentum by s and time by 1/s, is exact for powers of two and rounding for
 * others. An absolute threshold anywhere would show. */
static void results_do_not_depend_on_the_units(void **state)
{
    static const double scales[] = {1e-47, 1e-20, 1e-3, 1e3, 1e20, 1e40};
    static const double steps[] = {0.01, 0.7, 31.0};
    for (size_t f = 0; f < ph_flow_count(); ++f) {
        const struct ph_flow *flow = ph_flow_at(f);
        for (int i = 0; i < N_SHAPES; ++i)
            for (int j = 0; j < N_MOMENTA - 1; ++j)
                for (size_t k = 0; k < 3; ++k) {
                    const double *s = shapes[i];
                    const bool near = flow->exact_momentum && flow->claims.conserves_space_momentum;
                    if (flow->order > 0 && !near && steps[k] > 1.0)
                        continue; /* a map far from the flow, and chaotic */
                    const double h = s[0] == 1e-6 ? 1e-5 * steps[k] : steps[k]; /* the rod turns so much faster */
                    const struct ph_top top = make_top(s[0], s[1], s[2]);
                    struct body plain = body_for(&top, momenta[j]);
                    advance(flow, &top, h, &plain);
                    for (size_t a = 0; a < sizeof scales / sizeof scales[0]; ++a) {
                        const double scale = scales[a];
                        const struct ph_top other = make_top(s[0] * scale, s[1] * scale, s[2] * scale);
                        struct body scaled = body_for(&top, momenta[j]);
                        for (int c = 0; c < 3; ++c)
                            scaled.m[c] *= scale * scale;
                        advance(flow, &other, h / scale, &scaled);
                        for (int c = 0; c < 3; ++c)
                            scaled.m[c] /= scale * scale;
                        const double magnified =
                            3e3; /* scaled moments are rounded: 31 units of time, and the unstable axis */
                        const double error_m = momentum_distance(plain.m, scaled.m),
                                     error_q = orientation_distance(plain.q, scaled.q);
                        if (!(error_m < magnified * DBL_EPSILON * 3.0) || !(error_q < magnified * DBL_EPSILON * 3.0))
                            fail_msg("%s, moments %g %g %g, momentum %d, h %g, scale %g: m %.1e q %.1e", flow->name,
                                     s[0], s[1], s[2], j, steps[k], scale, error_m, error_q);
                    }
                }
    }
}

/* A body's bits do not depend on its neighbours, its place, the length of the array or the number of threads. */
static void a_body_alone_moves_as_in_company(void **state)
{
    enum { N = 1037 };
    static double m[3][N], q[4][N];
    for (size_t f = 0; f < ph_flow_count(); ++f) {
        const struct ph_flow *flow = ph_flow_at(f);
        const struct ph_top top = make_top(2.88, 1.0, 1.88);
        uint64_t random = 1;
        static double start[N][3];
        for (int i = 0; i < N; ++i) {
            for (int k = 0; k < 3; ++k) {
                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                start[i][k] = m[k][i] = ldexp((double)(random >> 11), -52) - 1.0;
            }
            for (int k = 0; k < 4; ++k)
                q[k][i] = k == 0 ? 1.0 : 0.0;
        }
        const struct ph_bodies all = {.n = N, .m = {m[0], m[1], m[2]}, .q = {q[0], q[1], q[2], q[3]}};
        ph_flow_advance(flow, &top, 0.35, all); /* some lanes take the series, some the elliptic functions */
        for (int i = 0; i < N; ++i) {
            struct body alone = make_body(start[i][0], start[i][1], start[i][2]);
            advance(flow, &top, 0.35, &alone);
            for (int k = 0; k < 3; ++k)
                assert_true(alone.m[k] == m[k][i]);
            for (int k = 0; k < 4; ++k)
                assert_true(alone.q[k] == q[k][i]);
        }
    }
}

/* exact(a) then exact(b) is exact(a+b): catches any error of either path that the other does not share. */
static void exact_steps_add_up(void **state)
{
    const struct ph_flow *flow = ph_flow_find("exact");
    for (int i = 0; i < N_SHAPES; ++i)
        for (int j = 0; j < N_MOMENTA; ++j) {
            if (momenta[j][0] == 1e-9)
                continue; /* leaves the unstable axis: ill conditioned */
            const double fast = shapes[i][0] == 1e-6 ? 1e-5 : 1.0;
            const struct ph_top top = make_top(shapes[i][0], shapes[i][1], shapes[i][2]);
            struct body one = body_for(&top, momenta[j]), many = one;
            advance(flow, &top, 1.0 * fast, &one);
            for (int k = 0; k < 64; ++k)
                advance(flow, &top, fast / 64.0, &many);
            assert_close(momentum_distance(one.m, many.m), 0.0, 1e-14, 4.0);
            assert_close(orientation_distance(one.q, many.q), 0.0, 1e-14, 4.0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_within_eight_roundings_of_every_reference_row),
        cmocka_unit_test(other_exact_formulations_lose_at_most_three_digits),
        cmocka_unit_test(every_flow_is_total_and_conserves_the_space_momentum),
        cmocka_unit_test(exact_survives_a_million_turns_and_huge_or_subnormal_momenta),
        cmocka_unit_test(results_do_not_depend_on_the_units),
        cmocka_unit_test(a_body_alone_moves_as_in_company),
        cmocka_unit_test(exact_steps_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
