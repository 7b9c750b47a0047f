/* SPDX-License-Identifier: MIT */
#include "run/arrays.h"

#include <math.h>

static size_t width_of(enum ph_array which) { return which == PH_ARRAY_QUATERNION ? 4 : 3; }

static double *const *components(const struct ph_system *system, enum ph_array which)
{
    switch (which) {
    case PH_ARRAY_POSITION:
    case PH_ARRAY_UNWRAPPED: return system->r;
    case PH_ARRAY_MOMENTUM: return system->p;
    case PH_ARRAY_QUATERNION: return system->q;
    case PH_ARRAY_ANGULAR_MOMENTUM: return system->m;
    case PH_ARRAY_FORCE: return system->f;
    case PH_ARRAY_TORQUE: return system->t;
    }
    return NULL;
}

void ph_arrays_read(const struct ph_system *system, enum ph_array which, double *to)
{
    const size_t width = width_of(which);
    double *const *from = components(system, which);
    for (size_t number = 0; number < system->n; ++number)
        for (size_t k = 0; k < width; ++k) {
            const size_t i = system->place[number];
            double *x = &to[width * number + k];
            *x = from[k][i];
            for (int e = 0; e < 3 && which == PH_ARRAY_UNWRAPPED; ++e)
                *x += system->image[e][i] * system->box.edge[e][k];
        }
}

static double length4(const double q[4]) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]); }

static enum ph_status check_row(const struct ph_system *system, const struct ph_species *species, enum ph_array which,
                                size_t i, const double *row, struct ph_error *err)
{
    const double unit = 1e-6; /* by which the length of a quaternion may differ from 1 */
    for (size_t k = 0; k < width_of(which); ++k)
        if (!isfinite(row[k]))
            return ph_error_set(err, PH_ERR_INPUT, "Number %zu of molecule %zu is not finite.", k, i);
    if (which == PH_ARRAY_QUATERNION && species->degrees > 0 && !(fabs(length4(row) - 1.0) <= unit))
        return ph_error_set(err, PH_ERR_INPUT, "The quaternion of molecule %zu has length %.10g, it must be 1.", i,
                            length4(row));
    for (int k = 0; k < 3 && which == PH_ARRAY_ANGULAR_MOMENTUM; ++k)
        if (row[k] != 0.0 && species->inertia[k] == 0.0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "Angular momentum %g of molecule %zu about body axis %d: '%s' has no inertia there: it "
                                "must be 0.",
                                row[k], i, k + 1, species->name);
    if ((which == PH_ARRAY_POSITION || which == PH_ARRAY_UNWRAPPED) && !ph_box_reaches(&system->box, row))
        return ph_error_set(err, PH_ERR_INPUT, "Molecule %zu is at (%g, %g, %g), too far away.", i, row[0], row[1],
                            row[2]);
    return PH_OK;
}

bool ph_arrays_view(const struct ph_system *system, enum ph_array which, struct ph_view *view)
{
    double *const *from = components(system, which);
    if (!from || which == PH_ARRAY_UNWRAPPED)
        return false;
    for (size_t number = 0; number < system->n; ++number)
        if (system->place[number] != number)
            return false;
    *view = (struct ph_view){.data = from[0],
                             .molecules = system->n,
                             .numbers = width_of(which),
                             .row = 1,
                             .column = (size_t)(from[1] - from[0])}; /* all in one block: model/system.c */
    return true;
}

static bool is_position(enum ph_array which) { return which == PH_ARRAY_POSITION || which == PH_ARRAY_UNWRAPPED; }

static enum ph_status check_writable(enum ph_array which, struct ph_error *err)
{
    if (is_position(which) || which == PH_ARRAY_MOMENTUM || which == PH_ARRAY_QUATERNION ||
        which == PH_ARRAY_ANGULAR_MOMENTUM)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT, "Positions, momenta, quaternions and angular momenta can be written.");
}

/* Length 1; to rounding a quaternion keeps its bits. Point particles do not turn. */
static void normalise(struct ph_system *system)
{
    for (size_t i = 0; i < system->n; ++i) {
        double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        const bool turns = system->species[ph_system_species_of(system, i)].degrees > 0;
        const double length = length4(q), factor = fabs(length - 1.0) > 1e-15 ? 1.0 / length : 1.0;
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = turns ? factor * q[k] : (k == 0);
    }
}

/* Normalises quaternions and wraps positions, after their numbers were checked. */
static void take(enum ph_array which, struct ph_system *system)
{
    if (which == PH_ARRAY_QUATERNION)
        normalise(system);
    if (is_position(which))
        ph_system_wrap(system);
}

enum ph_status ph_arrays_accept(enum ph_array which, struct ph_system *system, struct ph_error *err)
{
    enum ph_status status = check_writable(which, err);
    double *const *from = components(system, which);
    for (size_t i = 0; i < system->n && status == PH_OK; ++i) {
        double row[4] = {0.0};
        for (size_t k = 0; k < width_of(which); ++k)
            row[k] = from[k][i];
        status = check_row(system, &system->species[ph_system_species_of(system, i)], which, system->id[i], row, err);
    }
    if (status == PH_OK)
        take(which, system);
    return status;
}

enum ph_status ph_arrays_write(const double *from, enum ph_array which, struct ph_system *system, struct ph_error *err)
{
    const size_t width = width_of(which);
    double *const *to = components(system, which);
    enum ph_status status = check_writable(which, err);
    for (size_t i = 0; i < system->n && status == PH_OK; ++i)
        status = check_row(system, &system->species[ph_system_species_of(system, i)], which, i, from + width * i, err);
    if (status != PH_OK)
        return status;
    for (size_t number = 0; number < system->n; ++number) {
        const size_t i = system->place[number];
        for (size_t k = 0; k < width; ++k)
            to[k][i] = from[width * number + k];
        for (int k = 0; k < 3 && is_position(which); ++k)
            system->image[k][i] = 0;
    }
    take(which, system);
    return PH_OK;
}

enum ph_status ph_arrays_write_all(const struct ph_arrays *arrays, struct ph_system *system, struct ph_error *err)
{
    const struct {
        enum ph_array which;
        const double *from;
    } parts[] = {{PH_ARRAY_POSITION, arrays->positions},
                 {PH_ARRAY_QUATERNION, arrays->quaternions},
                 {PH_ARRAY_MOMENTUM, arrays->momenta},
                 {PH_ARRAY_ANGULAR_MOMENTUM, arrays->angular_momenta}};
    if (!arrays->positions)
        return ph_error_set(err, PH_ERR_INPUT, "The arrays have no positions.");
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == PH_OK; ++k)
        if (parts[k].from)
            status = ph_arrays_write(parts[k].from, parts[k].which, system, err);
    return status;
}
