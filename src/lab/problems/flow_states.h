/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_PROBLEMS_FLOW_STATES_H
#define PH_LAB_PROBLEMS_FLOW_STATES_H

/* Bodies on which flows are measured; arrays of bodies that own their memory, and random bodies to fill them with. */

#include "base/error.h"
#include "rigid/flow.h"

#include <stdint.h>

/* n bodies at rest, orientation 1, norm set; destroy with ph_states_destroy, which accepts {0}. */
enum ph_status ph_states_create(size_t n, struct ph_bodies *bodies, struct ph_error *err);
void ph_states_destroy(struct ph_bodies *bodies);

/* Copies m, q and norm; both must have the same n. */
void ph_states_copy(struct ph_bodies from, struct ph_bodies to);

/* Body i of the array */
void ph_states_put(struct ph_bodies bodies, size_t i, const double m[3], const double q[4]);
void ph_states_take(struct ph_bodies bodies, size_t i, double m[3], double q[4]);

/* The random states for the certification of flows. Directions of m and orientations are uniform. With |m| = 1.8 the
 * largest component is in [1, 2) for any direction, as flows scale it. Linear rotors get no momentum about the axis. */
enum { PH_STATES_DRAWN = 16 };
extern const double ph_states_momentum;
void ph_states_draw(const struct ph_top *top, int state, double m[3], double q[4]);

/* The bodies of E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, section 3. Then a rod, on which the errors of
 * methods of high order are large enough to be seen. The last is a linear rotor. */
enum { PH_CERTIFY_LINEAR = 3, PH_CERTIFY_BODIES = 4 };
struct ph_certify_body {
    const char *name;
    double inertia[3], momentum[3];
};
extern const struct ph_certify_body ph_certify_bodies[PH_CERTIFY_BODIES]; /* flat (water), asymmetric, rod, linear */

/* Random numbers that depend on (stream, index) alone: splitmix64 of the counter. */
double ph_states_uniform(uint64_t stream, uint64_t index); /* in (0, 1) */
double ph_states_normal(uint64_t stream, uint64_t index);  /* mean 0, variance 1 */

#endif
