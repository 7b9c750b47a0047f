/* SPDX-License-Identifier: MIT */
/* The loop over a formula of the user's own that depends on axes: one instruction after the other for all pairs. */
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "potential/curves/curve.h"
#include "potential/curves/program_angles.h"

/* Nearer than where the formula begins, u and all derivatives are infinite. */
static void put_wall(double first, size_t count, size_t n, const double *restrict r, struct ph_angular_rows *rows)
{
    for (size_t l = 0; l < n; ++l)
        rows->u[l] = r[l] < first ? (double)INFINITY : rows->u[l];
    for (size_t m = 0; m < count; ++m)
        for (size_t l = 0; l < n; ++l)
            rows->slope[m][l] = r[l] < first ? (double)INFINITY : rows->slope[m][l];
}

/* The machine code of a formula takes rows by the variables of its own first and second site. */
static void run_native(const struct ph_angular_term *term, size_t n, const double *inverse,
                       struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
    const struct ph_program *mine = term->exchanged ? &term->curve->exchanged : &term->curve->program;
    const struct ph_program *its = &term->curve->program;
    const double *in[PH_VARIABLES], *rate[PH_VARIABLES]; /* of variables that are not there nothing is read */
    double *out[PH_VARIABLES], *out_rate[PH_VARIABLES];
    for (size_t k = 0; k < its->n_loads; ++k) {
        const size_t step = its->load[k], variable = its->step[step].a;
        const size_t m = ph_variable_scalar(mine->step[step].a, term->n_i, term->n_j);
        in[variable] = rows->scalar[m];
        out[variable] = rows->slope[m];
        rate[variable] = rates ? rates->scalar[m] : NULL;
        out_rate[variable] = rates ? rates->slope[m] : NULL;
    }
    term->curve->native.angular[rates != NULL](n, in, rate, inverse, term->exchanged ? -1.0 : 1.0, rows->u, out,
                                               rates ? rates->u : NULL, out_rate);
}

static void run_program(const struct ph_angular_term *term, size_t n, const double *inverse,
                        struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
    struct ph_program_trace trace;
    const struct ph_program *program = term->exchanged ? &term->curve->exchanged : &term->curve->program;
    for (size_t from = 0; from < n; from += PH_PROGRAM_BLOCK) {
        const size_t m = n - from < PH_PROGRAM_BLOCK ? n - from : PH_PROGRAM_BLOCK;
        const struct ph_program_input input = {rows->scalar[0] + from,
                                               rates ? rates->scalar[0] + from : NULL,
                                               inverse + from,
                                               PH_ANGULAR_BLOCK,
                                               term->n_i,
                                               term->n_j};
        if (rates)
            ph_program_angles(program, &input, true, m, &trace, rows->u + from, rows->slope[0] + from, rates->u + from,
                              rates->slope[0] + from);
        else
            ph_program_angles(program, &input, false, m, &trace, rows->u + from, rows->slope[0] + from, NULL, NULL);
    }
}

void ph_program_row(const struct ph_angular_term *term, size_t n, const double *inverse, struct ph_angular_rows *rows,
                    struct ph_angular_rows *rates)
{
    const size_t count = ph_scalar_count(term->n_i, term->n_j);
    if (term->curve->program.n_loads < count) { /* scalars that are no variables */
        memset(rows->slope, 0, count * sizeof rows->slope[0]);
        if (rates)
            memset(rates->slope, 0, count * sizeof rates->slope[0]);
    }
    (term->curve->native.angular[rates != NULL] ? run_native : run_program)(term, n, inverse, rows, rates);
    const double first = term->curve->first;
    if (first > 0.0) {
        put_wall(first, count, n, rows->scalar[0], rows);
        if (rates)
            put_wall(first, count, n, rows->scalar[0], rates);
    }
}
