/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/group_kernel.h"

#include "force/pairs/kernels/distance.h"
#include "potential/pair_force.h"

/* One charge of i with one of j: d = r_j - r_i, the force on j over d, and energies */
struct push {
    double x, y, z, along, radial, electric;
};

PH_INLINE struct push push(enum ph_kernel_radial radial, enum ph_truncate truncate, enum field field,
                           const struct ph_pair_term *t, double x, double y, double z)
{
    struct pair p = {.r2 = ph_fma(x, x, ph_fma(y, y, z * z))};
    p.inv_r = ph_inverse_distance(truncate, t->cut2, p.r2);
    const struct coefficients c = coefficients(radial, PH_KERNEL_CHARGE_CHARGE, truncate, field, t, &p);
    return (struct push){x, y, z, c.along_d, c.radial, c.electric};
}

/* Sums over j are kept lane by lane (base/lanes.h). Arrays of lanes have a name each: in arrays of arrays gcc does not
 * keep them in registers. */
PH_INLINE void group(size_t n_sites, enum ph_kernel_radial first, enum ph_truncate truncate, enum field field,
                     bool energy, const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,
                     struct ph_kernel_i i[])
{
    const bool three = n_sites == 3;
    const double *restrict rx = j->r[0], *restrict ry = j->r[1], *restrict rz = j->r[2];
    double *restrict gx = j->force[0], *restrict gy = j->force[1], *restrict gz = j->force[2];
    const struct ph_pair_term ta = *term[0], tb = *term[1], tc = *term[three ? 2 : 1];
    const struct ph_kernel_i c = i[three ? 2 : 1];
    const double xa = i[0].r[0], ya = i[0].r[1], za = i[0].r[2], xb = i[1].r[0], yb = i[1].r[1], zb = i[1].r[2];
    const double xc = c.r[0], yc = c.r[1], zc = c.r[2];
    double ax[PH_LANES] = {0.0}, ay[PH_LANES] = {0.0}, az[PH_LANES] = {0.0}, bx[PH_LANES] = {0.0}, by[PH_LANES] = {0.0},
           bz[PH_LANES] = {0.0}, cx[PH_LANES] = {0.0}, cy[PH_LANES] = {0.0}, cz[PH_LANES] = {0.0};
    double radial[PH_LANES] = {0.0}, electric[PH_LANES] = {0.0};
    for (size_t begin = 0; begin < n; begin += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = begin + l;
            const double x = rx[k], y = ry[k], z = rz[k];
            const struct push a = push(first, truncate, field, &ta, x - xa, y - ya, z - za);
            const struct push b = push(PH_KERNEL_NO_RADIAL, truncate, field, &tb, x - xb, y - yb, z - zb);
            double fx = ph_fma(a.along, a.x, gx[k]), fy = ph_fma(a.along, a.y, gy[k]), fz = ph_fma(a.along, a.z, gz[k]);
            double u = a.electric + b.electric;
            fx = ph_fma(b.along, b.x, fx);
            fy = ph_fma(b.along, b.y, fy);
            fz = ph_fma(b.along, b.z, fz);
            ax[l] = ph_fma(a.along, a.x, ax[l]);
            ay[l] = ph_fma(a.along, a.y, ay[l]);
            az[l] = ph_fma(a.along, a.z, az[l]);
            bx[l] = ph_fma(b.along, b.x, bx[l]);
            by[l] = ph_fma(b.along, b.y, by[l]);
            bz[l] = ph_fma(b.along, b.z, bz[l]);
            if (three) {
                const struct push d = push(PH_KERNEL_NO_RADIAL, truncate, field, &tc, x - xc, y - yc, z - zc);
                fx = ph_fma(d.along, d.x, fx);
                fy = ph_fma(d.along, d.y, fy);
                fz = ph_fma(d.along, d.z, fz);
                u += d.electric;
                cx[l] = ph_fma(d.along, d.x, cx[l]);
                cy[l] = ph_fma(d.along, d.y, cy[l]);
                cz[l] = ph_fma(d.along, d.z, cz[l]);
            }
            gx[k] = fx;
            gy[k] = fy;
            gz[k] = fz;
            if (energy) {
                radial[l] += a.radial;
                electric[l] += u;
            }
        }
    }
    i[0].force[0] -= ph_add_up(ax);
    i[0].force[1] -= ph_add_up(ay);
    i[0].force[2] -= ph_add_up(az);
    i[1].force[0] -= ph_add_up(bx);
    i[1].force[1] -= ph_add_up(by);
    i[1].force[2] -= ph_add_up(bz);
    if (three) {
        i[2].force[0] -= ph_add_up(cx);
        i[2].force[1] -= ph_add_up(cy);
        i[2].force[2] -= ph_add_up(cz);
    }
    i[0].radial_energy += ph_add_up(radial);
    i[0].electric_energy += ph_add_up(electric);
}

#define FUNCTION(name, n_sites, first, truncate, energy)                                                               \
    PH_DISPATCHED static void name(const struct ph_pair_term *const term[], size_t n, const struct ph_kernel_j *j,     \
                                   struct ph_kernel_i i[])                                                             \
    {                                                                                                                  \
        if (term[0]->split)                                                                                            \
            group(n_sites, first, truncate, SPLIT_FIELD, energy, term, n, j, i);                                       \
        else                                                                                                           \
            group(n_sites, first, truncate, NO_FIELD, energy, term, n, j, i);                                          \
    }
#define FAMILY(name, n_sites, first)                                                                                   \
    FUNCTION(name##_inside, n_sites, first, PH_INSIDE, false)                                                          \
    FUNCTION(name##_inside_energy, n_sites, first, PH_INSIDE, true)                                                    \
    FUNCTION(name##_cut, n_sites, first, PH_CUT, false)                                                                \
    FUNCTION(name##_cut_energy, n_sites, first, PH_CUT, true)                                                          \
    FUNCTION(name##_shifted, n_sites, first, PH_SHIFTED, false)                                                        \
    FUNCTION(name##_shifted_energy, n_sites, first, PH_SHIFTED, true)                                                  \
    static ph_group_kernel *const name[PH_TRUNCATE_KINDS][2] = {                                                       \
        [PH_INSIDE] = {name##_inside, name##_inside_energy},                                                           \
        [PH_CUT] = {name##_cut, name##_cut_energy},                                                                    \
        [PH_SHIFTED] = {name##_shifted, name##_shifted_energy},                                                        \
    };

FAMILY(two_charges, 2, PH_KERNEL_NO_RADIAL)
FAMILY(three_charges, 3, PH_KERNEL_NO_RADIAL)
FAMILY(lj_three_charges, 3, PH_KERNEL_LENNARD_JONES)

ph_group_kernel *ph_group_find(size_t n_sites, bool lennard_jones_first, enum ph_truncate truncate, bool energy)
{
    if (n_sites == 3)
        return (lennard_jones_first ? lj_three_charges : three_charges)[truncate][energy];
    return n_sites == 2 && !lennard_jones_first ? two_charges[truncate][energy] : NULL;
}
