/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_BUILD_NOTES_H
#define PH_RUN_BUILD_NOTES_H

#include <stdbool.h>
#include <stddef.h>

/* Notes for the user on the system as it was built: on a start from a file, on charges and dipoles. */
struct ph_build_notes {
    size_t n_fitted;           /* molecules whose orientation was fitted to their sites */
    double fit_rms;            /* distance of these sites from the rigid model, root mean square of all */
    double fit_worst;          /* the largest root mean square of one molecule, */
    size_t fit_worst_molecule; /* and which, from 0 */
    bool momenta_from_file;    /* momenta were read from the file, not drawn */
    char text[4096];           /* all of it in sentences, each on a line that ends with \n; "" if there are none */
};

/* Adds a line to the text, which ends with \n: a printf with numbers as base/plain.h has them */
void ph_build_note(struct ph_build_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
