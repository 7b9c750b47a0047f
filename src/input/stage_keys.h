/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_STAGE_KEYS_H
#define PH_INPUT_STAGE_KEYS_H

#include "input/input.h"

/* The rows of thermostat and barostat below a path, for members `thermostat` and `barostat` at an offset: they stand
 * below `dynamics` and below each of `stages`. */
#define PH_BATH_AT(offset, member) (offset) + offsetof(struct ph_input_bath, member)
#define PH_CELL_AT(offset, member) (offset) + offsetof(struct ph_input_cell, member)
#define PH_WORD_SIZE .size = PH_WORD

#define PH_BATH_KEYS(path, at)                                                                                         \
    {path, PH_KEY_MAP, PH_BATH_AT(at, line),                                                                           \
     .help = "heat bath; without one, and without a barostat, energy is "                                              \
             "conserved"},                                                                                             \
        {path ".kind",                                                                                                 \
         PH_KEY_CHOICE,                                                                                                \
         PH_BATH_AT(at, kind),                                                                                         \
         PH_WORD_SIZE,                                                                                                 \
         .required = true,                                                                                             \
         .choices = "langevin|langevin-middle|metropolis|velocity-rescaling|nose-hoover|nose-poincare",                \
         .help = "see polhode list thermostats"},                                                                      \
        {path ".temperature", PH_KEY_NUMBER, PH_BATH_AT(at, temperature),                                              \
         .high = 1e15,        .above = true, .help = "default: that of the stage before, or of the start"},            \
        {path ".friction", PH_KEY_NUMBER, PH_BATH_AT(at, friction), .high = 1e15,                                      \
         .help = "langevin, langevin-middle, metropolis: of translation, per time; default: 1 in 100 steps"},          \
        {path ".rotation_friction", PH_KEY_NUMBER, PH_BATH_AT(at, rotation_friction), .high = 1e15,                    \
         .help = "the same of rotation; default: as friction"},                                                        \
        {path ".relaxation_time", PH_KEY_NUMBER, PH_BATH_AT(at, relaxation_time), .high = 1e15,                        \
         .help = "velocity-rescaling, nose-hoover, nose-poincare: in which kinetic energies follow; default: 50 "      \
                 "steps"},                                                                                             \
        {path ".substeps",                                                                                             \
         PH_KEY_INTEGER,                                                                                               \
         PH_BATH_AT(at, substeps),                                                                                     \
         .low = 1.0,                                                                                                   \
         .high = 1e6,                                                                                                  \
         .help = "metropolis: as many steps of the scheme, of step/substeps each, are accepted or rejected together; " \
                 "default: 1"},                                                                                        \
        {path ".shadow", PH_KEY_FLAG, PH_BATH_AT(at, shadow), .fallback = "false",                                     \
         .help =                                                                                                       \
             "metropolis with sbab2 or saba2: accepts steps by the shadow energy; polhode analyze averages weighs "    \
             "the rows"},                                                                                              \
        {path ".chain", PH_KEY_INTEGER, PH_BATH_AT(at, chain),                                                         \
         .low = 1.0,    .high = 5.0,    .help = "nose-hoover: length of the chains; default: 3"},                      \
    {                                                                                                                  \
        path ".seed", PH_KEY_INTEGER, PH_BATH_AT(at, seed), .high = 0x1p53, .fallback = "1",                           \
                                                            .help = "of the random numbers"                            \
    }

#define PH_CELL_KEYS(path, at)                                                                                         \
    {path, PH_KEY_MAP, PH_CELL_AT(at, line), .help = "what changes the box; centres of molecules move with it"},       \
        {path ".kind",                                                                                                 \
         PH_KEY_CHOICE,                                                                                                \
         PH_CELL_AT(at, kind),                                                                                         \
         PH_WORD_SIZE,                                                                                                 \
         .required = true,                                                                                             \
         .choices = "cell-rescaling|andersen|ramp",                                                                    \
         .help = "see polhode list barostats"},                                                                        \
        {path ".pressure", PH_KEY_NUMBER, PH_CELL_AT(at, pressure),                                                    \
         .help = "in the units of the input (md: kJ/mol/nm^3, which is 16.6054 bar)"},                                 \
        {path ".pressure_bar", PH_KEY_NUMBER, PH_CELL_AT(at, pressure_bar),                                            \
         .help = "instead of pressure, md units only: in bar"},                                                        \
        {path ".shape",                                                                                                \
         PH_KEY_CHOICE,                                                                                                \
         PH_CELL_AT(at, shape),                                                                                        \
         PH_WORD_SIZE,                                                                                                 \
         .fallback = "isotropic",                                                                                      \
         .choices = "isotropic|edges|full",                                                                            \
         .help = "cell-rescaling: all edges by one factor, each by its own, or all six parameters of the box"},        \
        {path ".relaxation_time",                                                                                      \
         PH_KEY_NUMBER,                                                                                                \
         PH_CELL_AT(at, relaxation_time),                                                                              \
         .high = 1e15,                                                                                                 \
         .above = true,                                                                                                \
         .help = "in which the volume follows; default: 500 steps"},                                                   \
        {path ".compressibility",                                                                                      \
         PH_KEY_NUMBER,                                                                                                \
         PH_CELL_AT(at, compressibility),                                                                              \
         .high = 1e15,                                                                                                 \
         .above = true,                                                                                                \
         .help = "about that of the substance: it does not change averages; default: that of a liquid, 0.05 V/(N "     \
                 "kT)"},                                                                                               \
        {path ".density", PH_KEY_NUMBER, PH_CELL_AT(at, density),                                                      \
         .high = 1e15,    .above = true, .help = "ramp: molecules per volume at the end of the stage"},                \
        {path ".every", PH_KEY_INTEGER, PH_CELL_AT(at, every),                                                         \
         .low = 1.0,    .high = 0x1p53, .help = "cell-rescaling, ramp: steps between changes; default: 10"},           \
    {                                                                                                                  \
        path ".seed", PH_KEY_INTEGER, PH_CELL_AT(at, seed), .high = 0x1p53, .fallback = "1",                           \
                                                            .help = "of the random numbers"                            \
    }

#endif
