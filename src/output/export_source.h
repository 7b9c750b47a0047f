/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_SOURCE_H
#define PH_OUTPUT_EXPORT_SOURCE_H

/* Within exports: the particles of a file, with names, and their frames. */

#include "output/listing_inside.h"

struct ph_source {
    struct ph_listing listing;
    size_t n;
    char (*name)[PH_LISTING_NAME];     /* owned; of each particle */
    char (*molecule)[PH_LISTING_NAME]; /* owned; name of its molecule */
    int32_t *residue;                  /* owned; number of its molecule, from 0 */
    int *number;                       /* owned; atomic, or 0 */
    struct ph_h5md_element position, edges;
};

/* To be closed in any case. */
enum ph_status ph_source_open(const char *file, struct ph_source *source, struct ph_error *err);
void ph_source_close(struct ph_source *source);

/* Which frame is meant; negative ones count from the end */
enum ph_status ph_source_frame(const struct ph_source *source, int64_t frame, size_t *row, struct ph_error *err);

/* Edges of a frame; false: open space, or not known */
enum ph_status ph_source_edges(const struct ph_source *source, size_t row, double edge[3][3], bool *known,
                               struct ph_error *err);

/* Opens an element of the particles, [n][width]; its value stays negative if the file has none such. Close it. */
enum ph_status ph_source_element(const struct ph_source *source, const char *name, size_t width,
                                 struct ph_h5md_element *element, struct ph_error *err);
/* Its numbers at a frame; *known is false if it was not written then. */
enum ph_status ph_source_read(const struct ph_source *source, const struct ph_h5md_element *element, size_t row,
                              double *out, bool *known, struct ph_error *err);

#endif
