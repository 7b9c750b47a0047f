/* SPDX-License-Identifier: MIT */
#include "accel/engine/curve_table.h"

#include "potential/curves/curve.h"

#include <stdlib.h>
#include <string.h>

/* Curves one after the other, then the arrays of their splines; `here` becomes what is `there`. */
struct image {
    size_t n;
    const struct ph_curve **curve; /* owned; of the host, each once */
    unsigned char *here, *there;
    size_t used;
};

static size_t place_of(const struct image *image, const struct ph_curve *curve)
{
    size_t k = 0;
    while (k < image->n && image->curve[k] != curve)
        ++k;
    return k;
}

static void list(const struct ph_curve *curve, struct image *image)
{
    if (curve && place_of(image, curve) == image->n)
        image->curve[image->n++] = curve;
}

/* All parts have sizes that are multiples of 8 bytes. */
static size_t bytes_of(const struct image *image)
{
    size_t bytes = image->n * sizeof(struct ph_curve);
    for (size_t k = 0; k < image->n; ++k) {
        const struct ph_spline *spline = &image->curve[k]->spline;
        const size_t knots = spline->n > 0 ? spline->n + 1 : 0, powers = spline->n * (PH_SPLINE_DEGREE + 1);
        bytes += (knots + powers) * sizeof(double) + spline->n_buckets * sizeof *spline->bucket;
    }
    return bytes;
}

static void *put(const void *array, size_t bytes, struct image *image)
{
    void *there = image->there + image->used;
    if (bytes > 0)
        memcpy(image->here + image->used, array, bytes);
    image->used += bytes;
    return there;
}

static void fill(struct image *image)
{
    struct ph_curve *copy = (struct ph_curve *)(void *)image->here;
    image->used = image->n * sizeof *copy;
    for (size_t k = 0; k < image->n; ++k) {
        copy[k] = *image->curve[k];
        struct ph_spline *spline = &copy[k].spline;
        const size_t knots = spline->n > 0 ? spline->n + 1 : 0, powers = spline->n * (PH_SPLINE_DEGREE + 1);
        spline->knot = put(spline->knot, knots * sizeof *spline->knot, image);
        spline->power = put(spline->power, powers * sizeof *spline->power, image);
        spline->bucket = put(spline->bucket, spline->n_buckets * sizeof *spline->bucket, image);
        copy[k].about = NULL; /* these stay on the host */
        copy[k].next = NULL;
        copy[k].native = (struct ph_native){.radial = {NULL}};
    }
}

static const struct ph_curve *copy_of(const struct ph_curve *curve, const struct image *image)
{
    return curve ? (const struct ph_curve *)(void *)image->there + place_of(image, curve) : NULL;
}

void *ph_curve_table_make(const struct ph_machine *machine, size_t n_entries, struct ph_site_entry entry[],
                          size_t n_forms, struct ph_angular_entry form[], enum ph_status *status, struct ph_error *err)
{
    struct image image = {.curve = calloc(n_entries + n_forms + 1, sizeof *image.curve)};
    for (size_t k = 0; k < n_entries && image.curve; ++k)
        list(entry[k].term.formula.curve, &image);
    for (size_t k = 0; k < n_forms && image.curve; ++k)
        list(form[k].term.curve, &image);
    if (!image.curve && *status == PH_OK)
        *status = PH_ERR_MEMORY;
    const size_t bytes = image.n > 0 ? bytes_of(&image) : 0;
    if (bytes > 0 && *status == PH_OK && !(image.here = malloc(bytes)))
        *status = PH_ERR_MEMORY;
    if (bytes > 0)
        image.there = machine->allocate(bytes, status, err);
    if (image.there) {
        fill(&image);
        for (size_t k = 0; k < n_entries; ++k)
            entry[k].term.formula.curve = copy_of(entry[k].term.formula.curve, &image);
        for (size_t k = 0; k < n_forms; ++k)
            form[k].term.curve = copy_of(form[k].term.curve, &image);
        *status = machine->copy_to(image.there, image.here, bytes, err);
    }
    free(image.here);
    free(image.curve);
    return image.there;
}
