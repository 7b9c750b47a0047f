/* SPDX-License-Identifier: MIT */
#if defined(PH_PORTABLE_KERNELS) && !defined(PH_VERSION)
#define PH_VERSION /* the arithmetic of the kernels, with which machine code is compared here */
#endif
#include "potential/curves/native.h"

#include "base/plain.h"
#include "base/system/shared_object.h"
#include "potential/curves/program_angles.h"

#include <native_prelude.h> /* made by the build: the text of base/lanes.h up to potential/curves/program_arithmetic.h */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fused operations of the loops over programs, which are compiled apart for several processors in some builds */
#if defined(PH_FUSED) ||                                                                                               \
    (!defined(PH_PORTABLE_KERNELS) && (defined(__FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)))
#define ARITHMETIC "-DPH_FUSED"
#else
#define ARITHMETIC "-DPH_VERSION"
#endif

static const char *const operations[PH_OPERATIONS] = {[PH_DO_ADD] = "PH_DO_ADD",
                                                      [PH_DO_SUBTRACT] = "PH_DO_SUBTRACT",
                                                      [PH_DO_MULTIPLY] = "PH_DO_MULTIPLY",
                                                      [PH_DO_SHIFT] = "PH_DO_SHIFT",
                                                      [PH_DO_SCALE] = "PH_DO_SCALE",
                                                      [PH_DO_INVERT] = "PH_DO_INVERT",
                                                      [PH_DO_INVERSE] = "PH_DO_INVERSE",
                                                      [PH_DO_REAL] = "PH_DO_REAL",
#define PH_OPERATION_NAME(operation, name) [PH_DO_##operation] = "PH_DO_" #operation,
                                                      PH_PROGRAM_FUNCTIONS(PH_OPERATION_NAME)
#undef PH_OPERATION_NAME
};

static bool is_of_two(enum ph_operation operation)
{
    return operation == PH_DO_ADD || operation == PH_DO_SUBTRACT || operation == PH_DO_MULTIPLY;
}

/* w = x^(n-2) by squares of q, as ph_program_squares does it */
static void print_squares(FILE *out, size_t k, int power, const char *x)
{
    fprintf(out, "double q%zu = %s, w%zu = 1.0;\n", k, x, k);
    for (int rest = power - 2; rest > 0; rest >>= 1) {
        if (rest & 1)
            fprintf(out, "w%zu = w%zu * q%zu;\n", k, k, k);
        fprintf(out, "q%zu *= q%zu;\n", k, k);
    }
}

/* ---- Radial ---- */

static void print_radial(FILE *out, const struct ph_program *program, bool curved)
{
    fprintf(
        out,
        "void radial_%d(size_t n, const double *restrict r, const double *restrict inverse, double *restrict "
        "value, double *restrict slope, double *restrict curvature)\n{\nPH_SIMD\nfor (size_t l = 0; l < n; ++l) {\n",
        curved);
    for (size_t k = 0; k < program->n; ++k) {
        const struct ph_program_step *step = &program->step[k];
        char x[32];
        snprintf(x, sizeof x, "s%zu.value", step->a);
        if (step->operation == PH_DO_LOAD)
            fprintf(out, "const struct ph_jet s%zu = ph_jet_r(r[l]);\n", k);
        else if (step->operation == PH_DO_POWER) {
            print_squares(out, k, step->power, x);
            fprintf(out, "const struct ph_jet s%zu = ph_program_powers(%d, w%zu, s%zu);\n", k, step->power, k, step->a);
        } else
            ph_fprintf(out,
                       "const struct ph_jet s%zu = ph_program_do(%s, (double)%.17g, s%zu, s%zu, r[l], "
                       "inverse[l]);\n",
                       k, operations[step->operation], step->c, step->a,
                       is_of_two(step->operation) ? step->b : step->a);
    }
    const size_t last = program->n - 1;
    fprintf(out, "value[l] = s%zu.value;\nslope[l] = s%zu.slope;\n", last, last);
    if (curved)
        fprintf(out, "curvature[l] = s%zu.curvature;\n", last);
    fprintf(out, "}\n}\n");
}

/* ---- Angular: v and t are values and their rates, d and c derivatives, b and e go backwards ---- */

static void print_step(FILE *out, const struct ph_program_step *step, size_t k, bool moving)
{
    const size_t a = step->a, b = step->b;
    const char *signs[] = {"+", "-"};
    char x[32];
    switch (step->operation) {
    case PH_DO_LOAD: {
        const bool turns = a != PH_VARIABLE_R && a < PH_VARIABLE_AB;
        fprintf(out, "const double v%zu = %sin%zu[l];\n", k, turns ? "sign * " : "", a);
        if (moving)
            fprintf(out, "const double t%zu = %srate%zu[l];\n", k, turns ? "sign * " : "", a);
        return;
    }
    case PH_DO_ADD:
    case PH_DO_SUBTRACT: {
        const char *sign = signs[step->operation == PH_DO_SUBTRACT];
        fprintf(out, "const double v%zu = v%zu %s v%zu;\n", k, a, sign, b);
        if (moving)
            fprintf(out, "const double t%zu = t%zu %s t%zu;\n", k, a, sign, b);
        return;
    }
    case PH_DO_MULTIPLY:
        fprintf(out, "const double v%zu = v%zu * v%zu;\n", k, a, b);
        if (moving)
            fprintf(out, "const double t%zu = ph_fma(t%zu, v%zu, v%zu * t%zu);\n", k, a, b, a, b);
        return;
    case PH_DO_SHIFT:
        ph_fprintf(out, "const double v%zu = v%zu + (double)%.17g;\n", k, a, step->c);
        if (moving)
            fprintf(out, "const double t%zu = t%zu;\n", k, a);
        return;
    case PH_DO_SCALE:
        ph_fprintf(out, "const double v%zu = (double)%.17g * v%zu;\n", k, step->c, a);
        if (moving)
            ph_fprintf(out, "const double t%zu = (double)%.17g * t%zu;\n", k, step->c, a);
        return;
    case PH_DO_POWER:
        snprintf(x, sizeof x, "v%zu", a);
        print_squares(out, k, step->power, x);
        fprintf(out, "const struct ph_jet f%zu = ph_program_powers(%d, w%zu, ph_jet_r(v%zu));\n", k, step->power, k, a);
        break;
    default:
        ph_fprintf(out,
                   "const struct ph_jet f%zu = ph_program_do(%s, (double)%.17g, ph_jet_r(v%zu), ph_jet_r(v%zu), 0.0, "
                   "inverse[l]);\n",
                   k, operations[step->operation], step->c, a, a);
    }
    fprintf(out, "const double v%zu = f%zu.value, d%zu = f%zu.slope;\n", k, k, k, k);
    if (moving)
        fprintf(out, "const double c%zu = f%zu.curvature * t%zu, t%zu = f%zu.slope * t%zu;\n", k, k, a, k, k, a);
}

/* Passes du/d(step k) on to step `to`, of which k has the derivative d with the rate d_rate, "" of a constant */
static void print_pass(FILE *out, size_t k, size_t to, const char *d, const char *d_rate, bool moving, bool *seen)
{
    const char *type = *seen ? "" : "double ", *first = *seen ? "false" : "true";
    char was[2][32] = {"0.0", "0.0"};
    if (*seen) {
        snprintf(was[0], sizeof was[0], "b%zu", to);
        snprintf(was[1], sizeof was[1], "e%zu", to);
    }
    /* rates first, as they have the derivative of before: that of step k, which is another one than `to` */
    fprintf(out, "%sb%zu = ph_back(%s, %s, b%zu, %s);\n", type, to, first, was[0], k, d);
    if (moving && *d_rate)
        fprintf(out, "%se%zu = ph_back_rate(%s, %s, b%zu, e%zu, %s, %s);\n", type, to, first, was[1], k, k, d, d_rate);
    else if (moving)
        fprintf(out, "%se%zu = ph_back(%s, %s, e%zu, %s);\n", type, to, first, was[1], k, d);
    *seen = true;
}

static void print_passes(FILE *out, const struct ph_program_step *step, size_t k, bool moving, bool *seen)
{
    char d[2][48], rate[2][48] = {"", ""};
    const bool of_two = is_of_two(step->operation);
    switch (step->operation) {
    case PH_DO_ADD:
    case PH_DO_SHIFT:
    case PH_DO_SUBTRACT:
        snprintf(d[0], sizeof d[0], "1.0");
        snprintf(d[1], sizeof d[1], step->operation == PH_DO_SUBTRACT ? "-1.0" : "1.0");
        break;
    case PH_DO_SCALE: ph_snprintf(d[0], sizeof d[0], "(double)%.17g", step->c); break;
    case PH_DO_MULTIPLY:
        snprintf(d[0], sizeof d[0], "v%zu", step->b);
        snprintf(d[1], sizeof d[1], "v%zu", step->a);
        snprintf(rate[0], sizeof rate[0], "t%zu", step->b);
        snprintf(rate[1], sizeof rate[1], "t%zu", step->a);
        break;
    default: snprintf(d[0], sizeof d[0], "d%zu", k); snprintf(rate[0], sizeof rate[0], "c%zu", k);
    }
    print_pass(out, k, step->a, d[0], rate[0], moving, &seen[step->a]);
    if (of_two)
        print_pass(out, k, step->b, d[1], rate[1], moving, &seen[step->b]);
}

static void print_angular(FILE *out, const struct ph_program *program, bool moving)
{
    const size_t last = program->n - 1;
    bool seen[PH_PROGRAM_STEPS] = {false};
    fprintf(out,
            "void angular_%d(size_t n, const double *const in[], const double *const rate[], const double *restrict "
            "inverse, double sign, double *restrict u, double *const out[], double *restrict u_rate, double *const "
            "out_rate[])\n{\n",
            moving);
    for (size_t k = 0; k < program->n; ++k) {
        const size_t a = program->step[k].a;
        if (program->step[k].operation != PH_DO_LOAD)
            continue;
        fprintf(out, "const double *restrict in%zu = in[%zu];\ndouble *restrict out%zu = out[%zu];\n", a, a, a, a);
        if (moving)
            fprintf(out, "const double *restrict rate%zu = rate[%zu];\ndouble *restrict out_rate%zu = out_rate[%zu];\n",
                    a, a, a, a);
    }
    fprintf(out, "PH_SIMD\nfor (size_t l = 0; l < n; ++l) {\n");
    for (size_t k = 0; k < program->n; ++k)
        print_step(out, &program->step[k], k, moving);
    fprintf(out, "const double b%zu = 1.0, e%zu = 0.0;\nu[l] = v%zu;\n", last, last, last);
    if (moving)
        fprintf(out, "u_rate[l] = t%zu;\n", last);
    seen[last] = true;
    for (size_t k = program->n; k-- > 0;) {
        const struct ph_program_step *step = &program->step[k];
        if (!seen[k])
            continue;
        if (step->operation != PH_DO_LOAD) {
            print_passes(out, step, k, moving, seen);
            continue;
        }
        const char *sign = step->a != PH_VARIABLE_R && step->a < PH_VARIABLE_AB ? "sign * " : "";
        fprintf(out, "out%zu[l] = %sb%zu;\n", step->a, sign, k);
        if (moving)
            fprintf(out, "out_rate%zu[l] = %se%zu;\n", step->a, sign, k);
    }
    fprintf(out, "}\n}\n");
}

/* ---- Comparing: a compiler may have options of its own that change digits ---- */

enum { BLOCKS = 8 };
static const double unwritten = -0x1.8765432p-200; /* no result of a formula */

static double between(double low, double high, size_t k)
{
    return low + (high - low) * (0.5 + 0.5 * sin(1.0 + 7.0 * (double)k));
}

/* Distances from a sixteenth of `size` to sixteen times as much; a short block has no whole number of vectors */
static size_t fill_distances(size_t block, double size, double r[PH_PROGRAM_BLOCK])
{
    for (size_t l = 0; l < PH_PROGRAM_BLOCK; ++l)
        r[l] = size * exp2(between(-4.0, 4.0, block * PH_PROGRAM_BLOCK + l));
    return block % 2 ? PH_PROGRAM_BLOCK - 3 : PH_PROGRAM_BLOCK;
}

static bool are_same(size_t n, const double *a, const double *b)
{
    for (size_t l = 0; l < n; ++l)
        if (memcmp(&a[l], &b[l], sizeof *a) != 0 && !(isnan(a[l]) && isnan(b[l])))
            return false;
    return true;
}

static bool is_radial_same(const struct ph_program *program, const struct ph_native *native, size_t block, double size)
{
    struct ph_program_block want;
    double r[PH_PROGRAM_BLOCK], inverse[PH_PROGRAM_BLOCK], got[3][PH_PROGRAM_BLOCK];
    const size_t n = fill_distances(block, size, r), last = program->n - 1;
    for (size_t l = 0; l < n; ++l)
        inverse[l] = 1.0 / r[l];
    bool same = true;
    for (int curved = 0; curved < 2; ++curved) {
        for (size_t k = 0; k < 3 * PH_PROGRAM_BLOCK; ++k)
            got[k / PH_PROGRAM_BLOCK][k % PH_PROGRAM_BLOCK] = unwritten;
        ph_program_run(program, curved == 1, n, r, inverse, &want);
        native->radial[curved](n, r, inverse, got[0], got[1], curved ? got[2] : NULL);
        same = same && are_same(n, got[0], want.value[last]) && are_same(n, got[1], want.slope[last]) &&
               (!curved || are_same(n, got[2], want.curvature[last]));
    }
    return same;
}

/* u and the derivatives by all variables; and rates */
struct angular_rows {
    double row[2][1 + PH_VARIABLES][PH_PROGRAM_BLOCK];
};

/* `mine`: the program as it is, or exchanged */
static bool is_angular_same(const struct ph_program *program, const struct ph_program *mine,
                            const struct ph_native *native, size_t block, double size, bool moving)
{
    struct ph_program_trace trace;
    double scalar[2][PH_VARIABLES][PH_PROGRAM_BLOCK], inverse[PH_PROGRAM_BLOCK];
    struct angular_rows want, got;
    const double *in[PH_VARIABLES] = {NULL}, *rate[PH_VARIABLES] = {NULL};
    double *out[PH_VARIABLES] = {NULL}, *out_rate[PH_VARIABLES] = {NULL};
    const struct ph_program_input input = {scalar[0][0], moving ? scalar[1][0] : NULL, inverse, PH_PROGRAM_BLOCK, 3, 3};
    for (size_t m = 0; m < 2 * PH_VARIABLES; ++m)
        for (size_t l = 0; l < PH_PROGRAM_BLOCK; ++l)
            scalar[m / PH_VARIABLES][m % PH_VARIABLES][l] =
                between(-1.0, 1.0, (m * BLOCKS + block) * PH_PROGRAM_BLOCK + l);
    const size_t n = fill_distances(block, size, scalar[0][PH_VARIABLE_R]);
    for (size_t l = 0; l < n; ++l)
        inverse[l] = 1.0 / scalar[0][PH_VARIABLE_R][l];
    for (size_t k = 0; k < 2 * (1 + PH_VARIABLES); ++k)
        for (size_t l = 0; l < PH_PROGRAM_BLOCK; ++l)
            want.row[k % 2][k / 2][l] = unwritten;
    got = want;
    ph_program_angles(mine, &input, moving, n, &trace, want.row[0][0], want.row[0][1], want.row[1][0], want.row[1][1]);
    for (size_t k = 0; k < program->n_loads; ++k) {
        const size_t its = program->step[program->load[k]].a, m = mine->step[program->load[k]].a;
        in[its] = scalar[0][m];
        rate[its] = moving ? scalar[1][m] : NULL;
        out[its] = got.row[0][1 + m];
        out_rate[its] = moving ? got.row[1][1 + m] : NULL;
    }
    native->angular[moving](n, in, rate, inverse, mine == program ? 1.0 : -1.0, got.row[0][0], out,
                            moving ? got.row[1][0] : NULL, out_rate);
    bool same = true;
    for (size_t k = 0; k < 2 * (1 + PH_VARIABLES); ++k)
        same = same && are_same(n, got.row[k % 2][k / 2], want.row[k % 2][k / 2]);
    return same;
}

static bool is_same(const struct ph_program *program, const struct ph_native *native, double size)
{
    const struct ph_program exchanged = ph_program_exchanged(program);
    bool same = true;
    for (size_t block = 0; block < BLOCKS && same; ++block)
        if (!program->angular)
            same = is_radial_same(program, native, block, size);
        else
            for (int k = 0; k < 4 && same; ++k)
                same = is_angular_same(program, k < 2 ? program : &exchanged, native, block, size, k % 2 == 1);
    return same;
}

/* ---- Making ---- */

enum { LIMIT = 200 }; /* s, for the compiler, which takes a few on a machine that is free */

static void *symbol(void *object, const char *kind, bool more)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", kind, more);
    return dlsym(object, name);
}

/* Both functions of the object */
static bool find(void *object, bool angular, struct ph_native *native)
{
    bool all = true;
    for (int more = 0; more < 2; ++more) {
        void *found = symbol(object, angular ? "angular" : "radial", more == 1);
        memcpy(angular ? (void *)&native->angular[more] : (void *)&native->radial[more], &found, sizeof found);
        all = all && found;
    }
    return all;
}

bool ph_native_make(const struct ph_program *program, double length, struct ph_native *native, size_t size, char *text)
{
    static const char *const options[] = {"-x", "c", "-std=gnu11", "-O3", "-w",
                                          /* as in CMakeLists.txt: bits depend on the first two, speed on the others */
                                          "-fno-fast-math", "-ffp-contract=off", "-fno-math-errno",
                                          "-fno-trapping-math", "-fopenmp-simd",
#ifdef __x86_64__
                                          "-march=native",
#endif
                                          ARITHMETIC, NULL};
    char *code = NULL, compiler[96] = "there is no memory"; /* or why there is none */
    size_t code_length;
    void *object = NULL;
    FILE *out = open_memstream(&code, &code_length);
    *native = (struct ph_native){.radial = {NULL}};
    if (!out) {
        snprintf(text, size, "there is no memory");
        return false;
    }
    fwrite(native_prelude, 1, sizeof native_prelude, out);
    for (int more = 0; more < 2; ++more)
        (program->angular ? print_angular : print_radial)(out, program, more == 1);
    if (fclose(out) == 0)
        object = ph_shared_object_build(code, options, LIMIT, sizeof compiler, compiler);
    free(code);
    if (!object)
        snprintf(text, size, "%s", compiler);
    else if (!find(object, program->angular, native))
        snprintf(text, size, "what the compiler %.60s makes lacks a function", compiler);
    else if (!is_same(program, native, length))
        snprintf(text, size, "the compiler %.60s computes other digits", compiler);
    else {
        snprintf(text, size, "%s", compiler);
        return true;
    }
    if (object)
        dlclose(object);
    *native = (struct ph_native){.radial = {NULL}};
    return false;
}
