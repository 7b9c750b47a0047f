/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PROGRAM_ANGLES_H
#define PH_POTENTIAL_PROGRAM_ANGLES_H

/* Programs of many variables (potential/curves/program.h). Forwards the steps find their values; then, backwards from
 * u, each step passes du/d(step) on to the steps that it is made of, down to the variables. So the cost does not depend
 * on how many variables there are. Along a motion all of this has rates: those of values go forwards, those of
 * derivatives backwards. */

#include "potential/angular_scalars.h"
#include "potential/curves/program.h"

/* Of all steps, for a block of pairs: value; derivative by the part that a function is of, and how that changes with
 * the part; du/d(step); and rates */
struct ph_program_trace {
    double value[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK], slope[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK],
        curvature[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK], back[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK],
        rate[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK], back_rate[PH_PROGRAM_STEPS][PH_PROGRAM_BLOCK];
};

/* The variables of n pairs, and their rates, where na and nb axes of the sites have scalars; 1 is z alone */
struct ph_program_input {
    const double *scalar, *rate; /* of scalar m, numbered as in potential/angular_scalars.h, at m step; rate: or NULL */
    const double *inverse;       /* 1/r */
    size_t step, na, nb;
};

/* The number of a variable among the scalars of sites with na and nb axes */
PH_INLINE size_t ph_variable_scalar(size_t variable, size_t na, size_t nb)
{
    if (variable == PH_VARIABLE_R)
        return 0;
    if (variable < PH_VARIABLE_B)
        return ph_scalar_p(na == 1 ? 0 : variable - PH_VARIABLE_A);
    if (variable < PH_VARIABLE_AB)
        return ph_scalar_q(na, nb == 1 ? 0 : variable - PH_VARIABLE_B);
    return ph_scalar_c(na, nb, na == 1 ? 0 : (variable - PH_VARIABLE_AB) / 3,
                       nb == 1 ? 0 : (variable - PH_VARIABLE_AB) % 3);
}

/* ---- Forwards ---- */

PH_INLINE void ph_program_load(const struct ph_program_step *step, size_t n, const double *restrict from,
                               double *restrict to)
{
    const double sign = step->c;
    PH_SIMD
    for (size_t l = 0; l < n; ++l)
        to[l] = sign * from[l];
}

/* A function of one part: its derivatives are those of a jet that is the variable itself. */
PH_INLINE void ph_program_apply(enum ph_operation operation, const struct ph_program_step *step, bool moving, size_t n,
                                const double *restrict inverse, struct ph_program_trace *trace, size_t to)
{
    const double *restrict a = trace->value[step->a], *restrict along = trace->rate[step->a];
    double *restrict value = trace->value[to], *restrict slope = trace->slope[to],
                     *restrict curvature = trace->curvature[to], *restrict rate = trace->rate[to];
    const double c = step->c;
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const struct ph_jet part = ph_jet_r(a[l]), f = ph_program_do(operation, c, part, part, 0.0, inverse[l]);
        value[l] = f.value;
        slope[l] = f.slope;
        if (moving) {
            curvature[l] = f.curvature * along[l];
            rate[l] = f.slope * along[l];
        }
    }
}
PH_INLINE void ph_program_raise(const struct ph_program_step *step, bool moving, size_t n,
                                struct ph_program_trace *trace, size_t to)
{
    const double *restrict a = trace->value[step->a], *restrict along = trace->rate[step->a];
    double *restrict value = trace->value[to], *restrict slope = trace->slope[to],
                     *restrict curvature = trace->curvature[to], *restrict rate = trace->rate[to];
    const double power = step->power;
    double square[PH_PROGRAM_BLOCK], below[PH_PROGRAM_BLOCK];
    ph_program_squares(step->power, n, a, square, below);
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        const struct ph_jet f = ph_program_powers(power, below[l], ph_jet_r(a[l]));
        value[l] = f.value;
        slope[l] = f.slope;
        if (moving) {
            curvature[l] = f.curvature * along[l];
            rate[l] = f.slope * along[l];
        }
    }
}

PH_INLINE void ph_program_join(enum ph_operation operation, const struct ph_program_step *step, bool moving, size_t n,
                               struct ph_program_trace *trace, size_t to)
{
    const double *restrict a = trace->value[step->a], *restrict b = trace->value[step->b];
    const double *restrict a_rate = trace->rate[step->a], *restrict b_rate = trace->rate[step->b];
    double *restrict value = trace->value[to], *restrict rate = trace->rate[to];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        value[l] = operation == PH_DO_ADD ? a[l] + b[l] : operation == PH_DO_SUBTRACT ? a[l] - b[l] : a[l] * b[l];
        if (moving)
            rate[l] = operation == PH_DO_ADD        ? a_rate[l] + b_rate[l]
                      : operation == PH_DO_SUBTRACT ? a_rate[l] - b_rate[l]
                                                    : ph_fma(a_rate[l], b[l], a[l] * b_rate[l]);
    }
}

/* a + c and c a */
PH_INLINE void ph_program_shift(enum ph_operation operation, const struct ph_program_step *step, bool moving, size_t n,
                                struct ph_program_trace *trace, size_t to)
{
    const double *restrict a = trace->value[step->a], *restrict a_rate = trace->rate[step->a], c = step->c;
    double *restrict value = trace->value[to], *restrict rate = trace->rate[to];
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        value[l] = operation == PH_DO_SHIFT ? a[l] + c : c * a[l];
        if (moving)
            rate[l] = operation == PH_DO_SHIFT ? a_rate[l] : c * a_rate[l];
    }
}

PH_INLINE void ph_program_forwards(const struct ph_program *program, const struct ph_program_input *input, bool moving,
                                   size_t n, struct ph_program_trace *trace)
{
    for (size_t k = 0; k < program->n; ++k) {
        const struct ph_program_step *step = &program->step[k];
        switch (step->operation) {
        case PH_DO_LOAD: {
            const size_t at = ph_variable_scalar(step->a, input->na, input->nb) * input->step;
            ph_program_load(step, n, input->scalar + at, trace->value[k]);
            if (moving)
                ph_program_load(step, n, input->rate + at, trace->rate[k]);
            break;
        }
#define PH_PROGRAM_CASE(function, operation)                                                                           \
    case operation: function(operation, step, moving, n, trace, k); break
            PH_PROGRAM_CASE(ph_program_join, PH_DO_ADD);
            PH_PROGRAM_CASE(ph_program_join, PH_DO_SUBTRACT);
            PH_PROGRAM_CASE(ph_program_join, PH_DO_MULTIPLY);
            PH_PROGRAM_CASE(ph_program_shift, PH_DO_SHIFT);
            PH_PROGRAM_CASE(ph_program_shift, PH_DO_SCALE);
#undef PH_PROGRAM_CASE
        case PH_DO_POWER: ph_program_raise(step, moving, n, trace, k); break;
#define PH_PROGRAM_CASE(operation, ...)                                                                                \
    case PH_DO_##operation: ph_program_apply(PH_DO_##operation, step, moving, n, input->inverse, trace, k); break;
            PH_PROGRAM_CASE(INVERSE)
            PH_PROGRAM_CASE(INVERT)
            PH_PROGRAM_CASE(REAL)
            PH_PROGRAM_FUNCTIONS(PH_PROGRAM_CASE)
#undef PH_PROGRAM_CASE
        default: break;
        }
    }
}

/* ---- Backwards ---- */

/* Passes du/d(step k) on to step `to`, of which k has the derivative d in rows */
PH_INLINE void ph_program_pass_row(bool first, bool moving, size_t n, const double *restrict d,
                                   const double *restrict d_rate, size_t k, size_t to, struct ph_program_trace *trace)
{
    const double *restrict w = trace->back[k], *restrict w_rate = trace->back_rate[k];
    double *restrict out = trace->back[to], *restrict out_rate = trace->back_rate[to];
    if (first) {
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            out[l] = ph_back(true, 0.0, w[l], d[l]);
            if (moving)
                out_rate[l] = ph_back_rate(true, 0.0, w[l], w_rate[l], d[l], d_rate[l]);
        }
        return;
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        out[l] = ph_back(false, out[l], w[l], d[l]);
        if (moving)
            out_rate[l] = ph_back_rate(false, out_rate[l], w[l], w_rate[l], d[l], d_rate[l]);
    }
}

/* The same of a constant derivative */
PH_INLINE void ph_program_pass(bool first, bool moving, size_t n, double d, size_t k, size_t to,
                               struct ph_program_trace *trace)
{
    const double *restrict w = trace->back[k], *restrict w_rate = trace->back_rate[k];
    double *restrict out = trace->back[to], *restrict out_rate = trace->back_rate[to];
    if (first) {
        PH_SIMD
        for (size_t l = 0; l < n; ++l) {
            out[l] = ph_back(true, 0.0, w[l], d);
            if (moving)
                out_rate[l] = ph_back(true, 0.0, w_rate[l], d);
        }
        return;
    }
    PH_SIMD
    for (size_t l = 0; l < n; ++l) {
        out[l] = ph_back(false, out[l], w[l], d);
        if (moving)
            out_rate[l] = ph_back(false, out_rate[l], w_rate[l], d);
    }
}

/* Finds du/d(step) of all steps that u depends on, after ph_program_forwards; `seen` says which these are. */
PH_INLINE void ph_program_backwards(const struct ph_program *program, bool moving, size_t n,
                                    struct ph_program_trace *trace, bool seen[PH_PROGRAM_STEPS])
{
    memset(seen, 0, PH_PROGRAM_STEPS * sizeof *seen);
    for (size_t l = 0; l < n; ++l) {
        trace->back[program->n - 1][l] = 1.0;
        if (moving)
            trace->back_rate[program->n - 1][l] = 0.0;
    }
    seen[program->n - 1] = true;
    for (size_t k = program->n; k-- > 0;) {
        const struct ph_program_step *step = &program->step[k];
        const size_t a = step->a, b = step->b;
        if (!seen[k] || step->operation == PH_DO_LOAD)
            continue;
        const bool first = !seen[a];
        seen[a] = true;
        switch (step->operation) {
        case PH_DO_ADD:
        case PH_DO_SUBTRACT:
            ph_program_pass(first, moving, n, 1.0, k, a, trace);
            ph_program_pass(!seen[b], moving, n, step->operation == PH_DO_ADD ? 1.0 : -1.0, k, b, trace);
            seen[b] = true;
            break;
        case PH_DO_MULTIPLY:
            ph_program_pass_row(first, moving, n, trace->value[b], trace->rate[b], k, a, trace);
            ph_program_pass_row(!seen[b], moving, n, trace->value[a], trace->rate[a], k, b, trace);
            seen[b] = true;
            break;
        case PH_DO_SHIFT: ph_program_pass(first, moving, n, 1.0, k, a, trace); break;
        case PH_DO_SCALE: ph_program_pass(first, moving, n, step->c, k, a, trace); break;
        default: ph_program_pass_row(first, moving, n, trace->slope[k], trace->curvature[k], k, a, trace); break;
        }
    }
}

/* u of n <= PH_PROGRAM_BLOCK pairs, its derivatives by the scalars at slope[m input->step], and rates of both unless
 * input->rate is NULL. Derivatives by scalars that are no variables are left as they are. */
PH_INLINE void ph_program_angles(const struct ph_program *program, const struct ph_program_input *input, bool moving,
                                 size_t n, struct ph_program_trace *trace, double *u, double *slope, double *u_rate,
                                 double *slope_rate)
{
    bool seen[PH_PROGRAM_STEPS];
    ph_program_forwards(program, input, moving, n, trace);
    ph_program_backwards(program, moving, n, trace, seen);
    memcpy(u, trace->value[program->n - 1], n * sizeof *u);
    if (moving)
        memcpy(u_rate, trace->rate[program->n - 1], n * sizeof *u);
    for (size_t k = 0; k < program->n; ++k) {
        const struct ph_program_step *step = &program->step[k];
        if (step->operation != PH_DO_LOAD || !seen[k])
            continue;
        const size_t at = ph_variable_scalar(step->a, input->na, input->nb) * input->step;
        ph_program_load(step, n, trace->back[k], slope + at);
        if (moving)
            ph_program_load(step, n, trace->back_rate[k], slope_rate + at);
    }
}

#endif
