/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_ENGINE_PARTS_H
#define PH_ACCEL_ENGINE_ENGINE_PARTS_H

/* Shared by the files of an engine: its data, and functions that other files of it call. */

#include "accel/engine/engine.h"
#include "accel/engine/wave_engine.h"
#include "force/force_tables.h"
#include "force/pairs/pair_table.h"

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
    struct ph_force_version version; /* of the force field whose tables the machine has */
    struct ph_accel_view view;       /* arrays owned */
    double *residual[9];             /* owned; those of `view`, unless its state is written without residuals */
    bool single;                     /* molecules of one species, of one site at the centre */
    int variant;                     /* of right-angled boxes */
    uint32_t n_kinds;                /* the same of `view.sites`, which a variant does not use */
    double cutoff, skin, extent;     /* of lists */
    size_t room_cells;
    /* Two time scales. The view of near pairs has its own list and entries; NULL or 0 without. All else is as in
     * `view`, see ph_engine_share_view. */
    enum ph_fast_kind fast;
    double near_cutoff;
    bool has_near;
    uint64_t shared; /* version of `view` that `near` has */
    struct ph_accel_view near;
    size_t fast_lists;    /* lists made when fast forces were kept */
    bool returns_momenta; /* the copy to return to has momenta */
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
void ph_engine_set_lengths(struct ph_engine *engine);
enum ph_status ph_engine_allocate_lists(struct ph_engine *engine, struct ph_error *err);
/* Lists; or, without them, room for sums that threads share */
enum ph_status ph_engine_allocate_scratch(struct ph_engine *engine, struct ph_error *err);
/* After a change of the view, the view of near pairs has it, too. */
void ph_engine_share_view(struct ph_engine *engine);

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

/* ---- box_engine.c, aside_engine.c: operations of the backend ---- */

enum ph_status ph_engine_set_box(struct ph_backend *backend, const struct ph_system *system,
                                 const struct ph_force_field *field, struct ph_error *err);
enum ph_status ph_engine_map_centres(struct ph_backend *backend, const double map[3][3], struct ph_error *err);
enum ph_status ph_engine_keep(struct ph_backend *backend, int parts, struct ph_error *err);
enum ph_status ph_engine_bring_back(struct ph_backend *backend, bool reversed, struct ph_error *err);
enum ph_status ph_engine_displace(struct ph_backend *backend, double d, struct ph_error *err);
enum ph_status ph_engine_places_back(struct ph_backend *backend, struct ph_error *err);
enum ph_status ph_engine_forces_back(struct ph_backend *backend, struct ph_error *err);
/* Formulas that have a kernel of their own for these pairs in a right-angled box; -1: none, they are those of sites */
int ph_engine_find_variant(const struct ph_engine *engine, const struct ph_pair_table *table);
/* Chooses the formulas of pairs for the shape of the box; uses the sites if they have been made. */
void ph_engine_choose_formulas(struct ph_engine *engine);

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
