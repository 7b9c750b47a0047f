/* SPDX-License-Identifier: MIT */
/* Rates of change of forces along a motion. */
#include "force/force_field_inside.h"
#include "force/pairs/pairs.h"
#include "force/ranks/force_ranks.h"

#include <string.h>

/* Explains why the rate of molecule i is not finite: the motion is not, or molecules are too close. */
static enum ph_status explain_rate(const struct ph_system *system, const struct ph_owned *own, size_t i,
                                   const struct ph_rates *rates, struct ph_error *err)
{
    double *const *velocity = rates->velocity, *const *omega = rates->omega;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (size_t j = at.begin; j < at.end; ++j) {
            const double v[3] = {velocity[0][j], velocity[1][j], velocity[2][j]};
            const double w[3] = {omega[0][j], omega[1][j], omega[2][j]};
            if (!isfinite(v[0] + v[1] + v[2] + w[0] + w[1] + w[2]))
                return ph_error_set(err, PH_ERR_NUMBERS,
                                    "The motion along which forces change is not finite for molecule %u: velocity (%g, "
                                    "%g, %g), angular velocity (%g, %g, %g).",
                                    system->id[j], v[0], v[1], v[2], w[0], w[1], w[2]);
        }
    }
    return ph_error_set(err, PH_ERR_NUMBERS, "The rate at which the force on molecule %u changes is not finite.",
                        system->id[i]);
}

static void clear(const struct ph_system *system, const struct ph_owned *own, double *const to[3])
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (int k = 0; k < 3; ++k)
            memset(to[k] + at.begin, 0, (at.end - at.begin) * sizeof(double));
    }
}

static enum ph_status find_rates(struct ph_force_field *field, const struct ph_system *system,
                                 const struct ph_rates *rates, struct ph_error *err)
{
    const struct ph_owned *own = field->sites.own = field->sites.state ? ph_force_field_owned(field) : NULL;
    clear(system, own, rates->force);
    clear(system, own, rates->torque);
    field->refused = false;
    enum ph_status status = PH_OK;
    if (field->sites.state) /* exchange failures among ranks */
        status = ph_force_field_meet(field, &(struct ph_column_set){.n = 0}, err);
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->rates)
            status = field->term[t].kind->rates(field->term[t].term, system, rates, err);
    if (status != PH_OK)
        return status;
    const size_t broken = ph_force_field_broken(system, own, rates->force, rates->torque);
    if (broken == SIZE_MAX)
        return PH_OK;
    if (!own)
        return explain_rate(system, NULL, broken, rates, err);
    struct ph_error failure = {.text = ""};
    explain_rate(system, own, broken, rates, &failure);
    ph_force_field_fail(field, &failure);
    return PH_OK;
}

enum ph_status ph_force_field_rates(struct ph_force_field *field, const struct ph_system *system,
                                    const struct ph_column_set *local, const struct ph_rates *rates,
                                    struct ph_error *err)
{
    if (!field->evaluated)
        return ph_error_set(err, PH_ERR_NUMBERS, "Forces must be evaluated before their derivative.");
    field->sites.state = local;
    const enum ph_status status = find_rates(field, system, rates, err);
    field->sites.state = NULL;
    return status;
}

enum ph_status ph_force_field_flux(struct ph_force_field *field, const struct ph_system *system,
                                   const struct ph_column_set *local, const struct ph_rates *motion,
                                   struct ph_pair_flux *out, struct ph_error *err)
{
    if (!field->evaluated)
        return ph_error_set(err, PH_ERR_NUMBERS, "Forces must be evaluated before their fluxes.");
    field->sites.state = local;
    field->sites.own = local ? ph_force_field_owned(field) : NULL;
    field->refused = false;
    enum ph_status status = PH_OK;
    if (local) /* exchange failures among ranks */
        status = ph_force_field_meet(field, &(struct ph_column_set){.n = 0}, err);
    if (status == PH_OK)
        status = ph_pairs_flux(field->all_pairs, system, motion, out, err);
    field->sites.state = NULL;
    return status;
}

void ph_force_field_give_back(struct ph_force_field *field) { ph_pairs_give_back(field->all_pairs); }
