/* SPDX-License-Identifier: MIT */
#include "force/force_field.h"

#include "base/threads.h"
#include "force/longrange/ewald.h"
#include "force/pairs/pairs.h"
#include "force/term.h"

#include <stdlib.h>
#include <string.h>

/* All kinds, in the order in which they are added up */
static const struct ph_term_kind *const kinds[] = {&ph_term_pairs, &ph_term_tail, &ph_term_ewald, &ph_term_external,
                                                   &ph_term_caller};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct ph_force_field {
    struct ph_sites sites; /* owned */
    size_t n_terms;
    struct {
        const struct ph_term_kind *kind;
        void *term; /* owned */
    } term[KINDS];
    bool evaluated; /* nothing has changed since an evaluation */
};

double ph_energy_total(const struct ph_energy *energy)
{
    return energy->radial + energy->electric + energy->waves + energy->long_range + energy->field;
}

/* ---- Set-up ---- */

void ph_force_field_destroy(struct ph_force_field *field)
{
    if (!field)
        return;
    for (size_t t = 0; t < field->n_terms; ++t)
        field->term[t].kind->destroy(field->term[t].term);
    ph_sites_clear(&field->sites);
    free(field);
}

enum ph_status ph_force_field_create(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_force_field **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_interactions settled = *interactions;
    enum ph_status status = ph_is_ewald(&settled) ? ph_ewald_settle(system, &settled, err) : PH_OK; /* and a cutoff */
    if (status == PH_OK)
        status = ph_pairs_check_cutoff(system, &settled, err);
    if (status != PH_OK)
        return status;
    struct ph_force_field *field = calloc(1, sizeof *field);
    if (!field)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the force field.");
    const struct ph_term_setup setup = {.system = system, .interactions = &settled, .sites = &field->sites};
    status = ph_sites_init(system, &settled, &field->sites, err);
    for (size_t k = 0; k < KINDS && status == PH_OK; ++k) {
        void *term = NULL;
        status = kinds[k]->create(&setup, &term, err);
        field->term[field->n_terms].kind = kinds[k];
        field->term[field->n_terms].term = term;
        field->n_terms += term != NULL;
    }
    if (status != PH_OK) {
        ph_force_field_destroy(field);
        return status;
    }
    *out = field;
    return PH_OK;
}

enum ph_status ph_force_field_set_caller(struct ph_force_field *field, const struct ph_system *system,
                                         const struct ph_interactions *interactions, struct ph_error *err)
{
    const struct ph_term_setup setup = {.system = system, .interactions = interactions, .sites = &field->sites};
    void *term = NULL;
    const enum ph_status status = ph_term_caller.create(&setup, &term, err);
    if (status != PH_OK)
        return status;
    field->evaluated = false;
    if (field->n_terms > 0 && field->term[field->n_terms - 1].kind == &ph_term_caller) /* it is the last of all */
        ph_term_caller.destroy(field->term[--field->n_terms].term);
    field->term[field->n_terms].kind = &ph_term_caller;
    field->term[field->n_terms].term = term;
    field->n_terms += term != NULL;
    return PH_OK;
}

/* ---- Memory of the terms, for checkpoints ---- */

void ph_force_field_forget(struct ph_force_field *field)
{
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->forget)
            field->term[t].kind->forget(field->term[t].term);
}

enum ph_status ph_force_field_box_changed(struct ph_force_field *field, const struct ph_system *system,
                                          struct ph_error *err)
{
    field->evaluated = false;
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->box_changed)
            status = field->term[t].kind->box_changed(field->term[t].term, system, err);
    return status;
}

struct ph_force_memory ph_force_field_memory(const struct ph_force_field *field)
{
    struct ph_force_memory memory = {.anchor = {NULL}};
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->remember)
            field->term[t].kind->remember(field->term[t].term, &memory);
    return memory;
}

enum ph_status ph_force_field_restore(struct ph_force_field *field, struct ph_system *system,
                                      const struct ph_force_memory *memory, struct ph_error *err)
{
    field->evaluated = false;
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->restore)
            status = field->term[t].kind->restore(field->term[t].term, system, memory, err);
    return status;
}

struct ph_force_counts ph_force_field_counts(const struct ph_force_field *field)
{
    struct ph_force_counts counts = {.lists_made = 0};
    for (size_t t = 0; t < field->n_terms; ++t)
        if (field->term[t].kind->count)
            field->term[t].kind->count(field->term[t].term, &counts);
    return counts;
}

/* ---- Forces ---- */

static void zero3(size_t n, double *const to[3])
{
    for (int k = 0; k < 3; ++k)
        memset(to[k], 0, n * sizeof(double));
}

static size_t first_broken_of(double *const a[3], double *const b[3], size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        if (!isfinite(a[0][i] + a[1][i] + a[2][i] + b[0][i] + b[1][i] + b[2][i]))
            return i;
    return SIZE_MAX;
}

/* The first molecule for which a and b, forces and torques or their rates, are not finite; SIZE_MAX for none */
static size_t first_broken(size_t n, double *const a[3], double *const b[3])
{
    if (n < PH_WORTH_THREADS)
        return first_broken_of(a, b, 0, n);
    size_t broken = SIZE_MAX;
#pragma omp parallel for schedule(static) reduction(min : broken)
    for (size_t from = 0; from < n; from += PH_TURN) {
        const size_t first = first_broken_of(a, b, from, ph_turn_end(from, n));
        broken = first < broken ? first : broken;
    }
    return broken;
}

static enum ph_status add_term(const struct ph_term_kind *kind, void *term, struct ph_system *system,
                               struct ph_energy *energy, struct ph_error *err)
{
    enum ph_status status = kind->evaluate(term, system, energy, err);
    const size_t broken = status == PH_OK ? first_broken(system->n, system->f, system->t) : SIZE_MAX;
    if (broken == SIZE_MAX)
        return status;
    status = kind->explain ? kind->explain(term, system, broken, err) : PH_OK;
    return status != PH_OK ? status
                           : ph_error_set(err, PH_ERR_NUMBERS,
                                          "The force or torque on molecule %u at (%g, %g, %g) is not finite (%s).",
                                          system->id[broken], system->r[0][broken], system->r[1][broken],
                                          system->r[2][broken], kind->name);
}

enum ph_status ph_force_field_evaluate(struct ph_force_field *field, struct ph_system *system, struct ph_energy *energy,
                                       struct ph_error *err)
{
    field->evaluated = false;
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->prepare)
            status = field->term[t].kind->prepare(field->term[t].term, system, err);
    if (status != PH_OK)
        return status;
    ph_sites_place(system, &field->sites);
    zero3(system->n, system->f);
    zero3(system->n, system->t);
    struct ph_energy sum = {.radial = 0.0};
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        status = add_term(field->term[t].kind, field->term[t].term, system, energy ? &sum : NULL, err);
    if (status == PH_OK && !isfinite(ph_energy_total(&sum)))
        status = ph_error_set(err, PH_ERR_NUMBERS, "The potential energy is not finite, although all forces are: %g.",
                              ph_energy_total(&sum));
    field->evaluated = status == PH_OK;
    if (energy && status == PH_OK)
        *energy = sum;
    return status;
}

/* Why the rate of molecule i is not finite: the motion is not, or molecules are too close. */
static enum ph_status explain_rate(const struct ph_system *system, size_t i, double *const velocity[3],
                                   double *const omega[3], struct ph_error *err)
{
    for (size_t j = 0; j < system->n; ++j) {
        const double v[3] = {velocity[0][j], velocity[1][j], velocity[2][j]};
        const double w[3] = {omega[0][j], omega[1][j], omega[2][j]};
        if (!isfinite(v[0] + v[1] + v[2] + w[0] + w[1] + w[2]))
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "The motion along which forces change is not finite for molecule %u: velocity (%g, "
                                "%g, %g), angular velocity (%g, %g, %g).",
                                system->id[j], v[0], v[1], v[2], w[0], w[1], w[2]);
    }
    return ph_error_set(err, PH_ERR_NUMBERS, "The rate at which the force on molecule %u changes is not finite.",
                        system->id[i]);
}

enum ph_status ph_force_field_derivative(struct ph_force_field *field, const struct ph_system *system,
                                         double *const velocity[3], double *const omega[3], double *const force_rate[3],
                                         double *const torque_rate[3], struct ph_error *err)
{
    if (!field->evaluated)
        return ph_error_set(err, PH_ERR_NUMBERS, "Forces must be evaluated before their derivative.");
    const struct ph_rates rates = {.velocity = velocity, .omega = omega, .force = force_rate, .torque = torque_rate};
    zero3(system->n, force_rate);
    zero3(system->n, torque_rate);
    enum ph_status status = PH_OK;
    for (size_t t = 0; t < field->n_terms && status == PH_OK; ++t)
        if (field->term[t].kind->rates)
            status = field->term[t].kind->rates(field->term[t].term, system, &rates, err);
    if (status != PH_OK)
        return status;
    const size_t broken = first_broken(system->n, force_rate, torque_rate);
    return broken == SIZE_MAX ? PH_OK : explain_rate(system, broken, velocity, omega, err);
}
