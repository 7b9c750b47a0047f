/* SPDX-License-Identifier: MIT */
/* Molecules sorted by their distance from a face of the box: only those within the smallest distance found so far of
 * each other along that direction are compared. */
#include "run/closest.h"

#include <math.h>
#include <stdlib.h>

struct place {
    double height; /* above the face, wrapped */
    size_t molecule;
};

static int by_height(const void *a, const void *b)
{
    const double x = ((const struct place *)a)->height, y = ((const struct place *)b)->height;
    return (x > y) - (x < y);
}

enum ph_status ph_closest_pair(const struct ph_system *system, struct ph_closest *closest, struct ph_error *err)
{
    *closest = (struct ph_closest){.distance = INFINITY};
    const size_t n = system->n;
    const struct ph_box *box = &system->box;
    const bool periodic = box->kind != PH_BOX_OPEN;
    struct place *places = malloc((n + 1) * sizeof *places);
    if (!places)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory to find the closest of %zu molecules.", n);
    for (size_t i = 0; i < n; ++i) {
        double height = system->r[0][i];
        if (periodic) {
            const double fraction = box->inverse[0][0] * system->r[0][i] + box->inverse[0][1] * system->r[1][i] +
                                    box->inverse[0][2] * system->r[2][i];
            height = (fraction - floor(fraction)) * box->width[0];
        }
        places[i] = (struct place){height, i};
    }
    qsort(places, n, sizeof *places, by_height);
    for (size_t a = 0; a < n; ++a)
        for (size_t step = 1; step < n; ++step) {
            const size_t b = (a + step) % n, i = places[a].molecule, j = places[b].molecule;
            const bool around = a + step >= n;
            if (around && !periodic)
                break;
            const double above = places[b].height - places[a].height + (around ? box->width[0] : 0.0);
            if (above > closest->distance)
                break;
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = system->r[k][i] - system->r[k][j];
            ph_box_minimum_image(box, d);
            const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            if (distance < closest->distance)
                *closest = (struct ph_closest){{i < j ? i : j, i < j ? j : i}, distance};
        }
    free(places);
    return PH_OK;
}
