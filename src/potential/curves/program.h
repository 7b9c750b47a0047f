/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PROGRAM_H
#define PH_POTENTIAL_PROGRAM_H

/* A formula that the user wrote, as a short program. Each instruction makes one intermediate result of earlier ones;
 * equal parts of a formula are found once, and parts of constants alone not at all. A program runs over blocks of
 * pairs, one instruction after the other, so that each is a loop that the compiler vectorises. Results are jets
 * (potential/jet.h): slope and curvature follow by the chain rule.
 *
 * sum = term {(+|-) term};  term = sign {(*|/) sign};  sign = {-|+} power;  power = atom [^ sign];
 * atom = number | name | axis.axis | function(sum) | (sum).  PH_PROGRAM_FUNCTIONS has the functions.
 *
 * Variables are r, and products of axes of two sites with each other and with n, the unit vector from the first site to
 * the second: a1, a2, a3 are the axes x, y, z of the first site, b1, b2, b3 those of the second; a is a3, b is b3. A
 * program with such products runs backwards for its derivatives (potential/curves/program_angles.h). */

#include "potential/curves/program_arithmetic.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { PH_PROGRAM_STEPS = 128, PH_PROGRAM_NAME = 32 };
#ifdef PH_ONE_LANE /* a thread of a device has one pair */
enum { PH_PROGRAM_BLOCK = 1 };
#else
enum { PH_PROGRAM_BLOCK = 32 };
#endif

/* Numbers of variables, with axes x, y from 0 to 2 */
enum { PH_VARIABLE_R, PH_VARIABLE_A, PH_VARIABLE_B = 4, PH_VARIABLE_AB = 7, PH_VARIABLES = 16 };
static inline size_t ph_variable_ab(size_t x, size_t y) { return PH_VARIABLE_AB + 3 * x + y; }

struct ph_program_step {
    enum ph_operation operation;
    size_t a, b; /* numbers of earlier steps */
    int power;
    double c;
};

struct ph_program {
    size_t n;
    struct ph_program_step step[PH_PROGRAM_STEPS]; /* the last one is u */
    size_t n_loads, load[PH_VARIABLES];            /* the steps that are variables, each of which is there once */
    bool angular;                                  /* it has variables other than r */
    size_t axes[2];                                /* how many axes of the sites it takes: 0, 1 (z) or 3 */
};

struct ph_program_constant {
    char name[PH_PROGRAM_NAME];
    double value;
    bool used; /* set by ph_program_compile */
};

/* What is wrong with a formula, and in which column, from 1 */
struct ph_program_fault {
    size_t column;
    char text[224];
};

/* Returns false, and says why, if the formula is none. */
bool ph_program_compile(const char *formula, size_t n_constants, struct ph_program_constant constants[],
                        struct ph_program *program, struct ph_program_fault *fault);

/* Completes a program whose last step is u: leaves out steps that are no part of u, and finds its variables. Returns
 * false if r is none of them. */
bool ph_program_complete(struct ph_program *program);

/* The same formula with first and second site exchanged: a with b, and n with -n */
struct ph_program ph_program_exchanged(const struct ph_program *program);

/* True for r and the names of functions, which no constant can have */
bool ph_program_knows(const char *name);

/* The results of all steps for a block */
struct ph_program_block {
    double value[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK], slope[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK],
        curvature[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK];
};

/* A step for n pairs, with r and 1/r. `curved`: with curvatures, which loops of forces do not need. */
PH_INLINE void ph_program_step(enum ph_operation operation, const struct ph_program_step *step, bool curved, size_t n,
                               const double *restrict r, const double *restrict inverse, struct ph_program_block *block,
                               size_t to)
{
    const double *restrict av = block->value[step->a], *restrict as = block->slope[step->a],
                           *restrict ac = block->curvature[step->a], *restrict bv = block->value[step->b],
                           *restrict bs = block->slope[step->b], *restrict bc = block->curvature[step->b];
    double *restrict value = block->value[to], *restrict slope = block->slope[to],
                     *restrict curvature = block->curvature[to];
    const bool of_one = operation != PH_DO_LOAD && operation != PH_DO_INVERSE;
    const bool of_two = operation == PH_DO_ADD || operation == PH_DO_SUBTRACT || operation == PH_DO_MULTIPLY;
    const double c = step->c;
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_jet a = {of_one ? av[k] : 0.0, of_one ? as[k] : 0.0, of_one && curved ? ac[k] : 0.0};
        const struct ph_jet b = {of_two ? bv[k] : 0.0, of_two ? bs[k] : 0.0, of_two && curved ? bc[k] : 0.0};
        const struct ph_jet f = ph_program_do(operation, c, a, b, r[k], inverse[k]);
        value[k] = f.value;
        slope[k] = f.slope;
        if (curved)
            curvature[k] = f.curvature;
    }
}

/* below = a^(n-2) by squares, of rows; `square` is scratch */
PH_INLINE void ph_program_squares(int power, size_t n, const double *restrict a, double *restrict square,
                                  double *restrict below)
{
    for (size_t k = 0; k < n; ++k) {
        square[k] = a[k];
        below[k] = 1.0;
    }
    for (int rest = power - 2; rest > 0; rest >>= 1) {
        const bool odd = rest & 1;
        PH_SIMD
        for (size_t k = 0; k < n; ++k) {
            below[k] = odd ? below[k] * square[k] : below[k];
            square[k] *= square[k];
        }
    }
}

PH_INLINE void ph_program_power(const struct ph_program_step *step, bool curved, size_t n,
                                struct ph_program_block *block, size_t to)
{
    const double *restrict av = block->value[step->a], *restrict as = block->slope[step->a],
                           *restrict ac = block->curvature[step->a];
    double *restrict value = block->value[to], *restrict slope = block->slope[to],
                     *restrict curvature = block->curvature[to];
    const double power = step->power;
    double square[PH_PROGRAM_BLOCK], below[PH_PROGRAM_BLOCK];
    ph_program_squares(step->power, n, av, square, below);
    PH_SIMD
    for (size_t k = 0; k < n; ++k) {
        const struct ph_jet a = {av[k], as[k], curved ? ac[k] : 0.0};
        const struct ph_jet f = ph_program_powers(power, below[k], a);
        value[k] = f.value;
        slope[k] = f.slope;
        if (curved)
            curvature[k] = f.curvature;
    }
}

/* All steps for n <= PH_PROGRAM_BLOCK pairs */
PH_INLINE void ph_program_run(const struct ph_program *program, bool curved, size_t n, const double *restrict r,
                              const double *restrict inverse, struct ph_program_block *block)
{
    for (size_t k = 0; k < program->n; ++k) {
        const struct ph_program_step *step = &program->step[k];
        switch (step->operation) {
#define PH_PROGRAM_CASE(operation, ...)                                                                                \
    case PH_DO_##operation: ph_program_step(PH_DO_##operation, step, curved, n, r, inverse, block, k); break;
            PH_PROGRAM_CASE(LOAD)
            PH_PROGRAM_CASE(ADD)
            PH_PROGRAM_CASE(SUBTRACT)
            PH_PROGRAM_CASE(MULTIPLY)
            PH_PROGRAM_CASE(SHIFT)
            PH_PROGRAM_CASE(SCALE)
            PH_PROGRAM_CASE(INVERT)
            PH_PROGRAM_CASE(INVERSE)
            PH_PROGRAM_CASE(REAL)
            PH_PROGRAM_FUNCTIONS(PH_PROGRAM_CASE)
        case PH_DO_POWER: ph_program_power(step, curved, n, block, k); break;
#undef PH_PROGRAM_CASE
        default: break;
        }
    }
}

#endif
