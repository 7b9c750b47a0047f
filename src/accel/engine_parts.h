/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_PARTS_H
#define PH_ACCEL_ENGINE_PARTS_H

/* What the files of an engine share: its data, and what each does for the others. */

#include "accel/engine.h"
#include "accel/wave_engine.h"

enum ph_list_state {
    PH_LIST_STALE,
    PH_LIST_RESTORED,
    PH_LIST_VALID
}; /* restored: to be made of `built_at`, as it was */

struct ph_inert {
    double mass, inertia[3];
};

/* What baths keep on the host */
struct ph_bath_engine {
    size_t n_species;
    struct ph_inert *species; /* owned */
    struct ph_noise sent;     /* whose constants the machine has */
};

struct ph_engine {
    struct ph_backend backend; /* first */
    const struct ph_machine *machine;
    const char *name;
    double mass;
    struct ph_box box;
    struct ph_accel_view view; /* arrays owned */
    enum ph_list_state list;
    void *mark;  /* owned; after the last drift; NULL before the first */
    bool placed; /* slots are those of the present state */
    size_t lists_made;
    struct ph_wave_engine waves;
    struct ph_bath_engine bath;
    void *tail;          /* owned; the long-range correction, a constant; NULL without */
    double *built_at[3]; /* owned; copies of the host */
    double *anchor[3];   /* owned; the same of anchors, NULL without tethers */
    double *host_sums;   /* owned */
};

/* ---- engine_parts.c ---- */

/* Begins a task that has no arguments. */
enum ph_status ph_engine_run(struct ph_engine *engine, enum ph_task task, size_t count, struct ph_error *err);
/* The kick that is owed */
enum ph_status ph_engine_settle(struct ph_engine *engine, struct ph_error *err);
/* All tasks have ended, and numbers are finite as far as these saw; else what is wrong, as the signals say */
enum ph_status ph_engine_wait(struct ph_engine *engine, struct ph_error *err);
enum ph_status ph_engine_explain(struct ph_engine *engine, struct ph_error *err);

/* ---- list_engine.c ---- */

/* Box, cutoff and lists; then their arrays, false without memory */
void ph_engine_set_lengths(const struct ph_system *system, const struct ph_interactions *interactions,
                           struct ph_accel_view *v);
bool ph_engine_allocate_lists(struct ph_engine *engine, const struct ph_system *system);

/* Slots hold the present state, and the list all pairs within the cutoff. A list that was restored may be outdated. */
enum ph_status ph_engine_update_list(struct ph_engine *engine, struct ph_error *err);

/* ---- state_engine.c: operations of the backend ---- */

enum ph_status ph_engine_write(struct ph_backend *backend, int parts, const struct ph_system *system,
                               double *const *residual, struct ph_error *err);
enum ph_status ph_engine_read(struct ph_backend *backend, int parts, struct ph_system *system, double *const *residual,
                              struct ph_error *err);
struct ph_force_memory ph_engine_memory(const struct ph_backend *backend);
enum ph_status ph_engine_restore(struct ph_backend *backend, const struct ph_force_memory *memory,
                                 struct ph_error *err);

#endif
