/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_CHECKPOINT_CHECKPOINT_H
#define PH_OUTPUT_CHECKPOINT_CHECKPOINT_H

/* The state of a run as named arrays, from which it continues bit for bit.
 *
 * A checkpoint is a small HDF5 file with one data set for each array, and a seal at its end: length and hash of all
 * bytes before. A file with any damaged byte is refused before HDF5 opens it. The file is written as <name>.tmp,
 * synchronised to disk and renamed, after the previous one has become <name>.1: at any instant there is a complete
 * one. */

#include "model/system.h"

#include <stdbool.h>
#include <stdint.h>

enum ph_checkpoint_kind { PH_CHECKPOINT_DOUBLE, PH_CHECKPOINT_INT32, PH_CHECKPOINT_INT64, PH_CHECKPOINT_TEXT };

enum { PH_CHECKPOINT_NAME = 64, PH_CHECKPOINT_ARRAYS = 512 };

struct ph_checkpoint_array {
    char name[PH_CHECKPOINT_NAME]; /* no slash */
    enum ph_checkpoint_kind kind;
    size_t n;         /* elements; of a text: letters */
    const void *data; /* not owned, unless it was read. A text ends with '\0'. NULL: still in the file, which is open */
};

struct ph_checkpoint {
    size_t n; /* zero to begin with */
    struct ph_checkpoint_array array[PH_CHECKPOINT_ARRAYS];
    bool owned; /* the arrays were read */
    /* Of a checkpoint that was read: */
    int64_t file;  /* HDF5 file with the large arrays, which are read on request; 0: none */
    bool is_older; /* it is <name>.1 */
    uint64_t hash; /* of its bytes */
};

/* Adds an array, which must stay valid until the checkpoint is written. The name must be new, and the caller must not
 * add more arrays than fit: both are asserted. */
void ph_checkpoint_add_doubles(struct ph_checkpoint *checkpoint, const char *name, size_t n, const double *data);
void ph_checkpoint_add_int32(struct ph_checkpoint *checkpoint, const char *name, size_t n, const int32_t *data);
void ph_checkpoint_add_int64(struct ph_checkpoint *checkpoint, const char *name, size_t n, const int64_t *data);
void ph_checkpoint_add_text(struct ph_checkpoint *checkpoint, const char *name, const char *text);
/* Positions, momenta, orientations, angular momenta, forces, torques, images, the box, and names and numbers of
 * species; names begin with "system_". */
void ph_checkpoint_add_system(struct ph_checkpoint *checkpoint, const struct ph_system *system);

enum ph_status ph_checkpoint_write(const char *file, const struct ph_checkpoint *checkpoint, struct ph_error *err);

/* Writes a checkpoint of so many molecules that no rank holds them all: one rank or several write their arrays, some
 * molecules at a time. Rank 0 creates the file with all but the large arrays, whose numbers it does not read. It
 * returns their offsets in `places` (one for each array; 0: already written). Helpers write their data there. Rank 0
 * ends it: with `good` the file becomes the checkpoint, otherwise it is removed. The file is byte for byte the same as
 * from one rank. */
enum { PH_CHECKPOINT_LARGE = (1 << 14) + 1 }; /* arrays of as many molecules are all large */
enum ph_status ph_checkpoint_begin(const char *file, const struct ph_checkpoint *checkpoint, uint64_t *places,
                                   struct ph_error *err);
struct ph_checkpoint_helper {
    const struct ph_checkpoint *checkpoint; /* these two: not owned */
    const uint64_t *places;
    int descriptor, failure; /* failure: errno of the first, 0 without */
};
void ph_checkpoint_help(const char *file, const struct ph_checkpoint *checkpoint, const uint64_t *places,
                        struct ph_checkpoint_helper *helper);
/* Writes elements from `begin` on of the large arrays, taken from arrays of the same names in `some`. */
void ph_checkpoint_put(struct ph_checkpoint_helper *helper, size_t begin, const struct ph_checkpoint *some);
/* Syncs to the disk itself; returns whether all writes succeeded */
enum ph_status ph_checkpoint_helped(struct ph_checkpoint_helper *helper, const char *file, struct ph_error *err);
enum ph_status ph_checkpoint_end(const char *file, bool good, struct ph_error *err);

/* Reads the file, or <name>.1 if it is missing or damaged: `note` (may be NULL) then says so, otherwise it is "".
 * PH_ERR_IO if there is no good one. Free in any case. */
enum { PH_CHECKPOINT_NOTE = 512 };
enum ph_status ph_checkpoint_read(const char *file, struct ph_checkpoint *checkpoint, char note[PH_CHECKPOINT_NOTE],
                                  struct ph_error *err);
/* Opens the same checkpoint on another rank, after one rank has read it. Does not read large arrays until a caller
 * requests some of their elements. */
enum ph_status ph_checkpoint_read_same(const char *file, bool older, uint64_t hash, struct ph_checkpoint *checkpoint,
                                       struct ph_error *err);
void ph_checkpoint_free(struct ph_checkpoint *checkpoint); /* frees arrays that were read, and empties it */

/* The array of this name, kind and length; PH_ERR_INPUT, with names and numbers, if there is none */
enum ph_status ph_checkpoint_doubles(const struct ph_checkpoint *checkpoint, const char *name, size_t n, double *out,
                                     struct ph_error *err);
enum ph_status ph_checkpoint_int32(const struct ph_checkpoint *checkpoint, const char *name, size_t n, int32_t *out,
                                   struct ph_error *err);
enum ph_status ph_checkpoint_int64(const struct ph_checkpoint *checkpoint, const char *name, size_t n, int64_t *out,
                                   struct ph_error *err);
enum ph_status ph_checkpoint_text(const struct ph_checkpoint *checkpoint, const char *name,
                                  const char **text, /* owned by the checkpoint */
                                  struct ph_error *err);
/* Of an array of n: elements begin .. end-1 */
enum ph_status ph_checkpoint_some_doubles(const struct ph_checkpoint *checkpoint, const char *name, size_t n,
                                          size_t begin, size_t end, double *out, struct ph_error *err);
const struct ph_checkpoint_array *ph_checkpoint_find(const struct ph_checkpoint *checkpoint,
                                                     const char *name); /* NULL if there is none */
/* The state back into a system of the same species and numbers; the box is set. */
enum ph_status ph_checkpoint_restore_system(const struct ph_checkpoint *checkpoint, struct ph_system *system,
                                            struct ph_error *err);
/* The same for molecules begin .. end-1 alone, into their places. `in_order`: places are numbers there; where they are
 * not, this is of no use. */
enum ph_status ph_checkpoint_restore_some(const struct ph_checkpoint *checkpoint, size_t begin, size_t end,
                                          struct ph_system *system, bool *in_order, struct ph_error *err);

/* Where the checkpoint of a trajectory lies: <trajectory>.checkpoint. False: no room */
bool ph_checkpoint_name(const char *trajectory, size_t size, char *file);
/* Removes checkpoints of an earlier run of this name, so that a new run does not resume from them. */
void ph_checkpoint_remove(const char *file);

/* Bytes of an element */
size_t ph_checkpoint_element_size(enum ph_checkpoint_kind kind);

#endif
