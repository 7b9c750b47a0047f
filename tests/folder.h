/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_FOLDER_H
#define PH_TESTS_FOLDER_H

/* A folder of its own for every run of a test program, because several may run at the same time. */

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

/* In memory if possible: checkpoints wait for the disk. */
static inline int make_folder(void **state)
{
    static const char *const places[] = {"/dev/shm", "/tmp"};
    for (int k = 0; k < 2; ++k) {
        snprintf(folder, sizeof folder, "%s/polhode-test-XXXXXX", places[k]);
        if (mkdtemp(folder))
            return 0;
    }
    return -1;
}

static inline int remove_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The same for the working directory of tests, and of the programs that they begin */
static inline int enter_folder(void **state) { return make_folder(state) == 0 ? chdir(folder) : -1; }
static inline int leave_folder(void **state) { return chdir("/") == 0 ? remove_folder(state) : -1; }

static inline void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#endif
