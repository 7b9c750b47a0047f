/* SPDX-License-Identifier: MIT */
/* Checks energies and temperatures during a run, and explains failures. */
#include "run/simulation/simulation_checks.h"

#include "base/plain.h"

#include <math.h>
#include <stdio.h>

double ph_energy_size(const struct ph_observables *o)
{
    return fabs(o->potential) + o->kinetic_translation + o->kinetic_rotation;
}

/* Shows the state at the end of the last step, if there is one. */
static enum ph_status show_end(const struct ph_simulation *simulation, struct ph_error *err)
{
    const enum ph_status status = ph_mover_synchronise(simulation->mover, NULL, err);
    return status == PH_OK ? ph_state_show(ph_mover_state(simulation->mover), PH_STATE_PLACES | PH_STATE_MOMENTA, err)
                           : status;
}

/* Returns the number of the molecule with the largest kinetic energy. If a backend can no longer provide its state, the
 * last known state is used. */
static size_t fastest(const struct ph_simulation *simulation, double *kinetic)
{
    const struct ph_system *system = simulation->system;
    struct ph_error inner;
    size_t which = 0;
    (void)show_end(simulation, &inner);
    *kinetic = -1.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += 0.5 * system->p[k][i] * system->p[k][i] / system->species[s].mass;
                if (system->species[s].inertia[k] > 0.0)
                    sum += 0.5 * system->m[k][i] * system->m[k][i] / system->species[s].inertia[k];
            }
            if (!(sum <= *kinetic)) {
                *kinetic = sum;
                which = i;
            }
            if (isnan(sum))
                return system->id[i];
        }
    return system->id[which];
}

/* Returns true for a start with overlapping molecules, which fails in its first stage with any step: ph_overlap_blame
 * explains it then. */
static bool overlap_is_to_blame(const struct ph_simulation *simulation)
{
    return simulation->overlap.pairs > 0 && simulation->stage == 0;
}

/* Explains why energy is not conserved. If most of the error arose since the last row, it comes from a collision that
 * the step does not resolve. If the error grew from row to row, it is a drift. */
static void explain_energy(const struct ph_simulation *simulation, const struct ph_input_stage *stage, double before,
                           int64_t step_before, char text[256])
{
    const double error = simulation->observables.conserved - simulation->energy_start;
    const double late = simulation->observables.conserved - before;
    const int64_t step = ph_mover_step(simulation->mover);
    const bool rows = step_before > ph_stage_first(simulation->input, simulation->stage);
    text[0] = '\0';
    if (overlap_is_to_blame(simulation))
        return;
    if (rows && fabs(late) < 0.5 * fabs(error))
        ph_snprintf(text, 256,
                    " It has drifted, by %.2g per step of late, not jumped. The step, %g, may be too long, or the "
                    "forces not smooth enough for the scheme: 'polhode check' warns of that.",
                    late / (double)(step - step_before), stage->step);
    else
        ph_snprintf(text, 256, "%s The step, %g, may be too long.",
                    rows ? " It has jumped since the row before, as by a collision." : "", stage->step);
}

enum ph_status ph_simulation_check_energy(const struct ph_simulation *simulation, double before, int64_t step_before,
                                          struct ph_error *err)
{
    const double error = simulation->observables.conserved - simulation->energy_start;
    const double size = fmax(simulation->energy_size, ph_energy_size(&simulation->observables));
    const double bound = simulation->input->dynamics.energy_bound;
    if (fabs(error) <= bound * size)
        return PH_OK;
    double kinetic;
    char why[256];
    const size_t which = fastest(simulation, &kinetic);
    explain_energy(simulation, ph_simulation_stage(simulation), before, step_before, why);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The %s energy is %.10g, it was %.10g: it has changed by %.3g of the kinetic and potential "
                        "energy, and dynamics.energy_bound is %g. Molecule %zu has the largest kinetic energy, %.4g.%s",
                        ph_simulation_stage(simulation)->barostat.kind[0] ? "conserved" : "total",
                        simulation->observables.conserved, simulation->energy_start, fabs(error) / size, bound, which,
                        kinetic, why);
}

/* Checks the temperature, because energy is not conserved with a thermostat. A bad start may be hot for a while, but
 * not in the second half of the stage, nor when the next one begins. */
enum ph_status ph_simulation_check_heat(const struct ph_simulation *simulation, const struct ph_input_stage *stage,
                                        bool ends, struct ph_error *err)
{
    const size_t k = (size_t)(stage - simulation->input->stages);
    const bool late = ph_mover_step(simulation->mover) > ph_stage_first(simulation->input, k) + stage->steps / 2;
    const double bath = stage->thermostat.temperature, factor = ends || late ? 20.0 : 1e6;
    const double translation =
        simulation->degrees.translation > 0 ? simulation->observables.temperature_translation : 0;
    const double rotation = simulation->degrees.rotation > 0 ? simulation->observables.temperature_rotation : 0;
    if (translation <= factor * bath && rotation <= factor * bath) /* false for NaN */
        return PH_OK;
    double kinetic;
    char why[PH_WORD + 96] = "";
    const size_t which = fastest(simulation, &kinetic);
    if (k > 0 || simulation->overlap.pairs == 0)
        ph_snprintf(why, sizeof why, " The step, %g, may be too long, or the steps of the %s too few.", stage->step,
                    stage->name);
    return ph_error_set(err, PH_ERR_NUMBERS,
                        "The temperature is %.4g of translation and %.4g of rotation, that of the thermostat is %g. "
                        "Molecule %zu has the largest kinetic energy, %.4g.%s",
                        translation, rotation, bath, which, kinetic, why);
}

void ph_simulation_explain(const struct ph_simulation *simulation, struct ph_error *err)
{
    if (overlap_is_to_blame(simulation))
        ph_overlap_blame(&simulation->overlap, err);
    struct ph_error inner = *err;
    char kept[PH_ERROR_TEXT / 2] = "No checkpoint was written.";
    if (simulation->checkpoint_step >= 0)
        snprintf(kept, sizeof kept, "The last good checkpoint is that of step %lld: %.300s",
                 (long long)simulation->checkpoint_step, simulation->checkpoint_file);
    ph_error_set(err, inner.status, "Step %lld, time %g: %.600s %s", (long long)ph_mover_step(simulation->mover),
                 ph_mover_time(simulation->mover), inner.text, kept);
}

enum ph_status ph_simulation_check_derivatives(const struct ph_simulation *simulation, size_t first, const char *whose,
                                               struct ph_error *err)
{
    const struct ph_input *input = simulation->input;
    for (size_t k = first; k < input->n_stages; ++k) {
        struct ph_methods methods;
        const enum ph_status status = ph_methods_find_stage(input, k, &methods, err);
        if (status != PH_OK)
            return status;
        if (methods.scheme && ph_scheme_gradients(methods.scheme) > 0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "The scheme '%s' takes force gradients, which %s does not have. Accepted: schemes "
                                "without gradients.",
                                methods.scheme->name, whose);
    }
    if (input->output.shadow_energy || input->output.configurational_temperature)
        return ph_error_set(err, PH_ERR_INPUT, "output.%s needs derivatives of the forces, which %s does not have.",
                            input->output.shadow_energy ? "shadow_energy" : "configurational_temperature", whose);
    return PH_OK;
}
