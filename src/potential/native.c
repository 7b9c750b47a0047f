/* SPDX-License-Identifier: MIT */
#include "potential/native.h"

#include "base/plain.h"
#include "base/system/shared_object.h"

#include <native_prelude.h> /* made by the build: the text of base/lanes.h up to potential/program_arithmetic.h */

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

static const char *const operations[PH_OPERATIONS] = {
    [PH_DO_ADD] = "PH_DO_ADD",     [PH_DO_SUBTRACT] = "PH_DO_SUBTRACT", [PH_DO_MULTIPLY] = "PH_DO_MULTIPLY",
    [PH_DO_SHIFT] = "PH_DO_SHIFT", [PH_DO_SCALE] = "PH_DO_SCALE",       [PH_DO_INVERT] = "PH_DO_INVERT",
    [PH_DO_REAL] = "PH_DO_REAL",   [PH_DO_EXP] = "PH_DO_EXP",           [PH_DO_LOG] = "PH_DO_LOG",
    [PH_DO_SQRT] = "PH_DO_SQRT",   [PH_DO_SIN] = "PH_DO_SIN",           [PH_DO_COS] = "PH_DO_COS",
    [PH_DO_TANH] = "PH_DO_TANH",
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
    fprintf(out,
            "void radial_%d(size_t n, const double *restrict r, double *restrict value, double *restrict slope, double "
            "*restrict curvature)\n{\nPH_SIMD\nfor (size_t l = 0; l < n; ++l) {\n",
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
            ph_fprintf(out, "const struct ph_jet s%zu = ph_program_do(%s, (double)%.17g, s%zu, s%zu, r[l]);\n", k,
                       operations[step->operation], step->c, step->a, is_of_two(step->operation) ? step->b : step->a);
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
        ph_fprintf(
            out, "const struct ph_jet f%zu = ph_program_do(%s, (double)%.17g, ph_jet_r(v%zu), ph_jet_r(v%zu), 0.0);\n",
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
            "void angular_%d(size_t n, const double *const in[], const double *const rate[], double sign, double "
            "*restrict u, double *const out[], double *restrict u_rate, double *const out_rate[])\n{\n",
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

/* ---- Making ---- */

enum { LIMIT = 60 }; /* s, for the compiler */

static void *symbol(void *object, const char *kind, bool more)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", kind, more);
    return dlsym(object, name);
}

bool ph_native_make(const struct ph_program *program, struct ph_native *native, size_t size, char *text)
{
    static const char *const options[] = {"-x", "c", "-std=gnu11", "-O3", "-w",
                                          /* as in CMakeLists.txt: bits depend on the first one, speed on the others */
                                          "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fopenmp-simd",
#ifdef __x86_64__
                                          "-march=native",
#endif
                                          ARITHMETIC, NULL};
    char *code = NULL;
    size_t length;
    void *object = NULL;
    FILE *out = open_memstream(&code, &length);
    *native = (struct ph_native){.radial = {NULL}};
    snprintf(text, size, "there is no memory");
    if (!out)
        return false;
    fwrite(native_prelude, 1, sizeof native_prelude, out);
    for (int more = 0; more < 2; ++more)
        (program->angular ? print_angular : print_radial)(out, program, more == 1);
    if (fclose(out) == 0)
        object = ph_shared_object_build(code, options, LIMIT, size, text);
    free(code);
    for (int more = 0; more < 2 && object; ++more) {
        void *found = symbol(object, program->angular ? "angular" : "radial", more == 1);
        memcpy(program->angular ? (void *)&native->angular[more] : (void *)&native->radial[more], &found, sizeof found);
        if (!found) {
            *native = (struct ph_native){.radial = {NULL}};
            snprintf(text, size, "what the compiler makes lacks a function");
            return false;
        }
    }
    return object != NULL;
}
