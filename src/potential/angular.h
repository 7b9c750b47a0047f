/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_ANGULAR_H
#define PH_POTENTIAL_ANGULAR_H

/* The list of angular forms: interactions of two sites that depend on how these are turned. Enums, kernels, keys of
 * models and `polhode list potentials` follow from it. To add a form: a line in PH_ANGULAR_FORMS, its rows in
 * PH_ANGULAR_NAMES, and in potential/angular_formulas.h its formula and the functions that are named there. */

#include "base/error.h"
#include "potential/forms.h"

#include <stdbool.h>
#include <stddef.h>

/* K(KIND, formula, electric). electric: whether the energy counts as electric or, with the radial forms, as radial.
 * Shapes meet shapes, and spheres of a radial form. Multipoles meet charges, dipoles and each other; what their pairs
 * are is in force/pairs/angular_pairs.c. Kinds without a name belong to pairs alone. */
#define PH_ANGULAR_SHAPES(K)                                                                                           \
    K(GAY_BERNE, gay_berne, false)                                                                                     \
    K(RE_SQUARED, re_squared, false)                                                                                   \
    K(STICKY, sticky, false)                                                                                           \
    K(PATCH, patch, false)
#define PH_ANGULAR_MULTIPOLES(K)                                                                                       \
    K(QUADRUPOLE, quadrupole, true)                                                                                    \
    K(DIPOLE_QUADRUPOLE, dipole_quadrupole, true)                                                                      \
    K(QUADRUPOLE_DIPOLE, quadrupole_dipole, true)
#define PH_ANGULAR_FORMS(K) PH_ANGULAR_SHAPES(K) PH_ANGULAR_MULTIPOLES(K)

/* Names and numbers of the forms. N(.., .., KIND, "name", "title", "formula"). V: a number; W: three numbers, one for
 * each axis of the site. V(.., .., KIND, "name", place in `number`, "key", highest value, whether 0 is left out,
 * default or NULL, combining rule or OWN, "help"). OWN: each site keeps its own. The first two arguments are the
 * caller's. */
#define PH_ANGULAR_NAMES(N, V, W, p, t)                                                                                \
    N(p, t, GAY_BERNE, "gay-berne", "Gay-Berne",                                                                       \
      "4 eps chi eta [rho^12 - rho^6], rho = sigma/(r - contact distance + gamma sigma)")                              \
    V(p, t, GAY_BERNE, "gay-berne", PH_GB_EPSILON, "epsilon", 1e15, false, NULL, ENERGY, "energy of the interaction")  \
    V(p, t, GAY_BERNE, "gay-berne", PH_GB_SIGMA, "sigma", 1e15, true, NULL, LENGTH, "length of the interaction")       \
    W(p, t, GAY_BERNE, "gay-berne", PH_GB_HALF, "half_axes", 1e15, true, NULL, OWN,                                    \
      "half axes of the ellipsoid along x, y, z")                                                                      \
    W(p, t, GAY_BERNE, "gay-berne", PH_GB_WELL, "wells", 1e15, true, "1", OWN, "relative well depths along x, y, z")   \
    V(p, t, GAY_BERNE, "gay-berne", PH_GB_MU, "mu", 100.0, true, "1", SAME, "exponent of the wells")                   \
    V(p, t, GAY_BERNE, "gay-berne", PH_GB_NU, "nu", 100.0, false, "1", SAME, "exponent of the orientations")           \
    V(p, t, GAY_BERNE, "gay-berne", PH_GB_GAMMA, "gamma", 100.0, true, "1", SAME, "shift of the distance, in sigma")   \
    N(p, t, RE_SQUARED, "re-squared", "RE-squared",                                                                    \
      "attraction and repulsion of two ellipsoids of Lennard-Jones matter, of Hamaker constant A")                     \
    V(p, t, RE_SQUARED, "re-squared", PH_RE_HAMAKER, "A", 1e15, false, NULL, ENERGY, "Hamaker constant, an energy")    \
    V(p, t, RE_SQUARED, "re-squared", PH_RE_SIGMA, "sigma", 1e15, true, NULL, LENGTH, "size of the atoms within")      \
    W(p, t, RE_SQUARED, "re-squared", PH_RE_HALF, "half_axes", 1e15, true, NULL, OWN,                                  \
      "half axes of the ellipsoid along x, y, z")                                                                      \
    W(p, t, RE_SQUARED, "re-squared", PH_RE_WELL, "wells", 1e15, true, "1", OWN, "relative well depths along x, y, z") \
    N(p, t, STICKY, "sticky", "sticky",                                                                                \
      "(v0/2) [s w + s' w'] of a dipole along z with hydrogens in the plane yz; s, s' fall from 1 to 0")               \
    V(p, t, STICKY, "sticky", PH_STICKY_V0, "v0", 1e15, false, NULL, ENERGY, "energy of the interaction")              \
    V(p, t, STICKY, "sticky", PH_STICKY_W0, "w0", 1e15, false, NULL, SAME, "half of what w' is reduced by")            \
    V(p, t, STICKY, "sticky", PH_STICKY_RL, "rl", 1e15, true, NULL, LENGTH, "distance up to which s is 1")             \
    V(p, t, STICKY, "sticky", PH_STICKY_RU, "ru", 1e15, true, NULL, LENGTH, "distance from which on s is 0")           \
    V(p, t, STICKY, "sticky", PH_STICKY_RL_PRIME, "rl_prime", 1e15, true, NULL, LENGTH, "rl of s'")                    \
    V(p, t, STICKY, "sticky", PH_STICKY_RU_PRIME, "ru_prime", 1e15, true, NULL, LENGTH, "ru of s'")                    \
    V(p, t, STICKY, "sticky", PH_STICKY_SMOOTHNESS, "smoothness", 6.0, true, "1", SAME,                                \
      "continuous derivatives of s and s': 1, as published, 2, 4 or 6")                                                \
    N(p, t, PATCH, "patch", "patch",                                                                                   \
      "-eps s(r) f(angle of one axis) f(angle of the other); s falls from 1 to 0, and so does f")                      \
    V(p, t, PATCH, "patch", PH_PATCH_EPSILON, "epsilon", 1e15, false, NULL, ENERGY, "energy of the interaction")       \
    V(p, t, PATCH, "patch", PH_PATCH_ON, "plateau", 1e15, true, NULL, LENGTH, "distance up to which s is 1")           \
    V(p, t, PATCH, "patch", PH_PATCH_END, "range", 1e15, true, NULL, LENGTH, "distance from which on s is 0")          \
    V(p, t, PATCH, "patch", PH_PATCH_INNER, "inner", 180.0, false, NULL, OWN,                                          \
      "angle with the axis up to which f is 1, degrees")                                                               \
    V(p, t, PATCH, "patch", PH_PATCH_OUTER, "outer", 180.0, true, NULL, OWN,                                           \
      "angle with the axis from which on f is 0, degrees")                                                             \
    V(p, t, PATCH, "patch", PH_PATCH_SMOOTHNESS, "smoothness", 6.0, true, "6", SAME,                                   \
      "continuous derivatives of s and f: 1, 2, 4 or 6")                                                               \
    N(p, t, QUADRUPOLE, "quadrupole", "point quadrupole",                                                              \
      "point quadrupole, with charges, dipoles and quadrupoles of other molecules: Q or moments")                      \
    V(p, t, QUADRUPOLE, "quadrupole", PH_QUADRUPOLE_Q, "Q", 0.0, false, "0", OWN,                                      \
      "moment of a linear one along z, the sum of q (3 z^2 - r^2)/2")                                                  \
    W(p, t, QUADRUPOLE, "quadrupole", PH_QUADRUPOLE_MOMENTS, "moments", 0.0, false, "0", OWN,                          \
      "moments along x, y, z, the sums of q (3 x^2 - r^2)/2 and so on; together 0, to 2e-3 of the largest; a third "   \
      "of "                                                                                                            \
      "what is left is taken off each")

/* Places of the numbers of each form */
enum { PH_GB_EPSILON, PH_GB_SIGMA, PH_GB_HALF, PH_GB_WELL = 5, PH_GB_MU = 8, PH_GB_NU, PH_GB_GAMMA };
enum { PH_RE_HAMAKER, PH_RE_SIGMA, PH_RE_HALF, PH_RE_WELL = 5 };
enum {
    PH_STICKY_V0,
    PH_STICKY_W0,
    PH_STICKY_RL,
    PH_STICKY_RU,
    PH_STICKY_RL_PRIME,
    PH_STICKY_RU_PRIME,
    PH_STICKY_SMOOTHNESS
};
enum { PH_PATCH_EPSILON, PH_PATCH_ON, PH_PATCH_END, PH_PATCH_INNER, PH_PATCH_OUTER, PH_PATCH_SMOOTHNESS };
enum { PH_QUADRUPOLE_Q, PH_QUADRUPOLE_MOMENTS };
enum { PH_FORMULA_CURVE }; /* the number of the curve (potential/curves/curve.h) */
enum { PH_ANGULAR_NUMBERS = 12 };

#define PH_ANGULAR_KIND(KIND, formula, electric) PH_ANGULAR_##KIND,
/* FORMULA: u as the user writes it, which is no form of this list but a program (potential/curves/program.h) */
enum ph_angular_kind { PH_ANGULAR_NONE, PH_ANGULAR_FORMS(PH_ANGULAR_KIND) PH_ANGULAR_FORMULA, PH_ANGULAR_KINDS };
#undef PH_ANGULAR_KIND

/* The angular interaction of a site: its form, and the numbers of the form; others are 0 */
struct ph_angular {
    enum ph_angular_kind kind;
    double number[PH_ANGULAR_NUMBERS];
};

struct ph_angular_form {
    const char *name, *title, *formula; /* as in models; for people */
};

struct ph_angular_number {
    enum ph_angular_kind kind;
    const char *key, *help;
    size_t place, n; /* n: 1, or 3 of a vector */
    bool own;        /* each site keeps it; else: */
    enum ph_form_rule rule;
};

extern const struct ph_angular_form ph_angular_forms[PH_ANGULAR_KINDS]; /* of NONE, FORMULA: title alone, or less */
extern const struct ph_angular_number ph_angular_numbers[];
extern const size_t ph_angular_number_count;

/* "Gay-Berne, epsilon 1, sigma 1, half_axes 0.5 0.5 1.5" */
void ph_angular_describe(const struct ph_angular *angular, size_t size, char *text);

/* Finds which of the axes x, y, z of the site (0, 1, 2) the form depends on, and returns their number: 0, 1 or 3. The
 * symmetry axis of a uniaxial site may be any of them. */
size_t ph_angular_axes(const struct ph_angular *angular, size_t axis[3]);

/* The shortest distance at which two such sites touch, and an energy; 0 of no interaction */
double ph_angular_size(const struct ph_angular *angular);
double ph_angular_depth(const struct ph_angular *angular);

/* Where a form ends by itself, exactly 0 from there on, or 0 if it does not; and how many of its derivatives are
 * continuous, INT_MAX if all are. */
double ph_angular_end(const struct ph_angular *angular);
int ph_angular_smoothness(const struct ph_angular *angular);

/* Finds distances at which second derivatives of a form jump, and returns their number, up to 4. */
size_t ph_angular_jumps(const struct ph_angular *angular, double at[4]);

/* Returns false, and why in `text`, if numbers of the form do not go together. */
bool ph_angular_possible(const struct ph_angular *angular, size_t size, char *text);

/* True of charges spread about a point, as opposed to shapes */
bool ph_angular_is_multipole(const struct ph_angular *angular);
/* Sets the tensor T of a quadrupole, the sum of q (3 x x - r^2)/2, in terms of the axes that it depends on
 * (ph_angular_axes): T = iso + sum of s a a. s has three values, then iso; all 0 of other forms. */
void ph_angular_tensor(const struct ph_angular *angular, double s[4]);

/* The longest distance at which two such sites touch */
double ph_angular_length(const struct ph_angular *angular);
/* The half axes of an ellipsoid along x, y, z of its site, or NULL */
const double *ph_angular_half_axes(const struct ph_angular *angular);

bool ph_angular_alike(const struct ph_angular *a, const struct ph_angular *b);

/* Numbers of a pair: combines those that have a rule, and takes the first site's for the rest. Returns false if there
 * is no rule for these two; neither has kind NONE. */
bool ph_angular_combine(const struct ph_angular *one, const struct ph_angular *other, bool geometric,
                        struct ph_angular *out);

/* Whether a pair of this form may have this number of its own: it has a rule for unlike sites */
bool ph_angular_replaces(const struct ph_angular *own, const struct ph_angular_number *number);
/* Puts these numbers in the place of those that were combined. */
void ph_angular_replace(const struct ph_angular *own, struct ph_angular *combined);

/* Returns true, and what a site without an angular form is for one with this form, if they interact: a Lennard-Jones
 * site is a sphere for a Gay-Berne ellipsoid. */
bool ph_angular_of_radial(const struct ph_angular *partner, const struct ph_radial *radial, struct ph_angular *out);

#endif
