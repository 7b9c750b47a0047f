/* SPDX-License-Identifier: MIT */
/* The radial interaction of two sites: given by the input, or combined of theirs */
#include "force/pairs/pair_table.h"

#include <stdio.h>
#include <string.h>

static bool is_site(const char *full_name, const struct ph_species *species, size_t a)
{
    char name[2 * PH_NAME + 1];
    snprintf(name, sizeof name, "%s.%s", species->name, species->site[a].name);
    return strcmp(name, full_name) == 0;
}

static bool is_of_ellipsoids(const struct ph_pair_override *o)
{
    return o->angular.kind != PH_ANGULAR_NONE && o->angular.kind != PH_ANGULAR_FORMULA;
}

/* What is given in place of radial interactions, or the numbers of two ellipsoids */
static const struct ph_pair_override *find(const struct ph_interactions *interactions, bool ellipsoids,
                                           const struct ph_species *s, size_t a, const struct ph_species *t, size_t b,
                                           bool *exchanged)
{
    for (size_t k = 0; k < interactions->n_overrides; ++k) {
        const struct ph_pair_override *o = &interactions->overrides[k];
        if (is_of_ellipsoids(o) != ellipsoids)
            continue;
        *exchanged = !(is_site(o->site[0], s, a) && is_site(o->site[1], t, b));
        if (!*exchanged || (is_site(o->site[0], t, b) && is_site(o->site[1], s, a)))
            return o;
    }
    return NULL;
}

const struct ph_radial *ph_pair_given(const struct ph_interactions *interactions, const struct ph_species *s, size_t a,
                                      const struct ph_species *t, size_t b)
{
    bool exchanged = false;
    const struct ph_pair_override *given = find(interactions, false, s, a, t, b, &exchanged);
    return given ? &given->radial : NULL;
}

const struct ph_angular *ph_pair_given_angular(const struct ph_interactions *interactions, const struct ph_species *s,
                                               size_t a, const struct ph_species *t, size_t b, bool *exchanged)
{
    bool other = false;
    const struct ph_pair_override *given = find(interactions, false, s, a, t, b, &other);
    if (exchanged)
        *exchanged = other;
    return given && given->angular.kind != PH_ANGULAR_NONE ? &given->angular : NULL;
}

const struct ph_angular *ph_pair_given_ellipsoids(const struct ph_interactions *interactions,
                                                  const struct ph_species *s, size_t a, const struct ph_species *t,
                                                  size_t b)
{
    bool exchanged = false;
    const struct ph_pair_override *given = find(interactions, true, s, a, t, b, &exchanged);
    return given ? &given->angular : NULL;
}

enum ph_status ph_combine(const struct ph_interactions *interactions, const struct ph_species *s, size_t a,
                          const struct ph_species *t, size_t b, struct ph_radial *out, struct ph_error *err)
{
    const struct ph_radial *one = &s->site[a].radial, *other = &t->site[b].radial;
    const struct ph_radial *given = ph_pair_given(interactions, s, a, t, b);
    char why[128];
    if (given) {
        *out = *given;
        return PH_OK;
    }
    if (one->kind == PH_RADIAL_NONE || other->kind == PH_RADIAL_NONE) {
        *out = *one;
        out->kind = PH_RADIAL_NONE;
        return PH_OK;
    }
    if (!ph_radial_combine(one, other, interactions->combining == PH_COMBINE_GEOMETRIC, out))
        return ph_error_set(
            err, PH_ERR_INPUT,
            "Sites %s.%s and %s.%s have radial interactions of different form, for which there is no combining "
            "rule; give the pair explicitly under interactions.pairs.",
            s->name, s->site[a].name, t->name, t->site[b].name);
    if (!ph_radial_possible(out, sizeof why, why))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Sites %s.%s and %s.%s cannot be combined: %s Give the pair explicitly under "
                            "interactions.pairs.",
                            s->name, s->site[a].name, t->name, t->site[b].name, why);
    return PH_OK;
}

bool ph_site_is_given(const struct ph_interactions *interactions, const struct ph_species *species, size_t a)
{
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        if (is_site(interactions->overrides[k].site[0], species, a) ||
            is_site(interactions->overrides[k].site[1], species, a))
            return true;
    return false;
}
