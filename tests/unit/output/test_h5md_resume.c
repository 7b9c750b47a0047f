/* SPDX-License-Identifier: MIT */
/* Trajectories that were there before: kept, resumed, left by a process that was killed or by a full disk; written by
 * one process or by several. */

#include "h5md_written.h"

#include "h5md_disk.h"

#include "base/ranges.h"
#include "output/hdf5/h5_tools.h"
#include "output/hdf5/store.h"
#include "output/trajectory/frame_writer.h"

#include <sys/mman.h>
#include <sys/wait.h>

static struct ph_trajectory *resume(const char *name, int64_t step, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan)
{
    struct ph_trajectory *trajectory;
    assert_ok(ph_trajectory_resume(name, step, system, plan, &trajectory, &err));
    return trajectory;
}

/* What process `rank` of `size` has, a block at a time: systems of their own */
static enum ph_status put_share(struct ph_frame_writer *writer, size_t rank, size_t size,
                                const struct ph_system *system, struct ph_error *err)
{
    enum { ROWS = 19 };
    double *const *const groups[] = {system->r, system->q, system->p, system->m, system->f, system->t};
    double *rows = malloc(ROWS * PH_RANGE_BLOCK * sizeof *rows);
    int32_t *images = malloc(3 * PH_RANGE_BLOCK * sizeof *images);
    uint32_t *place = malloc(PH_RANGE_BLOCK * sizeof *place);
    size_t *first = malloc((system->n_species + 1) * sizeof *first), begin, end;
    enum ph_status status = PH_OK;
    ph_range_of(system->n, rank, size, &begin, &end);
    for (size_t next; begin < end && status == PH_OK; begin = next) {
        struct ph_system window;
        next = begin + PH_RANGE_BLOCK < end ? begin + PH_RANGE_BLOCK : end;
        for (size_t number = begin; number < next; ++number) {
            double *to = rows + (number - begin);
            const size_t i = system->place[number];
            for (int g = 0; g < 6; ++g)
                for (int k = 0; k < (g == 1 ? 4 : 3); ++k, to += PH_RANGE_BLOCK)
                    *to = groups[g][k][i];
            for (size_t k = 0; k < 3; ++k)
                images[k * PH_RANGE_BLOCK + (number - begin)] = system->image[k][i];
            place[number - begin] = (uint32_t)(number - begin);
        }
        ph_system_window(system, begin, next, PH_RANGE_BLOCK, rows, images, first, &window);
        window.place = place;
        status = ph_frame_writer_put(writer, system, begin, &window, err);
    }
    free(rows);
    free(images);
    free(place);
    free(first);
    return status;
}

/* The rows of one step as several processes write them; 0 writers: as one does */
static size_t writers;

static enum ph_status append_together(struct ph_trajectory *trajectory, const char *name, struct ph_system *system,
                                      const struct ph_trajectory_plan *plan, int64_t step, struct ph_error *err)
{
    uint64_t *places, first[64];
    int64_t all[256] = {0};
    size_t n = 0;
    if (writers == 0 || !ph_trajectory_wants_frame(trajectory, step))
        return h5md_append(trajectory, system, step, err);
    double values[H5MD_SERIES_WIDTH];
    h5md_series(step, values);
    h5md_move(system, step);
    struct ph_error inner = {.text = ""};
    enum ph_status status =
        ph_trajectory_append_series(trajectory, step, h5md_time_step * (double)step, values, &inner);
    if (status == PH_OK)
        status = ph_trajectory_reserve_frame(trajectory, step, h5md_time_step * (double)step, system, first, &inner);
    for (size_t k = writers; k > 0 && status == PH_OK; --k) { /* in any order */
        struct ph_frame_writer *writer;
        status = ph_frame_writer_open(name, system, plan, &writer, &inner);
        if (status == PH_OK) {
            places = ph_frame_writer_places(writer, &n);
            memcpy(places, first, n * sizeof *places);
            status = put_share(writer, k - 1, writers, system, &inner);
            int64_t *sums = ph_frame_writer_sums(writer, &n);
            for (size_t s = 0; s < n; ++s)
                sums[s] = all[s] += sums[s];
        }
        if (status == PH_OK && k == 1) /* the last has the sums of all */
            status = ph_frame_writer_seal(writer, trajectory, &inner);
        ph_frame_writer_close(writer);
    }
    if (status == PH_OK)
        return ph_trajectory_commit(trajectory, err);
    ph_trajectory_give_up(trajectory, status, &inner);
    return ph_error_set(err, status, "%s", inner.text);
}

/* ---- Old files ---- */

static void a_file_that_is_there_is_kept_unless_it_may_be_overwritten(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
    write_file(file, H5MD_DIPOLES, 20);
    assert_int_equal(ph_trajectory_create(file, false, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "is there already"));
    assert_null(trajectory);
    hid_t id = open_file(file);
    assert_int_equal(rows_of(id, "particles/trajectory/position/value"), 3);
    H5Fclose(id);
    /* the disk is full before the new one is well begun */
    disk_stops_after(40, true);
    assert_int_equal(ph_trajectory_create(file, true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    disk_works();
    assert_non_null(strstr(err.text, "No space left"));
    id = open_file(file);
    assert_int_equal(rows_of(id, "particles/trajectory/position/value"), 3);
    H5Fclose(id);
    char begun[320];
    snprintf(begun, sizeof begun, "%s.new", file);
    assert_int_not_equal(access(begun, F_OK), 0);
    /* another run is writing to it */
    struct ph_trajectory *running = create(file, system, &plan);
    assert_int_equal(ph_trajectory_create(file, true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "another run is writing"));
    for (int k = 0; k < 2; ++k) { /* also where the file of the time zone is missing, as in small containers */
        assert_int_equal(k == 0 ? 0 : setenv("TZ", ":/nowhere/zone", 1), 0);
        assert_int_equal(ph_trajectory_resume(file, 0, system, &plan, &trajectory, &err), PH_ERR_IO);
        assert_non_null(strstr(err.text, "Another program may be writing"));
    }
    unsetenv("TZ");
    append(running, system, 0, 10);
    id = open_file(file); /* while it is written */
    check_frame(id, H5MD_DIPOLES, system, 1, 10);
    H5Fclose(id);
    struct ph_error close_err;
    assert_int_equal(ph_trajectory_close(running, &close_err), PH_OK);
    /* another run has just begun with a file of this name; then a run was killed there, and its file blocks no other */
    hid_t beginning;
    assert_int_equal(ph_store_create(begun, &beginning, &err), PH_OK);
    assert_int_equal(ph_trajectory_create(file, true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, ".new: cannot be created: File exists. Another run has made it just now."));
    assert_int_equal(access(begun, F_OK), 0);
    assert_int_equal(ph_store_close(beginning, begun, false, &err), PH_OK);
    finish(create(file, system, &plan));
    assert_int_not_equal(access(begun, F_OK), 0);
    assert_int_equal(ph_trajectory_create("/nowhere/x.h5md", false, system, &plan, &h5md_about, &trajectory, &err),
                     PH_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(ph_trajectory_create("/dev/null", true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "/dev/null: is not a file"));
    ph_system_destroy(system);
}

/* Whether the run was killed just after the checkpoint or long after */
static void a_resumed_file_is_the_same_as_one_written_in_one_go(void **state)
{
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        if (kind == H5MD_LARGE)
            continue;
        struct ph_system *system = h5md_system((enum h5md_kind)kind);
        struct ph_trajectory_plan plan = h5md_plan((enum h5md_kind)kind);
        struct ph_trajectory_cadence cadence = h5md_cadence;
        cadence.every[PH_TRAJECTORY_VELOCITY] = 30;
        plan.cadences = &cadence;
        plan.compression = kind % 2 ? 3 : 0;
        struct ph_trajectory *trajectory = create(other, system, &plan);
        append(trajectory, system, 0, 1000);
        finish(trajectory);
        for (int64_t end = 500; end <= 900; end += 133) {
            trajectory = create(file, system, &plan);
            append(trajectory, system, 0, end);
            finish(trajectory);
            trajectory = resume(file, 487, system, &plan);
            assert_int_equal(ph_trajectory_production(trajectory), -1);
            append(trajectory, system, 488, 700);
            finish(trajectory);
            trajectory = resume(file, 700, system, &plan);
            append(trajectory, system, 701, 1000);
            finish(trajectory);
            assert_same_content(other, file);
        }
        ph_system_destroy(system);
    }
}

/* From every step, of any stage */
static void a_file_of_stages_is_resumed_anywhere(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = staged_plan(H5MD_DIPOLES);
    struct ph_trajectory *trajectory = create(other, system, &plan);
    append(trajectory, system, 0, 70);
    finish(trajectory);
    for (int64_t at = 0; at <= 70; ++at) {
        trajectory = create(file, system, &plan);
        append(trajectory, system, 0, at + 8 < 70 ? at + 8 : 70);
        finish(trajectory);
        trajectory = resume(file, at, system, &plan);
        append(trajectory, system, at + 1, 70);
        finish(trajectory);
        assert_same_content(other, file);
    }
    trajectory = create(file, system, &plan);
    append(trajectory, system, 0, 49);
    finish(trajectory);
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_trajectory_resume(file, 54, system, &plan, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(
        strstr(err.text, "ends with step 47, but the checkpoint is of step 54 and needs the row of step 51"));
    const struct ph_trajectory_plan one = h5md_plan(H5MD_DIPOLES); /* whose interval would be stated */
    assert_int_equal(ph_trajectory_resume(file, 49, system, &one, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "not as this run would write it"));
    ph_system_destroy(system);
}

static void marks_of_steps_to_come_are_forgotten_on_resuming(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    struct ph_trajectory *trajectory = create(file, system, &plan);
    append(trajectory, system, 0, 30);
    assert_int_equal(ph_trajectory_mark_production(trajectory, 20, NULL), PH_OK);
    assert_int_equal(ph_trajectory_note_hash(trajectory, 30, UINT64_C(0xfedcba9876543210), NULL), PH_OK);
    finish(trajectory);
    const int64_t at[] = {30, 20, 10}, production[] = {20, 20, -1}, hashed[] = {30, -1, -1};
    for (int k = 0; k < 3; ++k) {
        trajectory = resume(file, at[k], system, &plan);
        assert_int_equal(ph_trajectory_production(trajectory), production[k]);
        finish(trajectory);
        const hid_t id = open_file(file);
        int64_t mark, step;
        uint64_t hash;
        assert_true(ph_h5_get_integer(id, "parameters/production_begins_at_step", NULL, H5T_NATIVE_INT64, &mark) &&
                    ph_h5_get_integer(id, "parameters/state_hash_at_step", NULL, H5T_NATIVE_INT64, &step) &&
                    ph_h5_get_integer(id, "parameters/state_hash", NULL, H5T_NATIVE_UINT64, &hash));
        assert_true(mark == production[k] && step == hashed[k] && hash == UINT64_C(0xfedcba9876543210));
        H5Fclose(id);
    }
    ph_system_destroy(system);
}

static void only_the_file_of_the_same_run_is_resumed(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES), *water = h5md_system(H5MD_WATER);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    struct ph_trajectory_plan wrong = plan;
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
    write_file(file, H5MD_DIPOLES, 40);
    struct ph_trajectory_cadence cadence = h5md_cadence;
    cadence.every[PH_TRAJECTORY_POSITION] = 20;
    wrong.cadences = &cadence;
    assert_int_equal(ph_trajectory_resume(file, 40, system, &wrong, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "was written every 10 steps, and would now be written every 20"));
    assert_int_equal(ph_trajectory_resume(file, 40, water, &plan, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "particles/trajectory/position/value"));
    wrong = plan;
    wrong.columns = h5md_columns + 1;
    wrong.n_columns = 3;
    struct ph_trajectory_column columns[2] = {{"total_energy", 3, NULL}, {"temperature", 1, NULL}};
    wrong.columns = columns;
    wrong.n_columns = 1;
    assert_int_equal(ph_trajectory_resume(file, 40, system, &wrong, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "series/total_energy/value"));
    wrong.columns = columns + 1;
    assert_int_equal(ph_trajectory_resume(file, 40, system, &wrong, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "series/temperature"));
    /* the checkpoint is of a longer run */
    assert_int_equal(ph_trajectory_resume(file, 55, system, &plan, &trajectory, &err), PH_ERR_INPUT);
    assert_non_null(
        strstr(err.text, "ends with step 40, but the checkpoint is of step 55 and needs the row of step 50"));
    assert_null(trajectory);
    assert_int_equal(ph_trajectory_resume("/nowhere/x.h5md", 0, system, &plan, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    const hid_t id = open_file(file); /* nothing was changed by all this */
    for (size_t row = 0; row < 5; ++row)
        check_frame(id, H5MD_DIPOLES, system, row, 10 * (int64_t)row);
    H5Fclose(id);
    FILE *text = fopen(file, "w");
    fputs("no HDF5\n", text);
    fclose(text);
    assert_int_equal(ph_trajectory_resume(file, 0, system, &plan, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, file));
    trajectory = create(file, system, &plan);
    append(trajectory, system, 0, 10);
    assert_int_equal(h5md_append(trajectory, system, 10, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "of step 10 cannot follow that of step 10"));
    finish(trajectory);
    ph_system_destroy(system);
    ph_system_destroy(water);
}

/* ---- Kills and full disks ---- */

/* Runs go on from one step to another. 64 rows fill the first node of an index, which then becomes two and a root;
 * about 120 rows fill the second. */
static const struct {
    int64_t from, to;
} spans[] = {{620, 650}, {1220, 1250}};
static int64_t last_good, last;

/* Rows up to step `committed` must be there; the rest of the run, resumed from last_good, must end as it always does.
 */
static void check_after(const char *whole, const struct ph_trajectory_plan *plan, int64_t committed, long writes)
{
    struct ph_system *system = h5md_system(H5MD_OPEN);
    const hid_t id = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
        fail_msg("after %ld writes the file cannot be opened", writes);
    for (int64_t step = 0; step <= committed; step += step < last_good ? last_good / 2 : 10) {
        check_frame(id, H5MD_OPEN, system, (size_t)step / 10, step);
        check_series(id, (size_t)step / 5, step);
    }
    H5Fclose(id);
    struct ph_trajectory *trajectory = resume(file, last_good, system, plan);
    append(trajectory, system, last_good + 1, last);
    finish(trajectory);
    assert_same_content(whole, file);
    ph_system_destroy(system);
}

/* The run goes on from last_good, until the disk is full at the given write. Returns false if it came to its end
 * before. */
static bool run_until_full(long writes, const struct ph_trajectory_plan *plan, int64_t *committed)
{
    struct ph_system *system = h5md_system(H5MD_OPEN);
    struct ph_error err = {.text = ""};
    struct ph_trajectory *trajectory = NULL;
    *committed = last_good;
    disk_stops_after(writes, true);
    enum ph_status status = ph_trajectory_resume(file, last_good, system, plan, &trajectory, &err);
    for (int64_t step = last_good + 1; step <= last && status == PH_OK; ++step) {
        status = append_together(trajectory, file, system, plan, step, &err);
        if (status == PH_OK && step % 10 == 0)
            *committed = step;
    }
    const bool stopped = disk_stopped();
    if (stopped && (status != PH_ERR_IO || !strstr(err.text, "No space left") || !strstr(err.text, file)))
        fail_msg("the disk was full after %ld writes, but the status is %d: %s", writes, (int)status, err.text);
    if (stopped && trajectory)
        assert_int_equal(h5md_append(trajectory, system, last + 10, &err), PH_ERR_IO);
    if (stopped && trajectory)
        assert_int_equal(ph_trajectory_close(trajectory, &err), PH_ERR_IO);
    disk_works();
    if (!stopped)
        finish(trajectory);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    ph_system_destroy(system);
    return stopped;
}

/* The same in a process of its own, which is killed at the given write */
static bool run_until_killed(long writes, const struct ph_trajectory_plan *plan, int64_t *committed)
{
    *committed = last_good;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ph_system *system = h5md_system(H5MD_OPEN);
        struct ph_trajectory *trajectory;
        disk_stops_after(writes, false);
        if (ph_trajectory_resume(file, last_good, system, plan, &trajectory, NULL) != PH_OK)
            _exit(1);
        for (int64_t step = last_good + 1; step <= last; ++step) {
            if (append_together(trajectory, file, system, plan, step, NULL) != PH_OK)
                _exit(2);
            if (step % 10 == 0)
                *committed = step;
        }
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != DISK_KILLED))
        fail_msg("killed after %ld writes, the process ends with %d", writes, status);
    return WEXITSTATUS(status) == DISK_KILLED;
}

static void copy_file(const char *from, const char *to)
{
    char block[65536];
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
        assert_int_equal(fwrite(block, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static void stop_everywhere(bool full, size_t span)
{
    last_good = spans[span].from;
    last = spans[span].to;
    struct ph_system *system = h5md_system(H5MD_OPEN);
    struct ph_trajectory_plan plan = h5md_plan(H5MD_OPEN);
    struct ph_trajectory_cadence cadence = h5md_cadence;
    plan.cadences = &cadence;
    for (int e = 0; e < 8; ++e) { /* few elements, few writes */
        left_out[e] = e != PH_TRAJECTORY_POSITION && e != PH_TRAJECTORY_ORIENTATION;
        cadence.every[e] = left_out[e] ? 0 : 10;
    }
    char begun[320];
    snprintf(begun, sizeof begun, "%s/begun.h5md", folder);
    struct ph_trajectory *trajectory = create(begun, system, &plan);
    append(trajectory, system, 0, last_good + 10); /* one frame must be cut */
    finish(trajectory);
    snprintf(other, sizeof other, "%s/whole.h5md", folder);
    trajectory = create(other, system, &plan);
    append(trajectory, system, 0, last);
    finish(trajectory);
    int64_t *committed =
        mmap(NULL, sizeof *committed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* also the child's */
    assert_true(committed != MAP_FAILED);
    long writes = 0;
    for (;; ++writes) {
        copy_file(begun, file);
        if (!(full ? run_until_full : run_until_killed)(writes, &plan, committed))
            break;
        check_after(other, &plan, *committed, writes);
    }
    munmap(committed, sizeof *committed);
    memset(left_out, 0, sizeof left_out);
    assert_true(writes > 50);
    ph_system_destroy(system);
}

static void a_run_killed_at_any_write_leaves_all_it_committed_and_can_be_resumed(void **state)
{
    for (size_t span = 0; span < sizeof spans / sizeof *spans; ++span)
        stop_everywhere(false, span);
}

static void a_full_disk_is_an_error_and_leaves_all_that_was_committed(void **state) { stop_everywhere(true, 0); }

static void frames_that_several_processes_write_are_safe_at_every_write(void **state)
{
    writers = 3;
    stop_everywhere(false, 0);
    stop_everywhere(true, 0);
    writers = 0;
}

static bool same_bytes(const char *one, const char *two)
{
    FILE *a = fopen(one, "rb"), *b = fopen(two, "rb");
    assert_true(a && b);
    int byte = 0;
    bool same = true;
    while (same && byte != EOF)
        same = (byte = fgetc(a)) == fgetc(b);
    fclose(a);
    fclose(b);
    return same;
}

/* Of 9000 molecules, which are three blocks; single or double */
static void several_processes_write_the_bytes_of_one(void **state)
{
    for (int kind = 0; kind < 2 * H5MD_KINDS; ++kind) {
        struct ph_system *system = h5md_system((enum h5md_kind)(kind / 2));
        struct ph_trajectory_plan plan = h5md_plan((enum h5md_kind)(kind / 2));
        struct ph_trajectory_cadence cadence = h5md_cadence;
        cadence.every[PH_TRAJECTORY_VELOCITY] = 20;
        plan.cadences = &cadence;
        plan.single = kind % 2;
        struct ph_trajectory *trajectory = create(other, system, &plan);
        append(trajectory, system, 0, 60);
        finish(trajectory);
        for (writers = 1; writers <= 5; writers += 2) {
            trajectory = create(file, system, &plan);
            for (int64_t step = 0; step <= 60; ++step)
                assert_ok(append_together(trajectory, file, system, &plan, step, &err));
            finish(trajectory);
            if (!same_bytes(file, other))
                fail_msg("%s: written by %zu, the file differs", h5md_kind_names[kind / 2], writers);
        }
        writers = 0;
        ph_system_destroy(system);
    }
}

/* A process that is left over from a run may still write: nobody else begins. */
static void nobody_else_writes_while_a_helper_is_left(void **state)
{
    write_file(file, H5MD_DIPOLES, 20);
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    struct ph_frame_writer *writer;
    struct ph_trajectory *trajectory;
    assert_ok(ph_frame_writer_open(file, system, &plan, &writer, &err));
    assert_error(ph_trajectory_resume(file, 20, system, &plan, &trajectory, &err), PH_ERR_IO,
                 "Another program may be writing to it");
    ph_frame_writer_close(writer);
    finish(resume(file, 20, system, &plan));
    ph_system_destroy(system);
}

/* Killed at any write, a new file is not there, or is there with all that comes before frames. */
static void a_new_file_appears_when_it_is_well_begun(void **state)
{
    struct ph_system *system = h5md_system(H5MD_OPEN);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_OPEN);
    int status = 1;
    long writes = 0, absent = 0;
    for (; status != 0; ++writes) {
        unlink(file);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            disk_stops_after(writes, false);
            struct ph_trajectory *trajectory = create(file, system, &plan);
            append(trajectory, system, 0, 0);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (access(file, F_OK) != 0) {
            ++absent;
            continue;
        }
        char *title;
        assert_int_equal(ph_trajectory_read_text(file, "title", &title, NULL), PH_OK);
        free(title);
        finish(resume(file, 0, system, &plan));
        if (status != 0)
            continue;
        const hid_t id = open_file(file);
        check_frame(id, H5MD_OPEN, system, 0, 0);
        H5Fclose(id);
    }
    assert_true(absent > 100 && writes - absent > 20);
    ph_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_there_is_kept_unless_it_may_be_overwritten),
        cmocka_unit_test(a_resumed_file_is_the_same_as_one_written_in_one_go),
        cmocka_unit_test(a_file_of_stages_is_resumed_anywhere),
        cmocka_unit_test(marks_of_steps_to_come_are_forgotten_on_resuming),
        cmocka_unit_test(only_the_file_of_the_same_run_is_resumed),
        cmocka_unit_test(a_run_killed_at_any_write_leaves_all_it_committed_and_can_be_resumed),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_all_that_was_committed),
        cmocka_unit_test(frames_that_several_processes_write_are_safe_at_every_write),
        cmocka_unit_test(several_processes_write_the_bytes_of_one),
        cmocka_unit_test(nobody_else_writes_while_a_helper_is_left),
        cmocka_unit_test(a_new_file_appears_when_it_is_well_begun),
    };
    return cmocka_run_group_tests(tests, make_files, remove_folder);
}
