/* SPDX-License-Identifier: MIT */
/* The term of a force that the program which uses the library computes (ph_simulation_set_force): one call for all
 * molecules, with their rows in the order of their numbers. Where several ranks share the molecules, each rank gathers
 * these rows and makes the same call. */
#include "base/array.h"
#include "force/external/rows.h"
#include "force/term.h"
#include "parallel/ranks.h"

#include <stdlib.h>
#include <string.h>

struct caller {
    const struct ph_sites *sites; /* not owned */
    struct ph_caller_force given;
    double *rows; /* owned; positions, quaternions, forces, torques, one after the other */
};

static void destroy(void *term)
{
    free(((struct caller *)term)->rows);
    free(term);
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    if (!setup->interactions->caller.force)
        return PH_OK;
    struct caller *caller = malloc(sizeof *caller);
    double *rows = ph_array_create(setup->system->n + 1, PH_ROW * sizeof(double));
    if (!caller || !rows) {
        free(caller);
        free(rows);
        return ph_no_memory(err, "a force on %zu molecules", setup->system->n);
    }
    *caller = (struct caller){setup->sites, setup->interactions->caller, rows};
    *out = caller;
    return PH_OK;
}

static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    const struct caller *caller = term;
    const size_t n = system->n;
    double *positions = caller->rows, *quaternions = positions + 3 * n, *forces = quaternions + 4 * n,
           *torques = forces + 3 * n;
    ph_rows_gather(caller->sites, system, positions, quaternions);
    memset(forces, 0, 6 * n * sizeof(double));
    struct ph_force_call call = {n, positions, quaternions, forces, torques, 0.0};
    enum ph_status status = PH_OK;
    if (!caller->given.force(&call, caller->given.data))
        status = ph_error_set(err, PH_ERR_INPUT, "The caller's force could not be computed.");
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    ph_rows_add(caller->sites, quaternions, forces, torques, system);
    if (energy)
        energy->field += call.energy;
    return PH_OK;
}

static enum ph_status refuse_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                   struct ph_error *err)
{
    (void)term, (void)system, (void)rates;
    return ph_error_set(err, PH_ERR_INPUT,
                        "The caller's force has no derivative, which this method or observable needs.");
}

const struct ph_term_kind ph_term_caller = {
    .name = "the caller's force",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = refuse_rates,
};
