/* SPDX-License-Identifier: MIT */
#include "lab/problems/flow_states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 8, ALIGNMENT = 64 };

enum ph_status ph_states_create(size_t n, struct ph_bodies *bodies, struct ph_error *err)
{
    *bodies = (struct ph_bodies){.n = n};
    const size_t padded = (n * sizeof(double) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* bytes of one array */
    char *storage = aligned_alloc(ALIGNMENT, ARRAYS * padded + ALIGNMENT);
    if (!storage)
        return ph_no_memory(err, "%zu bodies", n);
    memset(storage, 0, ARRAYS * padded);
    for (int k = 0; k < 3; ++k)
        bodies->m[k] = (double *)(void *)(storage + (size_t)k * padded);
    for (int k = 0; k < 4; ++k)
        bodies->q[k] = (double *)(void *)(storage + (size_t)(3 + k) * padded);
    bodies->norm = (double *)(void *)(storage + 7 * padded);
    for (size_t i = 0; i < n; ++i)
        bodies->q[0][i] = 1.0;
    return PH_OK;
}

void ph_states_destroy(struct ph_bodies *bodies)
{
    free(bodies->m[0]); /* the start of the storage of all arrays */
    *bodies = (struct ph_bodies){0};
}

void ph_states_copy(struct ph_bodies from, struct ph_bodies to)
{
    for (int k = 0; k < 3; ++k)
        memcpy(to.m[k], from.m[k], from.n * sizeof(double));
    for (int k = 0; k < 4; ++k)
        memcpy(to.q[k], from.q[k], from.n * sizeof(double));
    memcpy(to.norm, from.norm, from.n * sizeof(double));
}

void ph_states_put(struct ph_bodies bodies, size_t i, const double m[3], const double q[4])
{
    for (int k = 0; k < 3; ++k)
        bodies.m[k][i] = m[k];
    for (int k = 0; k < 4; ++k)
        bodies.q[k][i] = q[k];
}

void ph_states_take(struct ph_bodies bodies, size_t i, double m[3], double q[4])
{
    for (int k = 0; k < 3; ++k)
        m[k] = bodies.m[k][i];
    for (int k = 0; k < 4; ++k)
        q[k] = bodies.q[k][i];
}

/* G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014: the finaliser of SplittableRandom */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

double ph_states_uniform(uint64_t stream, uint64_t index)
{
    const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t bits = mix(mix((stream + 1) * golden) + (index + 1) * golden);
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double ph_states_normal(uint64_t stream, uint64_t index)
{
    const double radius = sqrt(-2.0 * log(ph_states_uniform(stream, 2 * index)));
    return radius * cos(6.28318530717958647693 * ph_states_uniform(stream, 2 * index + 1));
}

/* A vector of n components and the length given, its direction uniform */
static void draw_direction(uint64_t stream, int state, int n, double length, double *v)
{
    double square = 0.0;
    for (int k = 0; k < n; ++k) {
        v[k] = ph_states_normal(stream, (uint64_t)(n * state + k));
        square += v[k] * v[k];
    }
    for (int k = 0; k < n; ++k)
        v[k] *= length / sqrt(square);
}

const struct ph_certify_body ph_certify_bodies[PH_CERTIFY_BODIES] = {
    {.name = "flat", .inertia = {0.345, 0.653, 1.0}, .momentum = {1.8, 0.4, -0.9}},
    {.name = "asymmetric", .inertia = {0.6, 0.8, 1.0}, .momentum = {1.8, 0.4, -0.9}},
    {.name = "rod", .inertia = {0.1, 0.95, 1.0}, .momentum = {1.3, 0.1, 1.3}},
    [PH_CERTIFY_LINEAR] = {.name = "linear", .inertia = {1.0, 1.0, 0.0}, .momentum = {1.6, -0.7, 0.0}},
};

const double ph_states_momentum = 1.8;

void ph_states_draw(const struct ph_top *top, int state, double m[3], double q[4])
{
    draw_direction(1, state, 3, ph_states_momentum, m);
    if (top->linear_axis >= 0) {
        const int i = (top->linear_axis + 1) % 3, j = (top->linear_axis + 2) % 3;
        const double longer = ph_states_momentum / hypot(m[i], m[j]);
        m[top->linear_axis] = 0.0;
        m[i] *= longer;
        m[j] *= longer;
    }
    draw_direction(2, state, 4, 1.0, q);
}
