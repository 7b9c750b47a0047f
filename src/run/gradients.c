/* SPDX-License-Identifier: MIT */
#include "run/gradients.h"

#include "base/plain.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "force/longrange/ewald.h"
#include "force/pairs/pair_table.h"
#include "parallel/ranks.h"
#include "run/build/closest.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps relative to the distance of the closest sites. Differences of order six are then exact to about 1e-12. Rounding
 * of the total energy of a million molecules stays below 1e-6 of a force. */
static const double relative_step = 1e-3;
/* Largest step as a part of the distance to the nearest jump of a derivative */
static const double safe_part = 0.3;

struct check {
    struct ph_system *system; /* a copy: ranks divide its molecules */
    const struct ph_interactions *interactions;
    struct ph_interactions pairs; /* the same without terms that do not enter the virial */
    struct ph_force_field *field, *of_pairs;
    struct ph_system *strained; /* another, for the field of pairs */
    struct ph_state *state, *of_strained;
    struct ph_error *err;
    enum ph_status status; /* of the first evaluation that failed */
    /* the displaced molecule, and the axes of the displacement or strain */
    size_t molecule;
    int axis[2];
};

typedef double energy_at(struct check *check, double h);

/* (U(h) - U(-h))/2h with h, h/2, h/4, extrapolated: error of order h^6 */
static double derivative(energy_at *energy, struct check *check, double h)
{
    double d[3];
    for (int k = 0; k < 3; ++k, h *= 0.5) {
        const double after = energy(check, h), before = energy(check, -h);
        d[k] = (after - before) / (2.0 * h);
    }
    const double one = (4.0 * d[1] - d[0]) / 3.0, two = (4.0 * d[2] - d[1]) / 3.0;
    return (16.0 * two - one) / 15.0;
}

/* Evaluates moved molecules. Then every rank has all places and forces, so that each can move the same molecule. */
static struct ph_energy evaluate(struct check *check, struct ph_state *state)
{
    struct ph_energy energy = {0};
    if (check->status != PH_OK)
        return energy;
    ph_state_changed(state, PH_STATE_PLACES);
    check->status = ph_state_forces(state, PH_FORCES_ALL, &energy, check->err);
    if (check->status == PH_OK)
        check->status = ph_state_show(state, PH_STATE_PLACES | PH_STATE_FORCES, check->err);
    return energy;
}

static double energy_of(struct check *check, struct ph_state *state)
{
    const struct ph_energy energy = evaluate(check, state);
    return ph_energy_total(&energy);
}

static struct ph_state *make_state(struct check *check, struct ph_system *system, struct ph_force_field *field)
{
    struct ph_state *state = NULL;
    if (check->status == PH_OK)
        check->status = ph_state_create(system, field, &(struct ph_state_options){.flow = NULL}, &state, check->err);
    check->status = ph_ranks_agree(check->status, check->err);
    return state;
}

static double shifted(struct check *check, double h)
{
    struct ph_system *s = check->system;
    const size_t i = check->molecule;
    double r[3];
    int32_t image[3];
    for (int k = 0; k < 3; ++k) {
        r[k] = s->r[k][i];
        image[k] = s->image[k][i];
    }
    s->r[check->axis[0]][i] += h;
    const double energy = energy_of(check, check->state);
    for (int k = 0; k < 3; ++k) { /* a new list may have wrapped the molecule */
        s->r[k][i] = r[k];
        s->image[k][i] = image[k];
    }
    return energy;
}

/* About an axis in space */
static double turned(struct check *check, double h)
{
    struct ph_system *s = check->system;
    const size_t i = check->molecule;
    const double q[4] = {s->q[0][i], s->q[1][i], s->q[2][i], s->q[3][i]};
    double turn[4] = {cos(0.5 * h), 0.0, 0.0, 0.0}, product[4];
    turn[1 + check->axis[0]] = sin(0.5 * h);
    ph_quat_multiply(turn, q, product);
    for (int k = 0; k < 4; ++k)
        s->q[k][i] = product[k];
    const double energy = energy_of(check, check->state);
    for (int k = 0; k < 4; ++k)
        s->q[k][i] = q[k];
    return energy;
}

/* Centres and box edges times 1 + h at (axis[0], axis[1]); orientations as they are. Like a field made for that box:
 * the list is made there. */
static double strained(struct check *check, double h)
{
    const struct ph_system *s = check->system;
    struct ph_system *copy = check->strained;
    const int a = check->axis[0], b = check->axis[1];
    if (s->box.kind != PH_BOX_OPEN && check->status == PH_OK) {
        double edge[3][3];
        memcpy(edge, s->box.edge, sizeof edge);
        for (int e = 0; e < 3; ++e)
            edge[e][a] += h * s->box.edge[e][b];
        check->status = ph_box_init_periodic((const double(*)[3])edge, &copy->box, check->err);
    }
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < s->n; ++i)
            copy->r[k][i] = s->r[k][i] + (k == a ? h * s->r[b][i] : 0.0);
    if (check->status == PH_OK)
        check->status = ph_force_field_box_changed(check->of_pairs, copy, check->err);
    ph_force_field_forget(check->of_pairs);
    return energy_of(check, check->of_strained);
}

static enum ph_status copy_system(const struct ph_system *system, struct ph_system **out, struct ph_error *err)
{
    size_t *counts = malloc(system->n_species * sizeof *counts);
    if (!counts)
        return ph_no_memory(err, "%zu species", system->n_species);
    for (size_t s = 0; s < system->n_species; ++s)
        counts[s] = system->first[s + 1] - system->first[s];
    const enum ph_status status = ph_system_create(system->n_species, system->species, counts, &system->box, out, err);
    free(counts);
    if (status != PH_OK)
        return status;
    for (int k = 0; k < 3; ++k) {
        memcpy((*out)->r[k], system->r[k], system->n * sizeof(double));
        memcpy((*out)->image[k], system->image[k], system->n * sizeof *system->image[k]);
    }
    for (int k = 0; k < 4; ++k)
        memcpy((*out)->q[k], system->q[k], system->n * sizeof(double));
    return PH_OK;
}

/* ---- Lengths of steps ---- */

/* The closest pair of interacting sites, and how far pairs are from where a derivative of their energy jumps: the end
 * of interactions that are not switched, and of forms that end by themselves */
struct distances {
    double closest, from_jump;
};

static void measure_angular_jumps(const struct ph_interactions *in, const struct ph_angular *one,
                                  const struct ph_angular *other, double r, struct distances *distances)
{
    struct ph_angular pair;
    double at[4];
    if (one->kind == PH_ANGULAR_NONE || !ph_angular_combine(one, other, in->combining == PH_COMBINE_GEOMETRIC, &pair))
        return;
    for (size_t n = ph_angular_jumps(&pair, at); n > 0; --n)
        distances->from_jump = fmin(distances->from_jump, fabs(r - at[n - 1]));
}

/* Sites of molecule i, shifted, and of j; or the nearest images, if there is no shift */
static void measure_sites(const struct ph_system *system, const struct ph_interactions *in, size_t i, size_t j,
                          const double *shift, struct distances *distances)
{
    const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
    const struct ph_species *t = &system->species[ph_system_species_of(system, j)];
    const double qi[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double qj[4] = {system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]};
    const bool jumps = in->truncation != PH_TRUNCATE_NONE && in->truncation != PH_TRUNCATE_SWITCHED;
    for (size_t a = 0; a < s->n_sites; ++a)
        for (size_t b = 0; b < t->n_sites; ++b) {
            double x[3], y[3], d[3];
            ph_quat_rotate(qi, s->site[a].position, x);
            ph_quat_rotate(qj, t->site[b].position, y);
            for (int k = 0; k < 3; ++k)
                d[k] = system->r[k][i] + x[k] - system->r[k][j] - y[k] + (shift ? shift[k] : 0.0);
            if (!shift)
                ph_box_minimum_image(&system->box, d);
            const double r = ph_vec3_norm(d);
            struct ph_radial radial;
            distances->closest = fmin(distances->closest, r);
            if (jumps)
                distances->from_jump = fmin(distances->from_jump, fabs(r - in->cutoff));
            if (ph_combine(in, s, a, t, b, &radial, NULL) == PH_OK && ph_radial_end(&radial) > 0.0)
                distances->from_jump = fmin(distances->from_jump, fabs(r - ph_radial_end(&radial)));
            measure_angular_jumps(in, &s->site[a].angular, &t->site[b].angular, r, distances);
        }
}

/* Where a molecule interacts with itself: the images of its own sites */
static void measure_own_images(const struct ph_system *system, const struct ph_interactions *in, size_t i,
                               struct distances *distances)
{
    const struct ph_box *box = &system->box;
    const struct ph_species *s = &system->species[ph_system_species_of(system, i)];
    const double width = fmin(box->width[0], fmin(box->width[1], box->width[2]));
    if (box->kind == PH_BOX_OPEN)
        return;
    distances->closest = fmin(distances->closest, width); /* of the centre, or nearer */
    if (width > in->cutoff + 2.0 * s->extent + safe_part * width)
        return;
    for (int image = 0; image < 125; ++image) {
        const int n[3] = {image / 25 - 2, image / 5 % 5 - 2, image % 5 - 2};
        double shift[3];
        for (int k = 0; k < 3; ++k)
            shift[k] = n[0] * box->edge[0][k] + n[1] * box->edge[1][k] + n[2] * box->edge[2][k];
        if (n[0] != 0 || n[1] != 0 || n[2] != 0)
            measure_sites(system, in, i, i, shift, distances);
    }
}

static struct distances measure_molecule(const struct ph_system *system, const struct ph_interactions *in, size_t i)
{
    struct distances distances = {INFINITY, INFINITY};
    for (size_t j = 0; j < system->n; ++j)
        if (j != i)
            measure_sites(system, in, i, j, NULL, &distances);
    measure_own_images(system, in, i, &distances);
    return distances;
}

struct measuring {
    const struct ph_system *system;
    const struct ph_interactions *interactions;
    struct distances distances;
};

static void measure_pair(size_t i, size_t j, void *context)
{
    struct measuring *m = context;
    measure_sites(m->system, m->interactions, i, j, NULL, &m->distances);
}

/* Of all pairs that may interact; jumps further away do not matter. */
static enum ph_status measure_all(const struct ph_system *system, const struct ph_interactions *in,
                                  struct distances *distances, struct ph_error *err)
{
    struct measuring m = {system, in, {INFINITY, INFINITY}};
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    const double reach = in->truncation == PH_TRUNCATE_NONE ? INFINITY : 1.1 * in->cutoff + 2.0 * extent;
    const enum ph_status status = ph_near_pairs(system, reach, measure_pair, &m, err);
    for (size_t i = 0; i < system->n; ++i)
        measure_own_images(system, in, i, &m.distances);
    *distances = m.distances;
    return status;
}

/* ---- The checks ---- */

static void take(struct ph_gradient *worst, double scale, size_t molecule, const int axis[2], double given,
                 double difference)
{
    const double deviation = scale > 0.0 ? fabs(given - difference) / scale : fabs(given - difference);
    if (worst->checked && !isnan(deviation) && !(deviation > worst->deviation)) /* NaN stays */
        return;
    *worst = (struct ph_gradient){true, deviation, scale, molecule, {axis[0], axis[1]}, given, difference};
}

static double largest_of(const double *const v[3], size_t n)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; ++i)
        largest = fmax(largest, ph_vec3_norm((const double[]){v[0][i], v[1][i], v[2][i]}));
    return largest;
}

/* Deviations are relative to the force or torque itself, but at least to this */
struct scales {
    double force, torque;
};

/* A thousandth of the largest; and where forces cancel, as in a perfect lattice, what each pair contributes: its energy
 * over its distance. */
static struct scales scales_of(const struct ph_system *system, const struct ph_energy *energy, double closest)
{
    const double u = fabs(energy->radial) + fabs(energy->electric) + fabs(energy->waves) + fabs(energy->field),
                 each = u / (double)system->n;
    struct scales scales = {.force = 1e-3 * largest_of((const double *const *)system->f, system->n),
                            .torque = 1e-3 * largest_of((const double *const *)system->t, system->n)};
    scales.force = fmax(scales.force, isfinite(closest) ? each / closest : 0.0);
    scales.torque = fmax(scales.torque, each);
    return scales;
}

static void check_molecule(struct check *check, double step, double extent, const struct scales *scales,
                           struct ph_gradients *out)
{
    struct ph_system *s = check->system;
    const size_t i = check->molecule;
    const double force[3] = {s->f[0][i], s->f[1][i], s->f[2][i]}, torque[3] = {s->t[0][i], s->t[1][i], s->t[2][i]};
    const bool turns = s->species[ph_system_species_of(s, i)].degrees > 0;
    const double force_scale = fmax(ph_vec3_norm(force), scales->force),
                 torque_scale = fmax(ph_vec3_norm(torque), scales->torque);
    const double angle = extent > 0.0 ? fmin(relative_step, step / extent) : relative_step;
    for (int axis = 0; axis < 3 && check->status == PH_OK; ++axis) {
        check->axis[0] = check->axis[1] = axis;
        take(&out->force, force_scale, i, check->axis, force[axis], -derivative(shifted, check, step));
        if (turns)
            take(&out->torque, torque_scale, i, check->axis, torque[axis], -derivative(turned, check, angle));
    }
    evaluate(check, check->state); /* forces of the next molecule */
    ++out->n_molecules;
    out->step = fmax(out->step, step);
}

/* Only pairs contribute to the virial. External fields do not, nor does the long-range correction, an integral over
 * truncated pairs. */
static struct ph_interactions pairs_alone(const struct ph_interactions *interactions)
{
    struct ph_interactions pairs = *interactions;
    pairs.long_range_correction = false;
    pairs.external = (struct ph_external_fields){.tether = 0.0};
    return pairs;
}

static void check_virial(struct check *check, const struct distances *all, struct ph_gradients *out)
{
    const struct ph_interactions *in = &check->pairs;
    const struct ph_box *box = &check->system->box;
    const double reach = in->truncation == PH_TRUNCATE_NONE ? all->closest : in->cutoff;
    const double step = fmin(0.2 * relative_step, safe_part * all->from_jump / reach);
    for (int k = 0; k < 3; ++k)
        if (box->kind != PH_BOX_OPEN && in->cutoff > 0.5 * box->width[k] * (1.0 - 2.0 * step)) {
            ph_snprintf(out->virial_note, sizeof out->virial_note,
                        "the cutoff, %g, is half the width of the box, %g: it leaves no room for a strain", in->cutoff,
                        box->width[k]);
            return;
        }
    check->status = copy_system(check->system, &check->strained, check->err);
    if (check->status == PH_OK)
        check->status = ph_force_field_create(check->strained, in, &check->of_pairs, check->err);
    check->of_strained = make_state(check, check->strained, check->of_pairs);
    const struct ph_energy energy = evaluate(check, check->of_strained);
    double scale = fabs(energy.radial) + fabs(energy.electric) + fabs(energy.waves);
    for (int k = 0; k < 9; ++k)
        scale = fmax(scale, fabs(energy.virial[k / 3][k % 3]));
    for (int k = 0; k < 9 && check->status == PH_OK; ++k) {
        const int a = k / 3, b = k % 3; /* strain moves x_a by x_b, so dU = -sum x_b f_a: the transposed tensor */
        check->axis[0] = a;
        check->axis[1] = b;
        take(&out->virial, scale, 0, (const int[]){b, a}, energy.virial[b][a], -derivative(strained, check, step));
    }
}

static void check_all(struct check *check, const struct ph_energy *energy, size_t most, struct ph_gradients *out)
{
    struct ph_system *system = check->system;
    struct distances all;
    check->status = measure_all(system, check->interactions, &all, check->err);
    const struct scales scales = scales_of(system, energy, all.closest);
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t count = system->first[s + 1] - system->first[s], n = count < most ? count : most;
        for (size_t k = 0; k < n && check->status == PH_OK; ++k) {
            check->molecule = system->first[s] + k * count / n;
            const struct distances own = measure_molecule(system, check->interactions, check->molecule);
            const double near = system->n > 1 ? own.closest : fmin(own.closest, 1.0); /* only fields may act */
            check_molecule(check, fmin(relative_step * near, safe_part * own.from_jump), system->species[s].extent,
                           &scales, out);
        }
    }
    check->pairs = pairs_alone(check->interactions);
    if (check->status == PH_OK && ph_is_ewald(&check->pairs)) /* the same in strained boxes */
        check->status = ph_ewald_choose(system, &check->pairs, check->err);
    if (check->status == PH_OK && (system->n > 1 || system->box.kind != PH_BOX_OPEN))
        check_virial(check, &all, out);
}

enum ph_status ph_check_gradients(const struct ph_system *system, const struct ph_interactions *interactions,
                                  size_t most, struct ph_gradients *gradients, struct ph_error *err)
{
    *gradients = (struct ph_gradients){0};
    struct check check = {.interactions = interactions, .err = err};
    check.status = copy_system(system, &check.system, err);
    if (check.status == PH_OK)
        check.status = ph_force_field_create(check.system, interactions, &check.field, err);
    check.state = make_state(&check, check.system, check.field);
    const struct ph_energy energy = evaluate(&check, check.state);
    if (check.status == PH_OK)
        check_all(&check, &energy, most, gradients);
    ph_state_destroy(check.state);
    ph_state_destroy(check.of_strained);
    ph_force_field_destroy(check.field);
    ph_force_field_destroy(check.of_pairs);
    ph_system_destroy(check.strained);
    ph_system_destroy(check.system);
    return check.status;
}
