/* SPDX-License-Identifier: MIT */
#include "dynamics/mover.h"

#include "dynamics/baths/metropolis.h"
#include "dynamics/integrators/motion.h"

#include <math.h>
#include <stdlib.h>

/* One way to move a system: operations on an object of its own */
struct mover_kind {
    void (*destroy)(void *moving);
    enum ph_status (*advance)(void *moving, long n, struct ph_error *err);
    enum ph_status (*energy)(void *moving, struct ph_energy *energy,
                             struct ph_error *err); /* with forces; NULL: as the dynamics evaluates them */
    /* From outside; NULL: the dynamics is told, and that is all */
    void (*momenta_changed)(void *moving);
    void (*state_changed)(void *moving);
    bool forces_stay; /* where the cell was changed, and forces are those of the new state */
    struct ph_dynamics_counts (*counts)(const void *moving);
};

/* Numbers of a mover, one after the other: those of the bath or of an extended Hamiltonian, which has none, of the
 * cell, of Metropolis' rule */
enum { BATH = 0, EXTENDED = 0, CELL = PH_BATH_NUMBERS, METROPOLIS = CELL + PH_CELL_NUMBERS };
_Static_assert(METROPOLIS + PH_METROPOLIS_NUMBERS <= PH_MOVER_NUMBERS, "room for the numbers of all parts");
_Static_assert(EXTENDED + PH_EXTENDED_NUMBERS <= CELL, "room for the numbers of an extended Hamiltonian");

struct ph_mover {
    const struct mover_kind *kind;
    void *moving;                 /* owned */
    struct ph_dynamics *dynamics; /* not owned: that, or its part that knows where molecules are */
    struct ph_system *system;
    struct ph_force_field *field;
    struct ph_mover_options options;
    struct ph_momenta momenta;        /* for the bath */
    struct ph_metropolis *metropolis; /* owned; NULL without */
    int64_t step;
    double numbers[PH_MOVER_NUMBERS];
};

/* ---- Splitting schemes ---- */

static void splitting_destroy(void *moving) { ph_dynamics_destroy(moving); }

static enum ph_status splitting_advance(void *moving, long n, struct ph_error *err)
{
    return ph_dynamics_advance(moving, n, err);
}

static struct ph_dynamics_counts splitting_counts(const void *moving) { return ph_dynamics_counts(moving); }

static const struct mover_kind splitting = {
    .destroy = splitting_destroy,
    .advance = splitting_advance,
    .forces_stay = true,
    .counts = splitting_counts,
};

/* ---- One-step integrators: nothing is pending or kept between steps ---- */

static void one_step_destroy(void *moving) { ph_motion_destroy(moving); }

static enum ph_status one_step_advance(void *moving, long n, struct ph_error *err)
{
    return ph_motion_advance(moving, n, err);
}

static enum ph_status one_step_energy(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return ph_motion_energy(moving, energy, err);
}

static void one_step_state_changed(void *moving) { ph_motion_reset(moving); }

static struct ph_dynamics_counts one_step_counts(const void *moving)
{
    return (struct ph_dynamics_counts){.evaluations = ph_motion_counts(moving).evaluations};
}

static const struct mover_kind one_step = {
    .destroy = one_step_destroy,
    .advance = one_step_advance,
    .energy = one_step_energy,
    .state_changed = one_step_state_changed,
    .counts = one_step_counts,
};

/* ---- Extended Hamiltonians: nothing is pending, what is kept are numbers ---- */

static void extended_destroy(void *moving) { ph_extended_destroy(moving); }

static enum ph_status extended_advance(void *moving, long n, struct ph_error *err)
{
    return ph_extended_advance(moving, n, err);
}

static enum ph_status extended_energy(void *moving, struct ph_energy *energy, struct ph_error *err)
{
    return ph_extended_evaluate(moving, energy, err);
}

static void extended_state_changed(void *moving) { ph_extended_reset(moving); }

static struct ph_dynamics_counts extended_counts(const void *moving) { return ph_extended_counts(moving); }

static const struct mover_kind extended = {
    .destroy = extended_destroy,
    .advance = extended_advance,
    .energy = extended_energy,
    .momenta_changed = extended_state_changed,
    .state_changed = extended_state_changed,
    .counts = extended_counts,
};

/* ---- All of them ---- */

void ph_mover_destroy(struct ph_mover *mover)
{
    if (!mover)
        return;
    if (mover->moving)
        mover->kind->destroy(mover->moving);
    ph_metropolis_destroy(mover->metropolis);
    free(mover);
}

static enum ph_status create_moving(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_mover_options *options = &mover->options;
    enum ph_status status;
    if (options->extended.composition) {
        struct ph_extended *moving;
        mover->kind = &extended;
        status = ph_extended_create(mover->system, mover->field, &options->extended, &options->dynamics,
                                    mover->numbers + EXTENDED, &moving, err);
        mover->moving = moving;
        mover->dynamics = status == PH_OK ? ph_extended_dynamics(moving) : NULL;
    } else if (options->integrator) {
        const struct ph_motion_options stepwise = {.integrator = options->integrator,
                                                   .step = options->dynamics.step,
                                                   .pinned = options->dynamics.pinned,
                                                   .apart = options->dynamics.apart};
        struct ph_motion *motion;
        mover->kind = &one_step;
        status = ph_motion_create(mover->system, mover->field, &stepwise, &motion, err);
        mover->moving = motion;
        mover->dynamics = status == PH_OK ? ph_motion_dynamics(motion) : NULL;
    } else {
        struct ph_dynamics *dynamics;
        struct ph_dynamics_options flows = options->dynamics;
        flows.owned = true;
        mover->kind = &splitting;
        status = ph_dynamics_create(mover->system, mover->field, &flows, &dynamics, err);
        mover->moving = mover->dynamics = dynamics;
    }
    return status;
}

static enum ph_status create_metropolis(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_flow *flow = mover->options.dynamics.flow;
    const struct ph_integrator *integrator = mover->options.integrator;
    const char *objection = ph_metropolis_objection(flow, integrator);
    if (objection)
        return ph_error_set(err, PH_ERR_INPUT, "Steps cannot be accepted or rejected: %s '%s' %s.",
                            integrator ? "integrator" : "flow", integrator ? integrator->name : flow->name, objection);
    return ph_metropolis_create(mover->system, &mover->metropolis, err);
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
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the dynamics.");
    *mover = (struct ph_mover){.system = system, .field = field, .options = *options, .step = options->first_step};
    mover->momenta = (struct ph_momenta){.system = system, .backend = options->dynamics.backend};
    const struct ph_bath_kind *bath = options->bath.kind;
    enum ph_status status = create_moving(mover, err);
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

/* The bath before or after a step; momenta are those between steps. */
static enum ph_status heat(struct ph_mover *mover, ph_bath_half *half, int64_t step, struct ph_error *err)
{
    if (!half)
        return PH_OK;
    mover->momenta.own = NULL;
    enum ph_status status = ph_dynamics_synchronise_momenta(mover->dynamics, &mover->momenta.own, err);
    if (status != PH_OK)
        return status;
    status = half(&mover->options.bath, mover->options.dynamics.step, (uint64_t)step, &mover->momenta,
                  mover->numbers + BATH, err);
    if (!mover->momenta.backend)
        ph_mover_momenta_changed(mover);
    return status;
}

/* Energies, where the kind of mover has its own: then the dynamics is asked for none. */
static enum ph_status know_energy(struct ph_mover *mover, struct ph_energy **energy, struct ph_error *err)
{
    if (!mover->kind->energy || !*energy)
        return PH_OK;
    const enum ph_status status = mover->kind->energy(mover->moving, *energy, err);
    *energy = NULL;
    return status;
}

/* Between steps, for somebody who changes the state where molecules are; *state as of ph_dynamics_synchronise_places */
static enum ph_status settle(struct ph_mover *mover, const struct ph_rows **state, struct ph_energy *energy,
                             struct ph_error *err)
{
    *state = NULL;
    const enum ph_status status = know_energy(mover, &energy, err);
    return status == PH_OK ? ph_dynamics_synchronise_places(mover->dynamics, state, energy, err) : status;
}

static const struct ph_owned *owned(const struct ph_mover *mover, const struct ph_rows *state)
{
    return state ? ph_force_field_owned(mover->field) : NULL;
}

/* One step, and the energy after it. What is kept of molecules goes where they go. */
static enum ph_status step_and_settle(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    const struct ph_rows *state;
    ph_dynamics_carry(mover->dynamics, PH_METROPOLIS_ROWS, ph_metropolis_rows(mover->metropolis));
    enum ph_status status = mover->kind->advance(mover->moving, 1, err);
    if (status == PH_OK)
        status = settle(mover, &state, energy, err);
    ph_dynamics_drop(mover->dynamics, PH_METROPOLIS_ROWS);
    return status;
}

/* A step that is accepted or rejected. Where numbers fail, which all processes know by then, it is rejected; but if
 * lists have failed where there were owners, nobody knows his molecules. */
static enum ph_status try_step(struct ph_mover *mover, struct ph_error *err)
{
    double *numbers = mover->numbers + METROPOLIS;
    const bool known = numbers[PH_METROPOLIS_KNOWN] != 0.0; /* not where the stage begins, or changed from outside */
    struct ph_energy energy;
    const struct ph_rows *state;
    enum ph_status status = settle(mover, &state, known ? NULL : &energy, err);
    if (status != PH_OK)
        return status;
    numbers[PH_METROPOLIS_POTENTIAL] = known ? numbers[PH_METROPOLIS_POTENTIAL] : ph_energy_total(&energy);
    const bool shared = owned(mover, state) != NULL;
    ph_metropolis_begin(mover->metropolis, owned(mover, state), mover->system, numbers);
    status = step_and_settle(mover, &energy, err);
    if (status != PH_OK && (status != PH_ERR_NUMBERS || (shared && !owned(mover, state))))
        return status;
    const double potential = status == PH_OK ? ph_energy_total(&energy) : INFINITY;
    if (!ph_metropolis_decide(mover->metropolis, &mover->options.bath, (uint64_t)mover->step + 1, potential,
                              owned(mover, state), mover->system, numbers))
        ph_mover_state_changed(mover);
    numbers[PH_METROPOLIS_KNOWN] = 1.0;
    return PH_OK;
}

static void change_state(struct ph_mover *mover, bool forces_known)
{
    if (forces_known)
        ph_dynamics_moved(mover->dynamics);
    else
        ph_dynamics_reset(mover->dynamics);
    if (mover->kind->state_changed)
        mover->kind->state_changed(mover->moving);
    mover->numbers[METROPOLIS + PH_METROPOLIS_KNOWN] = 0.0;
}

static enum ph_status change_cell(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_cell_options *cell = &mover->options.cell;
    if (!cell->kind || (mover->step - mover->options.first_step) % cell->every != 0)
        return PH_OK;
    struct ph_energy energy;
    struct ph_cell_contents contents = {.field = mover->field, .system = mover->system};
    enum ph_cell_outcome outcome = PH_CELL_AS_BEFORE;
    enum ph_status status = settle(mover, &contents.state, &energy, err);
    if (status == PH_OK)
        status = cell->kind->change(cell, mover->options.dynamics.step, mover->step, &energy, &contents,
                                    mover->numbers + CELL, &outcome, err);
    if (status == PH_OK && outcome == PH_CELL_CHANGED)
        status = ph_cell_choose_again(&contents, &mover->numbers[CELL + PH_CELL_WORK], err);
    if (outcome != PH_CELL_AS_BEFORE)
        change_state(mover, outcome == PH_CELL_CHANGED && mover->kind->forces_stay);
    return status;
}

static enum ph_status step_within(struct ph_mover *mover, struct ph_error *err)
{
    const struct ph_bath_kind *bath = mover->options.bath.kind;
    enum ph_status status = bath ? heat(mover, bath->before, mover->step + 1, err) : PH_OK;
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0; /* of a checkpoint, for who acts before the step */
    if (status == PH_OK)
        status = mover->metropolis ? try_step(mover, err) : mover->kind->advance(mover->moving, 1, err);
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

/* With the state comes what a backend remembers for the bath, or the heat that other processes have counted. */
enum ph_status ph_mover_know_numbers(struct ph_mover *mover, struct ph_error *err)
{
    return ph_momenta_know_numbers(&mover->momenta, mover->numbers + BATH, err);
}

enum ph_status ph_mover_synchronise(struct ph_mover *mover, struct ph_energy *energy, struct ph_error *err)
{
    enum ph_status status = know_energy(mover, &energy, err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(mover->dynamics, energy, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_observe(struct ph_mover *mover, struct ph_energy *energy, struct ph_state_sums *sums,
                                struct ph_error *err)
{
    enum ph_status status = know_energy(mover, &energy, err);
    if (status == PH_OK)
        status = ph_dynamics_observe(mover->dynamics, energy, sums, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_fetch(struct ph_mover *mover, struct ph_error *err)
{
    const enum ph_status status = ph_dynamics_fetch(mover->dynamics, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_snap(struct ph_mover *mover, bool whole, bool *begun, struct ph_error *err)
{
    const enum ph_status status = ph_dynamics_snap(mover->dynamics, whole, begun, err);
    return status == PH_OK && *begun ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_synchronise_first(struct ph_mover *mover, struct ph_error *err)
{
    const enum ph_status status = ph_dynamics_synchronise_first(mover->dynamics, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

enum ph_status ph_mover_fetch_first(struct ph_mover *mover, struct ph_error *err)
{
    const enum ph_status status = ph_dynamics_fetch_first(mover->dynamics, err);
    return status == PH_OK ? ph_mover_know_numbers(mover, err) : status;
}

bool ph_mover_apart(const struct ph_mover *mover) { return ph_dynamics_apart(mover->dynamics); }

const struct ph_rows *ph_mover_state(const struct ph_mover *mover) { return ph_dynamics_state(mover->dynamics); }

void ph_mover_state_changed(struct ph_mover *mover)
{
    change_state(mover, false);
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0;
}

void ph_mover_momenta_changed(struct ph_mover *mover)
{
    ph_dynamics_momenta_changed(mover->dynamics);
    if (mover->kind->momenta_changed)
        mover->kind->momenta_changed(mover->moving);
    mover->numbers[BATH + PH_BATH_KNOWN] = 0.0;
}

int64_t ph_mover_step(const struct ph_mover *mover) { return mover->step; }

double ph_mover_time(const struct ph_mover *mover)
{
    return mover->options.first_time + (double)(mover->step - mover->options.first_step) * mover->options.dynamics.step;
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
    struct ph_mover_memory memory = {.step = mover->step, .numbers = mover->numbers};
    memory.owes = ph_dynamics_owes(mover->dynamics);
    memory.residuals = ph_dynamics_residuals(mover->dynamics);
    return memory;
}

void ph_mover_restore(struct ph_mover *mover, int64_t step, bool owes)
{
    mover->step = step;
    mover->momenta.numbers_there = false; /* those that were read count */
    ph_dynamics_restore_owed(mover->dynamics, owes);
}

struct ph_dynamics_counts ph_mover_counts(const struct ph_mover *mover) { return mover->kind->counts(mover->moving); }
