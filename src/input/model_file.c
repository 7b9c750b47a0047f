/* SPDX-License-Identifier: MIT */
#include "input/model_file.h"

#include "base/names.h"
#include "base/system/installed.h"
#include "input/radial_keys.h"
#include "input/yaml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct ph_input_model, member)
#define SITE(member) offsetof(struct ph_input_site, member)

static const struct ph_key keys[] = {
    {"name", PH_KEY_TEXT, AT(name), PH_WORD, .required = true, .help = "name of the model"},
    {"description", PH_KEY_TEXT, AT(description), PH_LONG_TEXT, .help = "what it is for"},
    {"source", PH_KEY_TEXT, AT(source), PH_LONG_TEXT, .required = true, .help = "where the numbers come from"},
    {"units", PH_KEY_CHOICE, AT(units), PH_WORD, .required = true, .choices = "reduced|md",
     .help = "reduced: sigma, epsilon, mass; md: nm, u, e, kJ/mol"},
    {"mass", PH_KEY_NUMBER, AT(mass), .high = 1e15, .above = true,
     .help = "of the molecule; default: sum over the sites"},
    {"inertia", PH_KEY_VECTOR, AT(inertia), .high = 1e15,
     .help =
         "moments about the axes of this file, origin at the centre of mass; default: from the masses of the sites"},
    {"sites", PH_KEY_LIST, AT(sites), sizeof(struct ph_input_site), AT(n_sites), PH_INPUT_SITES_MAX, SITE(line),
     .required = true, .help = "points that interact or have mass"},
    {"sites[].name", PH_KEY_TEXT, SITE(name), PH_WORD, .required = true, .help = "name of the site"},
    {"sites[].position", PH_KEY_VECTOR, SITE(position), .fallback = "0", .help = "in the frame of this file"},
    {"sites[].mass", PH_KEY_NUMBER, SITE(mass), .high = 1e15, .fallback = "0", .help = "mass"},
    {"sites[].charge", PH_KEY_NUMBER, SITE(charge), .fallback = "0", .help = "charge"},
    {"sites[].dipole", PH_KEY_VECTOR, SITE(dipole), .fallback = "0", .help = "point dipole"},
    {"sites[].axis", PH_KEY_VECTOR, SITE(axis), .help = "direction of the z axis of the angular form; default: z"},
    {"sites[].side", PH_KEY_VECTOR, SITE(side),
     .help = "direction of its x axis, of which the part across z counts; default: x"},
    PH_RADIAL_KEYS("sites[]", ph_input_site) PH_ANGULAR_KEYS("sites[]", ph_input_site)};

const struct ph_schema ph_model_schema = {"model", sizeof keys / sizeof *keys, keys};

static bool alike(const struct ph_input_site *a, const struct ph_input_site *b)
{
    const struct ph_input_radial *x = &a->radial, *y = &b->radial;
    return a->mass == b->mass && a->charge == b->charge && strcmp(x->kind, y->kind) == 0 &&
           (x->kind[0] == '\0' || (x->epsilon == y->epsilon && x->sigma == y->sigma && x->repulsive == y->repulsive &&
                                   x->attractive == y->attractive)) &&
           a->angular.kind == b->angular.kind &&
           memcmp(a->angular.number[a->angular.kind], b->angular.number[a->angular.kind],
                  sizeof a->angular.number[0]) == 0;
}

enum ph_status ph_model_read(const char *file, struct ph_texts *texts, struct ph_input_model *model,
                             struct ph_error *err)
{
    memset(model, 0, sizeof *model);
    struct ph_yaml yaml;
    int lines[sizeof keys / sizeof *keys];
    enum ph_status status = ph_yaml_load(file, texts, &yaml, err);
    if (status != PH_OK)
        return status;
    strcpy(model->file, yaml.file);
    status = ph_schema_read(&ph_model_schema, &yaml, model, lines, err);
    ph_yaml_free(&yaml);
    if (status == PH_OK && (strchr(model->name, '/') || strcmp(model->name, ".") == 0))
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s:%d: name is '%s': a name without '/' is needed, because a group in trajectories is "
                              "called like this.",
                              model->file, lines[ph_schema_index(&ph_model_schema, "name")], model->name);
    for (size_t a = 0; a < model->n_sites && status == PH_OK; ++a) {
        struct ph_input_site *site = &model->sites[a];
        char place[PH_PLACE], key[PH_PATH];
        snprintf(place, sizeof place, "%s:%d", model->file, site->line);
        snprintf(key, sizeof key, "sites[%zu]", a);
        status = ph_input_radial_finish(place, key, model->file, texts, &site->radial, err);
        if (status == PH_OK)
            status = ph_input_angular_finish(place, key, &site->radial, &site->angular, err);
        for (size_t b = 0; b < a && status == PH_OK; ++b)
            if (strcmp(model->sites[b].name, site->name) == 0 && !alike(&model->sites[b], site))
                status = ph_error_set(err, PH_ERR_INPUT,
                                      "%s: sites[%zu] has the name of sites[%zu], '%s', but not its mass, charge and "
                                      "interactions: sites of one name are alike.",
                                      place, a, b, site->name);
    }
    return status;
}

static bool is_path(const char *model)
{
    const size_t length = strlen(model);
    return strchr(model, '/') || (length > 5 && strcmp(model + length - 5, ".yaml") == 0);
}

enum { BESIDE = 4, DIRECTORIES = BESIDE + 2 };

/* The library's directories in the order of the search; NULL where there is none */
struct library {
    const char *directory[DIRECTORIES];
    char beside[BESIDE][PATH_MAX];
};

/* Beside the program and the shared library as installed, and as in the build tree */
static void find_library(struct library *library)
{
    static const struct {
        bool (*find)(const char *way, char folder[PATH_MAX]);
        const char *way;
    } places[BESIDE] = {{ph_beside_program, POLHODE_POTENTIALS_BESIDE},
                        {ph_beside_library, POLHODE_POTENTIALS_BESIDE_LIBRARY},
                        {ph_beside_program, POLHODE_POTENTIALS_BUILT},
                        {ph_beside_library, POLHODE_POTENTIALS_BUILT}};
    library->directory[0] = getenv("POLHODE_POTENTIALS");
    for (size_t k = 0; k < BESIDE; ++k)
        library->directory[1 + k] = places[k].find(places[k].way, library->beside[k]) ? library->beside[k] : NULL;
    library->directory[1 + BESIDE] = POLHODE_POTENTIALS_INSTALLED;
}

static int is_yaml(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

/* Orders files by their names without the ending, so that spc comes before spc-e. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    const int n = (int)strlen((*a)->d_name) - 5, m = (int)strlen((*b)->d_name) - 5;
    const int order = strncmp((*a)->d_name, (*b)->d_name, (size_t)(n < m ? n : m));
    return order != 0 ? order : n - m;
}

/* True if one of the first n directories has a file of this name, which a search would find first */
static bool is_hidden(const struct library *library, size_t n, const char *name)
{
    char path[PH_PATH];
    for (size_t d = 0; d < n; ++d)
        if (library->directory[d] && snprintf(path, sizeof path, "%s/%s", library->directory[d], name) < PH_PATH &&
            ph_texts_has(NULL, path))
            return true;
    return false;
}

void ph_model_visit(bool (*visit)(const char *file, void *data), void *data)
{
    struct library library;
    find_library(&library);
    bool more = true;
    for (size_t d = 0; d < DIRECTORIES && more; ++d) {
        struct dirent **entries = NULL;
        const int n = library.directory[d] ? scandir(library.directory[d], &entries, is_yaml, by_name) : 0;
        for (int k = 0; k < n; ++k) {
            char path[PH_PATH];
            if (more && !is_hidden(&library, d, entries[k]->d_name) &&
                snprintf(path, sizeof path, "%s/%s", library.directory[d], entries[k]->d_name) < PH_PATH)
                more = visit(path, data);
            free(entries[k]);
        }
        free(entries);
    }
}

struct listing {
    const char *typed;
    size_t distance;
    char nearest[PH_PATH], names[PH_ERROR_TEXT / 2];
};

static bool list_name(const char *file, void *data)
{
    struct listing *listing = data;
    char name[PH_PATH];
    snprintf(name, sizeof name, "%s", strrchr(file, '/') + 1);
    name[strlen(name) - 5] = '\0';
    const size_t used = strlen(listing->names);
    snprintf(listing->names + used, sizeof listing->names - used, "%s%s", used > 0 ? ", " : "", name);
    const size_t distance = ph_name_distance(listing->typed, name);
    /* Of two names equally near the longer one: letters are left out more often than added, so spce means spc-e. */
    if (distance < listing->distance ||
        (listing->nearest[0] && distance == listing->distance && strlen(name) > strlen(listing->nearest))) {
        listing->distance = distance;
        strcpy(listing->nearest, name);
    }
    return true;
}

static enum ph_status not_found(const char *place, size_t k, const char *model, struct ph_error *err)
{
    struct listing listing = {.typed = model, .distance = 2 + strlen(model) / 3};
    ph_model_visit(list_name, &listing);
    return ph_error_set(
        err, PH_ERR_INPUT,
        "%s: system.molecules[%zu].model: there is no model '%s'.%s%s%s Known by name: %s; or give the path of a "
        "file, or the folder of your models in the environment variable POLHODE_POTENTIALS.",
        place, k, model, listing.nearest[0] ? " Did you mean '" : "", listing.nearest, listing.nearest[0] ? "'?" : "",
        listing.names[0] ? listing.names : "none");
}

/* An input may have the name of a model and lie beside other inputs: its key 'system' shows that it is an input. */
static bool is_input(const char *file)
{
    struct ph_yaml yaml;
    bool found = false;
    if (ph_yaml_load(file, NULL, &yaml, NULL) != PH_OK)
        return false;
    const yaml_node_t *root = yaml_document_get_root_node(&yaml.document);
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *key = yaml_document_get_node(&yaml.document, pair->key);
        found = found || (key->type == YAML_SCALAR_NODE && strcmp(ph_yaml_text(key), "system") == 0);
    }
    ph_yaml_free(&yaml);
    return found;
}

/* Finds a model among the kept texts, wherever they came from; the first text is the input. */
static bool find_kept(const struct ph_texts *texts, const char *name, char path[PH_PATH])
{
    for (size_t k = 1; k < texts->n; ++k) {
        const char *slash = strrchr(texts->item[k].name, '/');
        if (strcmp(slash ? slash + 1 : texts->item[k].name, name) == 0) {
            strcpy(path, texts->item[k].name);
            return true;
        }
    }
    return false;
}

static bool find(const struct ph_input *input, const char *model, char path[PH_PATH])
{
    if (is_path(model))
        return ph_input_relative(input, model, path) && ph_texts_has(input->texts, path);
    char name[PH_PATH];
    if (snprintf(name, sizeof name, "%s.yaml", model) >= PH_PATH)
        return false;
    if (input->texts && input->texts->closed)
        return find_kept(input->texts, name, path);
    if (ph_input_relative(input, name, path) && ph_texts_has(input->texts, path) && !is_input(path))
        return true;
    struct library library;
    find_library(&library);
    for (size_t d = 0; d < DIRECTORIES; ++d)
        if (library.directory[d] && snprintf(path, PH_PATH, "%s/%s", library.directory[d], name) < PH_PATH &&
            ph_texts_has(input->texts, path))
            return true;
    return false;
}

/* Counts the axes of sites that formulas of interactions.pairs take. */
static void count_pair_axes(const struct ph_input *input, struct ph_input_model *model)
{
    for (size_t k = 0; k < input->interactions.n_pairs; ++k) {
        const struct ph_input_pair *pair = &input->interactions.pairs[k];
        const struct ph_curve *curve = ph_curve_of_angular(&pair->radial.angular);
        for (size_t a = 0; a < model->n_sites && curve; ++a)
            for (int side = 0; side < 2; ++side) {
                char name[2 * PH_WORD + 1];
                snprintf(name, sizeof name, "%s.%s", model->name, model->sites[a].name);
                if (strcmp(name, pair->sites[side]) == 0 && curve->program.axes[side] > model->sites[a].pair_axes)
                    model->sites[a].pair_axes = curve->program.axes[side];
            }
    }
}

enum ph_status ph_input_model(const struct ph_input *input, size_t k, struct ph_input_model *model,
                              struct ph_error *err)
{
    const struct ph_input_molecules *molecules = &input->system.molecules[k];
    char place[PH_PLACE], path[PH_PATH];
    ph_input_line_place(input, molecules->line, place);
    if (!find(input, molecules->model, path))
        return not_found(place, k, molecules->model, err);
    const enum ph_status status = ph_model_read(path, input->texts, model, err);
    if (status != PH_OK)
        return status;
    count_pair_axes(input, model);
    if (strcmp(model->units, input->units) != 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s: system.molecules[%zu].model: '%s' is in %s units, the input in %s.",
                            place, k, molecules->model, model->units, input->units);
    return PH_OK;
}
