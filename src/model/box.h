/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_BOX_H
#define PH_MODEL_BOX_H

/* Open space, or a periodic box spanned by three edge vectors. */

#include "base/error.h"

#include <stdbool.h>

enum ph_box_kind { PH_BOX_OPEN, PH_BOX_ORTHORHOMBIC, PH_BOX_TRICLINIC };

struct ph_box {
    enum ph_box_kind kind;
    double edge[3][3];    /* edge[k] is the k-th edge vector; orthorhombic: diagonal. Zero for open space. */
    double inverse[3][3]; /* rows dual to the edges: fractional coordinate k is inverse[k] . r */
    double volume;        /* zero for open space */
    double width[3]; /* distances between opposite faces: the largest sphere has the smallest of them as diameter */
};

/* Fails for edges that are not finite, do not span a volume, or form a left-handed system. */
enum ph_status ph_box_init_periodic(const double edge[3][3], struct ph_box *box, struct ph_error *err);
struct ph_box ph_box_open(void);

/* Is this position within PH_FAR boxes of the origin, or PH_FAR units of length in open space? Further away too few
 * digits are left. False also if it is not finite. */
#define PH_FAR 1e9
bool ph_box_reaches(const struct ph_box *box, const double r[3]);

/* r - sum of n_k edge_k with fractional coordinates in [0, 1); the n_k are added to image. Does nothing in open space,
 * nor to positions that ph_box_reaches rejects. */
void ph_box_wrap(const struct ph_box *box, double r[3], int image[3]);

/* The shortest image of a difference vector, exact for |result| below half the smallest width; searches the
 * neighbouring images, so it is also right for strongly tilted boxes. */
void ph_box_minimum_image(const struct ph_box *box, double d[3]);

#endif
