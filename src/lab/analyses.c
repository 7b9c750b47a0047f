/* SPDX-License-Identifier: MIT */
#include "lab/analyses.h"

#include "analysis/registry.h"
#include "base/memory.h"
#include "run/build/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ph_analysis *const all[] = {
    &ph_analysis_energy,
    &ph_analysis_temperature,
    &ph_analysis_pressure,
    &ph_analysis_fluctuations,
    &ph_analysis_rdf,
    &ph_analysis_orientation,
    &ph_analysis_structure_factor,
    &ph_analysis_dielectric,
    &ph_analysis_msd,
    &ph_analysis_correlation,
    &ph_analysis_transport,
    &ph_analysis_profile,
    &ph_analysis_surface_tension,
    &ph_analysis_tetrahedral,
    &ph_analysis_hydrogen_bonds,
    &ph_analysis_virial_coefficient,
    &ph_analysis_averages,
    &ph_analysis_chemical_potential,
    &ph_analysis_free_energy,
};
enum { N = sizeof all / sizeof *all };

size_t ph_analysis_count(void) { return N; }

const struct ph_analysis *ph_analysis_at(size_t i) { return all[i]; }

const struct ph_analysis *ph_analysis_find(const char *name)
{
    for (size_t i = 0; i < N; ++i)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

bool ph_analysis_takes(const struct ph_analysis *analysis, const char *option)
{
    const size_t length = strlen(option);
    for (const char *at = analysis->options; (at = strstr(at, option)); at += length)
        if ((at == analysis->options || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- Help ---- */

/* Of files of runs whose numbers failed, or of which damage is not noticed */
static void note_failures(const struct ph_analysis_request *request, struct ph_result *result)
{
    for (size_t k = 0; k < request->n_files; ++k) {
        struct ph_reader reader;
        struct ph_error forgotten;
        double failed;
        if (ph_reader_open_file(request->files[k], &reader, &forgotten) == PH_OK &&
            ph_reader_number(&reader, "failed_at_step", &failed) && failed >= 0.0)
            ph_result_note(result,
                           "The numbers of the run in %s failed at step %.0f: what was written before may be as bad.",
                           request->files[k], failed);
        if (reader.unsealed)
            ph_result_note(result, "%s %s", request->files[k], ph_h5md_unsealed);
        ph_reader_close(&reader);
    }
}

enum ph_status ph_analysis_run(const struct ph_analysis *analysis, const struct ph_analysis_request *request,
                               struct ph_result *result, struct ph_error *err)
{
    const unsigned long refusals = ph_refusals();
    if (request->stage)
        ph_result_text(result, "stage", request->stage);
    enum ph_status status = analysis->run(request, result, err);
    if (status == PH_OK && !analysis->input)
        note_failures(request, result);
    status = ph_status_since(refusals, status, request->files[0], err);
    return status == PH_OK && result->failed ? ph_no_memory(err, "all results") : status;
}

static bool species_of_model(const char *name, const char *text, struct ph_species *species)
{
    char file[PH_PATH];
    snprintf(file, sizeof file, "%.60s.yaml", name);
    struct ph_texts *texts = ph_allocate(1, sizeof *texts);
    struct ph_input_model *model = ph_allocate(1, sizeof *model);
    struct ph_error forgotten;
    enum ph_status status = texts && model ? ph_texts_add(texts, file, text, strlen(text), &forgotten) : PH_ERR_MEMORY;
    if (status == PH_OK) {
        texts->without_tables = true;
        status = ph_model_read(file, texts, model, &forgotten);
    }
    if (status == PH_OK)
        status = ph_build_species(model, species, &forgotten);
    if (status == PH_ERR_MEMORY)
        ph_count_refusal();
    if (texts)
        ph_texts_free(texts);
    free(texts);
    free(model);
    return status == PH_OK;
}

const struct ph_analysis_help ph_analysis_help = {.species = species_of_model};
