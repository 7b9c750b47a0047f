/* SPDX-License-Identifier: MIT */
/* Loaded before HDF5 (LD_PRELOAD): HDF5 crashes when it looks for the links of a file, as some damaged files make it.
 */
#include <hdf5.h>

static unsigned *volatile nowhere = (unsigned *)8; /* not NULL, which HDF5 looks for */

herr_t H5Literate(hid_t group, H5_index_t by, H5_iter_order_t order, hsize_t *from, H5L_iterate_t visit, void *data)
{
    (void)group;
    (void)by;
    (void)order;
    (void)from;
    (void)visit;
    (void)data;
    return H5get_libversion(nowhere, nowhere, nowhere);
}
