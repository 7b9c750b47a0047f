/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "output/export/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct column {
    const struct ph_reader_element *element;
    double *values; /* owned */
};

static void write_header(const struct column *columns, size_t n, FILE *out)
{
    static const char *const vector[] = {"_x", "_y", "_z"}, *const tensor[] = {"_xx", "_xy", "_xz", "_yx", "_yy",
                                                                               "_yz", "_zx", "_zy", "_zz"};
    fputs("step,time", out);
    for (size_t c = 0; c < n; ++c) {
        const char *name = columns[c].element->path + strlen("series/");
        const size_t width = columns[c].element->width;
        for (size_t k = 0; k < width; ++k)
            if (width == 1)
                fprintf(out, ",%s", name);
            else if (width == 3 || width == 9)
                fprintf(out, ",%s%s", name, width == 3 ? vector[k] : tensor[k]);
            else
                fprintf(out, ",%s_%zu", name, k);
    }
    fputc('\n', out);
}

static size_t write_rows(const struct column *columns, size_t n, size_t rows, const int64_t *steps, const double *times,
                         FILE *out)
{
    write_header(columns, n, out);
    for (size_t row = 0; row < rows && !ferror(out); ++row) {
        ph_fprintf(out, "%" PRId64 ",%.17g", steps[row], times[row]);
        for (size_t c = 0; c < n; ++c)
            for (size_t k = 0; k < columns[c].element->width; ++k)
                ph_fprintf(out, ",%.17g", columns[c].values[row * columns[c].element->width + k]);
        fputc('\n', out);
    }
    return rows;
}

/* All columns have the steps of the first; rows that a killed run left unfinished are left out. */
static enum ph_status convert(const struct ph_reader *reader, FILE *out, size_t *written, struct ph_error *err)
{
    struct column *columns = calloc(reader->n_elements + 1, sizeof *columns);
    if (!columns)
        return ph_no_memory(err, "the columns of %s", reader->file.name);
    size_t n = 0, rows = SIZE_MAX;
    int64_t *steps = NULL;
    double *times = NULL;
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < reader->n_elements && status == PH_OK; ++k) {
        if (strncmp(reader->elements[k].path, "series/", 7) != 0)
            continue;
        columns[n].element = &reader->elements[k];
        rows = reader->elements[k].rows < rows ? reader->elements[k].rows : rows;
        status = ph_reader_series(reader, columns[n].element, &columns[n].values, n == 0 ? &steps : NULL,
                                  n == 0 ? &times : NULL, err);
        ++n;
    }
    if (status == PH_OK && n == 0)
        status = ph_error_set(err, PH_ERR_INPUT, "%s: has no time series: no elements in a group 'series'.",
                              reader->file.name);
    if (status == PH_OK)
        *written = write_rows(columns, n, rows, steps, times, out);
    for (size_t c = 0; c < n; ++c)
        free(columns[c].values);
    free(columns);
    free(steps);
    free(times);
    return status;
}

enum ph_status ph_export_csv(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err)
{
    struct ph_reader reader;
    enum ph_status status = ph_reader_open(request->file, &reader, err);
    if (status == PH_OK)
        status = convert(&reader, out, written, err);
    ph_reader_close(&reader);
    return status;
}
