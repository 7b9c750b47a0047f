/* SPDX-License-Identifier: MIT */
#include "force/pairs/angular_pairs.h"

#include "potential/curves/curve.h"

#include <stdio.h>

static const struct ph_site *site_of(const struct ph_site_place *place)
{
    return &place->species->site[place->layout->site[place->k]];
}

static struct ph_angular shape_of(const struct ph_site *site)
{
    return ph_angular_is_multipole(&site->angular) ? (struct ph_angular){.kind = PH_ANGULAR_NONE} : site->angular;
}

/* The shapes of both sites, where one of them may be a sphere of a radial form. Returns false if they have none
 * together. */
static bool find_both(const struct ph_site *one, const struct ph_site *other, struct ph_angular both[2])
{
    both[0] = shape_of(one);
    both[1] = shape_of(other);
    if (both[0].kind == PH_ANGULAR_NONE)
        return both[1].kind != PH_ANGULAR_NONE && ph_angular_of_radial(&both[1], &one->radial, &both[0]);
    return both[1].kind != PH_ANGULAR_NONE || ph_angular_of_radial(&both[0], &other->radial, &both[1]);
}

static void set_constants(const struct ph_angular both[2], const struct ph_angular *pair, struct ph_angular_term *term)
{
    switch (pair->kind) {
#define CASE(KIND, formula, is_electric)                                                                               \
    case PH_ANGULAR_##KIND:                                                                                            \
        ph_##formula##_constants(&both[0], &both[1], pair, term->k);                                                   \
        term->electric = is_electric;                                                                                  \
        break;
        PH_ANGULAR_SHAPES(CASE)
#undef CASE
    case PH_ANGULAR_FORMULA: term->curve = ph_curve_of_angular(pair); break;
    default: break;
    }
}

static enum ph_status check_truncation(const struct ph_interactions *interactions, const char *title, const char *site,
                                       struct ph_error *err)
{
    if (interactions->truncation == PH_TRUNCATE_SHIFTED || interactions->truncation == PH_TRUNCATE_FORCE_SHIFTED)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.truncation: the %s interaction of %s cannot be shifted, because its value at "
                            "the cutoff depends on orientations; take switched or cut.",
                            title, site);
    return PH_OK;
}

/* What is not possible with any shape, but for those that end by themselves before the cutoff */
static enum ph_status check_shape(const struct ph_interactions *interactions, const char *title, const char *site,
                                  double end, double contact, struct ph_error *err)
{
    const bool is_cut = interactions->truncation != PH_TRUNCATE_NONE;
    if (end > 0.0)
        return !is_cut || interactions->cutoff >= end
                   ? PH_OK
                   : ph_error_set(
                         err, PH_ERR_INPUT,
                         "interactions.cutoff is %g, but the %s interaction of %s reaches to %g: take a longer "
                         "cutoff.",
                         interactions->cutoff, title, site, end);
    if (is_cut && interactions->cutoff < contact)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.cutoff is %g between centres, but with their %s interaction sites %s may "
                            "touch at %g: take a longer cutoff.",
                            interactions->cutoff, title, site, contact);
    if (interactions->long_range_correction)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.long_range_correction: there is none for the %s interaction of %s, which "
                            "depends on orientations; leave this key out.",
                            title, site);
    return check_truncation(interactions, title, site, err);
}

/* Adds an angular interaction to the table; its kind, axes and constants are the caller's. */
static struct ph_site_pair *add(const struct ph_site_place *i, const struct ph_site_place *j, enum ph_truncate truncate,
                                const struct ph_pair_term *base, struct ph_site_pairs *pairs)
{
    struct ph_site_pair *pair = &pairs->pair[pairs->n++];
    *pair = (struct ph_site_pair){.position_i = i->layout->position[i->k],
                                  .dipole_i = i->layout->dipole[i->k],
                                  .position_j = j->layout->position[j->k],
                                  .dipole_j = j->layout->dipole[j->k],
                                  .truncate = truncate,
                                  .term = *base,
                                  .angular_kernel = {ph_angular_find(false), ph_angular_find(true)}};
    pairs->single = pairs->leads = false;
    return pair;
}

/* Where the record of a site has the n axes that a form takes; one alone is `axis` (see ph_site_axes). */
static const size_t *axes_of(const struct ph_site_place *place, size_t n, size_t axis)
{
    const struct ph_layout *layout = place->layout;
    return &layout->axis[place->k][n == 1 && layout->n_axes[place->k] == 3 ? axis : 0];
}

/* Ellipsoids, which have no radial form of their own, meet a site with one that is nothing to them. Patches see nothing
 * but patches. */
static enum ph_status refuse_stranger(const struct ph_site_place *i, const struct ph_site_place *j,
                                      struct ph_error *err)
{
    const bool first = shape_of(site_of(i)).kind != PH_ANGULAR_NONE;
    const struct ph_site_place *body = first ? i : j, *stranger = first ? j : i;
    const struct ph_site *one = site_of(body), *other = site_of(stranger);
    if (shape_of(one).kind == PH_ANGULAR_NONE || shape_of(one).kind == PH_ANGULAR_PATCH ||
        one->radial.kind != PH_RADIAL_NONE || other->radial.kind == PH_RADIAL_NONE)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "Site %s.%s has the angular form %s, for which there is no rule with the radial form of %s.%s, "
                        "%s; give that site the same angular form, as a sphere, or the pair a formula in "
                        "interactions.pairs.",
                        body->species->name, one->name, ph_angular_forms[one->angular.kind].title,
                        stranger->species->name, other->name, ph_form_of(&other->radial)->title);
}

/* A formula takes z, or all three axes. Sites of a model file have them; others, as many as their maker says. */
static enum ph_status check_axes(const struct ph_site_place *place, size_t n, struct ph_error *err)
{
    const struct ph_layout *layout = place->layout;
    const size_t has = layout->n_axes[place->k];
    if (n == 0 || has == 3 || (n == 1 && has == 1 && layout->body_axis[place->k][0] == 2))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "interactions.pairs: a formula takes %s of site %s.%s, but the site has %s. Its pair_axes are "
                        "%zu; accepted: %zu, set before the species is completed.",
                        n == 1 ? "the axis z" : "three axes", place->species->name, site_of(place)->name,
                        has == 0 ? "no axes" : "one other axis", site_of(place)->pair_axes, n);
}

/* A formula of two kinds of sites, of which each takes as many axes as it has in it */
static enum ph_status add_formula(const struct ph_interactions *interactions, const struct ph_site_place *i,
                                  const struct ph_site_place *j, const struct ph_angular *given, bool exchanged,
                                  enum ph_truncate truncate, const struct ph_pair_term *base,
                                  struct ph_site_pairs *pairs, struct ph_error *err)
{
    char name[4 * PH_NAME];
    snprintf(name, sizeof name, "%s.%s", i->species->name, site_of(i)->name);
    enum ph_status status =
        check_shape(interactions, ph_angular_forms[given->kind].title, name, 0.0, ph_angular_length(given), err);
    const struct ph_curve *curve = ph_curve_of_angular(given);
    const size_t n_i = curve->program.axes[exchanged], n_j = curve->program.axes[!exchanged];
    if (status == PH_OK)
        status = check_axes(i, n_i, err);
    if (status == PH_OK)
        status = check_axes(j, n_j, err);
    if (status != PH_OK)
        return status;
    struct ph_site_pair *pair = add(i, j, truncate, base, pairs);
    pair->angular.kind = given->kind;
    pair->angular.curve = curve;
    pair->angular.exchanged = exchanged;
    pair->angular.n_i = n_i;
    pair->angular.n_j = n_j;
    pair->axis_i = axes_of(i, pair->angular.n_i, 2);
    pair->axis_j = axes_of(j, pair->angular.n_j, 2);
    return PH_OK;
}

static enum ph_status add_shapes(const struct ph_interactions *interactions, const struct ph_site_place *i,
                                 const struct ph_site_place *j, enum ph_truncate truncate,
                                 const struct ph_pair_term *base, struct ph_site_pairs *pairs, struct ph_error *err)
{
    const struct ph_site *one = site_of(i), *other = site_of(j);
    struct ph_angular both[2], combined;
    bool exchanged;
    const struct ph_angular *given = ph_pair_given_angular(interactions, i->species, i->layout->site[i->k], j->species,
                                                           j->layout->site[j->k], &exchanged);
    if (given)
        return add_formula(interactions, i, j, given, exchanged, truncate, base, pairs, err);
    if (ph_pair_given(interactions, i->species, i->layout->site[i->k], j->species, j->layout->site[j->k])) {
        if (shape_of(one).kind == PH_ANGULAR_NONE || shape_of(other).kind == PH_ANGULAR_NONE)
            return PH_OK; /* the pair that was given is all there is */
        if (one->radial.kind == PH_RADIAL_NONE && other->radial.kind == PH_RADIAL_NONE)
            return ph_error_set(err, PH_ERR_INPUT,
                                "interactions.pairs gives a radial interaction of %s.%s and %s.%s, but both have "
                                "angular forms instead: such a pair cannot be given.",
                                i->species->name, one->name, j->species->name, other->name);
    }
    const struct ph_angular *own =
        ph_pair_given_ellipsoids(interactions, i->species, i->layout->site[i->k], j->species, j->layout->site[j->k]);
    const bool meet = find_both(one, other, both);
    if (own && (!meet || both[0].kind != own->kind || both[1].kind != own->kind))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.pairs gives %s.%s and %s.%s numbers of the form %s, but not both have it: "
                            "accepted are two such sites%s.",
                            i->species->name, one->name, j->species->name, other->name,
                            ph_angular_forms[own->kind].name,
                            own->kind == PH_ANGULAR_GAY_BERNE ? ", or one and a Lennard-Jones site" : "");
    if (!meet)
        return refuse_stranger(i, j, err);
    char name[2 * PH_NAME + 1];
    snprintf(name, sizeof name, "%s.%s", i->species->name, one->name);
    if (!ph_angular_combine(&both[0], &both[1], interactions->combining == PH_COMBINE_GEOMETRIC, &combined))
        return ph_error_set(err, PH_ERR_INPUT,
                            "Sites %s and %s.%s have angular interactions for which there is no combining rule: form, "
                            "and numbers without a rule, must agree (polhode list potentials).",
                            name, j->species->name, other->name);
    if (own)
        ph_angular_replace(own, &combined);
    const double end = ph_angular_end(&combined);
    const double contact = 0.5 * (ph_angular_length(&both[0]) + ph_angular_length(&both[1]));
    const enum ph_status status =
        check_shape(interactions, ph_angular_forms[combined.kind].title, name, end, contact, err);
    if (status != PH_OK)
        return status;
    const bool leads = pairs->leads;
    struct ph_site_pair *pair = add(i, j, truncate, base, pairs);
    if (end > 0.0) { /* no truncation touches it */
        pairs->leads = leads;
        pair->truncate = PH_CUT;
        pair->term.cut2 = end * end;
        pair->angular.ends = true;
    }
    size_t axis[2][PH_AXES_MAX] = {{0}, {0}};
    pair->angular.kind = combined.kind;
    pair->angular.n_i = ph_angular_axes(&both[0], axis[0]);
    pair->angular.n_j = ph_angular_axes(&both[1], axis[1]);
    pair->axis_i = axes_of(i, pair->angular.n_i, axis[0][0]);
    pair->axis_j = axes_of(j, pair->angular.n_j, axis[1][0]);
    set_constants(both, &combined, &pair->angular);
    return PH_OK;
}

static size_t quadrupole_axes(const struct ph_site *site, size_t axis[PH_AXES_MAX])
{
    axis[0] = 0;
    return ph_angular_is_multipole(&site->angular) ? ph_angular_axes(&site->angular, axis) : 0;
}

/* Q of a linear quadrupole */
static double linear_moment(const struct ph_site *site)
{
    double s[4];
    ph_angular_tensor(&site->angular, s);
    return s[0] / 1.5;
}

/* Pairs of an Ewald sum are screened, as those of charges and dipoles are: cut or switched off, or they end by
 * themselves. */
static void screen(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                   struct ph_site_pair *pair)
{
    pair->angular.screened = true;
    pair->term.split = split;
    pair->term.screening = interactions->ewald.screening;
    if (split)
        pair->truncate = PH_CUT;
}

/* A dipole, which is a vector of its record, takes the place of an axis. */
static enum ph_status add_multipoles(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                                     const struct ph_site_place *i, const struct ph_site_place *j,
                                     enum ph_truncate truncate, const struct ph_pair_term *base,
                                     struct ph_site_pairs *pairs, struct ph_error *err)
{
    const struct ph_site *one = site_of(i), *other = site_of(j);
    size_t axis_i[PH_AXES_MAX], axis_j[PH_AXES_MAX];
    const size_t n_i = quadrupole_axes(one, axis_i), n_j = quadrupole_axes(other, axis_j);
    const bool mine = n_i > 0, its = n_j > 0;
    const size_t *dipole_i = i->layout->has_dipole[i->k] ? &i->layout->dipole[i->k] : NULL;
    const size_t *dipole_j = j->layout->has_dipole[j->k] ? &j->layout->dipole[j->k] : NULL;
    const double q1 = linear_moment(one), q2 = linear_moment(other);
    const struct {
        bool there;
        enum ph_angular_kind kind;
        size_t n_i, n_j;
        const size_t *axis_i, *axis_j; /* NULL: those of the form */
        double linear, coulomb;        /* constants of the formulas, times `coulomb` */
    } terms[] = {
        {mine && its, PH_ANGULAR_QUADRUPOLE, n_i, n_j, NULL, NULL, q1 * q2, 1.0},
        {one->charge != 0.0 && its, PH_ANGULAR_QUADRUPOLE, 0, n_j, NULL, NULL, one->charge * q2, one->charge},
        {mine && other->charge != 0.0, PH_ANGULAR_QUADRUPOLE, n_i, 0, NULL, NULL, q1 * other->charge, other->charge},
        {dipole_i && its, PH_ANGULAR_DIPOLE_QUADRUPOLE, 1, n_j, dipole_i, NULL, q2, 1.0},
        {mine && dipole_j, PH_ANGULAR_QUADRUPOLE_DIPOLE, n_i, 1, NULL, dipole_j, q1, 1.0},
    };
    _Static_assert(sizeof terms / sizeof *terms <= PH_MULTIPOLE_PAIRS, "there is room for all");
    for (size_t k = 0; k < sizeof terms / sizeof *terms; ++k) {
        if (!terms[k].there)
            continue;
        char name[2 * PH_NAME + 1];
        snprintf(name, sizeof name, "%s.%s", (mine ? i : j)->species->name, (mine ? one : other)->name);
        if (!ph_is_ewald(interactions)) {
            const enum ph_status status =
                check_truncation(interactions, ph_angular_forms[PH_ANGULAR_QUADRUPOLE].title, name, err);
            if (status != PH_OK)
                return status;
        }
        struct ph_site_pair *pair = add(i, j, truncate, base, pairs);
        double *constant = pair->angular.k;
        pair->angular.kind = terms[k].kind;
        pair->angular.n_i = terms[k].n_i;
        pair->angular.n_j = terms[k].n_j;
        pair->angular.electric = true;
        constant[PH_QC_STRENGTH] = interactions->coulomb * terms[k].linear;
        constant[PH_QC_COULOMB] = interactions->coulomb * terms[k].coulomb;
        ph_angular_tensor(&one->angular, constant + PH_QC_ONE);
        ph_angular_tensor(&other->angular, constant + PH_QC_OTHER);
        pair->axis_i = terms[k].axis_i ? terms[k].axis_i : axes_of(i, n_i, axis_i[0]);
        pair->axis_j = terms[k].axis_j ? terms[k].axis_j : axes_of(j, n_j, axis_j[0]);
        if (ph_is_ewald(interactions))
            screen(interactions, split, pair);
    }
    return PH_OK;
}

enum ph_status ph_angular_pair_add(const struct ph_interactions *interactions, const struct ph_split_pairs *split,
                                   const struct ph_site_place *i, const struct ph_site_place *j,
                                   enum ph_truncate truncate, const struct ph_pair_term *base,
                                   struct ph_site_pairs *pairs, struct ph_error *err)
{
    const enum ph_status status = add_shapes(interactions, i, j, truncate, base, pairs, err);
    return status == PH_OK ? add_multipoles(interactions, split, i, j, truncate, base, pairs, err) : status;
}

double ph_angular_pair_energy(const struct ph_site_pair *pair, const double *fields_i, const double *fields_j)
{
    PH_ALIGNED double in[1 + PH_AXES_MAX][3][PH_LANES] = {{{0.0}}}, out[1 + PH_AXES_MAX][3][PH_LANES] = {{{0.0}}};
    struct ph_angular_i i = {.energy = 0.0};
    struct ph_angular_j j = {.r = {NULL}};
    for (size_t x = 0; x < 3; ++x) {
        i.r[x] = fields_i[pair->position_i + x];
        for (size_t l = 0; l < PH_LANES; ++l)
            in[0][x][l] = l == 0 ? fields_j[pair->position_j + x] : PH_BEYOND_CUTOFF;
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
