/* SPDX-License-Identifier: MIT */
/* The second virial coefficient from the potential of an input file,
 *   B2 = -2 pi int r^2 (<exp(-u/kT)> - 1) dr,
 * the average over the attitudes of both molecules, by Monte Carlo with the same attitudes at every distance; the
 * integral over r by Gauss's quadrature on panels that grow with r. With each attitude of the second molecule come
 * those turned by half a revolution about the three axes of space: dipoles then cancel exactly, and what is left of
 * them falls off as r^-6 instead of being noise that falls off as r^-3. */
#include "analysis/blocks.h"
#include "base/random.h"
#include "base/rotation.h"
#include "force/force_field.h"
#include "lab/analyses.h"
#include "run/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 5, TURNS = 4, BLOCKS = 16, MOST_NODES = 4000 };

static const double gauss_x[POINTS] = {-0.90617984593866399280, -0.53846931010568309104, 0.0, 0.53846931010568309104,
                                       0.90617984593866399280};
static const double gauss_w[POINTS] = {0.23692688505618908751, 0.47862867049936646804, 0.56888888888888888889,
                                       0.47862867049936646804, 0.23692688505618908751};

struct nodes {
    size_t n;
    double *r, *weight; /* owned; dr */
    double core, end;   /* below core nothing gets: f = -1; beyond the end f falls off as r^-6, or is zero */
    bool tail;
};

/* A pair of molecules with its own field: one for each thread */
struct pair {
    struct ph_system *system;
    struct ph_force_field *field;
};

struct work {
    const struct ph_species *species[2];
    const struct ph_interactions *interactions;
    double kT;
    size_t samples;
    uint64_t seed;
    struct nodes nodes;
    double *sums; /* [BLOCKS][nodes.n + 1], the last one the number of samples */
};

static enum ph_status pair_init(const struct work *work, struct pair *pair, struct ph_error *err)
{
    const struct ph_box box = ph_box_open();
    const struct ph_species species[2] = {*work->species[0], *work->species[1]};
    const bool like = work->species[0] == work->species[1];
    *pair = (struct pair){NULL, NULL};
    enum ph_status status =
        ph_system_create(like ? 1 : 2, species, like ? (size_t[]){2} : (size_t[]){1, 1}, &box, &pair->system, err);
    if (status == PH_OK)
        status = ph_force_field_create(pair->system, work->interactions, &pair->field, err);
    return status;
}

static void pair_free(struct pair *pair)
{
    ph_force_field_destroy(pair->field);
    ph_system_destroy(pair->system);
}

/* exp(-u/kT) - 1. What overlaps so much that there is no energy is as good as forbidden. */
static double mayer(const struct work *work, struct pair *pair, double r, const double q1[4], const double q2[4])
{
    struct ph_system *system = pair->system;
    struct ph_energy energy;
    struct ph_error forgotten;
    for (int k = 0; k < 4; ++k) {
        system->q[k][0] = q1[k];
        system->q[k][1] = q2[k];
    }
    for (int k = 0; k < 3; ++k)
        system->r[k][0] = system->r[k][1] = 0.0;
    system->r[2][1] = r;
    if (ph_force_field_evaluate(pair->field, system, &energy, &forgotten) != PH_OK)
        return -1.0;
    const double u = energy.radial + energy.electric;
    return isfinite(u) ? expm1(-u / work->kT) : -1.0;
}

static void sum_block(const struct work *work, struct pair *pair, size_t b, double *sums)
{
    const size_t first = b * work->samples / BLOCKS, end = (b + 1) * work->samples / BLOCKS;
    for (size_t s = first; s < end; ++s) {
        struct ph_random random = ph_random_stream(work->seed, PH_RANDOM_ATTITUDE, s);
        double q1[4], q2[4], turned[TURNS][4];
        ph_random_attitude(&random, q1);
        ph_random_attitude(&random, q2);
        for (int k = 0; k < TURNS; ++k) {
            double half[4] = {0.0};
            half[k] = 1.0; /* 1, and half a revolution about x, y and z */
            ph_quat_multiply(half, q2, turned[k]);
        }
        for (size_t n = 0; n < work->nodes.n; ++n)
            for (int k = 0; k < TURNS; ++k)
                sums[n] += mayer(work, pair, work->nodes.r[n], q1, turned[k]) / TURNS;
        sums[work->nodes.n] += 1.0;
    }
}

static enum ph_status sample(const struct ph_analysis_request *request, struct work *work, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    size_t done = 0;
    struct ph_error failure = {.status = PH_OK};
#pragma omp parallel
    {
        struct pair pair;
        struct ph_error own = {.status = PH_OK};
        const enum ph_status ready = pair_init(work, &pair, &own);
        if (ready != PH_OK) {
#pragma omp critical(ph_virial)
            {
                status = ready;
                failure = own;
            }
        }
#pragma omp for schedule(dynamic, 1)
        for (size_t b = 0; b < BLOCKS; ++b) {
            if (ready == PH_OK)
                sum_block(work, &pair, b, &work->sums[b * (work->nodes.n + 1)]);
#pragma omp critical(ph_virial)
            if (request->progress)
                request->progress((double)++done / BLOCKS, request->progress_data);
        }
        pair_free(&pair);
    }
    if (status != PH_OK)
        *err = failure;
    return status;
}

/* ---- Quadrature ---- */

static void add_panel(struct nodes *nodes, double from, double to)
{
    for (int k = 0; k < POINTS && nodes->n < MOST_NODES && to > from; ++k) {
        nodes->r[nodes->n] = 0.5 * (from + to) + 0.5 * (to - from) * gauss_x[k];
        nodes->weight[nodes->n++] = 0.5 * (to - from) * gauss_w[k];
    }
}

/* Narrow panels where sites meet, wider ones outside. With a cutoff the potential may jump there, and ends, with sites
 * off the centres, between cutoff - reach and cutoff + reach. */
static void make_nodes(const struct work *work, struct nodes *nodes)
{
    double sigma = 0.0, reach = 0.0;
    for (int k = 0; k < 2; ++k) {
        reach += work->species[k]->extent;
        for (size_t a = 0; a < work->species[k]->n_sites; ++a)
            sigma = fmax(sigma, work->species[k]->site[a].radial.sigma);
    }
    for (size_t k = 0; k < work->interactions->n_overrides; ++k)
        sigma = fmax(sigma, work->interactions->overrides[k].radial.sigma);
    sigma = sigma > 0.0 ? sigma : fmax(reach, 1.0);
    const bool cut = work->interactions->truncation != PH_TRUNCATE_NONE;
    const double cutoff = cut ? work->interactions->cutoff : INFINITY;
    nodes->core = 0.4 * sigma;
    nodes->end = cut ? cutoff + reach : 20.0 * sigma + 4.0 * reach;
    nodes->tail = !cut;
    double r = nodes->core, width = 0.05 * sigma;
    const double inner = 2.0 * sigma + reach;
    while (r < nodes->end * (1.0 - 1e-12)) {
        double to = fmin(nodes->end, r + width);
        to = r < cutoff && to > cutoff ? cutoff : to;
        if (r < cutoff - work->interactions->switch_width && to > cutoff - work->interactions->switch_width)
            to = cutoff - work->interactions->switch_width;
        add_panel(nodes, r, to);
        r = to;
        width = r < inner ? width : fmin(1.25 * width, 0.3 * r);
    }
}

static double integral(const double *sums, const void *data)
{
    const struct nodes *nodes = data;
    const double pi = 3.14159265358979323846, n = sums[nodes->n], core = nodes->core;
    double sum = -core * core * core / 3.0;
    for (size_t k = 0; k < nodes->n; ++k)
        sum += nodes->weight[k] * nodes->r[k] * nodes->r[k] * sums[k] / n;
    if (nodes->tail) { /* f ~ r^-6 from the last node on */
        const double r = nodes->r[nodes->n - 1], end = nodes->end, ratio = r / end;
        sum += sums[nodes->n - 1] / n * ratio * ratio * ratio * r * r * r / 3.0;
    }
    return -2.0 * pi * sum;
}

static void averages(const double *sums, const void *data, double *out)
{
    const struct nodes *nodes = data;
    for (size_t k = 0; k < nodes->n; ++k)
        out[k] = sums[k] / sums[nodes->n];
}

/* ---- Results ---- */

static bool say(const struct work *work, bool physical, struct ph_result *result)
{
    const struct nodes *nodes = &work->nodes;
    const char *length = physical ? "nm" : "", *volume = physical ? "nm+3" : "";
    char name[PH_RESULT_NAME], label[PH_RESULT_NAME];
    double value, error;
    snprintf(label, sizeof label, "%.31s-%.31s", work->species[0]->name, work->species[1]->name);
    ph_jackknife(BLOCKS, nodes->n + 1, work->sums, integral, nodes, &value, &error);
    snprintf(name, sizeof name, "B2.%.80s", label);
    ph_result_value(result, name, value, error, volume, "second virial coefficient, per molecule");
    if (physical) {
        const double molar = 602.214076; /* nm^3 in cm^3/mol */
        snprintf(name, sizeof name, "B2_molar.%.80s", label);
        ph_result_value(result, name, molar * value, molar * error, "cm+3 mol-1", "the same");
    }
    struct ph_result_table *table =
        ph_result_table(result, nodes->n, "Mayer's function, averaged over attitudes", "%s", label);
    double *r = ph_result_column(result, table, "r", length), *f = ph_result_column(result, table, "f", "");
    double *f_error = ph_result_column(result, table, "f_error", "");
    if (!r || !f || !f_error)
        return false;
    memcpy(r, nodes->r, nodes->n * sizeof *r);
    return ph_jackknife_all(BLOCKS, nodes->n + 1, work->sums, averages, nodes, nodes->n, f, f_error);
}

static enum ph_status one_pair(const struct ph_analysis_request *request, struct work *work, bool physical,
                               struct ph_result *result, struct ph_error *err)
{
    struct nodes *nodes = &work->nodes;
    *nodes = (struct nodes){.n = 0};
    nodes->r = calloc(MOST_NODES, sizeof *nodes->r);
    nodes->weight = calloc(MOST_NODES, sizeof *nodes->weight);
    work->sums = calloc(BLOCKS * (MOST_NODES + 1), sizeof *work->sums);
    enum ph_status status = PH_OK;
    if (!nodes->r || !nodes->weight || !work->sums)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the integrand.");
    if (status == PH_OK) {
        make_nodes(work, nodes);
        status = sample(request, work, err);
    }
    if (status == PH_OK && !say(work, physical, result))
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the integrand.");
    free(nodes->r);
    free(nodes->weight);
    free(work->sums);
    return status;
}

static bool turns(const struct ph_species *species) { return species->degrees > 0; }

static enum ph_status all_pairs(const struct ph_analysis_request *request, const struct ph_input *input,
                                const struct ph_system *system, struct ph_interactions *interactions,
                                struct ph_result *result, struct ph_error *err)
{
    const double temperature = isnan(request->temperature) ? input->system.start.temperature : request->temperature;
    if (!(temperature > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "%s: has no temperature above 0: give --temperature.", input->file);
    for (int k = 0; k < 3; ++k)
        interactions->electric_field[k] = interactions->gravity[k] = interactions->body_force[k] = 0.0;
    interactions->tether = interactions->gravity_gradient = 0.0;
    interactions->pinned = interactions->long_range_correction = false;
    const bool physical = strcmp(input->units, "md") == 0,
               ewald = interactions->electrostatics == PH_ELECTROSTATICS_EWALD;
    const bool whole = request->of ? strcmp(request->of, "whole") == 0 : ewald;
    if (request->of && !whole && strcmp(request->of, "input") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "--of %s: not accepted; give input or whole.", request->of);
    if (ewald && !whole)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "--of input: an Ewald sum is one of a periodic box, not of two molecules; give --of whole.");
    if (ewald && !request->of)
        ph_result_note(result,
                       "An Ewald sum is one of a periodic box; two molecules interact without truncation here.");
    if (whole) {
        interactions->truncation = PH_TRUNCATE_NONE;
        interactions->electrostatics = PH_ELECTROSTATICS_CUTOFF;
        interactions->cutoff = interactions->switch_width = 0.0;
    }
    ph_result_number(result, "temperature", temperature, physical ? "K" : "");
    ph_result_text(result, "truncation", whole ? "none" : input->interactions.truncation);
    if (interactions->truncation != PH_TRUNCATE_NONE) {
        ph_result_number(result, "cutoff", interactions->cutoff, physical ? "nm" : "");
        ph_result_note(result, "The potential is that of the input, truncated as it says; --of whole takes all of it.");
    }
    enum ph_status status = PH_OK;
    for (size_t a = 0; a < system->n_species && status == PH_OK; ++a)
        for (size_t b = a; b < system->n_species && status == PH_OK; ++b) {
            const bool random = turns(&system->species[a]) || turns(&system->species[b]);
            struct work work = {.species = {&system->species[a], &system->species[b]},
                                .interactions = interactions,
                                .kT = ph_units_find(input->units)->boltzmann * temperature,
                                .samples = random ? (size_t)(request->samples > 0 ? request->samples : 1024) : BLOCKS,
                                .seed = (uint64_t)request->seed};
            work.samples = work.samples < BLOCKS ? BLOCKS : work.samples;
            ph_result_number(result, "samples", (double)work.samples, NULL);
            status = one_pair(request, &work, physical, result, err);
        }
    return status;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct ph_input *input = malloc(sizeof *input);
    struct ph_system *system = NULL;
    struct ph_interactions interactions = {.n_overrides = 0};
    if (!input)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the input.");
    enum ph_status status = ph_input_read(request->files[0], request->n_sets, request->sets, input, err);
    if (status == PH_OK)
        status = ph_build_empty(input, &system, &interactions, err);
    if (status == PH_OK)
        status = all_pairs(request, input, system, &interactions, result, err);
    ph_interactions_free(&interactions);
    ph_system_destroy(system);
    free(input);
    return status;
}

const struct ph_analysis ph_analysis_virial_coefficient = {
    .name = "virial-coefficient",
    .summary = "second virial coefficient of the potential of an input file",
    .documentation =
        "Of every pair of models of an INPUT.yaml, as its interactions say, or without truncation and reaction field "
        "(--of whole), at the temperature of its start or that of "
        "--temperature: by quadrature over the distance, and Monte Carlo over --samples attitudes (1024), whose error "
        "is "
        "given. Radial potentials need no samples: they are exact up to the quadrature.",
    .needs = "an input file instead of a trajectory",
    .options = "temperature of samples seed set",
    .input = true,
    .run = run,
};
