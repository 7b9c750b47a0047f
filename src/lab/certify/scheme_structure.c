/* SPDX-License-Identifier: MIT */
/* Geometric properties of rigid molecules that a scheme preserves.
 *
 * Steps are as long as they can be for an error of 1e-3 in the dipoles after their collision: so long that every
 * violation is far above rounding. */
#include "lab/certify/scheme_structure.h"

#include "base/rotation.h"
#include "lab/certify/scheme_jacobian.h"
#include "lab/problems/flow_states.h"

#include <float.h>
#include <math.h>

static const double telling_error = 1e-3;

/* A quantity that is not conserved changes by this many times rounding. */
static const double plain_loss = 100.0;

/* ---- symplectic ---- */

/* Noise of the differences, and of a determinant of up to 36 rows of them */
static const double jacobian_noise = 3e-12, volume_noise = 3e-11;

static enum ph_status measure_two_form(struct ph_trial *trial, double h, struct ph_card *card, struct ph_error *err)
{
    double residual, volume;
    const enum ph_status status = ph_symplectic_residual(trial, h, &residual, &volume, err);
    if (status == PH_OK) {
        ph_property_judge(&card->property[PH_SCHEME_SYMPLECTIC], residual, jacobian_noise, plain_loss, h);
        ph_property_judge(&card->property[PH_SCHEME_VOLUME], volume, volume_noise, plain_loss, h);
    }
    return status;
}

/* ---- reversible ---- */

static void reverse(struct ph_system *system)
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i) {
            system->p[k][i] = -system->p[k][i];
            system->m[k][i] = -system->m[k][i];
        }
}

/* Steps forth and back with steps of opposite sign lead to the start, as do steps forth, and forth again with reversed
 * momenta. */
static enum ph_status measure_return(struct ph_trial *trial, double h, struct ph_card *card, struct ph_error *err)
{
    const struct ph_trial_problem *problem = trial->problem;
    const long n = (long)ceil(problem->time / h);
    struct ph_trial_body end[PH_TRIAL_MOST];
    for (int momenta = 0; momenta < 2; ++momenta) {
        bool broken;
        ph_trial_put(problem->start, trial);
        enum ph_status status = ph_trial_advance(trial, h, n, &broken, err);
        if (momenta)
            reverse(trial->system);
        if (status == PH_OK)
            status = ph_trial_advance(trial, momenta ? h : -h, n, &broken, err);
        if (status != PH_OK)
            return status;
        if (momenta)
            reverse(trial->system);
        ph_trial_take(trial, end);
        ph_property_judge(&card->property[PH_SCHEME_REVERSIBLE], ph_trial_distance(problem->n, end, problem->start),
                          20.0 * problem->rounding, plain_loss, h);
    }
    return PH_OK;
}

/* ---- conserved ---- */

/* Computes total momentum and angular momentum, and the sums of the sizes of their terms */
static void total_momenta(const struct ph_system *system, double total[6], double size[2])
{
    for (int k = 0; k < 6; ++k)
        total[k] = 0.0;
    size[0] = size[1] = 0.0;
    for (size_t i = 0; i < system->n; ++i) {
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        const double m[3] = {system->m[0][i], system->m[1][i], system->m[2][i]};
        double spin[3];
        ph_quat_rotate(q, m, spin);
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            const double p = system->p[k][i];
            const double orbital = system->r[a][i] * system->p[b][i] - system->r[b][i] * system->p[a][i];
            total[k] += p;
            total[3 + k] += orbital + spin[k];
            size[0] += fabs(p);
            size[1] += fabs(orbital) + fabs(spin[k]);
        }
    }
}

static enum ph_status measure_momenta(struct ph_trial *trial, double h, struct ph_card *card, struct ph_error *err)
{
    const struct ph_trial_problem *problem = trial->problem;
    const long n = (long)ceil(problem->time / h);
    double before[6], after[6], size[2], lost[2] = {0.0, 0.0};
    bool broken;
    ph_trial_put(problem->start, trial);
    total_momenta(trial->system, before, size);
    const enum ph_status status = ph_trial_advance(trial, h, n, &broken, err);
    total_momenta(trial->system, after, size);
    for (int k = 0; k < 6; ++k)
        lost[k / 3] = fmax(lost[k / 3], isfinite(after[k]) ? fabs(after[k] - before[k]) / size[k / 3] : HUGE_VAL);
    /* some units in the last place with every flow, at worst all with one sign */
    const double rounding = 4.0 * DBL_EPSILON * (double)(n * ph_trial_flows(trial));
    ph_property_judge(&card->property[PH_SCHEME_MOMENTUM], lost[0], rounding, plain_loss, h);
    ph_property_judge(&card->property[PH_SCHEME_ANGULAR_MOMENTUM], lost[1], rounding, plain_loss, h);
    return status;
}

/* ---- energy ---- */

/* Energy errors of a symplectic scheme stay bounded, but fluctuate slowly, which in one run looks like a drift. So the
 * drift is the mean over several starts, and their scatter gives its error. */
enum { STARTS = 12, SAMPLES = 64, PASSES = 2500 }; /* samples: of the energy in a run; passes: in a run */

static double total_energy(const struct ph_system *system, const struct ph_energy *energy)
{
    return ph_energy_total(energy) + ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
}

/* Random momenta, and centres displaced accordingly */
static void put_start(int start, struct ph_trial *trial)
{
    struct ph_system *system = trial->system;
    const double width = 0.5, displacement = width / sqrt(trial->problem->tether);
    ph_trial_put(trial->problem->start, trial);
    for (size_t i = 0; i < system->n; ++i)
        for (int k = 0; k < 3; ++k) {
            const uint64_t index = 9 * (i + system->n * (size_t)start) + (uint64_t)k;
            system->r[k][i] += displacement * ph_states_normal(3, index);
            system->p[k][i] = width * ph_states_normal(3, index + 3);
            system->m[k][i] = width * ph_states_normal(3, index + 6);
        }
}

/* Energies after every so many steps, less that at first; kinetic energies are about 2. */
static const double settling_time = 1.0;

static enum ph_status sample(struct ph_trial *trial, double h, long every, double off[SAMPLES], struct ph_error *err)
{
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_trial_dynamics(trial, h, &dynamics, err);
    if (status != PH_OK)
        return status;
    struct ph_energy energy = {.radial = 0.0};
    status = ph_dynamics_advance(dynamics, 1 + (long)(settling_time / h), err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(dynamics, &energy, err);
    const double start = total_energy(trial->system, &energy);
    for (int i = 0; i < SAMPLES && status == PH_OK; ++i) {
        status = ph_dynamics_advance(dynamics, every, err);
        if (status == PH_OK)
            status = ph_dynamics_synchronise(dynamics, &energy, err);
        off[i] = total_energy(trial->system, &energy) - start;
    }
    ph_dynamics_destroy(dynamics);
    return status;
}

/* Slope of the straight line through equally spaced energies */
static double slope_of(const double off[SAMPLES], double spacing)
{
    double sum = 0.0, weight = 0.0;
    for (int i = 0; i < SAMPLES; ++i) {
        const double t = (i - 0.5 * (SAMPLES - 1)) * spacing;
        sum += t * off[i];
        weight += t * t;
    }
    return sum / weight;
}

/* h is halved until errors of the energy, in a short time, are at most this. Errors of any consistent scheme fall to a
 * quarter or less with each halving. If they do not even halve in two, shorter steps would not help. */
static const double telling_energy = 1e-4, short_time = 4.0;

static enum ph_status find_step(struct ph_trial *trial, double *h, struct ph_error *err)
{
    enum { HALVINGS = 8 };
    double last = HUGE_VAL, last_but_one = HUGE_VAL;
    for (int i = 0; i < HALVINGS; ++i, *h *= 0.5) {
        double off[SAMPLES], largest = 0.0;
        put_start(0, trial);
        const enum ph_status status = sample(trial, *h, 1 + (long)(short_time / (SAMPLES * *h)), off, err);
        if (status != PH_OK && status != PH_ERR_NUMBERS)
            return status;
        for (int k = 0; k < SAMPLES && status == PH_OK; ++k)
            largest = fabs(off[k]) <= largest ? largest : fabs(off[k]);
        if (status != PH_OK)
            largest = HUGE_VAL;
        if (largest <= telling_energy || (isfinite(last_but_one) && !(largest <= 0.5 * last_but_one)))
            break;
        last_but_one = last;
        last = largest;
    }
    return PH_OK;
}

/* Rounding of the energy in every pass, and the number of standard deviations within which there is no drift */
static const double energy_rounding = DBL_EPSILON, deviations = 5.0;

static enum ph_status measure_drift(struct ph_trial *trial, double h, struct ph_card *card, struct ph_error *err)
{
    enum ph_status status = find_step(trial, &h, err);
    const int passes = ph_scheme_evaluations(trial->scheme) + ph_scheme_gradients(trial->scheme);
    const long every = 1 + PASSES / (passes * SAMPLES);
    double sum = 0.0, squares = 0.0, fluctuation = 0.0;
    bool broken = false;
    for (int start = 0; start < STARTS && status == PH_OK && !broken; ++start) {
        double off[SAMPLES] = {0.0};
        put_start(start, trial);
        status = sample(trial, h, every, off, err);
        broken = status == PH_ERR_NUMBERS;
        const double slope = slope_of(off, h * (double)every);
        sum += slope;
        squares += slope * slope;
        for (int i = 0; i < SAMPLES; ++i)
            fluctuation += off[i] * off[i] / (STARTS * SAMPLES);
    }
    if (status != PH_OK && !broken)
        return status;
    const double drift = sum / STARTS, deviation = sqrt((squares / STARTS - drift * drift) / (STARTS - 1));
    card->figure[PH_SCHEME_DRIFT] = (struct ph_figure){.value = drift, .deviation = deviation, .claimed = NAN};
    card->figure[PH_SCHEME_DRIFT_TIME].value = h * (double)(every * SAMPLES * STARTS);
    card->figure[PH_SCHEME_FLUCTUATION].value = sqrt(fluctuation);
    const double noise = deviations * deviation + energy_rounding * passes / h;
    ph_property_judge(&card->property[PH_SCHEME_NO_DRIFT], broken ? HUGE_VAL : fabs(drift), noise, 3.0, h);
    return PH_OK;
}

/* ---- all together ---- */

/* Evaluations and gradients of ten steps in the middle of a run */
static enum ph_status count(struct ph_trial *trial, double h, struct ph_card *card, struct ph_error *err)
{
    enum { STEPS = 10 };
    struct ph_dynamics *dynamics;
    ph_trial_put(trial->problem->start, trial);
    enum ph_status status = ph_trial_dynamics(trial, h, &dynamics, err);
    if (status != PH_OK)
        return status;
    status = ph_dynamics_advance(dynamics, 1, err);
    const struct ph_state_counts before = ph_state_counts(ph_dynamics_state(dynamics));
    if (status == PH_OK)
        status = ph_dynamics_advance(dynamics, STEPS, err);
    const struct ph_state_counts after = ph_state_counts(ph_dynamics_state(dynamics));
    const bool nested = trial->inner != NULL;
    const size_t forces = nested ? after.slow - before.slow : after.evaluations - before.evaluations;
    const size_t more = nested ? after.fast - before.fast : after.gradients - before.gradients;
    const struct ph_figure evaluations = {
        .value = (double)forces / STEPS, .deviation = NAN, .claimed = ph_scheme_evaluations(trial->scheme)};
    const struct ph_figure gradients = {.value = (double)more / STEPS,
                                        .deviation = NAN,
                                        .claimed = nested ? ph_scheme_fast_evaluations(trial->scheme, trial->inner, 1)
                                                          : ph_scheme_gradients(trial->scheme)};
    card->figure[PH_SCHEME_EVALUATIONS] = evaluations;
    card->figure[PH_SCHEME_GRADIENTS] = gradients;
    ph_property_judge(&card->property[PH_SCHEME_PASSES],
                      fabs(evaluations.value - evaluations.claimed) + fabs(gradients.value - gradients.claimed), 0.0,
                      1.0, 0.0);
    ph_dynamics_destroy(dynamics);
    return status;
}

enum ph_status ph_measure_scheme_structure(const struct ph_scheme *scheme, const struct ph_scheme *inner,
                                           const struct ph_flow *flow, const struct ph_errors *errors,
                                           struct ph_card *card, struct ph_error *err)
{
    const double found = ph_step_for_error(errors, telling_error);
    const double h = isfinite(found) ? found : errors->step[errors->n - 1];
    struct ph_trial dipoles, top, springs;
    enum ph_status status = ph_trial_init(&ph_trial_dipoles, scheme, flow, &dipoles, err);
    if (status == PH_OK) {
        dipoles.inner = inner;
        status = measure_return(&dipoles, h, card, err);
        if (status == PH_OK)
            status = measure_momenta(&dipoles, h, card, err);
        if (status == PH_OK)
            status = count(&dipoles, h / 16.0, card, err);
        if (status == PH_OK)
            status = measure_two_form(&dipoles, fmin(h, 0.1), card, err);
        ph_trial_clear(&dipoles);
    }
    if (status == PH_OK)
        status = ph_trial_init(&ph_trial_top, scheme, flow, &top, err);
    if (status == PH_OK) {
        top.inner = inner;
        status = measure_two_form(&top, h, card, err);
        ph_trial_clear(&top);
    }
    if (status == PH_OK)
        status = ph_trial_init(&ph_trial_springs, scheme, flow, &springs, err);
    if (status == PH_OK) {
        springs.inner = inner;
        status = measure_drift(&springs, h, card, err);
        ph_trial_clear(&springs);
    }
    return status;
}
