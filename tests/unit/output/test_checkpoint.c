/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "h5md_disk.h"
#include "h5md_systems.h"

#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"

#include <hdf5.h>
#include <sys/wait.h>

static char folder[] = "/tmp/polhode-checkpoint-XXXXXX";
static char file[300], older[320];

static void assert_good(enum ph_status status, const struct ph_error *err)
{
    if (status != PH_OK)
        fail_msg("%s", err->text);
}

/* A checkpoint of a system at a step, with arrays of every kind */
static enum ph_status write_step(const char *name, enum h5md_kind kind, int64_t step, struct ph_error *err)
{
    struct ph_system *system = h5md_system(kind);
    h5md_move(system, step);
    const double numbers[3] = {0.1, -0.0, (double)step};
    const int32_t small[2] = {-7, INT32_MAX};
    struct ph_checkpoint checkpoint = {.n = 0};
    ph_checkpoint_add_int64(&checkpoint, "step", 1, &step);
    ph_checkpoint_add_doubles(&checkpoint, "numbers", 3, numbers);
    ph_checkpoint_add_doubles(&checkpoint, "none", 0, NULL);
    ph_checkpoint_add_int32(&checkpoint, "small", 2, small);
    ph_checkpoint_add_text(&checkpoint, "input", "title: \xc3\xa9\n");
    ph_checkpoint_add_text(&checkpoint, "empty", "");
    ph_checkpoint_add_system(&checkpoint, system);
    const enum ph_status status = ph_checkpoint_write(name, &checkpoint, err);
    ph_system_destroy(system);
    return status;
}

static int64_t read_step(char note[PH_CHECKPOINT_NOTE])
{
    static struct ph_checkpoint checkpoint;
    struct ph_error err = {.text = ""};
    int64_t step;
    assert_good(ph_checkpoint_read(file, &checkpoint, note, &err), &err);
    assert_good(ph_checkpoint_int64(&checkpoint, "step", 1, &step, &err), &err);
    ph_checkpoint_free(&checkpoint);
    return step;
}

static void clear(void)
{
    ph_checkpoint_remove(file);
    assert_int_not_equal(access(file, F_OK), 0);
    assert_int_not_equal(access(older, F_OK), 0);
}

static void all_arrays_and_the_system_come_back_bit_for_bit(void **state)
{
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        static struct ph_checkpoint checkpoint;
        struct ph_error err = {.text = ""};
        char note[PH_CHECKPOINT_NOTE];
        assert_good(write_step(file, (enum h5md_kind)kind, 1234567890123, &err), &err);
        assert_good(ph_checkpoint_read(file, &checkpoint, note, &err), &err);
        assert_string_equal(note, "");
        double numbers[3];
        int32_t small[2];
        int64_t step;
        const char *text;
        assert_good(ph_checkpoint_int64(&checkpoint, "step", 1, &step, &err), &err);
        assert_good(ph_checkpoint_doubles(&checkpoint, "numbers", 3, numbers, &err), &err);
        assert_good(ph_checkpoint_doubles(&checkpoint, "none", 0, NULL, &err), &err);
        assert_good(ph_checkpoint_int32(&checkpoint, "small", 2, small, &err), &err);
        assert_true(step == 1234567890123 && numbers[0] == 0.1 && signbit(numbers[1]) && numbers[2] == 1234567890123.0);
        assert_true(small[0] == -7 && small[1] == INT32_MAX);
        assert_good(ph_checkpoint_text(&checkpoint, "input", &text, &err), &err);
        assert_string_equal(text, "title: \xc3\xa9\n");
        assert_good(ph_checkpoint_text(&checkpoint, "empty", &text, &err), &err);
        assert_string_equal(text, "");

        struct ph_system *system = h5md_system((enum h5md_kind)kind), *again = h5md_system((enum h5md_kind)kind);
        h5md_move(system, 1234567890123);
        assert_good(ph_checkpoint_restore_system(&checkpoint, again, &err), &err);
        assert_true(ph_state_hash(system) == ph_state_hash(again));
        for (int k = 0; k < 3; ++k) {
            assert_memory_equal(system->r[k], again->r[k], system->n * sizeof(double));
            assert_memory_equal(system->f[k], again->f[k], system->n * sizeof(double));
            assert_memory_equal(system->t[k], again->t[k], system->n * sizeof(double));
            assert_memory_equal(system->image[k], again->image[k], system->n * sizeof(int32_t));
        }
        assert_memory_equal(&system->box, &again->box, sizeof system->box);
        ph_system_destroy(system);
        ph_system_destroy(again);
        ph_checkpoint_free(&checkpoint);
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
    }
    clear();
}

static void assert_same_box(const struct ph_box *a, const struct ph_box *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(a->edge, b->edge, sizeof a->edge);
    assert_memory_equal(a->inverse, b->inverse, sizeof a->inverse);
    assert_memory_equal(a->width, b->width, sizeof a->width);
    assert_memory_equal(&a->volume, &b->volume, sizeof a->volume);
}

/* A run at constant pressure is resumed in the box that it had, not in that of its input. */
static void boxes_that_have_changed_come_back_bit_for_bit(void **state)
{
    const double third = 1.0 / 3.0;
    const struct {
        enum ph_box_kind kind;
        double edge[3][3];
    } cases[] = {
        {PH_BOX_ORTHORHOMBIC, {{4.0 + third, 0, 0}, {0, 6.1, 0}, {0, 0, 0x1.bffffffffffffp2}}},
        {PH_BOX_TRICLINIC, {{4.0 + third, 0, 0}, {-1e-17, 6.1, 0}, {0.1, -third, 7.3}}},
        {PH_BOX_TRICLINIC, {{5.0, 0.2, -0.1}, {third, 6.1, 0.3}, {0.1, -0.7, 7.0}}},
        {PH_BOX_ORTHORHOMBIC, {{5, 0, 0}, {0, 6, 0}, {0, 0, 7}}},
    };
    struct ph_error err = {.text = ""};
    static struct ph_checkpoint checkpoint;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
        for (int from = 0; from < 2; ++from) { /* the box of the input: rectangular, tilted */
            const enum h5md_kind kind = from == 0 ? H5MD_DIPOLES : H5MD_WATER;
            struct ph_system *system = h5md_system(kind), *again = h5md_system(kind);
            h5md_move(system, 1);
            assert_good(ph_box_init_periodic(cases[k].edge, &system->box, &err), &err);
            assert_int_equal(system->box.kind, cases[k].kind);
            struct ph_checkpoint made = {.n = 0};
            ph_checkpoint_add_system(&made, system);
            assert_good(ph_checkpoint_write(file, &made, &err), &err);
            assert_good(ph_checkpoint_read(file, &checkpoint, NULL, &err), &err);
            assert_good(ph_checkpoint_restore_system(&checkpoint, again, &err), &err);
            assert_same_box(&system->box, &again->box);
            assert_true(ph_state_hash(system) == ph_state_hash(again));
            ph_checkpoint_free(&checkpoint);
            ph_system_destroy(system);
            ph_system_destroy(again);
        }
    /* open space stays so, and is not taken for a box */
    struct ph_system *open = h5md_system(H5MD_OPEN), *other = h5md_system(H5MD_OPEN), *water = h5md_system(H5MD_OPEN);
    h5md_move(open, 1);
    struct ph_checkpoint made = {.n = 0};
    ph_checkpoint_add_system(&made, open);
    assert_good(ph_checkpoint_restore_system(&made, other, &err), &err);
    assert_same_box(&open->box, &other->box);
    assert_int_equal(other->box.kind, PH_BOX_OPEN);
    assert_good(ph_box_init_periodic(cases[1].edge, &water->box, &err), &err);
    const struct ph_box before = water->box;
    assert_int_equal(ph_checkpoint_restore_system(&made, water, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "The checkpoint has open space, the input has a periodic box"));
    assert_same_box(&before, &water->box);
    made = (struct ph_checkpoint){.n = 0};
    ph_checkpoint_add_system(&made, water);
    assert_int_equal(ph_checkpoint_restore_system(&made, other, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "The checkpoint has a periodic box, the input has open space"));
    ph_system_destroy(open);
    ph_system_destroy(other);
    ph_system_destroy(water);
    clear();
}

static void what_is_not_there_is_named(void **state)
{
    static struct ph_checkpoint checkpoint;
    struct ph_error err = {.text = ""};
    double numbers[4];
    int64_t whole;
    const char *text;
    assert_good(write_step(file, H5MD_MIXTURE, 3, &err), &err);
    assert_good(ph_checkpoint_read(file, &checkpoint, NULL, &err), &err);
    assert_int_equal(ph_checkpoint_doubles(&checkpoint, "numbers", 4, numbers, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "'numbers' of the checkpoint has 3 numbers, not 4"));
    assert_int_equal(ph_checkpoint_int64(&checkpoint, "small", 1, &whole, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "made of 32-bit integers, not of 64-bit"));
    assert_int_equal(ph_checkpoint_text(&checkpoint, "title", &text, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "no 'title'"));
    assert_null(ph_checkpoint_find(&checkpoint, "title"));
    struct ph_system *water = h5md_system(H5MD_WATER), *mixture = h5md_system(H5MD_MIXTURE);
    assert_int_equal(ph_checkpoint_restore_system(&checkpoint, water, &err), PH_ERR_INPUT);
    mixture->species[1].name[0] = 'x';
    assert_int_equal(ph_checkpoint_restore_system(&checkpoint, mixture, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "4 molecules of 'argon' as species 1, the input has 4 of 'xrgon'"));
    ph_system_destroy(water);
    ph_system_destroy(mixture);
    ph_checkpoint_free(&checkpoint);
    clear();
}

static void the_last_two_are_kept_and_the_older_one_stands_in(void **state)
{
    struct ph_error err = {.text = ""};
    char note[PH_CHECKPOINT_NOTE];
    for (int64_t step = 1; step <= 3; ++step)
        assert_good(write_step(file, H5MD_DIPOLES, step, &err), &err);
    assert_int_equal(read_step(note), 3);
    assert_string_equal(note, "");
    assert_int_equal(truncate(file, 1000), 0);
    assert_int_equal(read_step(note), 2);
    assert_non_null(strstr(note, "run.h5md.checkpoint: cannot be used: it does not end as a checkpoint does"));
    assert_non_null(strstr(note, "run.h5md.checkpoint.1, is used"));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(read_step(note), 2);
    assert_non_null(strstr(note, "No such file"));
    assert_int_equal(truncate(older, 1000), 0);
    static struct ph_checkpoint checkpoint;
    assert_int_equal(ph_checkpoint_read(file, &checkpoint, note, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_non_null(strstr(err.text, "checkpoint.1: cannot be used"));
    ph_checkpoint_free(&checkpoint);
    clear();
}

/* Every byte, with another value; every length */
static void damage_anywhere_is_seen(void **state)
{
    struct ph_error err = {.text = ""};
    static struct ph_checkpoint checkpoint;
    assert_good(write_step(file, H5MD_DIPOLES, 1, &err), &err);
    FILE *stream = fopen(file, "rb");
    static char whole[200000];
    const size_t n = fread(whole, 1, sizeof whole, stream);
    fclose(stream);
    assert_true(n > 5000 && n < sizeof whole);
    stream = fopen(file, "r+b");
    for (size_t at = 0; at < n; at += at + 64 < n ? 7 : 1) {
        fseek(stream, (long)at, SEEK_SET);
        fputc(whole[at] ^ (1 << at % 8), stream);
        fflush(stream);
        const enum ph_status status = ph_checkpoint_read(file, &checkpoint, NULL, &err);
        if (status != PH_ERR_IO || !strstr(err.text, "cannot be used"))
            fail_msg("byte %zu of %zu is wrong: status %d, %s", at, n, (int)status, err.text);
        fseek(stream, (long)at, SEEK_SET);
        fputc(whole[at], stream);
    }
    fclose(stream);
    assert_good(ph_checkpoint_read(file, &checkpoint, NULL, &err), &err);
    ph_checkpoint_free(&checkpoint);
    for (size_t length = n; length > 0; length -= length > 97 ? 97 : length) {
        assert_int_equal(truncate(file, (off_t)length - 1), 0);
        assert_int_equal(ph_checkpoint_read(file, &checkpoint, NULL, &err), PH_ERR_IO);
    }
    stream = fopen(file, "wb"); /* longer by a byte */
    fwrite(whole, 1, n, stream);
    fputc(0, stream);
    fclose(stream);
    assert_int_equal(ph_checkpoint_read(file, &checkpoint, NULL, &err), PH_ERR_IO);
    clear();
}

static void a_kill_at_any_write_leaves_a_checkpoint(void **state)
{
    int status = 1;
    long writes = 0;
    int64_t newest = 0;
    struct ph_error err = {.text = ""};
    assert_good(write_step(file, H5MD_MIXTURE, 0, &err), &err);
    assert_good(write_step(file, H5MD_MIXTURE, 0, &err), &err);
    for (; status != 0; ++writes) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            disk_stops_after(writes, false);
            _exit((int)write_step(file, H5MD_MIXTURE, newest + 1, &err));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && (status == 0 || WEXITSTATUS(status) == DISK_KILLED));
        const int64_t step = read_step(NULL);
        assert_true(step == newest || step == newest + 1);
        newest = step;
    }
    assert_true(writes > 50 && newest >= 1);
    assert_int_equal(read_step(NULL), newest);
    clear();
}

static void a_full_disk_leaves_the_last_one_and_is_an_error(void **state)
{
    struct ph_error err = {.text = ""};
    char temporary[320];
    snprintf(temporary, sizeof temporary, "%s.tmp", file);
    assert_good(write_step(file, H5MD_MIXTURE, 5, &err), &err);
    for (long writes = 0;; ++writes) {
        disk_stops_after(writes, true);
        const enum ph_status status = write_step(file, H5MD_MIXTURE, 6, &err);
        const bool stopped = disk_stopped();
        disk_works();
        assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
        if (!stopped) {
            assert_good(status, &err);
            assert_true(writes > 50);
            break;
        }
        if (status != PH_ERR_IO || !strstr(err.text, "No space left") || !strstr(err.text, "run.h5md.checkpoint"))
            fail_msg("full after %ld writes: status %d, %s", writes, (int)status, err.text);
        assert_int_not_equal(access(temporary, F_OK), 0);
        assert_int_equal(read_step(NULL), 5);
    }
    assert_int_equal(read_step(NULL), 6);
    clear();
    assert_int_equal(write_step("/nowhere/x", H5MD_DIPOLES, 1, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
}

static void the_hash_of_a_state_sees_every_bit_of_it_and_nothing_else(void **state)
{
    struct ph_system *system = h5md_system(H5MD_MIXTURE);
    h5md_move(system, 8);
    const uint64_t hash = ph_state_hash(system);
    double *const groups[] = {system->r[0], system->r[2], system->p[1], system->q[3], system->m[2]};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
        for (size_t i = 0; i < system->n; ++i)
            for (int bit = 0; bit < 64; bit += 9) {
                uint64_t bits;
                memcpy(&bits, &groups[g][i], sizeof bits);
                const uint64_t changed = bits ^ (UINT64_C(1) << bit);
                memcpy(&groups[g][i], &changed, sizeof bits);
                assert_true(ph_state_hash(system) != hash);
                memcpy(&groups[g][i], &bits, sizeof bits);
            }
    system->image[1][system->n - 1] ^= 1;
    assert_true(ph_state_hash(system) != hash);
    system->image[1][system->n - 1] ^= 1;
    const double edge = system->box.edge[2][1];
    system->box.edge[2][1] = nextafter(edge, 1.0);
    assert_true(ph_state_hash(system) != hash);
    system->box.edge[2][1] = edge;
    system->f[0][0] += 1.0;
    system->t[0][0] += 1.0;
    assert_true(ph_state_hash(system) == hash);
    char text[PH_HASH_TEXT];
    ph_hash_text(UINT64_C(0x0123456789abcdef), text);
    assert_string_equal(text, "0123456789abcdef");
    /* lengths and zeros count */
    const char zeros[32] = {0};
    for (size_t n = 0; n < 31; ++n)
        assert_true(ph_hash_bytes(ph_hash_begin(), n, zeros) != ph_hash_bytes(ph_hash_begin(), n + 1, zeros));
    ph_system_destroy(system);
}

static int make_folder(void **state)
{
    char trajectory[290];
    if (!mkdtemp(folder) || H5open() < 0)
        return -1;
    snprintf(trajectory, sizeof trajectory, "%s/run.h5md", folder);
    if (!ph_checkpoint_name(trajectory, sizeof file, file) || ph_checkpoint_name(trajectory, 20, older))
        return -1;
    snprintf(older, sizeof older, "%s.1", file);
    return 0;
}

/* Who reads a part of the molecules gets that part of large arrays, which are not in memory before. */
static void some_of_a_large_array_are_read_from_the_file(void **state)
{
    enum { N = PH_CHECKPOINT_LARGE + 5000, BEGIN = 4096, END = 9000 };
    static struct ph_checkpoint checkpoint, same;
    static double numbers[N], some[END - BEGIN], all[N];
    struct ph_error err = {.text = ""};
    struct ph_checkpoint written = {.n = 0};
    for (int k = 0; k < N; ++k)
        numbers[k] = 1.0 / (1.0 + k);
    ph_checkpoint_add_doubles(&written, "numbers", N, numbers);
    assert_good(ph_checkpoint_write(file, &written, &err), &err);
    assert_good(ph_checkpoint_read(file, &checkpoint, NULL, &err), &err);
    assert_null(ph_checkpoint_find(&checkpoint, "numbers")->data);
    assert_good(ph_checkpoint_read_same(file, false, checkpoint.hash, &same, &err), &err);
    assert_good(ph_checkpoint_some_doubles(&same, "numbers", N, BEGIN, END, some, &err), &err);
    assert_memory_equal(some, numbers + BEGIN, sizeof some);
    assert_good(ph_checkpoint_doubles(&checkpoint, "numbers", N, all, &err), &err);
    assert_memory_equal(all, numbers, sizeof all);
    assert_int_equal(ph_checkpoint_some_doubles(&same, "numbers", N - 1, BEGIN, END, some, &err), PH_ERR_INPUT);
    ph_checkpoint_free(&same);
    /* Another process has read another file. */
    assert_int_equal(ph_checkpoint_read_same(file, false, checkpoint.hash + 1, &same, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "it is not the file that another process reads"));
    ph_checkpoint_free(&same);
    ph_checkpoint_free(&checkpoint);
    clear();
}

static int remove_folder(void **state)
{
    ph_checkpoint_remove(file);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_arrays_and_the_system_come_back_bit_for_bit),
        cmocka_unit_test(boxes_that_have_changed_come_back_bit_for_bit),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(some_of_a_large_array_are_read_from_the_file),
        cmocka_unit_test(the_last_two_are_kept_and_the_older_one_stands_in),
        cmocka_unit_test(damage_anywhere_is_seen),
        cmocka_unit_test(a_kill_at_any_write_leaves_a_checkpoint),
        cmocka_unit_test(a_full_disk_leaves_the_last_one_and_is_an_error),
        cmocka_unit_test(the_hash_of_a_state_sees_every_bit_of_it_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
