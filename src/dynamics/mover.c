/* SPDX-License-Identifier: MIT */
#include "dynamics/mover.h"

#include "dynamics/baths/metropolis.h"
#include "dynamics/integrators/motion.h"
#include "dynamics/schemes/shadow.h"

#include <math.h>
#include <stdlib.h>

/* One way to move a system: operations on an object of its own */
struct mover_kind {
    void (*destroy)(void *moving);
    enum ph_status (*advance)(void *moving, long n, struct ph_error *err);
    /* Completes pending flows; also computes forces and energies unless `energy` is NULL */
    enum ph_status (*synchronise)(void *moving, struct ph_energy *energy, struct ph_error *err);
    /* The caller has changed the state, or momenta alone; NULL: the object need not know */
    void (*state_changed)(void *moving);
    void (*momenta_changed)(void *moving);
};

/* Layout of the numbers of a mover: numbers of the bath or of an extended Hamiltonian, which has no bath, then of the
 * cell, then of Metropolis' rule */
enum { BATH = 0, EXTENDED = 0, CELL = PH_BATH_NUMBERS, METROPOLIS = CELL + PH_CELL_NUMBERS };
_Static_assert(METROPOLIS + PH_METROPOLIS_NUMBERS <= PH_MOVER_NUMBERS, "room for the numbers of all parts");
_Static_assert(EXTENDED + PH_EXTENDED_NUMBERS <= CELL, "room for the numbers of an extended Hamiltonian");

struct ph_mover {
    const struct mover_kind *kind;
    void *moving;           /* owned */
    struct ph_state *state; /* not owned: the state of `moving` */
    struct ph_system *system;
    struct ph_mover_options options;
    struct ph_kept *kept; /* owned; NULL unless steps may be rejected */
    int64_t step;
    double numbers[PH_MOVER_NUMBERS];
};

/* ---- Splitting schemes ---- */

static void splitting_destroy(void *moving) { ph_dynamics_destroy(moving); }

static enum ph_status splitting_advance(void *moving, long n, struct ph_error *err)
{
    return ph_dynamics_advance(moving, n, err);
}

static enum ph_status splitting_synchronise(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return ph_dynamics_synchronise(moving, energy, err);
}

static void splitting_changed(void *moving) { ph_dynamics_restore_pending_flow(moving, false); }

static const struct mover_kind splitting = {
    .destroy = splitting_destroy,
    .advance = splitting_advance,
    .synchronise = splitting_synchronise,
    .state_changed = splitting_changed,
};

/* ---- One-step integrators: nothing is pending or kept between steps ---- */

static void one_step_destroy(void *moving) { ph_motion_destroy(moving); }

static enum ph_status one_step_advance(void *moving, long n, struct ph_error *err)
{
    return ph_motion_advance(moving, n, err);
}

static enum ph_status one_step_synchronise(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return energy ? ph_motion_know_forces(moving, energy, err) : PH_OK;
}

static const struct mover_kind one_step = {
    .destroy = one_step_destroy,
    .advance = one_step_advance,
    .synchronise = one_step_synchronise,
};

/* ---- Extended Hamiltonians: nothing is pending, only numbers are kept ---- */

static void extended_destroy(void *moving) { ph_extended_destroy(moving); }

static enum ph_status extended_advance(void *moving, long n, struct ph_error *err)
{
    return ph_extended_advance(moving, n, err);
}

static enum ph_status extended_synchronise(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return energy ? ph_extended_evaluate(moving, energy, err) : PH_OK;
}

static void extended_changed(void *moving) { ph_extended_reset(moving); }

static const struct mover_kind extended = {
    .destroy = extended_destroy,
    .advance = extended_advance,
    .synchronise = extended_synchronise,
    .state_changed = extended_changed,
    .momenta_changed = extended_changed,
};

/* ---- All of them ---- */

void ph_mover_destroy(struct ph_mover *mover)
{
    if (!mover)
        return;
    if (mover->moving)
        mover->kind->destroy(mover->moving);
    ph_kept_destroy(mover->kept);
    free(mover);
}

static enum ph_status create_moving(struct ph_mover *mover, struct ph_force_field *field, struct ph_error *err)
{
    const struct ph_mover_options *options = &mover->options;
    enum ph_status status;
    if (options->extended.composition) {
        struct ph_extended *moving;
        mover->kind = &extended;
        status = ph_extended_create(mover->system, field, &options->extended, &options->dynamics,
                                    mover->numbers + EXTENDED, &moving, err);
        mover->moving = moving;
        mover->state = status == PH_OK ? ph_extended_state(moving) : NULL;
    } else if (options->integrator) {
        const struct ph_motion_options stepwise = {
            .integrator = options->integrator, .step = options->dynamics.step, .pinned = options->dynamics.pinned};
        struct ph_motion *motion;
        mover->kind = &one_step;
        status = ph_motion_create(mover->system, field, &stepwise, &motion, err);
        mover->moving = motion;
        mover->state = status == PH_OK ? ph_motion_state(motion) : NULL;
    } else {
        struct ph_dynamics *dynamics;
        mover->kind = &splitting;
        status = ph_dynamics_create(mover->system, field, &options->dynamics, &dynamics, err);
        mover->moving = dynamics;
        mover->state = status == PH_OK ? ph_dynamics_state(dynamics) : NULL;
    }
    return status;
}

static enum ph_status check_middle(const struct ph_mover_options *options, struct ph_error *err)
{
    if (options->integrator || options->dynamics.inner || options->cell.kind ||
        !ph_scheme_drift_in_the_middle(options->dynamics.scheme))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s acts in the middle of a drift. Accepted: verlet and other schemes that begin with a "
                            "kick and have a drift in "
                            "the middle, not nested, without a barostat.",
                            options->bath.kind->name);
    return PH_OK;
}

static enum ph_status create_metropolis(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_flow *flow = mover->options.dynamics.flow;
    const struct ph_integrator *integrator = mover->options.integrator;
    const char *objection = ph_metropolis_objection(flow, integrator);
    if (objection)
        return ph_error_set(err, PH_ERR_INPUT, "Steps cannot be accepted or rejected: %s '%s' %s.",
                            integrator ? "integrator" : "flow", integrator ? integrator->name : flow->name, objection);
    return ph_kept_create(mover->state, PH_STATE_PLACES | PH_STATE_MOMENTA, &mover->kept, err);
}

enum ph_status ph_mover_create(struct ph_system *system, struct ph_force_field *field,
                               const struct ph_mover_options *options, struct ph_mover **out, struct ph_error *err)
{
    *out = NULL;
    if (options->extended.composition && (options->integrator || options->bath.kind || options->cell.kind))
        return ph_error_set(err, PH_ERR_INPUT,
                            "An extended Hamiltonian has no integrator, bath or change of the cell beside it.");
    struct ph_mover *mover = calloc(1, sizeof *mover);
    if (!mover)
        return ph_no_memory(err, "the dynamics");
    *mover = (struct ph_mover){.system = system, .options = *options, .step = options->first_step};
    const struct ph_bath_kind *bath = options->bath.kind;
    enum ph_status status = create_moving(mover, field, err);
    if (status == PH_OK && bath && bath->middle)
        status = check_middle(options, err);
    if (status == PH_OK && bath && bath->metropolis)
        status = create_metropolis(mover, err);
    if (status != PH_OK) {
        ph_mover_destroy(mover);
        return status;
    }
    ph_bath_count_degrees(system, options->bath.translation, options->bath.rotation, mover->options.bath.degrees);
    *out = mover;
    return PH_OK;
}

/* ---- Steps ---- */

/* With noise in the middle the last kick of a step stays pending: see bath_langevin.c. */
static bool keeps_kick(const struct ph_mover *mover)
{
    return mover->options.bath.kind && mover->options.bath.kind->middle;
}

static enum ph_status synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    if (!keeps_kick(mover))
        return mover->kind->synchronise(mover->moving, energy, err);
    return energy ? ph_state_forces(mover->state, PH_FORCES_ALL, energy, err) : PH_OK;
}

static int substeps(const struct ph_mover_options *options)
{
    return options->bath.substeps > 1 ? options->bath.substeps : 1;
}

/* Returns the length of a step: that of `dynamics`, times the substeps of Metropolis' rule. */
static double step_length(const struct ph_mover_options *options) { return substeps(options) * options->dynamics.step; }

/* Applies the bath before or after a step, to momenta between steps. */
static enum ph_status heat(struct ph_mover *mover, ph_bath_half *half, int64_t step, struct ph_error *err)
{
    if (!half)
        return PH_OK;
    const enum ph_status status = synchronise(mover, NULL, err);
    return status == PH_OK ? half(&mover->options.bath, step_length(&mover->options), (uint64_t)step, mover->state,
                                  mover->numbers + BATH, err)
                           : status;
}

static enum ph_status heat_in_the_middle(void *data, struct ph_error *err)
{
    struct ph_mover *mover = data;
    const struct ph_bath_options *bath = &mover->options.bath;
    return bath->kind->middle(bath, mover->options.dynamics.step, (uint64_t)mover->step + 1, mover->state,
                              mover->numbers + BATH, err);
}

static void change_state(struct ph_mover *mover)
{
    if (mover->kind->state_changed)
        mover->kind->state_changed(mover->moving);
    mover->numbers[METROPOLIS + PH_METROPOLIS_KNOWN] = 0.0;
}

/* The state is another one. */
static void forget(struct ph_mover *mover)
{
    change_state(mover);
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0;
}

/* The energy of places that Metropolis' rule asks for */
static enum ph_status find_potential(struct ph_mover *mover, double *potential, struct ph_error *err)
{
    struct ph_energy energy;
    double correction = 0.0;
    enum ph_status status = synchronise(mover, &energy, err);
    if (status == PH_OK && mover->options.bath.shadow)
        status = ph_shadow_correction(&mover->options.dynamics, mover->state, &correction, err);
    if (status == PH_OK)
        *potential = ph_energy_total(&energy) + correction;
    return status;
}

static enum ph_status step_with_potential(struct ph_mover *mover, double *potential, struct ph_error *err)
{
    const enum ph_status status = mover->kind->advance(mover->moving, substeps(&mover->options), err);
    return status == PH_OK ? find_potential(mover, potential, err) : status;
}

/* Takes a step, then accepts or rejects it. Rejects it if numbers fail, which all ranks know by then. */
static enum ph_status try_step(struct ph_mover *mover, struct ph_error *err)
{
    double *numbers = mover->numbers + METROPOLIS;
    const bool known = numbers[PH_METROPOLIS_KNOWN] != 0.0; /* false when a stage begins, or after outside changes */
    double potential = INFINITY;                            /* if numbers fail */
    enum ph_status status =
        known ? synchronise(mover, NULL, err) : find_potential(mover, &numbers[PH_METROPOLIS_POTENTIAL], err);
    if (status != PH_OK)
        return status;
    ph_metropolis_begin(mover->kept, mover->state, numbers);
    status = step_with_potential(mover, &potential, err);
    ph_kept_end(mover->kept, mover->state);
    if (status != PH_OK && (status != PH_ERR_NUMBERS || ph_state_is_lost(mover->state)))
        return status;
    if (!ph_metropolis_decide(mover->kept, &mover->options.bath, (uint64_t)mover->step + 1, potential, mover->state,
                              numbers))
        forget(mover);
    numbers[PH_METROPOLIS_KNOWN] = 1.0;
    return PH_OK;
}

static enum ph_status change_cell(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_cell_options *cell = &mover->options.cell;
    if (!cell->kind || (mover->step - mover->options.first_step) % cell->every != 0)
        return PH_OK;
    struct ph_energy energy;
    bool changed = false;
    enum ph_status status = synchronise(mover, &energy, err);
    if (status == PH_OK)
        status = cell->kind->change(cell, step_length(&mover->options), mover->step, &energy, mover->state,
                                    mover->numbers + CELL, &changed, err);
    if (status == PH_OK && changed && ph_state_knows_forces(mover->state)) /* not where the change was rejected */
        status = ph_cell_choose_again(mover->state, &mover->numbers[CELL + PH_CELL_WORK], err);
    if (changed)
        change_state(mover);
    return status;
}

static enum ph_status step_within(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_bath_kind *bath = mover->options.bath.kind;
    enum ph_status status = bath ? heat(mover, bath->before, mover->step + 1, err) : PH_OK;
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0; /* sums of a checkpoint are valid only for bath->before */
    if (status == PH_OK)
        status = mover->kept            ? try_step(mover, err)
                 : bath && bath->middle ? ph_dynamics_advance_about(mover->moving, heat_in_the_middle, mover, err)
                                        : mover->kind->advance(mover->moving, 1, err);
    mover->step += 1;
    if (status == PH_OK && bath)
        status = heat(mover, bath->after, mover->step, err);
    return status == PH_OK ? change_cell(mover, err) : status;
}

enum ph_status ph_mover_advance(struct ph_mover *mover, long n, struct ph_error *err)
{
    if (!mover->options.bath.kind && !mover->options.cell.kind) {
        mover->step += n;
        return mover->kind->advance(mover->moving, n, err);
    }
    enum ph_status status = PH_OK;
    for (long done = 0; done < n && status == PH_OK; ++done)
        status = step_within(mover, err);
    return status;
}

struct ph_state *ph_mover_state(const struct ph_mover *mover) { return mover->state; }

enum ph_status ph_mover_know_numbers(struct ph_mover *mover, struct ph_error *err)
{
    return ph_state_know_numbers(mover->state, mover->numbers + BATH, err);
}

enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    const enum ph_status status = synchronise(mover, energy, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_complete(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    const enum ph_status status = mover->kind->synchronise(mover->moving, energy, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

bool ph_mover_is_between(const struct ph_mover *mover)
{
    return mover->kind == &splitting && !keeps_kick(mover) && ph_dynamics_has_pending_flow(mover->moving);
}

void ph_mover_state_changed(struct ph_mover *mover)
{
    ph_state_changed(mover->state, PH_STATE_PLACES | PH_STATE_MOMENTA);
    forget(mover);
}

void ph_mover_momenta_changed(struct ph_mover *mover)
{
    ph_state_changed(mover->state, PH_STATE_MOMENTA);
    if (mover->kind->momenta_changed)
        mover->kind->momenta_changed(mover->moving);
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0;
}

int64_t ph_mover_step(const struct ph_mover *mover) { return mover->step; }

double ph_mover_time(const struct ph_mover *mover)
{
    return mover->options.first_time + (double)(mover->step - mover->options.first_step) * step_length(&mover->options);
}

double ph_mover_conserved(const struct ph_mover *mover, double total)
{
    const struct ph_bath_options *bath = &mover->options.bath;
    const struct ph_cell_options *cell = &mover->options.cell;
    if (mover->options.extended.composition)
        return total +
               ph_extended_energy(&mover->options.extended, mover->numbers + EXTENDED, mover->system->box.volume);
    double conserved = total - mover->numbers[BATH + PH_BATH_HEAT] - mover->numbers[CELL + PH_CELL_WORK];
    if (bath->kind && bath->kind->energy)
        conserved += bath->kind->energy(bath, mover->numbers + BATH);
    if (cell->kind && cell->kind->pressure)
        conserved += cell->pressure * mover->system->box.volume;
    return conserved;
}

double ph_mover_acceptance(const struct ph_mover *mover)
{
    return mover->numbers[METROPOLIS + PH_METROPOLIS_ACCEPTED] / mover->numbers[METROPOLIS + PH_METROPOLIS_TRIED];
}

double ph_mover_cell_acceptance(const struct ph_mover *mover)
{
    return mover->numbers[CELL + PH_CELL_ACCEPTED] / mover->numbers[CELL + PH_CELL_TRIED];
}

struct ph_mover_memory ph_mover_save(struct ph_mover *mover)
{
    return (struct ph_mover_memory){
        .step = mover->step,
        .numbers = mover->numbers,
        .has_pending_flow = mover->kind == &splitting && ph_dynamics_has_pending_flow(mover->moving),
        .residuals = ph_state_residuals(mover->state),
    };
}

void ph_mover_restore(struct ph_mover *mover, int64_t step, bool has_pending_flow)
{
    mover->step = step;
    ph_state_restored(mover->state);
    if (mover->kind == &splitting)
        ph_dynamics_restore_pending_flow(mover->moving, has_pending_flow);
}

struct ph_state_counts ph_mover_counts(const struct ph_mover *mover)
{
    if (mover->kind == &one_step)
        return (struct ph_state_counts){.evaluations = ph_motion_counts(mover->moving).evaluations};
    return ph_state_counts(mover->state);
}
