/* SPDX-License-Identifier: MIT */
#include "lab/studies/frame/output.h"

#include "output/hdf5/h5_tools.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH = 4096 };

/* ---- The directory ---- */

static bool is_empty(const char *directory)
{
    DIR *open = opendir(directory);
    if (!open)
        return false;
    bool empty = true;
    for (const struct dirent *entry; (entry = readdir(open));)
        empty = empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
    closedir(open);
    return empty;
}

enum ph_status ph_study_prepare(const char *directory, bool overwrite, struct ph_error *err)
{
    if (mkdir(directory, 0777) == 0)
        return PH_OK;
    if (errno != EEXIST)
        return ph_error_set(err, PH_ERR_IO, "The directory '%s' cannot be made: %s.", directory, strerror(errno));
    struct stat about;
    if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode))
        return ph_error_set(err, PH_ERR_INPUT, "'%s' is there already, and it is not a directory.", directory);
    if (!overwrite && !is_empty(directory))
        return ph_error_set(err, PH_ERR_INPUT,
                            "The directory '%s' is there already and not empty. Give another with -o, or say "
                            "--overwrite to replace the files of the study in it.",
                            directory);
    return PH_OK;
}

static enum ph_status join(const char *directory, const char *name, const char *ending, char path[PATH],
                           struct ph_error *err)
{
    const int length = snprintf(path, PATH, "%s/%s%s", directory, name, ending);
    if (length < 0 || length >= PATH)
        return ph_error_set(err, PH_ERR_IO, "The path of '%s%s' in '%.200s...' is too long.", name, ending, directory);
    return PH_OK;
}

/* ---- CSV and text ---- */

static enum ph_status write_text(const char *path, const struct ph_study_result *result, const struct ph_table *table,
                                 struct ph_error *err)
{
    errno = 0;
    FILE *out = fopen(path, "w");
    bool good = out && (table ? ph_table_write_csv(table, out) : ph_study_write_report(result, out));
    if (out && fclose(out) != 0)
        good = false;
    return good ? PH_OK : ph_error_set(err, PH_ERR_IO, "'%s' could not be written: %s.", path, strerror(errno));
}

/* ---- HDF5 ---- */

static bool put_table(hid_t file, const struct ph_table *table)
{
    char path[PH_H5_PATH];
    snprintf(path, sizeof path, "%s", table->name);
    bool good = ph_h5_put_group(file, path) && ph_h5_note_word(file, path, "title", false, table->title);
    for (size_t c = 0; c < table->n_columns && good; ++c) {
        snprintf(path, sizeof path, "%s/%s", table->name, table->column[c].name);
        if (table->column[c].words)
            good = ph_h5_put_words(file, path, table->n_rows, PH_TABLE_WORD, (const char *)table->word[c]);
        else
            good = ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){table->n_rows},
                                  table->number[c]);
        if (good && table->column[c].help[0])
            good = ph_h5_note_word(file, path, "help", false, table->column[c].help);
    }
    return good;
}

static bool note_numbered(hid_t file, const char *what, size_t k, const char *text)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%zu", what, k);
    return ph_h5_note_word(file, ".", name, false, text);
}

/* Writes the texts of a page on this study, except its findings */
static bool put_words(hid_t file, const struct ph_study_result *result)
{
    const struct ph_study *study = result->study;
    bool good = ph_h5_note_word(file, ".", "setup", false, study->setup) &&
                (!result->options.quick || ph_h5_note_word(file, ".", "reduced", false, study->quick));
    for (size_t n = 0; n < PH_STUDY_NOTES && result->note[n][0] && good; ++n)
        good = note_numbered(file, "note", n, result->note[n]);
    for (size_t f = 0; f < PH_STUDY_FIGURES && study->shows[f].name && good; ++f)
        good = note_numbered(file, "shows", f, study->shows[f].name) &&
               note_numbered(file, "shows_file", f, study->shows[f].file) &&
               note_numbered(file, "shows_what", f, study->shows[f].what);
    return good;
}

/* Writes claims, verdicts and sentences, numbered from 0, for a page on many studies */
static bool put_findings(hid_t file, const struct ph_study_result *result)
{
    bool good = ph_h5_note_number(file, ".", "seconds", result->seconds);
    for (size_t c = 0; c < ph_study_claims(result->study) && good; ++c) {
        char name[32];
        const int64_t verdict = (int64_t)result->finding[c].verdict;
        snprintf(name, sizeof name, "verdict_%zu", c);
        good = ph_h5_note_integers(file, ".", name, H5T_STD_I64LE, 0, &verdict);
        good = good && note_numbered(file, "claim", c, result->study->claim[c].text) &&
               note_numbered(file, "measured", c, result->finding[c].measured);
    }
    return good;
}

static bool put_study(hid_t file, const struct ph_study_result *result)
{
    const struct ph_study *study = result->study;
    const int64_t seed = (int64_t)result->options.seed, quick = result->options.quick;
    bool good = ph_h5_note_word(file, ".", "study", false, study->name) &&
                ph_h5_note_word(file, ".", "title", false, study->title) &&
                ph_h5_note_word(file, ".", "figure", false, study->figure) &&
                ph_h5_note_word(file, ".", "reference", false, study->reference) &&
                ph_h5_note_word(file, ".", "headline", false, result->headline) &&
                ph_h5_note_word(file, ".", "plot", false, study->plot) &&
                ph_h5_note_word(file, ".", "program", false, ph_version()) &&
                ph_h5_note_integers(file, ".", "seed", H5T_STD_I64LE, 0, &seed) &&
                ph_h5_note_integers(file, ".", "quick", H5T_STD_I64LE, 0, &quick);
    good = good && put_findings(file, result) && put_words(file, result);
    if (result->line > 0.0 && good)
        good = ph_h5_note_number(file, ".", "line", result->line) &&
               ph_h5_note_word(file, ".", "line_label", false, result->line_label);
    for (size_t t = 0; t < result->n_tables && good; ++t)
        good = put_table(file, &result->table[t]);
    return good;
}

static enum ph_status write_h5(const char *path, const struct ph_study_result *result, struct ph_error *err)
{
    char reason[PH_H5_REASON] = "";
    ph_h5_quiet_begin();
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool good = file >= 0 && put_study(file, result);
    if (!good)
        ph_h5_reason(reason);
    if (file >= 0 && H5Fclose(file) < 0)
        good = false;
    ph_h5_quiet_end();
    return good ? PH_OK : ph_error_set(err, PH_ERR_IO, "'%s' could not be written: %s.", path, reason);
}

/* ---- Reading back ---- */

static bool get_text(hid_t file, const char *name, char text[PH_STUDY_TEXT])
{
    char *found = ph_h5_get_text(file, ".", name);
    if (found)
        snprintf(text, PH_STUDY_TEXT, "%s", found);
    free(found);
    return found != NULL;
}

static bool get_findings(hid_t file, struct ph_study_result *result)
{
    for (size_t c = 0; c < ph_study_claims(result->study); ++c) {
        char name[32], claim[PH_STUDY_TEXT];
        int64_t verdict;
        snprintf(name, sizeof name, "claim_%zu", c);
        if (!get_text(file, name, claim) || strcmp(claim, result->study->claim[c].text) != 0)
            return false;
        snprintf(name, sizeof name, "verdict_%zu", c);
        if (!ph_h5_get_integer(file, ".", name, H5T_NATIVE_INT64, &verdict) || verdict <= PH_FINDING_NONE ||
            verdict > PH_FINDING_FAILS)
            return false;
        result->finding[c].verdict = (enum ph_finding_verdict)verdict;
        snprintf(name, sizeof name, "measured_%zu", c);
        if (!get_text(file, name, result->finding[c].measured))
            return false;
    }
    return true;
}

static bool get_number(hid_t file, const char *name, double *number)
{
    const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    const bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, number) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    return good;
}

bool ph_study_read(const struct ph_study *study, const struct ph_study_options *options, const char *directory,
                   struct ph_study_result *result)
{
    char path[PATH];
    struct ph_error ignored;
    if (join(directory, study->name, ".h5", path, &ignored) != PH_OK)
        return false;
    int64_t seed, quick;
    memset(result, 0, sizeof *result);
    result->study = study;
    result->options = *options;
    result->kept = true;
    ph_h5_quiet_begin();
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool good = file >= 0 && ph_h5_get_integer(file, ".", "seed", H5T_NATIVE_INT64, &seed) &&
                      ph_h5_get_integer(file, ".", "quick", H5T_NATIVE_INT64, &quick) &&
                      seed == (int64_t)options->seed && (quick != 0) == options->quick &&
                      get_number(file, "seconds", &result->seconds) && get_text(file, "headline", result->headline) &&
                      get_findings(file, result);
    if (file >= 0)
        H5Fclose(file);
    ph_h5_quiet_end();
    return good;
}

enum ph_status ph_study_write(const struct ph_study_result *result, const char *directory, struct ph_error *err)
{
    char path[PATH];
    enum ph_status status = join(directory, "README", ".md", path, err);
    if (status == PH_OK)
        status = write_text(path, result, NULL, err);
    for (size_t t = 0; t < result->n_tables && status == PH_OK; ++t) {
        status = join(directory, result->table[t].name, ".csv", path, err);
        if (status == PH_OK)
            status = write_text(path, result, &result->table[t], err);
    }
    if (status == PH_OK)
        status = join(directory, result->study->name, ".h5", path, err);
    return status == PH_OK ? write_h5(path, result, err) : status;
}

enum ph_status ph_study_save_index(size_t n, const struct ph_study_result *results, const char *directory,
                                   struct ph_error *err)
{
    char path[PATH];
    const enum ph_status status = join(directory, "README", ".md", path, err);
    if (status != PH_OK)
        return status;
    errno = 0;
    FILE *out = fopen(path, "w");
    bool good = out && ph_study_write_index(n, results, out);
    if (out && fclose(out) != 0)
        good = false;
    return good ? PH_OK : ph_error_set(err, PH_ERR_IO, "'%s' could not be written: %s.", path, strerror(errno));
}
