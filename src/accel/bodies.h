/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_BODIES_H
#define PH_ACCEL_BODIES_H

/* What one thread of a device does, for one molecule, slot or cell: the only text of all kernels. nvcc compiles it for
 * the device (machine_cuda.cu), the compiler of the host for loops (machine_emulated.c), and both give the same bits:
 * additions, products, quotients and roots are rounded as IEEE 754 says, products and sums are fused where the text
 * says ph_fma and nowhere else, and every sum has one order, which neither threads nor machines change. Where threads
 * meet, they meet in integers: counts do not depend on who comes first, and what does is sorted.
 *
 * Flow, pair formulas and conventions are those of the processor: rigid/exact_motion.h, potential/pair_force.h. */

#define PH_ONE_LANE
#define PH_FUSED
#include "accel/box_bodies.h"
#include "accel/view.h"
#include "base/compensated.h"
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

/* Some tasks are done by PH_WARP threads together: one warp of a device, one thread of the host. `together` tells each
 * how many before it say yes, and how many of all. */
#ifdef __CUDA_ARCH__
enum { PH_WARP = 32 };
#else
enum { PH_WARP = 1 };
#endif

PH_INLINE uint32_t together(bool yes, uint32_t lane, uint32_t *all)
{
#ifdef __CUDA_ARCH__
    const uint32_t votes = __ballot_sync(~0u, yes);
    *all = (uint32_t)__popc(votes);
    return (uint32_t)__popc(votes & ((1u << lane) - 1u));
#else
    (void)lane;
    *all = yes ? 1 : 0;
    return 0;
#endif
}

/* ---- Drift and kick ---- */

/* What molecule i is; NULL where all are of one species, whose data are in the view itself */
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
}

/* The slot of molecule i as its state has it; has it moved so far that the list is outdated, or is it not finite? */
PH_INLINE void place_body(const struct ph_accel_view *v, uint32_t i)
{
    struct ph_slot *slot = &v->slot[v->rank[i]];
    const double q[4] = {v->q[0][i], v->q[1][i], v->q[2][i], v->q[3][i]};
    const struct ph_site_kind *kind = kind_of(v, i);
    double far2 = 0.0, mu[3] = {0.0, 0.0, 0.0};
    if (kind)
        place_sites(v, kind, q, v->rank[i]);
    else if (v->rotates)
        ph_quat_rotate(q, v->dipole, mu);
    for (int k = 0; k < 3; ++k) {
        const double r = v->r[k][i], d = r - v->built_at[k][i];
        far2 = ph_fma(d, d, far2);
        slot->r[k] = r;
        slot->mu[k] = mu[k];
    }
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

PH_INLINE void rotate_body(const struct ph_accel_view *v, const struct ph_top *top, double t, uint32_t i)
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
    ph_exact_motion(top, &block);
    store_momentum(&block, unit, norm_square, &lanes);
    turn_attitude(&block, top->parity, &lanes);
}

/* Free flight, by `flight` = t/mass times the momentum, and free rotation */
PH_INLINE void drift_body(const struct ph_accel_view *v, double t, double flight, uint32_t i)
{
    const struct ph_site_kind *kind = kind_of(v, i);
    const double along = kind ? t / kind->mass : flight;
    for (int k = 0; k < 3 && !v->pinned; ++k)
        add_to(along * v->p[k][i], &v->r[k][i], residual_of(v, k, i));
    if (kind ? kind->rotates : v->rotates)
        rotate_body(v, kind ? &kind->top : &v->top, t, i);
    place_body(v, i);
}

PH_INLINE void kick_body(const struct ph_accel_view *v, double t, uint32_t i)
{
    const struct ph_site_kind *kind = kind_of(v, i);
    for (int k = 0; k < 3 && !v->pinned; ++k)
        add_to(t * v->f[k][i], &v->p[k][i], residual_of(v, 3 + k, i));
    if (!(kind ? kind->rotates : v->rotates))
        return;
    const double back[4] = {v->q[0][i], -v->q[1][i], -v->q[2][i], -v->q[3][i]};
    const double torque[3] = {t * v->t[0][i], t * v->t[1][i], t * v->t[2][i]};
    double body[3];
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        add_to(body[k], &v->m[k][i], residual_of(v, 6 + k, i));
}

/* ---- Slots and lists ---- */

/* Into the box, as model/box.c does it. Who is nowhere, or too far away to count boxes, stays and is told. */
PH_INLINE void wrap_body(const struct ph_accel_view *v, uint32_t i)
{
    double r[3] = {v->r[0][i], v->r[1][i], v->r[2][i]};
    int count[3];
    if (!wrap_into_box(v, r, count) && v->periodic)
        raise_to(UINT32_MAX - i, &v->signals->not_broken);
    for (int k = 0; k < 3; ++k) {
        v->r[k][i] = v->built_at[k][i] = r[k];
        v->image[k][i] += count[k];
    }
}

PH_INLINE uint32_t cell_along(const struct ph_accel_view *v, int k, const double r[3])
{
    const double place = fraction(v, k, r) * (double)v->cells[k];
    const uint32_t last = v->cells[k] - 1;
    return place >= 0.0 && place < (double)last ? (uint32_t)place : place >= (double)last ? last : 0;
}

/* Cells are filled in any order, and sorted then. */
PH_INLINE void count_body(const struct ph_accel_view *v, uint32_t i)
{
    const double r[3] = {v->built_at[0][i], v->built_at[1][i], v->built_at[2][i]};
    const uint32_t x = cell_along(v, 0, r), y = cell_along(v, 1, r), z = cell_along(v, 2, r);
    const uint32_t c = (z * v->cells[1] + y) * v->cells[0] + x;
    v->cell[i] = c;
    count_one(&v->filled[c]);
}

/* After the scan; leaves `filled` at 0, for the next list */
PH_INLINE void fill_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t c = v->cell[i];
    v->order[v->start[c] + take_one(&v->filled[c])] = i;
}

/* Molecules of a cell by their numbers: as many of them are before i as have lower ones. */
PH_INLINE void sort_body(const struct ph_accel_view *v, uint32_t i)
{
    const uint32_t begin = v->start[v->cell[i]], end = v->start[v->cell[i] + 1];
    uint32_t rank = begin;
    for (uint32_t a = begin; a < end; ++a)
        rank += v->order[a] < i;
    v->rank[i] = rank;
}

/* The slot of molecule i, where it was when the list was made */
PH_INLINE void arrange_body(const struct ph_accel_view *v, uint32_t i)
{
    if (!v->listed)
        v->rank[i] = i;
    if (i == 0)
        *v->outdated = 0;
    const uint32_t k = v->rank[i];
    v->order[k] = i;
    if (v->sites.n_kinds > 0)
        v->sites.species_at[k] = v->sites.species[i];
    for (int x = 0; x < 3; ++x)
        v->slot[k].r[x] = v->built_at[x][i];
}

/* Where cell c is along an edge of `cells`, seen from a neighbour: brought into the box, and from which one it was */
PH_INLINE uint32_t come_around(int c, uint32_t cells, double *box)
{
    *box = c < 0 ? -1.0 : c >= (int)cells ? 1.0 : 0.0;
    return c < 0 ? cells - 1 : c >= (int)cells ? 0 : (uint32_t)c;
}

/* Partners of the molecule in slot k among slots begin .. end-1, as seen from m, where it or an image of it is; by
 * thread `lane` of those that do this together. Returns how many are found now. */
PH_INLINE uint32_t find_partners(const struct ph_accel_view *v, uint32_t k, uint32_t lane, const double m[3],
                                 uint32_t begin, uint32_t end, uint32_t found)
{
    for (uint32_t first = begin; first < end; first += PH_WARP) {
        const uint32_t l = first + lane, other = l < end ? l : k;
        const double a = v->slot[other].r[0] - m[0], b = v->slot[other].r[1] - m[1], d = v->slot[other].r[2] - m[2];
        const bool near = other != k && ph_fma(a, a, ph_fma(b, b, d * d)) < v->reach2;
        uint32_t more;
        const uint32_t e = found + together(near, lane, &more);
        if (near && e < v->room)
            v->list[((size_t)(e / PH_PARTS) * v->n + k) * PH_PARTS + e % PH_PARTS] = l;
        found += more;
    }
    return found;
}

/* Cells along x follow each other, so that three are one run of slots where the box does not end between them. */
PH_INLINE void partners_body(const struct ph_accel_view *v, uint32_t k, uint32_t lane)
{
    const double *me = v->slot[k].r;
    const uint32_t c = v->cell[v->order[k]], nx = v->cells[0], ny = v->cells[1], nz = v->cells[2];
    const int cx = (int)(c % nx), cy = (int)(c / nx % ny), cz = (int)(c / nx / ny);
    const int run = cx > 0 && cx < (int)nx - 1 ? 3 : 1;
    uint32_t found = 0;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; dx += run) {
                double box[3], shift[3];
                const uint32_t x = come_around(cx + dx, nx, &box[0]), y = come_around(cy + dy, ny, &box[1]);
                const uint32_t z = come_around(cz + dz, nz, &box[2]), other = (z * ny + y) * nx + x;
                edges_together(v, box, shift);
                const double m[3] = {me[0] - shift[0], me[1] - shift[1], me[2] - shift[2]};
                found = find_partners(v, k, lane, m, v->start[other], v->start[other + (uint32_t)run], found);
            }
    if (lane > 0)
        return;
    v->partners[k] = found;
    if (found > v->room)
        raise_to(found, &v->signals->most);
}

/* ---- Forces ---- */

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

/* With lists: may partners of this molecule be images in another box? */
PH_INLINE bool is_near_face(const struct ph_accel_view *v, const struct ph_slot *me)
{
    bool near = false;
    for (int k = 0; k < 3; ++k)
        near = near || !(me->r[k] > v->margin && me->r[k] < v->edge[k] - v->margin);
    return near;
}

/* The nearest image; a difference that is the nearest already does not change a bit. */
PH_INLINE double nearest(const struct ph_accel_view *v, bool images, int k, double d)
{
    return images ? ph_fma(-v->edge[k], ph_round(d * v->inverse[k]), d) : d;
}

/* `images`: as is_near_face says */
PH_INLINE void add_pair(struct formulas is, bool energy, bool images, const struct ph_accel_view *v,
                        const struct ph_slot *me, const struct ph_slot *other, struct sums *sums)
{
    const bool ends = is.truncate != PH_ENDLESS, dipoles = is.electric == PH_KERNEL_DIPOLE_DIPOLE;
    const double x = nearest(v, images, 0, other->r[0] - me->r[0]), y = nearest(v, images, 1, other->r[1] - me->r[1]);
    const double z = nearest(v, images, 2, other->r[2] - me->r[2]), r2 = ph_fma(x, x, ph_fma(y, y, z * z));
    if (ends && r2 >= v->term.cut2) /* false for NaN, so that it shows */
        return;
    const double *u = me->mu, *w = other->mu;
    struct pair p = {.r2 = r2, .inv_r = ph_inverse_sqrt(r2)};
    if (dipoles) {
        p.di = ph_fma(u[0], x, ph_fma(u[1], y, u[2] * z));
        p.dj = ph_fma(w[0], x, ph_fma(w[1], y, w[2] * z));
        p.cij = ph_fma(u[0], w[0], ph_fma(u[1], w[1], u[2] * w[2]));
    }
    if (is.truncate == PH_SWITCHED) {
        double slope;
        ph_switch(v->term.switch_kind, (r2 * p.inv_r - v->term.switch_on) * v->term.inverse_width, &p.s, &slope);
        p.ds = slope * v->term.inverse_width;
    }
    const struct coefficients c = coefficients(is.radial, is.electric, is.truncate, is.field, &v->term, &p);
    const double d[3] = {x, y, z};
    double push[3];
    for (int k = 0; k < 3; ++k) {
        sums->f[k] = ph_fma(c.along_d, d[k], sums->f[k]);
        push[k] = c.along_d * d[k];
        if (!dipoles)
            continue;
        sums->f[k] = ph_fma(c.along_j, w[k], sums->f[k]);
        sums->e[k] = ph_fma(-c.plain, w[k], ph_fma(c.along_i, d[k], sums->e[k]));
        push[k] = ph_fma(c.along_j, w[k], ph_fma(c.along_i, u[k], push[k]));
    }
    if (dipoles)
        sums->along += c.along_i;
    if (!energy)
        return;
    sums->energy[0] += c.radial;
    sums->energy[1] += c.electric;
    for (int k = 0; k < 9; ++k)
        sums->energy[2 + k] = ph_fma(d[k / 3], push[k % 3], sums->energy[2 + k]);
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

/* Every PH_PARTS-th of the list from `part` on. The next partner is on its way while one is added. */
PH_INLINE void add_listed(struct formulas is, bool energy, bool images, const struct ph_accel_view *v, uint32_t k,
                          uint32_t part, const struct ph_slot *me, struct sums *sums)
{
    const uint32_t partners = v->partners[k];
    const uint32_t *list = v->list + (size_t)k * PH_PARTS + part;
    const size_t stride = (size_t)v->n * PH_PARTS;
    struct ph_slot next = v->slot[part < partners ? *list : k];
    for (uint32_t e = part; e < partners; e += PH_PARTS) {
        const struct ph_slot other = next;
        next = v->slot[e + PH_PARTS < partners ? list[(size_t)(e / PH_PARTS + 1) * stride] : k];
        add_pair(is, energy, images, v, me, &other, sums);
    }
}

/* Part `part` of the partners of the molecule in slot k */
PH_INLINE struct sums listed_part(struct formulas is, bool energy, const struct ph_accel_view *v, uint32_t k,
                                  uint32_t part)
{
    const struct ph_slot me = v->slot[k];
    struct sums sums = no_sums();
    if (is_near_face(v, &me))
        add_listed(is, energy, true, v, k, part, &me, &sums);
    else
        add_listed(is, energy, false, v, k, part, &me, &sums);
    return sums;
}

/* Without lists part `part` are the slots from this one on, up to that of the next part */
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
        all += f + torque[x] + v->slot[k].r[x]; /* who is nowhere has no partners */
    }
    for (int x = 0; x < PH_ENERGIES && energy; ++x)
        v->energy[(size_t)x * v->n + k] = 0.5 * sums->energy[x];
    if (!(fabs(all) < INFINITY))
        raise_to(UINT32_MAX - i, &v->signals->not_broken);
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
