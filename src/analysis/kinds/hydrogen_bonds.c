/* SPDX-License-Identifier: MIT */
/* Hydrogen bonds, by the geometry of each frame (A. Luzar, D. Chandler, Phys. Rev. Lett. 76 (1996) 928): the donor D
 * and the acceptor A, of two molecules, are nearer than 0.35 nm, and the angle H-D-A at the donor is below 30 degrees.
 * D and A are sites of nitrogen, oxygen or fluorine, H is a hydrogen whose nearest heavy site is D. */
#include "analysis/kinds/hydrogen_bonds.h"

#include "analysis/registry.h"
#include "analysis/statistics/pairs.h"
#include "base/library.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "output/reader/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 0, BONDS, LENGTH, ANGLE, FIRST_NUMBER };

/* The polar sites of all molecules, and their hydrogens, in the order of molecules */
struct task {
    double cutoff, cosine;
    size_t n, n_hydrogens, n_members; /* polar sites; molecules that have one */
    size_t *molecule, *site;          /* of each polar site; owned, as the next ones */
    size_t *first;                    /* hydrogen of each polar site; n_hydrogens at the end */
    size_t *hydrogen;                 /* site of each hydrogen */
    struct ph_bond_list *lists;       /* of each frame */
};

struct scratch {
    const struct task *task;
    const struct ph_recorded *snapshot;
    struct ph_pair_finder *pairs;
    double *position, *towards; /* of polar sites; unit vectors from donors to hydrogens */
    unsigned char *number;      /* bonds of each molecule */
    struct ph_bond_list *list;  /* of the frame */
    double length, angle;
    bool failed;
};

static void end(void *data)
{
    struct scratch *scratch = data;
    ph_pair_finder_destroy(scratch->pairs);
    free(scratch->position);
    free(scratch->towards);
    free(scratch->number);
}

static bool begin(const void *data, void *own)
{
    const struct task *task = data;
    struct scratch *scratch = own;
    scratch->task = task;
    scratch->pairs = ph_pair_finder_create(task->n);
    scratch->position = calloc(3 * task->n, sizeof *scratch->position);
    scratch->towards = calloc(3 * task->n_hydrogens, sizeof *scratch->towards);
    scratch->number = calloc(task->molecule[task->n - 1] + 1, sizeof *scratch->number);
    return scratch->pairs && scratch->position && scratch->towards && scratch->number;
}

/* Hydrogens of the polar site i, as donor, and the acceptor j at +-d */
static void meet(struct scratch *scratch, size_t i, size_t j, double square, double sign, const double d[3])
{
    const struct task *task = scratch->task;
    const double distance = sqrt(square);
    for (size_t h = task->first[i]; h < task->first[i + 1]; ++h) {
        const double cosine = sign * ph_vec3_dot(&scratch->towards[3 * h], d) / distance;
        unsigned char *numbers[2] = {&scratch->number[task->molecule[i]], &scratch->number[task->molecule[j]]};
        if (!(cosine > task->cosine))
            continue;
        scratch->failed = !ph_bond_list_add(scratch->list, h, j) || scratch->failed;
        scratch->length += distance;
        scratch->angle += acos(fmin(1.0, cosine));
        for (int k = 0; k < 2; ++k)
            *numbers[k] = (unsigned char)(*numbers[k] < UINT8_MAX ? *numbers[k] + 1 : UINT8_MAX);
    }
}

static void visit(const struct ph_pair_batch *batch, void *data)
{
    struct scratch *scratch = data;
    const struct task *task = scratch->task;
    const size_t i = (size_t)batch->i;
    for (size_t l = 0; l < batch->n; ++l) {
        const size_t j = (size_t)batch->j[l];
        const double d[3] = {batch->dx[l], batch->dy[l], batch->dz[l]}, square = batch->square[l];
        if (!(square < task->cutoff * task->cutoff) || task->molecule[i] == task->molecule[j])
            continue;
        meet(scratch, i, j, square, 1.0, d);
        meet(scratch, j, i, square, -1.0, d);
    }
}

static void place(const struct ph_recording *recording, const struct ph_recorded *snapshot, const struct task *task,
                  struct scratch *scratch)
{
    for (size_t p = 0; p < task->n; ++p) {
        const size_t i = task->molecule[p];
        const struct ph_site *sites = recording->kinds[recording->kind[i]].species.site;
        const double *q = &snapshot->data[PH_ORIENTATION][4 * i];
        double *r = &scratch->position[3 * p];
        ph_quat_rotate(q, sites[task->site[p]].position, r);
        ph_vec3_add(1.0, &snapshot->data[PH_CENTRE][3 * i], r);
        for (size_t h = task->first[p]; h < task->first[p + 1]; ++h) {
            double bond[3];
            memcpy(bond, sites[task->hydrogen[h]].position, sizeof bond);
            ph_vec3_add(-1.0, sites[task->site[p]].position, bond);
            const double length = ph_vec3_norm(bond);
            for (int k = 0; k < 3; ++k)
                bond[k] /= length;
            ph_quat_rotate(q, bond, &scratch->towards[3 * h]);
        }
    }
}

static bool add(const struct ph_recording *recording, const struct ph_recorded *snapshot, const void *data, void *own,
                double *sums)
{
    const struct task *task = data;
    struct scratch *scratch = own;
    const size_t n_molecules = task->molecule[task->n - 1] + 1;
    scratch->list = &task->lists[snapshot->frame];
    scratch->length = scratch->angle = 0.0;
    memset(scratch->number, 0, n_molecules);
    place(recording, snapshot, task, scratch);
    if (!ph_pair_finder_visit(scratch->pairs, &snapshot->box, scratch->position, task->cutoff, visit, scratch) ||
        scratch->failed)
        return false;
    sums[FRAMES] += 1.0;
    sums[BONDS] += (double)scratch->list->n;
    sums[LENGTH] += scratch->length;
    sums[ANGLE] += scratch->angle;
    for (size_t p = 0; p < task->n; ++p)
        if (p == 0 || task->molecule[p] != task->molecule[p - 1]) {
            const size_t number = scratch->number[task->molecule[p]];
            sums[FIRST_NUMBER + (number < PH_BOND_NUMBERS ? number : PH_BOND_NUMBERS - 1)] += 1.0;
        }
    return true;
}

/* ---- Sites ---- */

/* By the name of the site, or by its mass in u; deuterium is a hydrogen. A united atom as CH3 has no element: 0. */
static int element_of(const struct ph_recording *recording, const struct ph_site *site)
{
    const int number = strcmp(site->name, "D") == 0 ? 1 : ph_element_number(site->name);
    return number == 0 && recording->physical && site->mass > 0.0 ? ph_element_of_mass(site->mass) : number;
}

static bool is_polar(int element) { return element == 7 || element == 8 || element == 9; }

/* Returns the heavy site that is nearest to a hydrogen; n_sites if there is none. */
static size_t donor_of(const struct ph_recording *recording, const struct ph_species *species, size_t hydrogen)
{
    size_t nearest = species->n_sites;
    double least = INFINITY;
    for (size_t s = 0; s < species->n_sites; ++s) {
        double d[3];
        memcpy(d, species->site[s].position, sizeof d);
        ph_vec3_add(-1.0, species->site[hydrogen].position, d);
        if (species->site[s].mass > 0.0 && element_of(recording, &species->site[s]) != 1 && ph_vec3_dot(d, d) < least) {
            least = ph_vec3_dot(d, d);
            nearest = s;
        }
    }
    return nearest;
}

/* Adds the polar sites of a molecule and their hydrogens; only counts them if `molecule` is NULL. */
static void add_sites(const struct ph_recording *recording, size_t i, struct task *task)
{
    const struct ph_recording_kind *kind = &recording->kinds[recording->kind[i]];
    const size_t n = kind->known && kind->species.degrees > 0 ? kind->species.n_sites : 0;
    for (size_t s = 0; s < n; ++s) {
        if (!is_polar(element_of(recording, &kind->species.site[s])))
            continue;
        if (task->molecule) {
            task->molecule[task->n] = i;
            task->site[task->n] = s;
            task->first[task->n] = task->n_hydrogens;
        }
        for (size_t h = 0; h < n; ++h)
            if (element_of(recording, &kind->species.site[h]) == 1 && donor_of(recording, &kind->species, h) == s) {
                if (task->molecule)
                    task->hydrogen[task->n_hydrogens] = h;
                ++task->n_hydrogens;
            }
        ++task->n;
    }
}

static enum ph_status choose_sites(const struct ph_recording *recording, struct task *task, struct ph_error *err)
{
    for (size_t i = 0; i < recording->n_molecules; ++i)
        add_sites(recording, i, task);
    if (task->n_hydrogens == 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: no molecule has a hydrogen at nitrogen, oxygen or fluorine: hydrogen bonds need "
                            "models with such sites.",
                            recording->reader.file.name);
    if (task->n_hydrogens > UINT32_MAX || recording->n_frames > UINT32_MAX)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is too large for this analysis.", recording->reader.file.name);
    task->molecule = calloc(task->n, sizeof *task->molecule);
    task->site = calloc(task->n, sizeof *task->site);
    task->first = calloc(task->n + 1, sizeof *task->first);
    task->hydrogen = calloc(task->n_hydrogens, sizeof *task->hydrogen);
    task->lists = calloc(recording->n_frames + 1, sizeof *task->lists);
    if (!task->molecule || !task->site || !task->first || !task->hydrogen || !task->lists)
        return ph_no_memory(err, "lists of hydrogen bonds");
    task->n = task->n_hydrogens = 0;
    for (size_t i = 0; i < recording->n_molecules; ++i) {
        const size_t before = task->n;
        add_sites(recording, i, task);
        task->n_members += task->n > before;
    }
    task->first[task->n] = task->n_hydrogens;
    return PH_OK;
}

static enum ph_status choose_criterion(const struct ph_analysis_request *request, const struct ph_recording *recording,
                                       struct task *task, struct ph_result *result, struct ph_error *err)
{
    const double pi = 3.14159265358979323846, angle = isnan(request->angle) ? 30.0 : request->angle;
    double half = NAN;
    enum ph_status status = ph_recording_half_width(recording, &half, err);
    if (status != PH_OK)
        return status;
    if (isnan(request->cutoff) && !recording->physical)
        return ph_error_set(err, PH_ERR_INPUT, "%s: is not in nm: give --cutoff, the largest distance of a bond.",
                            recording->reader.file.name);
    task->cutoff = isnan(request->cutoff) ? 0.35 : request->cutoff;
    if (task->cutoff > half)
        return ph_error_set(err, PH_ERR_INPUT, "--cutoff %g: not accepted; at most half the box, %g.", task->cutoff,
                            half);
    if (angle > 180.0)
        return ph_error_set(err, PH_ERR_INPUT, "--angle %g: not accepted; at most 180 degrees.", angle);
    task->cosine = angle == 180.0 ? -2.0 : ph_library_cos(angle * pi / 180.0);
    ph_result_number(result, "cutoff", task->cutoff, ph_recording_unit(recording, "nm"));
    ph_result_number(result, "angle", angle, "degrees");
    return PH_OK;
}

/* ---- Results ---- */

enum { MEAN_LENGTH, MEAN_ANGLE, FRACTIONS, WIDTH = FRACTIONS + PH_BOND_NUMBERS };

static void means(const double *sums, const void *data, double *out)
{
    const struct task *task = data;
    out[MEAN_LENGTH] = sums[LENGTH] / sums[BONDS];
    out[MEAN_ANGLE] = sums[ANGLE] / sums[BONDS] * 180.0 / 3.14159265358979323846;
    for (size_t b = 0; b < PH_BOND_NUMBERS; ++b)
        out[FRACTIONS + b] = sums[FIRST_NUMBER + b] / (sums[FRAMES] * (double)task->n_members);
}

static void say_number(struct ph_result *result, const struct ph_pass *sweep, const char *name, double factor,
                       const char *help)
{
    const struct ph_mean mean = ph_sweep_ratio(sweep, BONDS, FRAMES);
    struct ph_value *value = ph_result_value(result, name, factor * mean.mean, factor * mean.error, "", help);
    value->correlation_time = ph_mean_time(&mean, sweep->length);
    value->rough = mean.rough;
}

static bool say(const struct ph_recording *recording, const struct task *task, const struct ph_pass *sweep,
                struct ph_result *result)
{
    double values[2 * WIDTH];
    const size_t numbers = sweep->n_blocks * sweep->size;
    double *merged = malloc((numbers + 1) * sizeof *merged);
    if (!merged)
        return false;
    memcpy(merged, sweep->sums, numbers * sizeof *merged);
    const size_t blocks = ph_blocks_merge(sweep->n_blocks, sweep->size, merged, PH_ERROR_BLOCKS);
    const bool good = ph_jackknife_all(blocks, sweep->size, merged, means, task, WIDTH, values, values + WIDTH);
    free(merged);
    if (!good)
        return false;
    say_number(result, sweep, "hydrogen_bonds", 1.0, "mean number in the sample");
    say_number(result, sweep, "hydrogen_bonds_per_molecule", 2.0 / (double)task->n_members,
               "that a molecule donates or accepts: twice their number, per molecule with N, O or F");
    if (!isnan(values[MEAN_LENGTH])) {
        ph_result_value(result, "bond_length", values[MEAN_LENGTH], values[WIDTH + MEAN_LENGTH],
                        ph_recording_unit(recording, "nm"), "mean distance of donor and acceptor");
        ph_result_value(result, "bond_angle", values[MEAN_ANGLE], values[WIDTH + MEAN_ANGLE], "degrees",
                        "mean angle H-D-A at the donor");
    }
    struct ph_result_table *table =
        ph_result_table(result, PH_BOND_NUMBERS, "molecules with n bonds, donated or accepted; 8 or more", "numbers");
    double *n = ph_result_column(result, table, "n", ""), *f = ph_result_column(result, table, "fraction", ""),
           *error = ph_result_column(result, table, "fraction_error", "");
    for (size_t b = 0; b < PH_BOND_NUMBERS && n && f && error; ++b) {
        n[b] = (double)b;
        f[b] = values[FRACTIONS + b];
        error[b] = values[WIDTH + FRACTIONS + b];
    }
    return true;
}

static enum ph_status run(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err)
{
    struct task task = {.n = 0};
    struct ph_recording recording;
    struct ph_pass sweep = {.sums = NULL};
    enum ph_status status =
        ph_recording_open(request, PH_BIT(PH_CENTRE) | PH_BIT(PH_ORIENTATION), 0, &recording, result, err);
    if (status == PH_OK)
        status = choose_sites(&recording, &task, err);
    if (status == PH_OK)
        status = choose_criterion(request, &recording, &task, result, err);
    const struct ph_pass_task sweep_task = {.size = FIRST_NUMBER + PH_BOND_NUMBERS,
                                            .data = &task,
                                            .add = add,
                                            .scratch = sizeof(struct scratch),
                                            .begin = begin,
                                            .end = end};
    if (status == PH_OK)
        status = ph_sweep_run(&recording, &sweep_task, request, &sweep, err);
    if (status == PH_OK && !say(&recording, &task, &sweep, result))
        status = ph_no_memory(err, "numbers of hydrogen bonds");
    if (status == PH_OK)
        status = ph_bond_lifetimes(&recording, request, task.n_hydrogens, task.lists, result, err);
    for (size_t f = 0; task.lists && f < recording.n_frames; ++f)
        free(task.lists[f].bonds);
    free(task.lists);
    free(task.molecule);
    free(task.site);
    free(task.first);
    free(task.hydrogen);
    free(sweep.sums);
    ph_recording_close(&recording);
    return status;
}

const struct ph_analysis ph_analysis_hydrogen_bonds = {
    .name = "hydrogen-bonds",
    .summary = "numbers, geometry and lifetimes of hydrogen bonds",
    .documentation =
        "A hydrogen H and an acceptor A of another molecule are bonded while the donor D of H is nearer to "
        "A than --cutoff (0.35 nm), and the angle between D-H and D-A, at D, is below --angle (30 "
        "degrees). D and A are sites of N, O or F. Correlations: intermittent C(t) = <h(0) h(t)>/<h>, "
        "and continuous S(t), in which no frame breaks the bond.",
    .needs = "positions, orientations, models with hydrogens; for lifetimes frames at equal times",
    .options = "stage frames cutoff angle lag",
    .run = run,
};
