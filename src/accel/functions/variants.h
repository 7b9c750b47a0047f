/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_VARIANTS_H
#define PH_ACCEL_FUNCTIONS_VARIANTS_H

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

/* The pairs of sites that are common in molecules of several sites, in the same way; formulas of all other pairs are
 * looked up one by one. SPLIT_FIELD and SCREENED: pairs of Ewald sums */
#define PH_SITE_VARIANTS(V)                                                                                            \
    V(lj_cut, LENNARD_JONES, NO_ELECTRIC, PH_CUT, NO_FIELD)                                                            \
    V(lj_switched, LENNARD_JONES, NO_ELECTRIC, PH_SWITCHED, NO_FIELD)                                                  \
    V(charges_cut, NO_RADIAL, CHARGE_CHARGE, PH_CUT, NO_FIELD)                                                         \
    V(charges_smooth, NO_RADIAL, CHARGE_CHARGE, PH_CUT, SMOOTH_FIELD)                                                  \
    V(charges_split, NO_RADIAL, CHARGE_CHARGE, PH_CUT, SPLIT_FIELD)                                                    \
    V(charges_screened, NO_RADIAL, SCREENED_CHARGE_CHARGE, PH_CUT, NO_FIELD)                                           \
    V(lj_charges_cut, LENNARD_JONES, CHARGE_CHARGE, PH_CUT, NO_FIELD)                                                  \
    V(lj_charges_smooth, LENNARD_JONES, CHARGE_CHARGE, PH_SWITCHED, SMOOTH_FIELD)                                      \
    V(lj_charges_split, LENNARD_JONES, CHARGE_CHARGE, PH_CUT, SPLIT_FIELD)                                             \
    V(lj_charges_split_switched, LENNARD_JONES, CHARGE_CHARGE, PH_SWITCHED, SPLIT_FIELD)                               \
    V(lj_charges_screened, LENNARD_JONES, SCREENED_CHARGE_CHARGE, PH_CUT, NO_FIELD)

#define PH_SITE_VARIANT_NUMBER(name, radial, electric, truncate, field) PH_SITES_##name,
enum ph_site_variant { PH_SITE_VARIANTS(PH_SITE_VARIANT_NUMBER) PH_SITE_VARIANT_COUNT };
#undef PH_SITE_VARIANT_NUMBER

#endif
