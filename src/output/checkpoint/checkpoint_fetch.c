/* SPDX-License-Identifier: MIT */
#include "output/checkpoint/checkpoint_fetch.h"

#include "output/hdf5/h5_tools.h"

static bool read_range(hid_t set, enum ph_checkpoint_kind kind, hsize_t begin, hsize_t n, void *out)
{
    const hid_t memory[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_INT32, H5T_NATIVE_INT64};
    const hid_t from = H5Dget_space(set), to = H5Screate_simple(1, &n, NULL);
    const bool good = from >= 0 && to >= 0 && H5Sselect_hyperslab(from, H5S_SELECT_SET, &begin, NULL, &n, NULL) >= 0 &&
                      H5Dread(set, memory[kind], to, from, H5P_DEFAULT, out) >= 0;
    if (from >= 0)
        H5Sclose(from);
    if (to >= 0)
        H5Sclose(to);
    return good;
}

enum ph_status ph_checkpoint_fetch(int64_t file, const struct ph_checkpoint_array *array, size_t begin, size_t end,
                                   void *out, struct ph_error *err)
{
    if (begin == end)
        return PH_OK;
    ph_h5_quiet_begin();
    const hid_t set = H5Dopen2((hid_t)file, array->name, H5P_DEFAULT);
    const bool good = set >= 0 && read_range(set, array->kind, begin, end - begin, out);
    if (set >= 0)
        H5Dclose(set);
    const enum ph_status status = good ? PH_OK : ph_h5_status();
    ph_h5_quiet_end();
    if (good)
        return PH_OK;
    return ph_error_set(err, status, "'%s' of the checkpoint cannot be read%s.", array->name,
                        status == PH_ERR_MEMORY ? ": there is no memory" : "");
}

void ph_checkpoint_close(int64_t file)
{
    if (file > 0)
        H5Fclose((hid_t)file);
}
