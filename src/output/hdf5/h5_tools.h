/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_HDF5_H5_TOOLS_H
#define PH_OUTPUT_HDF5_H5_TOOLS_H

/* The parts of HDF5 that our files need, as single calls that return false on failure. Paths begin at `at`, a file or
 * group, and the groups on the way are made where they are missing. */

#include "base/error.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PH_H5_REASON = 256, PH_H5_PATH = 256 };

/* The last error of HDF5, in words; call it before any other function of HDF5. If an allocation of ours or of HDF5 has
 * failed since HDF5 was made quiet (below), it says so, and the status is PH_ERR_MEMORY, otherwise PH_ERR_IO. (An
 * allocation of HDF5 does not count while there is memory: a damaged file may ask for too much.) */
const char *ph_h5_reason(char text[PH_H5_REASON]);
enum ph_status ph_h5_status(void);

/* Between these two calls HDF5 does not print its failures or report them to the host program. Pairs may be nested or
 * overlap: the last end restores the state before the first beginning. */
void ph_h5_quiet_begin(void);
void ph_h5_quiet_end(void);

bool ph_h5_put_group(hid_t at, const char *path);
bool ph_h5_put_ordered_group(hid_t at, const char *path); /* records the order of creation of its members */

/* A data set with all its data; rank 0: one number */
bool ph_h5_put_data(hid_t at, const char *path, hid_t stored, hid_t memory, int rank, const hsize_t *extent,
                    const void *data);
/* Writes a data set of rank 1, or 2 with a number of columns other than 0, with many rows: fill(what, row, to) makes
 * each row, of so many bytes, a block at a time. */
struct ph_h5_lines {
    hid_t stored, memory;
    size_t n, columns, bytes;
    void (*fill)(const void *what, size_t row, void *to);
    const void *what;
};
bool ph_h5_put_lines(hid_t at, const char *path, const struct ph_h5_lines *lines);
/* One text of any length in UTF-8; n of them, all with the room of the longest; n short ASCII texts of `size` bytes
 * each, side by side */
bool ph_h5_put_text(hid_t at, const char *path, const char *text);
bool ph_h5_put_texts(hid_t at, const char *path, size_t n, const char *const *texts);
bool ph_h5_put_words(hid_t at, const char *path, size_t n, size_t size, const char *words);
hid_t ph_h5_word(size_t size); /* the type of such a text; the caller closes it */

/* Write attributes of the object at the path. Texts are ASCII, of fixed length or variable length. n = 0: not an
 * array. */
bool ph_h5_note_words(hid_t at, const char *path, const char *name, bool variable, size_t n, const char *const *words);
bool ph_h5_note_word(hid_t at, const char *path, const char *name, bool variable, const char *word);
bool ph_h5_note_integers(hid_t at, const char *path, const char *name, hid_t stored, size_t n, const int64_t *numbers);
bool ph_h5_note_number(hid_t at, const char *path, const char *name, double number);
bool ph_h5_note_unit(hid_t at, const char *path, const char *unit); /* NULL: none */

/* Changes an integer in an existing data set; reads one from a data set or an attribute. */
bool ph_h5_set_integer(hid_t at, const char *path, hid_t memory, const void *number);
bool ph_h5_get_integer(hid_t at, const char *path, const char *attribute, hid_t memory, void *number);

/* Texts of any kind, of a data set or of an attribute, side by side in `size` bytes each; the caller frees them. NULL
 * if there are none. Then the same for a single text */
char *ph_h5_get_texts(hid_t at, const char *path, const char *attribute, size_t *n, size_t *size);
char *ph_h5_get_text(hid_t at, const char *path, const char *attribute);

/* Rank and extents of a data set; rank -1 if it cannot be found out */
int ph_h5_extents(hid_t dataset, hsize_t extent[H5S_MAX_RANK]);

/* Returns true if the data of a data set are in other files: in external storage, or those of a virtual data set. */
bool ph_h5_is_elsewhere(hid_t dataset);

#endif
