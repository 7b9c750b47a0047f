/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_BATHS_MOMENTA_H
#define PH_DYNAMICS_BATHS_MOMENTA_H

/* The momenta that a bath acts on, where they are: in the system, or in the memory of a backend; of all molecules, or
 * of those of this process. */

#include "dynamics/backend.h"
#include "force/owned.h"

struct ph_momenta {
    struct ph_system *system;   /* not owned */
    struct ph_backend *backend; /* not owned; NULL: momenta are those of the system, else it is a copy that is old */
    bool numbers_there;         /* the backend has the numbers of the bath */
    const struct ph_owned *own; /* not owned; those of this process, which alone it changes. NULL: of all molecules */
    bool heat_apart;            /* there is heat that only this process knows of: */
    struct ph_exact heat;       /* of noise on its molecules */
};

/* All momenta of each group times a factor, that follows from their kinetic energies and the numbers of the bath, which
 * a backend changes where it is. */
enum ph_status ph_momenta_scale(const struct ph_scaling *scaling, struct ph_momenta *momenta, double *numbers,
                                struct ph_error *err);
/* Noise, where there is a backend */
enum ph_status ph_momenta_shake_there(const struct ph_noise *noise, struct ph_momenta *momenta, const double *numbers,
                                      struct ph_error *err);

/* The heat that noise has given to these molecules. Where they are those of this process it stays here, until all
 * processes call the second: then it is in the numbers of the bath (PH_BATH_HEAT), as is all that a backend has. */
void ph_momenta_add_heat(const struct ph_exact *heat, struct ph_momenta *momenta, double *numbers);
enum ph_status ph_momenta_know_numbers(struct ph_momenta *momenta, double *numbers, struct ph_error *err);

#endif
