/* SPDX-License-Identifier: MIT */
#include "force/external/external.h"

#include "base/plain.h"
#include "base/threads.h"
#include "force/external/external_force.h"
#include "force/term.h"
#include "parallel/ranks.h"

#include <stdlib.h>

#define ENTRY(name) &ph_external_##name,
static const struct ph_external_kind *const kinds[] = {PH_EXTERNALS(ENTRY)};
enum { KINDS = sizeof kinds / sizeof *kinds };

size_t ph_external_count(void) { return KINDS; }
const struct ph_external_kind *ph_external_at(size_t index) { return index < KINDS ? kinds[index] : NULL; }

static const double *numbers_of(const struct ph_external_kind *kind, const struct ph_external_fields *fields)
{
    return (const double *)(const void *)((const char *)fields + kind->offset);
}

bool ph_external_present(const struct ph_external_kind *kind, const struct ph_external_fields *fields)
{
    for (size_t k = 0; k < kind->n; ++k)
        if (numbers_of(kind, fields)[k] != 0.0)
            return true;
    return false;
}

void ph_external_describe(const struct ph_external_kind *kind, const struct ph_external_fields *fields, size_t size,
                          char text[])
{
    const double *v = numbers_of(kind, fields);
    if (kind->describe)
        kind->describe(fields, size, text);
    else if (kind->n == 3)
        ph_snprintf(text, size, "%s: (%.10g, %.10g, %.10g)", kind->name, v[0], v[1], v[2]);
    else
        ph_snprintf(text, size, "%s: %.10g", kind->name, v[0]);
}

/* ---- The term of all external fields ---- */

struct external {
    const struct ph_sites *sites; /* not owned */
    struct ph_external_fields fields;
    size_t n; /* number of fields present */
    const struct ph_external_kind *kind[KINDS];
    double *anchor[3];   /* owned; unwrapped centres at creation, for tethers: they go with their molecules */
    double attractor[4]; /* as a quaternion */
};

static void destroy(void *term)
{
    struct external *external = term;
    for (int k = 0; k < 3; ++k)
        free(external->anchor[k]);
    free(external);
}

static double unwrapped(const struct ph_system *system, int k, size_t i)
{
    double r = system->r[k][i];
    for (int e = 0; e < 3; ++e)
        r += system->image[e][i] * system->box.edge[e][k];
    return r;
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    struct external *external = calloc(1, sizeof *external);
    if (!external)
        return ph_no_memory(err, "the external fields");
    external->sites = setup->sites;
    external->fields = setup->interactions->external;
    ph_turn_exp(external->fields.attractor, external->attractor);
    for (size_t k = 0; k < KINDS; ++k)
        if (ph_external_present(kinds[k], &external->fields))
            external->kind[external->n++] = kinds[k];
    for (int k = 0; k < 3 && external->fields.tether != 0.0; ++k) {
        if (!(external->anchor[k] = malloc((system->n + 1) * sizeof(double)))) {
            destroy(external);
            return ph_no_memory(err, "the tethers of %zu molecules", system->n);
        }
        for (size_t i = 0; i < system->n; ++i)
            external->anchor[k][i] = unwrapped(system, k, i);
    }
    if (external->n > 0)
        *out = external;
    else
        destroy(external);
    return PH_OK;
}

static void remember(const void *term, struct ph_force_memory *memory)
{
    for (int k = 0; k < 3; ++k)
        memory->anchor[k] = ((const struct external *)term)->anchor[k];
}

static enum ph_status restore(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                              struct ph_error *err)
{
    (void)err;
    struct external *external = term;
    for (int k = 0; k < 3 && memory->anchor[0] && external->anchor[0]; ++k)
        memmove(external->anchor[k], memory->anchor[k], system->n * sizeof(double));
    return PH_OK;
}

static struct ph_external_body body_at(const struct external *external, const struct ph_system *system, size_t i)
{
    struct ph_external_body body = {.fields = &external->fields,
                                    .species = &system->species[ph_system_species_of(system, i)]};
    for (int k = 0; k < 4; ++k) {
        body.q[k] = system->q[k][i];
        body.attractor[k] = external->attractor[k];
    }
    for (int k = 0; k < 3; ++k) {
        body.r[k] = unwrapped(system, k, i);
        body.anchor[k] = external->anchor[k] ? external->anchor[k][i] : 0.0;
    }
    return body;
}

static bool acts(const struct ph_external_kind *kind, const struct ph_species *species)
{
    return species->degrees > 0 || !kind->turns_only;
}

/* Force, torque and energy of molecule i */
static double add_all(const struct external *external, const struct ph_system *system, size_t i, double force[3],
                      double torque[3])
{
    const struct ph_external_body body = body_at(external, system, i);
    double energy = 0.0;
    for (size_t k = 0; k < external->n; ++k)
        if (acts(external->kind[k], body.species))
            energy += external->kind[k]->add(&body, force, torque);
    return energy;
}

static double push(const struct external *external, struct ph_system *system, size_t i)
{
    double force[3] = {0.0}, torque[3] = {0.0};
    const double energy = add_all(external, system, i, force, torque);
    for (int k = 0; k < 3; ++k) {
        system->f[k][i] += force[k];
        system->t[k][i] += torque[k];
    }
    return energy;
}

/* Evaluates all molecules, or ours. Energies are added up exactly, so the distribution of molecules does not matter. */
static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)err;
    const struct external *external = term;
    const struct ph_owned *own = external->sites->own;
    struct ph_exact sum = {.spoilt = 0};
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (size_t from = at.begin, end; from < at.end; from = end) {
            double energies[PH_TURN];
            end = ph_turn_end(from, at.end);
            for (size_t i = from; i < end; ++i)
                energies[i - from] = push(external, system, i);
            if (energy)
                ph_exact_add(end - from, energies, &sum);
        }
    }
    if (energy && own)
        ph_ranks_add_up(1, &sum);
    if (energy)
        energy->field += ph_exact_value(&sum);
    return PH_OK;
}

static enum ph_status explain(const void *term, const struct ph_system *system, size_t i, struct ph_error *err)
{
    const struct ph_external_body at = body_at(term, system, i);
    const double *r = at.r, *q = at.q;
    double force[3] = {0.0}, torque[3] = {0.0};
    add_all(term, system, i, force, torque);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "External fields give molecule %u, at (%g, %g, %g) with orientation (%g, %g, %g, %g), a force "
                        "or torque that is not finite: force (%g, %g, %g), torque (%g, %g, %g).",
                        system->id[i], r[0], r[1], r[2], q[0], q[1], q[2], q[3], force[0], force[1], force[2],
                        torque[0], torque[1], torque[2]);
}

static void add_rates_of(const struct external *external, const struct ph_system *system, size_t i,
                         const struct ph_rates *rates)
{
    const struct ph_external_body body = body_at(external, system, i);
    struct ph_external_rates own = {.force = {0.0}};
    for (int k = 0; k < 3; ++k) {
        own.velocity[k] = rates->velocity[k][i];
        own.omega[k] = rates->omega[k][i];
    }
    for (size_t k = 0; k < external->n; ++k)
        if (external->kind[k]->add_rates && acts(external->kind[k], body.species))
            external->kind[k]->add_rates(&body, &own);
    for (int k = 0; k < 3; ++k) {
        rates->force[k][i] += own.force[k];
        rates->torque[k][i] += own.torque[k];
    }
}

static enum ph_status add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                struct ph_error *err)
{
    (void)err;
    const struct ph_owned *own = ((const struct external *)term)->sites->own;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        if (at.end - at.begin < PH_WORTH_THREADS) {
            for (size_t i = at.begin; i < at.end; ++i)
                add_rates_of(term, system, i, rates);
            continue;
        }
#pragma omp parallel for schedule(static)
        for (size_t i = at.begin; i < at.end; ++i)
            add_rates_of(term, system, i, rates);
    }
    return PH_OK;
}

const struct ph_term_kind ph_term_external = {
    .name = "external fields",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = add_rates,
    .explain = explain,
    .remember = remember,
    .restore = restore,
};
