/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_RANDOM_H
#define PH_BASE_RANDOM_H

/* Random numbers by counter: Philox4x64-10 (Salmon, Moraes, Dror, Shaw, SC11, 2011). A stream is named by a seed, a
 * purpose and an index, for example of a molecule, and needs no state but the number of draws. So a molecule's numbers
 * do not depend on the number of threads, nor on what other molecules have drawn. */

#include "base/lanes.h"

#include <stddef.h>
#include <stdint.h>

/* One value for each use, so that no two uses share numbers; new ones go to the end. */
enum ph_random_purpose {
    PH_RANDOM_ORDER,       /* which molecule sits where */
    PH_RANDOM_JITTER,      /* displacement from the lattice */
    PH_RANDOM_POSITION,    /* random places */
    PH_RANDOM_ORIENTATION, /* random orientations */
    PH_RANDOM_MOMENTUM,    /* of translation */
    PH_RANDOM_SPIN,        /* angular momentum */
    PH_RANDOM_THERMOSTAT,  /* noise of a thermostat; the index may combine molecule and step */
    PH_RANDOM_TEST,
    PH_RANDOM_PROBLEM,         /* starts of the problems of src/lab */
    PH_RANDOM_METROPOLIS,      /* which steps are accepted */
    PH_RANDOM_CELL,            /* noise of a barostat, and which of its changes are accepted */
    PH_RANDOM_LANGEVIN,        /* noise on each molecule; the index counts half steps */
    PH_RANDOM_MINIMISE,        /* directions that separate molecules at one place */
    PH_RANDOM_CONFIGURATIONAL, /* signs for the configurational temperature */
    PH_RANDOM_PROTONS,         /* hydrogens of ices */
    PH_RANDOM_INSERTION,       /* test molecules; the index combines frame and insertion */
};

struct ph_random {
    uint64_t seed, purpose, index; /* the name of the stream */
    uint64_t block;                /* of four numbers, the next to be made */
    uint64_t number[4];
    int left; /* of these four */
};

struct ph_random ph_random_stream(uint64_t seed, enum ph_random_purpose purpose, uint64_t index);

uint64_t ph_random_bits(struct ph_random *random);
double ph_random_uniform(struct ph_random *random);                /* in (0, 1), never 0 or 1; steps of 2^-53 */
double ph_random_normal(struct ph_random *random);                 /* mean 0, variance 1 */
uint64_t ph_random_below(struct ph_random *random, uint64_t n);    /* 0 .. n - 1, all equally likely; n > 0 */
void ph_random_direction(struct ph_random *random, double v[3]);   /* uniform on the unit sphere */
void ph_random_orientation(struct ph_random *random, double q[4]); /* uniform on the rotations */

/* Normal numbers for loops over molecules: six for each of PH_LANES streams, which have a second index (the number of a
 * molecule) besides the first. A block of Philox has 256 bits, enough for six uniform numbers in steps of 2^-42, whose
 * normal numbers end at 7.7 standard deviations: beyond that is one of 10^14. All are used, by Box and Muller's pairs.
 */
void ph_random_normals(uint64_t seed, enum ph_random_purpose purpose, uint64_t index, const uint32_t second[PH_LANES],
                       double normal[6][PH_LANES]);

#endif
