/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_INTERACTIONS_H
#define PH_FORCE_INTERACTIONS_H

/* How molecules interact: what an input file says under `interactions`, as plain data. Units with 4 pi eps0 = 1 up to
 * `coulomb`, the energy of two unit charges at unit distance (1 in reduced units, 138.935... kJ mol-1 nm e-2 in md). */

#include "base/external_fields.h"
#include "model/species.h"

#include <stdbool.h>

/* Truncation applies to the distance r of two sites. Every term is an angular factor times a radial function h(r) (Mie:
 * 1 times u; charge-charge 1/r, charge-dipole 1/r^2, dipole-dipole 1/r^3), and h is what is truncated, in all terms
 * alike: cut: h for r < rc.  shifted: h - h(rc).  force-shifted: h - h(rc) - (r - rc) h'(rc).  switched: S(r) h with S
 * = 1 up to rc - width, 0 from rc, and `smoothness` continuous derivatives (2, 4, 6, or PH_SMOOTH_ALL). */
enum ph_truncation {
    PH_TRUNCATE_NONE,
    PH_TRUNCATE_CUT,
    PH_TRUNCATE_SHIFTED,
    PH_TRUNCATE_FORCE_SHIFTED,
    PH_TRUNCATE_SWITCHED
};
enum { PH_SMOOTH_ALL = 1000 };

/* A reaction field makes 1/r of two charges 1/r + k r^2 - (1/rc + k rc^2), and adds -2 k mu_i.mu_j to two dipoles, with
 * k = (eps-1)/((2 eps+1) rc^3); this last constant is cut at rc, but never shifted. Beside switched radial terms there
 * is no switch on a reaction field, which ends smoothly by itself over the width of the switch (potential/electric.h),
 * with six continuous derivatives for two dipoles and eight for two charges; `smoothness` must not ask for more. */
enum ph_electrostatics { PH_ELECTROSTATICS_CUTOFF, PH_ELECTROSTATICS_REACTION_FIELD, PH_ELECTROSTATICS_EWALD };

/* An Ewald sum takes all periodic images: pairs within the cutoff interact through screened charges, erfc(a r)/r, which
 * are cut there or switched off, never shifted; the rest is a sum over reciprocal vectors k = 2 pi n.(dual edges). The
 * boxes form a large sphere within a continuum. Values of 0 are chosen: a such that screened charges at the cutoff
 * exert `tolerance` of the force of bare ones, and k up to k_max = 2 a^2 rc. */
struct ph_ewald_choice {
    double tolerance;
    double screening;   /* a */
    double k_max;       /* reciprocal vectors with k < k_max */
    double waves[3][3]; /* the reciprocal vectors taken: integers n with n.(waves n) < 1 */
};

enum ph_combining { PH_COMBINE_LORENTZ_BERTHELOT, PH_COMBINE_GEOMETRIC };

/* An explicit interaction between sites of two names ("model.site"), instead of the combining rule */
struct ph_pair_override {
    char site[2][2 * PH_NAME];
    struct ph_radial radial;
};

struct ph_interactions {
    enum ph_truncation truncation;
    double cutoff;       /* unused for NONE */
    double switch_width; /* SWITCHED */
    int smoothness;      /* SWITCHED: 2, 4, 6, PH_SMOOTH_ALL */
    enum ph_electrostatics electrostatics;
    double epsilon_rf; /* relative permittivity of the continuum around; INFINITY is a conductor */
    struct ph_ewald_choice ewald;
    double coulomb;
    enum ph_combining combining;
    size_t n_overrides;
    struct ph_pair_override *overrides; /* owned by the caller */
    bool long_range_correction;         /* of the attractive and repulsive radial terms, energy and pressure */
    double skin;                        /* of the pair list; 0: chosen */

    struct ph_external_fields external;
    bool pinned; /* centres do not move: forces on them are reported but not applied */
};

static inline bool ph_field_is_smooth(const struct ph_interactions *interactions)
{
    return interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD &&
           interactions->truncation == PH_TRUNCATE_SWITCHED;
}

#endif
