/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_VIEW_H
#define PH_ACCEL_FUNCTIONS_VIEW_H

/* Data for the bodies of accel/functions/device_functions.h: the state of all molecules, lists and constants, in the
 * memory of a machine.
 *
 * Molecules are known by their number i in all arrays of the state. For pairs they lie in slots, in spatial order where
 * there are lists: molecule order[k] is in slot k, rank[i] is the slot of molecule i. */

#include "accel/functions/bath_view.h"
#include "accel/functions/site_view.h"
#include "accel/functions/wave_view.h"
#include "base/external_fields.h"
#include "model/system.h"
#include "potential/pair.h"
#include "rigid/top.h"

#include <stdint.h>

/* Kernels count 32 threads for each in 32 bits. */
enum { PH_MOLECULES_MOST = 1 << 26 };

/* A molecule as its partners see it, in space */
struct ph_slot {
    double r[3], mu[3];
} __attribute__((aligned(16)));

/* Energies and virial of one molecule, in this order: of pairs radial, electric, virial 3 x 3; then of external fields.
 * And how many partial sums the machine makes of all molecules' */
enum { PH_ENERGIES = 11, PH_FIELD_ENERGY = 11, PH_ALL_ENERGIES = 12, PH_ENERGY_PARTS = 1024 };

/* A molecule's forces are summed in so many parts, which are then added in one order: threads on a device. Each reads
 * so many partners from a list at once. */
enum { PH_PARTS = 8, PH_ROW = 2 };

/* Partners are sought in so many cells on each side along x, where cells are thin, and along y and z: rows of them are
 * runs of slots that are neighbours in space. */
enum { PH_AROUND_X = 6, PH_AROUND = 2 };

/* Cells that a device counts in one piece */
enum { PH_SCAN_SHARE = 4096 };

/* Seen by the host, too. Set to 0 before. */
struct ph_signals {
    int moved;                  /* the list is outdated */
    uint32_t most;              /* partners of a molecule, if not all fitted; else 0 */
    uint32_t first_bad;         /* UINT32_MAX less the first molecule whose force is not finite; 0: all are */
    double sums[PH_STATE_SUMS]; /* over all molecules, as of ph_state_sums */
};

/* External fields, see accel/functions/external_functions.h */
struct ph_external_view {
    bool present;
    struct ph_external_fields fields;
    double attractor[4];        /* fields.attractor as a quaternion */
    uint32_t *acts;             /* of each species: bits of the fields that act on it */
    struct ph_species *species; /* copies */
    double *anchor[3];          /* of tethers, or NULL */
};

/* Pending work, see engine.c: it changes from task to task. */
struct ph_pending_work {
    double kick;                    /* its time; the next drift does it first; 0: none */
    uint32_t halves;                /* of a bath, after the kick */
    bool kinetic_stale;             /* take kinetic energies from the parts, not the stored ones */
    uint64_t seed;                  /* of noise, */
    uint64_t index[PH_BATH_HALVES]; /* in each half step */
    struct ph_scaling scaling[PH_BATH_HALVES];
};

struct ph_accel_view {
    uint32_t n;
    bool periodic, tilted, pinned, rotates, listed;
    bool round;                         /* of one species: spheres, linear rotors, or points */
    double edge[3], inverse[3];         /* of a right-angled box, and their inverses */
    double edges[3][3], inverses[3][3]; /* of a tilted one, as in model/box.h */
    double dipole[3];                   /* body frame */
    struct ph_top top;
    struct ph_pair_term term;
    int variant; /* of the pair formulas, see device_functions.h; -1: formulas of `sites` */
    struct ph_site_view sites;
    struct ph_external_view external;
    struct ph_wave_view waves;
    struct ph_bath_view bath;

    double *r[3], *p[3], *q[4], *m[3], *f[3], *t[3];
    int32_t *image[3];
    double *residual[9]; /* of r, p, m; NULL without compensated sums */

    double *kept, *aside, *fast; /* copies, see aside_functions.h; NULL until they are needed */
    double *map;                 /* of centres, to a new box: 3 x 3 */

    double *built_at[3]; /* centres when slots and lists were made */
    double watch2;       /* square of the distance from there at which they are outdated */
    uint32_t *order, *rank;
    struct ph_slot *slot;

    /* Lists. Cells lie x first, then y, z; cell c has slots start[c] .. start[c+1]. place_in_list of device_functions.h
     * finds partner e of the molecule in slot k. */
    uint32_t cells[3];
    double width[3];                 /* of a cell, from face to face */
    uint32_t *cell, *filled, *start; /* of each molecule; of each cell */
    uint32_t *share_start;           /* of each share of PH_SCAN_SHARE cells, while cells are counted */
    double reach2;                   /* square of the largest distance of partners in the list */
    double margin;                   /* a molecule further from all faces has no image of another within the cutoff */
    uint32_t *list, *partners;       /* partners: how many each slot has */
    uint32_t room;                   /* for so many of each, a multiple of PH_ROW PH_PARTS */

    double *parts;  /* without lists: PH_PARTS x (7 + PH_ENERGIES) arrays of n, for sums that threads share */
    double *energy; /* PH_ALL_ENERGIES arrays of n, by slots, the last by molecules */
    double *sums;   /* PH_ALL_ENERGIES x PH_ENERGY_PARTS */
    struct ph_signals *signals;
    int *outdated; /* as signals->moved, but for tasks; 0 after a list build */

    uint64_t version;               /* changes with everything except pending work: a machine may have a copy */
    struct ph_pending_work pending; /* last */
};

#endif
