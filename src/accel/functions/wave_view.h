/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_FUNCTIONS_WAVE_VIEW_H
#define PH_ACCEL_FUNCTIONS_WAVE_VIEW_H

/* Data for the bodies of accel/functions/wave_functions.h and accel/functions/mesh_functions.h: the part of an Ewald
 * sum in reciprocal space, one by one or on a mesh. All arrays are in the memory of a machine;
 * accel/engine/wave_engine.c makes them from the tables of the processor (force/longrange/ewald.h).
 *
 * Charged sites have places t = k most + a: a counts the sites with a charge or a dipole of the molecule in slot k. */

#include "force/longrange/mesh/window.h"
#include "force/longrange/quadrupole_sites.h"
#include "force/longrange/surface.h"

#include <stddef.h>
#include <stdint.h>

struct ph_complex {
    double re, im;
};

/* A Fourier transform of one line of n numbers, by factors of n */
enum { PH_FFT_STAGES = 16 };
struct ph_fft {
    uint32_t n, stages, radix[PH_FFT_STAGES];
    struct ph_complex *root; /* exp(-2 pi i k/n), k = 0 .. n-1 */
};

/* Numbers that are summed over all molecules: dipole moment, second moment (slab), force */
enum { PH_MOMENTS = 7, PH_NET_FORCE = 4 };
/* Energy and six numbers of the virial */
enum { PH_WAVE_SUMS = 7 };

/* Integers of the density on a mesh: the value of a site is up to 2^PH_DENSITY_BITS, the remainder has as many more
 * bits. */
enum { PH_DENSITY_BITS = 32 };
#define PH_DENSITY_STEP 0x1p32

struct ph_wave_view {
    bool present, mesh, dipoles, quadrupoles, remove_net_force; /* quadrupoles come with dipoles */
    uint32_t most;                                              /* charged sites of a molecule */
    size_t n_waves;              /* more than 32 bits say, of a mesh of 2048 points each way */
    uint32_t *n_charged;         /* of each species; and of each of its charged sites, [species PH_SITES_MAX + a]: */
    uint32_t *position, *dipole; /* fields of its record; a dipole that is not there names the position */
    double *charge;
    struct ph_charged_tensor *tensor; /* NULL without quadrupoles */
    double dual[3][3];
    struct ph_surface surface;
    double mass;                              /* of all molecules */
    double *field[3], *pull[3], *gradient[6]; /* of each site: as in force/longrange/wave_sites.h */
    double *factor, *slope;                   /* of each wave: a(k), and of the virial */
    double *square;                           /* |S(k)|^2 */
    double *sums;                             /* PH_WAVE_SUMS x PH_ENERGY_PARTS */
    double *moment; /* PH_MOMENTS arrays of n, by slots; parts of their sums, x PH_ENERGY_PARTS; sums */
    double *moment_parts, *moments;

    /* One by one */
    double inverse[3][3];
    int32_t *n[3];            /* of each wave: its integers */
    double *turns[3], *mu[3]; /* of each site: turns along the edges, dipole */
    double *m[6];             /* and quadrupole */
    struct ph_complex *part;  /* PH_PARTS of S(k) of each wave */
    struct ph_complex *wave;  /* S(k) */

    /* On a mesh. Points lie z first, then y, x; waves likewise, with half of z and one; factors z, then x, y. */
    uint32_t points[3], half;
    struct ph_fft fft[3];
    struct ph_window *window;
    uint32_t width, orders; /* of the window; and of its derivatives that are kept */
    double to_points[3][3];
    double scale, inverse_scale; /* of the density, in integers */
    double longest, widest;      /* dipole along an edge, in points; number of a quadrupole */
    int64_t *density, *remainder;
    double *potential;
    struct ph_complex *work;
    int32_t *first[3];  /* of each site: where its window begins; -1: it is nowhere */
    double *number[10]; /* charge, dipole and quadrupole in points */
    double *windows;    /* [order][edge][point][site] */
};

#endif
