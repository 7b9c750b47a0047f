/* SPDX-License-Identifier: MIT */
#include "output/trajectory/about.h"

#include "output/reader/reader.h"

#include <stdio.h>

static bool put_entry(hid_t file, const struct ph_about_entry *entry)
{
    char path[PH_H5_PATH];
    if (snprintf(path, sizeof path, "parameters/%s", entry->name) >= (int)sizeof path)
        return false;
    switch (entry->kind) {
    case PH_ABOUT_TEXT: return ph_h5_put_text(file, path, entry->text);
    case PH_ABOUT_INTEGER: return ph_h5_put_data(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &entry->integer);
    case PH_ABOUT_NUMBER: return ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, NULL, &entry->number);
    case PH_ABOUT_NUMBERS:
        return ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t[]){entry->n}, entry->numbers);
    default: return false;
    }
}

bool ph_about_put(hid_t file, const struct ph_about *about)
{
    for (size_t k = 0; k < about->n; ++k)
        if (!put_entry(file, &about->entries[k]))
            return false;
    return true;
}

enum ph_status ph_trajectory_read_text(const char *file, const char *name, char **text, struct ph_error *err)
{
    struct ph_reader reader;
    *text = NULL;
    enum ph_status status = ph_reader_open_file(file, &reader, err);
    if (status == PH_OK) {
        *text = ph_reader_text(&reader, name);
        if (!*text && ph_h5_status() == PH_ERR_MEMORY)
            status = ph_h5md_damaged(&reader.file, name, err);
        else if (!*text)
            status = ph_error_set(err, PH_ERR_INPUT, "%s: parameters/%s is missing, or no text.", file, name);
    }
    ph_reader_close(&reader);
    return status;
}
