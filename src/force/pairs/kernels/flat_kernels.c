/* SPDX-License-Identifier: MIT */
#include "force/pairs/kernels/flat_kernel.h"

#include "force/pairs/kernels/kernel_template.h"

PH_INLINE double dot(double ax, double ay, double az, double bx, double by, double bz)
{
    return ph_fma(ax, bx, ph_fma(ay, by, az * bz));
}

/* From 1/r, and the switch, to forces, fields and energies */
PH_INLINE void apply_flat(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum field field, bool energy, const struct ph_pair_term *t, size_t n,
                          const struct ph_flat_rows *rows, const struct kernel_work *work, double *radial_energy,
                          double *electric_energy)
{
    const bool dipoles = electric == PH_KERNEL_DIPOLE_DIPOLE;
    const double *restrict dx = rows->d[0], *restrict dy = rows->d[1], *restrict dz = rows->d[2];
    const double *restrict ux = rows->mu_i[0], *restrict uy = rows->mu_i[1], *restrict uz = rows->mu_i[2];
    const double *restrict vx = rows->mu_j[0], *restrict vy = rows->mu_j[1], *restrict vz = rows->mu_j[2];
    const double *restrict inv_r = work->inv_r, *restrict s = work->s, *restrict ds = work->ds;
    double *restrict fx = rows->force[0], *restrict fy = rows->force[1], *restrict fz = rows->force[2];
    double *restrict ex = rows->field_i[0], *restrict ey = rows->field_i[1], *restrict ez = rows->field_i[2];
    double *restrict hx = rows->field_j[0], *restrict hy = rows->field_j[1], *restrict hz = rows->field_j[2];
    double radial_sum[PH_LANES] = {0.0}, electric_sum[PH_LANES] = {0.0};
    for (size_t first = 0; first < n; first += PH_LANES) {
        PH_SIMD
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t k = first + l;
            const double x = dx[k], y = dy[k], z = dz[k];
            struct pair p = {.r2 = dot(x, y, z, x, y, z), .inv_r = inv_r[k]};
            if (truncate == PH_SWITCHED) {
                p.s = s[k];
                p.ds = ds[k];
            }
            if (dipoles) {
                p.di = dot(ux[k], uy[k], uz[k], x, y, z);
                p.dj = dot(vx[k], vy[k], vz[k], x, y, z);
                p.cij = dot(ux[k], uy[k], uz[k], vx[k], vy[k], vz[k]);
            }
            const struct coefficients c = coefficients(radial, electric, truncate, field, t, &p);
            double qx = c.along_d * x, qy = c.along_d * y, qz = c.along_d * z;
            if (dipoles) {
                const double a = c.along_i, b = c.along_j, plain = -c.plain;
                qx = ph_fma(b, vx[k], ph_fma(a, ux[k], qx));
                qy = ph_fma(b, vy[k], ph_fma(a, uy[k], qy));
                qz = ph_fma(b, vz[k], ph_fma(a, uz[k], qz));
                ex[k] = ph_fma(plain, vx[k], a * x);
                ey[k] = ph_fma(plain, vy[k], a * y);
                ez[k] = ph_fma(plain, vz[k], a * z);
                hx[k] = ph_fma(plain, ux[k], b * x);
                hy[k] = ph_fma(plain, uy[k], b * y);
                hz[k] = ph_fma(plain, uz[k], b * z);
            }
            fx[k] = qx;
            fy[k] = qy;
            fz[k] = qz;
            if (energy) {
                radial_sum[l] += c.radial;
                electric_sum[l] += c.electric;
            }
        }
    }
    *radial_energy += ph_add_up(radial_sum);
    *electric_energy += ph_add_up(electric_sum);
}

PH_SPECIALISED void flat_kernel(enum ph_kernel_radial radial, enum ph_kernel_electric electric,
                                enum ph_truncate truncate, bool energy, const struct ph_pair_term *term, size_t n,
                                const struct ph_flat_rows *rows, double *radial_energy, double *electric_energy)
{
    struct kernel_work work;
    const struct ph_pair_term t = *term;
    const struct ph_kernel_j j = {.r = {rows->d[0], rows->d[1], rows->d[2]}};
    const struct ph_kernel_i origin = {.r = {0.0}};
    const bool dipoles = electric == PH_KERNEL_DIPOLE_DIPOLE;
    find_distances(radial, PH_KERNEL_NO_ELECTRIC, truncate, PH_ROWS_RELATIVE_SET, t.cut2, n, &j, &origin, &work);
    if (truncate == PH_SWITCHED)
        ph_switch_row(term, n, work.r, work.s, work.ds);
    if (dipoles && t.field.edge > 0.0 && ph_kernel_may_be_smooth(electric, truncate))
        apply_flat(radial, electric, truncate, SMOOTH_FIELD, energy, &t, n, rows, &work, radial_energy,
                   electric_energy);
    else if (dipoles && t.rf != 0.0)
        apply_flat(radial, electric, truncate, SHARP_FIELD, energy, &t, n, rows, &work, radial_energy, electric_energy);
    else
        apply_flat(radial, electric, truncate, NO_FIELD, energy, &t, n, rows, &work, radial_energy, electric_energy);
}

#define FUNCTION(name, radial, electric, truncate, energy)                                                             \
    static void name(const struct ph_pair_term *term, size_t n, const struct ph_flat_rows *rows,                       \
                     double *radial_energy, double *electric_energy)                                                   \
    {                                                                                                                  \
        flat_kernel(radial, electric, truncate, energy, term, n, rows, radial_energy, electric_energy);                \
    }
#define FAMILY(name, radial, electric)                                                                                 \
    FUNCTION(name##_cut, radial, electric, PH_CUT, false)                                                              \
    FUNCTION(name##_cut_energy, radial, electric, PH_CUT, true)                                                        \
    FUNCTION(name##_shifted, radial, electric, PH_SHIFTED, false)                                                      \
    FUNCTION(name##_shifted_energy, radial, electric, PH_SHIFTED, true)                                                \
    FUNCTION(name##_switched, radial, electric, PH_SWITCHED, false)                                                    \
    FUNCTION(name##_switched_energy, radial, electric, PH_SWITCHED, true)                                              \
    static ph_flat_kernel *const name[PH_TRUNCATE_KINDS][2] = {                                                        \
        [PH_CUT] = {name##_cut, name##_cut_energy},                                                                    \
        [PH_SHIFTED] = {name##_shifted, name##_shifted_energy},                                                        \
        [PH_SWITCHED] = {name##_switched, name##_switched_energy},                                                     \
    };

FAMILY(lj, PH_KERNEL_LENNARD_JONES, PH_KERNEL_NO_ELECTRIC)
FAMILY(lj_dipole, PH_KERNEL_LENNARD_JONES, PH_KERNEL_DIPOLE_DIPOLE)
FAMILY(soft12, PH_KERNEL_SOFT_12, PH_KERNEL_NO_ELECTRIC)
FAMILY(soft12_dipole, PH_KERNEL_SOFT_12, PH_KERNEL_DIPOLE_DIPOLE)
FUNCTION(wca, PH_KERNEL_WCA, PH_KERNEL_NO_ELECTRIC, PH_CUT, false) /* ends by itself: shifted and switched are cut */
FUNCTION(wca_energy, PH_KERNEL_WCA, PH_KERNEL_NO_ELECTRIC, PH_CUT, true)

ph_flat_kernel *ph_flat_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                             bool energy)
{
    if (electric == PH_KERNEL_DIPOLE_DIPOLE)
        return radial == PH_KERNEL_LENNARD_JONES ? lj_dipole[truncate][energy]
               : radial == PH_KERNEL_SOFT_12     ? soft12_dipole[truncate][energy]
                                                 : NULL;
    if (electric != PH_KERNEL_NO_ELECTRIC)
        return NULL;
    return radial == PH_KERNEL_LENNARD_JONES ? lj[truncate][energy]
           : radial == PH_KERNEL_SOFT_12     ? soft12[truncate][energy]
           : radial == PH_KERNEL_WCA         ? energy ? wca_energy : wca
                                             : NULL;
}
