/* SPDX-License-Identifier: MIT */
#include "model/system.h"

#include "base/array.h"
#include "base/threads.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { COMPONENTS = 3 + 3 + 4 + 3 + 3 + 3 }; /* of double: r, p, q, m, f, t */

/* Allocates all arrays as one block, which begins at r[0] */
static enum ph_status allocate(struct ph_system *system, struct ph_error *err)
{
    const size_t padded = ph_padded(system->n);
    const size_t row = COMPONENTS * sizeof(double) + 3 * sizeof(int32_t) + 2 * sizeof(uint32_t);
    unsigned char *block = ph_array_create(padded, row);
    if (!block)
        return ph_no_memory(err, "%zu molecules", system->n);
    double *next = (double *)(void *)block;
    double **const groups[] = {system->r, system->p, system->q, system->m, system->f, system->t};
    const int components[] = {3, 3, 4, 3, 3, 3};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < components[g]; ++k) {
            groups[g][k] = next;
            next += padded;
        }
    int32_t *next_image = (int32_t *)next;
    for (int k = 0; k < 3; ++k) {
        system->image[k] = next_image;
        next_image += padded;
    }
    system->id = (uint32_t *)next_image;
    system->place = system->id + padded;
    return PH_OK;
}

void ph_system_number(struct ph_system *system, size_t begin, size_t end)
{
    end = end == system->n ? ph_padded(end) : end; /* the padding too: every lane holds a valid orientation */
    for (size_t i = begin; i < end; ++i)
        system->id[i] = system->place[i] = (uint32_t)i;
    for (size_t i = begin; i < end; ++i)
        system->q[0][i] = 1.0;
}

enum ph_status ph_system_create(size_t n_species, const struct ph_species *species, const size_t *counts,
                                const struct ph_box *box, struct ph_system **out, struct ph_error *err)
{
    const enum ph_status status = ph_system_reserve(n_species, species, counts, box, out, err);
    if (status == PH_OK)
        ph_system_number(*out, 0, (*out)->n);
    return status;
}

enum ph_status ph_system_reserve(size_t n_species, const struct ph_species *species, const size_t *counts,
                                 const struct ph_box *box, struct ph_system **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_system *system = calloc(1, sizeof *system);
    if (!system)
        goto no_memory;
    system->box = *box;
    system->n_species = n_species;
    system->species = calloc(n_species > 0 ? n_species : 1, sizeof *system->species);
    system->first = calloc(n_species + 1, sizeof *system->first);
    if (!system->species || !system->first)
        goto no_memory;
    for (size_t s = 0; s < n_species; ++s) {
        system->species[s] = species[s];
        if (counts[s] > INT32_MAX - system->n) {
            ph_system_destroy(system);
            return ph_error_set(err, PH_ERR_INPUT, "%zu molecules of '%s' are too many: a system holds %d.", counts[s],
                                species[s].name, INT32_MAX);
        }
        system->n += counts[s];
        system->first[s + 1] = system->n;
    }
    const enum ph_status status = allocate(system, err);
    if (status != PH_OK) {
        ph_system_destroy(system);
        return status;
    }
    *out = system;
    return PH_OK;
no_memory:
    ph_system_destroy(system);
    return ph_no_memory(err, "a system of %zu species", n_species);
}

void ph_system_destroy(struct ph_system *system)
{
    if (!system)
        return;
    free(system->r[0]);
    free(system->species);
    free(system->first);
    free(system);
}

static size_t clamp(size_t x, size_t low, size_t high) { return x < low ? low : x > high ? high : x; }

void ph_system_window(const struct ph_system *system, size_t begin, size_t end, size_t step, double *row,
                      int32_t *image, size_t *first, struct ph_system *window)
{
    *window = *system;
    double **const groups[] = {window->r, window->q, window->p, window->m, window->f, window->t};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (int k = 0; k < (groups[g] == window->q ? 4 : 3); ++k, row += step)
            groups[g][k] = row;
    for (int k = 0; k < 3; ++k, image += step)
        window->image[k] = image;
    for (size_t s = 0; s <= system->n_species; ++s)
        first[s] = clamp(system->first[s], begin, end) - begin;
    window->first = first;
    window->n = end - begin;
    window->id = window->place = NULL;
}

static void exchange(double *const array[], int components, size_t i, size_t j)
{
    for (int k = 0; k < components; ++k) {
        const double x = array[k][i];
        array[k][i] = array[k][j];
        array[k][j] = x;
    }
}

void ph_system_exchange(struct ph_system *system, size_t i, size_t j)
{
    double *const *const groups[] = {system->r, system->p, system->q, system->m, system->f, system->t};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        exchange(groups[g], groups[g] == system->q ? 4 : 3, i, j);
    for (int k = 0; k < 3; ++k) {
        const int32_t image = system->image[k][i];
        system->image[k][i] = system->image[k][j];
        system->image[k][j] = image;
    }
    const uint32_t number = system->id[i];
    system->id[i] = system->id[j];
    system->id[j] = number;
    system->place[system->id[i]] = (uint32_t)i;
    system->place[system->id[j]] = (uint32_t)j;
}

size_t ph_system_species_of(const struct ph_system *system, size_t i)
{
    size_t low = 0, high = system->n_species; /* first[low] <= i < first[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (system->first[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void wrap(struct ph_system *system, size_t i)
{
    double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
    int image[3] = {0, 0, 0};
    ph_box_wrap(&system->box, r, image);
    for (int k = 0; k < 3; ++k) {
        system->r[k][i] = r[k];
        system->image[k][i] =
            (int32_t)((uint32_t)system->image[k][i] + (uint32_t)image[k]); /* a blown-up system overflows */
    }
}

void ph_system_wrap(struct ph_system *system)
{
    if (system->box.kind == PH_BOX_OPEN)
        return;
    if (system->n < PH_WORTH_THREADS) {
        for (size_t i = 0; i < system->n; ++i)
            wrap(system, i);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < system->n; ++i)
        wrap(system, i);
}

void ph_system_wrap_these(struct ph_system *system, size_t n, const uint32_t *places)
{
    if (system->box.kind == PH_BOX_OPEN)
        return;
#pragma omp parallel for schedule(static) if (n >= PH_WORTH_THREADS)
    for (size_t k = 0; k < n; ++k)
        wrap(system, places[k]);
}

/* Neumaier's compensated sum: the result is good to a rounding of the sum itself, in one fixed order. */
struct sum {
    double value, lost;
};

static void sum_add(struct sum *sum, double x)
{
    const double total = sum->value + x;
    sum->lost += fabs(sum->value) >= fabs(x) ? (sum->value - total) + x : (x - total) + sum->value;
    sum->value = total;
}

double ph_system_kinetic_translation(const struct ph_system *system)
{
    struct sum energy = {0.0, 0.0};
    for (size_t s = 0; s < system->n_species; ++s) {
        const double half_inverse = 0.5 / system->species[s].mass;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double x = system->p[0][i], y = system->p[1][i], z = system->p[2][i];
            sum_add(&energy, half_inverse * (x * x + y * y + z * z));
        }
    }
    return energy.value + energy.lost;
}

double ph_system_kinetic_rotation(const struct ph_system *system)
{
    struct sum energy = {0.0, 0.0};
    for (size_t s = 0; s < system->n_species; ++s) {
        double half_inverse[3];
        for (int k = 0; k < 3; ++k) /* nothing turns about an axis without inertia */
            half_inverse[k] = system->species[s].inertia[k] > 0.0 ? 0.5 / system->species[s].inertia[k] : 0.0;
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double x = system->m[0][i], y = system->m[1][i], z = system->m[2][i];
            sum_add(&energy, half_inverse[0] * x * x + half_inverse[1] * y * y + half_inverse[2] * z * z);
        }
    }
    return energy.value + energy.lost;
}

size_t ph_system_degrees_rotation(const struct ph_system *system)
{
    size_t degrees = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        degrees += (size_t)system->species[s].degrees * (system->first[s + 1] - system->first[s]);
    return degrees;
}

double ph_system_charge(const struct ph_system *system)
{
    double sum = 0.0, all = 0.0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const double n = (double)(system->first[s + 1] - system->first[s]),
                     charge = ph_species_charge(&system->species[s]);
        sum += n * charge;
        all += n * fabs(charge);
    }
    return fabs(sum) > 1e-9 * all ? sum : 0.0;
}
