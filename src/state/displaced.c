/* SPDX-License-Identifier: MIT */
/* Kicks by the forces of molecules at displaced places: what stands for gradients in schemes of kind DISPLACED.
 *
 * Places and forces are set aside as columns that migrate with their molecules. Everything here acts on each molecule
 * alone, so that threads and ranks change no bit. */
#include "base/rotation.h"
#include "state/state_inside.h"

#include <string.h>

enum { ASIDE_R = 0, ASIDE_Q = 3, ASIDE_IMAGE = 7, ASIDE_F = 10, ASIDE_T = 13 };

struct displacement {
    struct ph_state *state;
    double d; /* times the accelerations */
};

static void set_aside(struct ph_range range, void *data)
{
    const struct displacement *displacement = data;
    const struct ph_system *system = displacement->state->system;
    double *const *aside = displacement->state->aside;
    for (size_t i = range.begin; i < range.end; ++i) {
        for (int k = 0; k < 3; ++k) {
            aside[ASIDE_R + k][i] = system->r[k][i];
            aside[ASIDE_IMAGE + k][i] = system->image[k][i];
            aside[ASIDE_F + k][i] = system->f[k][i];
            aside[ASIDE_T + k][i] = system->t[k][i];
        }
        for (int k = 0; k < 4; ++k)
            aside[ASIDE_Q + k][i] = system->q[k][i];
    }
}

/* Turns molecule i by d I^-1 torque; a linear rotor does not turn about its axis. */
static void turn(const struct ph_species *species, double d, struct ph_system *system, size_t i)
{
    double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]}, body[3], small[4];
    const double back[4] = {q[0], -q[1], -q[2], -q[3]}; /* space to body */
    const double torque[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
    ph_quat_rotate(back, torque, body);
    for (int k = 0; k < 3; ++k)
        body[k] *= species->inertia[k] > 0.0 ? d / species->inertia[k] : 0.0;
    ph_turn_exp(body, small);
    ph_quat_multiply(q, small, q);
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k];
}

static void move(struct ph_range range, void *data)
{
    const struct displacement *displacement = data;
    struct ph_system *system = displacement->state->system;
    const struct ph_species *species = &system->species[range.species];
    const double by = displacement->state->options.pinned ? 0.0 : displacement->d / species->mass;
    for (size_t i = range.begin; i < range.end; ++i) {
        for (int k = 0; k < 3 && by != 0.0; ++k)
            system->r[k][i] += by * system->f[k][i];
        if (species->degrees > 0)
            turn(species, displacement->d, system, i);
    }
}

/* A list build may have wrapped the centre in between: then wraps the old one likewise, because lists hold
 * from there on. */
static void places_back(struct ph_range range, void *data)
{
    const struct displacement *displacement = data;
    struct ph_system *system = displacement->state->system;
    double *const *aside = displacement->state->aside;
    for (size_t i = range.begin; i < range.end; ++i) {
        double boxes[3];
        for (int k = 0; k < 3; ++k) {
            boxes[k] = (double)system->image[k][i] - aside[ASIDE_IMAGE + k][i];
            system->r[k][i] = aside[ASIDE_R + k][i];
        }
        for (int b = 0; b < 3; ++b)
            for (int k = 0; k < 3 && boxes[b] != 0.0; ++k)
                system->r[k][i] -= boxes[b] * system->box.edge[b][k];
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = aside[ASIDE_Q + k][i];
    }
}

static void forces_back(struct ph_range range, void *data)
{
    const struct displacement *displacement = data;
    struct ph_system *system = displacement->state->system;
    double *const *aside = displacement->state->aside;
    const size_t bytes = (range.end - range.begin) * sizeof(double);
    for (int k = 0; k < 3; ++k) {
        memcpy(system->f[k] + range.begin, aside[ASIDE_F + k] + range.begin, bytes);
        memcpy(system->t[k] + range.begin, aside[ASIDE_T + k] + range.begin, bytes);
    }
}

static void each(struct ph_state *state, ph_range_work *work, double d)
{
    const struct ph_owned *local = state->kind->local(state);
    ph_each(state->system, local, work, &(struct displacement){state, d});
}

void ph_host_displace(struct ph_state *state, double d)
{
    each(state, set_aside, d);
    each(state, move, d);
}

void ph_host_places_back(struct ph_state *state) { each(state, places_back, 0.0); }

void ph_host_forces_back(struct ph_state *state) { each(state, forces_back, 0.0); }
