/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_KERNELS_KERNEL_H
#define PH_FORCE_PAIRS_KERNELS_KERNEL_H

/* The inner loops: one site of one molecule i against the same site of up to PH_KERNEL_CHUNK molecules j, whose
 * coordinates lie in rows. There is one function for every combination of terms, truncation and demand, all
 * instantiated from kernel_template.h; nothing but the smoothness of a switch is decided inside. */

#include "potential/electric.h"
#include "potential/truncation.h"

#include <stdbool.h>
#include <stddef.h>

/* Arrays of a chunk have rows somewhat longer, so that they do not all fall on the same lines of the cache. */
enum { PH_KERNEL_CHUNK = 256, PH_KERNEL_ROW = PH_KERNEL_CHUNK + 8 };

/* Where sites are that only fill up a block of PH_LANES. Functions that end at a cutoff are 0 at the first distance.
 * Those that do not are nearly so, and 0 at the second, where the guess of ph_inverse_sqrt and with it 1/r is 0. */
#define PH_BEYOND_CUTOFF 1e17
#define PH_OUT_OF_SIGHT 1e20

enum ph_kernel_radial {
    PH_KERNEL_NO_RADIAL,
    PH_KERNEL_LENNARD_JONES,
    PH_KERNEL_SOFT_12,
    PH_KERNEL_MIE,
    PH_KERNEL_SOFT,
    PH_KERNEL_WCA,
    PH_KERNEL_RADIALS
};

/* charge or dipole of site i, then of site j; screened: the part of an Ewald sum that is summed over pairs */
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

static inline bool ph_kernel_screened(enum ph_kernel_electric electric)
{
    return electric >= PH_KERNEL_SCREENED_CHARGE_CHARGE;
}

/* The kind of the two sites, screened or not */
static inline enum ph_kernel_electric ph_kernel_bare(enum ph_kernel_electric electric)
{
    const int screened = PH_KERNEL_SCREENED_CHARGE_CHARGE - PH_KERNEL_CHARGE_CHARGE;
    return ph_kernel_screened(electric) ? (enum ph_kernel_electric)((int)electric - screened) : electric;
}

static inline enum ph_kernel_electric ph_kernel_screen(enum ph_kernel_electric bare)
{
    return (enum ph_kernel_electric)((int)bare + PH_KERNEL_SCREENED_CHARGE_CHARGE - PH_KERNEL_CHARGE_CHARGE);
}

/* Whether a reaction field that ends smoothly may be met: beside a switch, or where nothing is to be switched */
static inline bool ph_kernel_may_be_smooth(enum ph_kernel_electric electric, enum ph_truncate truncate)
{
    return electric != PH_KERNEL_NO_ELECTRIC && !ph_kernel_screened(electric) && truncate != PH_ENDLESS &&
           truncate != PH_SHIFTED && truncate != PH_INSIDE;
}

/* What the rows are: positions of sites j, to whose forces and fields the kernel adds; or positions relative to site i,
 * and forces and fields that it sets or adds to. */
enum ph_kernel_rows { PH_ROWS_ADD, PH_ROWS_RELATIVE_SET, PH_ROWS_RELATIVE_ADD, PH_ROWS_KINDS };

/* A shifted radial function: h + c0 + c1 r below the cutoff */
struct ph_kernel_tail {
    double c0, c1;
};

/* Constants of one pair of sites */
struct ph_pair_term {
    double four_epsilon, sigma2;  /* Mie and inverse powers: prefactor in place of 4 epsilon */
    double repulsive, attractive; /* exponents of Mie; soft sphere: repulsive */
    double wca_cut2, wca_shift;   /* WCA ends at its own minimum */
    double strength;              /* electric: Coulomb constant times the charges of the sites that have one */
    double rf;                    /* reaction field: 1/r becomes 1/r + rf r^2 - rf_zero and so on */
    double rf_zero;
    struct ph_smooth_field field; /* one that ends smoothly, if its edge is not 0; rf and rf_zero hold before it */
    double screening;             /* a of erfc(a r)/r in place of 1/r */
    struct ph_kernel_tail radial, electric;
    double cut2;                     /* rc^2 */
    enum ph_switch_kind switch_kind; /* switch: of x = (r - switch_on) inverse_width */
    double switch_on, inverse_width;
};

/* Site b of the molecules j: where it is, its dipole, and where force and electric field at it go */
struct ph_kernel_j {
    const double *r[3], *mu[3];
    double *force[3], *field[3];
};

/* Site a of molecule i, and sums over j; relative rows need no r */
struct ph_kernel_i {
    double r[3], mu[3];
    double force[3], field[3];
    double radial_energy, electric_energy;
};

/* The switch S(r) and its slope for n pairs. Which switch it is, alone of all, is decided while the program runs: it is
 * a loop apart anyway. */
void ph_switch_row(const struct ph_pair_term *term, size_t n, const double *restrict r, double *restrict s,
                   double *restrict ds);

/* Adds the interactions of n <= PH_KERNEL_CHUNK sites j, a multiple of PH_LANES; energies only if the function was
 * asked for with energy. */
typedef void ph_kernel(const struct ph_pair_term *term, size_t n, const struct ph_kernel_j *j, struct ph_kernel_i *i);

/* NULL for a combination that must be split: then call the radial and the electric one separately. */
ph_kernel *ph_kernel_find(enum ph_kernel_radial radial, enum ph_kernel_electric electric, enum ph_truncate truncate,
                          enum ph_kernel_rows rows, bool energy);

#endif
