/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_MOMENTA_H
#define PH_DYNAMICS_MOMENTA_H

/* The momenta that a bath acts on, where they are: in the system, or in the memory of a backend. */

#include "dynamics/backend.h"

struct ph_momenta {
    struct ph_system *system;   /* not owned */
    struct ph_backend *backend; /* not owned; NULL: momenta are those of the system, else it is a copy that is old */
    bool heat_there;            /* the backend counts the heat of noise */
};

/* Kinetic energies of all groups */
enum ph_status ph_momenta_kinetic(const struct ph_momenta *momenta, double kinetic[PH_BATH_GROUPS],
                                  struct ph_error *err);
/* All momenta of each group times a number */
enum ph_status ph_momenta_scale(const struct ph_momenta *momenta, const double factor[PH_BATH_GROUPS],
                                struct ph_error *err);

#endif
