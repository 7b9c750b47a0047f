/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_SITE_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_SITE_FUNCTIONS_H

/* Forces between molecules of several sites, of several species, in boxes of any shape: text of both machines, see
 * accel/functions/device_functions.h, which comes first. Each molecule goes through its partners, and for each partner
 * through the table of pairs of sites, by its own sites. The formulas of a pair are looked up: all threads of a device
 * with molecules of one species take the same branch. */

/* Lists contain centres, and at most one image of each is within reach. Where a box is too small for lists, all
 * molecules are partners of all, and every pair of sites has its own nearest image. No other image interacts, because
 * no cutoff is longer than half a box. A molecule is its own partner then, for long ones reach their own images. */

#include "accel/functions/device_functions.h"
#include "accel/functions/form_slopes.h"
#include "accel/functions/shapes.h"
#include "accel/functions/variants.h"
#include "potential/curves/curve.h"
#include "potential/curves/program_angles.h"

struct site_sums {
    double f[3], t[3], energy[PH_ENERGIES]; /* minus the force; torque; halves of energies are taken later */
};

PH_INLINE struct site_sums no_site_sums(void)
{
    struct site_sums sums;
    for (int k = 0; k < 3; ++k)
        sums.f[k] = sums.t[k] = 0.0;
    for (int k = 0; k < PH_ENERGIES; ++k)
        sums.energy[k] = 0.0;
    return sums;
}

/* sums += more */
PH_INLINE void add_site_sums(bool energy, const struct site_sums *more, struct site_sums *sums)
{
    for (int k = 0; k < 3; ++k) {
        sums->f[k] += more->f[k];
        sums->t[k] += more->t[k];
    }
    for (int k = 0; k < PH_ENERGIES && energy; ++k)
        sums->energy[k] += more->energy[k];
}

/* Effect of a partner on one site of a molecule: minus the force, and the field at its dipole */
struct felt {
    double push[3], field[3];
};

/* There is one copy, which other molecules' kernels do not contain. */
#ifdef __CUDACC__
#define PH_APART static __host__ __device__ __noinline__
#else
#define PH_APART static __attribute__((noinline, unused))
#endif

/* A table or a formula of the user's own */
PH_APART struct ph_radial_value curve_part(const struct ph_formula *formula, double r, double inv_r)
{
    struct ph_radial_value f;
    ph_curve_row(formula, false, 1, &r, &inv_r, &f.u, &f.w, NULL);
    return f;
}

/* Computes the part that has a separate loop on the processor, see `pair.slow`. `rare`: it may be a curve */
PH_INLINE struct ph_radial_value slow_part(struct formulas is, bool rare, const struct ph_pair_term *t,
                                           const struct pair *p)
{
    if (is_slow(is.radial)) {
        const struct ph_formula *formula = &t->formula;
        if (rare && formula->curve)
            return curve_part(formula, p->r2 * p->inv_r, p->inv_r);
        const struct ph_radial_bend f =
            ph_formula_bend(formula->kind, formula->constants, formula->wall, p->r2 * p->inv_r, p->inv_r);
        return (struct ph_radial_value){f.u, f.w};
    }
    if (ph_kernel_screened(is.electric)) {
        const struct ph_screen s = ph_screen(t->screening, p->r2 * p->inv_r, p->inv_r);
        return (struct ph_radial_value){s.b0, s.g};
    }
    if (is.field == SMOOTH_FIELD && is.electric != PH_KERNEL_DIPOLE_DIPOLE) {
        const struct ph_smooth b = ph_smooth(&t->field, p->r2, p->inv_r);
        const bool charges = is.electric == PH_KERNEL_CHARGE_CHARGE;
        return (struct ph_radial_value){charges ? b.b0 : b.b1, charges ? b.b1 : b.b2};
    }
    return (struct ph_radial_value){0.0, 0.0};
}

/* One pair of sites, d apart; u, w: their dipoles, if they have any; apart: the distance of the centres */
PH_SPECIALISED void add_sites(struct formulas is, bool rare, bool energy, const struct ph_pair_term *t,
                              const double d[3], const double apart[3], const double *u, const double *w,
                              struct felt *felt, struct site_sums *sums)
{
    const enum ph_kernel_electric bare = ph_kernel_bare(is.electric);
    const bool dipole_i = bare == PH_KERNEL_DIPOLE_CHARGE || bare == PH_KERNEL_DIPOLE_DIPOLE;
    const bool dipole_j = bare == PH_KERNEL_CHARGE_DIPOLE || bare == PH_KERNEL_DIPOLE_DIPOLE;
    const double r2 = ph_fma(d[0], d[0], ph_fma(d[1], d[1], d[2] * d[2]));
    if (is.truncate != PH_ENDLESS && r2 >= t->cut2) /* false for NaN, so that it shows */
        return;
    struct pair p = {.r2 = r2, .inv_r = ph_inverse_sqrt(r2)};
    if (dipole_i)
        p.di = ph_fma(u[0], d[0], ph_fma(u[1], d[1], u[2] * d[2]));
    if (dipole_j)
        p.dj = ph_fma(w[0], d[0], ph_fma(w[1], d[1], w[2] * d[2]));
    if (dipole_i && dipole_j)
        p.cij = ph_fma(u[0], w[0], ph_fma(u[1], w[1], u[2] * w[2]));
    if (is.truncate == PH_SWITCHED) {
        double slope;
        ph_switch(t->switch_kind, (r2 * p.inv_r - t->switch_on) * t->inverse_width, &p.s, &slope);
        p.ds = slope * t->inverse_width;
    }
    p.slow = slow_part(is, rare, t, &p);
    const struct coefficients c = coefficients(is.radial, is.electric, is.truncate, is.field, t, &p);
    double push[3];
    for (int k = 0; k < 3; ++k) {
        push[k] = c.along_d * d[k];
        if (dipole_i) {
            push[k] = ph_fma(c.along_i, u[k], push[k]);
            felt->field[k] = ph_fma(c.along_i, d[k], felt->field[k]);
        }
        if (dipole_j)
            push[k] = ph_fma(c.along_j, w[k], push[k]);
        if (dipole_i && dipole_j)
            felt->field[k] = ph_fma(-c.plain, w[k], felt->field[k]);
        felt->push[k] += push[k];
    }
    if (!energy)
        return;
    sums->energy[0] += c.radial;
    sums->energy[1] += c.electric;
    for (int k = 0; k < 9; ++k)
        sums->energy[2 + k] = ph_fma(apart[k / 3], push[k % 3], sums->energy[2 + k]);
}

/* The same, with the formulas that a pair names: common ones as constants, others as they come; `common`: there are no
 * others */
#define PH_SITE_BRANCH(name, radial, electric, truncate, field)                                                        \
    case PH_SITES_##name: {                                                                                            \
        const struct formulas is = {PH_KERNEL_##radial, PH_KERNEL_##electric, truncate, field};                        \
        add_sites(is, false, energy, &e->term, d, apart, u, w, felt, sums);                                            \
        break;                                                                                                         \
    }
PH_SPECIALISED void add_entry(bool common, bool rare, bool energy, const struct ph_site_entry *e, const double d[3],
                              const double apart[3], const double *u, const double *w, struct felt *felt,
                              struct site_sums *sums)
{
    switch (e->variant) {
        PH_SITE_VARIANTS(PH_SITE_BRANCH)
    default:
        if (!common) {
            const struct formulas is = {e->radial, e->electric, e->truncate, (enum field)e->field};
            add_sites(is, rare, energy, &e->term, d, apart, u, w, felt, sums);
        }
        break;
    }
}

/* u of a formula of the user's own, and its derivatives by all scalars; infinite where it does not begin yet */
PH_APART double formula_slopes(const struct ph_angular_term *term, const double *scalar, double *slope)
{
    const size_t count = ph_scalar_count(term->n_i, term->n_j);
    const struct ph_program *program = term->exchanged ? &term->curve->exchanged : &term->curve->program;
    const double inverse = 1.0 / scalar[0];
    const struct ph_program_input input = {scalar, NULL, &inverse, 1, term->n_i, term->n_j};
    const bool within = scalar[0] < term->curve->first;
    struct ph_program_trace trace;
    double u;
    for (size_t m = 0; m < count; ++m)
        slope[m] = 0.0;
    ph_program_angles(program, &input, false, 1, &trace, &u, slope, NULL, NULL);
    for (size_t m = 0; m < count && within; ++m)
        slope[m] = (double)INFINITY;
    return within ? (double)INFINITY : u;
}

/* Radial functions B2 to B5 of quadrupoles in an Ewald sum, as in force/pairs/kernels/angular/screened_rows.c; B6 is
 * for rates alone. */
PH_INLINE void screened_functions(const struct ph_pair_term *t, double r, double inv_r, double b[5])
{
    if (!t->split) {
        const struct ph_screened_far far = ph_screened_far(t->screening, r, inv_r);
        b[0] = far.b2;
        b[1] = far.b3;
        b[2] = far.b4;
        b[3] = far.b5;
    } else {
        const double inv_r2 = inv_r * inv_r, y = ph_min(1.0, ph_fma(r * r, t->split->scale, -1.0));
        double bare = 3.0 * (inv_r * inv_r2 * inv_r2);
        for (int k = 0; k < 4; ++k) {
            b[k] = bare - ph_split_smooth(t->split->power[2 + k], y, y * y);
            bare *= (5.0 + 2.0 * k) * inv_r2;
        }
    }
    b[4] = 0.0;
}

/* One pair of sites with an angular form. With d from i to j, n = d/r, and the scalars p = a.n, q = b.n, c = a.b of the
 * axes (force/pairs/kernels/angular/angular_kernel.c): minus the force on i is -du/dd, and torques of i are a x -du/da.
 */
PH_APART void add_angular(bool energy, const struct ph_site_entry *e, const struct ph_angular_entry *form,
                          const double d[3], const double apart[3], const double *mine, const double *its,
                          struct felt *felt, struct site_sums *sums)
{
    const struct ph_angular_term *term = &form->term;
    const size_t na = term->n_i, nb = term->n_j, count = ph_scalar_count(na, nb);
    const double r2 = ph_fma(d[0], d[0], ph_fma(d[1], d[1], d[2] * d[2]));
    if (e->truncate != PH_ENDLESS && r2 >= e->term.cut2) /* false for NaN, so that it shows */
        return;
    const double inv_r = ph_inverse_sqrt(r2), r = r2 * inv_r;
    double s = 1.0, ds = 0.0, scalar[PH_SCALARS_MAX] = {r}, slope[PH_SCALARS_MAX];
    if (e->truncate == PH_SWITCHED) {
        ph_switch(e->term.switch_kind, (r - e->term.switch_on) * e->term.inverse_width, &s, &ds);
        ds *= e->term.inverse_width;
    }
    for (size_t a = 0; a < na; ++a)
        scalar[ph_scalar_p(a)] = ph_vec3_dot(mine + form->axis_i[a], d) * inv_r;
    for (size_t b = 0; b < nb; ++b)
        scalar[ph_scalar_q(na, b)] = ph_vec3_dot(its + form->axis_j[b], d) * inv_r;
    for (size_t a = 0; a < na; ++a)
        for (size_t b = 0; b < nb; ++b)
            scalar[ph_scalar_c(na, nb, a, b)] = ph_vec3_dot(mine + form->axis_i[a], its + form->axis_j[b]);
    double radial[5];
    if (term->screened)
        screened_functions(&e->term, r, inv_r, radial);
    const double free = term->kind == PH_ANGULAR_FORMULA
                            ? formula_slopes(term, scalar, slope)
                            : ph_form_slopes(term, scalar, term->screened ? radial : NULL, slope),
                 u = s * free;
    slope[0] = ph_fma(s, slope[0], ds * free);
    for (size_t m = 1; m < count; ++m)
        slope[m] = s * slope[m];
    double along = slope[0];
    for (size_t m = 1; m < 1 + na + nb; ++m)
        along = ph_fma(-(slope[m] * inv_r), scalar[m], along);
    double push[3];
    for (size_t x = 0; x < 3; ++x) {
        push[x] = -(along * inv_r * d[x]);
        for (size_t a = 0; a < na; ++a)
            push[x] = ph_fma(-(slope[ph_scalar_p(a)] * inv_r), mine[form->axis_i[a] + x], push[x]);
        for (size_t b = 0; b < nb; ++b)
            push[x] = ph_fma(-(slope[ph_scalar_q(na, b)] * inv_r), its[form->axis_j[b] + x], push[x]);
        felt->push[x] += push[x];
    }
    for (size_t a = 0; a < na; ++a) {
        double field[3];
        for (size_t x = 0; x < 3; ++x) {
            field[x] = -(slope[ph_scalar_p(a)] * inv_r * d[x]);
            for (size_t b = 0; b < nb; ++b)
                field[x] = ph_fma(-slope[ph_scalar_c(na, nb, a, b)], its[form->axis_j[b] + x], field[x]);
        }
        ph_vec3_add_cross(mine + form->axis_i[a], field, sums->t);
    }
    if (!energy)
        return;
    sums->energy[term->electric ? 1 : 0] += u;
    for (int k = 0; k < 9; ++k)
        sums->energy[2 + k] = ph_fma(apart[k / 3], push[k % 3], sums->energy[2 + k]);
}

/* The partner in slot l of the molecule in slot k */
PH_INLINE void add_partner(bool common, bool rare, bool energy, const struct ph_accel_view *v, uint32_t k, uint32_t l,
                           struct site_sums *sums)
{
    const bool each = v->periodic && !v->listed; /* pair of sites for itself */
    const struct ph_site_view *sites = &v->sites;
    const double *mine = sites->place + (size_t)k * sites->record, *its = sites->place + (size_t)l * sites->record;
    const uint32_t both = sites->species_at[k] * sites->n_kinds + sites->species_at[l];
    const struct ph_site_entry *end = sites->entry + sites->start[both + 1];
    double centres[3], shift[3];
    for (int x = 0; x < 3; ++x)
        centres[x] = v->slot[l].r[x] - v->slot[k].r[x];
    if (v->listed && find_shift(v, centres, shift))
        for (int x = 0; x < 3; ++x)
            centres[x] += shift[x];
    struct felt felt = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (const struct ph_site_entry *e = sites->entry + sites->start[both]; e < end; ++e) {
        const double *arm = mine + e->position_i, *its_arm = its + e->position_j, *mu = mine + e->dipole_i;
        double d[3], apart[3];
        for (int x = 0; x < 3; ++x) {
            d[x] = (centres[x] - arm[x]) + its_arm[x];
            apart[x] = centres[x];
        }
        const bool image = each && find_shift(v, d, shift);
        for (int x = 0; x < 3 && image; ++x) {
            d[x] += shift[x];
            apart[x] += shift[x];
        }
        if (rare && e->angular > 0 && (image || k != l))
            add_angular(energy, e, &sites->angular[e->angular - 1], d, apart, mine, its, &felt, sums);
        else if (image || k != l)
            add_entry(common, rare, energy, e, d, apart, mu, its + e->dipole_j, &felt, sums);
        if (!e->last)
            continue;
        for (int x = 0; x < 3; ++x)
            sums->f[x] += felt.push[x];
        ph_vec3_add_cross(felt.push, arm, sums->t);
        if (e->dipole_i != e->position_i)
            ph_vec3_add_cross(mu, felt.field, sums->t);
        felt = (struct felt){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    }
}

/* Part `part` of the partners of the molecule in slot k */
PH_INLINE struct site_sums site_part(bool common, bool rare, bool energy, const struct ph_accel_view *v, uint32_t k,
                                     uint32_t part)
{
    struct site_sums sums = no_site_sums();
    if (v->listed) {
        const uint32_t partners = v->partners[k];
        for (uint32_t e = part; e < partners; e += PH_PARTS)
            add_partner(common, rare, energy, v, k, v->list[place_in_list(v, k, e)], &sums);
    } else {
        for (uint32_t l = first_of_part(v, part); l < first_of_part(v, part + 1); ++l)
            add_partner(common, rare, energy, v, k, l, &sums);
    }
    return sums;
}

/* ---- Molecules with kernels of their own ----
 *
 * PH_LANES_TOGETHER threads have a molecule. They take as many partners at a time and look which pairs of sites are
 * within the cutoff: less than half. These wait, each kind for itself, until there is one for every thread. So all
 * threads compute forces at once, by the same formulas. Those that came last go first. Thread s adds up the pairs that
 * it gets. */

enum { PH_LANES_TOGETHER = 32 };

/* So many pairs of a kind wait at most: kinds go after their last pair of sites */
PH_CONSTANT PH_INLINE uint32_t waiting_room(uint32_t pairs)
{
    return PH_LANES_TOGETHER - 1 + PH_LANES_TOGETHER * pairs;
}

/* Both in a word: the pair of sites, and the slot of the partner (see PH_MOLECULES_MOST) */
PH_INLINE uint32_t word_of_pair(uint32_t pair, uint32_t l) { return l << 4 | pair; }

/* From the molecule in slot k to the sites of the partner in slot l */
PH_INLINE void find_sites(uint32_t sites, bool images, const struct ph_accel_view *v, uint32_t k, uint32_t l,
                          double to[3 * PH_SHAPE_SITES])
{
    const double *record = v->sites.place + (size_t)l * v->sites.record;
    double centres[3], shift[3];
    for (int x = 0; x < 3; ++x)
        centres[x] = v->slot[l].r[x] - v->slot[k].r[x];
    if (images && find_shift(v, centres, shift))
        for (int x = 0; x < 3; ++x)
            centres[x] += shift[x];
    for (uint32_t b = 0; b < sites; ++b)
        for (uint32_t x = 0; x < 3; ++x)
            to[3 * b + x] = centres[x] + record[3 * b + x];
}

/* True for NaN, so that it shows */
PH_INLINE bool is_near(double cut2, const double d[3])
{
    return !(ph_fma(d[0], d[0], ph_fma(d[1], d[1], d[2] * d[2])) >= cut2);
}

/* A pair that has waited, of the molecule in slot k */
PH_INLINE void add_waiting(bool energy, const struct ph_accel_view *v, const struct ph_site_entry *entry, uint32_t k,
                           const double d[3], uint32_t word, struct site_sums *sums)
{
    const double *arm = v->sites.place + (size_t)k * v->sites.record + (size_t)3 * ph_pair_first(word & 15u);
    struct felt felt = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double apart[3] = {0.0, 0.0, 0.0};
    if (energy) {
        const double *its =
            v->sites.place + (size_t)(word >> 4) * v->sites.record + (size_t)3 * ph_pair_second(word & 15u);
        for (int x = 0; x < 3; ++x)
            apart[x] = (d[x] + arm[x]) - its[x];
    }
    add_entry(true, false, energy, entry, d, apart, arm, arm, &felt, sums);
    for (int x = 0; x < 3; ++x)
        sums->f[x] += felt.push[x];
    ph_vec3_add_cross(felt.push, arm, sums->t);
}

/* Must images be looked for? See needs_images. */
PH_INLINE bool meets_images(const struct ph_accel_view *v, uint32_t k)
{
    return v->tilted || needs_images(v, &v->slot[k]);
}

PH_INLINE void finish_sites(bool energy, const struct ph_accel_view *v, uint32_t k, const struct site_sums *sums)
{
    const uint32_t i = v->order[k];
    double all = 0.0;
    for (int x = 0; x < 3; ++x) {
        v->f[x][i] = -sums->f[x];
        v->t[x][i] = sums->t[x];
        all += sums->f[x] + sums->t[x] + v->slot[k].r[x]; /* non-finite molecules have no partners */
    }
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        v->energy[(size_t)x * v->n + k] = 0.5 * sums->energy[x];
    if (!(fabs(all) < INFINITY))
        raise_to(UINT32_MAX - i, &v->signals->first_bad);
}

#endif
