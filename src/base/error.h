/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ERROR_H
#define PH_BASE_ERROR_H

/* What can fail returns an enum ph_status; the sentence for the user goes into the struct ph_error that the caller
 * passed. Both are those of the library's users. */
#include "polhode.h"

/* Fills the record (err may be NULL) and returns the status, so that a caller writes
 *     return ph_error_set(err, PH_ERR_INPUT, "...", ...);                                   */
enum ph_status ph_error_set(struct ph_error *err, enum ph_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
