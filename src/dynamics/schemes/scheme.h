/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_SCHEMES_SCHEME_H
#define PH_DYNAMICS_SCHEMES_SCHEME_H

/* Splitting schemes as data. */

/* One step of length h is a symmetric sequence of flows, each of a kind that has a letter:
 *   A(a h): drift, free flight and free rotation of all molecules,
 *   B(b h): kick by force and torque, m += b h f, and by their derivative along the accelerations where c is not 0:
 *           b h f + c h^3 g with g = grad(f . M^-1 f), that is twice the rate at which f changes when every molecule
 *           moves with its own acceleration as velocity (for rotation in space: omega = Q I^-1 Q^T torque).
 * Only the first half is stored, up to and including the middle, so that a typing error cannot break the symmetry. */

/* PRK: any A and B. RKN: needs [B,[B,[B,A]]] = 0, true for rigid molecules, since kinetic energy is quadratic in the
 * momenta, as long as A is the exact free flow; A and B are not interchangeable. GRADIENT: RKN with force gradients.
 *
 * DISPLACED: as GRADIENT, without gradients. A kick is b h f(q + d), with the forces of molecules that are displaced by
 * d = (2 c/b) h^2 times their accelerations, and turned likewise. It costs one more evaluation, and differs from
 * b h f + c h^3 g in h^5. It changes momenta by a function of places. So it keeps volumes, momentum and reversibility.
 * But it is no gradient of an energy: the step is not symplectic, and angular momentum is kept only to the order.
 * K. Schaefers, J. Finkenrath, M. Guenther, F. Knechtli, arXiv:2403.10370. */

#include <stdbool.h>
#include <stddef.h>

enum ph_flow_kind { PH_FLOW_DRIFT = 'A', PH_FLOW_KICK = 'B' };

enum ph_scheme_kind { PH_SCHEME_PRK, PH_SCHEME_RKN, PH_SCHEME_GRADIENT, PH_SCHEME_DISPLACED };

enum {
    PH_SCHEME_HALF_MAX = 52,
    PH_SCHEME_DIGITS = 25, /* of the tables */
};

struct ph_scheme {
    const char *name;      /* as written in input files */
    const char *summary;   /* one line */
    const char *reference; /* where the coefficients come from */
    enum ph_scheme_kind kind;
    int order;
    int digits;          /* digits of the publication that meet the order conditions, if fewer than in the table */
    const char *letters; /* kinds of the flows from the outermost inwards, over and over: "AB", "BA" */
    int flows;           /* of one step, odd: 2 s + 1; the stored half has s + 1 */
    double x[PH_SCHEME_HALF_MAX]; /* coefficients, beginning with the outermost */
    double c[PH_SCHEME_HALF_MAX]; /* of kicks; 0 without gradient */
};

/* One flow of a step; k from 0 to flows - 1 */
struct ph_scheme_flow {
    enum ph_flow_kind kind;
    double x, c;
};
struct ph_scheme_flow ph_scheme_flow_at(const struct ph_scheme *scheme, int k);
bool ph_scheme_kick_first(const struct ph_scheme *scheme);
/* True if a step begins with a kick and has a drift in the middle, as of verlet and bcss2-3. */
bool ph_scheme_drift_in_the_middle(const struct ph_scheme *scheme);

/* True if the kicks that have a gradient use displaced forces. */
bool ph_scheme_is_displaced(const struct ph_scheme *scheme);
/* True if no kick has a gradient or displaced forces. */
bool ph_scheme_is_plain(const struct ph_scheme *scheme);

/* Force evaluations of a step in a long run, where the last kick of a step and the first of the next share one, and
 * displaced forces are one more each; and passes for gradients, each about as long as one more. */
int ph_scheme_evaluations(const struct ph_scheme *scheme);
int ph_scheme_gradients(const struct ph_scheme *scheme);

/* Fast evaluations of a step where schemes are nested (dynamics.h); a kick by slow forces needs the fast ones, too. */
int ph_scheme_fast_evaluations(const struct ph_scheme *outer, const struct ph_scheme *inner, int substeps);

/* The largest residual of the order conditions of the scheme's kind up to its order, by computing with words of A and B
 * (see scheme_algebra.h); about 1e-16 in double precision. The second: up to a degree in h, at most 11. Displaced
 * forces count as gradients, which they are up to degree 4. */
double ph_scheme_residual(const struct ph_scheme *scheme);
double ph_scheme_residual_to(const struct ph_scheme *scheme, int degree);

/* The effective error of S. Blanes and P. C. Moan, J. Comput. Appl. Math. 142 (2002) 313: evaluations (and passes for
 * gradients) of a step times |leading error|^(1/order). Of two schemes of one order and kind, one with half the
 * effective error needs half the time for the same accuracy, on average over problems. NaN if there is no memory, and
 * for displaced forces, whose error is no sum of brackets of A and B. */
double ph_scheme_effective_error(const struct ph_scheme *scheme);

const char *ph_scheme_kind_name(enum ph_scheme_kind kind);

/* The registry, in the order of the documentation; ph_scheme_find returns NULL for an unknown name. */
size_t ph_scheme_count(void);
const struct ph_scheme *ph_scheme_at(size_t index);
const struct ph_scheme *ph_scheme_find(const char *name);

#endif
