/* SPDX-License-Identifier: MIT */
/* polhode info: what is in an H5MD file. */
#include "cli/cli.h"

#include "base/memory.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
    const char *file;
    bool json;
};

enum key { KEY_JSON = 256 };

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_JSON: words->json = true; return 0;
    case ARGP_KEY_ARG:
        if (words->file)
            argp_error(state, "one file at a time: '%s' or '%s'", words->file, arg);
        words->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!words->file)
            argp_error(state, "an H5MD file is needed");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* What our files say of their run, in this order */
static const struct parameter {
    const char *name, *label;
    bool number;
} parameters[] = {
    {"title", "title", false},
    {"input_file", "input", false},
    {"units", "units", false},
    {"scheme", "scheme", false},
    {"flow", "flow", false},
    {"integrator", "integrator", false},
    {"step", "step", true},
    {"seed", "seed", true},
    {"truncation", "truncation", false},
    {"cutoff", "cutoff", true},
    {"electrostatics", "electrostatics", false},
    {"identity", "run", false},
    {"build", "build", false},
};
enum { N_PARAMETERS = sizeof parameters / sizeof *parameters };

/* The checkpoint beside the file */
struct beside {
    char name[4096];
    bool there, good;
    int64_t step;
    char note[PH_ERROR_TEXT]; /* what is wrong with it; "" nothing */
};

static void look_beside(const char *file, struct beside *beside)
{
    *beside = (struct beside){.step = -1};
    if (!ph_checkpoint_name(file, sizeof beside->name, beside->name))
        return;
    char older[sizeof beside->name + 4];
    snprintf(older, sizeof older, "%s.1", beside->name);
    beside->there = access(beside->name, F_OK) == 0 || access(older, F_OK) == 0;
    struct ph_checkpoint *checkpoint = ph_allocate(1, sizeof *checkpoint);
    struct ph_error err = {.text = ""};
    if (!beside->there || !checkpoint) {
        free(checkpoint);
        return;
    }
    char note[PH_CHECKPOINT_NOTE] = "";
    beside->good = ph_checkpoint_read(beside->name, checkpoint, note, &err) == PH_OK;
    snprintf(beside->note, sizeof beside->note, "%s", beside->good ? note : err.text);
    const struct ph_checkpoint_array *counts = ph_checkpoint_find(checkpoint, "counts"); /* the first is the step */
    if (counts && counts->kind == PH_CHECKPOINT_INT64 && counts->n > 0)
        memcpy(&beside->step, counts->data, sizeof beside->step);
    ph_checkpoint_free(checkpoint);
    free(checkpoint);
}

/* How well energy was conserved, from the production on */
static bool energy_line(const struct ph_reader *reader, struct ph_conservation *energy)
{
    struct ph_error forgotten;
    return ph_conservation_read(reader, 1.0, energy, &forgotten) == PH_OK && energy->rows > 1 &&
           isfinite(energy->line.slope);
}

static size_t count_molecules(const struct ph_reader *reader)
{
    size_t n = 0;
    for (size_t k = 0; k < reader->n_kinds; ++k)
        n += reader->kinds[k].n;
    return n;
}

static bool is_series(const struct ph_reader_element *element) { return strncmp(element->path, "series/", 7) == 0; }

/* ---- JSON ---- */

static void write_elements(struct ph_json *json, const char *key, const struct ph_reader *reader, bool series)
{
    ph_json_begin_array(json, key);
    for (size_t k = 0; k < reader->n_elements; ++k) {
        const struct ph_reader_element *element = &reader->elements[k];
        if (is_series(element) != series)
            continue;
        ph_json_begin_object(json, NULL);
        ph_json_string(json, series ? "name" : "path", element->path + (series ? strlen("series/") : 0));
        ph_json_integer(json, "rows", (long)element->rows);
        ph_json_string(json, "shape", element->shape);
        ph_json_integer(json, "width", (long)element->width);
        ph_json_string(json, "unit", element->unit[0] ? element->unit : NULL);
        if (element->every > 0)
            ph_json_integer(json, "every", (long)element->every);
        if (element->stepped && element->rows > 0) {
            ph_json_integer(json, "first_step", (long)element->first);
            ph_json_integer(json, "last_step", (long)element->last);
        }
        ph_json_end(json);
    }
    ph_json_end(json);
}

static void write_particles(struct ph_json *json, const struct ph_reader *reader)
{
    ph_json_begin_object(json, "particles");
    ph_json_string(json, "group", reader->group);
    ph_json_integer(json, "count", (long)reader->n_particles);
    ph_json_begin_array(json, reader->bodies ? "molecules" : "kinds");
    for (size_t k = 0; k < reader->n_kinds; ++k) {
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", reader->kinds[k].name);
        ph_json_integer(json, "count", (long)reader->kinds[k].n);
        if (reader->bodies)
            ph_json_integer(json, "sites", (long)reader->kinds[k].n_sites);
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_end(json);
    if (reader->has_box) {
        ph_json_begin_object(json, "box");
        ph_json_string(json, "kind", reader->periodic ? "periodic" : "open");
        if (reader->periodic) {
            ph_json_begin_array(json, "edges");
            for (int k = 0; k < 3; ++k)
                ph_json_numbers(json, NULL, 3, reader->edge[k]);
            ph_json_end(json);
        }
        ph_json_end(json);
    }
}

static void write_parameters(struct ph_json *json, const struct ph_reader *reader)
{
    ph_json_begin_object(json, "parameters");
    for (size_t k = 0; k < N_PARAMETERS; ++k) {
        double number;
        char *text = parameters[k].number ? NULL : ph_reader_text(reader, parameters[k].name);
        if (text)
            ph_json_string(json, parameters[k].name, text);
        else if (parameters[k].number && ph_reader_number(reader, parameters[k].name, &number) && isfinite(number))
            ph_json_number(json, parameters[k].name, number);
        free(text);
    }
    if (reader->production >= 0)
        ph_json_integer(json, "production_begins_at_step", (long)reader->production);
    ph_json_end(json);
}

static void write_json(const struct ph_reader *reader, const struct beside *beside)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    ph_json_string(&json, "file", reader->file.name);
    ph_json_integer(&json, "bytes", (long)reader->bytes);
    ph_json_numbers(&json, "h5md_version", 2, (double[]){reader->version[0], reader->version[1]});
    ph_json_string(&json, "creator", reader->creator);
    ph_json_string(&json, "creator_version", reader->creator_version);
    ph_json_string(&json, "author", reader->author);
    write_parameters(&json, reader);
    write_particles(&json, reader);
    ph_json_integer(&json, "frames", (long)reader->n_frames);
    ph_json_numbers(&json, "time", 2, reader->time);
    write_elements(&json, "elements", reader, false);
    write_elements(&json, "series", reader, true);
    struct ph_conservation energy;
    if (energy_line(reader, &energy)) {
        ph_json_begin_object(&json, "total_energy");
        ph_json_integer(&json, "rows", (long)energy.rows);
        ph_json_number(&json, "first", energy.first);
        ph_json_number(&json, "last", energy.first + energy.last);
        ph_json_number(&json, "mean", energy.first + energy.line.mean);
        ph_json_number(&json, "rms", energy.rms);
        ph_json_number(&json, "slope", energy.line.slope);
        ph_json_number(&json, "slope_error", energy.line.slope_error);
        ph_json_end(&json);
    }
    if (reader->hash_step >= 0) {
        char text[PH_HASH_TEXT];
        ph_hash_text(reader->hash, text);
        ph_json_begin_object(&json, "state_hash");
        ph_json_string(&json, "hash", text);
        ph_json_integer(&json, "step", (long)reader->hash_step);
        ph_json_end(&json);
    }
    if (beside->there) {
        ph_json_begin_object(&json, "checkpoint");
        ph_json_string(&json, "file", beside->name);
        ph_json_bool(&json, "good", beside->good);
        if (beside->step >= 0)
            ph_json_integer(&json, "step", (long)beside->step);
        if (beside->note[0])
            ph_json_string(&json, "note", beside->note);
        ph_json_end(&json);
    }
    ph_json_end(&json);
}

/* ---- text ---- */

static void print_bytes(long long bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    double size = (double)bytes;
    int unit = 0;
    for (; size >= 1000.0 && unit < 4; ++unit)
        size /= 1000.0;
    printf(unit > 0 ? "%.3g %s" : "%.0f %s", size, units[unit]);
}

static void print_parameters(const struct ph_reader *reader)
{
    for (size_t k = 0; k < N_PARAMETERS; ++k) {
        double number;
        char *text = parameters[k].number ? NULL : ph_reader_text(reader, parameters[k].name);
        if (text && text[0])
            printf("%-16s%s\n", parameters[k].label, text);
        else if (parameters[k].number && ph_reader_number(reader, parameters[k].name, &number) && isfinite(number))
            printf("%-16s%.15g\n", parameters[k].label, number);
        free(text);
    }
}

static void print_particles(const struct ph_reader *reader)
{
    if (reader->group[0] == '\0') {
        printf("%-16snone\n", "particles");
        return;
    }
    printf("%-16s%zu", reader->bodies ? "molecules" : "particles",
           reader->bodies ? count_molecules(reader) : reader->n_particles);
    for (size_t k = 0; k < reader->n_kinds; ++k) {
        const struct ph_reader_kind *kind = &reader->kinds[k];
        printf("%s %zu %s", k > 0 ? "," : ":", kind->n, kind->name);
        if (reader->bodies)
            printf(" (%zu site%s)", kind->n_sites, kind->n_sites == 1 ? "" : "s");
    }
    puts("");
    if (reader->has_box && !reader->periodic)
        printf("%-16sopen space\n", "box");
    if (reader->has_box && reader->periodic) {
        printf("%-16speriodic, edges", "box");
        for (int k = 0; k < 3; ++k)
            printf("%s (%.10g, %.10g, %.10g)", k > 0 ? "," : "", reader->edge[k][0], reader->edge[k][1],
                   reader->edge[k][2]);
        puts("");
    }
}

static void print_energy(const struct ph_reader *reader)
{
    struct ph_conservation energy;
    if (!energy_line(reader, &energy))
        return;
    const double n = (double)count_molecules(reader);
    const struct ph_reader_element *element = ph_reader_find(reader, "series/total_energy");
    printf("%-16s%.10g%s%s on average over %zu rows", "total energy", energy.first + energy.line.mean,
           element->unit[0] ? " " : "", element->unit, energy.rows);
    if (reader->production >= 0)
        printf(" of the production");
    if (n > 0.0)
        printf("; per molecule: rms %.3g, drift %.3g +- %.1g per unit of time", energy.rms / n, energy.line.slope / n,
               energy.line.slope_error / n);
    puts("");
}

static void print_elements(const struct ph_reader *reader, bool series)
{
    bool first = true;
    for (size_t k = 0; k < reader->n_elements; ++k) {
        const struct ph_reader_element *element = &reader->elements[k];
        if (is_series(element) != series)
            continue;
        if (first)
            printf("\n%-44s %9s %9s %21s  %-12s %s\n", series ? "series" : "elements", "rows", "every", "steps",
                   "of one row", "unit");
        first = false;
        char steps[48] = "", every[24] = "";
        if (element->stepped && element->rows > 0)
            snprintf(steps, sizeof steps, "%" PRId64 " .. %" PRId64, element->first, element->last);
        if (element->every > 0)
            snprintf(every, sizeof every, "%" PRId64, element->every);
        printf("  %-42s %9zu %9s %21s  %-12s %s\n", element->path + (series ? strlen("series/") : 0), element->rows,
               every, steps, element->shape[0] ? element->shape : "one number", element->unit);
    }
}

static void print_text(const struct ph_reader *reader, const struct beside *beside)
{
    printf("%s: H5MD %d.%d, ", reader->file.name, reader->version[0], reader->version[1]);
    print_bytes(reader->bytes);
    const bool known = reader->author && strcmp(reader->author, "not given") != 0;
    printf("; written by %s%s%s%s%s\n", reader->creator ? reader->creator : "an unknown program",
           reader->creator_version ? " " : "", reader->creator_version ? reader->creator_version : "",
           known ? " for " : "", known ? reader->author : "");
    print_parameters(reader);
    print_particles(reader);
    printf("%-16s%zu", "frames", reader->n_frames);
    if (isfinite(reader->time[0]))
        printf(", time %.10g to %.10g", reader->time[0], reader->time[1]);
    puts("");
    if (reader->production >= 0)
        printf("%-16sfrom step %" PRId64 " on\n", "production", reader->production);
    print_energy(reader);
    if (reader->hash_step >= 0) {
        char text[PH_HASH_TEXT];
        ph_hash_text(reader->hash, text);
        printf("%-16s%s at step %" PRId64 "\n", "state hash", text, reader->hash_step);
    }
    if (beside->good && beside->step >= 0)
        printf("%-16s%s at step %" PRId64 "\n", "checkpoint", beside->name, beside->step);
    else if (beside->good)
        printf("%-16s%s\n", "checkpoint", beside->name);
    if (beside->note[0])
        printf("%-16s%s\n", "checkpoint", beside->note);
    print_elements(reader, false);
    print_elements(reader, true);
}

int ph_cmd_info(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", KEY_JSON, NULL, 0, "Print one JSON document", 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "FILE.h5md",
        .doc = "What is in an H5MD file: of whom, of what, how much, and how well energy was conserved.\v"
               "Files of other programs are listed, too, as far as they are H5MD.",
    };
    struct words words = {0};
    if (argp_parse(&argp, argc, argv, 0, NULL, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct ph_reader reader;
    struct beside beside;
    ph_cli_guard(argv[0], words.file);
    const unsigned long refusals = ph_refusals();
    enum ph_status status = ph_reader_open(words.file, &reader, &err);
    if (status == PH_OK) {
        look_beside(words.file, &beside);
        if (words.json)
            write_json(&reader, &beside);
        else
            print_text(&reader, &beside);
        status = ph_status_since(refusals, status, words.file, &err);
    }
    ph_reader_close(&reader);
    return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
}
