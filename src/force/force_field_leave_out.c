/* SPDX-License-Identifier: MIT */
/* For measurements: evaluations that leave out kernels or other work. */
#include "base/lanes.h"
#include "force/force_field_inside.h"
#include "force/leave_out.h"
#include "force/pairs/pairs.h"

static void do_nothing(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i)
{
    (void)term, (void)n, (void)j, (void)i;
}

static void do_nothing_in_a_group(const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                                  struct ph_kernel_i i[])
{
    (void)term, (void)n, (void)j, (void)i;
}

/* Replaces kernels that set their rows: sets zero in a loop, because calls of memset would take longer. */
static void set_nothing(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i)
{
    (void)term, (void)i;
    for (int x = 0; x < 3; ++x) {
        double *force = j->force[x], *field = j->field[x]; /* the same without a dipole */
        const double *restrict r = j->r[x];
        PH_SIMD
        for (size_t k = 0; k < n; ++k)
            force[k] = field[k] = 0.0 * r[k];
    }
}

/* Replaces each kernel by an empty one. */
static void leave_out_kernels(const struct ph_site_pairs *pairs)
{
    for (size_t p = 0; p < pairs->n; ++p)
        for (int rows = 0; rows < PH_ROWS_KINDS; ++rows)
            for (int energy = 0; energy < 2; ++energy) {
                ph_kernel **kernel = &pairs->pair[p].kernel[rows][energy],
                          **inside = &pairs->pair[p].inside[rows][energy];
                const bool adds = rows == PH_ROWS_ADD || rows == PH_ROWS_RELATIVE_ADD || rows == PH_ROWS_MIXED_ADD;
                ph_kernel *nothing = adds ? do_nothing : set_nothing;
                *kernel = *kernel ? nothing : NULL;
                *inside = *inside ? nothing : NULL;
            }
    for (size_t g = 0; g < pairs->n_groups; ++g)
        for (int k = 0; k < 4; ++k) {
            ph_group_kernel **kernel = &pairs->group[g].kernel[k / 2][k % 2];
            *kernel = *kernel ? do_nothing_in_a_group : NULL;
        }
}

void ph_force_field_leave_out(struct ph_force_field *field, enum ph_leave_out what)
{
    const struct ph_pair_table *table = &field->sites.table;
    for (size_t k = 0; k < table->n_species * table->n_species && what == PH_LEAVE_OUT_KERNELS; ++k)
        leave_out_kernels(&table->of[k]);
    for (size_t t = 0; t < field->n_terms && what == PH_LEAVE_OUT_NEIGHBOURS; ++t)
        if (field->term[t].kind == &ph_term_pairs)
            ph_pairs_leave_out_neighbours(field->term[t].term);
}
