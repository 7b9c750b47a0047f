/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_STUDIES_DMV_FIXED_POINT_H
#define PH_LAB_STUDIES_DMV_FIXED_POINT_H

/* The step of the preprocessed discrete Moser-Veselov algorithm as its authors solve it: by fixed-point iteration,
 * which converges for short steps only. The flows of the program solve the same equation by Newton's iteration, in
 * parts if the step is long; this is here to see how often the plain iteration fails. */

#include "rigid/flow.h"

#include <stdint.h>

/* One step h of the algorithm of an even order from 2 to 14: m becomes the momentum after it. False if the iteration
 * does not converge; m is then unchanged. The moments of the top must be given in rising order, the largest in [1, 2).
 */
bool ph_dmv_fixed_point(const struct ph_top *top, int order, double h, double m[3]);

/* Numbers of random bodies that dmv of some order brings to t = 10 with steps of 0.34 */
struct ph_dmv_converged {
    int flow;        /* by the flow of the program: within 0.1 of where they should be */
    int fixed_point; /* by fixed-point iteration, which converges in all steps */
    /* The same, of bodies that are random in another way. Moments are three uniform numbers over the largest of them,
     * whether a body can have them or not. Momenta are three uniform numbers. */
    int fixed_point_any;
};
enum ph_status ph_dmv_count_converged(const struct ph_flow *dmv, uint64_t seed, int bodies,
                                      struct ph_dmv_converged *converged, struct ph_error *err);

#endif
