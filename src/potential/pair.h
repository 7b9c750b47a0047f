/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_PAIR_H
#define PH_POTENTIAL_PAIR_H

/* The terms that act between two sites, and their constants. Radial forms are listed in potential/forms.h. A new
 * electric interaction begins here, with its formula in electric.h. pair_force.h and pair_derivative.h combine the
 * terms. */

#include "potential/electric.h"
#include "potential/formulas.h"
#include "potential/truncation.h"

#include <stdbool.h>

/* IN_LOOP: any of PH_FORMS_IN_LOOPS, which a loop of its own evaluates before the loop of forces */
enum ph_kernel_radial {
    PH_KERNEL_NO_RADIAL,
    PH_KERNEL_LENNARD_JONES,
    PH_KERNEL_SOFT_12,
    PH_KERNEL_IN_LOOP,
    PH_KERNEL_WCA,
    PH_KERNEL_RADIALS
};

/* charge or dipole of site i, then of site j; screened: the part of an Ewald sum that is summed over pairs, if it does
 * not end by itself */
enum ph_kernel_electric {
    PH_KERNEL_NO_ELECTRIC,
    PH_KERNEL_CHARGE_CHARGE,
    PH_KERNEL_CHARGE_DIPOLE,
    PH_KERNEL_DIPOLE_CHARGE,
    PH_KERNEL_DIPOLE_DIPOLE,
    PH_KERNEL_SCREENED_CHARGE_CHARGE,
    PH_KERNEL_SCREENED_CHARGE_DIPOLE,
    PH_KERNEL_SCREENED_DIPOLE_CHARGE,
    PH_KERNEL_SCREENED_DIPOLE_DIPOLE,
    PH_KERNEL_ELECTRICS
};

PH_INLINE bool ph_kernel_screened(enum ph_kernel_electric electric)
{
    return electric >= PH_KERNEL_SCREENED_CHARGE_CHARGE;
}

/* The kind of the two sites, screened or not */
PH_INLINE enum ph_kernel_electric ph_kernel_bare(enum ph_kernel_electric electric)
{
    const int screened = PH_KERNEL_SCREENED_CHARGE_CHARGE - PH_KERNEL_CHARGE_CHARGE;
    return ph_kernel_screened(electric) ? (enum ph_kernel_electric)((int)electric - screened) : electric;
}

static inline enum ph_kernel_electric ph_kernel_screen(enum ph_kernel_electric bare)
{
    return (enum ph_kernel_electric)((int)bare + PH_KERNEL_SCREENED_CHARGE_CHARGE - PH_KERNEL_CHARGE_CHARGE);
}

/* Whether there may be a reaction field that ends smoothly: with a switch, or where nothing is switched */
static inline bool ph_kernel_may_be_smooth(enum ph_kernel_electric electric, enum ph_truncate truncate)
{
    return electric != PH_KERNEL_NO_ELECTRIC && !ph_kernel_screened(electric) && truncate != PH_ENDLESS &&
           truncate != PH_SHIFTED && truncate != PH_INSIDE;
}

/* True if the electric part may be the pairs of an Ewald sum that end by themselves, whatever the radial term does */
static inline bool ph_kernel_may_be_split(enum ph_kernel_electric electric, enum ph_truncate truncate)
{
    return electric != PH_KERNEL_NO_ELECTRIC && !ph_kernel_screened(electric) && truncate != PH_ENDLESS;
}

/* A shifted radial function: h + c0 + c1 r below the cutoff */
struct ph_kernel_tail {
    double c0, c1;
};

/* Constants of one pair of sites */
struct ph_pair_term {
    double four_epsilon, sigma2; /* Lennard-Jones, soft 12, WCA */
    double wca_cut2, wca_shift;  /* WCA ends at its own minimum */
    struct ph_formula formula;   /* in loop */
    double strength;             /* electric: Coulomb constant times the charges of the sites that have one */
    double rf;                   /* reaction field: 1/r becomes 1/r + rf r^2 - rf_zero and so on */
    double rf_zero;
    struct ph_smooth_field field;       /* smooth reaction field, if its edge is not 0; rf and rf_zero hold before it */
    double screening;                   /* a of erfc(a r)/r in place of 1/r */
    const struct ph_split_pairs *split; /* pairs of an Ewald sum that end by themselves; not owned; NULL: others */
    struct ph_kernel_tail radial, electric;
    double cut2;                     /* rc^2 */
    enum ph_switch_kind switch_kind; /* switch: of x = (r - switch_on) inverse_width */
    double switch_on, inverse_width;
};

#endif
