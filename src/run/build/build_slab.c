/* SPDX-License-Identifier: MIT */
/* Detects slabs that lie across the faces of the box. */
#include "run/build/build.h"

enum { PARTS = PH_BUILD_SLAB - 1 };

bool ph_build_is_slab(const struct ph_interactions *interactions)
{
    return ph_is_ewald(interactions) && interactions->ewald.slab;
}

void ph_build_fill_slab(const struct ph_system *system, int64_t filled[PH_BUILD_SLAB])
{
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double *to = system->box.inverse[2],
                         u = to[0] * system->r[0][i] + to[1] * system->r[1][i] + to[2] * system->r[2][i];
            if (ph_species_charge(&system->species[s]) == 0.0)
                continue;
            if (!(u >= 0.0 && u < 1.0) || system->image[2][i] != 0)
                ++filled[PARTS];
            else
                ++filled[(int)(PARTS * u)];
        }
}

enum ph_status ph_build_check_slab(const struct ph_input *input, const int64_t filled[PH_BUILD_SLAB],
                                   struct ph_error *err)
{
    int gap = 0, widest = 0, ends = 0, at_faces = 0;
    for (int k = 0; k < PARTS; ++k) {
        gap = filled[k] ? 0 : gap + 1;
        at_faces += gap == k + 1;
        if (gap > widest && gap <= k) {
            widest = gap;
            ends = k + 1;
        }
    }
    at_faces += gap;
    if (filled[PARTS] > 0 || at_faces >= PARTS || widest <= 2 * at_faces || widest < PARTS / 4)
        return PH_OK;
    struct ph_error inner = {.text = ""};
    ph_error_set(&inner, PH_ERR_INPUT,
                 "interactions.electrostatics.geometry is slab, but ions lie at both faces of the box, and the empty "
                 "space is between %.2g and %.2g of its height: a slab that lies across a face was put into the box. "
                 "Move all molecules by %.2g of the third edge, so that the slab is at half the height.",
                 (double)(ends - widest) / PARTS, (double)ends / PARTS, 1.0 - (ends - 0.5 * widest) / PARTS);
    return ph_input_error(input, &inner, err);
}
