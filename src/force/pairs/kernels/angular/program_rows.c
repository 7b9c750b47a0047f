/* SPDX-License-Identifier: MIT */
/* The loop over a formula of the user's own that depends on axes: one instruction after the other for all pairs. */
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "potential/program_angles.h"

_Static_assert((int)PH_ANGULAR_BLOCK <= (int)PH_PROGRAM_BLOCK, "a block of pairs is one block of the program");

/* Nearer than where the formula begins, u and all derivatives are infinite. */
static void put_wall(double first, size_t count, size_t n, const double *restrict r, struct ph_angular_rows *rows)
{
    for (size_t l = 0; l < n; ++l)
        rows->u[l] = r[l] < first ? (double)INFINITY : rows->u[l];
    for (size_t m = 0; m < count; ++m)
        for (size_t l = 0; l < n; ++l)
            rows->slope[m][l] = r[l] < first ? (double)INFINITY : rows->slope[m][l];
}

void ph_program_row(const struct ph_angular_term *term, size_t n, struct ph_angular_rows *rows,
                    struct ph_angular_rows *rates)
{
    struct ph_program_trace trace;
    const size_t count = ph_scalar_count(term->n_i, term->n_j);
    const struct ph_program_input input = {rows->scalar[0], rates ? rates->scalar[0] : NULL, PH_ANGULAR_BLOCK,
                                           term->n_i, term->n_j};
    memset(rows->slope, 0, count * sizeof rows->slope[0]);
    if (rates) {
        memset(rates->slope, 0, count * sizeof rates->slope[0]);
        ph_program_angles(term->program, &input, true, n, &trace, rows->u, rows->slope[0], rates->u, rates->slope[0]);
    } else
        ph_program_angles(term->program, &input, false, n, &trace, rows->u, rows->slope[0], NULL, NULL);
    const double first = term->k[PH_FMC_FIRST];
    if (first > 0.0) {
        put_wall(first, count, n, rows->scalar[0], rows);
        if (rates)
            put_wall(first, count, n, rows->scalar[0], rates);
    }
}
