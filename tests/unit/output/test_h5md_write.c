/* SPDX-License-Identifier: MIT */
/* What trajectories have in them: every number, at the steps that were asked for. */

#include "h5md_written.h"

#include "formats/start_file.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"
#include "output/hdf5/h5_tools.h"
#include "output/reader/h5md_read.h"
#include "output/trajectory/trajectory_parts.h"

static void every_element_of_every_kind_of_system_is_in_its_place_bit_for_bit(void **state)
{
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        if (kind == H5MD_LARGE)
            continue;
        write_file(file, (enum h5md_kind)kind, 40);
        struct ph_system *system = h5md_system((enum h5md_kind)kind);
        const hid_t id = open_file(file);
        assert_int_equal(rows_of(id, "particles/trajectory/position/value"), 5);
        assert_int_equal(rows_of(id, "series/momentum/value"), 9);
        for (size_t row = 0; row < 5; ++row)
            check_frame(id, (enum h5md_kind)kind, system, row, 10 * (int64_t)row);
        for (size_t row = 0; row < 9; ++row)
            check_series(id, row, 5 * (int64_t)row);
        H5Fclose(id);
        ph_system_destroy(system);
    }
}

/* Through our own reader, as a start configuration */
static void a_frame_that_was_written_starts_a_system_again(void **state)
{
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        if (kind == H5MD_LARGE)
            continue;
        write_file(file, (enum h5md_kind)kind, 30);
        struct ph_system *system = h5md_system((enum h5md_kind)kind), *again = h5md_system((enum h5md_kind)kind);
        h5md_move(system, 20);
        size_t counts[3];
        for (size_t s = 0; s < system->n_species; ++s)
            counts[s] = system->first[s + 1] - system->first[s];
        const struct ph_h5md_request request = {.frame = 2,
                                                .scale = 1.0,
                                                .momenta = true,
                                                .n_species = system->n_species,
                                                .species = system->species,
                                                .counts = counts};
        struct ph_frame frame;
        struct ph_frame_fit fit;
        struct ph_error err = {.text = ""};
        if (ph_h5md_read(file, &request, &frame, &err) != PH_OK ||
            ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3, .momenta = true}, again, &fit, &err) !=
                PH_OK)
            fail_msg("%s: %s", h5md_kind_names[kind], err.text);
        assert_true(fit.momenta && fit.n_fitted == 0);
        assert_string_equal(frame.unit, h5md_physical((enum h5md_kind)kind) ? "nm" : "");
        assert_memory_equal(frame.edge, system->box.edge, sizeof frame.edge);
        for (size_t i = 0; i < system->n; ++i) {
            for (int k = 0; k < 4; ++k)
                assert_true(again->q[k][i] == system->q[k][i]);
            for (int k = 0; k < 3; ++k) {
                assert_true(again->r[k][i] == system->r[k][i] && again->m[k][i] == system->m[k][i]);
                assert_true(again->image[k][i] == system->image[k][i]);
                assert_close(again->p[k][i], system->p[k][i], 2.3e-16, system->p[k][i]);
            }
        }
        ph_frame_free(&frame);
        ph_system_destroy(system);
        ph_system_destroy(again);
    }
}

static haddr_t address_of(hid_t id, const char *path, unsigned *links)
{
    H5O_info_t info;
    if (H5Oget_info_by_name(id, path, &info, H5P_DEFAULT) < 0)
        fail_msg("%s is missing", path);
    if (links)
        *links = info.rc;
    return info.addr;
}

static void elements_of_one_cadence_share_step_and_time_and_others_have_their_own(void **state)
{
    struct ph_system *system = h5md_system(H5MD_WATER);
    struct ph_trajectory_plan plan = h5md_plan(H5MD_WATER);
    struct ph_trajectory_cadence cadence = h5md_cadence;
    cadence.every[PH_TRAJECTORY_VELOCITY] = 30;
    cadence.every[PH_TRAJECTORY_FORCE] = cadence.every[PH_TRAJECTORY_TORQUE] = 0;
    plan.cadences = &cadence;
    struct ph_trajectory *trajectory = create(file, system, &plan);
    assert_true(ph_trajectory_wants(trajectory, PH_TRAJECTORY_VELOCITY, 60));
    assert_false(ph_trajectory_wants(trajectory, PH_TRAJECTORY_VELOCITY, 10));
    assert_false(ph_trajectory_wants(trajectory, PH_TRAJECTORY_FORCE, 0));
    assert_true(ph_trajectory_wants_frame(trajectory, 10) && !ph_trajectory_wants_frame(trajectory, 15));
    append(trajectory, system, 0, 70);
    finish(trajectory);
    const hid_t id = open_file(file);
    unsigned links;
    const char *const sharing[] = {"particles/trajectory/position/step", "particles/trajectory/box/edges/step",
                                   "particles/trajectory/image/step",    "rigid_bodies/tip4p-2005/center/step",
                                   "rigid_bodies/tip4p-2005/image/step", "rigid_bodies/tip4p-2005/orientation/step",
                                   "rigid_bodies/tip4p-2005/dipole/step"};
    const haddr_t first = address_of(id, sharing[0], &links);
    assert_int_equal(links, 8); /* and angular_momentum */
    for (size_t k = 0; k < sizeof sharing / sizeof *sharing; ++k)
        assert_true(address_of(id, sharing[k], NULL) == first);
    assert_true(address_of(id, "rigid_bodies/tip4p-2005/velocity/step", &links) ==
                    address_of(id, "particles/trajectory/velocity/step", NULL) &&
                links == 2);
    assert_true(address_of(id, "rigid_bodies/tip4p-2005/velocity/time", &links) ==
                    address_of(id, "particles/trajectory/velocity/time", NULL) &&
                links == 2);
    assert_true(address_of(id, "series/momentum/time", &links) == address_of(id, "series/total_energy/time", NULL) &&
                links == 4);
    assert_int_equal(rows_of(id, "particles/trajectory/velocity/value"), 3);
    assert_int_equal(rows_of(id, "particles/trajectory/position/value"), 8);
    h5md_move(system, 60);
    check_element(id, "particles/trajectory", "velocity", 2, system, true, 0, system->n);
    assert_int_equal(H5Lexists(id, "rigid_bodies/tip4p-2005/force", H5P_DEFAULT), 0);
    H5Fclose(id);
    ph_system_destroy(system);
}

static void check_steps(hid_t id, const char *group, int64_t every, size_t n, const int *steps)
{
    char path[200];
    int64_t stated = 0;
    snprintf(path, sizeof path, "%s/step", group);
    if (rows_of(id, path) != n)
        fail_msg("%s has %zu rows, not %zu", path, rows_of(id, path), n);
    for (size_t row = 0; row < n; ++row) {
        double step;
        read_row(id, path, row, 1, &step);
        if (step != steps[row])
            fail_msg("row %zu of %s is of step %g, not %d", row, path, step, steps[row]);
    }
    if (H5Aexists_by_name(id, group, "every", H5P_DEFAULT) > 0)
        assert_true(ph_h5_get_integer(id, group, "every", H5T_NATIVE_INT64, &stated));
    assert_int_equal(stated, every);
}

static void each_stage_writes_as_often_as_it_asks(void **state)
{
    struct ph_system *system = h5md_system(H5MD_WATER);
    const struct ph_trajectory_plan plan = staged_plan(H5MD_WATER);
    struct ph_trajectory *trajectory = create(file, system, &plan);
    append(trajectory, system, 0, 70);
    assert_true(ph_trajectory_wants(trajectory, PH_TRAJECTORY_VELOCITY, 35));
    assert_true(ph_trajectory_wants_frame(trajectory, 55) && !ph_trajectory_wants_frame(trajectory, 56));
    assert_false(ph_trajectory_wants_series(trajectory, 49));
    finish(trajectory);
    const hid_t id = open_file(file);
    const int positions[] = {0, 10, 20, 30, 39, 43, 47, 51, 55, 60, 65, 70};
    const int velocities[] = {0, 35, 60, 65, 70}, dipoles[] = {64}, series[] = {0, 7, 14, 21, 28, 35, 60, 65, 70};
    const int fives[] = {0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70};
    const int torques[] = {0, 5, 10, 15, 20, 25, 30, 35, 55, 60, 65, 70};
    const char *const together[] = {"particles/trajectory/position", "particles/trajectory/image",
                                    "particles/trajectory/box/edges", "rigid_bodies/tip4p-2005/center"};
    for (size_t k = 0; k < 4; ++k) {
        check_steps(id, together[k], 0, 12, positions);
        char path[200];
        snprintf(path, sizeof path, "%s/step", together[k]);
        assert_true(address_of(id, path, NULL) == address_of(id, "particles/trajectory/position/step", NULL));
    }
    check_steps(id, "particles/trajectory/velocity", 0, 5, velocities);
    check_steps(id, "rigid_bodies/tip4p-2005/orientation", 5, 15, fives);
    check_steps(id, "rigid_bodies/tip4p-2005/force", 5, 15, fives);
    check_steps(id, "rigid_bodies/tip4p-2005/torque", 0, 12, torques);
    check_steps(id, "rigid_bodies/tip4p-2005/dipole", 0, 1, dipoles);
    check_steps(id, "series/momentum", 0, 9, series);
    assert_int_equal(H5Lexists(id, "rigid_bodies/tip4p-2005/angular_momentum", H5P_DEFAULT), 0);

    const char *const texts[] = {"parameters/stages/name", "parameters/stages/about", "parameters/stages/ensemble"};
    for (int what = 0; what < 3; ++what) {
        size_t n, size;
        char *all = ph_h5_get_texts(id, texts[what], NULL, &n, &size);
        assert_true(all && n == STAGES);
        for (size_t k = 0; k < STAGES; ++k)
            assert_string_equal(all + k * size, what == 0   ? stages[k].name
                                                : what == 1 ? stages[k].about
                                                            : stages[k].ensemble);
        free(all);
    }
    for (size_t k = 0; k < STAGES; ++k) {
        double first, step, temperature, pressure, translation, rotation;
        read_row(id, "parameters/stages/first_step", k, 1, &first);
        read_row(id, "parameters/stages/step", k, 1, &step);
        read_row(id, "parameters/stages/temperature", k, 1, &temperature);
        read_row(id, "parameters/stages/pressure", k, 1, &pressure);
        read_row(id, "parameters/stages/degrees_of_translation", k, 1, &translation);
        read_row(id, "parameters/stages/degrees_of_rotation", k, 1, &rotation);
        assert_true(first == (double)stages[k].first_step && step == stages[k].step);
        assert_true(temperature == stages[k].temperature || (isnan(temperature) && isnan(stages[k].temperature)));
        assert_true(pressure == stages[k].pressure || (isnan(pressure) && isnan(stages[k].pressure)));
        assert_true(translation == (double)stages[k].degrees_of_translation &&
                    rotation == (double)stages[k].degrees_of_rotation);
    }
    H5Fclose(id);
    ph_system_destroy(system);
}

static void a_file_without_stages_says_nothing_of_them(void **state)
{
    write_file(file, H5MD_DIPOLES, 0);
    const hid_t id = open_file(file);
    assert_int_equal(H5Lexists(id, "parameters/stages", H5P_DEFAULT), 0);
    H5Fclose(id);
}

/* What a host program may ask wrongly; inputs are checked before. */
static void plans_that_make_no_sense_are_refused(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct {
        int every[2], compression;
        const char *words;
    } wrong[] = {{{-1, 0}, 0, "is -1: 0 (never) or more"},
                 {{1, -2}, 0, "is -2: 0 (never) or more"},
                 {{1, 0}, -1, "Compression -1"},
                 {{1, 0}, 10, "Compression 10 is not one of 0 (none) to 9"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
        struct ph_trajectory_cadence cadence = h5md_cadence;
        cadence.every[PH_TRAJECTORY_POSITION] = wrong[k].every[0];
        cadence.every[PH_TRAJECTORY_VELOCITY] = wrong[k].every[1];
        plan.cadences = &cadence;
        plan.compression = wrong[k].compression;
        struct ph_trajectory *trajectory;
        struct ph_error err = {.text = ""};
        unlink(file);
        assert_int_equal(ph_trajectory_create(file, true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_INPUT);
        if (!strstr(err.text, wrong[k].words))
            fail_msg("'%s' is not in '%s'", wrong[k].words, err.text);
        assert_int_not_equal(access(file, F_OK), 0);
    }
    ph_system_destroy(system);
}

/* Not by HDF5, in words of its own, when the file has been begun; and what is advised, if anything, helps. */
static void frames_with_pieces_beyond_those_of_HDF5_are_refused(void **state)
{
    static const struct {
        size_t n; /* of 32 bytes each in orientations, 24 in positions, 12 in images */
        bool single;
        const char *said;
    } cases[] = {
        {UINT32_C(1) << 27, false,
         "orientation of 134217728 would take 4.29 GB, and HDF5 holds less "
         "than 4.295 GB in one piece: with output.precision: single it"},
        {UINT32_C(1) << 28, true, "in one piece: output.orientation_every: 0 leaves it out."},
        {UINT32_C(1) << 28, false,
         "position of 268435456 would take 6.44 GB, and HDF5 holds less than "
         "4.295 GB in one piece: with output.precision: single it"},
        {UINT32_C(3) << 27, false,
         "position of 402653184 would take 9.66 GB, and HDF5 holds less than "
         "4.295 GB in one piece."},
        {UINT32_C(3) << 27, true,
         "position of 402653184 would take 4.83 GB, and HDF5 holds less than "
         "4.295 GB in one piece."},
    };
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        size_t first[] = {0, cases[k].n}, n;
        struct ph_system many = *system;
        many.first = first;
        many.n = cases[k].n;
        struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
        plan.single = cases[k].single;
        plan.cadences = &h5md_cadence;
        struct ph_file_part *parts;
        struct ph_trajectory *trajectory;
        struct ph_error err = {.text = ""};
        assert_int_equal(ph_trajectory_parts(&many, &plan, &parts, &n, &err), PH_ERR_INPUT);
        free(parts);
        if (!strstr(err.text, cases[k].said))
            fail_msg("'%s' is not in '%s'", cases[k].said, err.text);
        unlink(file);
        assert_int_equal(ph_trajectory_create(file, true, &many, &plan, &h5md_about, &trajectory, &err), PH_ERR_INPUT);
        assert_int_not_equal(access(file, F_OK), 0);
    }
    ph_system_destroy(system);
}

static void compressed_frames_are_the_same_and_smaller(void **state)
{
    struct ph_system *system = h5md_system(H5MD_LARGE);
    struct ph_trajectory_plan plan = h5md_plan(H5MD_LARGE);
    double size[2];
    for (int level = 0; level < 2; ++level) {
        plan.compression = level;
        struct ph_trajectory *trajectory = create(file, system, &plan);
        append(trajectory, system, 0, 20);
        finish(trajectory);
        const hid_t id = open_file(file);
        for (size_t row = 0; row < 3; ++row)
            check_frame(id, H5MD_LARGE, system, row, 10 * (int64_t)row);
        hsize_t bytes;
        H5Fget_filesize(id, &bytes);
        size[level] = (double)bytes;
        H5Fclose(id);
    }
    assert_true(size[1] < 0.97 * size[0]);
    ph_system_destroy(system);
}

/* Box, steps, times and series are those that check_frame and check_series want, bit for bit. */
static void frames_of_single_precision_are_rounded_and_half_as_large(void **state)
{
    struct ph_trajectory *trajectory;
    double size[2];
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        struct ph_system *system = h5md_system((enum h5md_kind)kind);
        struct ph_trajectory_plan plan = h5md_plan((enum h5md_kind)kind);
        for (int single = 0; single < 2; ++single) {
            plan.single = rounded = single;
            trajectory = create(file, system, &plan);
            append(trajectory, system, 0, 20);
            finish(trajectory);
            const hid_t id = open_file(file);
            for (size_t row = 0; row < 3; ++row)
                check_frame(id, (enum h5md_kind)kind, system, row, 10 * (int64_t)row);
            check_series(id, 1, 5);
            const hid_t set = H5Dopen2(id, "particles/trajectory/position/value", H5P_DEFAULT);
            size[single] = (double)H5Dget_storage_size(set) - 3.0 * 4.0; /* but for checksums */
            H5Dclose(set);
            H5Fclose(id);
        }
        rounded = false;
        assert_true(size[0] > 0.0 && size[1] == 0.5 * size[0]);
        plan.single = false;
        assert_error(ph_trajectory_resume(file, 10, system, &plan, &trajectory, &err), PH_ERR_INPUT,
                     "not as this run would write it");
        ph_system_destroy(system);
    }
}

static void what_the_run_was_is_in_the_file_word_for_word(void **state)
{
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    char *text, *large = malloc(200001);
    for (int k = 0; k < 200000; ++k)
        large[k] = (char)('a' + k % 26);
    large[200000] = '\0';
    const struct ph_about_entry entries[] = {{.name = "input", .kind = PH_ABOUT_TEXT, .text = large},
                                             {.name = "models/deep/er", .kind = PH_ABOUT_TEXT, .text = ""}};
    const struct ph_about about = {.version = "1", .n = 2, .entries = entries};
    struct ph_trajectory *trajectory;
    assert_ok(ph_trajectory_create(file, true, system, &plan, &about, &trajectory, &err));
    finish(trajectory);
    assert_ok(ph_trajectory_read_text(file, "input", &text, &err));
    assert_string_equal(text, large);
    free(text);
    assert_ok(ph_trajectory_read_text(file, "models/deep/er", &text, &err));
    assert_string_equal(text, "");
    free(text);
    assert_error(ph_trajectory_read_text(file, "title", &text, &err), PH_ERR_INPUT, "parameters/title is missing");
    assert_null(text);
    free(large);
    write_file(file, H5MD_DIPOLES, 0);
    assert_ok(ph_trajectory_read_text(file, "title", &text, &err));
    assert_string_equal(text, "A test, \xc3\xa0 la carte");
    free(text);
    ph_system_destroy(system);
}

/* Every molecule lies where another one of its species was: files, checkpoints, hashes and random numbers know them by
 * their numbers. */
static void molecules_that_change_places_are_known_by_their_numbers(void **state)
{
    for (int kind = 0; kind < H5MD_KINDS; ++kind) {
        struct ph_system *system = h5md_system((enum h5md_kind)kind), *again = h5md_system((enum h5md_kind)kind);
        const struct ph_trajectory_plan plan = h5md_plan((enum h5md_kind)kind);
        write_file(other, (enum h5md_kind)kind, 40);
        h5md_move(system, 40);
        const uint64_t hash = ph_state_hash(system);
        for (size_t s = 0; s < system->n_species; ++s)
            for (size_t i = system->first[s], j = system->first[s + 1]; i + 1 < j; ++i)
                ph_system_exchange(system, i, --j);
        assert_true(system->n < 2 || system->id[0] != 0 || system->first[1] < 2);
        assert_true(ph_state_hash(system) == hash);
        struct ph_trajectory *trajectory = create(file, system, &plan);
        append(trajectory, system, 0, 40);
        finish(trajectory);
        assert_same_content(file, other);

        struct ph_checkpoint checkpoint = {.n = 0}; /* arrays as they lie, with the numbers */
        ph_checkpoint_add_system(&checkpoint, system);
        assert_ok(ph_checkpoint_restore_system(&checkpoint, again, &err));
        assert_memory_equal(system->id, again->id, system->n * sizeof *system->id);
        assert_memory_equal(system->place, again->place, system->n * sizeof *system->place);
        assert_true(ph_state_hash(again) == ph_state_hash(system));
        if (system->first[1] > 1) {
            system->id[1] = system->id[0];
            assert_error(ph_checkpoint_restore_system(&checkpoint, again, &err), PH_ERR_INPUT, "twice");
        }
        ph_system_destroy(system);
        ph_system_destroy(again);
    }
}

/* Of a file that was opened for reading */
static void a_number_that_cannot_be_set_leaves_nothing_open(void **state)
{
    const int64_t one = 1;
    hid_t id = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(ph_h5_put_data(id, "number", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &one));
    assert_true(ph_h5_set_integer(id, "number", H5T_NATIVE_INT64, &one));
    H5Fclose(id);
    id = H5Fopen(other, H5F_ACC_RDONLY, H5P_DEFAULT);
    ph_h5_quiet_begin();
    assert_false(ph_h5_set_integer(id, "number", H5T_NATIVE_INT64, &one));
    ph_h5_quiet_end();
    assert_int_equal(H5Fget_obj_count(id, H5F_OBJ_ALL), 1); /* the file itself */
    H5Fclose(id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_that_cannot_be_set_leaves_nothing_open),
        cmocka_unit_test(every_element_of_every_kind_of_system_is_in_its_place_bit_for_bit),
        cmocka_unit_test(a_frame_that_was_written_starts_a_system_again),
        cmocka_unit_test(molecules_that_change_places_are_known_by_their_numbers),
        cmocka_unit_test(elements_of_one_cadence_share_step_and_time_and_others_have_their_own),
        cmocka_unit_test(each_stage_writes_as_often_as_it_asks),
        cmocka_unit_test(a_file_without_stages_says_nothing_of_them),
        cmocka_unit_test(plans_that_make_no_sense_are_refused),
        cmocka_unit_test(frames_with_pieces_beyond_those_of_HDF5_are_refused),
        cmocka_unit_test(compressed_frames_are_the_same_and_smaller),
        cmocka_unit_test(frames_of_single_precision_are_rounded_and_half_as_large),
        cmocka_unit_test(what_the_run_was_is_in_the_file_word_for_word),
    };
    return cmocka_run_group_tests(tests, make_files, remove_folder);
}
