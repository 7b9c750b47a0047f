/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_ERROR_H
#define PH_BASE_ERROR_H

/* What can fail returns an enum ph_status; the sentence for the user goes into the record the caller
 * passed. The values are the program's exit statuses, so no second table translates them. */
enum ph_status {
    PH_OK = 0,
    PH_ERR_CHECK = 1,   /* a check or certification found a failure */
    PH_ERR_INPUT = 2,   /* wrong usage or wrong input */
    PH_ERR_NUMBERS = 3, /* NaN, overlap, no convergence */
    PH_ERR_IO = 4,      /* a file could not be read or written */
    PH_ERR_MEMORY = 5,
};

enum { PH_ERROR_TEXT = 1024 };

struct ph_error {
    enum ph_status status;
    char text[PH_ERROR_TEXT]; /* one or more sentences, no newline at the end */
};

/* Fills the record (err may be NULL) and returns the status, so that a caller writes
 *     return ph_error_set(err, PH_ERR_INPUT, "...", ...);                                   */
enum ph_status ph_error_set(struct ph_error *err, enum ph_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
