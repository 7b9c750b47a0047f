/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ERROR_H
#define PH_BASE_ERROR_H

/* Functions that can fail return an enum ph_status and write a message for the user into the caller's struct ph_error.
 * Both are part of the public interface (polhode.h). */
#include "polhode.h"

/* Fills the record (err may be NULL) and returns the status, so that a caller writes
 *     return ph_error_set(err, PH_ERR_INPUT, "...", ...);                                   */
enum ph_status ph_error_set(struct ph_error *err, enum ph_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "No memory for ....": the format, as for printf, says what for. Returns PH_ERR_MEMORY. */
enum ph_status ph_no_memory(struct ph_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
