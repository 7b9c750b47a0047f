/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_STATE_INSIDE_H
#define PH_STATE_STATE_INSIDE_H

/* Shared by the files of the state alone. */

#include "state/state.h"

enum { PH_RESIDUAL_R = 0, PH_RESIDUAL_P = 3, PH_RESIDUAL_M = 6 };
enum { PH_COLUMN_P = 7, PH_COLUMNS = 13 }; /* of r, q, p, m */
enum { PH_ASIDE_COLUMNS = 16 };            /* of r, q, images, f, t */

/* Operations that differ between kinds of states. Functions of state.h do what all kinds share, then call these. */
struct ph_state_kind {
    const char *name;
    unsigned lacks; /* PH_NEEDS_...: operations that it does not have */
    /* Local molecules, until forces are evaluated; NULL: all */
    const struct ph_owned *(*local)(struct ph_state *state);
    enum ph_status (*evaluate)(struct ph_state *state, enum ph_force_part part, struct ph_energy *energy,
                               struct ph_error *err);
    enum ph_status (*drift)(struct ph_state *state, double t, struct ph_error *err);
    enum ph_status (*kick)(struct ph_state *state, double b, double c, struct ph_error *err);
    /* Both, one after the other, in one pass over memory; NULL: there is no such pass */
    enum ph_status (*kick_and_drift)(struct ph_state *state, double b, double c, double t, struct ph_error *err);
    enum ph_status (*scale)(struct ph_state *state, const struct ph_scaling *scaling, double *numbers,
                            struct ph_error *err);
    enum ph_status (*apply_noise)(struct ph_state *state, const struct ph_noise *noise, double *numbers,
                                  struct ph_error *err);
    enum ph_status (*observe)(struct ph_state *state, struct ph_state_sums *sums, struct ph_error *err);
    /* Kinetic energies of all groups, and factors of their momenta; r = map r for all centres; a device keeps an error
     * for the next operation */
    void (*kinetic)(struct ph_state *state, double kinetic[PH_BATH_GROUPS]);
    void (*scale_by)(struct ph_state *state, const double factor[PH_BATH_GROUPS]);
    void (*map_centres)(struct ph_state *state, const double map[3][3]);
    /* Displaced forces: move places by d times the accelerations, bring them back, bring forces back */
    void (*displace)(struct ph_state *state, double d);
    void (*places_back)(struct ph_state *state);
    void (*forces_back)(struct ph_state *state);
    /* Kept fast forces, see force/force_parts.h; NULL: the force field has them */
    bool (*keeps_fast)(const struct ph_state *state);
    enum ph_status (*recall_fast)(struct ph_state *state, bool take_off, struct ph_error *err);
    /* Copies of places, or of places and momenta, see kept.h; NULL: columns of this process */
    void (*keep)(struct ph_state *state, int parts);
    void (*bring_back)(struct ph_state *state, bool reversed);
    /* NULL: this process knows the numbers, and has all molecules */
    enum ph_status (*know_numbers)(struct ph_state *state, double *numbers, struct ph_error *err);
    enum ph_status (*show)(struct ph_state *state, int parts, struct ph_error *err);
    /* Copies molecules to this process before a loop over them; NULL: they are here */
    void (*bring)(struct ph_state *state);
    /* Of ranks; NULL: this process has all molecules */
    enum ph_status (*show_first)(struct ph_state *state, bool all, struct ph_error *err);
    /* Of a device; NULL: there are no copies, and the force field has the memory */
    enum ph_status (*snap)(struct ph_state *state, bool whole, bool *begun, struct ph_error *err);
    enum ph_status (*snapped)(struct ph_state *state, bool wait, const struct ph_snapshot **snapshot,
                              struct ph_error *err);
    struct ph_force_memory (*memory)(const struct ph_state *state);
    /* Makes lists again as they were, after a write */
    enum ph_status (*restore)(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err);
};

struct ph_state {
    const struct ph_state_kind *kind;
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_state_options options;
    struct ph_top *top;                          /* owned; of each species that rotates */
    double *residual[PH_STATE_RESIDUAL_COLUMNS]; /* owned; NULL if not compensated */
    /* Owned, for gradients: accelerations, angular accelerations, rates of force and torque along them */
    double *acceleration[3], *spin_up[3], *force_rate[3], *torque_rate[3];
    double *aside[PH_ASIDE_COLUMNS]; /* owned, for displaced forces: places and forces (displaced.c) */
    bool forces_known, rates_known;  /* of these places, */
    enum ph_force_part part;         /* the part of the known forces */
    bool fast_kept;                  /* the field keeps the fast ones of these places */
    struct ph_state_counts counts;
    /* All columns: of the state, residuals, and attached ones */
    double *column[PH_COLUMNS + PH_STATE_RESIDUAL_COLUMNS + PH_STATE_ATTACHED];
    size_t n_columns; /* without attached ones */
    struct ph_column_set rows;

    /* Of ranks */
    bool had_part;        /* this process has had molecules of its own */
    bool diverged;        /* this process may have moved them since all ranks had the whole system */
    struct ph_exact heat; /* of noise on local molecules, that others do not know of */
    bool heat_known;
    /* Of a device */
    int unwritten;           /* parts of the state that it does not have yet */
    struct ph_error failure; /* to be returned by the next operation */
    bool numbers_there;      /* it has the numbers of the bath */
};

extern const struct ph_state_kind ph_state_of_process, ph_state_of_ranks, ph_state_of_device;

/* True if this rank owns only some of the molecules: its sums must be reduced. */
static inline bool ph_state_has_part(struct ph_state *state) { return state->kind->local(state) != NULL; }

/* For molecules in the memory of this process (host.c) */
enum ph_status ph_host_drift(struct ph_state *state, double t, struct ph_error *err);
enum ph_status ph_host_kick(struct ph_state *state, double b, double c, struct ph_error *err);
enum ph_status ph_host_kick_and_drift(struct ph_state *state, double b, double c, double t, struct ph_error *err);
enum ph_status ph_host_scale(struct ph_state *state, const struct ph_scaling *scaling, double *numbers,
                             struct ph_error *err);
void ph_host_kinetic(struct ph_state *state, double kinetic[PH_BATH_GROUPS]);
void ph_host_scale_by(struct ph_state *state, const double factor[PH_BATH_GROUPS]);
void ph_host_map_centres(struct ph_state *state, const double map[3][3]);
/* Displaced forces (displaced.c) */
void ph_host_displace(struct ph_state *state, double d);
void ph_host_places_back(struct ph_state *state);
void ph_host_forces_back(struct ph_state *state);
enum ph_status ph_host_restore(struct ph_state *state, const struct ph_force_memory *memory, struct ph_error *err);
/* Those in the table of a kind */
#define PH_HOST_OPERATIONS                                                                                             \
    .drift = ph_host_drift, .kick = ph_host_kick, .kick_and_drift = ph_host_kick_and_drift, .scale = ph_host_scale,    \
    .kinetic = ph_host_kinetic, .scale_by = ph_host_scale_by, .map_centres = ph_host_map_centres,                      \
    .displace = ph_host_displace, .places_back = ph_host_places_back, .forces_back = ph_host_forces_back
/* Accelerations of local molecules, for rates along them */
void ph_host_accelerate(struct ph_state *state);
/* Residuals of these are zero: of columns first .. end-1 */
void ph_host_forget(struct ph_state *state, int first, int end);
static inline double *const *ph_host_residuals(const struct ph_state *state)
{
    return state->options.compensated ? state->residual : NULL;
}

#endif
