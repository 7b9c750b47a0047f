/* SPDX-License-Identifier: MIT */
/* Second virial coefficients from the potentials of an input file: options and results. For the integration see
 * virial_quadrature.c and virial_samples.c. */
#include "lab/analyses.h"
#include "lab/virial.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Results ---- */

static bool say(const struct ph_virial_task *task, const struct ph_virial_result *found, bool physical,
                struct ph_result *result)
{
    const char *length = physical ? "nm" : "", *volume = physical ? "nm+3" : "";
    char name[PH_RESULT_NAME], label[PH_RESULT_NAME];
    snprintf(label, sizeof label, "%.31s-%.31s", task->system->species[task->a].name,
             task->system->species[task->b].name);
    snprintf(name, sizeof name, "B2.%.80s", label);
    ph_result_value(result, name, found->value, found->error, volume, "second virial coefficient, per molecule");
    if (physical) {
        const double molar = 602.214076; /* nm^3 in cm^3/mol */
        snprintf(name, sizeof name, "B2_molar.%.80s", label);
        ph_result_value(result, name, molar * found->value, molar * found->error, "cm+3 mol-1", "the same");
    }
    snprintf(name, sizeof name, "method.%.80s", label);
    ph_result_text(result, name, ph_virial_axial(task) ? "quadrature" : "Monte Carlo");
    struct ph_result_table *table =
        ph_result_table(result, found->n, "Mayer's function, averaged over orientations", "%s", label);
    double *r = ph_result_column(result, table, "r", length), *f = ph_result_column(result, table, "f", "");
    double *f_error = ph_result_column(result, table, "f_error", "");
    if (!r || !f || !f_error)
        return false;
    memcpy(r, found->r, found->n * sizeof *r);
    memcpy(f, found->f, found->n * sizeof *f);
    memcpy(f_error, found->f_error, found->n * sizeof *f_error);
    return true;
}

/* Without a cutoff the integral exists only if interactions fall off faster than r^-3. */
static enum ph_status check_decay(const struct ph_virial_task *task, struct ph_error *err)
{
    const struct ph_species *one = &task->system->species[task->a], *other = &task->system->species[task->b];
    if (task->interactions->truncation != PH_TRUNCATE_NONE)
        return PH_OK;
    if (ph_species_charge(one) != 0.0 && ph_species_charge(other) != 0.0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "Molecules of '%s' and '%s' are charged: without a cutoff they have no second virial "
                            "coefficient.",
                            one->name, other->name);
    for (size_t a = 0; a < one->n_sites; ++a)
        for (size_t b = 0; b < other->n_sites; ++b) {
            struct ph_radial radial;
            const enum ph_status status = ph_combine(task->interactions, one, a, other, b, &radial, err);
            if (status != PH_OK)
                return status;
            const double slowest = ph_radial_decay(&radial);
            if (slowest <= 3.0)
                return ph_error_set(err, PH_ERR_INPUT,
                                    "Sites %s.%s and %s.%s interact as r^-%g: without a cutoff there is no second "
                                    "virial coefficient.",
                                    one->name, one->site[a].name, other->name, other->site[b].name, slowest);
        }
    return PH_OK;
}

static enum ph_status one_pair(const struct ph_virial_task *task, bool physical, struct ph_result *result,
                               struct ph_error *err)
{
    struct ph_virial_result found = {.n = 0};
    enum ph_status status = check_decay(task, err);
    if (status == PH_OK)
        status = ph_virial_axial(task) ? ph_virial_by_quadrature(task, &found, err)
                                       : ph_virial_by_samples(task, &found, err);
    if (status == PH_OK && !say(task, &found, physical, result))
        status = ph_no_memory(err, "the integrand");
    ph_virial_free(&found);
    return status;
}

/* Compiles formulas, and says early of those that are not: every distance and orientation is one call of a program. */
static void prepare_curves(const struct ph_analysis_request *request, const struct ph_system *system,
                           const struct ph_interactions *interactions, struct ph_result *result)
{
    struct ph_build_notes notes = {.text = ""};
    ph_build_note_tables(system, interactions, &notes);
    for (char *rest = NULL, *line = strtok_r(notes.text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        ph_result_note(result, "%s", line);
        if (request->warn && strncmp(line, "Formula not", 11) == 0)
            request->warn(
                "A formula could not be compiled, which makes this slower, by minutes if angles matter much.");
    }
}

static enum ph_status all_pairs(const struct ph_analysis_request *request, const struct ph_input *input,
                                const struct ph_system *system, struct ph_interactions *interactions,
                                struct ph_result *result, struct ph_error *err)
{
    const double temperature = isnan(request->temperature) ? input->system.start.temperature : request->temperature;
    if (!(temperature > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no temperature above 0: give --temperature.", input->file);
    interactions->external = (struct ph_external_fields){.tether = 0.0};
    interactions->pinned = interactions->long_range_correction = false;
    const bool physical = strcmp(input->units, "md") == 0, ewald = ph_is_ewald(interactions);
    const bool whole = request->of ? strcmp(request->of, "whole") == 0 : ewald;
    if (request->of && !whole && strcmp(request->of, "input") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give input or whole.", request->of);
    if (ewald && !whole)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "--of input: an Ewald sum is one of a periodic box, not of two molecules; give --of whole.");
    if (ewald && !request->of)
        ph_result_note(result,
                       "An Ewald sum is one of a periodic box; two molecules interact without truncation here.");
    if (whole) {
        interactions->truncation = PH_TRUNCATE_NONE;
        interactions->electrostatics = PH_ELECTROSTATICS_CUTOFF;
        interactions->cutoff = interactions->switch_width = 0.0;
    }
    ph_result_number(result, "temperature", temperature, physical ? "K" : "");
    ph_result_text(result, "truncation", whole ? "none" : input->interactions.truncation);
    if (interactions->truncation != PH_TRUNCATE_NONE) {
        ph_result_number(result, "cutoff", interactions->cutoff, physical ? "nm" : "");
        ph_result_note(result, "The potential is that of the input, truncated as it says; --of whole takes all of it.");
    }
    struct ph_pair_table table;
    prepare_curves(request, system, interactions, result);
    enum ph_status status = ph_pair_table_init(system, interactions, &table, err);
    bool sampled = false;
    for (size_t a = 0; a < system->n_species && status == PH_OK; ++a)
        for (size_t b = a; b < system->n_species && status == PH_OK; ++b) {
            const struct ph_virial_task task = {.system = system,
                                                .table = &table,
                                                .interactions = interactions,
                                                .a = a,
                                                .b = b,
                                                .kT = ph_units_find(input->units)->boltzmann * temperature,
                                                .samples = (size_t)(request->samples > 0 ? request->samples : 1024),
                                                .seed = (uint64_t)request->seed,
                                                .progress = request->progress,
                                                .progress_data = request->progress_data};
            sampled = sampled || !ph_virial_axial(&task);
            status = one_pair(&task, physical, result, err);
        }
    if (status == PH_OK && sampled)
        ph_result_number(result, "samples", (double)(request->samples > 0 ? request->samples : 1024), NULL);
    ph_pair_table_clear(&table);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_input *input = malloc(sizeof *input);
    struct ph_system *system = NULL;
    struct ph_interactions interactions = {.n_overrides = 0};
    if (!input)
        return ph_no_memory(err, "the input");
    enum ph_status status = ph_input_read(request->files[0], request->n_sets, request->sets, input, err);
    if (status == PH_OK)
        status = ph_build_empty(input, false, &system, &interactions, err);
    if (status == PH_OK)
        status = all_pairs(request, input, system, &interactions, result, err);
    ph_interactions_free(&interactions);
    ph_system_destroy(system);
    free(input);
    return status;
}

const struct ph_analysis ph_analysis_virial_coefficient = {
    .name = "virial-coefficient",
    .summary = "second virial coefficient of the potential of an input file",
    .documentation =
        "Of every pair of models of an INPUT.yaml, as its interactions say, or without truncation and reaction field "
        "(--of whole), at the temperature of its start or that of --temperature. Molecules whose sites, dipoles and "
        "axes lie on a line: by quadrature over distance and angles, with an estimate of its error. Others: by "
        "quadrature over the distance and Monte Carlo over --samples orientations (1024), with its standard error.",
    .needs = "an input file instead of a trajectory",
    .options = "temperature of samples seed set",
    .input = true,
    .run = run,
};
