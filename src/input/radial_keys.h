/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_RADIAL_KEYS_H
#define PH_INPUT_RADIAL_KEYS_H

#include "input/input.h"

#include <math.h>

/* The rows of the four radial forms below the path of a list item, for the radial member of a struct. Two tables
 * contain them: the table for models and the table for pairs. All forms share the numbers of struct ph_input_radial;
 * one form alone may be given. */
#define PH_RADIAL_AT(type, member) (offsetof(struct type, radial) + offsetof(struct ph_input_radial, member))
#define PH_RADIAL_NUMBERS(path, type)                                                                                  \
    {path ".epsilon", PH_KEY_NUMBER,    PH_RADIAL_AT(type, epsilon),                                                   \
     .high = 1e15,    .required = true, .help = "energy of the interaction"},                                          \
    {                                                                                                                  \
        path ".sigma", PH_KEY_NUMBER, PH_RADIAL_AT(type, sigma), .high = 1e15, .above = true, .required = true,        \
                                                                 .help = "length of the interaction"                   \
    }
#define PH_RADIAL_KEYS(path, type)                                                                                     \
    {path ".lennard-jones", PH_KEY_MAP, PH_RADIAL_AT(type, lennard_jones),                                             \
     .help = "4 eps [(sigma/r)^12 - (sigma/r)^6]"},                                                                    \
        PH_RADIAL_NUMBERS(path ".lennard-jones", type),                                                                \
        {path ".mie", PH_KEY_MAP, PH_RADIAL_AT(type, mie), .help = "C eps [(sigma/r)^n - (sigma/r)^m], minimum -eps"}, \
        PH_RADIAL_NUMBERS(path ".mie", type),                                                                          \
        {path ".mie.repulsive", PH_KEY_NUMBER,    PH_RADIAL_AT(type, repulsive), .high = 100.0,                        \
         .above = true,         .required = true, .help = "exponent n"},                                               \
        {path ".mie.attractive", PH_KEY_NUMBER,    PH_RADIAL_AT(type, attractive), .high = 100.0,                      \
         .above = true,          .required = true, .help = "exponent m < n"},                                          \
        {path ".soft-sphere", PH_KEY_MAP, PH_RADIAL_AT(type, soft_sphere), .help = "4 eps (sigma/r)^n"},               \
        PH_RADIAL_NUMBERS(path ".soft-sphere", type),                                                                  \
        {path ".soft-sphere.exponent",                                                                                 \
         PH_KEY_NUMBER,                                                                                                \
         PH_RADIAL_AT(type, repulsive),                                                                                \
         .high = 100.0,                                                                                                \
         .above = true,                                                                                                \
         .required = true,                                                                                             \
         .help = "exponent n"},                                                                                        \
        {path ".wca", PH_KEY_MAP, PH_RADIAL_AT(type, wca),                                                             \
         .help = "Lennard-Jones + eps up to its minimum, zero beyond"},                                                \
        PH_RADIAL_NUMBERS(path ".wca", type)

#endif
