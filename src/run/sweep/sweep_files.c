/* SPDX-License-Identifier: MIT */
#include "run/sweep/sweep.h"

#include "accel/backends.h"
#include "base/memory.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"
#include "output/hdf5/take_name.h"
#include "run/simulation/stages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const ph_sweep_state_names[] = {"waiting", "interrupted", "finished", "failed"};
const char *const ph_sweep_outputs[PH_SWEEP_OUTPUTS] = {"sweep.csv", "sweep.json", "sweep.html"};

const char *ph_sweep_path(const struct ph_sweep *sweep, size_t run, const char *name, char path[PATH_MAX])
{
    const int digits = sweep->plan.n_runs > 999 ? 4 : 3;
    snprintf(path, PATH_MAX, "%s/%0*zu%s%s", sweep->folder, digits, run + 1, name[0] ? "/" : "", name);
    return path;
}

const char *ph_sweep_name(const struct ph_sweep *sweep, size_t run, char path[PATH_MAX])
{
    return ph_sweep_path(sweep, run, "", path) + strlen(sweep->folder) + 1;
}

/* Collects the values that --set has for all runs, then the values of this run */
static size_t sets_of(const struct ph_sweep *sweep, size_t run, struct ph_sweep_sets *sets)
{
    size_t n = 0;
    for (size_t k = 0; k < sweep->n_sets; ++k)
        sets->item[n++] = sweep->sets[k];
    for (size_t k = 0; k < sweep->plan.n_keys; ++k)
        sets->item[n++] = sweep->plan.values[run][k];
    return n;
}

enum ph_status ph_sweep_input(const struct ph_sweep *sweep, size_t run, struct ph_texts *texts,
                              struct ph_sweep_sets *sets, struct ph_input *input, struct ph_error *err)
{
    const struct ph_text *text = &sweep->texts.item[0];
    const size_t n = sets_of(sweep, run, sets);
    const enum ph_status status = ph_texts_add(texts, text->name, text->text, text->length, err);
    return status == PH_OK ? ph_input_read_keeping(texts, text->name, n, sets->item, input, err) : status;
}

/* ---- Parts ---- */

bool ph_sweep_is_mine(const struct ph_sweep *sweep, size_t run)
{
    return sweep->parts == 0 || run % sweep->parts == sweep->part;
}

static int lock_file = -1;

void ph_sweep_lock(const struct ph_sweep *sweep)
{
    char path[PATH_MAX];
    if (sweep->parts == 0)
        return;
    snprintf(path, sizeof path, "%s/.lock", sweep->folder);
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    while (lock_file >= 0 && flock(lock_file, LOCK_EX) != 0 && errno == EINTR)
        continue;
}

void ph_sweep_unlock(void)
{
    if (lock_file >= 0)
        close(lock_file); /* which ends the lock */
    lock_file = -1;
}

/* ---- The plan ---- */

/* Of the bytes of a file, whatever its format */
static enum ph_status hash_file(const char *path, char text[PH_HASH_TEXT], struct ph_error *err)
{
    enum { BLOCK = 1 << 16 };
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return ph_error_set(err, PH_ERR_IO, "%s: is not a file that every run can begin with.", path);
    FILE *in = fopen(path, "rb");
    if (!in)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", path, strerror(errno));
    unsigned char *block = ph_allocate(BLOCK, 1);
    enum ph_status status = block ? PH_OK : ph_no_memory(err, "the contents of %s", path);
    uint64_t hash = ph_hash_begin();
    for (size_t got = BLOCK; got == BLOCK && status == PH_OK;) {
        got = fread(block, 1, BLOCK, in);
        hash = ph_hash_bytes(hash, got, block);
        if (ferror(in))
            status = ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", path, strerror(errno));
    }
    ph_hash_text(hash, text);
    free(block);
    fclose(in);
    return status;
}

/* Start files of the runs, each of them once */
struct starts {
    size_t n;
    char **names; /* owned, and each of them; room for one of every run */
};

static void free_starts(struct starts *starts)
{
    for (size_t k = 0; k < starts->n; ++k)
        free(starts->names[k]);
    free(starts->names);
}

/* Only the hash of a start file goes into the plan: the file may be long, and need not be text. */
static enum ph_status add_start(struct starts *starts, const struct ph_input *input, FILE *out, struct ph_error *err)
{
    const char *name = input->system.start.file;
    char path[PH_PATH], hash[PH_HASH_TEXT];
    for (size_t k = 0; k < starts->n; ++k)
        if (strcmp(starts->names[k], name) == 0)
            return PH_OK;
    if (name[0] == '\0')
        return PH_OK;
    if (!ph_input_relative(input, name, path))
        return ph_error_set(err, PH_ERR_INPUT, "The path of '%s' is too long.", name);
    const enum ph_status status = hash_file(path, hash, err);
    if (status != PH_OK)
        return status;
    if (!(starts->names[starts->n] = strdup(name)))
        return ph_no_memory(err, "a plan");
    ++starts->n;
    fprintf(out, "start file %s, hash %s\n", name, hash);
    return PH_OK;
}

/* A line for each run, and one for each start file after the first run with it; then all texts */
static enum ph_status write_plan(struct ph_sweep *sweep, FILE *out, struct ph_error *err)
{
    struct ph_input *input = malloc(sizeof *input);
    struct ph_texts known = {.closed = true};
    struct starts starts = {.names = ph_allocate(sweep->plan.n_runs, sizeof *starts.names)};
    enum ph_status status = input && starts.names ? PH_OK : ph_no_memory(err, "the input");
    for (size_t run = 0; run < sweep->plan.n_runs && status == PH_OK; ++run) {
        struct ph_texts texts = {.n = 0};
        struct ph_sweep_sets sets;
        const size_t n = sets_of(sweep, run, &sets);
        fprintf(out, "run %zu", run + 1);
        for (size_t k = 0; k < n; ++k)
            fprintf(out, "  %s", sets.item[k]);
        fputc('\n', out);
        status = ph_sweep_input(sweep, run, &texts, &sets, input, err);
        if (status == PH_OK) {
            sweep->runs[run].end = ph_stage_first(input, input->n_stages);
            const struct ph_backend_kind *kind = ph_backend_find(input->dynamics.backend);
            sweep->runs[run].on_machine = kind && kind->machine;
            sweep->physical = strcmp(input->units, "md") == 0;
            snprintf(sweep->title, sizeof sweep->title, "%s", input->title);
            status = add_start(&starts, input, out, err);
        }
        for (size_t k = 1; k < texts.n && status == PH_OK; ++k) /* models; runs may have different ones */
            if (!ph_texts_has(&known, texts.item[k].name))
                status = ph_texts_add(&known, texts.item[k].name, texts.item[k].text, texts.item[k].length, err);
        ph_texts_free(&texts);
    }
    fprintf(out, "\ninput\n%s", sweep->texts.item[0].text);
    for (size_t k = 0; k < known.n; ++k) {
        const char *slash = strrchr(known.item[k].name, '/');
        fprintf(out, "\n%s\n%s", slash ? slash + 1 : known.item[k].name, known.item[k].text);
    }
    ph_texts_free(&known);
    free_starts(&starts);
    free(input);
    return status;
}

enum ph_status ph_sweep_put_file(const char *path, const char *text, struct ph_error *err)
{
    char temporary[PATH_MAX];
    snprintf(temporary, sizeof temporary, "%.4000s.new", path);
    FILE *out = fopen(temporary, "w");
    bool good = out && fputs(text, out) >= 0;
    good = out && fclose(out) == 0 && good && ph_take_name(temporary, path, true) == 0;
    return good ? PH_OK : ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", path, strerror(errno));
}

/* Reports the first line where two texts differ */
static enum ph_status differs(const struct ph_sweep *sweep, const char *was, const char *is, struct ph_error *err)
{
    int number = 1;
    const char *one = was, *other = is;
    for (; *was && *was == *is; ++was, ++is)
        if (*was == '\n') {
            ++number;
            one = was + 1;
            other = is + 1;
        }
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: holds another sweep: its plan.txt has '%.*s' in line %d, which is '%.*s' now. Give "
                        "another folder (-o), or the input, the files and the values that it was begun with.",
                        sweep->folder, (int)strcspn(one, "\n"), one, number, (int)strcspn(other, "\n"), other);
}

/* True for "001" or "1000", and for files that the sweep writes beside them */
static bool is_output(const char *name)
{
    const size_t digits = strspn(name, "0123456789");
    for (size_t k = 0; k < PH_SWEEP_OUTPUTS; ++k)
        if (strcmp(name, ph_sweep_outputs[k]) == 0)
            return true;
    return (digits == 3 || digits == 4) && name[digits] == '\0';
}

/* Without a plan nothing tells whose the files of a folder are: none of them may have a name that the sweep gives. */
static enum ph_status check_empty(const struct ph_sweep *sweep, struct ph_error *err)
{
    char first[NAME_MAX + 1] = "";
    size_t n = 0;
    DIR *folder = opendir(sweep->folder);
    if (!folder)
        return ph_error_set(err, PH_ERR_IO, "%s: cannot be read: %s.", sweep->folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (is_output(entry->d_name) && (++n == 1 || strcmp(entry->d_name, first) < 0))
            snprintf(first, sizeof first, "%s", entry->d_name);
    closedir(folder);
    if (n == 0)
        return PH_OK;
    char others[64] = "";
    if (n > 1)
        snprintf(others, sizeof others, " (and %zu more that a sweep would write)", n - 1);
    return ph_error_set(err, PH_ERR_IO,
                        "%s/%s: is there already%s, but no plan.txt that says of which sweep. Give another folder "
                        "(-o), or move it away.",
                        sweep->folder, first, others);
}

static enum ph_status agree(const struct ph_sweep *sweep, const char *plan, struct ph_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/plan.txt", sweep->folder);
    if (access(path, F_OK) != 0) {
        const enum ph_status free_to_use = check_empty(sweep, err);
        return free_to_use == PH_OK ? ph_sweep_put_file(path, plan, err) : free_to_use;
    }
    struct ph_texts texts = {.n = 0};
    const struct ph_text *text;
    enum ph_status status = ph_texts_read(&texts, path, &text, err);
    if (status == PH_OK && strcmp(text->text, plan) != 0)
        status = differs(sweep, text->text, plan, err);
    ph_texts_free(&texts);
    return status;
}

static enum ph_status make_folder(const struct ph_sweep *sweep, struct ph_error *err)
{
    struct stat about;
    if (mkdir(sweep->folder, 0777) == 0 ||
        (errno == EEXIST && stat(sweep->folder, &about) == 0 && S_ISDIR(about.st_mode)))
        return PH_OK;
    return ph_error_set(err, PH_ERR_IO, "%s: cannot be made: %s.", sweep->folder, strerror(errno));
}

enum ph_status ph_sweep_prepare(struct ph_sweep *sweep, struct ph_error *err)
{
    char *plan = NULL;
    size_t length;
    FILE *out = open_memstream(&plan, &length);
    enum ph_status status = out ? write_plan(sweep, out, err) : ph_no_memory(err, "a plan");
    if (out && fclose(out) != 0 && status == PH_OK)
        status = ph_no_memory(err, "a plan");
    if (status == PH_OK)
        status = make_folder(sweep, err);
    if (status == PH_OK) {
        ph_sweep_lock(sweep);
        status = agree(sweep, plan, err);
        ph_sweep_unlock();
    }
    free(plan);
    return status;
}

/* ---- Where a run is ---- */

/* Step and planned end, from the checkpoint beside the trajectory; a run that was killed before it had one begins anew
 */
static enum ph_status look_at_checkpoint(const char *file, struct ph_sweep_run *run, struct ph_error *err)
{
    char name[PATH_MAX], older[PATH_MAX + 4], note[PH_CHECKPOINT_NOTE];
    if (!ph_checkpoint_name(file, sizeof name, name))
        return PH_OK;
    snprintf(older, sizeof older, "%s.1", name);
    if (access(file, F_OK) != 0 || (access(name, F_OK) != 0 && access(older, F_OK) != 0))
        return PH_OK;
    struct ph_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint)
        return ph_no_memory(err, "a checkpoint");
    int64_t counts[2]; /* of several */
    const enum ph_status status = ph_checkpoint_read(name, checkpoint, note, err);
    const struct ph_checkpoint_array *found = status == PH_OK ? ph_checkpoint_find(checkpoint, "counts") : NULL;
    if (found && found->kind == PH_CHECKPOINT_INT64 && found->n >= 2) {
        memcpy(counts, found->data, sizeof counts);
        run->step = counts[0];
        run->end = counts[1];
        run->state = run->step >= run->end ? PH_SWEEP_FINISHED : PH_SWEEP_INTERRUPTED;
    }
    ph_checkpoint_free(checkpoint);
    free(checkpoint);
    return status;
}

enum ph_status ph_sweep_look(struct ph_sweep *sweep, size_t k, struct ph_error *err)
{
    struct ph_sweep_run *run = &sweep->runs[k];
    char path[PATH_MAX];
    run->state = PH_SWEEP_WAITING;
    run->step = 0;
    if (access(ph_sweep_path(sweep, k, "error.txt", path), F_OK) != 0)
        return look_at_checkpoint(ph_sweep_path(sweep, k, "run.h5md", path), run, err);
    struct ph_texts texts = {.n = 0};
    const struct ph_text *text;
    const enum ph_status status = ph_texts_read(&texts, path, &text, err);
    run->state = PH_SWEEP_FAILED;
    if (status == PH_OK)
        snprintf(run->message, sizeof run->message, "%.*s", (int)strcspn(text->text, "\n"), text->text);
    ph_texts_free(&texts);
    return status;
}
