/* SPDX-License-Identifier: MIT */
#include "run/landing.h"

#include "base/rotation.h"

#include <math.h>

bool ph_landing_wants(int64_t first, int64_t end, int64_t step)
{
    return step > first + (end - first) / 2 && (end - step) % PH_LANDING_EVERY == 0;
}

void ph_landing_add(struct ph_landing *landing, double potential)
{
    landing->potential += potential;
    landing->samples += 1.0;
}

/* Translation, and rotation about each body axis */
struct groups {
    double kinetic[PH_BATH_GROUPS], degrees[PH_BATH_GROUPS];
    bool alone[PH_BATH_GROUPS]; /* exchanges no energy */
};

/* Does a torque act about each body axis, or do the other two moments differ, for any molecule? (Of torques, external
 * fields included: ph_species_spins_freely takes account only of torques between molecules.) */
struct coupling {
    const struct ph_system *system;
    double any[3]; /* 1 or 0 */
};

static void find_coupling(struct ph_range range, void *data)
{
    const double rounding = 1e-9;
    struct coupling *coupling = data;
    const struct ph_system *system = coupling->system;
    const double *inertia = system->species[range.species].inertia;
    bool coupled[3] = {false, false, false};
    for (int k = 0; k < 3; ++k) {
        const double a = inertia[(k + 1) % 3], b = inertia[(k + 2) % 3];
        coupled[k] = inertia[k] > 0.0 && fabs(a - b) > rounding * fmax(a, b);
    }
    for (size_t i = range.begin; i < range.end; ++i) {
        const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
        const double torque[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
        double body[3];
        ph_quat_rotate(back, torque, body);
        const double size = fabs(body[0]) + fabs(body[1]) + fabs(body[2]);
        for (int k = 0; k < 3; ++k)
            coupled[k] = coupled[k] || (inertia[k] > 0.0 && fabs(body[k]) > rounding * size);
    }
#pragma omp critical(ph_coupling)
    for (int k = 0; k < 3; ++k)
        coupling->any[k] = coupled[k] ? 1.0 : coupling->any[k];
}

static struct groups find_groups(const struct ph_degrees *degrees, struct ph_state *state)
{
    struct groups groups = {.degrees = {(double)degrees->translation}};
    struct coupling coupling = {.system = ph_state_system(state)};
    ph_state_kinetic(state, groups.kinetic);
    ph_state_each(state, find_coupling, &coupling);
    ph_state_largest(state, 3, coupling.any);
    for (int k = 0; k < 3; ++k) {
        groups.degrees[k + 1] = (double)degrees->axis[k];
        groups.alone[k + 1] = degrees->axis[k] > 0 && coupling.any[k] == 0.0;
    }
    return groups;
}

/* Is this kinetic energy of a degree of freedom between a half and one and a half of its mean? */
static bool is_near(double kinetic, double kT) { return kinetic > 0.25 * kT && kinetic < 0.75 * kT; }

bool ph_landing_apply(const struct ph_landing *landing, double kT, const struct ph_degrees *degrees, double potential,
                      struct ph_state *state)
{
    if (!(landing->samples > 0.0))
        return false;
    const struct groups groups = find_groups(degrees, state);
    double shared = 0.0; /* degrees of freedom that exchange energy */
    double kinetic = 0.0, all = 0.0;
    for (int g = 0; g < PH_BATH_GROUPS; ++g) {
        if (groups.degrees[g] > 0.0 && !(groups.kinetic[g] > 0.0))
            return false;
        kinetic += groups.kinetic[g];
        all += groups.degrees[g];
        shared += groups.alone[g] ? 0.0 : groups.degrees[g];
    }
    const double excess = landing->potential / landing->samples - potential;
    const double share = 0.5 * kT + (shared > 0.0 ? excess / shared : 0.0); /* of each degree of freedom */
    if (!is_near(share, kT) || !is_near(kinetic / all, kT))
        return false;
    double factor[PH_BATH_GROUPS];
    for (int g = 0; g < PH_BATH_GROUPS; ++g) {
        const double wanted = groups.degrees[g] * (groups.alone[g] ? 0.5 * kT : share);
        factor[g] = groups.degrees[g] > 0.0 ? sqrt(wanted / groups.kinetic[g]) : 1.0;
    }
    ph_state_scale_by(state, factor);
    return true;
}
