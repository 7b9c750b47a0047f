/* SPDX-License-Identifier: MIT */
/* Excess chemical potential by insertion of test molecules (B. Widom, J. Chem. Phys. 39 (1963) 2808; at constant
 * pressure K. S. Shing, S. T. Chung, Mol. Phys. 55 (1985) 1451),
 *   mu_ex = -kT ln( <V exp(-u/kT)> / <V> ),
 * with u the energy that one molecule more would add, at a random place and orientation. At each place the mean over
 * orientations is exact for a dipole in a centre, else one of several random orientations. */
#include "analysis/trajectory/conditions.h"
#include "analysis/trajectory/series.h"
#include "analysis/trajectory/sweep.h"
#include "base/vec3.h"
#include "force/external/external.h"
#include "force/term.h"
#include "lab/analyses.h"
#include "lab/free_energy/insertion.h"
#include "lab/free_energy/recorded_input.h"
#include "model/units.h"
#include "run/build/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_SAMPLES = 1000, DEFAULT_ORIENTATIONS = 16, FEWEST = 100 };
/* Sums of a block: frames, volumes, V w, and of all insertions w and w^2; the time */
enum { FRAMES, VOLUME, WEIGHT, PLAIN, SQUARE, TIME, SUMS };

struct task {
    struct ph_insertion_task insertion;
    const struct ph_recording *recording;
    size_t samples;
    uint64_t seed;
    double tail;   /* energy that the correction beyond the cutoff adds, times the volume */
    double volume; /* mean, for results: density of the molecules */
    size_t count;  /* of molecules of the species in the trajectory */
};

/* ---- Sums ---- */

static bool begin(const void *data, void *own)
{
    struct ph_insertion **insertion = own;
    return (*insertion = ph_insertion_create(&((const struct task *)data)->insertion)) != NULL;
}

static void end(void *own) { ph_insertion_destroy(*(struct ph_insertion **)own); }

/* A place in the box, uniform */
static void draw_place(const struct ph_box *box, struct ph_random *random, double r[3])
{
    double fraction[3];
    for (int e = 0; e < 3; ++e)
        fraction[e] = ph_random_uniform(random);
    for (int x = 0; x < 3; ++x)
        r[x] = fraction[0] * box->edge[0][x] + fraction[1] * box->edge[1][x] + fraction[2] * box->edge[2][x];
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    const struct task *task = data;
    struct ph_insertion *insertion = *(struct ph_insertion **)own;
    if (!ph_insertion_frame(insertion, &snapshot->box, snapshot->data[PH_CENTRE], snapshot->data[PH_ORIENTATION]))
        return false;
    const double volume = snapshot->box.volume, tail = exp(-task->tail / volume / task->insertion.kT);
    double sum = 0.0;
    for (size_t k = 0; k < task->samples; ++k) {
        struct ph_random random = ph_random_stream(task->seed, PH_RANDOM_INSERTION,
                                                   (uint64_t)recording->step[snapshot->frame] * task->samples + k);
        double r[3];
        draw_place(&snapshot->box, &random, r);
        const double weight = tail * ph_insertion_weight(insertion, r, &random);
        sum += weight;
        sums[SQUARE] += weight * weight;
    }
    sums[FRAMES] += 1.0;
    sums[VOLUME] += volume;
    sums[WEIGHT] += volume * sum / (double)task->samples;
    sums[PLAIN] += sum;
    sums[TIME] += snapshot->time;
    return true;
}

/* ---- Results ---- */

static double over_kT(const double *sums, const void *data)
{
    (void)data;
    return -log(sums[WEIGHT] / sums[VOLUME]);
}

static double fugacity(const double *sums, const void *data)
{
    const struct task *task = data;
    const double density = (double)task->count * sums[FRAMES] / sums[VOLUME];
    return task->insertion.kT * density * sums[VOLUME] / sums[WEIGHT];
}

/* Warns if the average comes from a few insertions, or from one part of the run. */
static void note_carriers(const struct task *task, const struct ph_pass *pass, size_t blocks, const double *merged,
                          const double *total, struct ph_value *value, struct ph_result *result)
{
    const double carriers = total[SQUARE] > 0.0 ? total[PLAIN] * total[PLAIN] / total[SQUARE] : 0.0;
    double largest = 0.0;
    for (size_t b = 0; b < blocks; ++b)
        largest = fmax(largest, merged[b * pass->size + WEIGHT]);
    if (!(total[WEIGHT] > 0.0))
        ph_value_caution(value, "No insertion out of %.0f found room: give more --samples.",
                         total[FRAMES] * (double)task->samples);
    else if (carriers < FEWEST)
        ph_value_caution(value,
                         "As few as %.3g insertions carry the average, so both the value and its error may be far off: "
                         "give more --samples, or more frames.",
                         carriers);
    else if (blocks > 3 && largest > 0.5 * total[WEIGHT])
        ph_value_caution(value,
                         "One of %zu parts of the run has %.0f %% of the average, so its error is too small: the run "
                         "is too short.",
                         blocks, 100.0 * largest / total[WEIGHT]);
    ph_result_value(result, "insertions_that_count", carriers, NAN, "",
                    "as many equal ones would have the same scatter: (sum w)^2/sum w^2");
}

static bool say_blocks(const struct task *task, size_t blocks, const double *merged, struct ph_result *result)
{
    const struct ph_recording *recording = task->recording;
    struct ph_result_table *table = ph_result_table(result, blocks, "the same from parts of the run", "parts");
    double *time = ph_result_column(result, table, "time", recording->clock);
    double *excess = ph_result_column(result, table, "excess", ph_recording_unit(recording, "kJ mol-1"));
    for (size_t b = 0; b < blocks && time && excess; ++b) {
        time[b] = merged[b * SUMS + TIME] / merged[b * SUMS + FRAMES];
        excess[b] = task->insertion.kT * over_kT(&merged[b * SUMS], NULL);
    }
    return time && excess;
}

static bool say(struct task *task, const struct ph_pass *pass, struct ph_result *result)
{
    const char *energy = ph_recording_unit(task->recording, "kJ mol-1");
    double value, error, total[SUMS] = {0.0}, *merged = malloc((pass->n_blocks * SUMS + 1) * sizeof *merged);
    if (!merged)
        return false;
    memcpy(merged, pass->sums, pass->n_blocks * SUMS * sizeof *merged);
    for (size_t k = 0; k < pass->n_blocks * SUMS; ++k)
        total[k % SUMS] += pass->sums[k];
    const size_t blocks = ph_blocks_merge(pass->n_blocks, SUMS, merged, PH_ERROR_BLOCKS);
    ph_jackknife(blocks, SUMS, merged, over_kT, NULL, &value, &error);
    const double kT = task->insertion.kT;
    struct ph_value *excess = ph_result_value(result, "excess", kT * value, kT * error, energy,
                                              "chemical potential beyond that of an ideal gas of this density");
    note_carriers(task, pass, blocks, merged, total, excess, result);
    ph_result_value(result, "excess_over_kT", value, error, "", "the same over kT");
    if (task->count > 0) {
        double f, f_error;
        ph_jackknife(blocks, SUMS, merged, fugacity, task, &f, &f_error);
        ph_result_value(result, "fugacity", f, f_error, ph_recording_unit(task->recording, "kJ mol-1 nm-3"),
                        "pressure of an ideal gas of this chemical potential");
        if (task->recording->physical)
            ph_result_value(result, "fugacity_bar", ph_series_bar * f, ph_series_bar * f_error, "bar", "the same");
        ph_result_number(result, "density", (double)task->count * total[FRAMES] / total[VOLUME],
                         ph_recording_unit(task->recording, "nm-3"));
    }
    ph_result_number(result, "frames", total[FRAMES], NULL);
    ph_result_number(result, "insertions", total[FRAMES] * (double)task->samples, NULL);
    if (blocks < 2)
        ph_result_note(result, "A single frame has no statistical error.");
    const bool good = say_blocks(task, blocks, merged, result);
    free(merged);
    return good;
}

/* ---- What is not possible ---- */

static enum ph_status check(const struct ph_recorded_input *recorded, const struct ph_system *system,
                            const struct ph_interactions *interactions, struct ph_error *err)
{
    const char *file = recorded->input.file;
    if (ph_is_ewald(interactions))
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.electrostatics.method is %s, and the energy of a test molecule is then "
            "not a sum over pairs: it has waves, and images of the molecule itself. Accepted: runs with "
            "reaction-field or cutoff; or --set interactions.electrostatics.method=reaction-field, which "
            "inserts a molecule of that model into the frames of this run.",
            file, recorded->input.interactions.method);
    if (interactions->plumed.file[0])
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.plumed biases the run: its frames are not those of the model.", file);
    if (interactions->truncation == PH_TRUNCATE_NONE)
        return ph_error_set(err, PH_ERR_INPUT, "%s: interactions.truncation is none. Accepted: a cutoff.", file);
    for (size_t k = 0; k < ph_external_count(); ++k)
        for (size_t s = 0; s < system->n_species; ++s)
            if (ph_external_present(ph_external_at(k), &interactions->external) && ph_external_at(k)->pulls &&
                ph_external_at(k)->pulls(&interactions->external, &system->species[s]))
                return ph_error_set(
                    err, PH_ERR_INPUT,
                    "%s: interactions.external pulls molecules of '%s' (%s), so a test molecule has no "
                    "energy that is the same in every image of the box. Accepted: fields that only turn "
                    "molecules.",
                    file, system->species[s].name, ph_external_at(k)->name);
    return PH_OK;
}

static enum ph_status check_boxes(const struct ph_recording *recording, const struct ph_interactions *interactions,
                                  struct ph_error *err)
{
    double half = NAN;
    const enum ph_status status = ph_recording_half_width(recording, &half, err);
    if (status != PH_OK)
        return status;
    if (isnan(half))
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: is in open space, where a test molecule has no volume. Accepted: a "
                            "periodic box.",
                            recording->reader.file.name);
    if (interactions->cutoff > half)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.cutoff is %g, more than half the smallest width of the box, %g, in %s.",
                            interactions->cutoff, half, recording->reader.file.name);
    return PH_OK;
}

/* ---- Set-up ---- */

/* Finds the species of the test molecule, or adds a model that the trajectory has not as the last one. */
static enum ph_status choose_species(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                     struct ph_input *input, size_t *species, bool *added, struct ph_error *err)
{
    *added = false;
    *species = 0;
    if (!request->of && recording->n_kinds == 1)
        return PH_OK;
    if (!request->of)
        return ph_error_set(err, PH_ERR_INPUT, "--of is missing: which molecule is inserted? %s has '%s', '%s'%s.",
                            recording->reader.file.name, recording->kinds[0].name, recording->kinds[1].name,
                            recording->n_kinds > 2 ? " and more" : "");
    for (size_t k = 0; k < recording->n_kinds; ++k)
        if (strcmp(recording->kinds[k].name, request->of) == 0) {
            *species = k;
            return PH_OK;
        }
    if (input->system.n_molecules == PH_INPUT_SPECIES_MAX || strlen(request->of) >= PH_PATH)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give a molecule of %s, such as %s.", request->of,
                            recording->reader.file.name, recording->kinds[0].name);
    struct ph_input_molecules *more = &input->system.molecules[input->system.n_molecules];
    *more = (struct ph_input_molecules){.line = 0, .count = 1};
    strcpy(more->model, request->of);
    *species = input->system.n_molecules++;
    *added = true;
    return PH_OK;
}

/* The energy that the correction beyond the cutoff gains from one molecule more, times the volume */
static enum ph_status find_tail(const struct ph_system *system, const struct ph_interactions *interactions,
                                size_t species, bool added, double *tail, struct ph_error *err)
{
    *tail = 0.0;
    if (!interactions->long_range_correction)
        return PH_OK;
    size_t *counts = calloc(system->n_species, sizeof *counts);
    struct ph_box box;
    const double cube[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    enum ph_status status = counts ? ph_box_init_periodic(cube, &box, err) : ph_no_memory(err, "the correction");
    for (int more = 0; more < 2 && status == PH_OK; ++more) {
        struct ph_system *one = NULL;
        void *term = NULL;
        struct ph_energy energy = {.long_range = 0.0};
        for (size_t s = 0; s < system->n_species; ++s)
            counts[s] = system->first[s + 1] - system->first[s];
        counts[species] = counts[species] - added + (size_t)more;
        status = ph_system_create(system->n_species, system->species, counts, &box, &one, err);
        const struct ph_term_setup setup = {.system = one, .interactions = interactions};
        if (status == PH_OK)
            status = ph_term_tail.create(&setup, &term, err);
        if (status == PH_OK && term)
            status = ph_term_tail.evaluate(term, one, &energy, err);
        *tail += more ? energy.long_range : -energy.long_range;
        if (term)
            ph_term_tail.destroy(term);
        ph_system_destroy(one);
    }
    free(counts);
    return status;
}

static void note_own_field(const struct ph_recording *recording, const struct ph_system *system,
                           const struct ph_interactions *interactions, size_t species, struct ph_result *result)
{
    double mu[3] = {0.0};
    const struct ph_species *one = &system->species[species];
    for (size_t a = 0; a < one->n_sites; ++a) {
        ph_vec3_add(1.0, one->site[a].dipole, mu);
        ph_vec3_add(one->site[a].charge, one->site[a].position, mu);
    }
    const double square = ph_vec3_dot(mu, mu), eps = interactions->epsilon_rf, rc = interactions->cutoff;
    if (interactions->electrostatics != PH_ELECTROSTATICS_REACTION_FIELD || !(square > 0.0))
        return;
    const double k = (isinf(eps) ? 0.5 : (eps - 1.0) / (2.0 * eps + 1.0)) / (rc * rc * rc);
    if (ph_field_is_smooth(interactions))
        ph_result_note(result, "The energy of a molecule in its own reaction field, the same for all its positions, is "
                               "in no energy of this program, nor in these values.");
    else
        ph_result_note(result,
                       "The energy of a molecule in its own reaction field, %.6g%s%s, is in no energy of this program, "
                       "nor in these values.",
                       -interactions->coulomb * k * square, recording->physical ? " " : "",
                       ph_recording_unit(recording, "kJ/mol"));
}

static enum ph_status find_temperature(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                       const char *units, double *kT, struct ph_result *result, struct ph_error *err)
{
    const struct ph_conditions conditions = ph_conditions_of(&recording->reader, request->stage);
    struct ph_analysis_request known = *request;
    double temperature = NAN;
    if (isnan(known.temperature))
        known.temperature = conditions.temperature;
    const enum ph_status status = ph_series_temperature(&recording->reader, &known, &temperature, result, err);
    *kT = ph_units_find(units)->boltzmann * temperature;
    if (conditions.ensemble[0])
        ph_result_text(result, "ensemble", conditions.ensemble);
    if (strncmp(conditions.ensemble, "NVE", 3) == 0)
        ph_result_note(result, "The formula is that of a constant temperature. At constant energy its error is of the "
                               "order of kT over the number of molecules.");
    return status;
}

static enum ph_status insert(const struct ph_analysis_request *request, const struct ph_recording *recording,
                             struct task *task, struct ph_result *result, struct ph_error *err)
{
    struct ph_pass pass = {.sums = NULL};
    const struct ph_pass_task pass_task = {
        .size = SUMS, .data = task, .add = add, .scratch = sizeof(struct ph_insertion *), .begin = begin, .end = end};
    const bool exact = ph_insertion_is_exact(&task->insertion);
    ph_result_text(result, "molecule", task->insertion.system->species[task->insertion.species].name);
    ph_result_number(result, "samples", (double)task->samples, NULL);
    if (exact)
        ph_result_text(result, "orientations", "exact mean");
    else
        ph_result_number(result, "orientations", (double)task->insertion.orientations, NULL);
    enum ph_status status = ph_sweep_run(recording, &pass_task, request, &pass, err);
    if (status == PH_OK && !say(task, &pass, result))
        status = ph_no_memory(err, "the chemical potential");
    free(pass.sums);
    return status;
}

static enum ph_status with_input(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                 struct ph_recorded_input *recorded, struct ph_result *result, struct ph_error *err)
{
    struct ph_system *system = NULL;
    struct ph_interactions interactions = {.n_overrides = 0};
    struct ph_pair_table table = {.n_species = 0};
    struct task task = {.recording = recording,
                        .samples = (size_t)(request->samples > 0 ? request->samples : DEFAULT_SAMPLES),
                        .seed = (uint64_t)request->seed};
    bool added = false;
    size_t species = 0;
    enum ph_status status = choose_species(request, recording, &recorded->input, &species, &added, err);
    if (status == PH_OK)
        status = ph_build_empty(&recorded->input, false, &system, &interactions, err);
    if (status == PH_OK)
        status = ph_recorded_input_match(recording, recorded, system, added, err);
    if (status == PH_OK)
        status = check(recorded, system, &interactions, err);
    if (status == PH_OK)
        status = check_boxes(recording, &interactions, err);
    if (status == PH_OK)
        status = find_temperature(recording, request, recorded->input.units, &task.insertion.kT, result, err);
    if (status == PH_OK)
        status = find_tail(system, &interactions, species, added, &task.tail, err);
    if (status == PH_OK)
        status = ph_pair_table_init(system, &interactions, &table, err);
    if (status == PH_OK) {
        task.count = added ? 0 : system->first[species + 1] - system->first[species];
        task.insertion = (struct ph_insertion_task){
            .system = system,
            .table = &table,
            .interactions = &interactions,
            .species = species,
            .n = recording->n_molecules,
            .kT = task.insertion.kT,
            .orientations = (size_t)(request->orientations > 0 ? request->orientations : DEFAULT_ORIENTATIONS)};
        note_own_field(recording, system, &interactions, species, result);
        status = insert(request, recording, &task, result, err);
    }
    ph_pair_table_clear(&table);
    ph_interactions_free(&interactions);
    ph_system_destroy(system);
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_recording recording;
    struct ph_recorded_input *recorded = calloc(1, sizeof *recorded);
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE), PH_BIT(PH_ORIENTATION), &recording, result, err);
    if (status == PH_OK)
        ph_recorded_input_note_weights(&recording, result);
    if (status == PH_OK && !recorded)
        status = ph_no_memory(err, "the input");
    if (status == PH_OK)
        status = ph_recorded_input_read(&recording, request, recorded, err);
    if (status == PH_OK)
        status = with_input(request, &recording, recorded, result, err);
    ph_recorded_input_free(recorded);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_chemical_potential = {
    .name = "chemical-potential",
    .summary = "excess chemical potential by insertion of test molecules",
    .documentation =
        "Widom's method, with --samples random places in each frame (1000). A dipole in a centre has the exact mean "
        "over "
        "orientations at each place, other molecules --orientations random ones (16). --of selects the molecule, of a "
        "mixture or any other model. Energies are those of the run, with its cutoff, reaction field and correction "
        "beyond the cutoff; --input takes another input file, --set other values of its keys. Not for Ewald sums.",
    .needs = "positions in a periodic box, orientations of molecules that turn, a temperature",
    .options = "stage frames of samples orientations seed temperature input set",
    .run = run,
};
