/* SPDX-License-Identifier: MIT */
#include "force/pairs/angular_pairs.h"

#include <stdio.h>

static const struct ph_site *site_of(const struct ph_site_place *place)
{
    return &place->species->site[place->layout->site[place->k]];
}

/* The angular interactions of both sites, where one of them may be a sphere of a radial form. Returns false if they
 * have none together. */
static bool find_both(const struct ph_site *one, const struct ph_site *other, struct ph_angular both[2])
{
    both[0] = one->angular;
    both[1] = other->angular;
    if (one->angular.kind == PH_ANGULAR_NONE)
        return other->angular.kind != PH_ANGULAR_NONE && ph_angular_of_radial(&other->angular, &one->radial, &both[0]);
    return other->angular.kind != PH_ANGULAR_NONE || ph_angular_of_radial(&one->angular, &other->radial, &both[1]);
}

static bool is_electric(enum ph_angular_kind kind)
{
    static const bool electric[PH_ANGULAR_KINDS] = {
#define IS_ELECTRIC(KIND, formula, is) [PH_ANGULAR_##KIND] = is,
        PH_ANGULAR_FORMS(IS_ELECTRIC)
#undef IS_ELECTRIC
    };
    return electric[kind];
}

static void set_constants(const struct ph_angular both[2], const struct ph_angular *pair, struct ph_angular_term *term)
{
    switch (pair->kind) {
#define CASE(KIND, formula, ...)                                                                                       \
    case PH_ANGULAR_##KIND:                                                                                            \
        ph_##formula##_constants(&both[0], &both[1], pair, term->k);                                                   \
        term->electric = is_electric(pair->kind);                                                                      \
        break;
        PH_ANGULAR_FORMS(CASE)
#undef CASE
    default: break;
    }
}

/* What is not possible with any angular form */
static enum ph_status check(const struct ph_interactions *interactions, const char *title, const char *site,
                            struct ph_error *err)
{
    if (interactions->truncation == PH_TRUNCATE_SHIFTED || interactions->truncation == PH_TRUNCATE_FORCE_SHIFTED)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.truncation: the %s interaction of %s cannot be shifted, because its value at "
                            "the cutoff depends on orientations; take switched or cut.",
                            title, site);
    if (interactions->long_range_correction)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.long_range_correction: there is none for the %s interaction of %s, which "
                            "depends on orientations; leave this key out.",
                            title, site);
    return PH_OK;
}

/* Ellipsoids, which have no radial form of their own, meet a site with one that is nothing to them. */
static enum ph_status refuse_stranger(const struct ph_site_place *i, const struct ph_site_place *j,
                                      struct ph_error *err)
{
    const bool first = site_of(i)->angular.kind != PH_ANGULAR_NONE;
    const struct ph_site_place *body = first ? i : j, *stranger = first ? j : i;
    const struct ph_site *one = site_of(body), *other = site_of(stranger);
    if (one->angular.kind == PH_ANGULAR_NONE || is_electric(one->angular.kind) || one->radial.kind != PH_RADIAL_NONE ||
        other->radial.kind == PH_RADIAL_NONE)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "Site %s.%s has the angular form %s, for which there is no rule with the radial form of %s.%s, "
                        "%s; give that site the same angular form, as a sphere.",
                        body->species->name, one->name, ph_angular_forms[one->angular.kind].title,
                        stranger->species->name, other->name, ph_form_of(&other->radial)->title);
}

enum ph_status ph_angular_pair_add(const struct ph_interactions *interactions, const struct ph_site_place *i,
                                   const struct ph_site_place *j, enum ph_truncate truncate,
                                   const struct ph_pair_term *base, struct ph_site_pairs *pairs, struct ph_error *err)
{
    const struct ph_site *one = site_of(i), *other = site_of(j);
    struct ph_angular both[2], combined;
    if (!find_both(one, other, both))
        return refuse_stranger(i, j, err);
    if (both[0].kind != both[1].kind && (is_electric(both[0].kind) || is_electric(both[1].kind)))
        return PH_OK; /* electric forms of two kinds leave each other alone */
    char name[2 * PH_NAME + 1];
    snprintf(name, sizeof name, "%s.%s", i->species->name, one->name);
    if (!ph_angular_combine(&both[0], &both[1], interactions->combining == PH_COMBINE_GEOMETRIC, &combined))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Sites %s and %s.%s have angular interactions for which there is no combining rule: form, "
                            "and numbers without a rule, must agree (polhode list potentials).",
                            name, j->species->name, other->name);
    const enum ph_status status = check(interactions, ph_angular_forms[combined.kind].title, name, err);
    if (status != PH_OK)
        return status;
    struct ph_site_pair *pair = &pairs->pair[pairs->n++];
    *pair = (struct ph_site_pair){.position_i = i->layout->position[i->k],
                                  .dipole_i = i->layout->dipole[i->k],
                                  .position_j = j->layout->position[j->k],
                                  .dipole_j = j->layout->dipole[j->k],
                                  .truncate = truncate,
                                  .term = *base,
                                  .axis_i = i->layout->axis[i->k],
                                  .axis_j = j->layout->axis[j->k],
                                  .angular_kernel = {ph_angular_find(false), ph_angular_find(true)}};
    size_t axis[PH_AXES_MAX];
    pair->angular.kind = combined.kind;
    pair->angular.n_i = ph_angular_axes(&both[0], axis);
    pair->angular.n_j = ph_angular_axes(&both[1], axis);
    set_constants(both, &combined, &pair->angular);
    pairs->single = false;
    return PH_OK;
}

double ph_angular_pair_energy(const struct ph_site_pair *pair, const double *fields_i, const double *fields_j)
{
    PH_ALIGNED double in[1 + PH_AXES_MAX][3][PH_LANES] = {{{0.0}}}, out[1 + PH_AXES_MAX][3][PH_LANES] = {{{0.0}}};
    struct ph_angular_i i = {.energy = 0.0};
    struct ph_angular_j j = {.r = {NULL}};
    for (size_t x = 0; x < 3; ++x) {
        i.r[x] = fields_i[pair->position_i + x];
        for (size_t l = 0; l < PH_LANES; ++l)
            in[0][x][l] = l == 0 ? fields_j[pair->position_j + x] : PH_OUT_OF_SIGHT;
        j.r[x] = in[0][x];
        j.force[x] = out[0][x];
        for (size_t m = 0; m < pair->angular.n_i; ++m)
            i.axis[m][x] = fields_i[pair->axis_i[m] + x];
        for (size_t m = 0; m < pair->angular.n_j; ++m) {
            in[1 + m][x][0] = fields_j[pair->axis_j[m] + x];
            j.axis[m][x] = in[1 + m][x];
            j.field[m][x] = out[1 + m][x];
        }
    }
    pair->angular_kernel[false](&pair->angular, pair->truncate, &pair->term, PH_LANES, &j, &i);
    return i.energy;
}
