/* SPDX-License-Identifier: MIT */
#include "input/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ph_texts_free(struct ph_texts *texts)
{
    for (size_t k = 0; k < texts->n; ++k)
        free(texts->item[k].text);
    *texts = (struct ph_texts){.n = 0};
}

static const struct ph_text *find(const struct ph_texts *texts, const char *name)
{
    for (size_t k = 0; k < texts->n; ++k)
        if (strcmp(texts->item[k].name, name) == 0)
            return &texts->item[k];
    return NULL;
}

enum ph_status ph_texts_add(struct ph_texts *texts, const char *name, const char *text, size_t length,
                            struct ph_error *err)
{
    if (texts->n == PH_TEXTS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: more than %d files belong to the input.", name, PH_TEXTS_MAX);
    struct ph_text *item = &texts->item[texts->n];
    if (snprintf(item->name, sizeof item->name, "%s", name) >= (int)sizeof item->name)
        return ph_error_set(err, PH_ERR_INPUT, "The file name '%.60s...' is longer than %d letters.", name,
                            PH_PATH - 1);
    if (!(item->text = malloc(length + 1)))
        return ph_no_memory(err, "the contents of %s", name);
    memcpy(item->text, text, length);
    item->text[length] = '\0';
    item->length = length;
    ++texts->n;
    return PH_OK;
}

enum ph_status ph_texts_add_stream(struct ph_texts *texts, const char *name, FILE *stream, struct ph_error *err)
{
    enum { MOST = 1 << 24 }; /* 16 MiB, far more than any input */
    static const char hdf5[] = "\211HDF\r\n\032\n";
    char *text = NULL;
    size_t length = 0, room = 0;
    enum ph_status status = PH_OK;
    for (size_t got = 1; got > 0 && status == PH_OK; length += got) {
        if (room - length < BUFSIZ) {
            room = 2 * room + BUFSIZ;
            char *longer = room <= MOST ? realloc(text, room) : NULL;
            if (!longer) {
                status = room > MOST ? ph_error_set(err, PH_ERR_INPUT, "%s: is larger than %d bytes.", name, MOST)
                                     : ph_no_memory(err, "the contents of %s", name);
                break;
            }
            text = longer;
        }
        errno = 0;
        got = fread(text + length, 1, room - length, stream);
        if (ferror(stream))
            status = ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", name, strerror(errno));
        else if (length == 0 && got >= strlen(hdf5) && memcmp(text, hdf5, strlen(hdf5)) == 0)
            status = ph_error_set(err, PH_ERR_INPUT,
                                  "%s: is a trajectory (HDF5), and a text is needed. 'polhode resume %s' goes on with "
                                  "its run; 'system.start: %s' in an input begins with its last frame.",
                                  name, name, name);
    }
    if (status == PH_OK)
        status = ph_texts_add(texts, name, text, length, err);
    free(text);
    return status;
}

static enum ph_status read_file(struct ph_texts *texts, const char *name, struct ph_error *err)
{
    FILE *stream = fopen(name, "rb");
    if (!stream)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", name, strerror(errno));
    const enum ph_status status = ph_texts_add_stream(texts, name, stream, err);
    fclose(stream);
    return status;
}

enum ph_status ph_texts_read(struct ph_texts *texts, const char *name, const struct ph_text **out, struct ph_error *err)
{
    *out = find(texts, name);
    if (*out)
        return PH_OK;
    if (texts->closed)
        return ph_error_set(err, PH_ERR_IO, "%s: does not belong to this run.", name);
    const enum ph_status status = read_file(texts, name, err);
    *out = find(texts, name);
    return status;
}

enum ph_status ph_texts_read_table(struct ph_texts *texts, const char *name, const struct ph_text **out,
                                   struct ph_error *err)
{
    const enum ph_status status = ph_texts_read(texts, name, out, err);
    if (status == PH_OK)
        texts->item[*out - texts->item].is_table = true;
    return status;
}

bool ph_texts_has(const struct ph_texts *texts, const char *name)
{
    if (texts && find(texts, name))
        return true;
    return (!texts || !texts->closed) && access(name, R_OK) == 0;
}
