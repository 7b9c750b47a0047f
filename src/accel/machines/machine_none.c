/* SPDX-License-Identifier: MIT */
/* The machine `cuda` of builds without CUDA: nothing but the reason. */
#include "accel/machines/machine.h"

#include <stdio.h>

static const char reason[] = "this program was built without CUDA: nvcc was not found, or POLHODE_CUDA was OFF";

static void look(struct ph_machine_facts *facts)
{
    *facts = (struct ph_machine_facts){.built = false};
    snprintf(facts->device, sizeof facts->device, "%s", reason);
}

static enum ph_status open_machine(struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT,
                        "dynamics.backend is cuda, but %s. Accepted: cpu, emulated. Nothing else was taken instead.",
                        reason);
}

/* Nothing was opened, so that nothing was allocated. */
static void release(void *memory) { (void)memory; }
static void release_signals(struct ph_signals *signals) { (void)signals; }
static void release_mark(void *mark) { (void)mark; }
static void release_way(void *way) { (void)way; }
static void release_stamp(void *stamp) { (void)stamp; }

const struct ph_machine ph_machine_cuda = {
    .look = look,
    .open = open_machine,
    .release = release,
    .release_signals = release_signals,
    .release_here = release,
    .release_way = release_way,
    .release_mark = release_mark,
    .release_stamp = release_stamp,
};
