/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PROGRAM_ARITHMETIC_H
#define PH_POTENTIAL_PROGRAM_ARITHMETIC_H

/* The arithmetic of programs (potential/curves/program.h) for one pair. Loops over blocks of pairs use it, and so does
 * the C text of a program that is compiled at start (potential/curves/native.h), which begins with this file. So both
 * have the same bits. */

#include "potential/jet.h"

/* The functions of formulas, F(operation, name) */
#define PH_PROGRAM_FUNCTIONS(F) F(EXP, "exp") F(LOG, "log") F(SQRT, "sqrt") F(SIN, "sin") F(COS, "cos") F(TANH, "tanh")

/* Operations on variables and numbers, and on two parts; then those on one part */
enum ph_operation {
    PH_DO_LOAD,     /* variable a, times c, which is 1 or -1 */
    PH_DO_ADD,      /* a + b */
    PH_DO_SUBTRACT, /* a - b */
    PH_DO_MULTIPLY, /* a b */
    PH_DO_SHIFT,    /* a + c */
    PH_DO_SCALE,    /* c a */
    PH_DO_INVERT,   /* 1/a */
    PH_DO_INVERSE,  /* 1/a, a being r, which loops over pairs have at hand */
    PH_DO_POWER,    /* a^n, n > 2 */
    PH_DO_REAL,     /* a^c for a > 0; 0 for a = 0 and c > 1 */
#define PH_PROGRAM_DO(operation, name) PH_DO_##operation,
    PH_PROGRAM_FUNCTIONS(PH_PROGRAM_DO)
#undef PH_PROGRAM_DO
        PH_OPERATIONS
};

/* f of a jet a, f and its derivatives being f, f1, f2 at the value of a */
PH_INLINE struct ph_jet ph_jet_chain(struct ph_jet a, double f, double f1, double f2)
{
    return (struct ph_jet){f, f1 * a.slope, ph_fma(f1, a.curvature, f2 * (a.slope * a.slope))};
}

/* One step for one pair, but for powers; `operation` is a constant in loops. inverse: 1/r */
PH_INLINE struct ph_jet ph_program_do(enum ph_operation operation, double c, struct ph_jet a, struct ph_jet b, double r,
                                      double inverse)
{
    double sine, cosine;
    switch (operation) {
    case PH_DO_LOAD: return ph_jet_r(r);
    case PH_DO_ADD: return ph_jet_add(a, b);
    case PH_DO_SUBTRACT: return (struct ph_jet){a.value - b.value, a.slope - b.slope, a.curvature - b.curvature};
    case PH_DO_MULTIPLY: return ph_jet_product(a, b);
    case PH_DO_SHIFT: return ph_jet_plus(a, c);
    case PH_DO_SCALE: return ph_jet_times(c, a);
    case PH_DO_INVERT: {
        const double i = 1.0 / a.value;
        return ph_jet_chain(a, i, -(i * i), 2.0 * (i * i) * i);
    }
    case PH_DO_INVERSE: return ph_jet_inverse(inverse);
    case PH_DO_REAL: {
        const bool is_zero = a.value == 0.0 && c > 1.0; /* 0, with a slope of 0 */
        const double i = is_zero ? 0.0 : 1.0 / a.value;
        const double zero = is_zero ? 0.0 : (double)NAN, value = a.value > 0.0 ? ph_exp(c * ph_log(a.value)) : zero;
        return ph_jet_chain(a, value, c * value * i, c * (c - 1.0) * value * (i * i));
    }
    case PH_DO_EXP: return ph_jet_exp(a);
    case PH_DO_LOG: {
        const double value = a.value > 0.0 ? ph_log(a.value) : (double)NAN, i = 1.0 / a.value;
        return ph_jet_chain(a, value, i, -(i * i));
    }
    case PH_DO_SQRT: {
        const double root = sqrt(a.value), i = 1.0 / root;
        return ph_jet_chain(a, root, 0.5 * i, -0.25 * (i * i) * i);
    }
    case PH_DO_SIN: ph_sincos(a.value, &sine, &cosine); return ph_jet_chain(a, sine, cosine, -sine);
    case PH_DO_COS: ph_sincos(a.value, &sine, &cosine); return ph_jet_chain(a, cosine, -sine, -cosine);
    case PH_DO_TANH: {
        const double q = 2.0 / (ph_exp(2.0 * a.value) + 1.0), f = 1.0 - q, f1 = q * (2.0 - q);
        return ph_jet_chain(a, f, f1, -2.0 * f * f1);
    }
    default: return a;
    }
}

/* a^n from a^(n-2) */
PH_INLINE struct ph_jet ph_program_powers(double power, double below, struct ph_jet a)
{
    const double once = below * a.value;
    return ph_jet_chain(a, once * a.value, power * once, power * (power - 1.0) * below);
}

/* out = w d, added to what is there unless this is the first contribution */
PH_INLINE double ph_back(bool first, double out, double w, double d) { return first ? w * d : ph_fma(w, d, out); }
PH_INLINE double ph_back_rate(bool first, double out, double w, double w_rate, double d, double d_rate)
{
    const double sum = ph_fma(w_rate, d, w * d_rate);
    return first ? sum : out + sum;
}

#endif
