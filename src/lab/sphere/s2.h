/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_SPHERE_S2_H
#define PH_LAB_SPHERE_S2_H

/* Motion on products of spheres: n unit vectors q_i with the Lagrangian
 *   L = 1/2 sum M_ij q'_i.q'_j - V(q),   q'_i = w_i x q_i,   q_i.w_i = 0,
 *   M_ii w'_i - sum_{j != i} M_ij q_i x (q_j x w'_j) = sum_{j != i} M_ij |w_j|^2 q_i x q_j + t_i,   t_i = -q_i x
 * dV/dq_i (A. Ortolan, thesis, (6.7), with the misprint of (6.5b) put right; multiplied by M_ii). */

/* With a diagonal M these are linear rotors whose centres are pinned. The potential is the engine's force field, which
 * gives the torques t_i. The engine's own schemes can follow the same rotors. The engine has no kinetic energy that
 * couples bodies, as in a double pendulum: the matrix M is added here. */

#include "base/error.h"
#include "force/force_field.h"
#include "lab/problems/problem.h"

#include <stddef.h>

/* ---- Problems ---- */

/* Linear rotors posed as any other problem, and the elements of M that they do not have themselves. */
struct ph_s2_problem {
    const char *name;
    const char *summary;
    const char *reference;
    const struct ph_problem *rotors;
    size_t n_settings; /* of `rotors`, one at most */
    struct ph_setting setting;
    size_t n_coupled;       /* 0: M is diagonal, and `rotors` is the whole problem; else the number of rotors */
    const double *coupling; /* n_coupled x n_coupled, its diagonal is not read */
    double axis[3];         /* axis of symmetry: the angular momentum along it is conserved */
};

size_t ph_s2_problem_count(void);
const struct ph_s2_problem *ph_s2_problem_at(size_t index);
const struct ph_s2_problem *ph_s2_problem_find(const char *name);

/* ---- State ---- */

struct ph_s2 {
    const struct ph_s2_problem *problem;
    size_t n;
    double (*q)[3], (*w)[3]; /* owned: directions, angular velocities, both in space */
    double *mass;            /* owned: M, n x n */
    bool coupled;            /* M is not diagonal */
    struct ph_posed posed;   /* owned */
    struct ph_force_field *field;
    long evaluations; /* of forces, since the start */
    long iterations;  /* of implicit methods, likewise */

    /* Owned scratch: torques and matrix at the state of the last call of ph_s2_prepare, and arrays of the methods. */
    double (*torque)[3];
    double *matrix;
    size_t *pivot;
    double (*work)[3];
};

enum { PH_S2_WORK = 16 }; /* vectors of `work` for each body: work + k n is the k-th array */

enum ph_status ph_s2_create(const struct ph_s2_problem *problem, struct ph_s2 **out, struct ph_error *err);
void ph_s2_destroy(struct ph_s2 *s2);

/* Torques, and with `potential` the potential energy, at the directions q; then w' for any w. */
enum ph_status ph_s2_prepare(struct ph_s2 *s2, const double (*q)[3], double *potential, struct ph_error *err);
void ph_s2_rates(const struct ph_s2 *s2, const double (*q)[3], const double (*w)[3], double (*rate)[3]);

/* The matrix of w' above, and the right-hand side without t, at q and w; both are set, 3n x 3n and 3n numbers. */
void ph_s2_inertia(const struct ph_s2 *s2, const double (*q)[3], double *matrix);
void ph_s2_centrifugal(const struct ph_s2 *s2, const double (*q)[3], const double (*w)[3], double (*out)[3]);

/* Of the state: total energy; sum of q_i x p_i, p_i = sum_j M_ij q'_j */
enum ph_status ph_s2_energy(struct ph_s2 *s2, double *energy, struct ph_error *err);
void ph_s2_momentum(const struct ph_s2 *s2, double momentum[3]);

/* Root of the sum of squares of n differences */
double ph_s2_distance(size_t n, const double (*a)[3], const double (*b)[3]);
/* The largest | |q_i| - 1 | and |q_i.w_i| */
void ph_s2_defects(const struct ph_s2 *s2, double *norm, double *tangent);

/* From the state of linear rotors, and back: the shortest rotation that takes e3 to q. */
void ph_s2_take(const struct ph_system *rotors, double (*q)[3], double (*w)[3]);
void ph_s2_put(size_t n, const double (*q)[3], const double (*w)[3], struct ph_system *rotors);

/* ---- Methods ---- */

/* What a method claims */
struct ph_s2_claims {
    bool norm;               /* |q| = 1 to rounding, also coupled */
    bool tangent;            /* q.w = 0 to rounding, also coupled */
    bool momentum;           /* angular momentum along an axis of symmetry, to rounding */
    bool momentum_coupled;   /* also if M is not diagonal */
    bool reversible;         /* step(-h) undoes step(h), also coupled */
    bool symplectic;         /* with p_i = sum_j M_ij q'_j */
    bool symplectic_coupled; /* also if M is not diagonal */
};

struct ph_s2_method {
    const char *name;
    const char *summary;
    const char *reference;
    const char *documentation;
    int order;
    int evaluations; /* of forces a step; 0: as many as the iteration takes */
    struct ph_s2_claims claims;
    /* One step; the caller has called ph_s2_prepare at the state, or made a step with the same method. */
    enum ph_status (*step)(const struct ph_s2_method *method, double h, struct ph_s2 *s2, struct ph_error *err);
    const void *data;
};

size_t ph_s2_method_count(void);
const struct ph_s2_method *ph_s2_method_at(size_t index);
const struct ph_s2_method *ph_s2_method_find(const char *name);

/* n steps of length h. Fails where an iteration does not converge or numbers are not finite. */
enum ph_status ph_s2_advance(const struct ph_s2_method *method, double h, long n, struct ph_s2 *s2,
                             struct ph_error *err);

/* s2_newmark.c, s2_rattle.c, s2_munthe_kaas.c */
extern const struct ph_s2_method ph_s2_eln, ph_s2_rattle, ph_s2_rkmk4, ph_s2_rkmkgl4;

#endif
