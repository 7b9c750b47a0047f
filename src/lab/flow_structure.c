/* SPDX-License-Identifier: MIT */
/* What a flow keeps of the geometry of the free rigid body, measured on random states of two bodies.
 *
 * The two-form. In left-trivialised coordinates a tangent vector of T*SO(3) at (Q, m) is z = (xi, mu): Q moves to
 * Q exp(hat(xi)), m to m + mu. The canonical one-form is theta(z) = m . xi, and for the fields of constant (xi, mu),
 * whose commutator is that of the Lie algebra, [z1, z2] = (xi1 x xi2, 0),
 *     omega(z1, z2) = -d theta(z1, z2) = -z1(theta(z2)) + z2(theta(z1)) + theta([z1, z2])
 *                   = xi1 . mu2 - mu1 . xi2 + m . (xi1 x xi2)  =  z1^T W(m) z2,   W(m) = ( -hat(m)  1 )
 *                                                                                        (  -1      0 ).
 * Check: the equations of motion are X = (w, m x w) with w = grad H, and omega(X, z) = w . mu = dH(z).
 * A step with Jacobian J (in these coordinates, before and after) is symplectic if J^T W(m') J = W(m). Its action on
 * m alone, with Jacobian K = d m'/d m, is Poisson if K hat(m) K^T = hat(m').
 *
 * J is measured by central differences of order 10, whose noise, some 3e-14, is what limits the verdict. A method of
 * order p that is not symplectic violates the two-form by h^(p+1), ten times its error in one step, which for high p
 * hides below the noise unless the step is large. So the step grows until the violation is plain, or until the error of
 * the step (of one step against two halves) is so large that a violation would have been seen. An exact flow shows
 * neither; it is taken to the largest step. Steps at which a flow is no longer the method are left out: an implicit
 * flow that does not converge, so that step(-h) does not undo step(h), or that divides the step into several, so that
 * the error falls where it should grow. */
#include "lab/flow_structure.h"

#include "base/rotation.h"
#include "lab/flow_states.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STATES = 16, DIRECTIONS = 6, STENCIL = 5, IMAGES = 1 + DIRECTIONS * 2 * STENCIL };

/* |m| of all states: the largest component is then in [1, 2), the unit in which flows see it, for any direction. */
static const double momentum = 1.8;

static void random_momentum(int state, double m[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        m[k] = ph_states_normal(1, (uint64_t)(3 * state + k));
        square += m[k] * m[k];
    }
    for (int k = 0; k < 3; ++k)
        m[k] *= momentum / sqrt(square);
}

static void random_attitude(int state, double q[4])
{
    double square = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = ph_states_normal(2, (uint64_t)(4 * state + k));
        square += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(square);
}

static void put(struct ph_bodies bodies, size_t i, const double m[3], const double q[4])
{
    for (int k = 0; k < 3; ++k)
        bodies.m[k][i] = m[k];
    for (int k = 0; k < 4; ++k)
        bodies.q[k][i] = q[k];
}

static void take(struct ph_bodies bodies, size_t i, double m[3], double q[4])
{
    for (int k = 0; k < 3; ++k)
        m[k] = bodies.m[k][i];
    for (int k = 0; k < 4; ++k)
        q[k] = bodies.q[k][i];
}

static void fill(struct ph_bodies bodies)
{
    for (int i = 0; i < STATES; ++i) {
        double m[3], q[4];
        random_momentum(i, m);
        random_attitude(i, q);
        put(bodies, (size_t)i, m, q);
    }
    ph_bodies_set_norm(bodies);
}

/* The step at which the fastest possible body of this top with |m| = 1.8 turns by `turn` */
static double step_for(const struct ph_top *top, double turn)
{
    const double smallest = fmin(top->inertia[0], fmin(top->inertia[1], top->inertia[2]));
    return turn * smallest / momentum;
}

/* ---- derivatives ---- */

static const double stencil[STENCIL] = {5.0 / 6.0, -5.0 / 21.0, 5.0 / 84.0, -5.0 / 504.0, 1.0 / 1260.0};
static const double spacing = 1.0 / 64.0;

/* q exp(xi), the attitude turned by the vector xi in the body frame */
static void turned(const double q[4], const double xi[3], double out[4])
{
    const double angle = sqrt(xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2]);
    const double s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    const double turn[4] = {cos(0.5 * angle), s * xi[0], s * xi[1], s * xi[2]};
    ph_quat_multiply(q, turn, out);
}

/* The vector xi with q = base exp(xi), |xi| < pi */
static void turn_between(const double base[4], const double q[4], double xi[3])
{
    const double inverse[4] = {base[0], -base[1], -base[2], -base[3]};
    double r[4];
    ph_quat_multiply(inverse, q, r);
    const double sine = sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    const double sign = r[0] < 0.0 ? -1.0 : 1.0;
    const double factor = sine > 0.0 ? sign * 2.0 * atan2(sine, fabs(r[0])) / sine : 2.0 * sign;
    for (int k = 0; k < 3; ++k)
        xi[k] = factor * r[1 + k];
}

/* The state itself, then for each direction of (xi, mu / |m|) the points +-1, .. +-5 of the stencil */
static void put_neighbours(struct ph_bodies bodies, size_t first, const double m[3], const double q[4])
{
    put(bodies, first, m, q);
    for (int d = 0; d < DIRECTIONS; ++d)
        for (int s = 0; s < 2 * STENCIL; ++s) {
            const double shift = (s % 2 ? -1.0 : 1.0) * (s / 2 + 1) * spacing;
            double xi[3] = {0.0}, near_m[3] = {m[0], m[1], m[2]}, near_q[4];
            if (d < 3)
                xi[d] = shift;
            else
                near_m[d - 3] += shift * momentum;
            turned(q, xi, near_q);
            put(bodies, first + 1 + (size_t)(d * 2 * STENCIL + s), near_m, near_q);
        }
}

/* J of the step that moved the neighbours, and the image of m; momenta in units of |m| */
static void jacobian(struct ph_bodies bodies, size_t first, double J[6][6], double m[3])
{
    double base_q[4], base_m[3];
    take(bodies, first, base_m, base_q);
    for (int d = 0; d < DIRECTIONS; ++d) {
        double z[2 * STENCIL][6];
        for (int s = 0; s < 2 * STENCIL; ++s) {
            double near_m[3], near_q[4];
            take(bodies, first + 1 + (size_t)(d * 2 * STENCIL + s), near_m, near_q);
            turn_between(base_q, near_q, z[s]);
            for (int k = 0; k < 3; ++k)
                z[s][3 + k] = (near_m[k] - base_m[k]) / momentum;
        }
        for (int k = 0; k < 6; ++k) {
            J[k][d] = 0.0;
            for (int s = 0; s < STENCIL; ++s)
                J[k][d] += stencil[s] * (z[2 * s][k] - z[2 * s + 1][k]) / spacing;
        }
    }
    for (int k = 0; k < 3; ++k)
        m[k] = base_m[k] / momentum;
}

static void hat(const double m[3], double out[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i][i] = 0.0;
        out[i][j] = -m[k];
        out[i][k] = m[j];
    }
}

/* W(m), see above */
static void two_form(const double m[3], double W[6][6])
{
    double m_hat[3][3];
    hat(m, m_hat);
    memset(W, 0, 36 * sizeof(double));
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            W[i][j] = -m_hat[i][j];
        W[i][3 + i] = 1.0;
        W[3 + i][i] = -1.0;
    }
}

/* Largest element of J^T W(m') J - W(m) */
static double symplectic_residual(const double J[6][6], const double before[3], const double after[3])
{
    double W0[6][6], W1[6][6], largest = 0.0;
    two_form(before, W0);
    two_form(after, W1);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            double sum = -W0[i][j];
            for (int k = 0; k < 6; ++k)
                for (int l = 0; l < 6; ++l)
                    sum += J[k][i] * W1[k][l] * J[l][j];
            largest = fmax(largest, isfinite(sum) ? fabs(sum) : HUGE_VAL);
        }
    return largest;
}

/* Largest element of K hat(m) K^T - hat(m'), K the momentum block of J */
static double poisson_residual(const double J[6][6], const double before[3], const double after[3])
{
    double B0[3][3], B1[3][3], largest = 0.0;
    hat(before, B0);
    hat(after, B1);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double sum = -B1[i][j];
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    sum += J[3 + i][3 + k] * B0[k][l] * J[3 + j][3 + l];
            largest = fmax(largest, isfinite(sum) ? fabs(sum) : HUGE_VAL);
        }
    return largest;
}

enum ph_status ph_flow_symplectic_residuals(const struct ph_flow *flow, const struct ph_top *top, double h,
                                            double *poisson, double *symplectic, struct ph_error *err)
{
    struct ph_bodies bodies;
    enum ph_status status = ph_states_create(STATES * IMAGES, &bodies, err);
    if (status != PH_OK)
        return status;
    for (int i = 0; i < STATES; ++i) {
        double m[3], q[4];
        random_momentum(i, m);
        random_attitude(i, q);
        put_neighbours(bodies, (size_t)i * IMAGES, m, q);
    }
    ph_bodies_set_norm(bodies);
    ph_flow_advance(flow, top, h, bodies);
    *poisson = *symplectic = 0.0;
    for (int i = 0; i < STATES; ++i) {
        double J[6][6], before[3], after[3];
        random_momentum(i, before);
        for (int k = 0; k < 3; ++k)
            before[k] /= momentum;
        jacobian(bodies, (size_t)i * IMAGES, J, after);
        *poisson = fmax(*poisson, poisson_residual(J, before, after));
        *symplectic = fmax(*symplectic, symplectic_residual(J, before, after));
    }
    ph_states_destroy(&bodies);
    return PH_OK;
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
    const double apart = fmax(sqrt(m) / momentum, sqrt(fmin(minus, plus)));
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

/* A deviation up to `rounding` is none; from `plain` times that on it is a property of the method. */
static struct ph_property judge(double deviation, double rounding, double plain, double turn)
{
    const enum ph_verdict verdict = deviation <= rounding          ? PH_VERDICT_YES
                                    : deviation > plain * rounding ? PH_VERDICT_NO
                                                                   : PH_VERDICT_UNRESOLVED;
    return (struct ph_property){.verdict = verdict, .deviation = deviation, .rounding = rounding, .turn = turn};
}

static const double plain_loss = 100.0; /* for what should be conserved, or undone */

static void keep_worse(struct ph_property *kept, struct ph_property other)
{
    if (!(other.deviation <= kept->deviation))
        *kept = other;
}

/* Back and forth to this accuracy: the step has been computed. */
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

/* The climb ends when the error of two steps was `ample`; a step with an error above `telling` and no residual shows
 * that the flow has the property. Below `no_error` all is rounding. */
static const double ample_error = 1e-6, telling_error = 1e-13, no_error = 2e-14;

/* Noise of the residuals with the stencil above: below 1e-13 for all flows that have none, up to the largest turn; more
 * for a flow whose own rounding is more than that of the arithmetic, which is what the error of its step then is. */
static const double least_noise = 2e-13, plain_residual = 5.0;
static double stencil_noise(double step_error)
{
    return step_error < no_error ? fmax(least_noise, 3.0 * step_error / spacing) : least_noise;
}

static const double smallest_turn = 0.25, largest_turn = 2.9;

/* Neighbours in the stencil are up to 5/64 faster. */
static const double stencil_margin = 1.1;

/* A residual that is a property of the method falls with some power of the step, from 1 to 25, when the step is made
 * shorter by this factor; one that comes from a jump does not. */
static const double shorter = 0.9;
static bool falls_like_a_power(double residual, double at_shorter)
{
    const double ratio = at_shorter / residual;
    return ratio > pow(shorter, 25.0) && ratio < pow(shorter, 0.5);
}

/* What is known of one property (Poisson, symplectic), over all bodies */
struct evidence {
    struct ph_property worst;
    bool violated;  /* plainly, and as a power of the step */
    bool supported; /* some step would have shown a violation, or the flow is exact */
};

static void weigh(struct evidence *evidence, double residual, double at_shorter, double noise, double turn)
{
    struct ph_property now = judge(residual, noise, plain_residual, turn);
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
    const bool supported = largest > telling_error || (complete && largest < no_error);
    poisson->supported = poisson->supported || supported;
    symplectic->supported = symplectic->supported || supported;
    return PH_OK;
}

static enum ph_status measure_geometry(const struct ph_flow *flow, const struct ph_top tops[PH_CERTIFY_BODIES],
                                       const struct ph_bodies states[3], struct ph_flow_card *card,
                                       struct ph_error *err)
{
    const bool reversible = card->reversible.verdict == PH_VERDICT_YES;
    struct evidence poisson = {.worst = card->poisson}, symplectic = {.worst = card->symplectic};
    for (int b = 0; b < PH_CERTIFY_BODIES; ++b) {
        const enum ph_status status = climb(flow, &tops[b], reversible, states, &poisson, &symplectic, err);
        if (status != PH_OK)
            return status;
    }
    card->poisson = conclude(&poisson);
    card->symplectic = conclude(&symplectic);
    return PH_OK;
}

/* Steps at which an error of the method would be seen, and at which every iteration converges */
static const double reversal_turns[] = {0.05, 0.2, 0.5};

static void measure_reversibility(const struct ph_flow *flow, const struct ph_top *top, struct ph_bodies start,
                                  struct ph_bodies work, struct ph_flow_card *card)
{
    for (size_t i = 0; i < sizeof reversal_turns / sizeof reversal_turns[0]; ++i) {
        const double turn = reversal_turns[i];
        const double distance_left = back_and_forth(flow, top, step_for(top, turn), start, work);
        keep_worse(&card->reversible, judge(distance_left, reversal_noise, plain_loss, turn));
    }
}

enum { STEPS = 1024 };
static const double conservation_turn = 0.5;

/* Rounding of a quantity of order one: a few units in the last place per step, at worst always with the same sign. What
 * is not conserved is lost by much more: the turn is large. */
static const double rounding_per_step = 8.0 * DBL_EPSILON;

static double energy(const struct ph_top *top, const double m[3])
{
    return 0.5 * (m[0] * m[0] / top->inertia[0] + m[1] * m[1] / top->inertia[1] + m[2] * m[2] / top->inertia[2]);
}

static double distance_of(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Q m and H: largest relative deviation over all states and steps */
static void measure_conservation(const struct ph_flow *flow, const struct ph_top *top, struct ph_bodies start,
                                 struct ph_bodies work, struct ph_flow_card *card)
{
    double worst_momentum = 0.0, worst_energy = 0.0;
    ph_states_copy(start, work);
    for (int n = 0; n < STEPS; ++n) {
        ph_flow_advance(flow, top, step_for(top, conservation_turn), work);
        for (size_t i = 0; i < work.n; ++i) {
            double m0[3], q0[4], m[3], q[4], space0[3], space[3];
            take(start, i, m0, q0);
            take(work, i, m, q);
            ph_quat_rotate(q0, m0, space0);
            ph_quat_rotate(q, m, space);
            const double off_momentum = distance_of(space, space0) / momentum;
            const double off_energy = fabs(energy(top, m) / energy(top, m0) - 1.0);
            worst_momentum = fmax(worst_momentum, isfinite(off_momentum) ? off_momentum : HUGE_VAL);
            worst_energy = fmax(worst_energy, isfinite(off_energy) ? off_energy : HUGE_VAL);
        }
    }
    keep_worse(&card->space_momentum, judge(worst_momentum, STEPS * rounding_per_step, plain_loss, conservation_turn));
    keep_worse(&card->energy, judge(worst_energy, STEPS * rounding_per_step, plain_loss, conservation_turn));
}

/* C = |m|^2 / 2. ph_flow_advance takes rounding out of |m| and would hide a small loss: so the flow's own step is
 * called, on a block. Sorted axes and moments in [1, 2) at most, as the bodies here have, make block and body the same.
 */
static void measure_norm(const struct ph_flow *flow, const struct ph_top *top, struct ph_flow_card *card)
{
    double worst = 0.0;
    for (int first = 0; first < STATES; first += PH_LANES) {
        struct ph_block block;
        for (int l = 0; l < PH_LANES; ++l) {
            double m[3];
            random_momentum(first + l, m);
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
                const double off = fabs(square / (momentum * momentum) - 1.0);
                worst = fmax(worst, isfinite(off) ? off : HUGE_VAL);
            }
        }
    }
    keep_worse(&card->norm, judge(worst, 2.0 * STEPS * rounding_per_step, plain_loss, conservation_turn));
}

enum ph_status ph_measure_flow_structure(const struct ph_flow *flow, struct ph_flow_card *card, struct ph_error *err)
{
    const struct ph_property unseen = {.verdict = PH_VERDICT_UNRESOLVED, .deviation = -1.0, .rounding = 1.0};
    card->space_momentum = card->norm = card->energy = card->poisson = card->symplectic = card->reversible = unseen;
    struct ph_bodies states[3] = {{0}}; /* the start, and two to work on */
    enum ph_status status = PH_OK;
    for (int i = 0; i < 3 && status == PH_OK; ++i)
        status = ph_states_create(STATES, &states[i], err);
    if (status == PH_OK)
        fill(states[0]);
    struct ph_top tops[PH_CERTIFY_BODIES];
    for (int b = 0; b < PH_CERTIFY_BODIES && status == PH_OK; ++b) {
        status = ph_top_init(ph_certify_bodies[b].inertia, &tops[b], err);
        if (status != PH_OK)
            break;
        measure_reversibility(flow, &tops[b], states[0], states[1], card);
        measure_conservation(flow, &tops[b], states[0], states[1], card);
        measure_norm(flow, &tops[b], card);
    }
    if (status == PH_OK)
        status = measure_geometry(flow, tops, states, card, err);
    for (int i = 0; i < 3; ++i)
        ph_states_destroy(&states[i]);
    return status;
}
