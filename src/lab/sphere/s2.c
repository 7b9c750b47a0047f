/* SPDX-License-Identifier: MIT */
#include "lab/sphere/s2.h"

#include "base/rotation.h"
#include "base/vec3.h"
#include "lab/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Linear rotors: the axis is the body's third ---- */

/* The shortest rotation that takes e3, or where u is on the other side -e3, to the unit vector u. In the second case
 * half a turn about e1 goes before. */
static void turn_to(const double u[3], double q[4])
{
    const double s = 1.0 / sqrt(2.0 * (1.0 + fabs(u[2])));
    const double up[4] = {s * (1.0 + u[2]), -s * u[1], s * u[0], 0.0};
    const double down[4] = {-s * u[1], s * (1.0 - u[2]), 0.0, s * u[0]};
    memcpy(q, u[2] >= 0.0 ? up : down, sizeof up);
}

void ph_s2_take(const struct ph_system *rotors, double (*q)[3], double (*w)[3])
{
    static const double e3[3] = {0.0, 0.0, 1.0};
    for (size_t i = 0; i < rotors->n; ++i) {
        const double *inertia = rotors->species[ph_system_species_of(rotors, i)].inertia;
        const double orientation[4] = {rotors->q[0][i], rotors->q[1][i], rotors->q[2][i], rotors->q[3][i]};
        const double omega[3] = {rotors->m[0][i] / inertia[0], rotors->m[1][i] / inertia[1], 0.0};
        ph_quat_rotate(orientation, e3, q[i]);
        ph_quat_rotate(orientation, omega, w[i]);
    }
}

void ph_s2_put(size_t n, const double (*q)[3], const double (*w)[3], struct ph_system *rotors)
{
    for (size_t i = 0; i < n; ++i) {
        double orientation[4];
        turn_to(q[i], orientation);
        for (int k = 0; k < 4; ++k)
            rotors->q[k][i] = orientation[k];
        if (!w)
            continue;
        const double *inertia = rotors->species[ph_system_species_of(rotors, i)].inertia;
        const double back[4] = {orientation[0], -orientation[1], -orientation[2], -orientation[3]};
        double omega[3];
        ph_quat_rotate(back, w[i], omega);
        for (int k = 0; k < 3; ++k)
            rotors->m[k][i] = inertia[k] * omega[k];
    }
}

/* ---- Life ---- */

void ph_s2_destroy(struct ph_s2 *s2)
{
    if (!s2)
        return;
    ph_force_field_destroy(s2->field);
    ph_posed_clear(&s2->posed);
    free(s2->q);
    free(s2->w);
    free(s2->mass);
    free(s2->torque);
    free(s2->matrix);
    free(s2->pivot);
    free(s2->work);
    free(s2);
}

static bool allocate(struct ph_s2 *s2)
{
    const size_t n = s2->n, coordinates = 3 * n;
    s2->q = calloc(n, sizeof *s2->q);
    s2->w = calloc(n, sizeof *s2->w);
    s2->mass = calloc(n * n, sizeof *s2->mass);
    s2->torque = calloc(n, sizeof *s2->torque);
    s2->matrix = calloc(coordinates * coordinates, sizeof *s2->matrix);
    s2->pivot = calloc(coordinates, sizeof *s2->pivot);
    s2->work = calloc(PH_S2_WORK * n, sizeof *s2->work);
    return s2->q && s2->w && s2->mass && s2->torque && s2->matrix && s2->pivot && s2->work;
}

static void set_mass(struct ph_s2 *s2)
{
    const struct ph_s2_problem *problem = s2->problem;
    const struct ph_system *rotors = s2->posed.system;
    s2->coupled = problem->n_coupled > 0;
    if (s2->coupled)
        memcpy(s2->mass, problem->coupling, s2->n * s2->n * sizeof *s2->mass);
    for (size_t i = 0; i < s2->n; ++i)
        s2->mass[i * s2->n + i] = rotors->species[ph_system_species_of(rotors, i)].inertia[0];
}

enum ph_status ph_s2_create(const struct ph_s2_problem *problem, struct ph_s2 **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_s2 *s2 = calloc(1, sizeof *s2);
    if (!s2)
        return ph_no_memory(err, "a problem on spheres");
    s2->problem = problem;
    enum ph_status status =
        ph_problem_pose(problem->rotors, problem->n_settings, &problem->setting, 0, 0, &s2->posed, err);
    if (status == PH_OK)
        status = ph_force_field_create(s2->posed.system, &s2->posed.interactions, &s2->field, err);
    if (status == PH_OK) {
        s2->n = s2->posed.system->n;
        if (!allocate(s2))
            status = ph_no_memory(err, "%zu spheres", s2->n);
    }
    if (status != PH_OK) {
        ph_s2_destroy(s2);
        return status;
    }
    set_mass(s2);
    ph_s2_take(s2->posed.system, s2->q, s2->w);
    *out = s2;
    return PH_OK;
}

/* ---- Equations of motion ---- */

/* out = -M_ij hat(q_i) hat(q_j) = M_ij [(q_i.q_j) 1 - q_j q_i^T] */
static void fill_block(double mass, const double qi[3], const double qj[3], size_t row, double *out)
{
    const double c = ph_vec3_dot(qi, qj);
    for (size_t a = 0; a < 3; ++a)
        for (size_t b = 0; b < 3; ++b)
            out[a * row + b] = mass * ((a == b ? c : 0.0) - qj[a] * qi[b]);
}

void ph_s2_inertia(const struct ph_s2 *s2, const double (*q)[3], double *matrix)
{
    const size_t n = s2->n, row = 3 * n;
    memset(matrix, 0, row * row * sizeof *matrix);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            double *block = matrix + 3 * i * row + 3 * j;
            if (i != j)
                fill_block(s2->mass[i * n + j], q[i], q[j], row, block);
            else
                for (size_t a = 0; a < 3; ++a)
                    block[a * row + a] = s2->mass[i * n + i];
        }
}

void ph_s2_centrifugal(const struct ph_s2 *s2, const double (*q)[3], const double (*w)[3], double (*out)[3])
{
    const size_t n = s2->n;
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n && s2->coupled; ++i)
        for (size_t j = 0; j < n; ++j)
            if (i != j) {
                double across[3];
                ph_vec3_cross(q[i], q[j], across);
                ph_vec3_add(s2->mass[i * n + j] * ph_vec3_dot(w[j], w[j]), across, out[i]);
            }
}

enum ph_status ph_s2_prepare(struct ph_s2 *s2, const double (*q)[3], double *potential, struct ph_error *err)
{
    struct ph_system *rotors = s2->posed.system;
    struct ph_energy energy;
    ph_s2_put(s2->n, q, NULL, rotors);
    const enum ph_status status =
        ph_force_field_evaluate(s2->field, rotors, PH_FORCES_ALL, NULL, potential ? &energy : NULL, err);
    if (status != PH_OK)
        return status;
    if (potential)
        *potential = ph_energy_total(&energy);
    for (size_t i = 0; i < s2->n; ++i)
        for (int k = 0; k < 3; ++k)
            s2->torque[i][k] = rotors->t[k][i];
    if (s2->coupled) {
        ph_s2_inertia(s2, q, s2->matrix);
        if (!ph_dense_factor(3 * s2->n, s2->matrix, s2->pivot))
            return ph_error_set(err, PH_ERR_NUMBERS, "The inertia of coupled bodies is singular.");
    }
    ++s2->evaluations;
    return PH_OK;
}

void ph_s2_rates(const struct ph_s2 *s2, const double (*q)[3], const double (*w)[3], double (*rate)[3])
{
    ph_s2_centrifugal(s2, q, w, rate);
    for (size_t i = 0; i < s2->n; ++i)
        ph_vec3_add(1.0, s2->torque[i], rate[i]);
    if (s2->coupled)
        ph_dense_solve(3 * s2->n, s2->matrix, s2->pivot, &rate[0][0]);
    else
        for (size_t i = 0; i < s2->n; ++i)
            for (int k = 0; k < 3; ++k)
                rate[i][k] /= s2->mass[i * s2->n + i];
}

/* ---- Observables ---- */

/* p_i = sum_j M_ij q'_j and q'_i of body i */
static void momentum_of(const struct ph_s2 *s2, size_t i, double velocity[3], double momentum[3])
{
    memset(momentum, 0, 3 * sizeof *momentum);
    for (size_t j = 0; j < s2->n; ++j) {
        const double mass = s2->mass[i * s2->n + j];
        double v[3];
        if (mass == 0.0)
            continue;
        ph_vec3_cross(s2->w[j], s2->q[j], v);
        ph_vec3_add(mass, v, momentum);
    }
    ph_vec3_cross(s2->w[i], s2->q[i], velocity);
}

enum ph_status ph_s2_energy(struct ph_s2 *s2, double *energy, struct ph_error *err)
{
    const enum ph_status status = ph_s2_prepare(s2, s2->q, energy, err);
    --s2->evaluations; /* looking is not counted */
    for (size_t i = 0; i < s2->n && status == PH_OK; ++i) {
        double v[3], p[3];
        momentum_of(s2, i, v, p);
        *energy += 0.5 * ph_vec3_dot(v, p);
    }
    return status;
}

void ph_s2_momentum(const struct ph_s2 *s2, double momentum[3])
{
    memset(momentum, 0, 3 * sizeof *momentum);
    for (size_t i = 0; i < s2->n; ++i) {
        double v[3], p[3], own[3];
        momentum_of(s2, i, v, p);
        ph_vec3_cross(s2->q[i], p, own);
        ph_vec3_add(1.0, own, momentum);
    }
}

double ph_s2_distance(size_t n, const double (*a)[3], const double (*b)[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            sum += (a[i][k] - b[i][k]) * (a[i][k] - b[i][k]);
    return sqrt(sum);
}

void ph_s2_defects(const struct ph_s2 *s2, double *norm, double *tangent)
{
    *norm = *tangent = 0.0;
    for (size_t i = 0; i < s2->n; ++i) {
        *norm = fmax(*norm, fabs(ph_vec3_norm(s2->q[i]) - 1.0));
        *tangent = fmax(*tangent, fabs(ph_vec3_dot(s2->q[i], s2->w[i])));
    }
}

/* ---- Methods ---- */

static const struct ph_s2_method *const methods[] = {&ph_s2_eln, &ph_s2_rkmk4, &ph_s2_rkmkgl4, &ph_s2_rattle};

size_t ph_s2_method_count(void) { return sizeof methods / sizeof *methods; }

const struct ph_s2_method *ph_s2_method_at(size_t index)
{
    return index < ph_s2_method_count() ? methods[index] : NULL;
}

const struct ph_s2_method *ph_s2_method_find(const char *name)
{
    for (size_t i = 0; i < ph_s2_method_count(); ++i)
        if (strcmp(methods[i]->name, name) == 0)
            return methods[i];
    return NULL;
}

enum ph_status ph_s2_advance(const struct ph_s2_method *method, double h, long n, struct ph_s2 *s2,
                             struct ph_error *err)
{
    enum ph_status status = ph_s2_prepare(s2, s2->q, NULL, err);
    for (long k = 0; k < n && status == PH_OK; ++k)
        status = method->step(method, h, s2, err);
    return status;
}
