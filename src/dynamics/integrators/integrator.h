/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_INTEGRATORS_INTEGRATOR_H
#define PH_DYNAMICS_INTEGRATORS_INTEGRATOR_H

/* One-step integrators of rigid molecules in a potential that are not splitting schemes, or have their own name in the
 * literature.
 *
 * A method is one constant object: it defines the step of one body, and where the torque is needed. Everything else is
 * done for all methods alike by motion.c: translation, forces, and the unknown torques of implicit methods. Lists,
 * certification and tests read this object; adding a method is adding an object and a line to the registry. */

#include "dynamics/integrators/spin.h"
#include "rigid/flow.h"

#include <stddef.h>

/* Where torques are wanted, and how centres move along with that:
 *   ends:    at the beginning and at the end of a step; velocity Verlet, or the trapezoidal rule if implicit
 *   middle:  once on the way; position Verlet, or the midpoint rule if implicit */
enum ph_torque_place { PH_TORQUE_ENDS, PH_TORQUE_MIDDLE };

/* Claims of a method for one body; `polhode certify` measures them. */
struct ph_integrator_claims {
    bool reversible;      /* step(-h) undoes step(h) */
    bool symplectic;      /* with any potential */
    bool free_symplectic; /* without a potential */
    bool free_momentum;   /* angular momentum in space, without a potential */
    bool free_energy;     /* likewise */
    bool axis_momentum;   /* with a potential that may be turned about an axis in space: the component along it */
    bool top_energy;      /* energy of a heavy top */
};

struct ph_integrator {
    const char *name;          /* as written in input files */
    const char *summary;       /* one line */
    const char *documentation; /* a paragraph for the user: the formulas, and more */
    const char *reference;
    int order;     /* in orientation and momentum */
    bool implicit; /* torques are unknowns: all molecules are solved for together */
    enum ph_torque_place place;
    struct ph_integrator_claims claims;
    /* Why linear rotors are refused; NULL if they are not. They have W = 0, and no momentum, about their axis. */
    const char *not_linear;
    const struct ph_flow *flow; /* kick, this flow, kick; then there is neither lead nor close */
    /* lead: computes `where`; explicit methods only. close: computes end_q and end_m from `push`. For explicit methods
     * it uses nothing else but `kept` and `where` from `lead`; for implicit methods it also computes `where`. Both
     * return false if no solution of an equation is found. */
    bool (*lead)(struct ph_spin *spin);
    bool (*close)(struct ph_spin *spin);
};

/* The registry, in the order of the documentation; ph_integrator_find returns NULL for an unknown name. */
size_t ph_integrator_count(void);
const struct ph_integrator *ph_integrator_at(size_t index);
const struct ph_integrator *ph_integrator_find(const char *name);

/* Options and counts of a motion by an integrator; see motion.h */
struct ph_motion_options {
    const struct ph_integrator *integrator;
    double step; /* h, of any sign */
    bool pinned; /* centres do not move */
};

/* Counts since creation. Asking for the energy counts as an evaluation only if the forces were not known. */
struct ph_motion_counts {
    size_t steps, evaluations;
    size_t most_iterations; /* evaluations in one step of an implicit method, the most there were */
};

/* integrator_explicit.c: torques are known before they are needed */
extern const struct ph_integrator ph_integrator_rattle, ph_integrator_vlv, ph_integrator_eln_cay, ph_integrator_eln_exp,
    ph_integrator_liemid_ea, ph_integrator_prk, ph_integrator_mcg, ph_integrator_new3;
/* integrator_implicit.c */
extern const struct ph_integrator ph_integrator_tln_cay, ph_integrator_tln_exp, ph_integrator_trap, ph_integrator_imid,
    ph_integrator_trapm, ph_integrator_imidm, ph_integrator_swc1, ph_integrator_akw, ph_integrator_bbtrap,
    ph_integrator_bbtrapwd, ph_integrator_midpoint;

#endif
