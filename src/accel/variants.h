/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_VARIANTS_H
#define PH_ACCEL_VARIANTS_H

/* The combinations of pair formulas that machines have kernels for: V(name, radial, electric, truncate, field). A
 * reaction field that is cut serves a plain cutoff, too, as one of strength 0. */
#define PH_VARIANTS(V)                                                                                                 \
    V(lj, LENNARD_JONES, NO_ELECTRIC, PH_ENDLESS, NO_FIELD)                                                            \
    V(lj_cut, LENNARD_JONES, NO_ELECTRIC, PH_CUT, NO_FIELD)                                                            \
    V(lj_shifted, LENNARD_JONES, NO_ELECTRIC, PH_SHIFTED, NO_FIELD)                                                    \
    V(lj_switched, LENNARD_JONES, NO_ELECTRIC, PH_SWITCHED, NO_FIELD)                                                  \
    V(lj_dipole, LENNARD_JONES, DIPOLE_DIPOLE, PH_ENDLESS, NO_FIELD)                                                   \
    V(lj_dipole_cut, LENNARD_JONES, DIPOLE_DIPOLE, PH_CUT, SHARP_FIELD)                                                \
    V(lj_dipole_shifted, LENNARD_JONES, DIPOLE_DIPOLE, PH_SHIFTED, SHARP_FIELD)                                        \
    V(lj_dipole_switched, LENNARD_JONES, DIPOLE_DIPOLE, PH_SWITCHED, NO_FIELD)                                         \
    V(lj_dipole_smooth, LENNARD_JONES, DIPOLE_DIPOLE, PH_SWITCHED, SMOOTH_FIELD)                                       \
    V(soft12_dipole, SOFT_12, DIPOLE_DIPOLE, PH_ENDLESS, NO_FIELD)                                                     \
    V(soft12_dipole_switched, SOFT_12, DIPOLE_DIPOLE, PH_SWITCHED, NO_FIELD)                                           \
    V(soft12_dipole_smooth, SOFT_12, DIPOLE_DIPOLE, PH_SWITCHED, SMOOTH_FIELD)

#define PH_VARIANT_NUMBER(name, radial, electric, truncate, field) PH_VARIANT_##name,
enum ph_variant { PH_VARIANTS(PH_VARIANT_NUMBER) PH_VARIANT_COUNT };
#undef PH_VARIANT_NUMBER

#endif
