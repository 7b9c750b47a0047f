/* SPDX-License-Identifier: MIT */
/* Let X be a direction in which coordinates can move such that volume is conserved: a centre along an axis of space, or
 * a molecule turning about an axis of space (the uniform measure of orientations does not change by rotations). The
 * integral of X(...) over all configurations is then zero, and with ... = (X U) exp(-U/kT)
 *   <(X U)^2> = kT <X X U>
 * in the canonical ensemble (B. D. Butler, G. Ayton, O. G. Jepps, D. J. Evans, J. Chem. Phys. 109 (1998) 6519; O. G.
 * Jepps, G. Ayton, D. J. Evans, Phys. Rev. E 62 (2000) 4757). It holds for every X, so for every sum over them with
 * constant weights; all weights are 1 here, in the units of the input, for the 3 directions of each centre and for the
 * 3 axes of space of each molecule:
 *   translation: kT = <sum f.f> / <sum of -df_a/dr_a>,   rotation: kT = <sum t.t> / <sum of -X_a t_a>,
 * t the torque in space, since X_a U = -t_a. Of a linear molecule these three fields are tangent to the sphere of its
 * directions, and sum X_a X_a is the Laplacian there: nothing changes; point particles have no torque.
 *
 * The sums of second derivatives are estimated by one derivative along a random motion (M. F. Hutchinson, Commun.
 * Stat. Simul. Comput. 18 (1989) 1059): centres move with velocities z, molecules turn with angular velocities z
 * constant in space, all z independently +1 or -1. Along Z = sum z_a X_a it is Z Z U = sum z_a z_b X_a X_b U, whose
 * mean over the signs is sum X_a X_a U. Rotations do not commute: X_a X_b U and X_b X_a U of one molecule differ by a
 * torque. But z_a z_b is symmetric, so that only half the sum of both enters. The force field says how forces and
 * torques, components in space, change along this motion: -z.df and -z.dt. Signs of centres and of rotations are
 * independent: what each does to the other is zero in the mean. */
#include "run/configurational.h"

#include "base/array.h"
#include "base/random.h"
#include "run/methods.h"

#include <math.h>
#include <stdlib.h>

enum { VELOCITY = 0, OMEGA = 3, FORCE_RATE = 6, TORQUE_RATE = 9, ARRAYS = 12 };

/* The largest radius of gyration; 1 where nothing turns, and where it does not matter. */
static double length_of(const struct ph_system *system)
{
    double largest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        largest = fmax(largest, ph_species_gyration(&system->species[s]));
    return largest > 0.0 ? largest : 1.0;
}

static void draw_signs(const struct ph_system *system, double length, uint64_t seed, int64_t step,
                       double *const array[ARRAYS])
{
    for (size_t i = 0; i < system->n; ++i) {
        const uint64_t index = (uint64_t)step * system->n + system->id[i];
        struct ph_random random = ph_random_stream(seed, PH_RANDOM_CONFIGURATIONAL, index);
        const uint64_t bits = ph_random_bits(&random);
        for (int k = 0; k < 6; ++k)
            array[k][i] = (k < OMEGA ? length : 1.0) * ((bits >> k & 1) ? 1.0 : -1.0);
    }
}

static double product(size_t n, double *const a[3], double *const b[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        sum += a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
    return sum;
}

enum ph_status ph_configurational_observe(struct ph_force_field *field, const struct ph_system *system, bool pinned,
                                          uint64_t seed, int64_t step, struct ph_configurational *out,
                                          struct ph_error *err)
{
    const double length = length_of(system);
    double *array[ARRAYS] = {NULL};
    enum ph_status status = PH_OK;
    for (int k = 0; k < ARRAYS && status == PH_OK; ++k)
        if (!(array[k] = ph_array_create(ph_padded(system->n), sizeof(double))))
            status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the configurational temperature of %zu molecules.",
                                  system->n);
    if (status == PH_OK) {
        draw_signs(system, pinned ? 0.0 : length, seed, step, array);
        status = ph_force_field_derivative(field, system, array + VELOCITY, array + OMEGA, array + FORCE_RATE,
                                           array + TORQUE_RATE, err);
    }
    if (status == PH_OK)
        *out = (struct ph_configurational){
            .squared_force = pinned ? 0.0 : product(system->n, system->f, system->f),
            .laplacian_translation = -product(system->n, array + VELOCITY, array + FORCE_RATE) / (length * length),
            .squared_torque = product(system->n, system->t, system->t),
            .laplacian_rotation = -product(system->n, array + OMEGA, array + TORQUE_RATE),
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
