/* SPDX-License-Identifier: MIT */
/* Formulas of the user's own: their grammar, their values and derivatives, and messages on their faults. */
#include "support.h"

#include "potential/curves/curve.h"

#include <stdio.h>

static bool compile(const char *formula, struct ph_program *program, struct ph_program_fault *fault)
{
    struct ph_program_constant constants[] = {{.name = "e", .value = 1.25}, {.name = "s", .value = 0.75}};
    return ph_program_compile(formula, 2, constants, program, fault);
}

static struct ph_jet value_of(const char *formula, double r)
{
    struct ph_program program;
    struct ph_program_fault fault = {.text = ""};
    if (!compile(formula, &program, &fault))
        fail_msg("%s: column %zu: %s", formula, fault.column, fault.text);
    const struct ph_curve *curve;
    assert_ok(ph_curve_of_formula(formula, &program, &curve, &err));
    return ph_curve_at(curve, r);
}

/* Values, slopes and curvatures by mpmath with 40 digits; e = 1.25, s = 0.75. Catches a wrong derivative of any
 * operation. */
TEST(formulas_have_their_numbers)
{
    static const struct {
        const char *formula;
        double r, u, slope, curvature;
    } numbers[] = {
        {"4*e*((s/r)^12 - (s/r)^6)", 0.875, -1.1965106134640056733, 2.8126213296560994774, 51.446771675266291807},
        {"4*e*((s/r)^12 - (s/r)^6)", 1.5, -0.076904296875, 0.302734375, -1.3736979166666666667},
        {"e*exp(-r/s) - (e/r)^6 + tanh(2*r - s)", 0.875, -7.3490115664650748247, 58.60569589733365132,
         -468.14481356791499904},
        {"e*exp(-r/s) - (e/r)^6 + tanh(2*r - s)", 1.5, 0.812297242104195417, 1.2009629391049837387,
         -6.2907624301614926388},
        {"sin(3*r)*cos(e*r)/r^2.5 + sqrt(r^2 + s)", 0.875, 1.5477708720579736936, -2.6322256695385819487,
         22.697972375702323618},
        {"sin(3*r)*cos(e*r)/r^2.5 + sqrt(r^2 + s)", 1.5, 1.8383053265084259259, 1.1807306415443899203,
         -1.6567122215941450846},
        {"log(1 + r^2)*r^(-s*r) - -2^-3*r", 0.875, 0.72994575001630560749, 0.80364529365479007293,
         -1.5118912328962357628},
        {"log(1 + r^2)*r^(-s*r) - -2^-3*r", 1.5, 0.93443710673584356601, -0.077373331129590010641,
         -0.92675844557506872218},
        {"e^r^0.5 - r/3 + 1.5e-1*r^7 + .25/(r - 10)", 0.875, 0.97195481097801383079, 0.28186005333020491178,
         3.1642194368872809868},
        {"e^r^0.5 - r/3 + 1.5e-1*r^7 + .25/(r - 10)", 1.5, 3.3477653435114606602, 11.743091544079317526,
         47.810808276050504218},
    };
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
        const struct ph_jet f = value_of(numbers[k].formula, numbers[k].r);
        const double size = fabs(numbers[k].u) + fabs(numbers[k].slope) + fabs(numbers[k].curvature);
        assert_close(f.value, numbers[k].u, 1e-14, size);
        assert_close(f.slope, numbers[k].slope, 1e-14, size);
        assert_close(f.curvature, numbers[k].curvature, 1e-14, size);
    }
}

/* Which operations belong together */
TEST(operators_bind_as_on_paper)
{
    static const struct {
        const char *formula;
        double at_2;
    } known[] = {
        {"-r^2", -4.0},
        {"2^r^3", 256.0},
        {"r - 1 - 1", 0.0},
        {"8/r/2", 2.0},
        {"8/r*2", 8.0},
        {"2*-r", -4.0},
        {"r^-1", 0.5},
        {"-r^-2", -0.25},
        {"(r+1)^2", 9.0},
        {" \t2 *r\n", 4.0},
        {"1 - r", -1.0},
        {"r - r^2*r", -6.0},
        {"r/4 + 1e1", 10.5},
        {"+r", 2.0},
        {"--r", 2.0},
        {"sqrt(2*r)^3", 8.0},
        {"r^0 + r - r^1", 1.0},
        {"3*r^10", 3072.0},
        {"r^3", 8.0},
        {"1/(1/r)^5", 32.0},
        {"1/r^3 + r^3", 8.125},
        {"r^2/4 - 1/r^2", 0.75},
        {"r - 1/(r*r) + r/r", 2.75},
        {"r^3 - r^0 + 8/(r^3)", 8.0},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (!(fabs(value_of(known[k].formula, 2.0).value - known[k].at_2) < 1e-13 * fabs(known[k].at_2) + 1e-15))
            fail_msg("%s is %.17g, not %g", known[k].formula, value_of(known[k].formula, 2.0).value, known[k].at_2);
}

TEST(equal_parts_are_found_once)
{
    struct ph_program program;
    struct ph_program_fault fault;
    assert_true(compile("4*e*((s/r)^12 - (s/r)^6)", &program, &fault));
    assert_int_equal(program.n, 7); /* r, 1/r, s/r, two powers, their difference, 4 e */
    assert_true(compile("r + 0*1 + 2^3 - 8 + exp(0) - 1", &program, &fault));
    assert_true(program.n <= 5);
}

/* 1/r^n is a power of 1/r, and r^n is left out where nothing else needs it. Catches a division more for each pair, and
 * a step that is left out though it counts. */
TEST(powers_of_r_need_no_division)
{
    static const struct {
        const char *formula;
        size_t n, n_loads;
    } known[] = {{"1/r^12 - e/r^6", 6, 1}, /* r, 1/r, powers, e, difference */
                 {"e*(a.b - 3*(a.n)*(b.n))/r^3", 11, 4},
                 {"r^3 + 1/r^3", 5, 1},
                 {"a.n*b.n/(r*r)", 7, 3}};
    for (size_t f = 0; f < sizeof known / sizeof *known; ++f) {
        struct ph_program program;
        struct ph_program_fault fault = {.text = ""};
        assert_true(compile(known[f].formula, &program, &fault));
        size_t loads = 0;
        for (size_t k = 0; k < program.n; ++k) {
            assert_int_not_equal(program.step[k].operation, PH_DO_INVERT);
            if (program.step[k].operation == PH_DO_LOAD)
                assert_int_equal(program.load[loads++], k);
        }
        if (program.n != known[f].n)
            fail_msg("%s: %zu steps", known[f].formula, program.n);
        assert_int_equal(program.n_loads, known[f].n_loads);
        assert_int_equal(loads, known[f].n_loads);
    }
}

TEST(faults_name_their_column)
{
    static const struct {
        const char *formula;
        size_t column;
        const char *words;
    } faults[] = {
        {"4*e*((s/r)^12 - (s/r)^6", 24, "'(' in column 5 is open"},
        {"4*e*(s/r))", 10, "no '('"},
        {"4*eps*r", 3, "Known: r, a.n, b.n, a.b, a1.n .. b3.n, a1.b1 .. a3.b3, e, s"},
        {"e*max(r, 1)", 3, "max is not possible: its derivatives jump"},
        {"e*abs(r)", 3, "Accepted: exp, log"},
        {"erf(r)", 1, "no function erf"},
        {"e s r", 3, "an operator is expected"},
        {"2r", 1, "a product is written with '*'"},
        {"1.2.3*r", 1, "not a number"},
        {"e*s", 1, "no r in it"},
        {"r + 1/0", 6, "not a finite number"},
        {"r*log(0 - s)", 3, "not a finite number"},
        {"r*1e999", 3, "not a finite number"},
        {"exp r", 5, "'(' is expected here: exp is a function"},
        {"r**2", 2, "written with '^'"},
        {"r + ", 5, "ends where a number"},
        {"", 1, "ends where a number"},
        {"r + *2", 5, "a number, a name or '(' is expected"},
        {"r + a.n*a", 9, "a is an axis, which counts by products"},
        {"r + a.m", 7, "after the dot one of n, a, a1"},
        {"r + a4.n", 5, "neither a variable"},
        {"r + n.n", 5, "of one site is constant"},
        {"r + a1.a2", 5, "of one site is constant"},
        {"r + n1.a", 5, "neither a variable"},
        {"a.n + a.b", 1, "no r in it"},
        {"r + \303\251", 5, "a number, a name or '(' is expected"},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) {
        struct ph_program program;
        struct ph_program_fault fault = {.text = ""};
        assert_false(compile(faults[k].formula, &program, &fault));
        if (fault.column != faults[k].column || !strstr(fault.text, faults[k].words))
            fail_msg("%s: column %zu: '%s'; expected column %zu and '%s'", faults[k].formula, fault.column, fault.text,
                     faults[k].column, faults[k].words);
    }
}

/* Neither many operations nor deep nesting go beyond the room there is. */
TEST(long_formulas_are_refused)
{
    char text[4096] = "r";
    struct ph_program program;
    struct ph_program_fault fault;
    for (int k = 0; k < 80; ++k)
        snprintf(text + strlen(text), sizeof text - strlen(text), "+sin(%d*r)", k + 2);
    assert_false(compile(text, &program, &fault));
    assert_non_null(strstr(fault.text, "too long"));
    memset(text, '(', 1000);
    text[1000] = '\0';
    assert_false(compile(text, &program, &fault));
    assert_int_equal(fault.column, 65);
    memset(text, '-', 1000);
    assert_false(compile(text, &program, &fault));
    for (size_t k = 0; k < 1000; k += 2)
        memcpy(text + k, "r^", 2);
    assert_false(compile(text, &program, &fault));
}
