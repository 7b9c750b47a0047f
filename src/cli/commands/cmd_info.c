/* SPDX-License-Identifier: MIT */
/* polhode info: prints the contents of an H5MD file. */
#include "cli/cli.h"

#include "analysis/kinds/asked.h"
#include "analysis/kinds/conservation.h"
#include "analysis/verdict/verdict.h"
#include "base/memory.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"
#include "output/hdf5/store.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
    const char *file;
    bool json, checks;
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    return ph_cli_take_file(key, arg, state, &words->file);
}

/* Parameters of the run in files of this program, in this order */
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
    {"nested_scheme", "inner scheme", false},
    {"nested_substeps", "inner steps", true},
    {"nested_part", "nested part", false},
    {"nested_radius", "fast within", true},
    {"ensemble", "ensemble", false},
    {"step", "step", true},
    {"seed", "seed", true},
    {"truncation", "truncation", false},
    {"cutoff", "cutoff", true},
    {"electrostatics", "electrostatics", false},
    {"external", "external", false},
    {"identity", "run", false},
    {"build", "build", false},
};
enum { N_PARAMETERS = sizeof parameters / sizeof *parameters };

/* The checkpoint beside the file */
struct beside {
    char name[4096];
    bool there, good;
    struct ph_run_course course;
    char note[PH_ERROR_TEXT]; /* its error; "" if there is none */
};

static void look_beside(const char *file, struct beside *beside)
{
    *beside = (struct beside){.course = {-1, -1, ph_store_is_written(file)}};
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
    const struct ph_checkpoint_array *counts =
        ph_checkpoint_find(checkpoint, "counts"); /* the first two: done, to be done */
    if (counts && counts->kind == PH_CHECKPOINT_INT64 && counts->n > 1)
        memcpy(&beside->course, counts->data, 2 * sizeof(int64_t));
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

static bool is_series(const struct ph_reader_element *element) { return strncmp(element->path, "series/", 7) == 0; }

/* Whether positions are stored in single precision (output.precision) */
static bool is_single(const struct ph_reader *reader)
{
    char path[PH_H5MD_PATH];
    snprintf(path, sizeof path, "%s/position", reader->group);
    const struct ph_reader_element *position = ph_reader_find(reader, path);
    return position && strcmp(position->numbers, "single") == 0;
}

/* ---- text and JSON ---- */

/* Prints the notes that the run wrote at its start, and of a missing seal, each on a line */
static void say_notes(struct ph_json *json, const struct ph_reader *reader)
{
    char *text = ph_reader_text(reader, "notes"), last[PH_ERROR_TEXT];
    ph_json_begin_array(json, "notes");
    for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        ph_json_string(json, NULL, line);
        ph_json_say(json, "%-16s%s\n", "note", line);
    }
    if (reader->unsealed) {
        snprintf(last, sizeof last, "The file %s", ph_h5md_unsealed);
        ph_json_string(json, NULL, last);
        ph_json_say(json, "%-16s%s\n", "note", last);
    }
    ph_json_end(json);
    free(text);
}

static void say_parameters(struct ph_json *json, const struct ph_reader *reader)
{
    ph_json_begin_object(json, "parameters");
    for (size_t k = 0; k < N_PARAMETERS; ++k) {
        const char *name = parameters[k].name, *label = parameters[k].label;
        double number;
        char *text = parameters[k].number ? NULL : ph_reader_text(reader, name);
        if (text) {
            ph_json_string(json, name, text);
            if (text[0])
                ph_json_say(json, "%-16s%s\n", label, text);
        } else if (parameters[k].number && ph_reader_number(reader, name, &number) && isfinite(number)) {
            ph_json_number(json, name, number);
            ph_json_say(json, "%-16s%.15g\n", label, number);
        }
        free(text);
    }
    say_notes(json, reader);
    if (reader->production >= 0)
        ph_json_integer(json, "production_begins_at_step", (long)reader->production);
    ph_json_end(json);
}

static void say_particles(struct ph_json *json, const struct ph_reader *reader)
{
    const bool bodies = reader->bodies;
    ph_json_begin_object(json, "particles");
    ph_json_string(json, "group", reader->group);
    ph_json_integer(json, "count", (long)reader->n_particles);
    ph_json_begin_array(json, bodies ? "molecules" : "kinds");
    if (reader->group[0])
        ph_json_say(json, "%-16s%zu", bodies ? "molecules" : "particles", ph_reader_molecules(reader));
    else
        ph_json_say(json, "%-16snone", "particles");
    for (size_t k = 0; k < reader->n_kinds; ++k) {
        const struct ph_reader_kind *kind = &reader->kinds[k];
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", kind->name);
        ph_json_integer(json, "count", (long)kind->n);
        ph_json_say(json, "%s %zu %s", k > 0 ? "," : ":", kind->n, kind->name);
        if (bodies) {
            ph_json_integer(json, "sites", (long)kind->n_sites);
            ph_json_say(json, " (%zu site%s)", kind->n_sites, kind->n_sites == 1 ? "" : "s");
        }
        ph_json_end(json);
    }
    ph_json_end(json);
    ph_json_end(json);
    ph_json_say(json, "\n");
}

static void say_edges(struct ph_json *json, const double edge[3][3])
{
    for (int k = 0; k < 3; ++k)
        ph_json_say(json, "%s (%.10g, %.10g, %.10g)", k > 0 ? "," : "", edge[k][0], edge[k][1], edge[k][2]);
}

static void say_box(struct ph_json *json, const struct ph_reader *reader)
{
    if (!reader->has_box)
        return;
    const bool changes = reader->periodic && memcmp(reader->first_edge, reader->edge, sizeof reader->edge) != 0;
    ph_json_begin_object(json, "box");
    ph_json_string(json, "kind", reader->periodic ? "periodic" : "open");
    ph_json_say(json, "%-16s%s", "box", reader->periodic ? "periodic, edges" : "open space");
    if (reader->periodic)
        ph_json_matrix(json, "edges", reader->edge);
    if (changes) {
        ph_json_matrix(json, "first_edges", reader->first_edge);
        say_edges(json, reader->first_edge);
        ph_json_say(json, " at first,");
    }
    if (reader->periodic)
        say_edges(json, reader->edge);
    if (changes)
        ph_json_say(json, " at last");
    ph_json_end(json);
    ph_json_say(json, "\n");
}

static void say_stages(struct ph_json *json, const struct ph_reader *reader)
{
    if (reader->production >= 0)
        ph_json_say(json, "%-16sfrom step %" PRId64 " on\n", "production", reader->production);
    else if (reader->awaits_production)
        ph_json_say(json, "%-16shas not begun\n", "production");
    ph_json_begin_array(json, "stages");
    for (size_t k = 0; k < reader->n_stages; ++k) {
        const struct ph_reader_stage *stage = &reader->stages[k];
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", stage->name, "about", stage->about);
        ph_json_integer(json, "first_step", (long)stage->first_step);
        ph_json_number(json, "step", stage->step);
        if (stage->ensemble)
            ph_json_string(json, "ensemble", stage->ensemble);
        if (isfinite(stage->temperature))
            ph_json_number(json, "asked_temperature", stage->temperature);
        if (isfinite(stage->pressure))
            ph_json_number(json, "asked_pressure", stage->pressure);
        ph_json_end(json);
        ph_json_say(json, "%-16s%s, from step %" PRId64 " on, steps of %.15g%s%s\n", k == 0 ? "stages" : "",
                    stage->name, stage->first_step, stage->step, stage->about[0] ? ": " : "", stage->about);
    }
    ph_json_end(json);
}

static void say_energy(struct ph_json *json, const struct ph_reader *reader)
{
    struct ph_conservation energy;
    if (!energy_line(reader, &energy))
        return;
    const double n = (double)ph_reader_molecules(reader), mean = energy.first + energy.line.mean;
    const char *unit = energy.unit;
    const bool total = strcmp(energy.name, "total_energy") == 0;
    ph_json_begin_object(json, energy.name);
    ph_json_integer(json, "rows", (long)energy.rows);
    ph_json_number(json, "first", energy.first);
    ph_json_number(json, "last", energy.first + energy.last);
    ph_json_number(json, "mean", mean);
    ph_json_number(json, "rms", energy.rms);
    ph_json_number(json, "slope", energy.line.slope);
    ph_json_number(json, "slope_error", energy.line.slope_error);
    ph_json_end(json);
    ph_json_say(json, "%-15s %.10g%s%s on average over %zu rows%s", total ? "total energy" : "conserved energy", mean,
                unit[0] ? " " : "", unit, energy.rows, reader->production >= 0 ? " of the production" : "");
    if (n > 0.0)
        ph_json_say(json, "; per molecule: rms %.3g, drift %.3g +- %.1g per unit of time", energy.rms / n,
                    energy.line.slope / n, energy.line.slope_error / n);
    ph_json_say(json, "\n");
}

static void say_asked(struct ph_json *json, const struct ph_reader *reader)
{
    struct ph_asked asked;
    struct ph_error forgotten;
    if (ph_asked_read(reader, NULL, &asked, &forgotten) == PH_OK)
        ph_cli_say_asked(json, "asked, obtained", 16, &asked);
}

/* Prints the line of the verdict and the checks that are not well; with --checks, all of them */
static void say_verdict(struct ph_json *json, const struct ph_reader *reader, const struct ph_run_course *course,
                        bool all)
{
    struct ph_verdict verdict;
    struct ph_error forgotten;
    if (ph_verdict_read(reader, course, &verdict, &forgotten) == PH_OK)
        ph_cli_say_verdict(json, 16, true, all, &verdict);
}

static void say_elements(struct ph_json *json, const struct ph_reader *reader, bool series)
{
    bool first = true;
    ph_json_begin_array(json, series ? "series" : "elements");
    for (size_t k = 0; k < reader->n_elements; ++k) {
        const struct ph_reader_element *element = &reader->elements[k];
        if (is_series(element) != series)
            continue;
        const char *name = element->path + (series ? strlen("series/") : 0);
        char steps[48] = "", every[24] = "";
        if (first)
            ph_json_say(json, "\n%-44s %9s %9s %21s  %-12s %s\n", series ? "series" : "elements", "rows", "every",
                        "steps", "of one row", "unit");
        first = false;
        ph_json_begin_object(json, NULL);
        ph_json_string(json, series ? "name" : "path", name);
        ph_json_integer(json, "rows", (long)element->rows);
        ph_json_strings(json, "shape", element->shape, "numbers", element->numbers);
        ph_json_integer(json, "width", (long)element->width);
        ph_json_string(json, "unit", element->unit[0] ? element->unit : NULL);
        if (element->every > 0) {
            ph_json_integer(json, "every", (long)element->every);
            snprintf(every, sizeof every, "%" PRId64, element->every);
        }
        if (element->stepped && element->rows > 0) {
            ph_json_integer(json, "first_step", (long)element->first);
            ph_json_integer(json, "last_step", (long)element->last);
            snprintf(steps, sizeof steps, "%" PRId64 " .. %" PRId64, element->first, element->last);
        }
        ph_json_end(json);
        ph_json_say(json, "  %-42s %9zu %9s %21s  %-12s %s\n", name, element->rows, every, steps,
                    element->shape[0] ? element->shape : "one number", element->unit);
    }
    ph_json_end(json);
}

static void say_checkpoint(struct ph_json *json, const struct beside *beside)
{
    if (!beside->there)
        return;
    ph_json_begin_object(json, "checkpoint");
    ph_json_string(json, "file", beside->name);
    ph_json_bool(json, "good", beside->good);
    if (beside->course.step >= 0)
        ph_json_integer(json, "step", (long)beside->course.step);
    if (beside->note[0])
        ph_json_string(json, "note", beside->note);
    ph_json_end(json);
    if (beside->good)
        ph_json_say(json, "%-16s%s", "checkpoint", beside->name);
    if (beside->good && beside->course.step >= 0)
        ph_json_say(json, " at step %" PRId64, beside->course.step);
    if (beside->good)
        ph_json_say(json, "\n");
    if (beside->note[0])
        ph_json_say(json, "%-16s%s\n", "checkpoint", beside->note);
}

static void say_file(struct ph_json *json, const struct ph_reader *reader)
{
    const bool known = reader->author && strcmp(reader->author, "not given") != 0;
    char size[PH_CLI_BYTES];
    ph_json_string(json, "file", reader->file.name);
    ph_json_integer(json, "bytes", (long)reader->bytes);
    ph_json_numbers(json, "h5md_version", 2, (double[]){reader->version[0], reader->version[1]});
    ph_json_strings(json, "creator", reader->creator, "creator_version", reader->creator_version, "author",
                    reader->author);
    ph_json_say(json, "%s: H5MD %d.%d, %s; written by %s%s%s%s%s\n", reader->file.name, reader->version[0],
                reader->version[1], ph_cli_bytes((double)reader->bytes, size),
                reader->creator ? reader->creator : "an unknown program", reader->creator_version ? " " : "",
                reader->creator_version ? reader->creator_version : "", known ? " for " : "",
                known ? reader->author : "");
}

static void say(struct ph_json *json, const struct ph_reader *reader, const struct beside *beside, bool checks)
{
    ph_json_begin_object(json, NULL);
    say_file(json, reader);
    say_parameters(json, reader);
    say_particles(json, reader);
    say_box(json, reader);
    ph_json_integer(json, "frames", (long)reader->n_frames);
    ph_json_numbers(json, "time", 2, reader->time);
    ph_json_say(json, "%-16s%zu", "frames", reader->n_frames);
    if (isfinite(reader->time[0]))
        ph_json_say(json, ", time %.10g to %.10g", reader->time[0], reader->time[1]);
    if (is_single(reader))
        ph_json_say(json, ", in single precision");
    ph_json_say(json, "\n");
    say_stages(json, reader);
    say_energy(json, reader);
    say_asked(json, reader);
    say_verdict(json, reader, &beside->course, checks);
    if (reader->hash_step >= 0) {
        char text[PH_HASH_TEXT];
        ph_hash_text(reader->hash, text);
        ph_json_begin_object(json, "state_hash");
        ph_json_string(json, "hash", text);
        ph_json_integer(json, "step", (long)reader->hash_step);
        ph_json_end(json);
        ph_json_say(json, "%-16s%s at step %" PRId64 "\n", "state hash", text, reader->hash_step);
    }
    say_checkpoint(json, beside);
    say_elements(json, reader, false);
    say_elements(json, reader, true);
    ph_json_end(json);
}

int ph_cmd_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"checks", KEEP_FLAG(checks), NULL, 0, "Show all checks of the verdict, also the good ones", 0},
        {"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "FILE.h5md",
        .doc = "Shows the content of an H5MD file: author, molecules, data, conservation of energy, and the verdict on "
               "the run.\vThe command also lists files of other programs, as far as they are H5MD.",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct ph_reader reader;
    struct beside beside;
    ph_cli_guard(argv[0], words.file);
    const unsigned long refusals = ph_refusals();
    enum ph_status status = ph_reader_open(words.file, &reader, &err);
    if (status == PH_OK) {
        look_beside(words.file, &beside);
        struct ph_json json = {.out = stdout, .text = !words.json};
        say(&json, &reader, &beside, words.checks);
        status = ph_status_since(refusals, status, words.file, &err);
    }
    ph_reader_close(&reader);
    return status == PH_OK ? PH_OK : ph_cli_fail(argv[0], &err);
}
