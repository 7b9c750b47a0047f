/* SPDX-License-Identifier: MIT */
#include "run/build/build.h"

#include "base/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of the input and their meanings */
struct word {
    const char *word;
    int value;
};

/* The schema admits no other words in a file; a struct filled in by a program may have them. */
static enum ph_status translate(const char *key, const char *word, size_t n, const struct word *words, int *value,
                                struct ph_error *err)
{
    char accepted[PH_ERROR_TEXT / 2] = "";
    for (size_t k = 0; k < n; ++k) {
        const size_t used = strlen(accepted);
        snprintf(accepted + used, sizeof accepted - used, "%s'%s'", k > 0 ? ", " : "", words[k].word);
        if (strcmp(words[k].word, word) == 0) {
            *value = words[k].value;
            return PH_OK;
        }
    }
    return ph_error_set(err, PH_ERR_INPUT, "%s: '%.100s' is not known. Accepted: %s.", key, word, accepted);
}

#define TRANSLATE(key, word, words, value, err) translate(key, word, sizeof words / sizeof *words, words, value, err)

static const struct word truncations[] = {{"none", PH_TRUNCATE_NONE},
                                          {"cut", PH_TRUNCATE_CUT},
                                          {"shifted", PH_TRUNCATE_SHIFTED},
                                          {"force-shifted", PH_TRUNCATE_FORCE_SHIFTED},
                                          {"switched", PH_TRUNCATE_SWITCHED}};
static const struct word smoothnesses[] = {{"2", 2}, {"4", 4}, {"6", 6}, {"all", PH_SMOOTH_ALL}};
static const struct word methods[] = {{"cutoff", PH_ELECTROSTATICS_CUTOFF},
                                      {"reaction-field", PH_ELECTROSTATICS_REACTION_FIELD},
                                      {"ewald", PH_ELECTROSTATICS_EWALD},
                                      {"mesh", PH_ELECTROSTATICS_MESH}};
static const struct word splits[] = {{"", PH_SPLIT_GAUSS}, {"gauss", PH_SPLIT_GAUSS}, {"bessel", PH_SPLIT_BESSEL}};
static const struct word geometries[] = {{"bulk", false}, {"slab", true}};
static const struct word combinings[] = {{"lorentz-berthelot", PH_COMBINE_LORENTZ_BERTHELOT},
                                         {"geometric", PH_COMBINE_GEOMETRIC}};

enum ph_status ph_build_radial(const struct ph_input_radial *radial, struct ph_radial *out, struct ph_error *err)
{
    struct word words[1 + PH_FORM_COUNT] = {{"", PH_RADIAL_NONE}};
    for (size_t k = 0; k < PH_FORM_COUNT; ++k)
        words[1 + k] = (struct word){ph_forms[k].name, (int)ph_forms[k].kind};
    int kind = PH_RADIAL_NONE;
    const enum ph_status status = TRANSLATE("radial interaction", radial->kind, words, &kind, err);
    if (status != PH_OK)
        return status;
    *out = (struct ph_radial){.kind = (enum ph_radial_kind)kind};
    if (kind == PH_RADIAL_NONE)
        return PH_OK;
    out->epsilon = radial->epsilon;
    out->sigma = radial->sigma;
    out->repulsive = radial->repulsive;
    out->attractive = radial->attractive;
    return PH_OK;
}

static bool site_exists(const char *name, size_t n_species, const struct ph_species *species)
{
    for (size_t s = 0; s < n_species; ++s)
        for (size_t a = 0; a < species[s].n_sites; ++a) {
            char known[2 * PH_NAME];
            snprintf(known, sizeof known, "%s.%s", species[s].name, species[s].site[a].name);
            if (strcmp(known, name) == 0)
                return true;
        }
    return false;
}

static enum ph_status unknown_site(const struct ph_input *input, size_t k, const char *name, size_t n_species,
                                   const struct ph_species *species, struct ph_error *err)
{
    char place[PH_PLACE], list[PH_ERROR_TEXT / 2] = "", nearest[2 * PH_NAME] = "";
    size_t smallest = 2 + strlen(name) / 3;
    for (size_t s = 0; s < n_species; ++s)
        for (size_t a = 0; a < species[s].n_sites; ++a) {
            char known[2 * PH_NAME];
            snprintf(known, sizeof known, "%s.%s", species[s].name, species[s].site[a].name);
            const size_t used = strlen(list);
            if (!strstr(list, known))
                snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", known);
            if (ph_name_distance(name, known) < smallest) {
                smallest = ph_name_distance(name, known);
                strcpy(nearest, known);
            }
        }
    ph_input_line_place(input, input->interactions.pairs[k].line, place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: interactions.pairs[%zu].sites: there is no site '%s'.%s%s%s Accepted: %s.", place, k, name,
                        nearest[0] ? " Did you mean '" : "", nearest, nearest[0] ? "'?" : "", list);
}

/* Of two entries for one pair only the first would count. */
static enum ph_status refuse_repeated(const struct ph_input *input, size_t k, struct ph_error *err)
{
    const struct ph_input_pair *pairs = input->interactions.pairs;
    const char *one = pairs[k].sites[0], *other = pairs[k].sites[1];
    for (size_t l = 0; l < k; ++l) {
        const bool same = strcmp(pairs[l].sites[0], one) == 0 && strcmp(pairs[l].sites[1], other) == 0;
        const bool swapped = strcmp(pairs[l].sites[0], other) == 0 && strcmp(pairs[l].sites[1], one) == 0;
        if (!same && !swapped)
            continue;
        char place[PH_PLACE];
        ph_input_line_place(input, pairs[k].line, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.pairs[%zu].sites: interactions.pairs[%zu] has the pair '%s', '%s' "
                            "already. Accepted: one entry for each pair.",
                            place, k, l, one, other);
    }
    return PH_OK;
}

static enum ph_status build_pairs(const struct ph_input *input, size_t n_species, const struct ph_species *species,
                                  struct ph_interactions *interactions, struct ph_error *err)
{
    const size_t n = input->interactions.n_pairs;
    if (n == 0)
        return PH_OK;
    interactions->overrides = calloc(n, sizeof *interactions->overrides);
    if (!interactions->overrides)
        return ph_no_memory(err, "%zu pairs of sites", n);
    interactions->n_overrides = n;
    for (size_t k = 0; k < n; ++k) {
        const struct ph_input_pair *pair = &input->interactions.pairs[k];
        for (int side = 0; side < 2; ++side) {
            if (!site_exists(pair->sites[side], n_species, species))
                return unknown_site(input, k, pair->sites[side], n_species, species, err);
            strcpy(interactions->overrides[k].site[side], pair->sites[side]);
        }
        enum ph_status status = refuse_repeated(input, k, err);
        if (status == PH_OK)
            status = ph_build_radial(&pair->radial, &interactions->overrides[k].radial, err);
        if (status != PH_OK)
            return status;
        interactions->overrides[k].angular = pair->radial.angular;
    }
    return PH_OK;
}

/* Radial terms end at the cutoff, so only without them can it be chosen by the tolerance of a mesh. */
static enum ph_status check_cutoff(const struct ph_input *input, size_t n_species, const struct ph_species *species,
                                   const struct ph_interactions *interactions, struct ph_error *err)
{
    const char *radial = NULL;
    for (size_t s = 0; s < n_species; ++s)
        for (size_t a = 0; a < species[s].n_sites; ++a)
            if (ph_site_has_form(&species[s].site[a]))
                radial = species[s].name;
    for (size_t k = 0; k < interactions->n_overrides; ++k)
        if (interactions->overrides[k].radial.kind != PH_RADIAL_NONE ||
            interactions->overrides[k].angular.kind != PH_ANGULAR_NONE)
            radial = interactions->overrides[k].site[0];
    if (interactions->electrostatics != PH_ELECTROSTATICS_MESH || interactions->cutoff > 0.0 || !radial)
        return PH_OK;
    char place[PH_PLACE];
    ph_input_line_place(input, input->interactions.line, place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: the key 'interactions.cutoff' is missing: the radial terms of %s end there. It is chosen "
                        "by interactions.electrostatics.method: mesh only where no site has a radial term.%s",
                        place, radial, ph_input_why_mesh(input));
}

double ph_build_largest_sigma(size_t n_species, const struct ph_species *species)
{
    double sigma = 0.0;
    for (size_t s = 0; s < n_species; ++s)
        for (size_t a = 0; a < species[s].n_sites; ++a)
            sigma = fmax(sigma, ph_site_size(&species[s].site[a]));
    return sigma;
}

double ph_build_near_radius(size_t n_species, const struct ph_species *species)
{
    const double per_sigma = 1.6; /* see docs/accuracy.md */
    double length = 0.0;
    for (size_t s = 0; s < n_species; ++s)
        for (size_t a = 0; a < species[s].n_sites; ++a)
            length = fmax(length, ph_site_length(&species[s].site[a]));
    return per_sigma * length;
}

/* Which forces are fast, where schemes are nested */
static enum ph_status build_fast(const struct ph_input *input, size_t n_species, const struct ph_species *species,
                                 struct ph_fast_part *fast, struct ph_error *err)
{
    if (input->dynamics.nested.line == 0)
        return PH_OK;
    const bool near = strcmp(input->dynamics.nested.part, "near") == 0;
    static const char *const keys[] = {"dynamics.nested.radius", "dynamics.nested.width"};
    char place[PH_PLACE];
    for (int k = 0; k < 2; ++k)
        if (!near && ph_input_given(input, keys[k])) {
            ph_input_place(input, keys[k], place);
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s is for dynamics.nested.part: near, not for reciprocal.",
                                place, keys[k]);
        }
    fast->kind = near ? PH_FAST_NEAR : PH_FAST_BUT_WAVES;
    fast->radius =
        isnan(input->dynamics.nested.radius) ? ph_build_near_radius(n_species, species) : input->dynamics.nested.radius;
    fast->width = isnan(input->dynamics.nested.width) ? 0.5 * fast->radius : input->dynamics.nested.width;
    if (!near || fast->radius > 0.0)
        return PH_OK;
    ph_input_line_place(input, input->dynamics.nested.line, place);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: the key 'dynamics.nested.radius' is missing: no site has a sigma from which to choose it.",
                        place);
}

/* The file must be readable now, because PLUMED reads it only when forces are evaluated. */
static enum ph_status build_plumed(const struct ph_input *input, struct ph_plumed *plumed, struct ph_error *err)
{
    char place[PH_PLACE];
    if (input->interactions.plumed.line == 0)
        return PH_OK;
    ph_input_line_place(input, input->interactions.plumed.line, place);
    if (!input->interactions.plumed.file[0])
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: the key 'interactions.plumed.file' is missing: the input of PLUMED.", place);
    _Static_assert((int)PH_PLUMED_PATH == (int)PH_PATH, "names of files fit");
    FILE *file = NULL;
    if (!ph_input_relative(input, input->interactions.plumed.file, plumed->file) || !(file = fopen(plumed->file, "r")))
        return ph_error_set(err, PH_ERR_INPUT, "%s: interactions.plumed.file: '%.200s' cannot be read.", place,
                            plumed->file);
    fclose(file);
    const struct ph_input_stage *stage = input->n_stages > 0 ? &input->stages[input->n_stages - 1] : NULL;
    snprintf(plumed->log, sizeof plumed->log, "%s", input->interactions.plumed.log);
    plumed->keeps_momentum = input->interactions.plumed.keeps_momentum;
    plumed->reduced = strcmp(input->units, "reduced") == 0;
    plumed->step = stage ? stage->step : 0.0;
    if (stage && stage->thermostat.kind[0])
        plumed->kT = ph_units_find(input->units)->boltzmann * stage->thermostat.temperature;
    return PH_OK;
}

enum ph_status ph_build_interactions(const struct ph_input *input, size_t n_species, const struct ph_species *species,
                                     struct ph_interactions *interactions, struct ph_error *err)
{
    int truncation, smoothness, method, split, slab, combining;
    *interactions = (struct ph_interactions){.n_overrides = 0}; /* may be freed whatever happens */
    enum ph_status status =
        TRANSLATE("interactions.truncation", input->interactions.truncation, truncations, &truncation, err);
    if (status == PH_OK)
        status =
            TRANSLATE("interactions.switch.smoothness", input->interactions.smoothness, smoothnesses, &smoothness, err);
    if (status == PH_OK)
        status = TRANSLATE("interactions.electrostatics.method", input->interactions.method, methods, &method, err);
    if (status == PH_OK)
        status = TRANSLATE("interactions.electrostatics.split", input->interactions.split, splits, &split, err);
    if (status == PH_OK)
        status =
            TRANSLATE("interactions.electrostatics.geometry", input->interactions.geometry, geometries, &slab, err);
    if (status == PH_OK)
        status = TRANSLATE("interactions.combining", input->interactions.combining, combinings, &combining, err);
    if (status != PH_OK)
        return status;
    *interactions = (struct ph_interactions){
        .truncation = (enum ph_truncation)truncation,
        .smoothness = smoothness,
        .electrostatics = (enum ph_electrostatics)method,
        .epsilon_rf = input->interactions.permittivity,
        .ewald = {.tolerance = input->interactions.ewald_tolerance,
                  .split = (enum ph_split_kind)split,
                  .screening = input->interactions.screening,
                  .smoothness = (int)input->interactions.ewald_smoothness,
                  .shape = input->interactions.shape,
                  .k_max = input->interactions.k_max,
                  .grid = {(int)input->interactions.grid[0], (int)input->interactions.grid[1],
                           (int)input->interactions.grid[2]},
                  .width = (int)input->interactions.mesh_width,
                  .window = input->interactions.window,
                  .slab = slab != 0,
                  .remove_net_force = input->interactions.remove_net_force},
        .coulomb = ph_units_find(input->units)->coulomb,
        .combining = (enum ph_combining)combining,
        .long_range_correction = input->interactions.long_range_correction,
        .skin = input->interactions.skin,
        .external = input->interactions.external,
        .pinned = input->interactions.pinned,
    };
    if (interactions->truncation != PH_TRUNCATE_NONE)
        interactions->cutoff = input->interactions.cutoff;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
        interactions->switch_width = input->interactions.switch_width;
    status = build_pairs(input, n_species, species, interactions, err);
    if (status == PH_OK)
        status = check_cutoff(input, n_species, species, interactions, err);
    if (status == PH_OK)
        status = build_fast(input, n_species, species, &interactions->fast, err);
    if (status == PH_OK)
        status = build_plumed(input, &interactions->plumed, err);
    if (status != PH_OK)
        ph_interactions_free(interactions);
    return status;
}

void ph_interactions_free(struct ph_interactions *interactions)
{
    free(interactions->overrides);
    interactions->overrides = NULL;
    interactions->n_overrides = 0;
}
