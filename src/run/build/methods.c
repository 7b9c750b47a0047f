/* SPDX-License-Identifier: MIT */
#include "run/build/methods.h"

#include "base/names.h"
#include "base/plain.h"
#include "input/other_programs.h"
#include "input/stages.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* For inputs that name none: the best all-rounder in a polar fluid, see docs/accuracy.md; for extended Hamiltonians,
 * which need a composition of symmetric steps; and for noise in the middle of steps */
static const char default_scheme[] = "polhode6-11b", default_composition[] = "mclachlan6-ss9",
                  default_middle[] = "verlet";
static const char *const default_outer = "sbab2"; /* of nested schemes */

enum { MOST_NAMES = 128 };

/* A key of the dynamics, or of a stage: how messages call it, and where it was written */
struct origin {
    const struct ph_input *input;
    size_t stage;
};

static void locate(const struct origin *origin, const char *part, char key[PH_PATH], char place[PH_PLACE])
{
    const struct ph_input *input = origin->input;
    if (input->staged && strncmp(part, "nested", 6) != 0) { /* which is the same for all stages */
        ph_input_stage_key(input, origin->stage, part, key, place);
        return;
    }
    snprintf(key, PH_PATH, "dynamics.%s", part);
    ph_input_place(input, key, place);
}

/* Returns the other kind of method that has this name: "rattle is an integrator" */
static const char *other_kind(const char *name)
{
    return ph_scheme_find(name)       ? "a scheme: take dynamics.scheme"
           : ph_flow_find(name)       ? "a flow: take dynamics.flow"
           : ph_integrator_find(name) ? "an integrator: take dynamics.integrator"
                                      : NULL;
}

/* Sets the error for an unknown name. It suggests the nearest of n names, says which other kind of thing the name is,
 * or gives its name here. `all` says where all names are shown. `what` is the key, "scheme" or "nested.scheme". */
static enum ph_status unknown(const struct origin *origin, const char *what, const char *name, size_t n,
                              const char *const names[], const char *all, struct ph_error *err)
{
    char place[PH_PLACE], key[PH_PATH], meant[PH_PATH] = "";
    locate(origin, what, key, place);
    const char *dot = strrchr(what, '.');
    what = dot ? dot + 1 : what;
    const char *near = ph_name_nearest(name, n, names), *kind = other_kind(name), *peer = ph_peer_value(key, name);
    if (kind)
        snprintf(meant, sizeof meant, " '%.32s' is %s.", name, kind);
    else if (peer)
        snprintf(meant, sizeof meant, " %s", peer);
    else if (near)
        snprintf(meant, sizeof meant, " Did you mean '%.32s'?", near);
    return ph_error_set(err, PH_ERR_INPUT, "%s: %.100s: there is no %s '%s'.%s %s", place, key, what, name, meant, all);
}

/* `polhode list integrators` also has methods on spheres, which runs cannot use: the message lists the integrators of
 * runs. */
static enum ph_status find_integrator(const struct origin *origin, const char *name, struct ph_methods *methods,
                                      struct ph_error *err)
{
    methods->integrator = ph_integrator_find(name);
    if (methods->integrator)
        return PH_OK;
    const char *names[MOST_NAMES];
    char all[PH_ADVICE] = "Accepted: ";
    size_t n = 0;
    for (; n < ph_integrator_count() && n < MOST_NAMES; ++n) {
        const size_t used = strlen(all);
        names[n] = ph_integrator_at(n)->name;
        snprintf(all + used, sizeof all - used, "%s%s", names[n], n + 1 < ph_integrator_count() ? ", " : ".");
    }
    return unknown(origin, "integrator", name, n, names, all, err);
}

/* `key`: of dynamics */
static enum ph_status find_scheme(const struct origin *origin, const char *key, const char *name,
                                  const struct ph_scheme **scheme, struct ph_error *err)
{
    const char *names[MOST_NAMES];
    size_t n = 0;
    if ((*scheme = ph_scheme_find(name)))
        return PH_OK;
    for (; n < ph_scheme_count() && n < MOST_NAMES; ++n)
        names[n] = ph_scheme_at(n)->name;
    return unknown(origin, key, name, n, names, "'polhode list schemes' shows all.", err);
}

static enum ph_status find(const struct origin *origin, const char *scheme, const char *flow, const char *integrator,
                           struct ph_methods *methods, struct ph_error *err)
{
    *methods = (struct ph_methods){.scheme = NULL};
    if (integrator[0])
        return find_integrator(origin, integrator, methods, err);
    const struct ph_input *input = origin->input;
    enum ph_status status = find_scheme(origin, "scheme", scheme[0] ? scheme : default_scheme, &methods->scheme, err);
    if (status == PH_OK && input->dynamics.nested.line != 0) {
        methods->substeps = (int)input->dynamics.nested.substeps;
        status = find_scheme(origin, "nested.scheme", input->dynamics.nested.scheme, &methods->inner, err);
    }
    if (status != PH_OK)
        return status;
    methods->flow = ph_flow_find(flow);
    const char *names[MOST_NAMES];
    size_t n = 0;
    if (!methods->flow) {
        for (; n < ph_flow_count() && n < MOST_NAMES; ++n)
            names[n] = ph_flow_at(n)->name;
        return unknown(origin, "flow", flow, n, names, "'polhode list flows' shows all.", err);
    }
    return PH_OK;
}

enum ph_status ph_methods_find_stage(const struct ph_input *input, size_t stage, struct ph_methods *methods,
                                     struct ph_error *err)
{
    const struct ph_input_stage *asked = &input->stages[stage];
    const char *fallback = ph_input_is_extended(asked)                              ? default_composition
                           : input->dynamics.nested.line != 0                       ? default_outer
                           : strcmp(asked->thermostat.kind, "langevin-middle") == 0 ? default_middle
                                                                                    : default_scheme;
    const enum ph_status status = find(&(struct origin){input, stage}, asked->scheme[0] ? asked->scheme : fallback,
                                       asked->flow, asked->integrator, methods, err);
    methods->step = asked->step / (double)asked->thermostat.substeps;
    return status;
}

enum ph_status ph_methods_find(const struct ph_input *input, struct ph_methods *methods, struct ph_error *err)
{
    if (input->n_stages > 0)
        return ph_methods_find_stage(input, input->n_stages - 1, methods, err);
    return find(&(struct origin){input, 0}, input->dynamics.scheme, input->dynamics.flow, input->dynamics.integrator,
                methods, err);
}

void ph_methods_describe(const struct ph_methods *methods, bool chosen, char words[PH_METHOD_WORDS])
{
    const struct ph_scheme *scheme = methods->scheme;
    const struct ph_integrator *integrator = methods->integrator;
    if (integrator)
        snprintf(words, PH_METHOD_WORDS, "integrator %s (order %d, %s)", integrator->name, integrator->order,
                 integrator->implicit ? "implicit" : "1 evaluation a step");
    else if (methods->inner)
        snprintf(words, PH_METHOD_WORDS,
                 "scheme %s%s (order %d, %d slow evaluation%s a step) over %d step%s of %s (order %d, %d fast "
                 "evaluation%s a step) in each drift, flow %s",
                 scheme->name, chosen ? " (chosen)" : "", scheme->order, ph_scheme_evaluations(scheme),
                 ph_scheme_evaluations(scheme) == 1 ? "" : "s", methods->substeps, methods->substeps == 1 ? "" : "s",
                 methods->inner->name, methods->inner->order, ph_scheme_evaluations(methods->inner),
                 ph_scheme_evaluations(methods->inner) == 1 ? "" : "s", methods->flow->name);
    else
        snprintf(words, PH_METHOD_WORDS, "scheme %s%s (order %d, %d evaluation%s%s a step), flow %s", scheme->name,
                 chosen ? " (chosen)" : "", scheme->order, ph_scheme_evaluations(scheme),
                 ph_scheme_evaluations(scheme) == 1 ? "" : "s", ph_scheme_gradients(scheme) > 0 ? " and gradients" : "",
                 methods->flow->name);
}

static bool is_such(const struct ph_radial *radial, bool ending)
{
    return radial->kind != PH_RADIAL_NONE && (ph_radial_end(radial) > 0.0) == ending;
}

/* True if there are radial terms that end by themselves, or terms that do not (`ending`) */
static bool has_radial(const struct ph_system *system, const struct ph_interactions *interactions, bool ending)
{
    bool there = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            there = there || is_such(&system->species[s].site[a].radial, ending) ||
                    (!ending && system->species[s].site[a].angular.kind != PH_ANGULAR_NONE &&
                     ph_angular_end(&system->species[s].site[a].angular) == 0.0);
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        there = there || is_such(&interactions->overrides[k].radial, ending) ||
                (!ending && interactions->overrides[k].angular.kind != PH_ANGULAR_NONE);
    return there;
}

/* How many derivatives of a truncated function are continuous at the cutoff */
static int smoothness_of_truncation(const struct ph_interactions *interactions)
{
    switch (interactions->truncation) {
    case PH_TRUNCATE_CUT: return -1;
    case PH_TRUNCATE_SHIFTED: return 0;
    case PH_TRUNCATE_FORCE_SHIFTED: return 1;
    case PH_TRUNCATE_SWITCHED: return interactions->smoothness;
    case PH_TRUNCATE_NONE: break;
    }
    return PH_SMOOTH_ALL;
}

/* Continuous derivatives of radial and electric terms at the cutoff */
struct smoothness {
    int radial, electric;
};

/* The pairs of an Ewald sum are never shifted; with the split that ends by itself nothing happens to them at all. WCA
 * ends before the cutoff. */
static struct smoothness smoothness_at_cutoff(const struct ph_system *system,
                                              const struct ph_interactions *interactions)
{
    const int truncated = smoothness_of_truncation(interactions);
    const bool by_itself = ph_is_ewald(interactions) && interactions->ewald.split == PH_SPLIT_BESSEL;
    const bool radial = has_radial(system, interactions, false) || !ph_is_ewald(interactions);
    struct smoothness smooth = {radial ? truncated : PH_SMOOTH_ALL, truncated};
    if (by_itself)
        smooth.electric = interactions->ewald.smoothness;
    else if (ph_is_ewald(interactions) && interactions->truncation != PH_TRUNCATE_SWITCHED)
        smooth.electric = -1;
    return smooth;
}

/* The spline of a table is no smoother anywhere. */
static bool has_table(const struct ph_system *system, const struct ph_interactions *interactions)
{
    bool there = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            there = there || system->species[s].site[a].radial.kind == PH_RADIAL_TABLE;
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        there = there || interactions->overrides[k].radial.kind == PH_RADIAL_TABLE;
    return there;
}

static int least(int a, int b) { return a < b ? a : b; }

/* Continuous derivatives of forms whatever the truncation. WCA ends with a jump of its second derivative. */
static int smoothness_of_forms(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const int table = has_table(system, interactions) ? PH_TABLE_SMOOTHNESS : PH_SMOOTH_ALL;
    int smooth = has_radial(system, interactions, true) ? 1 : table;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            smooth = least(smooth, ph_angular_smoothness(&system->species[s].site[a].angular));
    return smooth;
}

int ph_smoothness(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const struct smoothness at_cutoff = smoothness_at_cutoff(system, interactions);
    return least(least(at_cutoff.radial, at_cutoff.electric), smoothness_of_forms(system, interactions));
}

/* Advice where a form is less smooth than the truncation */
static void find_remedy_of_forms(const struct ph_system *system, int order, int smooth, char remedy[256])
{
    snprintf(remedy, 256, "No truncation helps: this is so for the WCA potential itself.");
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            if (ph_angular_smoothness(&site->angular) != smooth)
                continue;
            const char *name = ph_angular_forms[site->angular.kind].name;
            if (order <= 6)
                snprintf(remedy, 256,
                         "This is so for the %s interaction of %s.%s: a model with %s.smoothness: %d has them, but is "
                         "not quite the same.",
                         name, system->species[s].name, site->name, name,
                         order <= 2   ? 2
                         : order <= 4 ? 4
                                      : 6);
            else
                snprintf(remedy, 256, "This is so for the %s interaction of %s.%s, which has no more than 6.", name,
                         system->species[s].name, site->name);
            return;
        }
}

enum ph_status ph_methods_check(const struct ph_methods *methods, const struct ph_system *system,
                                const struct ph_interactions *interactions, struct ph_error *err)
{
    if (!methods->integrator || !methods->integrator->implicit || ph_smoothness(system, interactions) >= 1)
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "dynamics.integrator '%s' is implicit, and forces jump at the cutoff: a step may have no "
                        "solution. Take interactions.truncation: switched or force-shifted, or an explicit integrator, "
                        "for example 'vlv'.",
                        methods->integrator->name);
}

static int order_of(const struct ph_methods *methods)
{
    const int order = methods->integrator ? methods->integrator->order : methods->scheme->order;
    return methods->inner ? least(order, methods->inner->order) : order;
}

/* Adds a sentence or two */
static __attribute__((format(printf, 2, 3))) void advise(char advice[PH_ADVICE], const char *format, ...)
{
    const size_t used = strlen(advice);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && used + 1 < PH_ADVICE)
        strcpy(advice + used, " ");
    ph_vsnprintf(advice + strlen(advice), PH_ADVICE - strlen(advice), format, arguments);
    va_end(arguments);
}

/* How to have as many continuous derivatives as the order asks for */
static void find_remedy(const struct ph_interactions *interactions, int order, struct smoothness at_cutoff,
                        char remedy[256])
{
    const bool ewald = ph_is_ewald(interactions), bessel = ewald && interactions->ewald.split == PH_SPLIT_BESSEL;
    const bool reaction_field = interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD;
    char electric[96] = "";
    if (bessel && at_cutoff.electric < order)
        snprintf(electric, sizeof electric, "interactions.electrostatics.smoothness: %d", order < 8 ? 8 : order);
    else if (ewald && at_cutoff.electric < order &&
             (interactions->truncation != PH_TRUNCATE_SWITCHED || at_cutoff.radial >= order))
        snprintf(electric, sizeof electric, "interactions.electrostatics.split: bessel (or method: mesh)%s",
                 order > 6 ? " with smoothness: 8" : "");
    if (reaction_field && at_cutoff.electric == 6)
        snprintf(remedy, 256, "A reaction field has no more of them: take interactions.electrostatics.method: ewald.");
    else if (at_cutoff.radial < order)
        snprintf(remedy, 256, "Take interactions.truncation: switched, with switch.smoothness: %s%s%s.",
                 order <= 6 || reaction_field ? "6" : "all", electric[0] ? ", and " : "", electric);
    else
        snprintf(remedy, 256, "Take %s.", electric);
}

/* Advises on a potential that is not smooth enough, and how to avoid it. */
static void advise_smoothness(const struct ph_methods *methods, const struct ph_system *system,
                              const struct ph_interactions *interactions, char advice[PH_ADVICE])
{
    const int order = order_of(methods), smooth = ph_smoothness(system, interactions);
    const struct smoothness at_cutoff = smoothness_at_cutoff(system, interactions);
    char remedy[256];
    if (smooth == PH_TABLE_SMOOTHNESS && has_table(system, interactions))
        snprintf(remedy, sizeof remedy,
                 "The spline through a table has no more of them: give the energy as a formula, or take a scheme of "
                 "order %d.",
                 PH_TABLE_SMOOTHNESS);
    else if (smooth == least(at_cutoff.radial, at_cutoff.electric))
        find_remedy(interactions, order, at_cutoff, remedy);
    else
        find_remedy_of_forms(system, order, smooth, remedy);
    char what[64] = "jumps at the cutoff";
    if (smooth >= 0)
        snprintf(what, sizeof what, "has only %d continuous derivative%s", smooth, smooth == 1 ? "" : "s");
    advise(advice,
           "The %s %s is of order %d, but the potential energy %s: energy will be conserved less well than the order "
           "promises. %s",
           methods->integrator ? "integrator" : "scheme",
           methods->integrator ? methods->integrator->name : methods->scheme->name, order, what, remedy);
}

/* Advises on nested schemes. In a dense polar fluid long outer steps meet resonances of the fast motion (measured in
 * docs/accuracy.md): the energy then grows over a long time, at first unseen. */
static void advise_nested(const struct ph_methods *methods, const struct ph_system *system,
                          const struct ph_interactions *interactions, char advice[PH_ADVICE])
{
    const double longest = 0.025; /* in units of sqrt(m sigma^2/epsilon) */
    double unit = INFINITY;
    if (methods->inner->order < methods->scheme->order)
        advise(advice,
               "The inner scheme %s is of order %d, the outer scheme %s of order %d: together they are of order %d.",
               methods->inner->name, methods->inner->order, methods->scheme->name, methods->scheme->order,
               methods->inner->order);
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            if (ph_site_depth(site) > 0.0)
                unit = fmin(unit, ph_site_size(site) * sqrt(system->species[s].mass / ph_site_depth(site)));
        }
    if (interactions->fast.kind == PH_FAST_NEAR && methods->step > longest * unit)
        advise(advice,
               "The step of the nested scheme, %g, is longer than %.3g: such steps heat a dense fluid in long runs. "
               "Look at the drift of the energy, or take a shorter step.",
               methods->step, longest * unit);
}

void ph_methods_advice(const struct ph_methods *methods, const struct ph_system *system,
                       const struct ph_interactions *interactions, char advice[PH_ADVICE])
{
    const int order = order_of(methods), smooth = ph_smoothness(system, interactions);
    bool rotates = false;
    for (size_t s = 0; s < system->n_species; ++s)
        rotates = rotates || system->species[s].degrees > 0;
    advice[0] = '\0';
    if (smooth < order)
        advise_smoothness(methods, system, interactions, advice);
    if (interactions->electrostatics == PH_ELECTROSTATICS_MESH &&
        interactions->ewald.expected_error > 2.0 * interactions->ewald.tolerance)
        advise(advice,
               "Electric forces on the mesh as it is given are expected to have a relative error of %.2g, not %g. Take "
               "a larger width or grid, or leave them to the program.",
               interactions->ewald.expected_error, interactions->ewald.tolerance);
    const int flow_order = methods->flow ? methods->flow->order : 0; /* 0: exact */
    if (rotates && flow_order > 0 && flow_order < order)
        advise(advice,
               "The flow %s is of order %d, the scheme %s of order %d: together they are of order %d. Take "
               "dynamics.flow: exact.",
               methods->flow->name, flow_order, methods->scheme->name, order, flow_order);
    if (ph_field_is_smooth(interactions) && isfinite(interactions->epsilon_rf))
        advise(advice,
               "interactions.electrostatics.permittivity is %g, but a reaction field beside a switch vanishes at the "
               "cutoff, and the sample as a whole behaves as if a conductor surrounded it. Take permittivity: .inf, "
               "or interactions.truncation: cut or shifted.",
               interactions->epsilon_rf);
    if (methods->inner)
        advise_nested(methods, system, interactions, advice);
    const double charge = ph_system_charge(system);
    if (ph_is_ewald(interactions) && charge != 0.0)
        advise(advice, "The %s has a net charge of %g: %s.", interactions->ewald.slab ? "slab" : "box", charge,
               interactions->ewald.slab ? "nothing neutralises it, and its energy lacks an infinite constant"
                                        : "a uniform background neutralises it");
}
