/* SPDX-License-Identifier: MIT */
#include "analysis/result.h"

#include "base/memory.h"
#include "base/plain.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/take_name.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- HDF5 ---- */

static bool note_number(hid_t at, const char *path, const char *name, double number)
{
    return isnan(number) || ph_h5_note_number(at, path, name, number);
}

static bool put_numbers(hid_t file, const char *path, int rank, size_t n, const double *numbers, const char *unit)
{
    return ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rank, (hsize_t[]){n}, numbers) &&
           ph_h5_note_unit(file, path, unit[0] ? unit : NULL);
}

static bool put_lines(hid_t file, const char *path, size_t n, char *const *lines)
{
    size_t length = 1;
    for (size_t k = 0; k < n; ++k)
        length += strlen(lines[k]) + 1;
    char *text = ph_allocate(length, 1);
    if (!text)
        return false;
    for (size_t k = 0; k < n; ++k)
        strcat(strcat(text, lines[k]), "\n");
    const bool good = ph_h5_put_text(file, path, text);
    free(text);
    return good;
}

static bool put_provenance(hid_t file, const struct ph_provenance *provenance)
{
    return ph_h5_put_text(file, "analysis", provenance->kind) &&
           ph_h5_put_text(file, "provenance/program", provenance->program) &&
           ph_h5_put_text(file, "provenance/build", provenance->build) &&
           ph_h5_put_text(file, "provenance/command", provenance->command) &&
           put_lines(file, "provenance/files", provenance->n_files, (char *const *)provenance->files);
}

/* Where something is in the file. Names of sites may have a '/', which would begin a group: it becomes ':'. */
static void set_path(const char *group, const char *name, char path[2 * PH_RESULT_NAME + 16])
{
    const int begin = snprintf(path, 2 * PH_RESULT_NAME + 16, "%s/%s", group, name) - (int)strlen(name);
    for (char *letter = path + begin; *letter; ++letter)
        if (*letter == '/')
            *letter = ':';
}

static bool put_all(hid_t file, const struct ph_result *result, const struct ph_provenance *provenance)
{
    char path[2 * PH_RESULT_NAME + 16], group[sizeof path];
    bool good = put_provenance(file, provenance) && put_lines(file, "notes", result->n_notes, result->notes) &&
                ph_h5_put_ordered_group(file, "parameters") && ph_h5_put_ordered_group(file, "values") &&
                ph_h5_put_ordered_group(file, "tables");
    for (size_t k = 0; k < result->n_parameters && good; ++k) {
        const struct ph_result_parameter *parameter = &result->parameters[k];
        set_path("parameters", parameter->name, path);
        good = parameter->text ? ph_h5_put_text(file, path, parameter->text)
                               : put_numbers(file, path, 0, 1, &parameter->number, parameter->unit);
    }
    for (size_t k = 0; k < result->n_values && good; ++k) {
        const struct ph_value *value = &result->values[k];
        set_path("values", value->name, path);
        good = put_numbers(file, path, 0, 1, &value->value, value->unit) &&
               note_number(file, path, "error", value->error) &&
               note_number(file, path, "correlation_time", value->correlation_time) &&
               ph_h5_note_word(file, path, "description", true, value->help) &&
               (!value->rough || ph_h5_note_word(file, path, "error_is", true, "a lower bound")) &&
               (!value->caution[0] || ph_h5_note_word(file, path, "caution", true, value->caution));
    }
    for (size_t t = 0; t < result->n_tables && good; ++t) {
        const struct ph_result_table *table = result->tables[t];
        set_path("tables", table->name, path);
        snprintf(group, sizeof group, "%s", path);
        good = ph_h5_put_ordered_group(file, path) && ph_h5_note_word(file, path, "description", true, table->help);
        for (size_t c = 0; c < table->n_columns && good; ++c) {
            const struct ph_column_data *column = &table->columns[c];
            set_path(group, column->name, path);
            good = put_numbers(file, path, 1, table->rows, column->data, column->unit);
        }
    }
    return good;
}

static enum ph_status failed(const char *name, struct ph_error *err)
{
    char reason[PH_H5_REASON];
    ph_h5_reason(reason);
    return ph_error_set(err, ph_h5_status(), "%s: cannot be written: %s.", name, reason);
}

static enum ph_status write_hdf5(const struct ph_result *result, const struct ph_provenance *provenance,
                                 const char *name, const char *into, struct ph_error *err)
{
    ph_h5_quiet_begin();
    enum ph_status status = PH_OK;
    const hid_t file = H5Fcreate(into, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0 || !put_all(file, result, provenance))
        status = failed(name, err);
    if (file >= 0 && H5Fclose(file) < 0 && status == PH_OK)
        status = failed(name, err);
    ph_h5_quiet_end();
    return status;
}

/* ---- CSV ---- */

static void print_head(FILE *out, const struct ph_result *result, const struct ph_provenance *provenance)
{
    fprintf(out, "# analysis: %s\n# program: %s\n# command: %s\n", provenance->kind, provenance->program,
            provenance->command);
    for (size_t k = 0; k < provenance->n_files; ++k)
        fprintf(out, "# file: %s\n", provenance->files[k]);
    for (size_t k = 0; k < result->n_parameters; ++k) {
        const struct ph_result_parameter *parameter = &result->parameters[k];
        if (parameter->text)
            fprintf(out, "# parameter: %s = %s\n", parameter->name, parameter->text);
        else
            ph_fprintf(out, "# parameter: %s = %.17g%s%s\n", parameter->name, parameter->number,
                       parameter->unit[0] ? " " : "", parameter->unit);
    }
    for (size_t k = 0; k < result->n_values; ++k) {
        const struct ph_value *value = &result->values[k];
        ph_fprintf(out, "# value: %s = %.17g", value->name, value->value);
        if (!isnan(value->error))
            ph_fprintf(out, " +- %.3g", value->error);
        fprintf(out, "%s%s\n", value->unit[0] ? " " : "", value->unit);
    }
    for (size_t k = 0; k < result->n_values; ++k)
        if (result->values[k].caution[0])
            fprintf(out, "# %s cannot be defended: %s\n", result->values[k].name, result->values[k].caution);
    for (size_t k = 0; k < result->n_notes; ++k)
        fprintf(out, "# note: %s\n", result->notes[k]);
}

/* A table, its units in a comment above the names; without any, the values are the table. */
static void print_table(FILE *out, const struct ph_result *result, const struct ph_result_table *table)
{
    if (!table) {
        fputs("name,value,error,correlation_time,unit\n", out);
        for (size_t k = 0; k < result->n_values; ++k) {
            const struct ph_value *value = &result->values[k];
            ph_fprintf(out, "%s,%.17g,%.17g,%.17g,%s\n", value->name, value->value, value->error,
                       value->correlation_time, value->unit);
        }
        return;
    }
    fprintf(out, "# table: %s: %s\n# units:", table->name, table->help);
    for (size_t c = 0; c < table->n_columns; ++c)
        fprintf(out, "%s %s", c > 0 ? "," : "", table->columns[c].unit[0] ? table->columns[c].unit : "1");
    fputc('\n', out);
    for (size_t c = 0; c < table->n_columns; ++c)
        fprintf(out, "%s%s", c > 0 ? "," : "", table->columns[c].name);
    fputc('\n', out);
    for (size_t r = 0; r < table->rows; ++r)
        for (size_t c = 0; c < table->n_columns; ++c)
            ph_fprintf(out, "%.17g%c", table->columns[c].data[r], c + 1 < table->n_columns ? ',' : '\n');
}

static enum ph_status write_csv(const struct ph_result *result, const struct ph_provenance *provenance,
                                const struct ph_result_table *table, const char *name, const char *into,
                                struct ph_error *err)
{
    FILE *out = fopen(into, "w");
    if (!out)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name, strerror(errno));
    print_head(out, result, provenance);
    print_table(out, result, table);
    errno = 0;
    const bool failed = fflush(out) != 0 || ferror(out) != 0;
    const int reason = errno;
    if (fclose(out) != 0 || failed)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name,
                            reason ? strerror(reason) : "output error");
    return PH_OK;
}

/* ---- Both ---- */

static bool is_csv(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".csv") == 0;
}

/* The name of the file with table t: name.csv, name.rest.csv; to be freed */
static char *name_of(const struct ph_result *result, const char *name, size_t t)
{
    const size_t stem = strlen(name) - 4;
    char *out = malloc(strlen(name) + PH_RESULT_NAME + 2);
    if (out && t == 0)
        strcpy(out, name);
    else if (out)
        sprintf(out, "%.*s.%s.csv", (int)stem, name, result->tables[t]->name);
    return out;
}

static enum ph_status check_free(const char *name, bool overwrite, struct ph_error *err)
{
    struct stat about;
    if (stat(name, &about) != 0 || (overwrite && S_ISREG(about.st_mode)))
        return PH_OK;
    return ph_error_set(err, PH_ERR_IO,
                        S_ISREG(about.st_mode)
                            ? "%s: is there already. Give another name (-o), or allow it to be replaced (--overwrite)."
                            : "%s: is not a file that can be replaced.",
                        name);
}

/* A file gets its name once it is complete. */
static enum ph_status write_one(const struct ph_result *result, const struct ph_provenance *provenance, bool csv,
                                size_t t, const char *name, bool overwrite, struct ph_error *err)
{
    char *temporary = malloc(strlen(name) + sizeof ".new");
    if (!temporary)
        return ph_no_memory(err, "a name");
    sprintf(temporary, "%s.new", name);
    const struct ph_result_table *table = t < result->n_tables ? result->tables[t] : NULL;
    enum ph_status status = csv ? write_csv(result, provenance, table, name, temporary, err)
                                : write_hdf5(result, provenance, name, temporary, err);
    const int failure = status == PH_OK ? ph_take_name(temporary, name, overwrite) : 0;
    if (failure)
        status = ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", name, strerror(failure));
    if (status != PH_OK)
        unlink(temporary);
    free(temporary);
    return status;
}

enum ph_status ph_result_write(const struct ph_result *result, const struct ph_provenance *provenance, const char *name,
                               bool overwrite, void (*written)(const char *name, void *data), void *data,
                               struct ph_error *err)
{
    const bool csv = is_csv(name);
    const size_t n = csv && result->n_tables > 1 ? result->n_tables : 1;
    enum ph_status status = PH_OK;
    for (int pass = 0; pass < 2; ++pass) /* all names are checked before anything is written */
        for (size_t t = 0; t < n && status == PH_OK; ++t) {
            char *own = csv ? name_of(result, name, t) : strdup(name);
            if (!own)
                return ph_no_memory(err, "a name");
            status = pass == 0 ? check_free(own, overwrite, err)
                               : write_one(result, provenance, csv, t, own, overwrite, err);
            if (pass == 1 && status == PH_OK)
                written(own, data);
            free(own);
        }
    return status;
}
