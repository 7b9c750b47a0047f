/* SPDX-License-Identifier: MIT */
#include "output/trajectory/trajectory_inside.h"

#include "base/rotation.h"
#include "base/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ph_trajectory_element_names[PH_TRAJECTORY_ELEMENTS] = {
    [PH_TRAJECTORY_POSITION] = "position",
    [PH_TRAJECTORY_IMAGE] = "image",
    [PH_TRAJECTORY_VELOCITY] = "velocity",
    [PH_TRAJECTORY_ORIENTATION] = "orientation",
    [PH_TRAJECTORY_ANGULAR_MOMENTUM] = "angular_momentum",
    [PH_TRAJECTORY_DIPOLE] = "dipole",
    [PH_TRAJECTORY_FORCE] = "force",
    [PH_TRAJECTORY_TORQUE] = "torque",
};

static const char *const units[PH_TRAJECTORY_ELEMENTS] = {
    [PH_TRAJECTORY_POSITION] = "nm",
    [PH_TRAJECTORY_VELOCITY] = "nm ps-1",
    [PH_TRAJECTORY_ANGULAR_MOMENTUM] = "u nm+2 ps-1",
    [PH_TRAJECTORY_DIPOLE] = "e nm",
    [PH_TRAJECTORY_FORCE] = "kJ mol-1 nm-1",
    [PH_TRAJECTORY_TORQUE] = "kJ mol-1",
};

bool ph_trajectory_has_bodies(const struct ph_system *system)
{
    for (size_t s = 0; s < system->n_species; ++s)
        if (!ph_species_single_site(&system->species[s]))
            return true;
    return false;
}

size_t ph_trajectory_particles(const struct ph_system *system)
{
    if (!ph_trajectory_has_bodies(system))
        return system->n;
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        n += system->species[s].n_sites * (system->first[s + 1] - system->first[s]);
    return n;
}

/* Whether an element has a meaning for any of these species: points have no orientation, for example. */
static bool applies(const struct ph_system *system, enum ph_trajectory_element element, size_t first, size_t end)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        if (system->first[s] < first || system->first[s + 1] > end || system->first[s] == system->first[s + 1])
            continue;
        double mu[3];
        ph_species_dipole(&system->species[s], mu);
        const bool rotates = system->species[s].degrees > 0;
        switch (element) {
        case PH_TRAJECTORY_ORIENTATION:
        case PH_TRAJECTORY_ANGULAR_MOMENTUM:
        case PH_TRAJECTORY_TORQUE:
            if (rotates)
                return true;
            break;
        case PH_TRAJECTORY_DIPOLE:
            if (!ph_vec3_is_zero(mu))
                return true;
            break;
        default: return true;
        }
    }
    return false;
}

/* Completes a part, given without rows, by the form of its data set. */
static struct ph_file_part form_part(const struct ph_trajectory_plan *plan, const char *group, const char *name,
                                     size_t lines, struct ph_file_part part)
{
    const enum ph_trajectory_element element = part.element;
    struct ph_rows_form *form = &part.rows.form;
    snprintf(form->path, sizeof form->path, "%s/%s", group, name);
    form->integers = element == PH_TRAJECTORY_IMAGE;
    form->single = plan->single;
    form->rank = 2;
    form->shape[0] = lines;
    form->shape[1] = element == PH_TRAJECTORY_ORIENTATION ? 4 : 3;
    form->chunk = 1;
    form->compression = plan->compression;
    form->unit = plan->physical ? units[element] : NULL;
    part.rows.value = -1;
    return part;
}

static enum ph_status check_names(const struct ph_system *system, struct ph_error *err)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const char *name = system->species[s].name;
        if (strchr(name, '/') || name[0] == '\0' || strcmp(name, ".") == 0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "A model of several sites is called '%s': a name without '/' is needed for its group "
                                "in the file.",
                                name);
        for (size_t other = 0; other < s; ++other)
            if (strcmp(name, system->species[other].name) == 0)
                return ph_error_set(err, PH_ERR_INPUT,
                                    "Species %zu and %zu are both called '%s': each has its group in the file and "
                                    "needs a name of its own.",
                                    other, s, name);
    }
    return PH_OK;
}

/* Advises how to make a part of a frame fit into one piece: numbers of 32 bits in place of 64, if they fit, which
 * integers have already; or not to write it, except positions. */
static void advise(const struct ph_file_part *part, hsize_t bytes, char words[PH_ERROR_TEXT / 4])
{
    const struct ph_rows_form *form = &part->rows.form;
    words[0] = '\0';
    if (!form->integers && !form->single && bytes / 2 <= UINT32_MAX)
        snprintf(words, PH_ERROR_TEXT / 4, ": with output.precision: single it takes half");
    else if (part->element != PH_TRAJECTORY_POSITION)
        snprintf(words, PH_ERROR_TEXT / 4, ": output.%s_every: 0 leaves it out",
                 ph_trajectory_element_names[part->element]);
}

/* Of a frame each part is one piece, and HDF5 counts its bytes with 32 bits. */
static enum ph_status check_sizes(size_t n, const struct ph_file_part *parts, struct ph_error *err)
{
    for (size_t k = 0; k < n; ++k) {
        const struct ph_rows_form *form = &parts[k].rows.form;
        const hsize_t bytes = form->shape[0] * form->shape[1] * (form->integers || form->single ? 4 : 8);
        char words[PH_ERROR_TEXT / 4];
        if (bytes <= UINT32_MAX)
            continue;
        advise(&parts[k], bytes, words);
        return ph_error_set(err, PH_ERR_INPUT,
                            "Of a frame, %s of %zu would take %.3g GB, and HDF5 holds less than 4.295 GB in one "
                            "piece%s.",
                            form->path, (size_t)form->shape[0], 1e-9 * (double)bytes, words);
    }
    return PH_OK;
}

enum ph_status ph_trajectory_parts(const struct ph_system *system, const struct ph_trajectory_plan *plan,
                                   struct ph_file_part **parts, size_t *n, struct ph_error *err)
{
    const bool bodies = ph_trajectory_has_bodies(system);
    *n = 0;
    *parts = NULL;
    if (bodies && check_names(system, err) != PH_OK)
        return PH_ERR_INPUT;
    *parts = calloc((system->n_species + 1) * PH_TRAJECTORY_ELEMENTS, sizeof **parts);
    if (!*parts)
        return ph_no_memory(err, "the elements of a trajectory");
    for (int e = 0; e < PH_TRAJECTORY_ELEMENTS; ++e) {
        const enum ph_trajectory_element element = (enum ph_trajectory_element)e;
        const char *name = ph_trajectory_element_names[e];
        const bool of_sites = element <= PH_TRAJECTORY_VELOCITY;
        if (e != PH_TRAJECTORY_POSITION && !ph_cadence_writes(plan, e))
            continue;
        if (bodies ? of_sites : applies(system, element, 0, system->n))
            (*parts)[(*n)++] = form_part(plan, "particles/trajectory", name, ph_trajectory_particles(system),
                                         (struct ph_file_part){.element = element, .sites = bodies, .end = system->n});
        for (size_t s = 0; s < system->n_species && bodies; ++s) {
            const size_t first = system->first[s], end = system->first[s + 1];
            char group[PH_NAME + 16];
            snprintf(group, sizeof group, "rigid_bodies/%s", system->species[s].name);
            if (end > first && applies(system, element, first, end)) /* VMD looks for groups called position */
                (*parts)[(*n)++] =
                    form_part(plan, group, element == PH_TRAJECTORY_POSITION ? "center" : name, end - first,
                              (struct ph_file_part){.element = element, .first = first, .end = end});
        }
    }
    return check_sizes(*n, *parts, err);
}

/* ---- filling ---- */

struct range {
    size_t from, to;
};

/* The part of first .. end-1 that are of a species */
static struct range of_species(const struct ph_system *system, size_t s, size_t first, size_t end)
{
    return (struct range){system->first[s] > first ? system->first[s] : first,
                          system->first[s + 1] < end ? system->first[s + 1] : end};
}

/* Puts components of arrays side by side, divided by the mass of the species if over_mass */
static void interleave(const struct ph_system *system, double *const *arrays, size_t width, bool over_mass,
                       size_t first, size_t end, double *out)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const double mass = over_mass ? system->species[s].mass : 1.0;
        const struct range range = of_species(system, s, first, end);
        for (size_t number = range.from; number < range.to; ++number)
            for (size_t k = 0; k < width; ++k)
                out[width * (number - first) + k] = arrays[k][system->place[number]] / mass;
    }
}

static void orientation(const struct ph_system *system, size_t i, double q[4])
{
    for (int k = 0; k < 4; ++k)
        q[k] = system->q[k][i];
}

static void fill_dipoles(const struct ph_system *system, size_t first, size_t end, double *out)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        double body[3], q[4];
        ph_species_dipole(&system->species[s], body);
        const struct range range = of_species(system, s, first, end);
        for (size_t number = range.from; number < range.to; ++number) {
            orientation(system, system->place[number], q);
            ph_quat_rotate(q, body, &out[3 * (number - first)]);
        }
    }
}

/* Where the sites are, r + Q X, or how they move, p/M + Q (omega x X) with omega = I^-1 m in the body frame */
static void fill_sites(const struct ph_system *system, bool velocity, size_t first, size_t end, double *out)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        const struct range range = of_species(system, s, first, end);
        for (size_t number = range.from; number < range.to; ++number) {
            const size_t i = system->place[number];
            double q[4], omega[3];
            orientation(system, i, q);
            for (int k = 0; k < 3; ++k)
                omega[k] = species->inertia[k] > 0.0 ? system->m[k][i] / species->inertia[k] : 0.0;
            for (size_t a = 0; a < species->n_sites; ++a, out += 3) {
                const double *x = species->site[a].position;
                double turning[3];
                ph_vec3_cross(omega, x, turning);
                ph_quat_rotate(q, velocity ? turning : x, out);
                for (int k = 0; k < 3; ++k)
                    out[k] += velocity ? system->p[k][i] / species->mass : system->r[k][i];
            }
        }
    }
}

static void fill_images(const struct ph_system *system, bool sites, size_t first, size_t end, int32_t *out)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t lines = sites ? system->species[s].n_sites : 1;
        const struct range range = of_species(system, s, first, end);
        for (size_t number = range.from; number < range.to; ++number)
            for (size_t a = 0; a < lines; ++a)
                for (int k = 0; k < 3; ++k)
                    *out++ = system->image[k][system->place[number]];
    }
}

size_t ph_part_line(const struct ph_file_part *part, const struct ph_system *system, size_t number)
{
    size_t lines = 0;
    if (!part->sites)
        return number - part->first;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct range range = of_species(system, s, part->first, number);
        lines += range.to > range.from ? (range.to - range.from) * system->species[s].n_sites : 0;
    }
    return lines;
}

/* Numbers of 32 bits, in place */
static void shorten(size_t n, double *numbers)
{
    unsigned char *to = (unsigned char *)numbers;
    for (size_t k = 0; k < n; ++k) {
        const float number = (float)numbers[k];
        memcpy(to + k * sizeof number, &number, sizeof number);
    }
}

void ph_part_fill(const struct ph_file_part *part, const struct ph_system *system, size_t first, size_t end, void *out)
{
    first = first > part->first ? first : part->first;
    end = end < part->end ? end : part->end;
    const bool velocity = part->element == PH_TRAJECTORY_VELOCITY;
    const size_t width = (size_t)part->rows.form.shape[1];
    double *const *arrays = NULL;
    switch (part->element) {
    case PH_TRAJECTORY_IMAGE: fill_images(system, part->sites, first, end, out); return;
    case PH_TRAJECTORY_DIPOLE: break;
    case PH_TRAJECTORY_POSITION: arrays = system->r; break;
    case PH_TRAJECTORY_VELOCITY: arrays = system->p; break;
    case PH_TRAJECTORY_ORIENTATION: arrays = system->q; break;
    case PH_TRAJECTORY_ANGULAR_MOMENTUM: arrays = system->m; break;
    case PH_TRAJECTORY_FORCE: arrays = system->f; break;
    case PH_TRAJECTORY_TORQUE:
    default: arrays = system->t; break;
    }
    if (part->sites)
        fill_sites(system, velocity, first, end, out);
    else if (arrays)
        interleave(system, arrays, width, velocity, first, end, out);
    else
        fill_dipoles(system, first, end, out);
    if (part->rows.form.single)
        shorten(width * (ph_part_line(part, system, end) - ph_part_line(part, system, first)), out);
}
