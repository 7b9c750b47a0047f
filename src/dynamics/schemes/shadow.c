/* SPDX-License-Identifier: MIT */
#include "dynamics/schemes/shadow.h"

#include "base/array.h"
#include "base/rotation.h"

#include <math.h>
#include <stdlib.h>

struct ph_shadow_terms ph_shadow_terms(const struct ph_scheme *scheme)
{
    /* sums of products over flows so far: a, b; a b, b a; a b a, b a b */
    double a = 0.0, b = 0.0, ab = 0.0, ba = 0.0, aba = 0.0, bab = 0.0, c = 0.0;
    for (int k = 0; k < scheme->flows; ++k) {
        const struct ph_scheme_flow flow = ph_scheme_flow_at(scheme, k);
        if (flow.kind == PH_FLOW_KICK) {
            bab += ba * flow.x;
            ab += a * flow.x;
            b += flow.x;
            c += flow.c;
        } else {
            aba += ab * flow.x;
            ba += b * flow.x;
            a += flow.x;
        }
    }
    return (struct ph_shadow_terms){.alpha = 0.5 * (1.0 / 6.0 - aba), .beta = 0.5 * (1.0 / 6.0 - bab) - c};
}

bool ph_shadow_known(const struct ph_scheme *scheme, const struct ph_flow *flow)
{
    return scheme->order == 2 && flow->order == 0;
}

bool ph_shadow_of_places(const struct ph_scheme *scheme)
{
    static const double rounding = 1e-14;
    return fabs(ph_shadow_terms(scheme).alpha) < rounding;
}

/* Velocities, angular velocities in space, and how these change in free motion: omega' = Q I^-1 (m x I^-1 m) */
static void free_motion(const struct ph_system *system, const struct ph_species *species, bool pinned, size_t i,
                        double v[3], double omega[3], double omega_rate[3])
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double m[3] = {system->m[0][i], system->m[1][i], system->m[2][i]};
    double w[3], rate[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = pinned ? 0.0 : system->p[k][i] / species->mass;
        w[k] = species->inertia[k] > 0.0 ? m[k] / species->inertia[k] : 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        rate[k] = species->inertia[k] > 0.0 ? (m[a] * w[b] - m[b] * w[a]) / species->inertia[k] : 0.0;
    }
    ph_quat_rotate(q, w, omega);
    ph_quat_rotate(q, rate, omega_rate);
}

/* f.M^-1 f + torque.I^-1 torque of one molecule */
static double push(const struct ph_system *system, const struct ph_species *species, bool pinned, size_t i)
{
    const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
    const double torque[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    double body[3], sum = 0.0;
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k) {
        sum += pinned ? 0.0 : system->f[k][i] * system->f[k][i] / species->mass;
        sum += species->inertia[k] > 0.0 ? body[k] * body[k] / species->inertia[k] : 0.0;
    }
    return sum;
}

enum { VELOCITY = 0, OMEGA = 3, FORCE_RATE = 6, TORQUE_RATE = 9, PARTS = 12, ARRAYS };
enum { CURVATURE = 0, PUSH = 3, ROWS }; /* parts of a molecule */

struct sums {
    double curvature, pushes;
};

static void add_block(const struct ph_columns_block *block, void *data)
{
    struct sums *sums = data;
    for (size_t i = 0; i < block->end - block->begin; ++i) {
        for (int k = CURVATURE; k < PUSH; ++k)
            sums->curvature -= block->row[(size_t)k * block->step + i];
        sums->pushes += block->row[PUSH * block->step + i];
    }
}

struct work {
    bool pinned;
    const struct ph_system *system;
    double *const *array, *const *row; /* ARRAYS, and ROWS of the last of these */
};

/* Its velocities, along which forces change */
static void set_motion(const struct work *work, const struct ph_species *species, size_t i)
{
    double v[3], omega[3], omega_rate[3];
    free_motion(work->system, species, work->pinned, i, v, omega, omega_rate);
    for (int k = 0; k < 3; ++k) {
        work->array[VELOCITY + k][i] = v[k];
        work->array[OMEGA + k][i] = omega[k];
    }
}

static void find_push(const struct work *work, const struct ph_species *species, size_t i)
{
    work->row[PUSH][i] = push(work->system, species, work->pinned, i);
}

/* And, when it is known how they change, its parts of the sums */
static void find_parts(const struct work *work, const struct ph_species *species, size_t i)
{
    double *const *array = work->array;
    double v[3], omega[3], omega_rate[3];
    free_motion(work->system, species, work->pinned, i, v, omega, omega_rate);
    for (int k = 0; k < 3; ++k)
        work->row[CURVATURE + k][i] = v[k] * array[FORCE_RATE + k][i] + omega[k] * array[TORQUE_RATE + k][i] +
                                      omega_rate[k] * work->system->t[k][i];
    find_push(work, species, i);
}

/* An operation on each molecule */
struct each {
    const struct work *work;
    void (*one)(const struct work *work, const struct ph_species *species, size_t i);
};

static void for_range(struct ph_range range, void *data)
{
    const struct each *each = data;
    for (size_t i = range.begin; i < range.end; ++i)
        each->one(each->work, &each->work->system->species[range.species], i);
}

static enum ph_status add_up(bool pinned, struct ph_state *state, double *const array[ARRAYS], struct sums *sums,
                             struct ph_error *err)
{
    const struct ph_system *system = ph_state_system(state);
    const size_t step = ph_padded(system->n);
    double *row[ROWS];
    for (size_t x = 0; x < ROWS; ++x)
        row[x] = array[PARTS] + x * step;
    const struct work work = {pinned, system, array, row};
    ph_state_each(state, for_range, &(struct each){&work, array[FORCE_RATE] ? find_parts : find_push});
    return ph_state_find(state, &(struct ph_column_set){.n = ROWS, .row = row}, add_block, sums, sizeof *sums, sums,
                         err);
}

enum ph_status ph_shadow_correction(const struct ph_dynamics_options *options, struct ph_state *state,
                                    double *correction, struct ph_error *err)
{
    const struct ph_system *system = ph_state_system(state);
    struct ph_shadow_terms terms = ph_shadow_terms(options->scheme);
    const bool of_places = ph_shadow_of_places(options->scheme);
    struct sums sums = {0.0, 0.0};
    double *array[ARRAYS] = {NULL}; /* of rates: NULL where none are needed */
    enum ph_status status = PH_OK;
    for (int k = of_places ? PARTS : 0; k < ARRAYS && status == PH_OK; ++k)
        if (!(array[k] = ph_array_create((k == PARTS ? ROWS : 1) * ph_padded(system->n), sizeof(double))))
            status = ph_no_memory(err, "the shadow energy of %zu molecules", system->n);
    status = ph_state_agree(state, status, err);
    if (status == PH_OK && !of_places) {
        const struct work work = {options->pinned, system, array, NULL};
        ph_state_each(state, for_range, &(struct each){&work, set_motion});
        status = ph_state_rates(
            state, &(struct ph_rates){array + VELOCITY, array + OMEGA, array + FORCE_RATE, array + TORQUE_RATE}, err);
        ph_force_field_give_back(ph_state_field(state));
    }
    if (status == PH_OK)
        status = add_up(options->pinned, state, array, &sums, err);
    if (of_places) /* rates were not computed */
        terms.alpha = sums.curvature = 0.0;
    if (status == PH_OK)
        *correction = options->step * options->step * (terms.alpha * sums.curvature + terms.beta * sums.pushes);
    for (int k = 0; k < ARRAYS; ++k)
        free(array[k]);
    return status;
}
