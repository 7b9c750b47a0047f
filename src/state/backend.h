/* SPDX-License-Identifier: MIT */
#ifndef PH_STATE_BACKEND_H
#define PH_STATE_BACKEND_H

/* A backend holds the state of a system elsewhere, for example on a graphics processor, and does the operations of
 * state.h there: drift, evaluate, kick. The system of the host is a copy, which is written and read on demand.
 * accel/backends.h lists all backends; the processor itself is none of them. */

#include "base/error.h"
#include "force/energy.h"
#include "force/force_field.h"
#include "model/state_sums.h"
#include "model/system.h"
#include "state/noise.h"
#include "state/scaling.h"

/* Parts of the state. Forces are only read. */
enum ph_state_part {
    PH_STATE_PLACES = 1,    /* r, q and images, with the residuals of r */
    PH_STATE_MOMENTA = 2,   /* p and m, with their residuals */
    PH_STATE_FORCES = 4,    /* f and t */
    PH_STATE_RESIDUALS = 8, /* of the parts above, when read */
    PH_STATE_ALL = 15
};

/* A state of the past, for output: the requested results of read and memory at that time. The backend owns the arrays
 * of the state; all other data belong to the system. */
struct ph_snapshot {
    struct ph_system system;
    double *const *residual; /* NULL without */
    struct ph_force_memory memory;
};

struct ph_backend {
    void (*destroy)(struct ph_backend *backend);
    /* Copies parts of the state; `residual` as of ph_state_residuals, or NULL. Parts that the last call has read into
     * the arrays are not read again unless they have changed on the backend: a caller that changes them here has to
     * write them. */
    enum ph_status (*write)(struct ph_backend *backend, int parts, const struct ph_system *system,
                            double *const *residual, struct ph_error *err);
    enum ph_status (*read)(struct ph_backend *backend, int parts, struct ph_system *system, double *const *residual,
                           struct ph_error *err);

    /* Begins to copy parts of the present state, as `read` does; the copy arrives during the next steps. Called again
     * before anything has changed, it adds parts. Not *begun: there is no memory for it, and the caller has to read the
     * state. Only one copy is in transfer: it must have arrived before a copy of another state begins. */
    enum ph_status (*snap)(struct ph_backend *backend, int parts, const struct ph_system *system, bool *begun,
                           struct ph_error *err);
    /* The copy, valid until the next is begun; NULL: it has not arrived. `wait`: it does. */
    enum ph_status (*snapped)(struct ph_backend *backend, bool wait, const struct ph_snapshot **snapshot,
                              struct ph_error *err);

    /* Free flight and rotation for a time t; forces and torques, with energies unless `energy` is NULL; p and m by
     * these for a time t. PH_ERR_NUMBERS if the state is not finite, at the latest when it is read. */
    enum ph_status (*drift)(struct ph_backend *backend, double t, struct ph_error *err);
    enum ph_status (*evaluate)(struct ph_backend *backend, struct ph_energy *energy, struct ph_error *err);
    enum ph_status (*kick)(struct ph_backend *backend, double t, struct ph_error *err);
    /* For nested schemes: forces of a part, without energies. It keeps the fast ones: whether they are still valid;
     * sets forces to them, or takes them off forces of all, as force/force_parts.h. */
    enum ph_status (*evaluate_part)(struct ph_backend *backend, enum ph_force_part part, struct ph_error *err);
    bool (*keeps_fast)(const struct ph_backend *backend);
    enum ph_status (*recall_fast)(struct ph_backend *backend, bool take_off, struct ph_error *err);
    /* Of the state as it is, with the forces last evaluated */
    enum ph_status (*observe)(struct ph_backend *backend, struct ph_state_sums *sums, struct ph_error *err);

    /* Brings the backend up to date if the box, or tables of the force field, have changed since it was made or since
     * the last call. The field is as the processor has it. Centres stay where they are. */
    enum ph_status (*set_box)(struct ph_backend *backend, const struct ph_system *system,
                              const struct ph_force_field *field, struct ph_error *err);
    /* r = map r for all centres; discards all residuals */
    enum ph_status (*map_centres)(struct ph_backend *backend, const double map[3][3], struct ph_error *err);
    /* Keeps places, or places and momenta, aside; goes back to them, with momenta reversed if asked for, and discards
     * all residuals. There is one such copy. */
    enum ph_status (*keep)(struct ph_backend *backend, int parts, struct ph_error *err);
    enum ph_status (*bring_back)(struct ph_backend *backend, bool reversed, struct ph_error *err);
    /* Displaced forces: sets places and forces aside and moves places by d times the accelerations; brings places back,
     * wrapped into the box as lists have wrapped them since; brings forces back */
    enum ph_status (*displace)(struct ph_backend *backend, double d, struct ph_error *err);
    enum ph_status (*places_back)(struct ph_backend *backend, struct ph_error *err);
    enum ph_status (*forces_back)(struct ph_backend *backend, struct ph_error *err);

    /* For baths: multiply momenta of all groups by factors, and apply noise. They return at once, and change the
     * numbers of the bath on the backend. A change of momenta discards their residuals. */
    enum ph_status (*scale)(struct ph_backend *backend, const struct ph_scaling *scaling, struct ph_error *err);
    enum ph_status (*apply_noise)(struct ph_backend *backend, const struct ph_noise *noise, struct ph_error *err);
    enum ph_status (*scale_by)(struct ph_backend *backend, const double factor[PH_BATH_GROUPS], struct ph_error *err);
    enum ph_status (*write_bath)(struct ph_backend *backend, const double numbers[PH_BATH_NUMBERS],
                                 struct ph_error *err);
    enum ph_status (*read_bath)(struct ph_backend *backend, double numbers[PH_BATH_NUMBERS], struct ph_error *err);

    /* Returns the memory of a force field, which gives sums the same order after a restart; valid after PH_STATE_PLACES
     * were read. */
    struct ph_force_memory (*memory)(const struct ph_backend *backend);
    /* Before the state is written */
    enum ph_status (*restore)(struct ph_backend *backend, const struct ph_force_memory *memory, struct ph_error *err);
};

#endif
