/* SPDX-License-Identifier: MIT */
#include "run/build.h"

#include "model/start.h"
#include "model/start_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct ph_units all_units[] = {
    {.name = "reduced", .coulomb = 1.0, .boltzmann = 1.0},
    {.name = "md", .coulomb = 138.935457644382, .boltzmann = 0.00831446261815324},
};

const struct ph_units *ph_units_find(const char *name)
{
    for (size_t k = 0; k < sizeof all_units / sizeof *all_units; ++k)
        if (strcmp(all_units[k].name, name) == 0)
            return &all_units[k];
    return NULL;
}

enum ph_status ph_build_species(const struct ph_input_model *model, struct ph_species *species, struct ph_error *err)
{
    *species = (struct ph_species){.n_sites = model->n_sites};
    snprintf(species->name, sizeof species->name, "%s", model->name);
    for (size_t a = 0; a < model->n_sites; ++a) {
        const struct ph_input_site *from = &model->sites[a];
        struct ph_site *to = &species->site[a];
        snprintf(to->name, sizeof to->name, "%s", from->name);
        memcpy(to->position, from->position, sizeof to->position);
        memcpy(to->dipole, from->dipole, sizeof to->dipole);
        to->mass = from->mass;
        to->charge = from->charge;
        to->radial = ph_build_radial(&from->radial);
    }
    struct ph_error inner = {.text = ""};
    const enum ph_status status = ph_species_complete(species, isnan(model->mass) ? NULL : &model->mass,
                                                      isnan(model->inertia[0]) ? NULL : model->inertia, &inner);
    if (status != PH_OK)
        return ph_error_set(err, status, "%s: %.700s", model->file, inner.text);
    return PH_OK;
}

static enum ph_status load_species(const struct ph_input *input, struct ph_species *species, size_t *counts,
                                   struct ph_error *err)
{
    struct ph_input_model *model = malloc(sizeof *model);
    if (!model)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a model.");
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < input->system.n_molecules && status == PH_OK; ++k) {
        counts[k] = (size_t)input->system.molecules[k].count;
        status = ph_input_model(input, k, model, err);
        if (status == PH_OK)
            status = ph_build_species(model, &species[k], err);
        for (size_t j = 0; j < k && status == PH_OK; ++j)
            if (strcmp(species[j].name, species[k].name) == 0) {
                char place[PH_PLACE];
                ph_input_line_place(input, input->system.molecules[k].line, place);
                status = ph_error_set(err, PH_ERR_INPUT,
                                      "%s: system.molecules[%zu]: model '%s' has been listed before; add the counts.",
                                      place, k, species[k].name);
            }
    }
    free(model);
    return status;
}

/* Of the input, or of the file with the start configuration; if both say something they must agree. */
static enum ph_status build_box(const struct ph_input *input, const struct ph_frame *frame, size_t n,
                                struct ph_box *box, struct ph_error *err)
{
    const double *length = input->system.box.length, *edges = input->system.box.edges;
    double edge[3][3] = {{0.0}};
    const char *key = NULL;
    if (!isnan(input->system.box.density)) {
        key = "system.box.density";
        edge[0][0] = edge[1][1] = edge[2][2] = cbrt((double)n / input->system.box.density);
    } else if (!isnan(length[0])) {
        key = "system.box.length";
        for (int k = 0; k < 3; ++k)
            edge[k][k] = length[k];
    } else if (!isnan(edges[0])) {
        key = "system.box.edges";
        memcpy(edge, edges, sizeof edge);
    }
    char place[PH_PLACE];
    if (strcmp(input->system.box.kind, "open") == 0) {
        *box = ph_box_open();
        if (!frame || !frame->periodic)
            return PH_OK;
        ph_input_place(input, "system.box.kind", place);
        return ph_error_set(err, PH_ERR_INPUT, "%s: system.box.kind is open, but %s has a periodic box.", place,
                            frame->file);
    }
    if (frame && frame->periodic) {
        const double size = fabs(frame->edge[0][0]) + fabs(frame->edge[1][1]) + fabs(frame->edge[2][2]);
        for (int k = 0; k < 9 && key; ++k)
            if (!(fabs(edge[k / 3][k % 3] - frame->edge[k / 3][k % 3]) <= 1e-6 * size)) {
                ph_input_place(input, key, place);
                return ph_error_set(
                    err, PH_ERR_INPUT,
                    "%s: %s makes component %d of box edge %d %.10g, but %s has %.10g: leave the key out, or make "
                    "them agree.",
                    place, key, k % 3 + 1, k / 3 + 1, edge[k / 3][k % 3], frame->file, frame->edge[k / 3][k % 3]);
            }
        memcpy(edge, frame->edge, sizeof edge);
        key = "system.start.file";
    }
    if (!key) {
        ph_input_place(input, "system.start.file", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: system.start.file: %s has no box: give one of system.box.density, length, edges, or "
                            "system.box.kind: open.",
                            place, frame ? frame->file : "the input");
    }
    struct ph_error inner = {.text = ""};
    const enum ph_status status = ph_box_init_periodic((const double(*)[3])edge, box, &inner);
    if (status != PH_OK) {
        ph_input_place(input, key, place);
        return ph_error_set(err, status, "%s: %s: %.600s", place, key, inner.text);
    }
    return PH_OK;
}

static enum ph_start_kind start_kind(const char *name)
{
    if (strcmp(name, "fcc") == 0)
        return PH_START_FCC;
    if (strcmp(name, "simple-cubic") == 0)
        return PH_START_SIMPLE_CUBIC;
    return strcmp(name, "gaussian") == 0 ? PH_START_GAUSSIAN : PH_START_RANDOM;
}

static double largest_sigma(const struct ph_system *system)
{
    double largest = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            largest = fmax(largest, system->species[s].site[a].radial.sigma);
    return largest;
}

static enum ph_status place(const struct ph_input *input, const struct ph_frame *frame, struct ph_system *system,
                            struct ph_error *err)
{
    if (frame)
        return ph_frame_apply(frame, input->system.start.tolerance, system, NULL, err);
    const struct ph_start start = {
        .kind = start_kind(input->system.start.kind),
        .seed = (uint64_t)input->system.start.seed,
        .jitter = input->system.start.jitter,
        .spacing = input->system.start.spacing,
        .minimum_distance = isnan(input->system.start.minimum_distance) ? 0.9 * largest_sigma(system)
                                                                        : input->system.start.minimum_distance,
        .radius = input->system.start.radius,
        .spread = input->system.start.spread,
    };
    struct ph_error inner = {.text = ""};
    const enum ph_status status = ph_start_place(&start, system, &inner);
    if (status != PH_OK) {
        char where[PH_PLACE];
        ph_input_place(input, "system.start", where);
        return ph_error_set(err, status, "%s: system.start: %.600s", where, inner.text);
    }
    if (strcmp(input->system.start.attitudes, "random") == 0)
        ph_start_turn(start.seed, system);
    return PH_OK;
}

static enum ph_status build(const struct ph_input *input, const struct ph_frame *frame, struct ph_species *species,
                            struct ph_system **system, struct ph_interactions *interactions, struct ph_error *err)
{
    size_t counts[PH_INPUT_SPECIES_MAX], n = 0;
    enum ph_status status = load_species(input, species, counts, err);
    if (status != PH_OK)
        return status;
    for (size_t k = 0; k < input->system.n_molecules; ++k)
        n += counts[k];
    struct ph_box box;
    status = build_box(input, frame, n, &box, err);
    if (status == PH_OK)
        status = ph_system_create(input->system.n_molecules, species, counts, &box, system, err);
    if (status == PH_OK)
        status = place(input, frame, *system, err);
    if (status != PH_OK)
        return status;
    ph_start_move(ph_units_find(input->units)->boltzmann * input->system.start.temperature, input->system.start.rescale,
                  input->interactions.pinned, (uint64_t)input->system.start.seed, *system);
    return ph_build_interactions(input, input->system.n_molecules, species, interactions, err);
}

enum ph_status ph_build_system(const struct ph_input *input, struct ph_system **system,
                               struct ph_interactions *interactions, struct ph_error *err)
{
    *system = NULL;
    *interactions = (struct ph_interactions){.n_overrides = 0};
    const bool from_file = strcmp(input->system.start.kind, "file") == 0;
    struct ph_frame frame = {.n = 0};
    if (from_file) {
        char path[PH_PATH];
        if (!ph_input_relative(input, input->system.start.file, path))
            return ph_error_set(err, PH_ERR_INPUT, "The path of '%s' is too long.", input->system.start.file);
        const enum ph_status status = ph_frame_read(path, input->system.start.scale, &frame, err);
        if (status != PH_OK)
            return status;
    }
    struct ph_species *species = calloc(PH_INPUT_SPECIES_MAX, sizeof *species);
    enum ph_status status = species ? build(input, from_file ? &frame : NULL, species, system, interactions, err)
                                    : ph_error_set(err, PH_ERR_MEMORY, "No memory for species.");
    free(species);
    ph_frame_free(&frame);
    if (status != PH_OK) {
        ph_system_destroy(*system);
        *system = NULL;
    }
    return status;
}
