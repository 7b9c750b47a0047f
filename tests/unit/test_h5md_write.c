/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "h5md_disk.h"
#include "h5md_systems.h"

#include "base/ranges.h"
#include "base/rotation.h"
#include "model/start_file.h"
#include "output/checkpoint.h"
#include "output/frame_writer.h"
#include "output/h5_tools.h"
#include "output/h5md_read.h"
#include "output/hash.h"

#include <hdf5.h>
#include <sys/mman.h>
#include <sys/wait.h>

static char folder[] = "/tmp/polhode-write-XXXXXX";
static char file[300], other[300];

/* ---- helpers ---- */

static struct ph_trajectory *create(const char *name, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan)
{
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
    if (ph_trajectory_create(name, true, system, plan, &h5md_about, &trajectory, &err) != PH_OK)
        fail_msg("%s", err.text);
    return trajectory;
}

static struct ph_trajectory *resume(const char *name, int64_t step, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan)
{
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
    if (ph_trajectory_resume(name, step, system, plan, &trajectory, &err) != PH_OK)
        fail_msg("%s", err.text);
    return trajectory;
}

/* Rows of the steps from .. to */
static void append(struct ph_trajectory *trajectory, struct ph_system *system, int64_t from, int64_t to)
{
    struct ph_error err = {.text = ""};
    for (int64_t step = from; step <= to; ++step)
        if (h5md_append(trajectory, system, step, &err) != PH_OK)
            fail_msg("%s", err.text);
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
        }
        ph_frame_writer_close(writer);
    }
    if (status == PH_OK)
        return ph_trajectory_commit(trajectory, err);
    ph_trajectory_give_up(trajectory, status, &inner);
    return ph_error_set(err, status, "%s", inner.text);
}

static void finish(struct ph_trajectory *trajectory)
{
    struct ph_error err = {.text = ""};
    if (ph_trajectory_close(trajectory, &err) != PH_OK)
        fail_msg("%s", err.text);
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void write_file(const char *name, enum h5md_kind kind, int64_t steps)
{
    struct ph_system *system = h5md_system(kind);
    const struct ph_trajectory_plan plan = h5md_plan(kind);
    struct ph_trajectory *trajectory = create(name, system, &plan);
    append(trajectory, system, 0, steps);
    finish(trajectory);
    ph_system_destroy(system);
}

static hid_t open_file(const char *name)
{
    const hid_t id = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
        fail_msg("%s cannot be opened", name);
    return id;
}

static size_t rows_of(hid_t id, const char *path)
{
    const hid_t set = H5Dopen2(id, path, H5P_DEFAULT);
    if (set < 0)
        fail_msg("%s cannot be opened", path);
    const hid_t space = H5Dget_space(set);
    hsize_t extent[4] = {0};
    assert_true(H5Sget_simple_extent_dims(space, extent, NULL) > 0);
    H5Sclose(space);
    H5Dclose(set);
    return (size_t)extent[0];
}

/* One row of a data set, as doubles */
static void read_row(hid_t id, const char *path, size_t row, size_t n, double *out)
{
    const hid_t set = H5Dopen2(id, path, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t extent[4], first[4] = {row}, total = n;
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    assert_true(rank > 0 && row < extent[0]);
    extent[0] = 1;
    for (int k = 1; k < rank; ++k)
        n /= (size_t)extent[k];
    assert_int_equal(n, 1);
    const hid_t memory = H5Screate_simple(1, &total, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, extent, NULL);
    if (H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) < 0)
        fail_msg("row %zu of %s cannot be read", row, path);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

/* What an element must hold of molecules first .. end, or of their sites; returns how many numbers. */
static size_t expect(const struct ph_system *system, const char *element, bool sites, size_t first, size_t end,
                     double *out)
{
    double *at = out;
    for (size_t i = first; i < end; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        double mu[3], v[3], omega[3];
        ph_species_dipole(species, mu);
        for (int k = 0; k < 3; ++k)
            omega[k] = species->inertia[k] > 0.0 ? system->m[k][i] / species->inertia[k] : 0.0;
        for (size_t a = 0; a < (sites ? species->n_sites : 1); ++a) {
            const double *x = species->site[a].position;
            const double turning[3] = {omega[1] * x[2] - omega[2] * x[1], omega[2] * x[0] - omega[0] * x[2],
                                       omega[0] * x[1] - omega[1] * x[0]};
            ph_quat_rotate(q, strcmp(element, "velocity") == 0 ? turning : x, v);
            for (int k = 0; k < 3; ++k)
                if (strcmp(element, "position") == 0 || strcmp(element, "center") == 0)
                    *at++ = sites ? v[k] + system->r[k][i] : system->r[k][i];
                else if (strcmp(element, "velocity") == 0)
                    *at++ = sites ? v[k] + system->p[k][i] / species->mass : system->p[k][i] / species->mass;
                else if (strcmp(element, "image") == 0)
                    *at++ = system->image[k][i];
                else if (strcmp(element, "angular_momentum") == 0)
                    *at++ = system->m[k][i];
                else if (strcmp(element, "force") == 0)
                    *at++ = system->f[k][i];
                else if (strcmp(element, "torque") == 0)
                    *at++ = system->t[k][i];
        }
        if (strcmp(element, "orientation") == 0) {
            memcpy(at, q, sizeof q);
            at += 4;
        }
        if (strcmp(element, "dipole") == 0) {
            ph_quat_rotate(q, mu, at);
            at += 3;
        }
    }
    return (size_t)(at - out);
}

static const char *const names[] = {"position",         "image",  "velocity", "orientation",
                                    "angular_momentum", "dipole", "force",    "torque"};

static bool left_out[8]; /* of these */
static bool rounded;     /* frames are in single precision */

static void check_element(hid_t id, const char *group, const char *name, size_t row, const struct ph_system *system,
                          bool sites, size_t first, size_t end)
{
    char path[128];
    double *want = calloc(4 * 9000 + 1, sizeof *want), *got = calloc(4 * 9000 + 1, sizeof *got);
    const size_t n = expect(system, name, sites, first, end, want);
    for (size_t k = 0; k < n && rounded; ++k)
        want[k] = (double)(float)want[k];
    snprintf(path, sizeof path, "%s/%s/value", group, name);
    read_row(id, path, row, n, got);
    if (memcmp(got, want, n * sizeof *got) != 0)
        fail_msg("row %zu of %s is not what was written", row, path);
    free(want);
    free(got);
}

/* All elements of a frame, which is row `row` of every one of them */
static void check_frame(hid_t id, enum h5md_kind kind, struct ph_system *system, size_t row, int64_t step)
{
    h5md_move(system, step);
    const bool bodies = kind == H5MD_WATER || kind == H5MD_MIXTURE, points = kind == H5MD_ARGON;
    for (int e = 0; e < 8; ++e)
        if (!left_out[e] && (bodies ? e < 3 : !points || e < 3 || e == 6))
            check_element(id, "particles/trajectory", names[e], row, system, bodies, 0, system->n);
    for (size_t s = 0; s < system->n_species && bodies; ++s) {
        char group[64];
        snprintf(group, sizeof group, "rigid_bodies/%s", system->species[s].name);
        for (int e = 0; e < 8; ++e)
            if (system->species[s].degrees > 0 || e < 3 || e == 6)
                check_element(id, group, e == 0 ? "center" : names[e], row, system, false, system->first[s],
                              system->first[s + 1]);
    }
    double number, edges[9];
    read_row(id, "particles/trajectory/position/step", row, 1, &number);
    assert_true(number == (double)step);
    read_row(id, "particles/trajectory/position/time", row, 1, &number);
    assert_true(number == h5md_time_step * (double)step);
    if (kind != H5MD_OPEN) {
        read_row(id, "particles/trajectory/box/edges/value", row, 9, edges);
        assert_memory_equal(edges, system->box.edge, sizeof edges);
    }
}

static void check_series(hid_t id, size_t row, int64_t step)
{
    static const char *const columns[] = {"total_energy", "momentum", "pressure_tensor", "potential_energy"};
    static const size_t widths[] = {1, 3, 9, 1};
    double values[H5MD_SERIES_WIDTH], got[9], number;
    h5md_series(step, values);
    for (size_t k = 0, at = 0; k < 4; at += widths[k++]) {
        char path[64];
        snprintf(path, sizeof path, "series/%s/value", columns[k]);
        read_row(id, path, row, widths[k], got);
        assert_memory_equal(got, values + at, widths[k] * sizeof *got);
    }
    read_row(id, "series/momentum/step", row, 1, &number);
    assert_true(number == (double)step);
}

/* ---- what is written ---- */

static void every_element_of_every_kind_of_system_is_in_its_place_bit_for_bit(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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

/* Three stages: of 35 steps, of 20, and to the end. Positions at 0 10 20 30 | 39 43 47 51 55 | 60 65 70, and so on:
 * each cadence counts from where it begins, and the step that ends a stage is the stage's own. */
enum { STAGES = 3 };
static const struct ph_trajectory_cadence cadences[STAGES] = {
    {.from_step = 0, .every = {10, 10, 35, 5, 0, 0, 5, 5}, .series_every = 7},
    {.from_step = 35, .every = {4, 4, 0, 5, 0, 0, 5, 20}, .series_every = 0},
    {.from_step = 55, .every = {5, 5, 5, 5, 0, 9, 5, 5}, .series_every = 5}};
static const struct ph_trajectory_stage stages[STAGES] = {
    {"melt", "constant temperature, Nos\xc3\xa9-Hoover", 0, 0.001, "NVT", 300.0, NAN, 21, 18},
    {"b", "", 35, 0.25, "NPT", 310.0, 2.5, 24, 17},
    {"make", "constant energy", 55, 0.1, "NVE", NAN, NAN, 20, 16}};

static struct ph_trajectory_plan staged_plan(enum h5md_kind kind)
{
    struct ph_trajectory_plan plan = h5md_plan(kind);
    plan.n_cadences = plan.n_stages = STAGES;
    plan.cadences = cadences;
    plan.stages = stages;
    return plan;
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
    (void)state;
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
    (void)state;
    write_file(file, H5MD_DIPOLES, 0);
    const hid_t id = open_file(file);
    assert_int_equal(H5Lexists(id, "parameters/stages", H5P_DEFAULT), 0);
    H5Fclose(id);
}

/* What a host program may ask wrongly; inputs are checked before. */
static void plans_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct {
        int every[2], compression;
        const char *words;
    } wrong[] = {{{0, 0}, 0, "every 1 or more steps, not 0"},
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

static void compressed_frames_are_the_same_and_smaller(void **state)
{
    (void)state;
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
    (void)state;
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
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
            size[single] = (double)H5Dget_storage_size(set);
            H5Dclose(set);
            H5Fclose(id);
        }
        rounded = false;
        assert_true(size[0] > 0.0 && size[1] == 0.5 * size[0]);
        plan.single = false;
        assert_int_equal(ph_trajectory_resume(file, 10, system, &plan, &trajectory, &err), PH_ERR_INPUT);
        assert_non_null(strstr(err.text, "not as this run would write it"));
        ph_system_destroy(system);
    }
}

static void what_the_run_was_is_in_the_file_word_for_word(void **state)
{
    (void)state;
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
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_trajectory_create(file, true, system, &plan, &about, &trajectory, &err), PH_OK);
    finish(trajectory);
    assert_int_equal(ph_trajectory_read_text(file, "input", &text, &err), PH_OK);
    assert_string_equal(text, large);
    free(text);
    assert_int_equal(ph_trajectory_read_text(file, "models/deep/er", &text, &err), PH_OK);
    assert_string_equal(text, "");
    free(text);
    assert_int_equal(ph_trajectory_read_text(file, "title", &text, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "parameters/title is missing"));
    assert_null(text);
    free(large);
    write_file(file, H5MD_DIPOLES, 0);
    assert_int_equal(ph_trajectory_read_text(file, "title", &text, &err), PH_OK);
    assert_string_equal(text, "A test, \xc3\xa0 la carte");
    free(text);
    ph_system_destroy(system);
}

/* ---- old files ---- */

static void a_file_that_is_there_is_kept_unless_it_may_be_overwritten(void **state)
{
    (void)state;
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
    assert_int_equal(ph_trajectory_resume(file, 0, system, &plan, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "Another program may be writing"));
    append(running, system, 0, 10);
    id = open_file(file); /* while it is written */
    check_frame(id, H5MD_DIPOLES, system, 1, 10);
    H5Fclose(id);
    struct ph_error close_err;
    assert_int_equal(ph_trajectory_close(running, &close_err), PH_OK);
    assert_int_equal(ph_trajectory_create("/nowhere/x.h5md", false, system, &plan, &h5md_about, &trajectory, &err),
                     PH_ERR_IO);
    assert_non_null(strstr(err.text, "No such file"));
    assert_int_equal(ph_trajectory_create("/dev/null", true, system, &plan, &h5md_about, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "/dev/null: is not a file"));
    ph_system_destroy(system);
}

static void compare_sets(hid_t a, hid_t b, const char *name, size_t *n_sets)
{
    const hid_t one = H5Dopen2(a, name, H5P_DEFAULT), two = H5Dopen2(b, name, H5P_DEFAULT);
    if (one < 0 || two < 0)
        fail_msg("%s is missing", name);
    const hid_t spaces[2] = {H5Dget_space(one), H5Dget_space(two)}, type = H5Dget_type(one);
    if (H5Sextent_equal(spaces[0], spaces[1]) <= 0)
        fail_msg("%s has another extent: %lld, not %lld numbers", name,
                 (long long)H5Sget_simple_extent_npoints(spaces[1]),
                 (long long)H5Sget_simple_extent_npoints(spaces[0]));
    const size_t bytes = (size_t)H5Sget_simple_extent_npoints(spaces[0]) * H5Tget_size(type);
    char *ours = calloc(1, bytes + 1), *theirs = calloc(1, bytes + 1);
    assert_true(H5Dread(one, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, ours) >= 0);
    assert_true(H5Dread(two, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, theirs) >= 0);
    if (memcmp(ours, theirs, bytes) != 0)
        fail_msg("%s differs", name);
    free(ours);
    free(theirs);
    H5Tclose(type);
    H5Sclose(spaces[0]);
    H5Sclose(spaces[1]);
    H5Dclose(one);
    H5Dclose(two);
    ++*n_sets;
}

struct comparison {
    hid_t other;
    size_t n_sets;
};

static herr_t compare_object(hid_t id, const char *name, const H5O_info_t *info, void *data)
{
    struct comparison *comparison = data;
    if (info->type == H5O_TYPE_DATASET)
        compare_sets(id, comparison->other, name, &comparison->n_sets);
    return 0;
}

static void assert_same_content(const char *one, const char *two)
{
    const hid_t a = open_file(one);
    struct comparison comparison = {.other = open_file(two)};
    H5Ovisit(a, H5_INDEX_NAME, H5_ITER_INC, compare_object, &comparison);
    assert_true(comparison.n_sets > 20);
    H5Fclose(a);
    H5Fclose(comparison.other);
}

/* Every molecule lies where another one of its species was: files, checkpoints, hashes and random numbers know them by
 * their numbers. */
static void molecules_that_change_places_are_known_by_their_numbers(void **state)
{
    (void)state;
    struct ph_error err = {.text = ""};
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
        assert_int_equal(ph_checkpoint_restore_system(&checkpoint, again, &err), PH_OK);
        assert_memory_equal(system->id, again->id, system->n * sizeof *system->id);
        assert_memory_equal(system->place, again->place, system->n * sizeof *system->place);
        assert_true(ph_state_hash(again) == ph_state_hash(system));
        if (system->first[1] > 1) {
            system->id[1] = system->id[0];
            assert_int_equal(ph_checkpoint_restore_system(&checkpoint, again, &err), PH_ERR_INPUT);
            assert_non_null(strstr(err.text, "twice"));
        }
        ph_system_destroy(system);
        ph_system_destroy(again);
    }
}

/* Whether the run was killed just after the checkpoint or long after */
static void a_resumed_file_is_the_same_as_one_written_in_one_go(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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

/* ---- kills and full disks ---- */

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
    (void)state;
    for (size_t span = 0; span < sizeof spans / sizeof *spans; ++span)
        stop_everywhere(false, span);
}

static void a_full_disk_is_an_error_and_leaves_all_that_was_committed(void **state)
{
    (void)state;
    stop_everywhere(true, 0);
}

static void frames_that_several_processes_write_are_safe_at_every_write(void **state)
{
    (void)state;
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
    (void)state;
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
            struct ph_error err = {.text = ""};
            trajectory = create(file, system, &plan);
            for (int64_t step = 0; step <= 60; ++step)
                if (append_together(trajectory, file, system, &plan, step, &err) != PH_OK)
                    fail_msg("%s", err.text);
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
    (void)state;
    write_file(file, H5MD_DIPOLES, 20);
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_DIPOLES);
    struct ph_frame_writer *writer;
    struct ph_trajectory *trajectory;
    struct ph_error err = {.text = ""};
    assert_int_equal(ph_frame_writer_open(file, system, &plan, &writer, &err), PH_OK);
    assert_int_equal(ph_trajectory_resume(file, 20, system, &plan, &trajectory, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "Another program may be writing to it"));
    ph_frame_writer_close(writer);
    finish(resume(file, 20, system, &plan));
    ph_system_destroy(system);
}

/* Killed at any write, a new file is not there, or is there with all that comes before frames. */
static void a_new_file_appears_when_it_is_well_begun(void **state)
{
    (void)state;
    struct ph_system *system = h5md_system(H5MD_MIXTURE);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_MIXTURE);
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
        check_frame(id, H5MD_MIXTURE, system, 0, 0);
        H5Fclose(id);
    }
    assert_true(absent > 100 && writes - absent > 20);
    ph_system_destroy(system);
}

/* Of a file that was opened for reading */
static void a_number_that_cannot_be_set_leaves_nothing_open(void **state)
{
    (void)state;
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

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || H5open() < 0)
        return -1;
    snprintf(file, sizeof file, "%s/run.h5md", folder);
    snprintf(other, sizeof other, "%s/other.h5md", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const endings[] = {"run.h5md",   "run.h5md.new",   "other.h5md",
                                          "begun.h5md", "begun.h5md.new", "whole.h5md"};
    for (size_t k = 0; k < sizeof endings / sizeof *endings; ++k) {
        char path[320];
        snprintf(path, sizeof path, "%s/%s", folder, endings[k]);
        unlink(path);
    }
    return rmdir(folder);
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
        cmocka_unit_test(compressed_frames_are_the_same_and_smaller),
        cmocka_unit_test(frames_of_single_precision_are_rounded_and_half_as_large),
        cmocka_unit_test(what_the_run_was_is_in_the_file_word_for_word),
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
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
