/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_DEVICE_FUNCTIONS_H
#define PH_ACCEL_FUNCTIONS_DEVICE_FUNCTIONS_H

/* The work of one thread of a device, for one molecule, slot or cell: the only text of all kernels. nvcc compiles it
 * for the device (machine_cuda.cu), and the compiler of the host for loops (machine_emulated.c). Both give the same
 * bits, for four reasons:
 *   - Additions, products, quotients and roots are rounded as IEEE 754 says.
 *   - Products and sums are fused where the text says ph_fma and nowhere else.
 *   - Every sum has one order. Neither threads nor machines change it.
 *   - Threads share only integers. Counts do not depend on the order of threads. Results that do are sorted. */

/* Flow, pair formulas and conventions are the same as on the processor: rigid/exact_motion.h, potential/pair_force.h.
 * Here are motion and forces; slots and lists are in accel/functions/list_functions.h. */

#define PH_ONE_LANE
#define PH_FUSED
#include "accel/functions/box_functions.h"
#include "accel/functions/view.h"
#include "base/numerics/compensated.h"
#include "base/rotation.h"
#include "potential/pair_force.h"
#include "rigid/block.h"
#include "rigid/exact_motion.h"

/* ---- Integers where threads meet; on the host one thread does all of a loop that counts ---- */

PH_INLINE void count_one(uint32_t *counter)
{
#ifdef __CUDA_ARCH__
    atomicAdd(counter, 1u);
#else
    ++*counter;
#endif
}

/* The count is one less then, which is returned. */
PH_INLINE uint32_t take_one(uint32_t *counter)
{
#ifdef __CUDA_ARCH__
    return atomicSub(counter, 1u) - 1u;
#else
    return --*counter;
#endif
}

PH_INLINE void raise_to(uint32_t value, uint32_t *most)
{
#ifdef __CUDA_ARCH__
    atomicMax(most, value);
#else
#pragma omp critical(ph_raise_to)
    if (value > *most)
        *most = value;
#endif
}

PH_INLINE void signal_moved(const struct ph_accel_view *v)
{
#ifdef __CUDA_ARCH__
    *(volatile int *)&v->signals->moved = 1;
    *(volatile int *)v->outdated = 1;
#else
#pragma omp atomic write
    v->signals->moved = 1;
#pragma omp atomic write
    *v->outdated = 1;
#endif
}

/* ---- Drift and kick ---- */

/* Returns the kind of molecule i; NULL if all are of one species, whose data are in the view itself */
PH_INLINE const struct ph_site_kind *kind_of(const struct ph_accel_view *v, uint32_t i)
{
    return v->sites.n_kinds > 0 ? &v->sites.kind[v->sites.species[i]] : NULL;
}

/* The record of a molecule of this kind, in slot k */
PH_INLINE void place_sites(const struct ph_accel_view *v, const struct ph_site_kind *kind, const double q[4],
                           uint32_t k)
{
    double *record = v->sites.place + (size_t)k * v->sites.record;
    for (uint32_t a = 0; a < kind->n_sites; ++a) {
        ph_quat_rotate(q, kind->arm_body[a], record + kind->position[a]);
        if (kind->has_dipole[a])
            ph_quat_rotate(q, kind->dipole_body[a], record + kind->dipole[a]);
    }
    for (uint32_t m = 0; m < kind->n_axes; ++m)
        ph_quat_rotate(q, kind->axis_body[m], record + kind->axis[m]);
}

/* Fills slot k with molecule i, with its centre at r and its present orientation. */
PH_INLINE void fill_slot(const struct ph_accel_view *v, uint32_t i, const double r[3], uint32_t k)
{
    const double q[4] = {v->q[0][i], v->q[1][i], v->q[2][i], v->q[3][i]};
    const struct ph_site_kind *kind = kind_of(v, i);
    struct ph_slot slot = {{r[0], r[1], r[2]}, {0.0, 0.0, 0.0}};
    if (kind)
        place_sites(v, kind, q, k);
    else if (v->rotates)
        ph_quat_rotate(q, v->dipole, slot.mu);
    v->slot[k] = slot;
}

/* The slot of molecule i as its state has it; has it moved so far that the list is outdated, or is it not finite? */
PH_INLINE void place_body(const struct ph_accel_view *v, uint32_t i)
{
    const double r[3] = {v->r[0][i], v->r[1][i], v->r[2][i]};
    double far2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = r[k] - v->built_at[k][i];
        far2 = ph_fma(d, d, far2);
    }
    fill_slot(v, i, r, v->rank[i]);
    if (!(far2 < v->watch2))
        signal_moved(v);
}

PH_INLINE void add_to(double increment, double *value, double *residual)
{
    if (residual)
        ph_add_compensated(increment, value, residual);
    else
        *value += increment;
}

PH_INLINE double *residual_of(const struct ph_accel_view *v, int k, uint32_t i)
{
    return v->residual[k] ? v->residual[k] + i : NULL;
}

/* `round`: a sphere or a linear rotor, known when this is compiled */
PH_INLINE void rotate_body(bool round, const struct ph_accel_view *v, const struct ph_top *top, double t, uint32_t i)
{
    if (top->linear_axis >= 0)
        v->m[top->linear_axis][i] = 0.0;
    const struct lanes lanes = {
        .m = {v->m[top->axis[0]] + i, v->m[top->axis[1]] + i, v->m[top->axis[2]] + i},
        .q = {v->q[0] + i, v->q[1 + top->axis[0]] + i, v->q[1 + top->axis[1]] + i, v->q[1 + top->axis[2]] + i},
        .norm = NULL,
    };
    struct ph_block block;
    double unit[PH_LANES], norm_square[PH_LANES];
    load(top, t, &lanes, &block, unit, norm_square);
    if (round)
        sphere(top->inverse[0], &block, 0);
    else
        ph_exact_motion(top, &block);
    store_momentum(&block, unit, norm_square, &lanes);
    turn_orientation(&block, top->parity, &lanes);
}

PH_INLINE void kick_body(const struct ph_accel_view *v, double t, uint32_t i)
{
    const struct ph_site_kind *kind = kind_of(v, i);
    const bool rotates = kind ? kind->rotates : v->rotates;
    for (int k = 0; k < 3 && !v->pinned; ++k)
        add_to(t * v->f[k][i], &v->p[k][i], residual_of(v, 3 + k, i));
    if (!rotates)
        return;
    const double back[4] = {v->q[0][i], -v->q[1][i], -v->q[2][i], -v->q[3][i]};
    const double torque[3] = {t * v->t[0][i], t * v->t[1][i], t * v->t[2][i]};
    double body[3];
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        add_to(body[k], &v->m[k][i], residual_of(v, 6 + k, i));
}

/* After the pending kick, free flight, by `flight` = t/mass times the momentum, and free rotation. `round`: the
 * view's, or false */
PH_INLINE void drift_body(bool round, const struct ph_accel_view *v, double t, double flight, uint32_t i)
{
    if (v->pending.kick != 0.0)
        kick_body(v, v->pending.kick, i);
    const struct ph_site_kind *kind = kind_of(v, i);
    const double along = kind ? t / kind->mass : flight;
    for (int k = 0; k < 3 && !v->pinned; ++k)
        add_to(along * v->p[k][i], &v->r[k][i], residual_of(v, k, i));
    if (kind ? kind->rotates : v->rotates)
        rotate_body(round, v, kind ? &kind->top : &v->top, t, i);
    place_body(v, i);
}

/* ---- Forces ---- */

/* Where partner e of the molecule in slot k stands in the list: in rows of all molecules, PH_ROW for each part */
enum { PH_WHOLE_ROW = PH_ROW * PH_PARTS };
PH_INLINE size_t place_in_list(const struct ph_accel_view *v, uint32_t k, uint32_t e)
{
    return (size_t)(e / PH_WHOLE_ROW) * (v->n * PH_WHOLE_ROW) + (size_t)k * PH_WHOLE_ROW + e % PH_WHOLE_ROW;
}

/* Sums over partners: minus the force less `along` times the dipole, along, the field at the molecule, energies and
 * virial (halves are taken later) */
struct sums {
    double f[3], along, e[3], energy[PH_ENERGIES];
};

/* The formulas of one pair that are constants of a kernel */
struct formulas {
    enum ph_kernel_radial radial;
    enum ph_kernel_electric electric;
    enum ph_truncate truncate;
    enum field field;
};

/* The nearest image, of centres that were in the box and have moved by less than a quarter of it since; a difference
 * that is the nearest already does not change a bit. Distances beyond half of the box (by a part of 2^-20) are detected
 * from the high words, without operations on doubles, because pairs have many of these. */
PH_INLINE double nearest(const struct ph_accel_view *v, bool images, int k, double d)
{
    if (!images)
        return d;
    const double half = 0.5 * v->edge[k];
    uint64_t bits, half_bits, edge_bits;
    memcpy(&bits, &d, sizeof bits);
    memcpy(&half_bits, &half, sizeof half_bits);
    memcpy(&edge_bits, &v->edge[k], sizeof edge_bits);
    const uint32_t high = (uint32_t)(bits >> 32);
    const bool far = (high & 0x7fffffffu) > (uint32_t)(half_bits >> 32);
    edge_bits |= (uint64_t)(high & 0x80000000u) << 32;
    edge_bits = far ? edge_bits : 0;
    double shift;
    memcpy(&shift, &edge_bits, sizeof shift);
    return d - shift;
}

/* From one to the other, and its square; `images`: the box is periodic */
struct distance {
    double d[3], r2;
};

PH_INLINE struct distance distance(const struct ph_accel_view *v, bool images, const struct ph_slot *me,
                                   const struct ph_slot *other)
{
    const double x = nearest(v, images, 0, other->r[0] - me->r[0]), y = nearest(v, images, 1, other->r[1] - me->r[1]);
    const double z = nearest(v, images, 2, other->r[2] - me->r[2]);
    return (struct distance){{x, y, z}, ph_fma(x, x, ph_fma(y, y, z * z))};
}

/* False for NaN, so that it shows */
PH_INLINE bool is_outside(struct formulas is, const struct ph_accel_view *v, const struct distance *to)
{
    return is.truncate != PH_ENDLESS && to->r2 >= v->term.cut2;
}

/* Returns true if all coefficients except a reaction field are 0 if 1/r is. False for charges, and for WCA, which ends
 * by itself. */
PH_INLINE bool vanishes(struct formulas is)
{
    return is.truncate == PH_CUT && (is.radial == PH_KERNEL_LENNARD_JONES || is.radial == PH_KERNEL_SOFT_12) &&
           (is.electric == PH_KERNEL_NO_ELECTRIC || is.electric == PH_KERNEL_DIPOLE_DIPOLE) &&
           (is.field == NO_FIELD || is.field == SHARP_FIELD);
}

/* Computes coefficients of a pair within the cutoff; `left_out`, if they vanish: with 0 for 1/r */
PH_SPECIALISED struct coefficients pair_coefficients(struct formulas is, bool left_out, const struct ph_accel_view *v,
                                                     const struct distance *to, const struct ph_slot *me,
                                                     const struct ph_slot *other)
{
    const double *u = me->mu, *w = other->mu, *d = to->d, inv_r = ph_inverse_sqrt(to->r2);
    struct pair p = {.r2 = to->r2, .inv_r = vanishes(is) && left_out ? 0.0 : inv_r};
    if (is.electric == PH_KERNEL_DIPOLE_DIPOLE) {
        p.di = ph_fma(u[0], d[0], ph_fma(u[1], d[1], u[2] * d[2]));
        p.dj = ph_fma(w[0], d[0], ph_fma(w[1], d[1], w[2] * d[2]));
        p.cij = ph_fma(u[0], w[0], ph_fma(u[1], w[1], u[2] * w[2]));
    }
    if (is.truncate == PH_SWITCHED) {
        double slope;
        ph_switch(v->term.switch_kind, (p.r2 * p.inv_r - v->term.switch_on) * v->term.inverse_width, &p.s, &slope);
        p.ds = slope * v->term.inverse_width;
    }
    return coefficients(is.radial, is.electric, is.truncate == PH_CUT ? PH_INSIDE : is.truncate, is.field, &v->term,
                        &p);
}

PH_INLINE void add_coefficients(struct formulas is, bool energy, const struct distance *to,
                                const struct coefficients *c, const struct ph_slot *me, const struct ph_slot *other,
                                struct sums *sums)
{
    const bool dipoles = is.electric == PH_KERNEL_DIPOLE_DIPOLE;
    const double *u = me->mu, *w = other->mu, *d = to->d;
    double push[3];
    for (int k = 0; k < 3; ++k) {
        sums->f[k] = ph_fma(c->along_d, d[k], sums->f[k]);
        push[k] = c->along_d * d[k];
        if (!dipoles)
            continue;
        sums->f[k] = ph_fma(c->along_j, w[k], sums->f[k]);
        sums->e[k] = ph_fma(-c->plain, w[k], ph_fma(c->along_i, d[k], sums->e[k]));
        push[k] = ph_fma(c->along_j, w[k], ph_fma(c->along_i, u[k], push[k]));
    }
    if (dipoles)
        sums->along += c->along_i;
    if (!energy)
        return;
    sums->energy[0] += c->radial;
    sums->energy[1] += c->electric;
    for (int k = 0; k < 9; ++k)
        sums->energy[2 + k] = ph_fma(d[k / 3], push[k % 3], sums->energy[2 + k]);
}

/* A pair of all pairs: most are outside, so that it pays to stop there. */
PH_INLINE void add_pair(struct formulas is, bool energy, bool images, const struct ph_accel_view *v,
                        const struct ph_slot *me, const struct ph_slot *other, struct sums *sums)
{
    const struct distance to = distance(v, images, me, other);
    if (is_outside(is, v, &to))
        return;
    const struct coefficients c = pair_coefficients(is, false, v, &to, me, other);
    add_coefficients(is, energy, &to, &c, me, other, sums);
}

/* A pair of a list: few are outside, or beyond the end of the list (not `listed`). They add 0, since without branches
 * the operations of several pairs overlap. */
PH_INLINE void add_listed_pair(struct formulas is, bool energy, bool images, bool listed, const struct ph_accel_view *v,
                               const struct ph_slot *me, const struct ph_slot *other, struct sums *sums)
{
    const struct distance to = distance(v, images, me, other);
    const bool left_out = !listed || is_outside(is, v, &to);
    const bool all = left_out && !vanishes(is), constant = left_out && is.field != NO_FIELD;
    struct coefficients c = pair_coefficients(is, left_out, v, &to, me, other);
    c.along_d = all ? 0.0 : c.along_d;
    c.along_i = all ? 0.0 : c.along_i;
    c.along_j = all ? 0.0 : c.along_j;
    c.plain = all || constant ? 0.0 : c.plain;
    c.radial = all ? 0.0 : c.radial;
    c.electric = all || constant ? 0.0 : c.electric;
    add_coefficients(is, energy, &to, &c, me, other, sums);
}

PH_INLINE struct sums no_sums(void)
{
    struct sums sums;
    for (int k = 0; k < 3; ++k)
        sums.f[k] = sums.e[k] = 0.0;
    sums.along = 0.0;
    for (int k = 0; k < PH_ENERGIES; ++k)
        sums.energy[k] = 0.0;
    return sums;
}

/* Lists are read once and larger than caches, which are for slots. */
PH_INLINE void load_row(const uint32_t *list, uint32_t row[PH_ROW])
{
    for (uint32_t a = 0; a < PH_ROW; ++a) {
#ifdef __CUDA_ARCH__
        row[a] = __ldcs(list + a * PH_PARTS);
#else
        row[a] = list[a * PH_PARTS];
#endif
    }
}

/* Every PH_PARTS-th of the list from `part` on. The next row is on its way while one is added. */
PH_INLINE void add_listed(struct formulas is, bool energy, bool images, const struct ph_accel_view *v, uint32_t k,
                          uint32_t part, const struct ph_slot *me, struct sums *sums)
{
    const uint32_t partners = v->partners[k];
    const uint32_t *list = v->list + place_in_list(v, k, part);
    const size_t stride = (size_t)v->n * PH_WHOLE_ROW;
    uint32_t next[PH_ROW];
    load_row(list, next);
    for (uint32_t first = part; first < partners; first += PH_WHOLE_ROW) {
        uint32_t row[PH_ROW];
        for (uint32_t a = 0; a < PH_ROW; ++a)
            row[a] = next[a];
        if (first + PH_WHOLE_ROW < partners)
            load_row(list += stride, next);
#pragma GCC unroll 4
        for (uint32_t a = 0; a < PH_ROW; ++a) {
            const bool listed = first + a * PH_PARTS < partners;
            const struct ph_slot other = v->slot[listed ? row[a] : k];
            add_listed_pair(is, energy, images, listed, v, me, &other, sums);
        }
    }
}

/* May images of its partners be within the cutoff? If not, partners that an image is nearer of are outside, and it is,
 * too: both add 0, and bits are the same whether images are looked for or not. True for NaN. */
PH_INLINE bool needs_images(const struct ph_accel_view *v, const struct ph_slot *me)
{
    bool amid = true;
    for (int k = 0; k < 3; ++k)
        amid = amid & (me->r[k] > v->margin) & (me->r[k] < v->edge[k] - v->margin);
    return !amid;
}

/* Returns true if any thread of the warp that is in step votes yes. */
PH_INLINE bool any_in_step(bool yes)
{
#ifdef __CUDA_ARCH__
    return __any_sync(__activemask(), yes);
#else
    return yes;
#endif
}

/* Part `part` of the partners of the molecule in slot k. Energies are rare, and not worth a loop of their own. */
PH_INLINE struct sums listed_part(struct formulas is, bool energy, const struct ph_accel_view *v, uint32_t k,
                                  uint32_t part)
{
    const struct ph_slot me = v->slot[k];
    struct sums sums = no_sums();
    if (energy || is.truncate == PH_ENDLESS || any_in_step(needs_images(v, &me)))
        add_listed(is, energy, true, v, k, part, &me, &sums);
    else
        add_listed(is, energy, false, v, k, part, &me, &sums);
    return sums;
}

/* Returns the first slot of part `part` without lists; it ends at the first slot of the next part */
PH_INLINE uint32_t first_of_part(const struct ph_accel_view *v, uint32_t part)
{
    const uint32_t share = (v->n + PH_PARTS - 1) / PH_PARTS;
    return part * share < v->n ? part * share : v->n;
}

/* sums += more */
PH_INLINE void add_sums(bool energy, const struct sums *more, struct sums *sums)
{
    for (int k = 0; k < 3; ++k) {
        sums->f[k] += more->f[k];
        sums->e[k] += more->e[k];
    }
    sums->along += more->along;
    for (int k = 0; k < PH_ENERGIES && energy; ++k)
        sums->energy[k] += more->energy[k];
}

/* Force and torque of the molecule in slot k; half the energies of its pairs, the other half is its partners' */
PH_INLINE void finish_body(bool energy, const struct ph_accel_view *v, uint32_t k, const struct sums *sums)
{
    const uint32_t i = v->order[k];
    double torque[3], all = 0.0;
    ph_vec3_cross(v->slot[k].mu, sums->e, torque);
    for (int x = 0; x < 3; ++x) {
        const double f = ph_fma(sums->along, v->slot[k].mu[x], sums->f[x]);
        v->f[x][i] = -f;
        v->t[x][i] = torque[x];
        all += f + torque[x] + v->slot[k].r[x]; /* non-finite molecules have no partners */
    }
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        v->energy[(size_t)x * v->n + k] = 0.5 * sums->energy[x];
    if (!(fabs(all) < INFINITY))
        raise_to(UINT32_MAX - i, &v->signals->first_bad);
}

/* One of PH_ENERGY_PARTS sums of one of the energies */
PH_INLINE void sum_body(const struct ph_accel_view *v, uint32_t index)
{
    const uint32_t which = index / PH_ENERGY_PARTS, part = index % PH_ENERGY_PARTS;
    const double *energy = v->energy + (size_t)which * v->n;
    double sum = 0.0;
    for (uint32_t k = part; k < v->n; k += PH_ENERGY_PARTS)
        sum += energy[k];
    v->sums[index] = sum;
}

#endif
