/* SPDX-License-Identifier: MIT */
#include "input/input.h"

#include "base/names.h"
#include "base/vec3.h"
#include "input/model_file.h"
#include "input/stages.h"
#include "input/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool equal(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* A key that makes sense only with certain values of another */
struct condition {
    const char *key, *needs, *values;
};

static const struct condition conditions[] = {
    {"system.box.density", "system.box.kind", "periodic"},
    {"system.box.mass_density", "system.box.kind", "periodic"},
    {"system.box.mass_density", "units", "md"},
    {"system.box.length", "system.box.kind", "periodic"},
    {"system.box.edges", "system.box.kind", "periodic"},
    {"system.box.length", "system.start.kind", "fcc|simple-cubic|random|gaussian|file|given"},
    {"system.box.edges", "system.start.kind", "fcc|simple-cubic|random|gaussian|file|given"},
    {"system.start.form", "system.start.kind", "ice"},
    {"system.start.form", "system.box.kind", "periodic"},
    {"system.start.form", "units", "md"},
    {"system.start.cells", "system.start.kind", "ice"},
    {"system.start.attitudes", "system.start.kind", "fcc|simple-cubic|random|gaussian|file|given"},
    {"system.start.jitter", "system.start.kind", "fcc|simple-cubic"},
    {"system.start.spacing", "system.start.kind", "fcc|simple-cubic"},
    {"system.start.spacing", "system.box.kind", "open"},
    {"system.start.minimum_distance", "system.start.kind", "random"},
    {"system.start.radius", "system.start.kind", "random"},
    {"system.start.radius", "system.box.kind", "open"},
    {"system.start.spread", "system.start.kind", "gaussian"},
    {"system.start.file", "system.start.kind", "file"},
    {"system.start.frame", "system.start.kind", "file"},
    {"system.start.tolerance", "system.start.kind", "file"},
    {"system.start.scale", "system.start.kind", "file"},
    {"system.start.format", "system.start.kind", "file"},
    {"system.start.names", "system.start.kind", "file"},
    {"system.start.length_unit", "system.start.kind", "file"},
    {"system.start.length_unit", "units", "md"},
    {"system.start.atom_style", "system.start.kind", "file"},
    {"system.start.units", "system.start.kind", "file"},
    {"interactions.cutoff", "interactions.truncation", "cut|shifted|force-shifted|switched"},
    {"interactions.switch", "interactions.truncation", "switched"},
    {"interactions.electrostatics.permittivity", "interactions.electrostatics.method", "reaction-field|ewald|mesh"},
    {"interactions.electrostatics.tolerance", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.geometry", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.split", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.screening", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.screening", "interactions.electrostatics.split", "gauss"},
    {"interactions.electrostatics.smoothness", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.shape", "interactions.electrostatics.method", "ewald|mesh"},
    {"interactions.electrostatics.shape", "interactions.electrostatics.split", "bessel"},
    {"interactions.electrostatics.k_max", "interactions.electrostatics.method", "ewald"},
    {"interactions.electrostatics.grid", "interactions.electrostatics.method", "mesh"},
    {"interactions.electrostatics.width", "interactions.electrostatics.method", "mesh"},
    {"interactions.electrostatics.window", "interactions.electrostatics.method", "mesh"},
    {"interactions.electrostatics.remove_net_force", "interactions.electrostatics.method", "mesh"},
};

/* A key that is required by the values of two other keys ("" stands for any) */
struct demand {
    const char *key, *kind, *box, *truncation;
};

static const struct demand demands[] = {
    {"system.start.spacing", "fcc|simple-cubic", "open", ""},
    {"system.start.radius", "random", "open", ""},
    {"system.start.spread", "gaussian", "", ""},
    {"system.start.form", "ice", "", ""},
    {"system.start.file", "file", "", ""},
    {"interactions.cutoff", "", "periodic", ""},
    {"interactions.cutoff", "", "", "cut|shifted|force-shifted|switched"},
};

static const char *text_of(const struct ph_input *input, const char *path)
{
    return (const char *)input + ph_input_schema.key[ph_schema_index(&ph_input_schema, path)].offset;
}

/* The program then chooses the cutoff, unless there are radial terms (ph_build_interactions finds out). */
static bool cutoff_is_chosen(const struct ph_input *input)
{
    return equal(input->interactions.method, "mesh") && !ph_input_given(input, "interactions.cutoff") &&
           !ph_input_given(input, "interactions.truncation") && !ph_input_given(input, "interactions.switch");
}

/* Does a start from a file make this key void? Then it may stay where the input had another start before. */
static bool is_ignored(const struct ph_input *input, const char *key)
{
    for (size_t k = 0; k < sizeof conditions / sizeof *conditions; ++k)
        if (equal(conditions[k].key, key) && equal(conditions[k].needs, "system.start.kind") &&
            equal(input->system.start.kind, "file") && !ph_name_among("file", conditions[k].values))
            return ph_input_given(input, key);
    return false;
}

void ph_input_ignored(const struct ph_input *input, size_t size, char *list)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t k = 0; k < ph_input_schema.n && used < size; ++k)
        if (is_ignored(input, ph_input_schema.key[k].path))
            used +=
                (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", ph_input_schema.key[k].path);
}

static enum ph_status check_conditions(const struct ph_input *input, struct ph_error *err)
{
    char place[PH_PLACE];
    for (size_t k = 0; k < sizeof conditions / sizeof *conditions; ++k) {
        const struct condition *c = &conditions[k];
        const char *value = text_of(input, c->needs);
        if (!ph_input_given(input, c->key) || ph_name_among(value, c->values) || is_ignored(input, c->key))
            continue;
        char values[PH_PATH] = "";
        for (const char *v = c->values; *v != '\0'; ++v) {
            const size_t used = strlen(values);
            snprintf(values + used, sizeof values - used, "%.*s", *v == '|' ? 4 : 1, *v == '|' ? " or " : v);
        }
        ph_input_place(input, c->key, place);
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s does not go with %s: %s. It needs %s to be %s.%s", place, c->key,
                            c->needs, value, c->needs, values,
                            equal(c->needs, "interactions.electrostatics.method") ? ph_input_why_mesh(input) : "");
    }
    for (size_t k = 0; k < sizeof demands / sizeof *demands; ++k) {
        const struct demand *d = &demands[k];
        const char *kind = input->system.start.kind, *box = input->system.box.kind;
        const char *truncation = input->interactions.truncation;
        if (equal(d->key, "interactions.cutoff") && cutoff_is_chosen(input))
            continue;
        if (ph_input_given(input, d->key) || (d->kind[0] && !ph_name_among(kind, d->kind)) ||
            (d->box[0] && !ph_name_among(box, d->box)) ||
            (d->truncation[0] && !ph_name_among(truncation, d->truncation)))
            continue;
        ph_input_line_place(input, d->kind[0] ? input->system.start_line : input->interactions.line, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: the key '%s' is missing (%s): system.start.kind is %s, system.box.kind is "
                            "%s, interactions.truncation is %s.",
                            place, d->key, ph_input_schema.key[ph_schema_index(&ph_input_schema, d->key)].help, kind,
                            box, truncation);
    }
    return PH_OK;
}

static enum ph_status check_box(const struct ph_input *input, struct ph_error *err)
{
    static const char *const sizes[] = {"system.box.density", "system.box.mass_density", "system.box.length",
                                        "system.box.edges"};
    const char *given[4];
    size_t n = 0;
    for (size_t k = 0; k < 4; ++k)
        if (ph_input_given(input, sizes[k]))
            given[n++] = sizes[k];
    char place[PH_PLACE];
    if (n > 1) {
        ph_input_place(input, given[1], place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: %s does not go with %s: give one of density, mass_density, length, edges.", place,
                            given[1], given[0]);
    }
    if (n == 0 && equal(input->system.box.kind, "periodic") && !ph_name_among(input->system.start.kind, "file|ice")) {
        ph_input_line_place(input, input->system.box_line ? input->system.box_line : input->system.line, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: the size of the periodic box is missing: give one of system.box.density, "
                            "mass_density, length, edges, or "
                            "system.box.kind: open.",
                            place);
    }
    return PH_OK;
}

static enum ph_status check_switch(const struct ph_input *input, struct ph_error *err)
{
    char place[PH_PLACE];
    if (equal(input->interactions.truncation, "switched") &&
        !(input->interactions.switch_width <= input->interactions.cutoff)) {
        ph_input_place(input, "interactions.switch.width", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.switch.width is %g, more than interactions.cutoff, %g: the switch must begin at a "
            "distance that is not negative.",
            place, input->interactions.switch_width, input->interactions.cutoff);
    }
    if (input->interactions.long_range_correction && equal(input->system.box.kind, "open")) {
        ph_input_place(input, "interactions.long_range_correction", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.long_range_correction does not go with system.box.kind: open, which has no mean "
            "density beyond the cutoff.",
            place);
    }
    if (equal(input->interactions.method, "reaction-field") && equal(input->interactions.truncation, "none")) {
        ph_input_place(input, "interactions.electrostatics.method", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.electrostatics.method: reaction-field needs interactions.cutoff: the continuum "
            "begins there.",
            place);
    }
    if (equal(input->interactions.method, "reaction-field") && equal(input->interactions.truncation, "switched") &&
        equal(input->interactions.smoothness, "all")) {
        ph_input_place(input, "interactions.switch.smoothness", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.switch.smoothness: all does not go with interactions.electrostatics.method: "
            "reaction-field, which ends by a polynomial. Accepted: 2, 4, 6.",
            place);
    }
    return PH_OK;
}

/* An Ewald sum, direct or on a mesh */
static enum ph_status check_ewald(const struct ph_input *input, struct ph_error *err)
{
    const char *method = input->interactions.method;
    const bool mesh = equal(method, "mesh");
    char place[PH_PLACE];
    if (!mesh && !equal(method, "ewald"))
        return PH_OK;
    if (equal(input->system.box.kind, "open")) {
        ph_input_place(input, "interactions.electrostatics.method", place);
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s: interactions.electrostatics.method: %s sums over the copies of a periodic box, but system.box.kind "
            "is open.",
            place, method);
    }
    if (mesh && ph_input_given(input, "interactions.electrostatics.tolerance") &&
        input->interactions.ewald_tolerance < 3e-12) {
        ph_input_place(input, "interactions.electrostatics.tolerance", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.electrostatics.tolerance is %g. Accepted: a number from 3e-12 to 0.01 "
                            "with interactions.electrostatics.method: mesh, from 1e-15 with method: ewald.",
                            place, input->interactions.ewald_tolerance);
    }
    if (!mesh && !equal(input->interactions.split, "bessel") &&
        ph_input_given(input, "interactions.electrostatics.smoothness")) {
        ph_input_place(input, "interactions.electrostatics.smoothness", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.electrostatics.smoothness does not go with method: ewald and split: "
                            "gauss, whose pairs end as interactions.truncation says. It needs split: bessel, or "
                            "method: mesh.",
                            place);
    }
    if (equal(input->interactions.geometry, "slab") && isfinite(input->interactions.permittivity)) {
        ph_input_place(input, "interactions.electrostatics.permittivity", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: interactions.electrostatics.permittivity is %g, but geometry: slab has empty space "
                            "above and below it. Accepted: .inf, or no permittivity.",
                            place, input->interactions.permittivity);
    }
    for (int e = 0; e < 3; ++e)
        if (input->interactions.grid[e] > 0 && input->interactions.grid[e] < input->interactions.mesh_width) {
            ph_input_place(input, "interactions.electrostatics.grid", place);
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: interactions.electrostatics.grid has %lld points along edge %d, fewer than "
                                "interactions.electrostatics.width, %lld.",
                                place, (long long)input->interactions.grid[e], e + 1,
                                (long long)input->interactions.mesh_width);
        }
    return PH_OK;
}

/* An integrator is a whole method, and has no compensated sums. */
static enum ph_status check_integrator(struct ph_input *input, struct ph_error *err)
{
    const struct {
        const char *key;
        bool wanted;
    } others[] = {{"dynamics.scheme", true},
                  {"dynamics.flow", true},
                  {"dynamics.nested", true},
                  {"dynamics.compensated", input->dynamics.compensated},
                  {"output.shadow_energy", input->output.shadow_energy}};
    if (input->dynamics.integrator[0] == '\0')
        return PH_OK;
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) {
        if (!others[k].wanted || !ph_input_given(input, others[k].key))
            continue;
        char place[PH_PLACE];
        ph_input_place(input, others[k].key, place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: %s does not go with dynamics.integrator: %s. Accepted: dynamics.integrator alone, or "
                            "dynamics.scheme, with which go dynamics.flow, dynamics.nested, dynamics.compensated and "
                            "output.shadow_energy.",
                            place, others[k].key, input->dynamics.integrator);
    }
    input->dynamics.compensated = false;
    return PH_OK;
}

/* The only place that knows the default of interactions.electrostatics.method. Charges and dipoles in a periodic box
 * get sums over all copies of it: cut at a distance they are another fluid, and charges none at all. Models are read
 * here to find charges and dipoles; ph_build_system reports a model that cannot be read. */
static enum ph_status choose_method(struct ph_input *input, struct ph_error *err)
{
    bool electric = false;
    const bool periodic = equal(input->system.box.kind, "periodic");
    if (input->interactions.method[0] != '\0')
        return PH_OK;
    struct ph_input_model *model = malloc(sizeof *model);
    if (!model)
        return ph_no_memory(err, "a model");
    struct ph_error inner = {.text = ""};
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < input->system.n_molecules && periodic && status == PH_OK; ++k) {
        status = ph_input_model(input, k, model, &inner);
        for (size_t a = 0; status == PH_OK && a < model->n_sites; ++a)
            electric = electric || model->sites[a].charge != 0.0 || !ph_vec3_is_zero(model->sites[a].dipole);
    }
    free(model);
    input->interactions.method_chosen = electric;
    strcpy(input->interactions.method, electric ? "mesh" : "cutoff");
    return status == PH_ERR_MEMORY ? ph_error_set(err, status, "%s", inner.text) : PH_OK;
}

/* A file name alone makes the start a file. */
static enum ph_status finish_start(struct ph_input *input, struct ph_error *err)
{
    if (input->system.start.kind[0] != '\0')
        return PH_OK;
    if (ph_input_given(input, "system.start.file")) {
        strcpy(input->system.start.kind, "file");
        return PH_OK;
    }
    const struct ph_key *key = &ph_input_schema.key[ph_schema_index(&ph_input_schema, "system.start.kind")];
    char place[PH_PLACE], accepted[PH_PATH];
    ph_schema_accepted(key, accepted);
    ph_input_line_place(input, input->system.start_line, place);
    return ph_error_set(err, PH_ERR_INPUT, "%s: the key 'system.start.kind' is missing (%s). Accepted: %s.", place,
                        key->help, accepted);
}

/* Defaults that depend on other keys, and forms of interaction */
static enum ph_status finish(struct ph_input *input, struct ph_error *err)
{
    const bool mesh = equal(input->interactions.method, "mesh");
    if (cutoff_is_chosen(input))
        input->interactions.cutoff = 0.0;
    if (input->interactions.truncation[0] == '\0')
        strcpy(input->interactions.truncation, isnan(input->interactions.cutoff) ? "none" : "switched");
    if (input->interactions.split[0] == '\0' && (mesh || equal(input->interactions.method, "ewald")))
        strcpy(input->interactions.split, mesh ? "bessel" : "gauss");
    if (isnan(input->interactions.switch_width))
        input->interactions.switch_width = 0.15 * input->interactions.cutoff;
    if (isnan(input->interactions.permittivity))
        input->interactions.permittivity = INFINITY;
    double *const chosen[] = {&input->interactions.ewald_tolerance, &input->interactions.screening,
                              &input->interactions.shape, &input->interactions.k_max, &input->interactions.window};
    for (size_t k = 0; k < sizeof chosen / sizeof *chosen; ++k)
        if (isnan(*chosen[k]))
            *chosen[k] = 0.0; /* the force field chooses */
    int64_t *const counts[] = {&input->interactions.grid[0], &input->interactions.grid[1], &input->interactions.grid[2],
                               &input->interactions.mesh_width};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k)
        if (*counts[k] == PH_ABSENT)
            *counts[k] = 0;
    if (isnan(input->dynamics.equilibrate.temperature))
        input->dynamics.equilibrate.temperature = input->system.start.temperature;
    if (isnan(input->dynamics.equilibrate.relaxation_time))
        input->dynamics.equilibrate.relaxation_time = 50.0 * input->dynamics.step;
    if (equal(input->output.writing, "collective") && input->output.compression > 0) {
        char place[PH_PLACE];
        ph_input_place(input, "output.compression", place);
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s: output.compression is %lld, but output.writing: collective writes numbers where they "
                            "belong, which is not known of compressed ones. Accepted: 0, or output.writing: gathered.",
                            place, (long long)input->output.compression);
    }
    int64_t *const every[] = {&input->output.image_every, &input->output.velocity_every,
                              &input->output.orientation_every, &input->output.angular_momentum_every};
    for (size_t k = 0; k < sizeof every / sizeof *every; ++k)
        if (*every[k] == PH_ABSENT)
            *every[k] = input->output.frames_every;
    for (size_t k = 0; k < input->interactions.n_pairs; ++k) {
        struct ph_input_pair *pair = &input->interactions.pairs[k];
        char place[PH_PLACE], key[PH_PATH];
        ph_input_line_place(input, pair->line, place);
        snprintf(key, sizeof key, "interactions.pairs[%zu]", k);
        enum ph_status status = ph_input_pair_finish(place, key, input->file, input->texts, pair, err);
        if (status == PH_OK && strcmp(pair->sites[0], pair->sites[1]) == 0)
            status = ph_input_formula_check(place, key, &pair->radial, err);
        if (status != PH_OK)
            return status;
    }
    return PH_OK;
}

enum ph_status ph_input_read(const char *file, size_t n_sets, const char *const *sets, struct ph_input *input,
                             struct ph_error *err)
{
    return ph_input_read_keeping(NULL, file, n_sets, sets, input, err);
}

enum ph_status ph_input_read_keeping(struct ph_texts *texts, const char *file, size_t n_sets, const char *const *sets,
                                     struct ph_input *input, struct ph_error *err)
{
    memset(input, 0, sizeof *input);
    struct ph_yaml yaml;
    enum ph_status status = ph_yaml_load(file, texts, &yaml, err);
    if (status != PH_OK)
        return status;
    strcpy(input->file, yaml.file);
    input->texts = texts;
    input->n_sets = n_sets;
    input->sets = sets;
    status = ph_yaml_set(&yaml, n_sets, sets, err);
    if (status == PH_OK)
        status = ph_schema_read(&ph_input_schema, &yaml, input, input->lines, err);
    ph_yaml_free(&yaml);
    if (status == PH_OK)
        status = finish_start(input, err);
    if (status == PH_OK)
        status = choose_method(input, err);
    if (status == PH_OK)
        status = finish(input, err);
    if (status == PH_OK)
        status = check_box(input, err);
    if (status == PH_OK)
        status = check_conditions(input, err);
    if (status == PH_OK)
        status = check_switch(input, err);
    if (status == PH_OK)
        status = check_ewald(input, err);
    if (status == PH_OK)
        status = check_integrator(input, err);
    if (status == PH_OK)
        status = ph_input_finish_stages(input, err);
    return status;
}
