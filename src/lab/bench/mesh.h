/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_MESH_H
#define PH_LAB_BENCH_MESH_H

/* Electrostatics on a mesh: the cost of a tolerance, and the errors against a direct sum. */

#include "base/error.h"
#include "force/interactions.h"

#include <stddef.h>

enum { PH_MESH_TOLERANCES = 4, PH_MESH_FLUIDS = 3, PH_MESH_ROWS = PH_MESH_TOLERANCES * PH_MESH_FLUIDS };

/* Times of one evaluation of all forces in seconds, the best of many; one thread but for the last */
struct ph_mesh_timing {
    const char *name;
    size_t n;
    struct ph_ewald_choice choice;
    double force_error, torque_error; /* relative, root mean square; NaN for fluids too large for a direct sum */
    double seconds, spread, transform, gather;
    double seconds_all; /* NaN if the threads never ran together */
};

/* Measures for about `seconds` after the fluids have been made and summed directly, which takes a minute. */
enum ph_status ph_bench_mesh(double seconds, int threads, struct ph_mesh_timing rows[PH_MESH_ROWS],
                             struct ph_error *err);

#endif
