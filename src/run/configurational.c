/* SPDX-License-Identifier: MIT */
/* Let X be a direction of motion that conserves volume: a centre moves along an axis of space, or a molecule turns
 * about an axis of space. (The uniform measure of orientations does not change by rotations.) The integral of X(...)
 * over all configurations is then zero, and with ... = (X U) exp(-U/kT)
 *   <(X U)^2> = kT <X X U>
 * in the canonical ensemble (B.
 *
 * D. Butler, G. Ayton, O. G. Jepps, D. J. Evans, J. Chem. Phys. 109 (1998) 6519; O. G. Jepps, G. Ayton, D. J. Evans,
 * Phys. Rev. E 62 (2000) 4757). It holds for every X, so for every sum over them with constant weights. All weights
 * are 1 here, in the units of the input. */

/* The sums run over the 3 directions of each centre, and over the 3 axes of space of each molecule:
 *   translation: kT = <sum f.f> / <sum of -df_a/dr_a>,   rotation: kT = <sum t.t> / <sum of -X_a t_a>,
 * t the torque in space, since X_a U = -t_a.
 *
 * For a linear molecule these three fields are tangent to the sphere of its directions, and sum X_a X_a is the
 * Laplacian there. So nothing changes. Point particles have no torque. */

/* One derivative along a random motion estimates the sums of second derivatives (M. F. Hutchinson, Commun. Stat. Simul.
 * Comput. 18 (1989) 1059). Centres move with velocities z, and molecules turn with angular velocities z constant in
 * space, all z independently +1 or -1. Along Z = sum z_a X_a it is Z Z U = sum z_a z_b X_a X_b U, whose
 * mean over the signs is sum X_a X_a U. Rotations do not commute: X_a X_b U and X_b X_a U of one molecule differ by
 * a torque. */

/* But z_a z_b is symmetric, so that only half the sum of both enters. The force field says how forces and torques,
 * components in space, change along this motion: -z.df and -z.dt. Signs of centres and of rotations are independent,
 * so that their mixed terms are zero in the mean. */
#include "run/configurational.h"

#include "base/array.h"
#include "base/random.h"
#include "run/build/methods.h"

#include <math.h>
#include <stdlib.h>

enum { VELOCITY = 0, OMEGA = 3, FORCE_RATE = 6, TORQUE_RATE = 9, PRODUCTS = 12, ARRAYS };

/* The largest radius of gyration; 1 where nothing turns, and where it does not matter. */
static double length_of(const struct ph_system *system)
{
    double largest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        largest = fmax(largest, ph_species_gyration(&system->species[s]));
    return largest > 0.0 ? largest : 1.0;
}

/* Input of the loops over molecules that draw random signs and use them */
struct work {
    const struct ph_system *system;
    double length; /* of motions of centres */
    uint64_t seed;
    int64_t step;
    double *const *array; /* ARRAYS */
};

static void draw_signs(struct ph_range range, void *data)
{
    const struct work *work = data;
    const struct ph_system *system = work->system;
    for (size_t i = range.begin; i < range.end; ++i) {
        const uint64_t index = (uint64_t)work->step * system->n + system->id[i];
        struct ph_random random = ph_random_stream(work->seed, PH_RANDOM_CONFIGURATIONAL, index);
        const uint64_t bits = ph_random_bits(&random);
        for (int k = 0; k < 6; ++k)
            work->array[k][i] = (k < OMEGA ? work->length : 1.0) * ((bits >> k & 1) ? 1.0 : -1.0);
    }
}

/* ---- Sums: of each molecule four numbers, which are added up in the order of molecules ---- */

enum { SQUARED_FORCE, ALONG_VELOCITY, SQUARED_TORQUE, ALONG_OMEGA, SUMS };

static double product(double *const a[3], double *const b[3], size_t i)
{
    return a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
}

static void add_block(const struct ph_columns_block *block, void *data)
{
    double *sum = data;
    for (size_t x = 0; x < SUMS; ++x)
        for (size_t k = 0; k < block->end - block->begin; ++k)
            sum[x] += block->row[x * block->step + k];
}

static void find_products(struct ph_range range, void *data)
{
    const struct work *work = data;
    const struct ph_system *system = work->system;
    double *const *array = work->array;
    const size_t step = ph_padded(system->n);
    for (size_t i = range.begin; i < range.end; ++i) {
        array[PRODUCTS][SQUARED_FORCE * step + i] = product(system->f, system->f, i);
        array[PRODUCTS][ALONG_VELOCITY * step + i] = product(array + VELOCITY, array + FORCE_RATE, i);
        array[PRODUCTS][SQUARED_TORQUE * step + i] = product(system->t, system->t, i);
        array[PRODUCTS][ALONG_OMEGA * step + i] = product(array + OMEGA, array + TORQUE_RATE, i);
    }
}

static enum ph_status add_up(struct ph_state *state, struct work *work, double sum[SUMS], struct ph_error *err)
{
    double *row[SUMS];
    for (size_t x = 0; x < SUMS; ++x) {
        row[x] = work->array[PRODUCTS] + x * ph_padded(work->system->n);
        sum[x] = 0.0;
    }
    ph_state_each(state, find_products, work);
    return ph_state_find(state, &(struct ph_column_set){.n = SUMS, .row = row}, add_block, sum, SUMS * sizeof *sum, sum,
                         err);
}

enum ph_status ph_configurational_observe(struct ph_state *state, bool pinned, uint64_t seed, int64_t step,
                                          struct ph_configurational *out, struct ph_error *err)
{
    const struct ph_system *system = ph_state_system(state);
    const double length = length_of(system);
    double *array[ARRAYS] = {NULL}, sum[SUMS];
    enum ph_status status = PH_OK;
    for (int k = 0; k < ARRAYS && status == PH_OK; ++k)
        if (!(array[k] = ph_array_create((k == PRODUCTS ? SUMS : 1) * ph_padded(system->n), sizeof(double))))
            status = ph_no_memory(err, "the configurational temperature of %zu molecules", system->n);
    status = ph_state_agree(state, status, err);
    struct work work = {system, pinned ? 0.0 : length, seed, step, array};
    if (status == PH_OK) {
        ph_state_each(state, draw_signs, &work);
        status = ph_state_rates(
            state, &(struct ph_rates){array + VELOCITY, array + OMEGA, array + FORCE_RATE, array + TORQUE_RATE}, err);
        ph_force_field_give_back(ph_state_field(state));
    }
    if (status == PH_OK)
        status = add_up(state, &work, sum, err);
    if (status == PH_OK)
        *out = (struct ph_configurational){
            .squared_force = pinned ? 0.0 : sum[SQUARED_FORCE],
            .laplacian_translation = -sum[ALONG_VELOCITY] / (length * length),
            .squared_torque = sum[SQUARED_TORQUE],
            .laplacian_rotation = -sum[ALONG_OMEGA],
        };
    for (int k = 0; k < ARRAYS; ++k)
        free(array[k]);
    return status;
}

enum ph_status ph_configurational_check(const struct ph_system *system, const struct ph_interactions *interactions,
                                        struct ph_error *err)
{
    if (ph_smoothness(system, interactions) >= 1)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "output.configurational_temperature needs forces that are continuous, and these jump at the "
                        "cutoff. Take interactions.truncation: switched or force-shifted.");
}
