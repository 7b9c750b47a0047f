/* SPDX-License-Identifier: MIT */
#include "force/force_field.h"

#include "base/array.h"
#include "base/rotation.h"
#include "base/threads.h"
#include "force/external/external.h"
#include "force/longrange/ewald.h"
#include "force/longrange/tail.h"
#include "force/pairs/derivative.h"
#include "force/pairs/pair_loop.h"
#include "force/pairs/tile.h"

#include <stdlib.h>

struct ph_force_field {
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_pair_table table;
    struct ph_tiles tiles;
    bool all_pairs, external;
    double skin, near_skin;
    double inside, reach; /* of centres: nearer ones are before the switch, further ones do not interact */
    double *site;         /* owned; positions and dipoles of sites in space, a record of fields for each molecule */
    double *anchor[3];    /* owned; unwrapped centres at creation, for tethers */
    double tail_energy, tail_virial;
    struct ph_ewald *ewald;          /* owned; NULL for other electrostatics */
    struct ph_derivative derivative; /* scratch of force derivatives, if ever wanted */
    bool stale;                      /* the list is not to be used any more */
    bool evaluated;                  /* tiles hold the forces on sites of the last evaluation */
    size_t lists_made;
};

double ph_energy_total(const struct ph_energy *energy)
{
    return energy->radial + energy->electric + energy->waves + energy->long_range + energy->field;
}

/* ---- Set-up ---- */

void ph_force_field_destroy(struct ph_force_field *field)
{
    if (!field)
        return;
    ph_pair_table_clear(&field->table);
    ph_tiles_clear(&field->tiles);
    ph_derivative_clear(&field->derivative);
    ph_ewald_destroy(field->ewald);
    free(field->site);
    for (int k = 0; k < 3; ++k)
        free(field->anchor[k]);
    free(field);
}

static enum ph_status check_cutoff(const struct ph_system *system, const struct ph_interactions *interactions,
                                   struct ph_error *err)
{
    const bool open = system->box.kind == PH_BOX_OPEN;
    if (interactions->truncation == PH_TRUNCATE_NONE) {
        if (open && interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD)
            return ph_error_set(err, PH_ERR_INPUT, "A reaction field needs interactions.cutoff: it begins there.");
        if (open)
            return PH_OK;
        return ph_error_set(err, PH_ERR_INPUT,
                            "A periodic box needs interactions.cutoff: without one, pairs are endless.");
    }
    if (!(interactions->cutoff > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "interactions.cutoff is %g; it must be positive.", interactions->cutoff);
    if (interactions->truncation == PH_TRUNCATE_SWITCHED &&
        !(interactions->switch_width > 0.0 && interactions->switch_width <= interactions->cutoff))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.switch.width is %g; it must lie between 0 and the cutoff, %g.",
                            interactions->switch_width, interactions->cutoff);
    if (ph_field_is_smooth(interactions) && interactions->smoothness > PH_SMOOTH_DIPOLES)
        return ph_error_set(err, PH_ERR_INPUT,
                            "A reaction field ends by a polynomial, which has no more than %d continuous derivatives "
                            "for two dipoles: interactions.switch.smoothness must be 2, 4 or 6.",
                            PH_SMOOTH_DIPOLES);
    for (int k = 0; k < 3 && !open; ++k)
        if (interactions->cutoff > 0.5 * system->box.width[k])
            return ph_error_set(
                err, PH_ERR_INPUT,
                "interactions.cutoff is %g, more than half the distance %g between two faces of the box: a molecule "
                "would see two images of another. Take a smaller cutoff or a larger box.",
                interactions->cutoff, system->box.width[k]);
    return PH_OK;
}

/* Skins that balance making lists, thinning them out and pairs in vain; near the best over a wide range. */
static double chosen_skin(const struct ph_interactions *interactions)
{
    return interactions->skin > 0.0 ? interactions->skin : 0.13 * interactions->cutoff;
}

enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err)
{
    *out = NULL;
    enum ph_status status = check_cutoff(system, interactions, err);
    if (status != PH_OK)
        return status;
    struct ph_force_field *field = calloc(1, sizeof *field);
    if (!field)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the force field.");
    field->interactions = *interactions;
    interactions = &field->interactions;
    const bool ewald = interactions->electrostatics == PH_ELECTROSTATICS_EWALD;
    field->all_pairs = interactions->truncation == PH_TRUNCATE_NONE;
    field->external = ph_external_any(interactions);
    if (ewald)
        status = ph_ewald_settle(&system->box, &field->interactions, err);
    if (status == PH_OK)
        status = ph_pair_table_init(system, interactions, &field->table, err);
    if (status == PH_OK && ewald)
        status = ph_ewald_create(system, interactions, &field->table, &field->ewald, err);
    if (status == PH_OK)
        status = ph_long_range(system, interactions, &field->tail_energy, &field->tail_virial, err);
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    field->reach = interactions->cutoff + 2.0 * extent;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
        field->inside = interactions->cutoff - interactions->switch_width - 2.0 * extent;
    field->skin = chosen_skin(interactions);
    field->near_skin = 0.2 * field->skin;
    field->interactions.overrides = NULL;
    field->interactions.n_overrides = 0;
    const size_t padded = (system->n + PH_LANES) / PH_LANES * PH_LANES;
    if (status == PH_OK && !(field->site = ph_array_create(padded * field->table.record, sizeof(double))))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the sites of %zu molecules.", system->n);
    for (int k = 0; k < 3 && status == PH_OK && interactions->tether != 0.0; ++k) {
        if (!(field->anchor[k] = malloc(padded * sizeof(double)))) {
            status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the tethers of %zu molecules.", system->n);
            break;
        }
        for (size_t i = 0; i < system->n; ++i) {
            field->anchor[k][i] = system->r[k][i];
            for (int e = 0; e < 3; ++e)
                field->anchor[k][i] += system->image[e][i] * system->box.edge[e][k];
        }
    }
    if (status != PH_OK) {
        ph_force_field_destroy(field);
        return status;
    }
    *out = field;
    return PH_OK;
}

/* ---- Neighbour lists ---- */

void ph_force_field_forget(struct ph_force_field *field) { field->stale = true; }

/* Has any molecule gone further than `allowed` from where it was, or nowhere? */
static bool any_moved(const struct ph_system *system, double *const from[3], double allowed)
{
    const double *restrict x = system->r[0], *restrict y = system->r[1], *restrict z = system->r[2];
    const double *restrict x0 = from[0], *restrict y0 = from[1], *restrict z0 = from[2];
    const double allowed2 = allowed * allowed;
    double gone = 0.0;
#pragma omp simd reduction(+ : gone)
    for (size_t i = 0; i < system->n; ++i) {
        const double dx = x[i] - x0[i], dy = y[i] - y0[i], dz = z[i] - z0[i];
        gone += dx * dx + dy * dy + dz * dz < allowed2 ? 0.0 : 1.0; /* 1 for not a number too */
    }
    return gone > 0.0;
}

static enum ph_status make_list(struct ph_force_field *field, struct ph_system *system, struct ph_error *err)
{
    ++field->lists_made;
    field->evaluated = false;
    if (!field->all_pairs)
        ph_system_wrap(system);
    const enum ph_status status =
        field->all_pairs
            ? ph_tiles_all_pairs(system, field->table.n_fields, &field->tiles, err)
            : ph_tiles_neighbours(system, field->reach + field->skin, field->table.n_fields, &field->tiles, err);
    if (status != PH_OK)
        ph_tiles_clear(&field->tiles);
    field->stale = false;
    return status;
}

static void thin(struct ph_force_field *field, const struct ph_system *system)
{
    ph_tiles_thin(system, field->inside - field->near_skin, field->reach + field->near_skin, &field->tiles);
}

/* Two molecules may both move by half a skin before a pair is missed. */
static enum ph_status update_list(struct ph_force_field *field, struct ph_system *system, struct ph_error *err)
{
    const bool none = field->tiles.n == 0 || field->stale;
    if (field->all_pairs)
        return field->tiles.n == 0 ? make_list(field, system, err) : PH_OK;
    bool made = none;
    if (none || any_moved(system, field->tiles.built_at, 0.5 * field->skin)) {
        const enum ph_status status = make_list(field, system, err);
        if (status != PH_OK)
            return status;
        made = true;
    }
    if (made || any_moved(system, field->tiles.thinned_at, 0.5 * field->near_skin))
        thin(field, system);
    return PH_OK;
}

struct ph_force_memory ph_force_field_memory(const struct ph_force_field *field)
{
    struct ph_force_memory memory = {.anchor = {NULL}};
    const bool listed = !field->all_pairs && field->tiles.n > 0 && !field->stale;
    for (int k = 0; k < 3; ++k) {
        memory.anchor[k] = field->anchor[k];
        memory.built_at[k] = listed ? field->tiles.built_at[k] : NULL;
        memory.thinned_at[k] = listed ? field->tiles.thinned_at[k] : NULL;
    }
    return memory;
}

static void copy3(size_t n, double *const from[3], double *const to[3])
{
    for (int k = 0; k < 3; ++k)
        memcpy(to[k], from[k], n * sizeof(double));
}

enum ph_status ph_force_field_restore(struct ph_force_field *field, struct ph_system *system,
                                      const struct ph_force_memory *memory, struct ph_error *err)
{
    const size_t n = system->n;
    if (memory->anchor[0] && field->anchor[0])
        copy3(n, memory->anchor, field->anchor);
    field->stale = true;
    field->evaluated = false;
    if (field->all_pairs || !memory->built_at[0] || !memory->thinned_at[0])
        return PH_OK;
    /* The list is made where it was made; wrapping does nothing there, but for the images of triclinic boxes on faces.
     */
    double *const now[3] = {malloc(n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    int32_t *images = malloc(3 * n * sizeof *images);
    enum ph_status status = PH_OK;
    if (now[0] && now[1] && now[2] && images) {
        copy3(n, system->r, now);
        for (size_t k = 0; k < 3; ++k)
            memcpy(images + k * n, system->image[k], n * sizeof *images);
        copy3(n, memory->built_at, system->r);
        status = make_list(field, system, err);
        copy3(n, memory->thinned_at, system->r);
        if (status == PH_OK)
            thin(field, system);
        copy3(n, now, system->r);
        for (size_t k = 0; k < 3; ++k)
            memcpy(system->image[k], images + k * n, n * sizeof *images);
    } else {
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the neighbour list of %zu molecules.", n);
    }
    for (int k = 0; k < 3; ++k)
        free(now[k]);
    free(images);
    return status;
}

/* ---- Sites ---- */

/* Positions and dipoles in space of the sites of molecules begin .. end of species s */
static void expand_range(struct ph_force_field *field, const struct ph_system *system, size_t s, size_t begin,
                         size_t end)
{
    const struct ph_layout *layout = &field->table.layout[s];
    const struct ph_species *species = &system->species[s];
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        double *position = field->site + layout->position[k], *dipole = field->site + layout->dipole[k];
        const size_t record = field->table.record;
        const bool has_dipole = layout->has_dipole[k];
        const bool at_centre = site->position[0] == 0.0 && site->position[1] == 0.0 && site->position[2] == 0.0;
        for (size_t i = begin; i < end; ++i) {
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            double arm[3] = {0.0};
            if (!at_centre)
                ph_quat_rotate(q, site->position, arm);
            for (int x = 0; x < 3; ++x)
                position[i * record + (size_t)x] = system->r[x][i] + arm[x];
            if (has_dipole)
                ph_quat_rotate(q, site->dipole, dipole + i * record);
        }
    }
}

static void expand(struct ph_force_field *field, const struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t first = system->first[s], end = system->first[s + 1];
        if (end - first < PH_WORTH_THREADS) {
            expand_range(field, system, s, first, end);
            continue;
        }
#pragma omp parallel for schedule(static)
        for (size_t from = first; from < end; from += PH_TURN)
            expand_range(field, system, s, from, ph_turn_end(from, end));
    }
}

/* ---- All together ---- */

/* Forces on sites, summed over the copies of molecule i, become force and torque on it. */
static void collect(const struct ph_force_field *field, const struct ph_system *system, size_t i, double force[3],
                    double torque[3])
{
    const struct ph_tiles *tiles = &field->tiles;
    const struct ph_layout *layout = &field->table.layout[system->n_species == 1 ? 0 : ph_system_species_of(system, i)];
    const double *site = field->site + i * field->table.record;
    double sum[6 * PH_SITES_MAX];
    ph_pair_loop_sum(tiles, i, layout->n_fields, sum);
    for (size_t x = 0; x < 3; ++x)
        force[x] = torque[x] = 0.0;
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const double *push = sum + layout->position[k];
        double arm[3];
        for (size_t x = 0; x < 3; ++x) {
            arm[x] = site[layout->position[k] + x] - system->r[x][i];
            force[x] += push[x];
        }
        torque[0] += arm[1] * push[2] - arm[2] * push[1];
        torque[1] += arm[2] * push[0] - arm[0] * push[2];
        torque[2] += arm[0] * push[1] - arm[1] * push[0];
        if (layout->has_dipole[k]) {
            const double *e = sum + layout->dipole[k];
            const double *mu = site + layout->dipole[k];
            torque[0] += mu[1] * e[2] - mu[2] * e[1];
            torque[1] += mu[2] * e[0] - mu[0] * e[2];
            torque[2] += mu[0] * e[1] - mu[1] * e[0];
        }
    }
}

/* Forces on sites, tile by tile */
static void add_pairs(struct ph_force_field *field, const struct ph_system *system, bool energy)
{
    struct ph_tiles *tiles = &field->tiles;
    if (tiles->n == 1) {
        ph_pair_loop(&field->table, system, field->site, tiles, energy, &tiles->tile[0]);
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t d = 0; d < tiles->n; ++d)
        ph_pair_loop(&field->table, system, field->site, tiles, energy, &tiles->tile[d]);
}

/* Forces and torques of molecules begin .. end; the first of them for which they are not finite, SIZE_MAX for none */
static size_t collect_range(const struct ph_force_field *field, struct ph_system *system, size_t begin, size_t end)
{
    size_t broken = SIZE_MAX;
    for (size_t i = begin; i < end; ++i) {
        double force[3], torque[3];
        collect(field, system, i, force, torque);
        for (int k = 0; k < 3; ++k) {
            system->f[k][i] = force[k];
            system->t[k][i] = torque[k];
        }
        if (!isfinite(force[0] + force[1] + force[2] + torque[0] + torque[1] + torque[2]) && i < broken)
            broken = i;
    }
    return broken;
}

static size_t collect_all(const struct ph_force_field *field, struct ph_system *system)
{
    const size_t n = system->n;
    if (n < PH_WORTH_THREADS)
        return collect_range(field, system, 0, n);
    size_t broken = SIZE_MAX;
#pragma omp parallel for schedule(static) reduction(min : broken)
    for (size_t from = 0; from < n; from += PH_TURN) {
        const size_t first = collect_range(field, system, from, ph_turn_end(from, n));
        broken = first < broken ? first : broken;
    }
    return broken;
}

/* Why the force on molecule i is not finite: some molecule is nowhere or has no attitude, or two overlap. */
static enum ph_status explain(const struct ph_system *system, size_t i, struct ph_error *err)
{
    for (size_t j = 0; j < system->n; ++j) {
        if (!isfinite(system->r[0][j] + system->r[1][j] + system->r[2][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %zu is not finite: (%g, %g, %g).", j,
                                system->r[0][j], system->r[1][j], system->r[2][j]);
        if (!isfinite(system->q[0][j] + system->q[1][j] + system->q[2][j] + system->q[3][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The attitude of molecule %zu is not finite: (%g, %g, %g, %g).", j,
                                system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]);
    }
    size_t nearest = i;
    double smallest = INFINITY;
    for (size_t j = 0; j < system->n; ++j) {
        double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                       system->r[2][i] - system->r[2][j]};
        ph_box_minimum_image(&system->box, d);
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (j != i && distance < smallest) {
            smallest = distance;
            nearest = j;
        }
    }
    if (nearest == i)
        return ph_error_set(err, PH_ERR_NUMBERS, "The force on molecule %zu at (%g, %g, %g) is not finite.", i,
                            system->r[0][i], system->r[1][i], system->r[2][i]);
    return ph_error_set(
        err, PH_ERR_NUMBERS,
        "The force on molecule %zu at (%g, %g, %g) is not finite; the nearest molecule is %zu, at a distance of %g: "
        "they overlap.",
        i, system->r[0][i], system->r[1][i], system->r[2][i], nearest, smallest);
}

/* After what waves add */
static enum ph_status check_finite(const struct ph_system *system, struct ph_error *err)
{
    for (size_t i = 0; i < system->n; ++i)
        if (!isfinite(system->f[0][i] + system->f[1][i] + system->f[2][i] + system->t[0][i] + system->t[1][i] +
                      system->t[2][i]))
            return explain(system, i, err);
    return PH_OK;
}

/* Forces and torques of external fields, and their energy */
static enum ph_status add_external(const struct ph_force_field *field, struct ph_system *system, double *energy,
                                   struct ph_error *err)
{
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double r[3], anchor[3] = {0.0}, force[3] = {0.0}, torque[3] = {0.0}, sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            r[k] = system->r[k][i];
            for (int e = 0; e < 3; ++e)
                r[k] += system->image[e][i] * system->box.edge[e][k];
            if (field->anchor[k])
                anchor[k] = field->anchor[k][i];
        }
        *energy += ph_external_add(&field->interactions, species, q, r, anchor, force, torque);
        for (int k = 0; k < 3; ++k)
            sum += (system->f[k][i] += force[k]) + (system->t[k][i] += torque[k]);
        if (!isfinite(sum))
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "External fields push molecule %zu, at (%g, %g, %g) with attitude (%g, %g, %g, %g), "
                                "beyond all bounds: force (%g, %g, %g), torque (%g, %g, %g).",
                                i, r[0], r[1], r[2], q[0], q[1], q[2], q[3], force[0], force[1], force[2], torque[0],
                                torque[1], torque[2]);
    }
    return PH_OK;
}

enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, struct ph_energy *energy,
                                       struct ph_error *err)
{
    field->evaluated = false;
    enum ph_status status = update_list(field, system, err);
    if (status != PH_OK)
        return status;
    expand(field, system);
    struct ph_tiles *tiles = &field->tiles;
    add_pairs(field, system, energy != NULL);
    const size_t broken = collect_all(field, system);
    if (broken != SIZE_MAX)
        return explain(system, broken, err);

    struct ph_energy sum = {.long_range = field->tail_energy};
    for (size_t d = 0; d < tiles->n; ++d) {
        sum.radial += tiles->tile[d].energy_radial;
        sum.electric += tiles->tile[d].energy_electric;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                sum.virial[x][y] += tiles->tile[d].virial[x][y];
    }
    for (int x = 0; x < 3; ++x)
        sum.virial[x][x] += field->tail_virial;
    if (field->ewald)
        sum.waves = ph_ewald_add(field->ewald, &field->table, system, field->site, sum.virial);
    status = field->external ? add_external(field, system, &sum.field, err) : PH_OK;
    if (status == PH_OK && field->ewald)
        status = check_finite(system, err);
    if (status == PH_OK && energy && !isfinite(ph_energy_total(&sum)))
        status = ph_error_set(err, PH_ERR_NUMBERS, "The potential energy is not finite, although all forces are: %g.",
                              ph_energy_total(&sum));
    field->evaluated = status == PH_OK;
    if (energy && status == PH_OK)
        *energy = sum;
    return status;
}

/* Why the rate of molecule i is not finite: some molecule moves without bounds, or close ones bend too strongly. */
static enum ph_status explain_rate(size_t n, size_t i, double *const velocity[3], double *const omega[3],
                                   struct ph_error *err)
{
    for (size_t j = 0; j < n; ++j) {
        const double v[3] = {velocity[0][j], velocity[1][j], velocity[2][j]};
        const double w[3] = {omega[0][j], omega[1][j], omega[2][j]};
        if (!isfinite(v[0] + v[1] + v[2] + w[0] + w[1] + w[2]))
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "The motion along which forces change is not finite for molecule %zu: velocity (%g, "
                                "%g, %g), angular velocity (%g, %g, %g).",
                                j, v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    return ph_error_set(err, PH_ERR_NUMBERS, "The rate at which the force on molecule %zu changes is not finite.", i);
}

/* What external fields add to the rates of molecule i; false if they are not finite then */
static bool add_external_rate(const struct ph_force_field *field, const struct ph_system *system, size_t i,
                              double *const velocity[3], double *const omega[3], double *const force_rate[3],
                              double *const torque_rate[3])
{
    const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
    const double v[3] = {velocity[0][i], velocity[1][i], velocity[2][i]};
    const double w[3] = {omega[0][i], omega[1][i], omega[2][i]};
    double force[3] = {0.0}, torque[3] = {0.0}, sum = 0.0;
    if (field->external)
        ph_external_add_rates(&field->interactions, &system->species[ph_system_species_of(system, i)], q, v, w, force,
                              torque);
    for (int k = 0; k < 3; ++k)
        sum += (force_rate[k][i] += force[k]) + (torque_rate[k][i] += torque[k]);
    return isfinite(sum);
}

enum ph_status ph_force_field_derivative(struct ph_force_field *field, const struct ph_system *system,
                                         double *const velocity[3], double *const omega[3], double *const force_rate[3],
                                         double *const torque_rate[3], struct ph_error *err)
{
    if (!field->evaluated)
        return ph_error_set(err, PH_ERR_NUMBERS, "Forces must be evaluated before their derivative.");
    const enum ph_status status = ph_derivative_evaluate(&field->table, system, field->site, &field->tiles, velocity,
                                                         omega, &field->derivative, force_rate, torque_rate, err);
    if (status != PH_OK)
        return status;
    if (field->ewald && ph_ewald_add_rates(field->ewald, &field->table, system, field->site, velocity, omega,
                                           force_rate, torque_rate, err) != PH_OK)
        return PH_ERR_MEMORY;
    size_t broken = SIZE_MAX;
    if (system->n < PH_WORTH_THREADS) {
        for (size_t i = system->n; i-- > 0;)
            if (!add_external_rate(field, system, i, velocity, omega, force_rate, torque_rate))
                broken = i;
    } else {
#pragma omp parallel for schedule(static) reduction(min : broken)
        for (size_t i = 0; i < system->n; ++i)
            if (!add_external_rate(field, system, i, velocity, omega, force_rate, torque_rate) && i < broken)
                broken = i;
    }
    return broken == SIZE_MAX ? PH_OK : explain_rate(system->n, broken, velocity, omega, err);
}

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field)
{
    struct ph_force_counts counts = {.lists_made = field->lists_made};
    for (size_t d = 0; d < field->tiles.n; ++d)
        counts.molecule_pairs += field->tiles.tile[d].pairs;
    counts.site_pairs = counts.molecule_pairs * field->table.of[0].n; /* exact for one species */
    return counts;
}
