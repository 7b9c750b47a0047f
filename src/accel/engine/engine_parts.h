/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_ENGINE_PARTS_H
#define PH_ACCEL_ENGINE_ENGINE_PARTS_H

/* Shared by the files of an engine: its data, and functions that other files of it call. */

#include "accel/engine/engine.h"
#include "accel/engine/wave_engine.h"

enum ph_list_state {
    PH_LIST_STALE,
    PH_LIST_RESTORED,
    PH_LIST_VALID
}; /* restored: to be made of `built_at`, as it was */

struct ph_inert {
    double mass, inertia[3];
};

/* Data of baths on the host */
struct ph_bath_engine {
    size_t n_species;
    struct ph_inert *species; /* owned */
    struct ph_noise sent;     /* noise whose constants the machine has */
    bool noise;               /* pending half steps are noise; else they scale momenta */
    bool kinetic_known;       /* kinetic energies stored on the machine belong to the present momenta */
    bool read;                /* these equal the numbers on the machine: */
    double numbers[PH_BATH_NUMBERS];
};

/* Parts that are up to date in the arrays of the host, and are not copied again */
struct ph_seen {
    int arrays;                     /* enum ph_state_array */
    const double *place, *residual; /* of these arrays: where they begin */
};

/* A copy of the state in transfer to the host */
struct ph_snapshot_engine {
    unsigned char *kept, *here; /* owned; in the memory of the machine, and of the host; NULL: not made yet, or */
    bool refused;               /* there is no memory */
    void *way;                  /* owned */
    int parts;                  /* requested parts; 0: no transfer is in progress */
    int arrays;                 /* enum ph_state_array: arrays of the copy that still equal the machine's */
    double *residual[9], *built_at[3];
    struct ph_snapshot snapshot;
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
    bool placed; /* slots belong to the present state */
    size_t lists_made;
    struct ph_transfer_counts before; /* this engine was made */
    struct ph_wave_engine waves;
    struct ph_bath_engine bath;
    struct ph_snapshot_engine snapshot;
    struct ph_seen seen;
    void *tail;          /* owned; the long-range correction, a constant; NULL without */
    double *built_at[3]; /* owned; copies of the host */
    double *anchor[3];   /* owned; the same of anchors, NULL without tethers */
    double *host_sums;   /* owned */
};

/* ---- engine_parts.c ---- */

/* Begins a task that has no arguments. */
enum ph_status ph_engine_run(struct ph_engine *engine, enum ph_task task, size_t count, struct ph_error *err);
/* The pending kick, and half steps of a bath after it */
enum ph_status ph_engine_sync(struct ph_engine *engine, struct ph_error *err);
/* Waits for all tasks; returns an error if a task found a number that is not finite, from the signals */
enum ph_status ph_engine_wait(struct ph_engine *engine, struct ph_error *err);
enum ph_status ph_engine_explain(struct ph_engine *engine, struct ph_error *err);

/* ---- list_engine.c ---- */

/* Box, cutoff and lists; then their arrays: PH_ERR_MEMORY without a message */
void ph_engine_set_lengths(const struct ph_system *system, const struct ph_interactions *interactions,
                           struct ph_accel_view *v);
enum ph_status ph_engine_allocate_lists(struct ph_engine *engine, const struct ph_system *system, struct ph_error *err);

/* Slots hold the present state, and the list all pairs within the cutoff. A list that was restored may be outdated. */
enum ph_status ph_engine_update_list(struct ph_engine *engine, struct ph_error *err);

/* ---- state_engine.c: operations of the backend, and which arrays a state has ---- */

/* Groups of arrays that change together */
enum ph_state_array {
    PH_OF_R = 1, /* with images */
    PH_OF_Q = 2,
    PH_OF_P = 4,
    PH_OF_M = 8,
    PH_OF_FORCES = 16,
    PH_OF_RESIDUALS_R = 32,
    PH_OF_RESIDUALS_PM = 64,
    PH_OF_LIST = 128, /* places when it was made */
    PH_OF_MOMENTA = PH_OF_P | PH_OF_M | PH_OF_RESIDUALS_PM,
    PH_OF_MOVED = PH_OF_R | PH_OF_Q | PH_OF_RESIDUALS_R | PH_OF_MOMENTA
};

struct ph_transfer {
    int part;
    enum ph_state_array is;
    bool residual; /* belongs to this part if residuals are requested */
    void *here, *there;
    size_t size; /* of an element */
};
enum { PH_TRANSFERS = 3 * 6 + 4 + 9 + 3 };

/* Marks these arrays as changed: host and copies are out of date. */
void ph_engine_changed(struct ph_engine *engine, int arrays);

/* Arrays of the host and of the machine, by parts of the state; residuals and the places of the list unless NULL */
size_t ph_engine_transfers(const struct ph_accel_view *v, const struct ph_system *system, double *const *residual,
                           double *const *built_at, struct ph_transfer transfer[PH_TRANSFERS]);
bool ph_engine_needs_transfer(const struct ph_transfer *transfer, int parts);

enum ph_status ph_engine_write(struct ph_backend *backend, int parts, const struct ph_system *system,
                               double *const *residual, struct ph_error *err);
enum ph_status ph_engine_read(struct ph_backend *backend, int parts, struct ph_system *system, double *const *residual,
                              struct ph_error *err);
struct ph_force_memory ph_engine_memory(const struct ph_backend *backend);
enum ph_status ph_engine_restore(struct ph_backend *backend, const struct ph_force_memory *memory,
                                 struct ph_error *err);

/* ---- snapshot_engine.c: operations of the backend ---- */

enum ph_status ph_engine_snap(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                              struct ph_error *err);
enum ph_status ph_engine_snapped(struct ph_backend *backend, bool wait, const struct ph_snapshot **snapshot,
                                 struct ph_error *err);
/* Releases the memory of the machine for copies, for good, after pending transfers have arrived. False: there was none
 * to release. */
bool ph_engine_forgo_snapshots(struct ph_engine *engine);
void ph_engine_release_snapshot(struct ph_engine *engine);

#endif
