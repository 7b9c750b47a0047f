/* SPDX-License-Identifier: MIT */
/* Formulas as machine code (potential/curves/native.h): the same bits as the loops over their programs, and what
 * happens where there is no compiler. */
#include "support.h"

#include "base/system/shared_object.h"
#include "potential/curves/native.h"
#include "potential/curves/program_angles.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ph_program compile(const char *formula)
{
    struct ph_program_constant constants[] = {{.name = "e", .value = 1.25}, {.name = "s", .value = -0.75e-3}};
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    if (!ph_program_compile(formula, 2, constants, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    return program;
}

static struct ph_native make(const struct ph_program *program)
{
    struct ph_native native;
    char how[96];
    if (!ph_native_make(program, 1.0, &native, sizeof how, how)) {
        if (strcmp(how, "there is no compiler cc") == 0)
            skip();
        fail_msg("%s", how);
    }
    return native;
}

static double any(size_t k) { return 0.5 + 0.5 * sin(1.0 + 7.0 * (double)k); }

enum { N = PH_PROGRAM_BLOCK - 3 }; /* no whole number of vectors */

/* All operations, and powers of all parities. Catches another order of operations, and a contraction. */
static void radial_formulas_have_the_bits_of_loops(void **state)
{
    static const char *const formulas[] = {
        "4*e*((1/r)^12 - (1/r)^6) + e*exp(-r/s) - (e/r)^7 + tanh(2*r - s)*r^3",
        "sin(3*r)*cos(e*r)/r^2.5 + sqrt(r^2 + s) - log(r)*r^-0.3 + r^31 - 1e300*r^5 + r^4 - 1/(r + s)"};
    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; ++f) {
        const struct ph_program program = compile(formulas[f]);
        const struct ph_native native = make(&program);
        static struct ph_program_block block;
        double r[N], inverse[N], got[3][N] = {{0.0}};
        for (size_t k = 0; k < N; ++k) {
            r[k] = 0.3 + 2.0 * any(k);
            inverse[k] = 1.0 / r[k];
        }
        for (int curved = 0; curved < 2; ++curved) {
            ph_program_run(&program, curved == 1, N, r, inverse, &block);
            native.radial[curved](N, r, inverse, got[0], got[1], curved ? got[2] : NULL);
            assert_memory_equal(got[0], block.value[program.n - 1], sizeof got[0]);
            assert_memory_equal(got[1], block.slope[program.n - 1], sizeof got[0]);
            if (curved)
                assert_memory_equal(got[2], block.curvature[program.n - 1], sizeof got[0]);
        }
    }
}

/* The same with all variables, as written and with sites exchanged. Catches a sign, and parts that are passed on in
 * another order. */
static void angular_formulas_have_the_bits_of_loops(void **state)
{
    static const char *const formulas[] = {
        "(a.b - 3*(a.n)*(b.n))/r^3 + exp(a1.b2*(a2.b1))*sqrt(3 + a.n) - tanh(b.n)*log(2 + b1.n)/r^2.5 + e*(a2.n - "
        "b2.n)^5*cos(r) - "
        "s*sin(a1.n*b3.n)",
        "(a1.b1 + a2.b2 + a3.b3 - a1.b3)/(4 + a2.b3 + a3.b2 - a3.b1)^0.5 + 3*(a.n)^2*r - (2 - a.n)^4"};
    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; ++f) {
        const struct ph_program program = compile(formulas[f]), other = ph_program_exchanged(&program);
        const struct ph_native native = make(&program);
        static struct ph_program_trace trace;
        static double inverse[N], scalar[2][PH_VARIABLES][N], want[2][1 + PH_VARIABLES][N], got[2][1 + PH_VARIABLES][N];
        for (size_t m = 0; m < 2 * PH_VARIABLES; ++m)
            for (size_t l = 0; l < N; ++l) {
                const double x = any(m * N + l);
                scalar[m / PH_VARIABLES][m % PH_VARIABLES][l] = m == PH_VARIABLE_R ? 0.8 + x : 2.0 * x - 1.0;
            }
        for (size_t l = 0; l < N; ++l)
            inverse[l] = 1.0 / scalar[0][PH_VARIABLE_R][l];
        for (int exchanged = 0; exchanged < 2; ++exchanged)
            for (int moving = 0; moving < 2; ++moving) {
                const double *in[PH_VARIABLES], *rate[PH_VARIABLES];
                double *out[PH_VARIABLES], *out_rate[PH_VARIABLES];
                const struct ph_program *mine = exchanged ? &other : &program;
                const struct ph_program_input input = {scalar[0][0], scalar[1][0], inverse, N, 3, 3};
                memset(want, 0, sizeof want);
                memset(got, 0, sizeof got);
                ph_program_angles(mine, &input, moving == 1, N, &trace, want[0][0], want[0][1], want[1][0], want[1][1]);
                for (size_t k = 0; k < program.n; ++k) {
                    const size_t its = program.step[k].a, m = mine->step[k].a;
                    if (program.step[k].operation != PH_DO_LOAD)
                        continue;
                    in[its] = scalar[0][m];
                    rate[its] = scalar[1][m];
                    out[its] = got[0][1 + m];
                    out_rate[its] = got[1][1 + m];
                }
                native.angular[moving](N, in, rate, inverse, exchanged ? -1.0 : 1.0, got[0][0], out, got[1][0],
                                       out_rate);
                if (memcmp(got, want, sizeof got) != 0)
                    fail_msg("formula %zu, exchanged %d, moving %d", f, exchanged, moving);
                assert_true(fabs(want[0][0][0]) > 1e-3);
            }
    }
}

/* ---- Compilers that are no good ---- */

/* A folder of this test with a compiler, which is a shell script, and a place for temporary files */
struct workshop {
    char folder[32], compiler[48], place[48];
};

static void set_up(struct workshop *shop, const char *script)
{
    strcpy(shop->folder, "/tmp/polhode-test-XXXXXX");
    assert_non_null(mkdtemp(shop->folder));
    snprintf(shop->compiler, sizeof shop->compiler, "%s/cc", shop->folder);
    snprintf(shop->place, sizeof shop->place, "%s/place", shop->folder);
    FILE *file = fopen(shop->compiler, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(shop->compiler, 0700), 0);
    assert_int_equal(mkdir(shop->place, 0700), 0);
    setenv("POLHODE_COMPILER", shop->compiler, 1);
    setenv("TMPDIR", shop->place, 1);
}

static void tear_down(const struct workshop *shop)
{
    unsetenv("POLHODE_COMPILER");
    unsetenv("TMPDIR");
    unlink(shop->compiler);
    assert_int_equal(rmdir(shop->place), 0); /* nothing is left there */
    assert_int_equal(rmdir(shop->folder), 0);
}

static void nothing_is_left_in_the_folder(void **state)
{
    const struct ph_program program = compile("1/r^12 - e*a.b/r^6");
    struct workshop shop;
    struct ph_native native;
    char how[96];
    set_up(&shop, "exec cc \"$@\"");
    ph_native_make(&program, 1.0, &native, sizeof how, how);
    tear_down(&shop);
}

/* Their objects load, and are not used. Catches a comparison that sees no difference, or leaves out rows. */
static void a_compiler_with_other_digits_is_not_used(void **state)
{
    static const char *const formulas[] = {"4*e*((1/r)^12 - (1/r)^6) + exp(-r/e)/r^2.5 + r^3",
                                           "(a.b - 3*(a.n)*(b.n))/r^3 + exp(a1.b2)*(a.n)^5"};
    static const char *const scripts[] = {
        "exec cc \"$@\" -ffast-math -ffp-contract=fast",
        /* no loop of a function runs, or none that has rates or curvatures */
        "sed -i 's/l < n;/l < n - n;/' \"$TMPDIR\"/*/code.c; exec cc \"$@\"",
        "sed -i '/^void.*_1(/,$s/l < n;/l < n - n;/' \"$TMPDIR\"/*/code.c; exec cc \"$@\"",
    };
    for (size_t f = 0; f < sizeof formulas / sizeof *formulas; ++f) {
        const struct ph_program program = compile(formulas[f]);
        if (f == 0)
            make(&program); /* or skip */
        for (size_t k = 0; k < sizeof scripts / sizeof *scripts; ++k) {
            struct workshop shop;
            struct ph_native native;
            char how[96] = "", want[96];
            set_up(&shop, scripts[k]);
            const bool made = ph_native_make(&program, 1.0, &native, sizeof how, how);
            snprintf(want, sizeof want, "the compiler %s computes other digits", shop.compiler);
            tear_down(&shop);
            if (made || strcmp(how, want) != 0)
                fail_msg("formula %zu, compiler %zu: %s", f, k, how);
            assert_true(!native.radial[0] && !native.radial[1] && !native.angular[0] && !native.angular[1]);
        }
    }
}

static const char *const no_options[] = {NULL};

/* Catches a wait without a limit, and children of the compiler that go on. */
static void a_slow_compiler_is_stopped(void **state)
{
    struct workshop shop;
    char how[96], want[96];
    set_up(&shop, "sleep 100; true");
    assert_null(ph_shared_object_build("int x;", no_options, 0.25, sizeof how, how));
    snprintf(want, sizeof want, "the compiler %s took longer than 0.25 s", shop.compiler);
    assert_string_equal(how, want);
    tear_down(&shop);
}

/* A host may have its children reaped by the system. Catches the loss of a good object. */
static void who_ignores_children_has_compiled_formulas(void **state)
{
    const struct ph_program program = compile("1/r^12 - e/r^6");
    make(&program); /* or skip */
    signal(SIGCHLD, SIG_IGN);
    const struct ph_native native = make(&program);
    signal(SIGCHLD, SIG_DFL);
    assert_true(native.radial[0] && native.radial[1]);
}

static void without_a_compiler_there_is_a_reason(void **state)
{
    static const struct {
        const char *variable, *value, *why;
    } tried[] = {{"POLHODE_COMPILER", "none", "POLHODE_COMPILER is none"},
                 {"POLHODE_COMPILER", "no-such-compiler", "there is no compiler no-such-compiler"},
                 {"POLHODE_COMPILER", "false", "the compiler false fails"},
                 {"POLHODE_COMPILER", "true", "what the compiler true makes cannot be loaded"},
                 {"TMPDIR", "/no-such-folder", "no folder can be made in /no-such-folder"}};
    const struct ph_program program = compile("1/r^12 - e/r^6");
    for (size_t k = 0; k < sizeof tried / sizeof *tried; ++k) {
        struct ph_native native;
        char how[96] = "";
        setenv(tried[k].variable, tried[k].value, 1);
        assert_false(ph_native_make(&program, 1.0, &native, sizeof how, how));
        unsetenv(tried[k].variable);
        assert_string_equal(how, tried[k].why);
        assert_true(!native.radial[0] && !native.radial[1] && !native.angular[0] && !native.angular[1]);
    }
}

int main(void)
{
    unsetenv("POLHODE_COMPILER");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radial_formulas_have_the_bits_of_loops),
        cmocka_unit_test(angular_formulas_have_the_bits_of_loops),
        cmocka_unit_test(nothing_is_left_in_the_folder),
        cmocka_unit_test(a_compiler_with_other_digits_is_not_used),
        cmocka_unit_test(a_slow_compiler_is_stopped),
        cmocka_unit_test(who_ignores_children_has_compiled_formulas),
        cmocka_unit_test(without_a_compiler_there_is_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
