/* SPDX-License-Identifier: MIT */
/* libFuzzer: any text as a model of another program is imported, or refused with a sentence. The first byte chooses the
 * format and the units. Corpus: tests/data/models, each after a byte; tools/test makes it. */
#include "formats/import.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const endings[] = {"csv", "itp", "pm", "xml"};
static const char *const units[] = {NULL, "md", "reduced", "atomic"};
static char file[4][64];

static void remove_files(void)
{
    for (int k = 0; k < 4; ++k)
        unlink(file[k]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    for (int k = 0; k < 4; ++k)
        snprintf(file[k], sizeof file[k], "/tmp/polhode-fuzz-%ld.%s", (long)getpid(), endings[k]);
    atexit(remove_files);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ph_species species;
    static struct ph_import_facts facts;
    if (size < 1)
        return 0;
    const struct ph_import import = {.file = file[data[0] % 4], .units = units[data[0] / 4 % 4]};
    FILE *out = fopen(import.file, "wb");
    if (!out)
        abort();
    fwrite(data + 1, 1, size - 1, out);
    fclose(out);
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_import_model(&import, &species, &facts, &err);
    if (status == PH_OK)
        status = ph_species_complete(&species, NULL, facts.has_inertia ? facts.inertia : NULL, &err);
    if (status != PH_OK && (err.text[0] == '\0' || err.status != status))
        abort(); /* refused without a word */
    return 0;
}
