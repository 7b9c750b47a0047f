/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_SMALL_RUN_H
#define PH_TESTS_SMALL_RUN_H

/* A run of 108 molecules on `emulated`, for tests that look into it */

#include "folder.h"

#include "run/simulation/simulation.h"
#include "run/simulation/simulation_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char fluid[] =
    "units: reduced\n"
    "system:\n"
    "  box: {kind: periodic, density: 0.8}\n"
    "  molecules: [{model: stockmayer, count: 108}]\n"
    "  start: {kind: fcc, jitter: 0.02, temperature: 1.3, seed: 5}\n"
    "interactions: {cutoff: 1.7, switch: {width: 0.5}, electrostatics: {method: reaction-field}}\n"
    "dynamics: {scheme: verlet, step: 0.004, steps: 31, backend: emulated}\n"
    "output: {author: nobody}\n";

static inline int leave(void **state)
{
    static const char *const names[] = {"one.h5md", "two.h5md"}, *const endings[] = {"", ".checkpoint",
                                                                                     ".checkpoint.1"};
    for (int k = 0; k < 6; ++k) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", names[k / 3], endings[k % 3]);
        unlink(name);
    }
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

/* With these settings, as those of --set */
static inline struct ph_simulation *create(size_t n_sets, const char *const *sets, const char *file)
{
    static struct ph_input input;
    struct ph_texts texts = {.n = 0};
    struct ph_simulation *simulation = NULL;
    assert_ok(ph_texts_add(&texts, "input.yaml", fluid, strlen(fluid), &err));
    assert_ok(ph_input_read_keeping(&texts, "input.yaml", n_sets, sets, &input, &err));
    assert_ok(ph_simulation_create(&texts, &input, file, &simulation, &err));
    assert_non_null(simulation->backend);
    return simulation;
}

#endif
