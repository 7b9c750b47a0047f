/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_EXTERNAL_PLUMED_KERNEL_H
#define PH_FORCE_EXTERNAL_PLUMED_KERNEL_H

/* The library PLUMED, loaded at run time from the file that the environment variable PLUMED_KERNEL names. A program
 * talks to it by commands: a word and the address of a value. Needs PLUMED 2.5 or later, whose commands can fail
 * without ending the program. */

#include "base/error.h"

#include <stdbool.h>

struct ph_plumed_table;

/* All zero before */
struct ph_plumed_kernel {
    void *library;                       /* owned */
    const struct ph_plumed_table *table; /* inside the library */
    void *plumed;                        /* owned; one calculation */
};

enum ph_status ph_plumed_kernel_open(struct ph_plumed_kernel *kernel, struct ph_error *err);
void ph_plumed_kernel_close(struct ph_plumed_kernel *kernel);

/* Fails with the message of PLUMED. PLUMED keeps the addresses of arrays. */
enum ph_status ph_plumed_kernel_command(const struct ph_plumed_kernel *kernel, const char *word, const void *value,
                                        struct ph_error *err);

#endif
