/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_TEXTS_H
#define PH_INPUT_TEXTS_H

/* The texts of the files that an input consists of, itself, its models and their tables, kept as they are read. An
 * output file records them. A resumed run reads them from there, because the files may have changed since. */

#include "base/error.h"
#include "input/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PH_TEXTS_MAX = 48 };

struct ph_texts {
    size_t n;
    struct ph_text {
        char name[PH_PATH]; /* of the file, as it was opened */
        char *text;         /* owned; ends with '\0' after `length` bytes */
        size_t length;
        bool is_table; /* of a radial interaction; else the input or a model */
    } item[PH_TEXTS_MAX];
    bool closed;         /* never read from disk: texts that are not here do not exist */
    bool without_tables; /* no tables are read: nobody needs radial interactions */
};

void ph_texts_free(struct ph_texts *texts);

/* Keeps a copy of `length` bytes under a name. */
enum ph_status ph_texts_add(struct ph_texts *texts, const char *name, const char *text, size_t length,
                            struct ph_error *err);

/* Reads a stream to its end and keeps that under a name. */
enum ph_status ph_texts_add_stream(struct ph_texts *texts, const char *name, FILE *stream, struct ph_error *err);

/* Finds the text of a file among the texts, else reads it from disk and keeps it. */
enum ph_status ph_texts_read(struct ph_texts *texts, const char *name, const struct ph_text **out,
                             struct ph_error *err);

/* The same for a table */
enum ph_status ph_texts_read_table(struct ph_texts *texts, const char *name, const struct ph_text **out,
                                   struct ph_error *err);

/* True if the file could be read. `texts` may be NULL. */
bool ph_texts_has(const struct ph_texts *texts, const char *name);

#endif
