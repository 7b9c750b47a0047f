/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_BUILD_METHODS_H
#define PH_RUN_BUILD_METHODS_H

/* Finds the methods that an input names, and checks them against the potential they are used with. */

#include "dynamics/integrators/integrator.h"
#include "dynamics/schemes/scheme.h"
#include "force/interactions.h"
#include "input/input.h"
#include "model/system.h"
#include "rigid/flow.h"

/* Either scheme and flow, or an integrator; the others are NULL. */
struct ph_methods {
    const struct ph_scheme *scheme;
    const struct ph_flow *flow;
    const struct ph_integrator *integrator;
    const struct ph_scheme *inner; /* of a nested scheme, else NULL */
    int substeps;
    double step; /* of the outer one */
};

/* Finds the methods of the last stage, or the default where nothing moves. An unknown name is an error with place, key,
 * name and the nearest known name. */
enum ph_status ph_methods_find(const struct ph_input *input, struct ph_methods *methods, struct ph_error *err);
enum ph_status ph_methods_find_stage(const struct ph_input *input, size_t stage, struct ph_methods *methods,
                                     struct ph_error *err);

/* How many derivatives of the potential energy are continuous: -1 for a plain cut, PH_SMOOTH_ALL if all are. */
int ph_smoothness(const struct ph_system *system, const struct ph_interactions *interactions);

/* Methods that solve for the forces need forces that are continuous: where they jump there may be no solution. */
enum ph_status ph_methods_check(const struct ph_methods *methods, const struct ph_system *system,
                                const struct ph_interactions *interactions, struct ph_error *err);

/* Writes one line on the methods: "scheme verlet (order 2, 1 evaluation a step), flow exact". With `chosen` the line
 * says that the program chose the scheme, because the input names none. */
enum { PH_METHOD_WORDS = 256 };
void ph_methods_describe(const struct ph_methods *methods, bool chosen, char words[PH_METHOD_WORDS]);

/* Writes advice on a potential that is not smooth enough for the order of the scheme, and on a flow of lower order.
 * Also on a permittivity without effect, and on a net charge. "" if there is no advice. A scheme of order p has its
 * order if p derivatives are continuous. */
enum { PH_ADVICE = 1024 };
void ph_methods_advice(const struct ph_methods *methods, const struct ph_system *system,
                       const struct ph_interactions *interactions, char advice[PH_ADVICE]);

#endif
