/* SPDX-License-Identifier: MIT */
#include "lab/free_energy/insertion.h"

#include "base/rotation.h"
#include "base/vec3.h"
#include "force/external/external.h"
#include "force/external/external_force.h"
#include "force/pairs/angular_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Neighbours of the test molecule of one species, each field in a row */
struct neighbours {
    size_t n, padded;  /* padded: with sites far away, to whole lanes */
    size_t room;       /* of a row */
    double *rows;      /* owned; field f of neighbour k is rows[f room + k] */
    double *centre[3]; /* owned; from the test molecule, nearest image */
    size_t *molecule;  /* owned */
};

struct ph_insertion {
    struct ph_insertion_task task;
    struct ph_box box;
    bool exact, images;         /* images: a molecule may be a neighbour twice */
    double *centre;             /* owned; [3][n] */
    double *field;              /* owned; [n][record]: sites about their centres */
    struct neighbours *species; /* owned */
    PH_ALIGNED double force[3][PH_KERNEL_CHUNK], electric[3][PH_KERNEL_CHUNK]; /* results of kernels, not used */
};

static const double far_away = PH_BEYOND_CUTOFF, forbidden = 1000.0; /* kT */

/* ---- Life ---- */

static bool turns(const struct ph_insertion_task *task) { return task->system->species[task->species].degrees > 0; }

bool ph_insertion_is_exact(const struct ph_insertion_task *task)
{
    const struct ph_species *species = &task->system->species[task->species];
    const struct ph_layout *layout = &task->table->layout[task->species];
    if (!turns(task))
        return true;
    if (layout->n_sites > 1 ||
        (layout->n_sites == 1 && (layout->n_axes[0] > 0 || !ph_vec3_is_zero(species->site[layout->site[0]].position))))
        return false;
    for (size_t a = 0; a < species->n_sites; ++a) /* sites that only fields act on */
        if (!(layout->n_sites == 1 && layout->site[0] == a) &&
            (species->site[a].charge != 0.0 || !ph_vec3_is_zero(species->site[a].dipole)))
            return false;
    for (size_t t = 0; t < task->table->n_species; ++t) {
        const struct ph_site_pairs *pairs = &task->table->of[task->species * task->table->n_species + t];
        for (size_t p = 0; p < pairs->n; ++p)
            if (pairs->pair[p].angular.kind != PH_ANGULAR_NONE)
                return false;
    }
    for (size_t k = 0; k < ph_external_count(); ++k)
        if (ph_external_present(ph_external_at(k), &task->interactions->external) &&
            ph_external_at(k) != &ph_external_electric)
            return false;
    return true;
}

static double reach_of(const struct ph_insertion_task *task, size_t t)
{
    return task->interactions->cutoff + task->system->species[task->species].extent + task->system->species[t].extent;
}

static bool begin_species(size_t n, size_t fields, bool images, struct neighbours *neighbours)
{
    const size_t room = (images ? 27 * n : n) + PH_LANES;
    neighbours->room = (room + PH_LANES - 1) / PH_LANES * PH_LANES;
    neighbours->rows = aligned_alloc(64, (fields + 1) * neighbours->room * sizeof(double));
    neighbours->molecule = calloc(neighbours->room, sizeof *neighbours->molecule);
    bool good = neighbours->rows && neighbours->molecule;
    for (int x = 0; x < 3; ++x) {
        neighbours->centre[x] = calloc(neighbours->room, sizeof(double));
        good = good && neighbours->centre[x];
    }
    return good;
}

struct ph_insertion *ph_insertion_create(const struct ph_insertion_task *task)
{
    struct ph_insertion *insertion = aligned_alloc(64, (sizeof *insertion + 63) / 64 * 64);
    if (!insertion)
        return NULL;
    memset(insertion, 0, sizeof *insertion);
    insertion->task = *task;
    insertion->exact = ph_insertion_is_exact(task);
    const size_t n = task->n, species = task->system->n_species;
    insertion->centre = calloc(3 * n + 1, sizeof(double));
    insertion->field = calloc(n * task->table->record + 1, sizeof(double));
    insertion->species = calloc(species, sizeof *insertion->species);
    if (insertion->centre && insertion->field && insertion->species)
        return insertion;
    ph_insertion_destroy(insertion);
    return NULL;
}

static void free_neighbours(struct neighbours *neighbours)
{
    free(neighbours->rows);
    free(neighbours->molecule);
    for (int x = 0; x < 3; ++x)
        free(neighbours->centre[x]);
    *neighbours = (struct neighbours){.n = 0};
}

void ph_insertion_destroy(struct ph_insertion *insertion)
{
    if (!insertion)
        return;
    for (size_t t = 0; insertion->species && t < insertion->task.system->n_species; ++t)
        free_neighbours(&insertion->species[t]);
    free(insertion->species);
    free(insertion->centre);
    free(insertion->field);
    free(insertion);
}

/* ---- A frame ---- */

/* Sites, dipoles and axes of a molecule about its centre */
static void turn_fields(const struct ph_species *species, const struct ph_layout *layout, const double q[4],
                        double *field)
{
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        ph_quat_rotate(q, site->position, &field[layout->position[k]]);
        if (layout->has_dipole[k])
            ph_quat_rotate(q, site->dipole, &field[layout->dipole[k]]);
        for (size_t m = 0; m < layout->n_axes[k]; ++m)
            ph_quat_rotate(q, site->axis[layout->body_axis[k][m]], &field[layout->axis[k][m]]);
    }
}

bool ph_insertion_frame(struct ph_insertion *insertion, const struct ph_box *box, const double *centre,
                        const double *orientation)
{
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const struct ph_insertion_task *task = &insertion->task;
    const struct ph_system *system = task->system;
    insertion->box = *box;
    for (size_t i = 0; i < task->n; ++i)
        for (size_t x = 0; x < 3; ++x)
            insertion->centre[x * task->n + i] = centre[3 * i + x];
    double reach = 0.0;
    for (size_t t = 0; t < system->n_species; ++t) {
        reach = fmax(reach, reach_of(task, t));
        for (size_t i = system->first[t]; i < system->first[t + 1] && i < task->n; ++i)
            turn_fields(&system->species[t], &task->table->layout[t], orientation ? &orientation[4 * i] : unturned,
                        &insertion->field[i * task->table->record]);
    }
    const bool images = reach > 0.5 * fmin(box->width[0], fmin(box->width[1], box->width[2]));
    bool good = true;
    for (size_t t = 0; t < system->n_species && good; ++t) {
        struct neighbours *neighbours = &insertion->species[t];
        if (neighbours->rows && (insertion->images || !images))
            continue;
        free_neighbours(neighbours);
        const size_t end = system->first[t + 1] < task->n ? system->first[t + 1] : task->n;
        good = begin_species(end > system->first[t] ? end - system->first[t] : 0, task->table->layout[t].n_fields,
                             images, neighbours);
    }
    insertion->images = insertion->images || images;
    return good;
}

/* ---- Neighbours of a place ---- */

static void keep(struct neighbours *neighbours, size_t molecule, const double d[3])
{
    for (int x = 0; x < 3; ++x)
        neighbours->centre[x][neighbours->n] = d[x];
    neighbours->molecule[neighbours->n++] = molecule;
}

/* Keeps all images of molecule i within reach; the one at d is the nearest. */
static void keep_images(const struct ph_box *box, double reach, size_t i, const double d[3],
                        struct neighbours *neighbours)
{
    for (int k = 0; k < 27; ++k) {
        const double shift[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        double at[3] = {d[0], d[1], d[2]};
        for (int e = 0; e < 3; ++e)
            ph_vec3_add(shift[e], box->edge[e], at);
        if (ph_vec3_dot(at, at) < reach * reach)
            keep(neighbours, i, at);
    }
}

static void find_neighbours(struct ph_insertion *insertion, const double r[3], size_t t)
{
    const struct ph_insertion_task *task = &insertion->task;
    const struct ph_box *box = &insertion->box;
    struct neighbours *neighbours = &insertion->species[t];
    const double reach = reach_of(task, t), *x = insertion->centre, *y = x + task->n, *z = y + task->n;
    const bool plain = box->kind == PH_BOX_ORTHORHOMBIC;
    const double edge[3] = {box->edge[0][0], box->edge[1][1], box->edge[2][2]};
    const double inverse[3] = {box->inverse[0][0], box->inverse[1][1], box->inverse[2][2]};
    neighbours->n = 0;
    for (size_t i = task->system->first[t]; i < task->system->first[t + 1] && i < task->n; ++i) {
        double d[3] = {x[i] - r[0], y[i] - r[1], z[i] - r[2]};
        for (int k = 0; k < 3 && plain; ++k)
            d[k] -= edge[k] * rint(d[k] * inverse[k]);
        if (!plain)
            ph_box_minimum_image(box, d);
        if (insertion->images)
            keep_images(box, reach, i, d, neighbours);
        else if (ph_vec3_dot(d, d) < reach * reach)
            keep(neighbours, i, d);
    }
}

/* Makes rows of the fields of all neighbours, relative to the test molecule's centre. */
static void fill_rows(struct ph_insertion *insertion, size_t t)
{
    const struct ph_layout *layout = &insertion->task.table->layout[t];
    struct neighbours *neighbours = &insertion->species[t];
    neighbours->padded = (neighbours->n + PH_LANES - 1) / PH_LANES * PH_LANES;
    const size_t record = insertion->task.table->record, room = neighbours->room;
    for (size_t f = 0; f < layout->n_fields; ++f) {
        double *row = &neighbours->rows[f * room];
        for (size_t k = 0; k < neighbours->n; ++k)
            row[k] = insertion->field[neighbours->molecule[k] * record + f];
        for (size_t k = neighbours->n; k < neighbours->padded; ++k)
            row[k] = 0.0;
    }
    for (size_t s = 0; s < layout->n_sites; ++s)
        for (size_t x = 0; x < 3; ++x) {
            double *row = &neighbours->rows[(layout->position[s] + x) * room];
            for (size_t k = 0; k < neighbours->n; ++k)
                row[k] += neighbours->centre[x][k];
            for (size_t k = neighbours->n; k < neighbours->padded; ++k)
                row[k] = far_away;
        }
}

static void go_to(struct ph_insertion *insertion, const double r[3])
{
    for (size_t t = 0; t < insertion->task.system->n_species; ++t) {
        find_neighbours(insertion, r, t);
        fill_rows(insertion, t);
    }
}

/* ---- Energies ---- */

struct energies {
    double radial, electric, field[3]; /* field: electric, at the dipole of the test molecule */
};

static void add_angular(const struct ph_site_pair *pair, const struct ph_layout *layout,
                        const struct neighbours *neighbours, const double *about, struct energies *energies)
{
    for (size_t k = 0; k < neighbours->n; ++k) {
        double fields[PH_FIELDS_MAX];
        for (size_t f = 0; f < layout->n_fields; ++f)
            fields[f] = neighbours->rows[f * neighbours->room + k];
        *(pair->angular.electric ? &energies->electric : &energies->radial) +=
            ph_angular_pair_energy(pair, about, fields);
    }
}

static void add_pair(struct ph_insertion *insertion, const struct ph_site_pair *pair,
                     const struct neighbours *neighbours, const double *about, struct energies *energies)
{
    const double *rows = neighbours->rows;
    struct ph_kernel_i i = {.radial_energy = 0.0};
    for (size_t x = 0; x < 3; ++x) {
        i.r[x] = about[pair->position_i + x];
        i.mu[x] = about[pair->dipole_i + x];
    }
    for (size_t from = 0; from < neighbours->padded; from += PH_KERNEL_CHUNK) {
        const size_t left = neighbours->padded - from, n = left < PH_KERNEL_CHUNK ? left : PH_KERNEL_CHUNK;
        struct ph_kernel_j j;
        for (size_t x = 0; x < 3; ++x) {
            j.r[x] = &rows[(pair->position_j + x) * neighbours->room + from];
            j.mu[x] = &rows[(pair->dipole_j + x) * neighbours->room + from];
            j.force[x] = insertion->force[x];
            j.field[x] = insertion->electric[x];
        }
        pair->kernel[PH_ROWS_ADD][true](&pair->term, n, &j, &i);
    }
    energies->radial += i.radial_energy;
    energies->electric += i.electric_energy;
    ph_vec3_add(1.0, i.field, energies->field);
}

static struct energies energies_of(struct ph_insertion *insertion, const double q[4])
{
    const struct ph_insertion_task *task = &insertion->task;
    const struct ph_pair_table *table = task->table;
    double about[PH_FIELDS_MAX];
    struct energies energies = {.radial = 0.0};
    turn_fields(&task->system->species[task->species], &table->layout[task->species], q, about);
    for (size_t t = 0; t < table->n_species; ++t) {
        const struct ph_site_pairs *pairs = &table->of[task->species * table->n_species + t];
        for (size_t p = 0; p < pairs->n && insertion->species[t].n > 0; ++p)
            if (pairs->pair[p].angular.kind != PH_ANGULAR_NONE)
                add_angular(&pairs->pair[p], &table->layout[t], &insertion->species[t], about, &energies);
            else
                add_pair(insertion, &pairs->pair[p], &insertion->species[t], about, &energies);
    }
    return energies;
}

static bool is_forbidden(const struct ph_insertion *insertion, const struct energies *energies)
{
    return !(energies->radial <= forbidden * insertion->task.kT) || !(fabs(energies->electric) < 1e100);
}

static double external_energy(const struct ph_insertion *insertion, const double r[3], const double q[4])
{
    const struct ph_external_fields *fields = &insertion->task.interactions->external;
    struct ph_external_body body = {.fields = fields,
                                    .species = &insertion->task.system->species[insertion->task.species]};
    memcpy(body.q, q, sizeof body.q);
    memcpy(body.r, r, sizeof body.r);
    ph_turn_exp(fields->attractor, body.attractor);
    double energy = 0.0, force[3] = {0.0}, torque[3] = {0.0};
    for (size_t k = 0; k < ph_external_count(); ++k) {
        const struct ph_external_kind *kind = ph_external_at(k);
        if (ph_external_present(kind, fields) && (body.species->degrees > 0 || !kind->turns_only))
            energy += kind->add(&body, force, torque);
    }
    return energy;
}

static double energy_here(struct ph_insertion *insertion, const double r[3], const double q[4])
{
    const struct energies energies = energies_of(insertion, q);
    if (is_forbidden(insertion, &energies))
        return INFINITY;
    return energies.radial + energies.electric + external_energy(insertion, r, q);
}

double ph_insertion_energy(struct ph_insertion *insertion, const double r[3], const double q[4])
{
    go_to(insertion, r);
    return energy_here(insertion, r, q);
}

/* The logarithm of sinh(x)/x */
static double log_mean_of_turns(double x)
{
    if (x < 1e-3)
        return x * x / 6.0;
    return x + log(-expm1(-2.0 * x) / (2.0 * x));
}

/* The exact mean over orientations: only the dipole of the site in the centre turns. */
static double exact_weight(struct ph_insertion *insertion, const double r[3])
{
    static const double unturned[4] = {1.0, 0.0, 0.0, 0.0};
    const struct ph_insertion_task *task = &insertion->task;
    const struct ph_species *species = &task->system->species[task->species];
    const struct ph_layout *layout = &task->table->layout[task->species];
    struct energies energies = energies_of(insertion, unturned);
    if (is_forbidden(insertion, &energies))
        return 0.0;
    double energy = energies.radial + energies.electric + external_energy(insertion, r, unturned), x = 0.0;
    if (turns(task) && layout->n_sites == 1 && layout->has_dipole[0]) {
        const double *mu = species->site[layout->site[0]].dipole;
        ph_vec3_add(1.0, task->interactions->external.electric_field, energies.field);
        energy += ph_vec3_dot(mu, energies.field);
        x = sqrt(ph_vec3_dot(mu, mu) * ph_vec3_dot(energies.field, energies.field)) / task->kT;
    }
    return exp(-energy / task->kT + log_mean_of_turns(x));
}

double ph_insertion_weight(struct ph_insertion *insertion, const double r[3], struct ph_random *random)
{
    go_to(insertion, r);
    if (insertion->exact)
        return exact_weight(insertion, r);
    double sum = 0.0;
    for (size_t k = 0; k < insertion->task.orientations; ++k) {
        double q[4];
        ph_random_orientation(random, q);
        const double energy = energy_here(insertion, r, q);
        sum += isinf(energy) ? 0.0 : exp(-energy / insertion->task.kT);
    }
    return sum / (double)insertion->task.orientations;
}
