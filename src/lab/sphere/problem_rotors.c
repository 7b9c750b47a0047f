/* SPDX-License-Identifier: MIT */
/* Linear rotors whose centres are pinned: directions that move on spheres. */
#include "lab/sphere/s2.h"

#include "lab/papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One kind of rotor: its moment of inertia, and a dipole along its axis */
static struct ph_species rotor(const char *name, double dipole)
{
    struct ph_species species = {.n_sites = 1, .site = {{.name = "A", .dipole = {0.0, 0.0, dipole}}}};
    snprintf(species.name, sizeof species.name, "%s", name);
    return species;
}

static enum ph_status complete(double moment, struct ph_species *species, struct ph_error *err)
{
    const double mass = 1.0, inertia[3] = {moment, moment, 0.0};
    return ph_species_complete(species, &mass, inertia, err);
}

static struct ph_interactions pinned(void)
{
    return (struct ph_interactions){.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0, .pinned = true};
}

/* ---- Spherical pendulum ---- */

enum { PENDULUM_MASS, PENDULUM_LENGTH, PENDULUM_GRAVITY };

static enum ph_status pose_pendulum(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    const double length = value[PENDULUM_LENGTH], mass = value[PENDULUM_MASS], third = 1.0 / sqrt(3.0);
    const double q[1][3] = {{third, third, -third}}, w[1][3] = {{1.0, 1.0, 2.0}};
    struct ph_species species = rotor("pendulum", 0.0);
    const struct ph_box box = ph_box_open();
    const size_t count = 1;
    enum ph_status status = complete(mass * length * length, &species, err);
    if (status == PH_OK)
        status = ph_system_create(1, &species, &count, &box, &posed->system, err);
    if (status != PH_OK)
        return status;
    posed->interactions = pinned();
    posed->interactions.external.body_force[2] = -mass * value[PENDULUM_GRAVITY];
    posed->interactions.external.body_point[2] = length;
    ph_s2_put(1, q, w, posed->system);
    return PH_OK;
}

const struct ph_problem ph_problem_spherical_pendulum = {
    .name = "spherical-pendulum",
    .summary = "a mass on a massless rod under gravity",
    .documentation =
        "U = m g l e3.q; it begins with q = (1, 1, -1)/sqrt 3 and w = (1, 1, 2). The source also gives the velocity "
        "(-3.46, 3.46, 0), which is that of the mass, l q', and calls e3 the direction of gravity, which the sign of "
        "its potential contradicts; in its (7.5) a cross product is misprinted as a scalar one.",
    .reference = PH_PAPER_ORTOLAN ", section 7.2.1",
    .time = 200.0,
    .n_parameters = 3,
    .parameter = {{"mass", "of the pendulum", 2.0},
                  {"length", "of the rod", 2.0},
                  {"gravity", "acceleration; negative: the other reading of the source", 9.81}},
    .pose = pose_pendulum,
};

/* ---- Double spherical pendulum ---- */

enum { DOUBLE_GRAVITY };

/* Masses 2 and 1 on rods of length 1: M = ((m1 + m2) l1^2, m2 l1 l2; m2 l1 l2, m2 l2^2). Dipoles of the same size in a
 * uniform field make the potential -(m1 + m2) l1 g e3.q1 - m2 l2 g e3.q2; they do not feel each other. */
static const double double_mass[2][2] = {{3.0, 1.0}, {1.0, 1.0}};

static enum ph_status pose_double(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    /* the source's 15 digits, which are products of shorter numbers: w.q = 0 and |q| = 1 hold to these */
    static const double q[2][3] = {{0.8660190526287391585062105, 0.0, 0.5000110003630131291744143}, {0.0, 0.0, -1.0}};
    static const double w[2][3] = {{-0.4329999999999996511797341, 0.0, 0.7499559999999997584954451}, {0.0, 1.0, 0.0}};
    struct ph_species species[2] = {rotor("first", double_mass[0][0]), rotor("second", double_mass[1][1])};
    const struct ph_box box = ph_box_open();
    const size_t counts[2] = {1, 1};
    enum ph_status status = PH_OK;
    for (size_t s = 0; s < 2 && status == PH_OK; ++s)
        status = complete(double_mass[s][s], &species[s], err);
    if (status == PH_OK)
        status = ph_system_create(2, species, counts, &box, &posed->system, err);
    if (status != PH_OK)
        return status;
    posed->interactions = pinned();
    posed->interactions.coulomb = 0.0;
    posed->interactions.external.electric_field[2] = value[DOUBLE_GRAVITY];
    posed->system->r[0][1] = 1.0; /* anywhere but in the same place */
    ph_s2_put(2, q, w, posed->system);
    return PH_OK;
}

static const struct ph_problem double_rotors = {
    .name = "double-spherical-pendulum",
    .documentation =
        "Masses 2 and 1 on rods of length 1, q1 from the pivot to the first mass, q2 from there to the second; "
        "e3 points along gravity. The kinetic energy has the term m2 l1 l2 q1'.q2', which couples the two.",
    .time = 200.0,
    .n_parameters = 1,
    .parameter = {{"gravity", "acceleration", 9.81}},
    .pose = pose_double,
};

/* ---- An array of magnetic needles ---- */

enum { ARRAY_EDGE, ARRAY_MASS, ARRAY_LENGTH, ARRAY_MOMENT };

static enum ph_status pose_array(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    (void)seed;
    enum { MOST = 64 };
    static const double last[3] = {0.3535086239480730953735138, 0.3536086263876621151834081,
                                   -0.8660211268430872577454219};
    const size_t edge = (size_t)value[ARRAY_EDGE], n = edge * edge;
    if (edge < 2 || n > MOST)
        return ph_error_set(err, PH_ERR_INPUT, "An array of needles has an edge of 2 to 8, not %g.", value[ARRAY_EDGE]);
    double q[MOST][3] = {{0.0}}, w[MOST][3] = {{0.0}};
    struct ph_species species = rotor("needle", value[ARRAY_MOMENT]);
    const struct ph_box box = ph_box_open();
    enum ph_status status =
        complete(value[ARRAY_MASS] * value[ARRAY_LENGTH] * value[ARRAY_LENGTH] / 12.0, &species, err);
    if (status == PH_OK)
        status = ph_system_create(1, &species, &n, &box, &posed->system, err);
    if (status != PH_OK)
        return status;
    posed->interactions = pinned();
    posed->interactions.coulomb = 1e-7; /* mu0/(4 pi) */
    for (size_t i = 0; i < n; ++i) {
        q[i][0] = 1.0;
        posed->system->r[0][i] = 1.2 * value[ARRAY_LENGTH] * (double)(i % edge);
        posed->system->r[1][i] = 1.2 * value[ARRAY_LENGTH] * (double)(i / edge);
    }
    memcpy(q[n - 1], last, sizeof last);
    w[0][1] = 0.5;
    ph_s2_put(n, (const double(*)[3])q, (const double(*)[3])w, posed->system);
    return PH_OK;
}

const struct ph_problem ph_problem_dipole_array = {
    .name = "dipole-array",
    .summary = "4 x 4 magnetic needles, pinned at the points of a square grid",
    .documentation = "Needles of mass 0.05 kg, length 0.02 m and magnetic moment 0.1 A m^2, at distances of 1.2 "
                     "lengths; mu0 = 4 pi 10^-7. All point along the edge of the grid but the last, in the opposite "
                     "corner, and are at rest but the first, w = (0, 0.5, 0). The source does not say how the grid "
                     "lies: here in the plane of e1 and e2. Its (7.8) has the moments misprinted in the denominator.",
    .reference = PH_PAPER_ORTOLAN
    ", section 7.2.3; after T. Lee, M. Leok, N. H. McClamroch, Int. J. Numer. Meth. Engng 79 (2009) 1147",
    .time = 1.0,
    .n_parameters = 4,
    .parameter = {{"edge", "needles along an edge", 4.0},
                  {"mass", "of a needle", 0.05},
                  {"length", "of a needle; the grid has 1.2 times that", 0.02},
                  {"moment", "magnetic, of a needle", 0.1}},
    .pose = pose_array,
};

/* ---- On spheres ---- */

static const struct ph_s2_problem problems[] = {
    {.name = "spherical-pendulum",
     .summary = "a mass on a massless rod under gravity",
     .reference = PH_PAPER_ORTOLAN ", section 7.2.1",
     .rotors = &ph_problem_spherical_pendulum,
     .axis = {0.0, 0.0, 1.0}},
    {.name = "double-spherical-pendulum",
     .summary = "a pendulum that hangs from another: the kinetic energy couples the two",
     .reference = PH_PAPER_ORTOLAN ", section 7.2.2",
     .rotors = &double_rotors,
     .n_coupled = 2,
     .coupling = &double_mass[0][0],
     .axis = {0.0, 0.0, 1.0}},
    {.name = "dipole-array",
     .summary = "4 x 4 magnetic needles, pinned at the points of a square grid",
     .reference = PH_PAPER_ORTOLAN ", section 7.2.3",
     .rotors = &ph_problem_dipole_array},
    {.name = "spherical-pendulum-down",
     .summary = "the same with e3 along gravity, as the text of the source has it: it starts near the top",
     .reference = PH_PAPER_ORTOLAN ", section 7.2.1",
     .rotors = &ph_problem_spherical_pendulum,
     .n_settings = 1,
     .setting = {"gravity", -9.81},
     .axis = {0.0, 0.0, 1.0}},
};

size_t ph_s2_problem_count(void) { return sizeof problems / sizeof *problems; }

const struct ph_s2_problem *ph_s2_problem_at(size_t index)
{
    return index < ph_s2_problem_count() ? &problems[index] : NULL;
}

const struct ph_s2_problem *ph_s2_problem_find(const char *name)
{
    for (size_t i = 0; i < ph_s2_problem_count(); ++i)
        if (strcmp(problems[i].name, name) == 0)
            return &problems[i];
    return NULL;
}
