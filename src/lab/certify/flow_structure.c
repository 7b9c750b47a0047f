/* SPDX-License-Identifier: MIT */
/* Geometric properties of the free rigid body that a flow preserves, measured on random states of four bodies.
 *
 * Whether a step is Poisson and symplectic is read off its Jacobian (flow_jacobian.c), whose noise, some 3e-14,
 * limits the verdict. A method of order p that is not symplectic violates the two-form by h^(p+1), ten times its
 * error in one step. For high p the violation hides below the noise unless the step is large. So the step grows
 * until the violation is plain. The growth also ends where the error of the step (of one step against two halves) is
 * so large that a violation would have been seen. */

/* An exact flow shows neither; it is taken to the largest step. Steps at which a flow is no longer the method are
 * left out. An implicit flow may not converge, so that step(-h) does not undo step(h). Or it divides the step into
 * several, so that the error falls where it should grow. */
#include "lab/certify/flow_structure.h"

#include "base/rotation.h"
#include "lab/certify/flow_jacobian.h"
#include "lab/problems/flow_states.h"

#include <float.h>
#include <math.h>

enum { STATES = PH_STATES_DRAWN };

static void fill(const struct ph_top *top, struct ph_bodies bodies)
{
    for (int i = 0; i < STATES; ++i) {
        double m[3], q[4];
        ph_states_draw(top, i, m, q);
        ph_states_put(bodies, (size_t)i, m, q);
    }
    ph_bodies_set_norm(bodies);
}

/* The step at which the fastest possible body of this top with |m| = 1.8 turns by `turn` */
static double step_for(const struct ph_top *top, double turn)
{
    return turn * (top->moment[0] * top->scale) / ph_states_momentum;
}

/* ---- back and forth ---- */

/* Distance of body i in two arrays, the larger of |m1 - m2| / |m| and |q1 -+ q2|; m2 taken with the sign given */
static double distance_of_one(struct ph_bodies a, struct ph_bodies b, double sign, size_t i)
{
    double m = 0.0, minus = 0.0, plus = 0.0;
    for (int k = 0; k < 3; ++k)
        m += (a.m[k][i] - sign * b.m[k][i]) * (a.m[k][i] - sign * b.m[k][i]);
    for (int k = 0; k < 4; ++k) {
        minus += (a.q[k][i] - b.q[k][i]) * (a.q[k][i] - b.q[k][i]);
        plus += (a.q[k][i] + b.q[k][i]) * (a.q[k][i] + b.q[k][i]);
    }
    const double apart = fmax(sqrt(m) / ph_states_momentum, sqrt(fmin(minus, plus)));
    return isfinite(m + minus) ? apart : HUGE_VAL;
}

static double distance(struct ph_bodies a, struct ph_bodies b, double sign)
{
    double largest = 0.0;
    for (size_t i = 0; i < a.n; ++i)
        largest = fmax(largest, distance_of_one(a, b, sign, i));
    return largest;
}

/* The flow phi_h is symmetric if phi_-h phi_h = 1 (it is its own adjoint), and reversible if with rho: m -> -m
 * phi_h rho phi_h = rho. Returns the larger distance from both. */
static double back_and_forth(const struct ph_flow *flow, const struct ph_top *top, double h, struct ph_bodies start,
                             struct ph_bodies work)
{
    ph_states_copy(start, work);
    ph_flow_advance(flow, top, h, work);
    ph_flow_advance(flow, top, -h, work);
    const double adjoint = distance(work, start, 1.0);
    ph_states_copy(start, work);
    ph_flow_advance(flow, top, h, work);
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < work.n; ++i)
            work.m[k][i] = -work.m[k][i];
    ph_flow_advance(flow, top, h, work);
    return fmax(adjoint, distance(work, start, -1.0));
}

/* ---- verdicts ---- */

static const double plain_loss = 100.0; /* for conserved quantities, and for steps forth and back */

/* If forth and back agree to this accuracy, the step was computed. */
static const double reversal_noise = 100.0 * DBL_EPSILON;

/* Distance of each state after one step and after two half steps */
static void step_errors(const struct ph_flow *flow, const struct ph_top *top, double h, struct ph_bodies start,
                        struct ph_bodies one, struct ph_bodies two, double errors[STATES])
{
    ph_states_copy(start, one);
    ph_flow_advance(flow, top, h, one);
    ph_states_copy(start, two);
    ph_flow_advance(flow, top, 0.5 * h, two);
    ph_flow_advance(flow, top, 0.5 * h, two);
    for (size_t i = 0; i < STATES; ++i)
        errors[i] = distance_of_one(one, two, 1.0, i);
}

/* The step is no longer increased once the error of two steps was `ample`. A step with an error above `telling` and no
 * residual shows that the flow has the property. Below `no_error` all is rounding. */
static const double ample_error = 1e-6, telling_error = 1e-13, no_error = 2e-14;

/* Noise of the residuals: below 1e-13 for all flows that have none, up to the largest turn. The noise is larger for a
 * flow with more rounding of its own than the arithmetic has. The error of its step is then this rounding. */
static const double least_noise = 2e-13, plain_residual = 5.0;
static double stencil_noise(double step_error)
{
    return step_error < no_error ? fmax(least_noise, 3.0 * step_error / ph_jacobian_spacing) : least_noise;
}

static const double smallest_turn = 0.25, largest_turn = 2.9;

/* Neighbours in the stencil are up to 5/64 faster. */
static const double stencil_margin = 1.1;

/* A residual that is a property of the method falls with some power of the step, from 1 to 25, when the step is made
 * shorter by this factor. A residual from a jump does not. */
static const double shorter = 0.9;
static bool falls_like_a_power(double residual, double at_shorter)
{
    const double ratio = at_shorter / residual;
    return ratio > pow(shorter, 25.0) && ratio < pow(shorter, 0.5);
}

/* Evidence on one property (Poisson, symplectic), over all bodies */
struct evidence {
    struct ph_property worst;
    bool violated;  /* plainly, and as a power of the step */
    bool supported; /* some step would have shown a violation, or the flow is exact */
};

static void weigh(struct evidence *evidence, double residual, double at_shorter, double noise, double turn)
{
    struct ph_property now = ph_property_unseen;
    ph_property_judge(&now, residual, noise, plain_residual, turn);
    if (evidence->violated)
        return;
    evidence->violated = now.verdict == PH_VERDICT_NO && falls_like_a_power(residual, at_shorter);
    if (now.verdict == PH_VERDICT_NO && !evidence->violated)
        now.verdict = PH_VERDICT_UNRESOLVED;
    if (evidence->violated || !(now.deviation * evidence->worst.rounding <= evidence->worst.deviation * now.rounding))
        evidence->worst = now; /* the worst relative to its noise */
}

static struct ph_property conclude(const struct evidence *evidence)
{
    struct ph_property property = evidence->worst;
    if (!evidence->violated && !(evidence->supported && property.verdict == PH_VERDICT_YES))
        property.verdict = PH_VERDICT_UNRESOLVED;
    return property;
}

/* Whether the flow at this step is still the method it is at small steps; `errors` are the largest so far */
static bool is_the_method(const struct ph_flow *flow, const struct ph_top *top, double turn, bool reversible,
                          const struct ph_bodies states[3], const double errors[STATES])
{
    const double h = step_for(top, turn);
    if (reversible && !(back_and_forth(flow, top, h, states[0], states[1]) <= reversal_noise))
        return false;
    double larger[STATES];
    step_errors(flow, top, stencil_margin * h, states[0], states[1], states[2], larger);
    for (int i = 0; i < STATES; ++i)
        if (errors[i] > no_error && !(larger[i] > errors[i]))
            return false;
    return true;
}

static enum ph_status climb(const struct ph_flow *flow, const struct ph_top *top, bool reversible,
                            const struct ph_bodies states[3], struct evidence *poisson, struct evidence *symplectic,
                            struct ph_error *err)
{
    double errors[STATES] = {0.0}, largest = 0.0;
    int ample = 0;
    bool complete = true;
    for (double turn = smallest_turn; turn < largest_turn && ample < 2; turn *= sqrt(2.0)) {
        const double h = step_for(top, turn);
        double now[STATES];
        step_errors(flow, top, h, states[0], states[1], states[2], now);
        for (int i = 0; i < STATES; ++i)
            errors[i] = fmax(errors[i], now[i]);
        complete = is_the_method(flow, top, turn, reversible, states, errors);
        if (!complete)
            break;
        double p, s, p_shorter, s_shorter;
        enum ph_status status = ph_flow_symplectic_residuals(flow, top, h, &p, &s, err);
        if (status == PH_OK)
            status = ph_flow_symplectic_residuals(flow, top, shorter * h, &p_shorter, &s_shorter, err);
        if (status != PH_OK)
            return status;
        for (int i = 0; i < STATES; ++i)
            largest = fmax(largest, now[i]);
        weigh(poisson, p, p_shorter, stencil_noise(largest), turn);
        weigh(symplectic, s, s_shorter, stencil_noise(largest), turn);
        ample += largest > ample_error;
    }
    /* On linear rotors every flow that turns them about m by an angle that depends on |m| alone is symplectic. So
     * linear rotors can show a violation, but not that there is none. */
    const bool supported = top->kind != PH_TOP_LINEAR && (largest > telling_error || (complete && largest < no_error));
    poisson->supported = poisson->supported || supported;
    symplectic->supported = symplectic->supported || supported;
    return PH_OK;
}

static enum ph_status measure_geometry(const struct ph_flow *flow, const struct ph_top tops[PH_CERTIFY_BODIES],
                                       const struct ph_bodies states[3], struct ph_property *property,
                                       struct ph_error *err)
{
    const bool reversible = property[PH_FLOW_REVERSIBLE].verdict == PH_VERDICT_YES;
    struct evidence poisson = {.worst = property[PH_FLOW_POISSON]},
                    symplectic = {.worst = property[PH_FLOW_SYMPLECTIC]};
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        fill(&tops[b], states[0]);
        const enum ph_status status = climb(flow, &tops[b], reversible, states, &poisson, &symplectic, err);
        if (status != PH_OK)
            return status;
    }
    property[PH_FLOW_POISSON] = conclude(&poisson);
    property[PH_FLOW_SYMPLECTIC] = conclude(&symplectic);
    return PH_OK;
}

/* Steps at which an error of the method would be seen, and at which every iteration converges */
static const double reversal_turns[] = {0.05, 0.2, 0.5};

static void measure_reversibility(const struct ph_flow *flow, const struct ph_top *top, struct ph_bodies start,
                                  struct ph_bodies work, struct ph_property *property)
{
    for (size_t i = 0; i < sizeof reversal_turns / sizeof reversal_turns[0]; ++i) {
        const double turn = reversal_turns[i];
        const double distance_left = back_and_forth(flow, top, step_for(top, turn), start, work);
        ph_property_judge(&property[PH_FLOW_REVERSIBLE], distance_left, reversal_noise, plain_loss, turn);
    }
}

enum { STEPS = 1024 };
static const double conservation_turn = 0.5;

/* Rounding of a quantity of order one: a few units in the last place per step, at worst always with the same sign. A
 * quantity that is not conserved changes by much more, since the turn is large. */
static const double rounding_per_step = 8.0 * DBL_EPSILON;

static double energy(const struct ph_top *top, const double m[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        sum += k == top->linear_axis ? 0.0 : m[k] * m[k] / top->inertia[k];
    return 0.5 * sum;
}

static double distance_of(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Q m and H: largest relative deviation over all states and steps */
static void measure_conservation(const struct ph_flow *flow, const struct ph_top *top, struct ph_bodies start,
                                 struct ph_bodies work, struct ph_property *property)
{
    double worst_momentum = 0.0, worst_energy = 0.0;
    ph_states_copy(start, work);
    for (int n = 0; n < STEPS; ++n) {
        ph_flow_advance(flow, top, step_for(top, conservation_turn), work);
        for (size_t i = 0; i < work.n; ++i) {
            double m0[3], q0[4], m[3], q[4], space0[3], space[3];
            ph_states_take(start, i, m0, q0);
            ph_states_take(work, i, m, q);
            ph_quat_rotate(q0, m0, space0);
            ph_quat_rotate(q, m, space);
            const double off_momentum = distance_of(space, space0) / ph_states_momentum;
            const double off_energy = fabs(energy(top, m) / energy(top, m0) - 1.0);
            worst_momentum = fmax(worst_momentum, isfinite(off_momentum) ? off_momentum : HUGE_VAL);
            worst_energy = fmax(worst_energy, isfinite(off_energy) ? off_energy : HUGE_VAL);
        }
    }
    ph_property_judge(&property[PH_FLOW_SPACE_MOMENTUM], worst_momentum, STEPS * rounding_per_step, plain_loss,
                      conservation_turn);
    ph_property_judge(&property[PH_FLOW_ENERGY], worst_energy, STEPS * rounding_per_step, plain_loss,
                      conservation_turn);
}

/* C = |m|^2 / 2. ph_flow_advance takes rounding out of |m| and would hide a small loss: so the flow's own step is
 * called, on a block. Sorted axes and moments in [1, 2) at most, as the bodies here have, make block and body the same.
 */
static void measure_norm(const struct ph_flow *flow, const struct ph_top *top, struct ph_property *property)
{
    double worst = 0.0;
    for (int first = 0; first < STATES; first += PH_LANES) {
        struct ph_block block;
        for (int l = 0; l < PH_LANES; ++l) {
            double m[3], q[4];
            ph_states_draw(top, first + l, m, q);
            for (int k = 0; k < 3; ++k)
                block.y[k][l] = m[k];
        }
        for (int n = 0; n < STEPS; ++n) {
            for (int l = 0; l < PH_LANES; ++l) {
                block.tau[l] = step_for(top, conservation_turn) / top->scale;
                block.dq[0][l] = 1.0;
                block.dq[1][l] = block.dq[2][l] = block.dq[3][l] = 0.0;
            }
            flow->step(flow, top, &block);
            for (int l = 0; l < PH_LANES; ++l) {
                double square = 0.0;
                for (int k = 0; k < 3; ++k)
                    square += block.y[k][l] * block.y[k][l];
                const double off = fabs(square / (ph_states_momentum * ph_states_momentum) - 1.0);
                worst = fmax(worst, isfinite(off) ? off : HUGE_VAL);
            }
        }
    }
    ph_property_judge(&property[PH_FLOW_NORM], worst, 2.0 * STEPS * rounding_per_step, plain_loss, conservation_turn);
}

enum ph_status ph_measure_flow_structure(const struct ph_flow *flow, struct ph_property property[PH_FLOW_PROPERTIES],
                                         struct ph_error *err)
{
    for (int k = 0; k < PH_FLOW_PROPERTIES; ++k)
        property[k] = ph_property_unseen;
    struct ph_bodies states[3] = {{0}}; /* the start, and two to work on */
    enum ph_status status = PH_OK;
    for (int i = 0; i < 3 && status == PH_OK; ++i)
        status = ph_states_create(STATES, &states[i], err);
    struct ph_top tops[PH_CERTIFY_BODIES];
    for (int b = 0; b < PH_CERTIFY_BODIES && status == PH_OK; ++b) {
        status = ph_top_init(ph_certify_bodies[b].inertia, &tops[b], err);
        if (status != PH_OK)
            break;
        fill(&tops[b], states[0]);
        measure_reversibility(flow, &tops[b], states[0], states[1], property);
        measure_conservation(flow, &tops[b], states[0], states[1], property);
        measure_norm(flow, &tops[b], property);
    }
    if (status == PH_OK)
        status = measure_geometry(flow, tops, states, property, err);
    for (int i = 0; i < 3; ++i)
        ph_states_destroy(&states[i]);
    return status;
}
