/* SPDX-License-Identifier: MIT */
#ifndef PH_BASE_EXTERNAL_FIELDS_H
#define PH_BASE_EXTERNAL_FIELDS_H

/* Parameters of all external fields, as input files give them under interactions.external; zero: no such field. The
 * fields themselves are in force/external/. */

struct ph_external_fields {
    double electric_field[3]; /* on charges and dipoles: -mu.E - q r.E */
    double gravity[3];        /* acceleration of the centre of mass: -m g.r */
    double body_force[3];     /* a constant force in space that acts at body_point of every molecule (heavy top) */
    double body_point[3];
    double tether;           /* k/2 |r - r_start|^2 */
    double gravity_gradient; /* 3/2 k (Q^T e3).I (Q^T e3): a satellite around a mass along e3, k = G M/distance^3 */
    /* u(z) = repulsion/z - core/z^10 with z = height + e3.(Q e3): a charge before a wall */
    double wall_repulsion, wall_core, wall_height;
    /* k (d(1) - d0)^2 - a/d(R), d(S) = sqrt(2 tr(1 - S^T Q)) the distance of the orientation from a rotation S. This is
     * a valley of orientations around Q = 1, and an orientation R that attracts. R is given as a rotation vector */
    double valley_stiffness, valley_distance, attraction;
    double attractor[3];
};

#endif
