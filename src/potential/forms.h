/* SPDX-License-Identifier: MIT */
#ifndef PH_POTENTIAL_FORMS_H
#define PH_POTENTIAL_FORMS_H

/* The list of radial forms. Enums, kernels, keys of inputs and models, `polhode list potentials`, combining rules and
 * long-range corrections follow from it. To add a form: a line in PH_FORMS_IN_LOOPS and its rows in PH_FORM_NAMES
 * below, and two functions in potential/formulas.h: its formula, and the constants of the formula. */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* K(KIND, formula, decay, end, wall, size, depth). The last five are expressions of `radial`, a struct ph_radial:
 *   decay   m if u falls off as r^-m far away; INFINITY: faster than every power, or u ends
 *   end     where u ends by itself, or 0
 *   wall    where a wall begins: nearer, u is infinite. 0: u itself has one. NAN: nothing keeps sites apart
 *   size    a length at which sites touch
 *   depth   an energy, that of the well if there is one
 * Forms in loops have a loop over their formula, before the loop of forces. Forms alone have kernels of their own; so
 * have the exponents 12-6 and 12 (force/pairs/pair_table.c). */
#define PH_FORMS_IN_LOOPS(K)                                                                                           \
    K(MIE, mie, radial->attractive, 0.0, radial->repulsive > radial->attractive ? 0.0 : NAN, radial->sigma,            \
      radial->epsilon)                                                                                                 \
    K(SOFT_SPHERE, soft_sphere, radial->repulsive, 0.0, 0.0, radial->sigma, radial->epsilon)                           \
    K(BUCKINGHAM, buckingham, radial->attractive > 0.0 ? 6.0 : INFINITY, 0.0, ph_buckingham_wall(radial),              \
      ph_buckingham_size(radial), ph_buckingham_depth(radial))                                                         \
    K(YUKAWA, yukawa, INFINITY, 0.0, 0.0, radial->sigma, radial->epsilon)                                              \
    K(MORSE, morse, INFINITY, 0.0, ph_morse_wall(radial), ph_morse_size(radial), radial->epsilon)
#define PH_FORMS_ALONE(K) K(WCA, wca, INFINITY, PH_WCA_END * radial->sigma, 0.0, radial->sigma, radial->epsilon)
#define PH_WCA_END 1.12246204830937298143 /* 2^(1/6), in units of sigma */
/* Curves: a table or a formula of the user's own (potential/curves/curve.h). Nothing is known of u far away: decay NAN.
 */
#define PH_FORMS_OF_CURVES(K)                                                                                          \
    K(TABLE, table, NAN, 0.0, radial->attractive, radial->sigma, radial->epsilon)                                      \
    K(FORMULA, formula, NAN, 0.0, radial->attractive, radial->sigma, radial->epsilon)

/* Names of forms in inputs and models: N(.., .., NAME, "name", "title", KIND, repulsive, attractive, "formula"), with
 * fixed exponents or 0. Then the numbers of the form: V(.., .., NAME, "name", member of struct ph_radial, "key",
 * highest value, whether 0 is left out, combining rule, "help"). Then its texts: T(.., .., NAME, "name", member of
 * struct ph_input_radial, "key", "help"). The first two arguments are the caller's. */
#define PH_FORM_NAMES(N, V, T, p, t)                                                                                   \
    N(p, t, LENNARD_JONES, "lennard-jones", "Lennard-Jones", MIE, 12.0, 6.0, "4 eps [(sigma/r)^12 - (sigma/r)^6]")     \
    V(p, t, LENNARD_JONES, "lennard-jones", epsilon, "epsilon", 1e15, false, ENERGY, "energy of the interaction")      \
    V(p, t, LENNARD_JONES, "lennard-jones", sigma, "sigma", 1e15, true, LENGTH, "length of the interaction")           \
    N(p, t, MIE, "mie", "Mie", MIE, 0.0, 0.0, "C eps [(sigma/r)^n - (sigma/r)^m], minimum -eps")                       \
    V(p, t, MIE, "mie", epsilon, "epsilon", 1e15, false, ENERGY, "energy of the interaction")                          \
    V(p, t, MIE, "mie", sigma, "sigma", 1e15, true, LENGTH, "length of the interaction")                               \
    V(p, t, MIE, "mie", repulsive, "repulsive", 100.0, true, SAME, "exponent n")                                       \
    V(p, t, MIE, "mie", attractive, "attractive", 100.0, true, SAME, "exponent m < n")                                 \
    N(p, t, SOFT_SPHERE, "soft-sphere", "soft sphere", SOFT_SPHERE, 0.0, 0.0, "4 eps (sigma/r)^n")                     \
    V(p, t, SOFT_SPHERE, "soft-sphere", epsilon, "epsilon", 1e15, false, ENERGY, "energy of the interaction")          \
    V(p, t, SOFT_SPHERE, "soft-sphere", sigma, "sigma", 1e15, true, LENGTH, "length of the interaction")               \
    V(p, t, SOFT_SPHERE, "soft-sphere", repulsive, "exponent", 100.0, true, SAME, "exponent n")                        \
    N(p, t, WCA, "wca", "WCA", WCA, 12.0, 6.0, "Lennard-Jones + eps up to its minimum, zero beyond")                   \
    V(p, t, WCA, "wca", epsilon, "epsilon", 1e15, false, ENERGY, "energy of the interaction")                          \
    V(p, t, WCA, "wca", sigma, "sigma", 1e15, true, LENGTH, "length of the interaction")                               \
    N(p, t, BUCKINGHAM, "buckingham", "Buckingham", BUCKINGHAM, 0.0, 0.0,                                              \
      "A exp(-r/rho) - C/r^6; sites nearer than its maximum are an error")                                             \
    V(p, t, BUCKINGHAM, "buckingham", epsilon, "A", 1e15, true, ENERGY, "energy of the repulsion")                     \
    V(p, t, BUCKINGHAM, "buckingham", sigma, "rho", 1e15, true, LENGTH, "decay length of the repulsion")               \
    V(p, t, BUCKINGHAM, "buckingham", attractive, "C", 1e15, false, ENERGY, "attraction, energy times length^6")       \
    N(p, t, YUKAWA, "yukawa", "Yukawa", YUKAWA, 0.0, 0.0, "eps exp[-kappa (r - sigma)] sigma/r")                       \
    V(p, t, YUKAWA, "yukawa", epsilon, "epsilon", 1e15, false, ENERGY, "energy at the distance sigma")                 \
    V(p, t, YUKAWA, "yukawa", sigma, "sigma", 1e15, true, LENGTH, "length of the interaction")                         \
    V(p, t, YUKAWA, "yukawa", repulsive, "kappa", 1e15, true, SAME, "inverse screening length")                        \
    N(p, t, MORSE, "morse", "Morse", MORSE, 0.0, 0.0, "eps [(1 - exp(-a (r - minimum)))^2 - 1]")                       \
    V(p, t, MORSE, "morse", epsilon, "epsilon", 1e15, false, ENERGY, "depth of the well")                              \
    V(p, t, MORSE, "morse", sigma, "minimum", 1e15, true, LENGTH, "distance of the minimum")                           \
    V(p, t, MORSE, "morse", repulsive, "a", 1e15, true, SAME, "stiffness, an inverse length")                          \
    N(p, t, TABLE, "table", "table", TABLE, 0.0, 0.0, "a smooth u(r) through the points of a file")                    \
    T(p, t, TABLE, "table", table, "file",                                                                             \
      "text of two or three columns beside this file: r, u, and -u'(r) to compare")                                    \
    N(p, t, FORMULA, "formula", "formula", FORMULA, 0.0, 0.0,                                                          \
      "u as you write it, of r and of how the sites are turned")                                                       \
    T(p, t, FORMULA, "formula", formula, "u",                                                                          \
      "of r, a.n, b.n, a.b, with three axes a1.n .. b3.n and a1.b1 .. a3.b3, and constants: "                          \
      "+ - * / ^, exp, log, sqrt, sin, cos, tanh")                                                                     \
    T(p, t, FORMULA, "formula", constants, "constants", "numbers by the names that u has for them")

#define PH_FORM_KIND(KIND, formula, decay, end, wall, size, depth) PH_RADIAL_##KIND,
enum ph_radial_kind {
    PH_RADIAL_NONE,
    PH_FORMS_IN_LOOPS(PH_FORM_KIND) PH_FORMS_ALONE(PH_FORM_KIND) PH_FORMS_OF_CURVES(PH_FORM_KIND) PH_RADIAL_KINDS
};
#undef PH_FORM_KIND

#define PH_FORM_NAME(p, t, NAME, name, title, KIND, repulsive, attractive, formula) PH_FORM_##NAME,
#define PH_FORM_NOTHING(...)
enum ph_form_name { PH_FORM_NAMES(PH_FORM_NAME, PH_FORM_NOTHING, PH_FORM_NOTHING, , ) PH_FORM_COUNT };
#undef PH_FORM_NAME

/* Radial interaction of two sites: its form, and the numbers of the form as PH_FORM_NAMES says; others are 0. Mie: C =
 * n/(n-m) (n/m)^(m/(n-m)), which makes the minimum -epsilon; n = 12, m = 6 is Lennard-Jones. Curves: depth and size of
 * the curve, its number, and where it begins, as ph_curve_radial says. */
struct ph_radial {
    enum ph_radial_kind kind;
    double epsilon, sigma;
    double repulsive, attractive;
};

/* How a number of unlike sites follows from those of like ones: geometric mean, arithmetic mean or geometric mean by
 * interactions.combining; or there is no rule, and the numbers must agree. */
enum ph_form_rule { PH_RULE_SAME, PH_RULE_ENERGY, PH_RULE_LENGTH };

/* A number of a form; offset: of the member of struct ph_radial */
struct ph_form_number {
    enum ph_form_name form;
    const char *key, *help;
    size_t offset;
    enum ph_form_rule rule;
};

/* A text of a form */
struct ph_form_text {
    enum ph_form_name form;
    const char *key, *help;
};

struct ph_form {
    const char *name, *title, *formula; /* as in inputs; for people */
    enum ph_radial_kind kind;
    double repulsive, attractive; /* fixed exponents, or 0 */
};

extern const struct ph_form ph_forms[PH_FORM_COUNT];
extern const struct ph_form_number ph_form_numbers[];
extern const size_t ph_form_number_count;
extern const struct ph_form_text ph_form_texts[];
extern const size_t ph_form_text_count;

/* The form that this interaction would be written as; NULL for none */
const struct ph_form *ph_form_of(const struct ph_radial *radial);
/* "Lennard-Jones, epsilon 1, sigma 1" */
void ph_radial_describe(const struct ph_radial *radial, size_t size, char *text);

static inline bool ph_radial_is_curve(const struct ph_radial *radial)
{
    return radial->kind == PH_RADIAL_TABLE || radial->kind == PH_RADIAL_FORMULA;
}

/* See PH_FORMS_IN_LOOPS; of no interaction INFINITY, and 0 four times */
double ph_radial_decay(const struct ph_radial *radial);
double ph_radial_end(const struct ph_radial *radial);
double ph_radial_wall(const struct ph_radial *radial);
double ph_radial_size(const struct ph_radial *radial);
double ph_radial_depth(const struct ph_radial *radial);

/* Returns false, and says why, if the numbers make no sense together. */
bool ph_radial_possible(const struct ph_radial *radial, size_t size, char *text);

/* Returns false if there is no rule for these two; neither has kind NONE. */
bool ph_radial_combine(const struct ph_radial *one, const struct ph_radial *other, bool geometric,
                       struct ph_radial *out);

static inline bool ph_radial_alike(const struct ph_radial *a, const struct ph_radial *b)
{
    return a->kind == b->kind && a->epsilon == b->epsilon && a->sigma == b->sigma && a->repulsive == b->repulsive &&
           a->attractive == b->attractive;
}

#endif
