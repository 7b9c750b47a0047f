/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_VIRIAL_H
#define PH_LAB_VIRIAL_H

/* The second virial coefficient of two molecules,
 *   B2 = -2 pi int r^2 F(r) dr,   F = <exp(-u/kT) - 1>, Mayer's function averaged over the orientations of both,
 * by quadrature if all sites, dipoles and axes of each lie on a line through its centre, else by Monte Carlo.
 *
 * Charges are points, and where two of opposite sign meet the integral would have no value: molecules are kept apart by
 * their radial terms. Where these alone exceed 1000 kT the pair is forbidden, F = -1, whatever charges would add. */

#include "force/pairs/loops/two_molecules.h"

#include <stdint.h>

struct ph_virial_task {
    const struct ph_system *system; /* for its species */
    const struct ph_pair_table *table;
    const struct ph_interactions *interactions;
    size_t a, b; /* species */
    double kT;
    size_t samples; /* Monte Carlo: of orientations */
    uint64_t seed;
    void (*progress)(double fraction, void *data); /* NULL: none; called by one thread at a time */
    void *progress_data;
};

struct ph_virial_result {
    double value, error; /* Monte Carlo: standard error; quadrature: an estimate from above */
    size_t n;
    double *r, *f, *f_error; /* F; owned, freed by ph_virial_free */
};
void ph_virial_free(struct ph_virial_result *result);

/* Lengths of a pair */
struct ph_virial_lengths {
    double sigma;             /* largest of all radial terms; without any, the larger of `reach` and 1 */
    double reach;             /* sum of the extents of both molecules */
    double cutoff, switch_on; /* of sites; INFINITY without */
    bool endless;             /* the potential has no cutoff */
};
struct ph_virial_lengths ph_virial_lengths(const struct ph_virial_task *task);

/* exp(-u/kT) - 1 for the orientations that `two` has, centres a distance r apart along z */
double ph_virial_mayer(const struct ph_virial_task *task, struct ph_two_molecules *two, double r);

/* Whether the task is one for quadrature: both species are axial or points */
bool ph_virial_axial(const struct ph_virial_task *task);

/* PH_ERR_MEMORY; PH_ERR_NUMBERS where the integrand is not finite */
enum ph_status ph_virial_by_quadrature(const struct ph_virial_task *task, struct ph_virial_result *result,
                                       struct ph_error *err);
enum ph_status ph_virial_by_samples(const struct ph_virial_task *task, struct ph_virial_result *result,
                                    struct ph_error *err);

#endif
