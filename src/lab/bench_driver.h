/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_DRIVER_H
#define PH_LAB_BENCH_DRIVER_H

/* A benchmark driver: moves molecules by velocity Verlet with the exact free rotation, so that neighbour lists age as
 * in a real run. It is no integrator for users: nothing is written, nothing can be chosen. */

#include "force/force_field.h"
#include "model/system.h"

struct ph_bench_driver; /* opaque */

/* System and force field must outlive the driver; forces are evaluated here for the first step. */
enum ph_status ph_bench_driver_create(struct ph_system *system, struct ph_force_field *field,
                                      struct ph_bench_driver **out, struct ph_error *err);
void ph_bench_driver_destroy(struct ph_bench_driver *driver);

/* Steps of length h; leaves forces of the last positions. */
enum ph_status ph_bench_driver_advance(struct ph_bench_driver *driver, double h, long steps, struct ph_error *err);

/* New momenta at thermal energy kT after every `every` steps: takes the energy of a lattice away as it melts. */
enum ph_status ph_bench_driver_relax(struct ph_bench_driver *driver, double h, long steps, long every, double kT,
                                     struct ph_error *err);

#endif
