/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_FLOW_H
#define PH_RIGID_FLOW_H

/* Flows of the free rigid body: m' = m x I^-1 m (body frame), q' = 1/2 q (0, I^-1 m).
 *
 * Every way to advance a free body is one constant struct ph_flow. Lists, help texts, tests, certification
 * and output files read this one object; adding a flow is adding one object and one line to the registry. */

#include "base/lanes.h"
#include "rigid/top.h"

#include <stdbool.h>
#include <stddef.h>

/* The bodies of one species, one array per component. A view: nothing here is owned. */
struct ph_bodies {
    size_t n;
    double *m[3]; /* angular momentum in the body frame */
    double *q[4]; /* orientation, unit quaternion, scalar first, body to space */
    /* |m| of each body, against which rounding in |m| is corrected after each step; the owner sets it when m is set
     * or kicked (ph_bodies_set_norm). NULL: |m| on entry is used, and rounding accumulates as a random walk. */
    double *norm;
};

/* PH_LANES bodies inside a flow: sorted axes, scaled moments, and |m| of order one by a power of two
 * that has moved into the step. */
struct ph_block {
    PH_ALIGNED double tau[PH_LANES];   /* step of each lane in these units */
    PH_ALIGNED double y[3][PH_LANES];  /* in: m before the step; out: after */
    PH_ALIGNED double dq[4][PH_LANES]; /* in: 1; out: rotation over the step, q_new = q dq, of unit norm to rounding */
};

/* Claims of a flow; `polhode certify` measures every one of them. */
struct ph_flow_claims {
    bool conserves_space_momentum; /* Q m */
    bool conserves_norm;           /* C = |m|^2 / 2 */
    bool conserves_energy;         /* H = m . I^-1 m / 2 */
    bool poisson;                  /* the map of m is Poisson */
    bool symplectic;               /* the map of (m, Q) is symplectic */
    bool reversible;               /* step(-h) undoes step(h) */
};

struct ph_flow {
    const char *name;          /* as written in input files */
    const char *summary;       /* one line */
    const char *reference;     /* where the method comes from */
    const char *documentation; /* a paragraph for the user */
    int order;                 /* in (m, q); 0: exact, no step size error */
    bool exact_momentum;       /* m has no step size error, and the order refers to q */
    struct ph_flow_claims claims;
    /* Advances one block of lanes; cannot fail. Lanes with y = 0 come out with dq = 1.
     * `data` is for flows that differ by a parameter only. */
    void (*step)(const struct ph_flow *flow, const struct ph_top *top, struct ph_block *block);
    const void *data;
};

/* Advances all bodies by time h (any sign), in place. Uses all threads that OpenMP offers; a body's result
 * depends on that body alone. The angular momentum of a linear rotor about its axis is set to zero. */
void ph_flow_advance(const struct ph_flow *flow, const struct ph_top *top, double h, struct ph_bodies bodies);

/* norm = |m| for all bodies, without overflow or underflow */
void ph_bodies_set_norm(struct ph_bodies bodies);

/* The registry, in the order of the documentation; ph_flow_find returns NULL for an unknown name. */
size_t ph_flow_count(void);
const struct ph_flow *ph_flow_at(size_t index);
const struct ph_flow *ph_flow_find(const char *name);

#endif
