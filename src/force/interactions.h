/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_INTERACTIONS_H
#define PH_FORCE_INTERACTIONS_H

/* How molecules interact: the key `interactions` of an input file, as plain data. Units with 4 pi eps0 = 1 up to
 * `coulomb`, the energy of two unit charges at unit distance (1 in reduced units, 138.935... kJ mol-1 nm e-2 in md). */

#include "base/external_fields.h"
#include "model/species.h"

#include <stdbool.h>

/* Truncation applies to the distance r of two sites. Every term is an angular factor times a radial function h(r) (Mie:
 * 1 times u; charge-charge 1/r, charge-dipole 1/r^2, dipole-dipole 1/r^3), and h is truncated, in all terms alike: cut:
 * h for r < rc.  shifted: h - h(rc).  force-shifted: h - h(rc) - (r - rc) h'(rc).  switched: S(r) h with S = 1 up to rc
 * - width, 0 from rc, and `smoothness` continuous derivatives (2, 4, 6, or PH_SMOOTH_ALL). */
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
enum ph_electrostatics {
    PH_ELECTROSTATICS_CUTOFF,
    PH_ELECTROSTATICS_REACTION_FIELD,
    PH_ELECTROSTATICS_EWALD,
    PH_ELECTROSTATICS_MESH
};

/* An Ewald sum takes all periodic images. The interaction 1/r is split (force/longrange/split.h) into a part that has
 * ended at the cutoff, which is summed over pairs, and a smooth rest, which is summed over reciprocal vectors k = 2 pi
 * n.(dual edges): one by one (ewald) or on a grid (mesh). The boxes form a large sphere within a continuum, or a slab.
 * Gauss: pairs have erfc(a r)/r, which is cut at the cutoff or switched off, never shifted. Bessel: pairs end at the
 * cutoff by themselves, smoothly. Values of 0 are chosen by ph_ewald_choose. */
enum ph_split_kind { PH_SPLIT_GAUSS, PH_SPLIT_BESSEL };

/* Parameters chosen by the program, not by the user: it may choose again in another box. */
enum ph_ewald_chosen {
    PH_CHOSE_SCREENING = 1,
    PH_CHOSE_SHAPE = 2,
    PH_CHOSE_K_MAX = 4,
    PH_CHOSE_GRID = 8,
    PH_CHOSE_WIDTH = 16,
    PH_CHOSE_WINDOW = 32
};

struct ph_ewald_choice {
    double tolerance;         /* relative error of forces */
    enum ph_split_kind split; /* given or set to the default of the method before */
    double screening;         /* Gauss: a */
    int smoothness;           /* Bessel: continuous derivatives of the energy of two dipoles, or of two quadrupoles */
    bool quadrupoles;         /* the system has them; set by ph_ewald_choose */
    double shape;             /* Bessel: beta */
    double k_max;             /* ewald: reciprocal vectors with k < k_max */
    double waves[3][3];       /* ewald: the reciprocal vectors taken: integers n with n.(waves n) < 1 */
    int grid[3];              /* mesh: points along the edges */
    int width;                /* mesh: points along an edge that a site is spread over */
    double window;            /* mesh: shape beta of the spreading window */
    bool slab;                /* periodic along the first two edges only, by the correction of Yeh and Berkowitz */
    bool remove_net_force;    /* mesh */
    int chosen;               /* sum of ph_ewald_chosen */
    double expected_error;    /* relative error of forces that was expected when it was chosen; 0: not known */
    /* Of a mesh, for reports: nanoseconds that pairs, spreading, gathering and Fourier transforms are expected to take
     * on one core */
    double pairs_cost, spread_cost, gather_cost, transform_cost;
};

/* Two time scales: which part of the forces is fast. NEAR: pairs of sites up to `radius`, where radial terms end by a
 * switch of six continuous derivatives over `width` and electric ones by a reaction field that vanishes there as
 * smoothly, and external fields; slow is all that is left. BUT_WAVES: all but the reciprocal
 * space of an Ewald sum, with its self and surface terms. */
enum ph_fast_kind { PH_FAST_NONE, PH_FAST_NEAR, PH_FAST_BUT_WAVES };
struct ph_fast_part {
    enum ph_fast_kind kind;
    double radius, width; /* NEAR */
};

enum ph_combining { PH_COMBINE_LORENTZ_BERTHELOT, PH_COMBINE_GEOMETRIC };

/* An explicit interaction between sites of two names ("model.site"), instead of the combining rule */
struct ph_pair_override {
    char site[2][2 * PH_NAME];
    struct ph_radial radial;
    struct ph_angular angular; /* a formula with axes, whose first site is the first one here; the numbers of two
                                * ellipsoids, beside radial interactions; or kind NONE */
};

/* A force of the program that uses the library, see ph_simulation_set_force */
struct ph_caller_force {
    bool (*force)(struct ph_force_call *call, void *data); /* NULL: none */
    void *data;
    bool keeps_momentum;
};

enum { PH_PLUMED_PATH = 256 };

/* A bias that the library PLUMED computes, see external/plumed.c */
struct ph_plumed {
    char file[PH_PLUMED_PATH], log[PH_PLUMED_PATH]; /* its input, "" for no bias; where it writes its log */
    bool keeps_momentum;                            /* the user says that its forces always add up to 0 */
    bool reduced;                                   /* units of the input */
    double step, kT;                                /* 0: not known */
    struct ph_plumed_clock *clock;                  /* not owned; NULL: always at step 0 */
};

/* Tells the term the time, and collects work. The simulation owns it. */
struct ph_plumed_clock {
    int64_t step;
    bool restarts; /* the run was resumed */
    bool ends;     /* the next evaluation with energies is at the end of this step: PLUMED may change the bias */
    bool saves;    /* a checkpoint of this step follows, so PLUMED should write all that it has */
    double work;   /* sum of all sudden changes of the bias energy */
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
    struct ph_fast_part fast;           /* for nested schemes; it changes no result of all forces */

    struct ph_external_fields external;
    struct ph_caller_force caller;
    struct ph_plumed plumed;
    bool pinned; /* centres do not move: forces on them are reported but not applied */
};

/* Returns true if electric pairs belong to an Ewald sum, direct or on a mesh */
static inline bool ph_is_ewald(const struct ph_interactions *interactions)
{
    return interactions->electrostatics == PH_ELECTROSTATICS_EWALD ||
           interactions->electrostatics == PH_ELECTROSTATICS_MESH;
}

static inline bool ph_field_is_smooth(const struct ph_interactions *interactions)
{
    return interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD &&
           interactions->truncation == PH_TRUNCATE_SWITCHED;
}

#endif
