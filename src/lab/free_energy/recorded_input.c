/* SPDX-License-Identifier: MIT */
#include "lab/free_energy/recorded_input.h"

#include "base/plain.h"
#include "input/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ph_recorded_input_free(struct ph_recorded_input *recorded)
{
    if (!recorded)
        return;
    ph_texts_free(&recorded->texts);
    free(recorded->recorded_sets);
    free(recorded);
}

/* Adds the settings of the run, one on each line of the file's text. */
static enum ph_status take_sets(const struct ph_recording *recording, struct ph_recorded_input *recorded,
                                struct ph_error *err)
{
    recorded->recorded_sets = ph_reader_text(&recording->reader, "input_set");
    for (char *rest = NULL, *line = recorded->recorded_sets ? strtok_r(recorded->recorded_sets, "\n", &rest) : NULL;
         line; line = strtok_r(NULL, "\n", &rest)) {
        if (recorded->n_sets == PH_RECORDED_SETS_MAX / 2)
            return ph_error_set(err, PH_ERR_INPUT, "%s: parameters/input_set has too many settings.",
                                recording->reader.file.name);
        recorded->sets[recorded->n_sets++] = line;
    }
    return PH_OK;
}

/* Keeps the text of a model as if it were beside the input, where models are searched first. */
static enum ph_status keep_model(const struct ph_recording *recording, struct ph_recorded_input *recorded, size_t k,
                                 const char *name, struct ph_error *err)
{
    const char *model = recorded->input.system.molecules[k].model;
    const size_t length = strlen(model);
    const bool is_file = strchr(model, '/') || (length > 5 && strcmp(model + length - 5, ".yaml") == 0);
    char parameter[PH_PATH], file[PH_PATH + 8], path[PH_PATH];
    snprintf(parameter, sizeof parameter, "models/%s", name);
    snprintf(file, sizeof file, is_file ? "%s" : "%s.yaml", model);
    char *text = ph_reader_text(&recording->reader, parameter);
    if (!text || !ph_input_relative(&recorded->input, file, path)) {
        free(text);
        return PH_OK; /* it is searched on disk */
    }
    const enum ph_status status = ph_texts_has(&recorded->texts, path) && recorded->texts.n > 1 && k > 0
                                      ? PH_OK
                                      : ph_texts_add(&recorded->texts, path, text, strlen(text), err);
    free(text);
    return status;
}

static enum ph_status keep_models(const struct ph_recording *recording, struct ph_recorded_input *recorded,
                                  struct ph_error *err)
{
    char(*names)[PH_READER_NAME] = NULL;
    const size_t n = ph_reader_names(&recording->reader, &names);
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n && k < recorded->input.system.n_molecules && status == PH_OK; ++k)
        status = keep_model(recording, recorded, k, names[k], err);
    free(names);
    return status;
}

enum ph_status ph_recorded_input_read(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                      struct ph_recorded_input *recorded, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    char *text = NULL, *file = NULL;
    enum ph_status status = PH_OK;
    if (!request->input) {
        text = ph_reader_text(reader, "input");
        file = ph_reader_text(reader, "input_file");
        if (!text || !file)
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: holds no input file (parameters/input), so its interactions are not known: give "
                                  "--input INPUT.yaml.",
                                  reader->file.name);
        if (status == PH_OK)
            status = ph_texts_add(&recorded->texts, file, text, strlen(text), err);
        if (status == PH_OK)
            status = take_sets(recording, recorded, err);
    }
    for (size_t k = 0; k < request->n_sets && recorded->n_sets < PH_RECORDED_SETS_MAX; ++k)
        recorded->sets[recorded->n_sets++] = request->sets[k];
    if (status == PH_OK)
        status = ph_input_read_keeping(&recorded->texts, request->input ? request->input : file, recorded->n_sets,
                                       recorded->sets, &recorded->input, err);
    if (status == PH_OK && !request->input)
        status = keep_models(recording, recorded, err);
    free(text);
    free(file);
    return status;
}

/* The value of a key of a map, or the item of a list that `*path` names; moves on to the rest. NULL: not there */
static yaml_node_t *go_down(yaml_document_t *document, yaml_node_t *node, const char **path)
{
    const char *at = *path;
    if (*at == '[') {
        char *end;
        const long item = strtol(at + 1, &end, 10);
        *path = end + (*end == ']') + (end[*end == ']'] == '.');
        return node->type == YAML_SEQUENCE_NODE && item >= 0 &&
                       item < node->data.sequence.items.top - node->data.sequence.items.start
                   ? yaml_document_get_node(document, node->data.sequence.items.start[item])
                   : NULL;
    }
    const size_t length = strcspn(at, ".[");
    *path = at + length + (at[length] == '.');
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         node->type == YAML_MAPPING_NODE && pair < node->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *key = yaml_document_get_node(document, pair->key);
        if (key->type == YAML_SCALAR_NODE && strlen(ph_yaml_text(key)) == length &&
            strncmp(ph_yaml_text(key), at, length) == 0)
            return yaml_document_get_node(document, pair->value);
    }
    return NULL;
}

enum ph_status ph_recorded_input_number(struct ph_recorded_input *recorded, const char *key, double *number,
                                        struct ph_error *err)
{
    struct ph_yaml yaml = {.loaded = false};
    const char *file = recorded->input.file, *rest = key;
    enum ph_status status = ph_yaml_load(file, &recorded->texts, &yaml, err);
    if (status == PH_OK)
        status = ph_yaml_set(&yaml, recorded->n_sets, recorded->sets, err);
    if (status == PH_OK) {
        yaml_node_t *node = yaml_document_get_root_node(&yaml.document);
        while (node && *rest)
            node = go_down(&yaml.document, node, &rest);
        char *end = NULL;
        if (node && node->type == YAML_SCALAR_NODE)
            *number = ph_strtod(ph_yaml_text(node), &end);
        if (!end || end == ph_yaml_text(node) || *end != '\0')
            status =
                ph_error_set(err, PH_ERR_INPUT, "--key %s: %s gives it no number. Every run must have one.", key, file);
    }
    ph_yaml_free(&yaml);
    return status;
}

enum ph_status ph_recorded_input_match(const struct ph_recording *recording, const struct ph_recorded_input *recorded,
                                       const struct ph_system *system, size_t more, struct ph_error *err)
{
    const size_t n_species = system->n_species - (more > 0);
    if (system->n - more != recording->n_molecules)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has %zu molecules, %s has %zu.", recording->reader.file.name,
                            recording->n_molecules, recorded->input.file, system->n - more);
    for (size_t s = 0; s < n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            if (strcmp(recording->kinds[recording->kind[i]].name, system->species[s].name) != 0)
                return ph_error_set(err, PH_ERR_INPUT, "%s: molecule %zu is a '%s', in %s it is a '%s'.",
                                    recording->reader.file.name, i, recording->kinds[recording->kind[i]].name,
                                    recorded->input.file, system->species[s].name);
    if (strcmp(recorded->input.units, recording->physical ? "md" : "reduced") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: has other units than %s, which is in %s units.",
                            recording->reader.file.name, recorded->input.file, recorded->input.units);
    for (size_t s = 0; s < n_species && !(recording->quantities & PH_BIT(PH_ORIENTATION)); ++s)
        if (system->species[s].degrees > 0 && system->first[s + 1] > system->first[s])
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: molecules '%s' turn, but it has no orientations of molecules. Runs write them "
                                "with output.orientation_every.",
                                recording->reader.file.name, system->species[s].name);
    return PH_OK;
}

void ph_recorded_input_note_weights(const struct ph_recording *recording, struct ph_result *result)
{
    double shadow = 0.0;
    if (ph_reader_number(&recording->reader, "thermostat_shadow", &shadow) && shadow > 0.0)
        ph_result_note(result,
                       "%s: its thermostat (metropolis, shadow) samples the shadow energy. Frames have no weights that "
                       "correct it, so the result has the error of the step.",
                       recording->reader.file.name);
}
