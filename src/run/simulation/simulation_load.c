/* SPDX-License-Identifier: MIT */
/* Loads a checkpoint. */
#include "base/clock.h"
#include "force/longrange/ewald.h"
#include "parallel/ranks.h"
#include "run/simulation/load_molecules.h"
#include "run/simulation/simulation_checkpoint.h"
#include "run/version.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void unpack_long_range(const double numbers[PH_SAVED_LONG_RANGE], struct ph_interactions *interactions)
{
    struct ph_ewald_choice *c = &interactions->ewald;
    const struct ph_ewald_choice asked = *c;
    interactions->cutoff = numbers[0];
    interactions->switch_width = numbers[1];
    c->tolerance = numbers[2];
    c->screening = numbers[3];
    c->smoothness = (int)numbers[4];
    c->shape = numbers[5];
    c->k_max = numbers[6];
    for (int e = 0; e < 3; ++e)
        c->grid[e] = (int)numbers[7 + e];
    c->width = (int)numbers[10];
    c->window = numbers[11];
    memcpy(c->waves, numbers + PH_SAVED_LONG_RANGE - 9, sizeof c->waves);
    ph_ewald_note_chosen(&asked, c);
}

/* Sets the schemes of stages that name none. Older checkpoints have one word for all. */
static void choose_schemes(const char *words, struct ph_input *input)
{
    char word[PH_WORD] = "";
    for (size_t k = 0; k < input->n_stages; ++k) {
        const size_t length = strcspn(words, " ");
        if (length > 0 && length < sizeof word)
            snprintf(word, sizeof word, "%.*s", (int)length, words);
        words += length + (words[length] == ' ');
        if (!input->stages[k].scheme[0] && !input->stages[k].integrator[0])
            strcpy(input->stages[k].scheme, word);
    }
}

static enum ph_status load_texts(const struct ph_checkpoint *checkpoint, int64_t n_texts, int64_t n_sets,
                                 struct ph_simulation *simulation, struct ph_error *err)
{
    char name[PH_CHECKPOINT_NAME];
    const char *file, *text;
    enum ph_status status = PH_OK;
    if (n_texts < 1 || n_texts > PH_TEXTS_MAX || n_sets < 0 || n_sets > PH_SETS_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is not a checkpoint of a run: %lld texts, %lld settings.",
                            simulation->checkpoint_file, (long long)n_texts, (long long)n_sets);
    for (int64_t k = 0; k < n_texts && status == PH_OK; ++k) {
        snprintf(name, sizeof name, "text_name_%lld", (long long)k);
        status = ph_checkpoint_text(checkpoint, name, &file, err);
        snprintf(name, sizeof name, "text_%lld", (long long)k);
        if (status == PH_OK)
            status = ph_checkpoint_text(checkpoint, name, &text, err);
        if (status == PH_OK)
            status = ph_texts_add(&simulation->texts, file, text, strlen(text), err);
    }
    simulation->texts.closed = true;
    for (int64_t k = 0; k < n_sets && status == PH_OK; ++k) {
        snprintf(name, sizeof name, "set_%lld", (long long)k);
        status = ph_checkpoint_text(checkpoint, name, &text, err);
        if (status == PH_OK && !(simulation->sets[k] = strdup(text)))
            status = ph_no_memory(err, "the input");
    }
    return status;
}

/* Numbers of the mover */
static enum ph_status load_numbers(const struct ph_checkpoint *checkpoint, struct ph_simulation *simulation,
                                   struct ph_error *err)
{
    return ph_checkpoint_find(checkpoint, "mover")
               ? ph_checkpoint_doubles(checkpoint, "mover", PH_MOVER_NUMBERS, ph_mover_save(simulation->mover).numbers,
                                       err)
               : PH_OK;
}

/* Loads the box, which may have come from the start file. */
static enum ph_status load_box(const struct ph_checkpoint *checkpoint, struct ph_simulation *simulation,
                               struct ph_error *err)
{
    double edge[3][3];
    if (strcmp(simulation->input->system.box.kind, "periodic") != 0)
        return PH_OK;
    const enum ph_status status = ph_checkpoint_doubles(checkpoint, "system_box", 9, edge[0], err);
    return status == PH_OK ? ph_box_init_periodic((const double(*)[3])edge, &simulation->system->box, err) : status;
}

static enum ph_status load_long_range(const struct ph_checkpoint *checkpoint, struct ph_simulation *simulation,
                                      struct ph_error *err)
{
    double long_range[PH_SAVED_LONG_RANGE];
    if (!ph_checkpoint_find(checkpoint, "long_range"))
        return PH_OK;
    const enum ph_status status = ph_checkpoint_doubles(checkpoint, "long_range", PH_SAVED_LONG_RANGE, long_range, err);
    if (status != PH_OK)
        return status;
    unpack_long_range(long_range, &simulation->interactions);
    struct ph_ewald_choice *choice = &simulation->interactions.ewald;
    if (ph_checkpoint_find(checkpoint, "long_range_error"))
        return ph_checkpoint_doubles(checkpoint, "long_range_error", 1, &choice->expected_error, err);
    /* Older checkpoints chose for the box at the start of the run, and expected at most the tolerance there. */
    choice->expected_error = choice->chosen ? 0.5 * choice->tolerance : 0.0;
    return PH_OK;
}

/* Restores system, force field and mover. */
static enum ph_status load_molecules(const struct ph_checkpoint *checkpoint, bool same_backend,
                                     struct ph_simulation *simulation, struct ph_error *err)
{
    struct ph_input *input = simulation->input;
    enum ph_status status = ph_build_empty(input, true, &simulation->system, &simulation->interactions, err);
    if (status == PH_OK)
        status = load_box(checkpoint, simulation, err);
    if (status == PH_OK)
        status = load_long_range(checkpoint, simulation, err);
    status = ph_ranks_agree(status, err);
    if (status == PH_OK)
        status = ph_ranks_agree(ph_simulation_ready(simulation, err), err);
    simulation->in_parts = status == PH_OK && ph_state_in_parts(&simulation->interactions);
    return status == PH_OK ? ph_load_molecules(checkpoint, same_backend, simulation->in_parts,
                                               ph_mover_state(simulation->mover), err)
                           : status;
}

/* Loads the identity and the schemes chosen by the program; adds a note if another build wrote them. */
static enum ph_status load_names(const struct ph_checkpoint *checkpoint, struct ph_simulation *simulation,
                                 struct ph_error *err)
{
    const char *identity, *scheme = "", *version = "", *build = "";
    enum ph_status status = ph_checkpoint_text(checkpoint, "identity", &identity, err);
    if (status == PH_OK)
        status = ph_checkpoint_text(checkpoint, "scheme", &scheme, err);
    if (status == PH_OK)
        status = ph_checkpoint_text(checkpoint, "version", &version, err);
    if (status == PH_OK)
        status = ph_checkpoint_text(checkpoint, "build", &build, err);
    if (status != PH_OK)
        return status;
    snprintf(simulation->identity, sizeof simulation->identity, "%s", identity);
    choose_schemes(scheme, simulation->input);
    if (strcmp(version, ph_version()) != 0 || strcmp(build, ph_build_description()) != 0) {
        ph_build_note(&simulation->notes,
                      "The checkpoint is of another build (%.100s): the run continues, but not bit for bit as that one "
                      "would.\n",
                      version);
    }
    return PH_OK;
}

/* Keeps the method of the run: runs of versions without a default mesh had a cutoff. */
static void keep_method(const struct ph_checkpoint *checkpoint, struct ph_input *input)
{
    if (!input->interactions.method_chosen || ph_checkpoint_find(checkpoint, "long_range"))
        return;
    input->interactions.method_chosen = false;
    strcpy(input->interactions.method, "cutoff");
}

/* Changes the backend for the rest of the run, as if the input had set it. */
static enum ph_status change_backend(const char *backend, struct ph_simulation *simulation, struct ph_error *err)
{
    static const char key[] = "dynamics.backend=";
    struct ph_input *input = simulation->input;
    size_t k = 0;
    while (k < input->n_sets && strncmp(simulation->sets[k], key, strlen(key)) != 0)
        ++k;
    char set[PH_WORD + sizeof key];
    if (!ph_backend_find(backend) || k == PH_SETS_MAX)
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.backend is '%.60s' for what is left of the run. Accepted: cpu, cuda, emulated, "
                            "and at most %d settings in all.",
                            backend, PH_SETS_MAX);
    snprintf(set, sizeof set, "%s%.*s", key, PH_WORD - 1, backend);
    char *copy = strdup(set);
    if (!copy)
        return ph_no_memory(err, "the input");
    free(simulation->sets[k]);
    simulation->sets[k] = copy;
    input->n_sets = k < input->n_sets ? input->n_sets : k + 1;
    input->sets = (const char *const *)simulation->sets;
    ph_build_note(&simulation->notes,
                  "The run continues with dynamics.backend: %.60s, it was %.60s so far: sums have another order there, "
                  "so that this is another trajectory from here on, as good as the one that would have been.\n",
                  backend, input->dynamics.backend);
    snprintf(input->dynamics.backend, sizeof input->dynamics.backend, "%s", backend);
    return PH_OK;
}

/* Checkpoints of earlier versions do not have the energy of a bias. */
static enum ph_status load_observables(const struct ph_checkpoint *checkpoint, struct ph_observables *observables,
                                       struct ph_error *err)
{
    const size_t n = sizeof *observables / sizeof(double), bias = offsetof(struct ph_observables, terms.bias);
    const struct ph_checkpoint_array *saved = ph_checkpoint_find(checkpoint, "observables");
    const bool earlier = saved && saved->n == n - 1;
    double *number = (double *)observables, *from_bias = number + bias / sizeof(double);
    const enum ph_status status = ph_checkpoint_doubles(checkpoint, "observables", earlier ? n - 1 : n, number, err);
    if (status == PH_OK && earlier) {
        memmove(from_bias + 1, from_bias, (size_t)(number + n - 1 - from_bias) * sizeof(double));
        *from_bias = 0.0;
    }
    return status;
}

/* Loads the state. `backend`: backend of the rest of the run; NULL: unchanged */
static enum ph_status load_state(const struct ph_checkpoint *checkpoint, const char *backend,
                                 struct ph_simulation *simulation, struct ph_error *err)
{
    int64_t counts[PH_SAVED_COUNTS];
    enum ph_status status = ph_checkpoint_int64(checkpoint, "counts", PH_SAVED_COUNTS, counts, err);
    if (status == PH_OK)
        status = load_texts(checkpoint, counts[3], counts[4], simulation, err);
    if (status == PH_OK && !(simulation->input = malloc(sizeof *simulation->input)))
        status = ph_no_memory(err, "the input");
    if (status == PH_OK)
        status = ph_input_read_keeping(&simulation->texts, simulation->texts.item[0].name, (size_t)counts[4],
                                       (const char *const *)simulation->sets, simulation->input, err);
    if (status == PH_OK)
        status = load_names(checkpoint, simulation, err);
    const bool same_backend = status != PH_OK || !backend || strcmp(backend, simulation->input->dynamics.backend) == 0;
    if (!same_backend)
        status = change_backend(backend, simulation, err);
    if (status == PH_OK)
        status = ph_methods_find(simulation->input, &simulation->methods, err);
    if (status != PH_OK)
        return status;
    keep_method(checkpoint, simulation->input);
    simulation->units = ph_units_find(simulation->input->units);
    simulation->checkpoint_step = counts[0];
    simulation->end = counts[1];
    simulation->production = counts[2];
    simulation->stage = ph_stage_after(simulation->input, counts[0]);
    simulation->observed_step = counts[6];
    simulation->saved_at = ph_clock_wall();
    status = load_molecules(checkpoint, same_backend, simulation, err);
    if (status == PH_OK)
        ph_build_note_physics(simulation->input, simulation->system, &simulation->interactions, &simulation->notes);
    if (status == PH_OK)
        status = load_numbers(checkpoint, simulation, err);
    int64_t pushed = 0;
    if (status == PH_OK && ph_checkpoint_find(checkpoint, "caller_force"))
        status = ph_checkpoint_int64(checkpoint, "caller_force", 1, &pushed, err);
    simulation->lacks_force = pushed != 0;
    double energies[2], landing[2] = {0.0};
    if (status == PH_OK)
        status = ph_checkpoint_doubles(checkpoint, "energies", 2, energies, err);
    if (status == PH_OK && ph_checkpoint_find(checkpoint, "landing"))
        status = ph_checkpoint_doubles(checkpoint, "landing", 2, landing, err);
    simulation->plumed.restarts = true;
    if (status == PH_OK && ph_checkpoint_find(checkpoint, "plumed_work"))
        status = ph_checkpoint_doubles(checkpoint, "plumed_work", 1, &simulation->plumed.work, err);
    if (status == PH_OK)
        status = load_observables(checkpoint, &simulation->observables, err);
    if (status != PH_OK)
        return status;
    simulation->energy_start = energies[0];
    simulation->energy_size = energies[1];
    simulation->landing = (struct ph_landing){landing[0], landing[1]};
    ph_mover_restore(simulation->mover, counts[0], counts[5] != 0);
    return PH_OK;
}

static bool is_there(const char *name, const char *ending)
{
    char full[2 * PH_PATH + 8];
    snprintf(full, sizeof full, "%s%s", name, ending);
    return access(full, F_OK) == 0;
}

static enum ph_status no_checkpoint(const struct ph_simulation *simulation, struct ph_error *err)
{
    if (!is_there(simulation->file, ""))
        return ph_error_set(err, PH_ERR_IO, "%s: is not there, nor is %s.", simulation->file,
                            simulation->checkpoint_file);
    return ph_error_set(err, PH_ERR_IO,
                        "%s: has no checkpoint to go on from, %s is missing: it is not a trajectory of 'polhode run', "
                        "or that run was ended before its first step.",
                        simulation->file, simulation->checkpoint_file);
}

/* Rank 0 checks which checkpoint file is good. The other ranks open the same file and later read their parts of it. */
static enum ph_status read_together(const struct ph_simulation *simulation, struct ph_checkpoint *checkpoint,
                                    char note[PH_CHECKPOINT_NOTE], struct ph_error *err)
{
    const char *file = simulation->checkpoint_file;
    const bool first = ph_ranks_is_first(), there = is_there(file, "") || is_there(file, ".1");
    enum ph_status status = there ? PH_OK : no_checkpoint(simulation, err);
    if (status == PH_OK && first)
        status = ph_checkpoint_read(file, checkpoint, note, err);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK || ph_ranks_count() == 1)
        return status;
    bool older = checkpoint->is_older;
    uint64_t hash = checkpoint->hash;
    ph_ranks_broadcast(sizeof older, &older);
    ph_ranks_broadcast(sizeof hash, &hash);
    ph_ranks_broadcast(PH_CHECKPOINT_NOTE, note);
    if (!first)
        status = ph_checkpoint_read_same(file, older, hash, checkpoint, err);
    return ph_ranks_agree(status, err);
}

enum ph_status ph_simulation_load(struct ph_simulation *simulation, const char *file, const char *backend,
                                  struct ph_error *err)
{
    if (snprintf(simulation->file, sizeof simulation->file, "%s", file) >= PH_PATH ||
        !ph_checkpoint_name(file, sizeof simulation->checkpoint_file, simulation->checkpoint_file))
        return ph_error_set(err, PH_ERR_INPUT, "The name of the trajectory, '%.60s...', is too long.", file);
    struct ph_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint)
        ph_no_memory(err, "a checkpoint");
    enum ph_status status = ph_ranks_agree(checkpoint ? PH_OK : PH_ERR_MEMORY, err);
    char note[PH_CHECKPOINT_NOTE];
    struct ph_error inner = {.text = ""};
    if (status == PH_OK)
        status = read_together(simulation, checkpoint, note, err);
    if (status == PH_OK && note[0])
        snprintf(simulation->notes.text, sizeof simulation->notes.text, "%s\n", note);
    if (status == PH_OK && load_state(checkpoint, backend, simulation, &inner) != PH_OK)
        status = ph_error_set(err, inner.status, "%.300s: %.600s", simulation->checkpoint_file, inner.text);
    if (checkpoint)
        ph_checkpoint_free(checkpoint);
    free(checkpoint);
    return status;
}
