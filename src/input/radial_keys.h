/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_RADIAL_KEYS_H
#define PH_INPUT_RADIAL_KEYS_H

#include "input/input.h"

#include <math.h>

/* The rows of all radial forms below the path of a list item, for the radial member of a struct. Two tables contain
 * them: the table for models and the table for pairs. All forms share the numbers of struct ph_input_radial; one form
 * alone may be given. The last row ends with a comma. */
#define PH_RADIAL_AT(type, member) (offsetof(struct type, radial) + offsetof(struct ph_input_radial, member))
#define PH_RADIAL_MAP(path, type, NAME, name, title, KIND, repulsive, attractive, formula)                             \
    {path "." name, PH_KEY_MAP, PH_RADIAL_AT(type, line[PH_FORM_##NAME]), .help = formula},
#define PH_RADIAL_NUMBER(path, type, NAME, name, member, number, highest, positive, rule, text)                        \
    {path "." name "." number, PH_KEY_NUMBER, PH_RADIAL_AT(type, member), .high = highest, .above = positive,          \
     .required = true,         .help = text},
#define PH_RADIAL_TEXT(path, type, NAME, name, member, key, text) PH_RADIAL_##member(path "." name "." key, type, text)
#define PH_RADIAL_table(path, type, text)                                                                              \
    {path, PH_KEY_TEXT, PH_RADIAL_AT(type, table), PH_PATH, .required = true, .help = text},
#define PH_RADIAL_formula(path, type, text)                                                                            \
    {path, PH_KEY_TEXT, PH_RADIAL_AT(type, formula), PH_INPUT_FORMULA, .required = true, .help = text},
#define PH_RADIAL_constants(path, type, text)                                                                          \
    {path,                                                                                                             \
     PH_KEY_WORDS,                                                                                                     \
     PH_RADIAL_AT(type, constants),                                                                                    \
     PH_WORD,                                                                                                          \
     PH_RADIAL_AT(type, n_constants),                                                                                  \
     PH_CURVE_CONSTANTS,                                                                                               \
     .help = text},
#define PH_RADIAL_KEYS(path, type) PH_FORM_NAMES(PH_RADIAL_MAP, PH_RADIAL_NUMBER, PH_RADIAL_TEXT, path, type)

/* The same of angular forms, each with numbers of its own */
#define PH_ANGULAR_AT(type, member) (offsetof(struct type, angular) + offsetof(struct ph_input_angular, member))
#define PH_ANGULAR_MAP(path, type, KIND, name, title, formula)                                                         \
    {path "." name, PH_KEY_MAP, PH_ANGULAR_AT(type, line[PH_ANGULAR_##KIND]), .help = formula},
#define PH_ANGULAR_VALUE(path, type, KIND, name, key_type, place, key, highest, positive, standard, text)              \
    {path "." name "." key, key_type,          PH_ANGULAR_AT(type, number[PH_ANGULAR_##KIND][place]),                  \
     .high = highest,       .above = positive, .required = (const char *)(standard) == NULL,                           \
     .fallback = standard,  .help = text},
#define PH_ANGULAR_NUMBER(path, type, KIND, name, place, key, highest, positive, standard, rule, text)                 \
    PH_ANGULAR_VALUE(path, type, KIND, name, PH_KEY_NUMBER, place, key, highest, positive, standard, text)
#define PH_ANGULAR_VECTOR(path, type, KIND, name, place, key, highest, positive, standard, rule, text)                 \
    PH_ANGULAR_VALUE(path, type, KIND, name, PH_KEY_VECTOR, place, key, highest, positive, standard, text)
#define PH_ANGULAR_KEYS(path, type) PH_ANGULAR_NAMES(PH_ANGULAR_MAP, PH_ANGULAR_NUMBER, PH_ANGULAR_VECTOR, path, type)

/* What two ellipsoids may have of their own in place of what the combining rules give; their shapes and wells are those
 * of the sites. For the angular member of a struct */
#define PH_ELLIPSOID_KEYS(path, type)                                                                                  \
    PH_ELLIPSOID_MAP(path, type, GAY_BERNE, "gay-berne", "of two ellipsoids, or one and a Lennard-Jones site")         \
    PH_ELLIPSOID_NUMBER(path, type, GAY_BERNE, "gay-berne", PH_GB_EPSILON, "epsilon", false,                           \
                        "energy of the interaction")                                                                   \
    PH_ELLIPSOID_NUMBER(path, type, GAY_BERNE, "gay-berne", PH_GB_SIGMA, "sigma", true, "length of the interaction")   \
    PH_ELLIPSOID_MAP(path, type, RE_SQUARED, "re-squared", "of two ellipsoids")                                        \
    PH_ELLIPSOID_NUMBER(path, type, RE_SQUARED, "re-squared", PH_RE_HAMAKER, "A", false,                               \
                        "Hamaker constant, an energy")                                                                 \
    PH_ELLIPSOID_NUMBER(path, type, RE_SQUARED, "re-squared", PH_RE_SIGMA, "sigma", true, "size of the atoms within")
#define PH_ELLIPSOID_MAP(path, type, KIND, name, text) PH_ANGULAR_MAP(path, type, KIND, name, "", text)
#define PH_ELLIPSOID_NUMBER(path, type, KIND, name, place, key, positive, text)                                        \
    PH_ANGULAR_NUMBER(path, type, KIND, name, place, key, 1e15, positive, NULL, OWN, text)

#endif
