/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_LISTING_INSIDE_H
#define PH_OUTPUT_LISTING_INSIDE_H

/* Within listings and what is made of them */

#include "output/h5_tools.h"
#include "output/h5md_element.h"
#include "output/listing.h"

struct ph_listing_handle {
    struct ph_h5md_file file;
};

_Static_assert((int)PH_LISTING_PATH == (int)PH_H5MD_PATH && (int)PH_LISTING_WORD == (int)PH_H5MD_WORD &&
                   (int)PH_LISTING_PATH / 2 == (int)PH_H5MD_GROUP,
               "the same, in a header that does not need HDF5");

enum ph_status ph_listing_find_elements(struct ph_listing *listing, struct ph_error *err);

/* Names of the kinds of particles by number, as our files have them; returns how many. *names is to be freed. */
enum { PH_LISTING_NAME = 32 };
size_t ph_listing_names(const struct ph_listing *listing, char (**names)[PH_LISTING_NAME]);

/* The kind of each particle; NULL if the file does not say. To be freed. */
enum ph_status ph_listing_species(const struct ph_listing *listing, double **species, struct ph_error *err);

#endif
