/* SPDX-License-Identifier: MIT */
/* libFuzzer: any text as an input file, and any text as a model file, is read or refused with a sentence.
 *
 * The bytes before the first line "---8<---" are the input, those after it the model that it may name as
 * "./model.yaml". Everything is in memory: texts are closed, so that no file of the disk is opened. */
#define _GNU_SOURCE /* memmem */
#include "input/input.h"
#include "input/model_file.h"
#include "run/build/build.h"
#include "run/build/methods.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char cut[] = "\n---8<---\n";

static void check(enum ph_status status, const struct ph_error *err)
{
    if (status != PH_OK && (err->text[0] == '\0' || err->status != status))
        abort(); /* refused without a word */
}

static void read_model(struct ph_texts *texts)
{
    static struct ph_input_model model;
    static struct ph_species species;
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_model_read("./model.yaml", texts, &model, &err);
    check(status, &err);
    if (status == PH_OK)
        check(ph_build_species(&model, &species, &err), &err);
}

static void read_input(struct ph_texts *texts)
{
    static struct ph_input input;
    struct ph_error err = {.text = ""};
    const enum ph_status status = ph_input_read_keeping(texts, "input.yaml", 0, NULL, &input, &err);
    check(status, &err);
    double molecules = 0.0;
    for (size_t k = 0; k < input.system.n_molecules; ++k)
        molecules += (double)input.system.molecules[k].count;
    /* Few molecules that need no search for places, and no files of the disk */
    if (status != PH_OK || molecules > 200.0 || strcmp(input.system.start.kind, "file") == 0 ||
        strcmp(input.system.start.kind, "random") == 0)
        return;
    struct ph_methods methods;
    struct ph_system *system;
    struct ph_interactions interactions;
    check(ph_methods_find(&input, &methods, &err), &err);
    const enum ph_status built = ph_build_system(&input, &system, &interactions, NULL, &err);
    check(built, &err);
    if (built != PH_OK)
        return;
    ph_system_destroy(system);
    ph_interactions_free(&interactions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *found = size > 0 ? memmem(data, size, cut, strlen(cut)) : NULL;
    const size_t first = found ? (size_t)(found - text) : size;
    const size_t second = found ? first + strlen(cut) : size;
    struct ph_texts texts = {.n = 0};
    if (ph_texts_add(&texts, "input.yaml", text, first, NULL) == PH_OK &&
        ph_texts_add(&texts, "./model.yaml", text + second, size - second, NULL) == PH_OK) {
        texts.closed = true;
        read_model(&texts);
        read_input(&texts);
    }
    ph_texts_free(&texts);
    return 0;
}
