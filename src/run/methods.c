/* SPDX-License-Identifier: MIT */
#include "run/methods.h"

#include "base/names.h"

#include <stdio.h>
#include <string.h>

const char *const ph_default_scheme = "srkn6-11b";

enum { MOST_NAMES = 128 };

static enum ph_status unknown(const struct ph_input *input, const char *key, const char *what, const char *name,
                              size_t n, const char *const names[], struct ph_error *err)
{
    char place[PH_PLACE];
    ph_input_place(input, key, place);
    const char *near = ph_name_nearest(name, n, names);
    return ph_error_set(err, PH_ERR_INPUT, "%s: %s: there is no %s '%s'.%s%s%s 'polhode list %ss' shows all.", place,
                        key, what, name, near ? " Did you mean '" : "", near ? near : "", near ? "'?" : "", what);
}

enum ph_status ph_methods_find(const struct ph_input *input, struct ph_methods *methods, struct ph_error *err)
{
    const char *scheme = input->dynamics.scheme[0] ? input->dynamics.scheme : ph_default_scheme;
    methods->scheme = ph_scheme_find(scheme);
    methods->flow = ph_flow_find(input->dynamics.flow);
    const char *names[MOST_NAMES];
    size_t n = 0;
    if (!methods->scheme) {
        for (; n < ph_scheme_count() && n < MOST_NAMES; ++n)
            names[n] = ph_scheme_at(n)->name;
        return unknown(input, "dynamics.scheme", "scheme", scheme, n, names, err);
    }
    if (!methods->flow) {
        for (; n < ph_flow_count() && n < MOST_NAMES; ++n)
            names[n] = ph_flow_at(n)->name;
        return unknown(input, "dynamics.flow", "flow", input->dynamics.flow, n, names, err);
    }
    return PH_OK;
}

static bool has_wca(const struct ph_system *system, const struct ph_interactions *interactions)
{
    bool wca = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            wca = wca || system->species[s].site[a].radial.kind == PH_RADIAL_WCA;
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        wca = wca || interactions->overrides[k].radial.kind == PH_RADIAL_WCA;
    return wca;
}

/* How many derivatives are continuous at the cutoff */
static int smoothness_at_cutoff(const struct ph_interactions *interactions)
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

/* WCA ends with a jump of its second derivative. */
int ph_smoothness(const struct ph_system *system, const struct ph_interactions *interactions)
{
    const int smooth = smoothness_at_cutoff(interactions);
    return smooth > 1 && has_wca(system, interactions) ? 1 : smooth;
}

/* What is not smooth, and what to do about it */
static size_t advise_smoothness(const struct ph_scheme *scheme, int smooth, int at_cutoff, char advice[PH_ADVICE])
{
    char remedy[96] = "No truncation helps: the WCA potential itself ends so.";
    if (at_cutoff < scheme->order && smooth == at_cutoff)
        snprintf(remedy, sizeof remedy, "Take interactions.truncation: switched, with switch.smoothness: %s.",
                 scheme->order <= 6 ? "6" : "all");
    char what[64] = "jumps at the cutoff";
    if (smooth >= 0)
        snprintf(what, sizeof what, "has only %d continuous derivative%s", smooth, smooth == 1 ? "" : "s");
    return (size_t)snprintf(advice, PH_ADVICE,
                            "The scheme %s is of order %d, but the potential energy %s: energy will be conserved less "
                            "well than the order promises. %s",
                            scheme->name, scheme->order, what, remedy);
}

void ph_methods_advice(const struct ph_methods *methods, const struct ph_system *system,
                       const struct ph_interactions *interactions, char advice[PH_ADVICE])
{
    const struct ph_scheme *scheme = methods->scheme;
    const int smooth = ph_smoothness(system, interactions);
    bool rotates = false;
    for (size_t s = 0; s < system->n_species; ++s)
        rotates = rotates || system->species[s].degrees > 0;
    advice[0] = '\0';
    size_t used = 0;
    if (smooth < scheme->order)
        used = advise_smoothness(scheme, smooth, smoothness_at_cutoff(interactions), advice);
    const int flow_order = methods->flow->order; /* 0: exact */
    if (rotates && flow_order > 0 && flow_order < scheme->order && used < PH_ADVICE)
        snprintf(advice + used, PH_ADVICE - used,
                 "%sThe flow %s is of order %d, the scheme %s of order %d: together they are of order %d. Take "
                 "dynamics.flow: exact.",
                 used ? " " : "", methods->flow->name, flow_order, scheme->name, scheme->order, flow_order);
}
