/* SPDX-License-Identifier: MIT */
#include "lab/virial_angles.h"

#include "base/rotation.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>

/* Gauss and Legendre on [-1, 1]: roots of P_n by Newton's iteration; weights have the sum 1 */
static void legendre(int n, double *x, double *w)
{
    for (int k = 0; k < n; ++k) {
        double root = cos(3.14159265358979323846 * (k + 0.75) / (n + 0.5)), slope = 1.0;
        for (int iteration = 0; iteration < 8; ++iteration) {
            double p = 1.0, before = 0.0;
            for (int j = 0; j < n; ++j) {
                const double next = ((2.0 * j + 1.0) * root * p - j * before) / (j + 1.0);
                before = p;
                p = next;
            }
            slope = n * (before - root * p) / (1.0 - root * root);
            root -= p / slope;
        }
        x[k] = root;
        w[k] = 1.0 / ((1.0 - root * root) * slope * slope);
    }
}

static const double parallel = 1e-9;

/* Takes the direction of v for the axis if there is none yet. Returns false if v has another. */
static bool join(const double v[3], int *found, double axis[3])
{
    const double length = ph_vec3_norm(v);
    double off[3];
    if (length == 0.0)
        return true;
    for (int x = 0; x < 3 && !*found; ++x)
        axis[x] = v[x] / length;
    *found = 1;
    ph_vec3_cross(v, axis, off);
    return ph_vec3_norm(off) <= parallel * length;
}

/* The line on which all interacting sites, dipoles and axes of angular forms of a species lie: 1 with its direction, 0
 * if all is in the centre, -1 if there is no such line */
static int find_axis(const struct ph_species *species, const struct ph_layout *layout, double axis[3])
{
    int found = 0;
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        bool line = join(site->position, &found, axis) && join(site->dipole, &found, axis) && layout->n_axes[k] < 2;
        if (line && layout->n_axes[k] == 1)
            line = join(site->axis[layout->body_axis[k][0]], &found, axis);
        if (!line)
            return -1;
    }
    return found;
}

bool ph_virial_axial(const struct ph_virial_task *task)
{
    double axis[3];
    return find_axis(&task->system->species[task->a], &task->table->layout[task->a], axis) >= 0 &&
           find_axis(&task->system->species[task->b], &task->table->layout[task->b], axis) >= 0;
}

/* The orientation that turns the axis to (sin theta cos phi, sin theta sin phi, cos theta) */
static void orientation(const double axis[3], double cosine, double phi, double q[4])
{
    double to_z[4] = {1.0 + axis[2], axis[1], -axis[0], 0.0}; /* half way between: 1 + axis.z, axis x z */
    if (axis[2] < -0.5) {                                     /* half a revolution about x first */
        const double half[4] = {0.0, 1.0, 0.0, 0.0}, turned[4] = {1.0 - axis[2], -axis[1], -axis[0], 0.0};
        ph_quat_multiply(turned, half, to_z);
    }
    const double norm = sqrt(to_z[0] * to_z[0] + to_z[1] * to_z[1] + to_z[2] * to_z[2] + to_z[3] * to_z[3]);
    for (int k = 0; k < 4; ++k)
        to_z[k] /= norm;
    const double tilt[4] = {sqrt(0.5 * (1.0 + cosine)), 0.0, sqrt(0.5 * (1.0 - cosine)), 0.0};
    const double round[4] = {cos(0.5 * phi), 0.0, 0.0, sin(0.5 * phi)};
    ph_quat_multiply(tilt, to_z, q);
    ph_quat_multiply(round, q, q);
}

void ph_virial_rule_free(struct ph_virial_rule *rule)
{
    for (int k = 0; k < 2; ++k) {
        free(rule->q[k]);
        free(rule->weight[k]);
    }
}

bool ph_virial_rule_init(const struct ph_virial_task *task, int n, struct ph_virial_rule *rule)
{
    const size_t species[2] = {task->a, task->b};
    double axis[2][3] = {{0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}}, x[PH_VIRIAL_TILTS], w[PH_VIRIAL_TILTS];
    bool turns[2];
    for (int k = 0; k < 2; ++k)
        turns[k] = find_axis(&task->system->species[species[k]], &task->table->layout[species[k]], axis[k]) > 0;
    *rule = (struct ph_virial_rule){
        .n = {0, 0}, .rounds = turns[0] && turns[1] ? n / 2 + 2 : 1, .like = task->a == task->b};
    legendre(n, x, w);
    for (int k = 0; k < 2; ++k) {
        const int tilts = turns[k] ? n : 1, rounds = k == 1 ? rule->rounds : 1;
        rule->q[k] = calloc((size_t)(tilts * rounds), sizeof *rule->q[k]);
        rule->weight[k] = calloc((size_t)(tilts * rounds), sizeof *rule->weight[k]);
        if (!rule->q[k] || !rule->weight[k])
            return false;
        for (int i = 0; i < tilts; ++i)
            for (int j = 0; j < rounds; ++j) {
                const double phi = rounds > 1 ? 3.14159265358979323846 * (j + 0.5) / rounds : 0.0;
                orientation(axis[k], turns[k] ? x[i] : 1.0, phi, rule->q[k][rule->n[k]]);
                rule->weight[k][rule->n[k]++] = (turns[k] ? w[i] : 1.0) / rounds;
            }
    }
    return true;
}

double ph_virial_mean(const struct ph_virial_rule *rule, int only, struct ph_two_molecules *two, ph_virial_function of,
                      void *context)
{
    const int first = only < 0 ? 0 : only, past = only < 0 ? rule->n[0] : only + 1;
    double sum = 0.0;
    for (int i = first; i < past; ++i) {
        const int tilts = rule->like ? rule->n[0] - i : rule->n[1] / rule->rounds;
        double inner = 0.0;
        ph_two_molecules_turn(two, 0, rule->q[0][i]);
        for (int j = 0; j < tilts * rule->rounds; ++j) {
            const double twice = rule->like && j < (tilts - 1) * rule->rounds ? 2.0 : 1.0;
            ph_two_molecules_turn(two, 1, rule->q[1][j]);
            inner += twice * rule->weight[1][j] * of(context, two);
        }
        sum += rule->weight[0][i] * inner;
    }
    return sum;
}
