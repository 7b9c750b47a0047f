/* SPDX-License-Identifier: MIT */
#include "model/box.h"

#include "base/vec3.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Edges closer to a common plane than this (volume over product of lengths) span no volume. */
static const double flat = 1e-10;

struct ph_box ph_box_open(void) { return (struct ph_box){.kind = PH_BOX_OPEN}; }

enum ph_status ph_box_init_periodic(const double edge[3][3], struct ph_box *box, struct ph_error *err)
{
    *box = (struct ph_box){.kind = PH_BOX_ORTHORHOMBIC};
    for (int k = 0; k < 3; ++k) {
        const double length = ph_vec3_norm(edge[k]);
        if (!isfinite(length) || length < 1e-100)
            return ph_error_set(err, PH_ERR_INPUT, "Box edge %d is (%g, %g, %g): it must be finite and not zero.",
                                k + 1, edge[k][0], edge[k][1], edge[k][2]);
        for (int j = 0; j < 3; ++j) {
            box->edge[k][j] = edge[k][j];
            if (j != k && edge[k][j] != 0.0)
                box->kind = PH_BOX_TRICLINIC;
        }
        if (edge[k][k] < 0.0)
            box->kind = PH_BOX_TRICLINIC;
    }
    for (int k = 0; k < 3; ++k)
        ph_vec3_cross(edge[(k + 1) % 3], edge[(k + 2) % 3], box->inverse[k]);
    box->volume = ph_vec3_dot(edge[0], box->inverse[0]);
    const double lengths = ph_vec3_norm(edge[0]) * ph_vec3_norm(edge[1]) * ph_vec3_norm(edge[2]);
    if (!(fabs(box->volume) > flat * lengths))
        return ph_error_set(err, PH_ERR_INPUT, "The box edges lie in a plane: their volume is %g.", box->volume);
    if (box->volume < 0.0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "The box edges form a left-handed system (volume %g): exchange two of them.", box->volume);
    for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j)
            box->inverse[k][j] /= box->volume;
        box->width[k] = 1.0 / ph_vec3_norm(box->inverse[k]);
    }
    if (box->kind == PH_BOX_ORTHORHOMBIC)
        for (int k = 0; k < 3; ++k) { /* without the rounding of the general formula */
            box->inverse[k][k] = 1.0 / edge[k][k];
            box->width[k] = edge[k][k];
        }
    return PH_OK;
}

/* NaN, and positions too far away to be wrapped, stay as they are: the run's checks report them. */
static bool countable(double images) { return fabs(images) < PH_FAR; }

bool ph_box_reaches(const struct ph_box *box, const double r[3])
{
    for (int k = 0; k < 3; ++k)
        if (!countable(box->kind == PH_BOX_OPEN ? r[k] : ph_vec3_dot(box->inverse[k], r)))
            return false;
    return true;
}

static void wrap_orthorhombic(const struct ph_box *box, double r[3], int image[3])
{
    for (int k = 0; k < 3; ++k) {
        const double length = box->edge[k][k];
        const double n = floor(r[k] * box->inverse[k][k]);
        if (!countable(n))
            continue;
        double x = r[k] - n * length;
        int count = (int)n;
        if (x < 0.0) { /* rounding at a face */
            x += length;
            --count;
        }
        if (x >= length) {
            x -= length;
            ++count;
        }
        r[k] = x;
        image[k] += count;
    }
}

static void wrap_triclinic(const struct ph_box *box, double r[3], int image[3])
{
    /* The second pass catches points that rounding in the first has left outside, a last bit beyond a face. */
    for (int pass = 0; pass < 2; ++pass) {
        double n[3];
        for (int k = 0; k < 3; ++k) {
            n[k] = floor(ph_vec3_dot(box->inverse[k], r));
            if (!countable(n[k]))
                return;
        }
        if (ph_vec3_is_zero(n))
            return;
        for (int k = 0; k < 3; ++k) {
            for (int j = 0; j < 3; ++j)
                r[j] -= n[k] * box->edge[k][j];
            image[k] += (int)n[k];
        }
    }
    double s[3]; /* on a face to rounding, whichever side: onto the face at 0 */
    for (int k = 0; k < 3; ++k) {
        s[k] = ph_vec3_dot(box->inverse[k], r);
        image[k] += s[k] > 0.5 && s[k] >= 1.0 - 8.0 * DBL_EPSILON;
        s[k] = s[k] < 8.0 * DBL_EPSILON || s[k] >= 1.0 - 8.0 * DBL_EPSILON ? 0.0 : s[k];
    }
    for (int j = 0; j < 3; ++j)
        r[j] = s[0] * box->edge[0][j] + s[1] * box->edge[1][j] + s[2] * box->edge[2][j];
}

void ph_box_wrap(const struct ph_box *box, double r[3], int image[3])
{
    if (box->kind == PH_BOX_ORTHORHOMBIC)
        wrap_orthorhombic(box, r, image);
    else if (box->kind == PH_BOX_TRICLINIC)
        wrap_triclinic(box, r, image);
}

void ph_box_minimum_image(const struct ph_box *box, double d[3])
{
    if (box->kind == PH_BOX_OPEN)
        return;
    if (box->kind == PH_BOX_ORTHORHOMBIC) {
        for (int k = 0; k < 3; ++k)
            d[k] -= box->edge[k][k] * rint(d[k] * box->inverse[k][k]);
        return;
    }
    double n[3];
    for (int k = 0; k < 3; ++k)
        n[k] = rint(ph_vec3_dot(box->inverse[k], d));
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            d[j] -= n[k] * box->edge[k][j];
    /* Rounding the fractional coordinates finds every image nearer than half a width; beyond, another may be nearer. */
    double best[3] = {d[0], d[1], d[2]}, smallest = ph_vec3_dot(d, d);
    for (int a = -1; a <= 1; ++a)
        for (int b = -1; b <= 1; ++b)
            for (int c = -1; c <= 1; ++c) {
                double other[3];
                for (int j = 0; j < 3; ++j)
                    other[j] = d[j] + a * box->edge[0][j] + b * box->edge[1][j] + c * box->edge[2][j];
                const double square = ph_vec3_dot(other, other);
                if (square < smallest) {
                    smallest = square;
                    for (int j = 0; j < 3; ++j)
                        best[j] = other[j];
                }
            }
    for (int j = 0; j < 3; ++j)
        d[j] = best[j];
}
