/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOMENTA_H
#define PH_DYNAMICS_MOMENTA_H

/* The momenta that a bath acts on, where they are: in the system, or in the memory of a backend; of all molecules, or
 * of those of this process. */

#include "dynamics/backend.h"
#include "force/owned.h"

struct ph_momenta {
    struct ph_system *system;   /* not owned */
    struct ph_backend *backend; /* not owned; NULL: momenta are those of the system, else it is a copy that is old */
    bool heat_there;            /* the backend counts the heat of noise */
    const struct ph_owned *own; /* not owned; those of this process, which alone it changes. NULL: of all molecules */
    bool heat_apart;            /* there is heat that only this process knows of: */
    struct ph_exact heat;       /* of noise on its molecules */
};

/* Kinetic energies of all groups */
enum ph_status ph_momenta_kinetic(const struct ph_momenta *momenta, double kinetic[PH_BATH_GROUPS],
                                  struct ph_error *err);
/* All momenta of each group times a number */
enum ph_status ph_momenta_scale(const struct ph_momenta *momenta, const double factor[PH_BATH_GROUPS],
                                struct ph_error *err);

/* The heat that noise has given to these molecules. Where they are those of this process it stays here, until all
 * processes call the second: then it is in the numbers of the bath (PH_BATH_HEAT), as is what a backend has counted. */
void ph_momenta_add_heat(const struct ph_exact *heat, struct ph_momenta *momenta, double *numbers);
enum ph_status ph_momenta_know_heat(struct ph_momenta *momenta, double *numbers, struct ph_error *err);

#endif
