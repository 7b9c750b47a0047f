/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_LONGRANGE_WAVES_H
#define PH_FORCE_LONGRANGE_WAVES_H

/* The part of an Ewald sum in reciprocal space, a sum over waves exp(i k.r),
 *   U = sum over half of all k of a(k) |S(k)|^2,   S(k) = sum over sites of (q + i k.mu - k.M k) exp(i k.r),
 *   a(k) = (4 pi/V) C g(k^2)/k^2   (force/longrange/split.h),
 * with its gradients at the sites.
 *
 * The other half, -k, is the same once more. Every site interacts with every other, itself and all images; the part
 * within a rigid molecule is a constant, taken off in ewald.c. */

/* Ranks that share a system have their own sites, and all waves. S is summed in fixed point. Every term is rounded to a
 * multiple of a unit, and multiples are added as integers. The unit is 2^-50 of the largest possible term of this wave.
 * For more than 4096 sites it is larger, by as many bits as their sum may need. So neither the order nor the rank
 * matters. */

#include "force/interactions.h"
#include "force/longrange/wave_sites.h"
#include "model/box.h"

/* Reciprocal vectors with the same first two integers: k = base + n3 dual[2] */
struct ph_wave_row {
    int n[2], first, last; /* n3 from first to last */
    size_t wave;           /* index of the first */
    double base[3];
};

/* Of the sites of all processes: how many there are, the largest charge, dipole and M, without signs */
struct ph_wave_most {
    size_t n;
    double charge, dipole, tensor;
};

struct ph_waves {
    struct ph_wave_sites *sites; /* not owned; of this process */
    struct ph_wave_most most;
    double dual[3][3];      /* 2 pi times the dual edges */
    double inverse[3][3];   /* of the box: turns of r along the edges */
    int n_max[3];           /* largest |n| */
    size_t n_rows, n_waves; /* owned: */
    struct ph_wave_row *row;
    double *factor;              /* a(k) */
    double *fall;                /* -d ln a/dk^2 = 1/k^2 - g'/g, for the virial */
    double *re, *im;             /* S(k) */
    double *re_rate, *im_rate;   /* its rate; NULL until rates are wanted */
    int64_t *sum;                /* either, in units: re and im of wave w are 2 w and 2 w + 1 */
    double *unit, *length;       /* of a wave: its unit, and |k| */
    size_t room;                 /* so many sites fit into memory: */
    double *cosine[3], *sine[3]; /* of n times the phase along an edge, [n * padded + site], n = 0 .. n_max */
};

enum ph_status ph_waves_init(const struct ph_box *box, const struct ph_interactions *interactions,
                             const struct ph_wave_most *most, struct ph_wave_sites *sites, struct ph_waves *waves,
                             struct ph_error *err);
void ph_waves_clear(struct ph_waves *waves);
/* The same integers n in another box */
void ph_waves_set_box(const struct ph_box *box, const struct ph_interactions *interactions, struct ph_waves *waves);

/* Memory for as many sites as there are now; before the energy */
enum ph_status ph_waves_reserve(struct ph_waves *waves, struct ph_error *err);
/* S, energy and virial from r, mu and charge of the sites, as if these were free: ewald.c corrects the virial. Every
 * rank must call this, and for rates the functions below. */
double ph_waves_energy(struct ph_waves *waves, double virial[3][3]);
/* field and pull, after the energy */
void ph_waves_forces(struct ph_waves *waves);

/* Memory for rates; then field_rate and pull_rate from r_rate and mu_rate, after the forces of the same places */
enum ph_status ph_waves_prepare_rates(struct ph_waves *waves, struct ph_error *err);
void ph_waves_rates(struct ph_waves *waves);

#endif
