/* SPDX-License-Identifier: MIT */
#include "support.h"

#include "base/random.h"
#include "base/rotation.h"
#include "output/reader/h5md_read.h"
#include "run/build/build.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A folder of its own for every run: threads 1 and 2 test at the same time. */
static char folder[] = "/tmp/polhode-h5md-XXXXXX";
static char trajectory[PH_PATH];

enum { FRAMES = 4, MOLECULES = 5 };

static const double edges[FRAMES][3][3] = {
    {{7, 0, 0}, {0, 8, 0}, {0, 0, 9}},
    {{7.5, 0, 0}, {0.25, 8.5, 0}, {0.125, -0.5, 9.5}},
    {{8, 0, 0}, {0, 9, 0}, {0, 0, 10}},
    {{8.5, 0, 0}, {0, 9.5, 0}, {0, 0, 10.5}},
};
static const int64_t steps[FRAMES] = {0, 100, 200, 350};

/* One trajectory of five molecules; bits that no rounding could hide */
static double position[FRAMES][MOLECULES][3], orientation[FRAMES][MOLECULES][4], velocity[FRAMES][MOLECULES][3],
    spin[FRAMES][MOLECULES][3];
static int image[FRAMES][MOLECULES][3];

static void make_trajectory(void)
{
    struct ph_random random = ph_random_stream(21, PH_RANDOM_TEST, 0);
    for (int t = 0; t < FRAMES; ++t)
        for (int i = 0; i < MOLECULES; ++i) {
            ph_random_orientation(&random, orientation[t][i]);
            for (int k = 0; k < 3; ++k) {
                position[t][i][k] = 1.0 + 5.0 * ph_random_uniform(&random);
                velocity[t][i][k] = ph_random_normal(&random);
                spin[t][i][k] = ph_random_normal(&random);
                image[t][i][k] = (int)ph_random_below(&random, 9) - 4;
            }
        }
}

/* --- writing H5MD by hand ------------------------------------------------------------------------------------- */

static hid_t create(void)
{
    const hid_t file = H5Fcreate(trajectory, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* The data set, with the groups on its way */
static void put(hid_t file, const char *path, hid_t type, int rank, const hsize_t *extent, const void *data)
{
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE),
                space = rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    H5Pset_create_intermediate_group(groups, 1);
    const hid_t set = H5Dcreate2(file, path, type, space, groups, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (H5Sget_simple_extent_npoints(space) > 0)
        assert_true(H5Dwrite(set,
                             H5Tget_class(type) == H5T_INTEGER
                                 ? (H5Tget_size(type) == 8 ? H5T_NATIVE_INT64 : H5T_NATIVE_INT)
                                 : H5T_NATIVE_DOUBLE,
                             H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(groups);
}

static void put_steps(hid_t file, const char *path, size_t n, const int64_t *step)
{
    char name[160];
    snprintf(name, sizeof name, "%s/step", path);
    put(file, name, H5T_STD_I64LE, 1, (hsize_t[]){n}, step);
}

/* An element with t rows of [n][width] */
static void put_element(hid_t file, const char *path, hid_t type, size_t t, size_t n, size_t width, const void *data)
{
    char name[160];
    snprintf(name, sizeof name, "%s/value", path);
    put(file, name, type, 3, (hsize_t[]){t, n, width}, data);
    put_steps(file, path, t, steps);
}

static void put_words(hid_t file, const char *path, const char *name, bool variable, size_t n, const char *const *words)
{
    const hid_t type = H5Tcopy(H5T_C_S1),
                space = n > 1 ? H5Screate_simple(1, (hsize_t[]){n}, NULL) : H5Screate(H5S_SCALAR);
    H5Tset_size(type, variable ? H5T_VARIABLE : 16);
    char fixed[3][16] = {""};
    for (size_t k = 0; k < n; ++k)
        strncpy(fixed[k], words[k], sizeof fixed[k] - 1);
    const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, type, variable ? (const void *)words : fixed) >= 0);
    H5Aclose(attribute);
    H5Oclose(object);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_boundary(hid_t file, const char *group, const char *word, bool variable)
{
    char path[128];
    snprintf(path, sizeof path, "%s/box", group);
    put_words(file, path, "boundary", variable, 3, (const char *[]){word, word, word});
}

static void put_box(hid_t file, const char *group)
{
    char path[128];
    snprintf(path, sizeof path, "%s/box/edges", group);
    put_element(file, path, H5T_IEEE_F64LE, FRAMES, 3, 3, edges);
    put_boundary(file, group, "periodic", false);
}

/* What a test leaves out of, or spoils in, the file of one-site molecules */
enum { NO_SPIN = 1, NO_VELOCITY = 2, NO_ORIENTATION = 4, NO_BOX = 8, NO_POSITION = 16, NO_BODY_FRAME = 32 };

static hid_t write_molecules(const char *group, hid_t real, int without)
{
    const hid_t file = create();
    char path[128];
#define AT(name) (snprintf(path, sizeof path, "%s/" name, group), path)
    if (!(without & NO_POSITION))
        put_element(file, AT("position"), real, FRAMES, MOLECULES, 3, position);
    if (!(without & NO_BOX))
        put_box(file, group);
    if (!(without & NO_ORIENTATION))
        put_element(file, AT("orientation"), real, FRAMES, MOLECULES, 4, orientation);
    if (!(without & NO_VELOCITY))
        put_element(file, AT("velocity"), real, FRAMES, MOLECULES, 3, velocity);
    if (!(without & NO_SPIN)) {
        put_element(file, AT("angular_momentum"), real, FRAMES, MOLECULES, 3, spin);
        put_words(file, path, "frame", false, 1, (const char *[]){without & NO_BODY_FRAME ? "space" : "body"});
    }
    put_element(file, AT("image"), H5T_STD_I32LE, FRAMES, MOLECULES, 3, image);
    const int kinds[MOLECULES] = {3, 3, 3, 3, 3};
    put(file, AT("species"), H5T_STD_I32LE, 1, (hsize_t[]){MOLECULES}, kinds);
#undef AT
    return file;
}

/* --- reading --------------------------------------------------------------------------------------------------- */

/* Handles are counted up: one made before and one made after enclose all that were made between. Those of files and
 * their objects HDF5 counts itself. */
static void mark_handles(hid_t marks[2])
{
    marks[0] = H5Screate(H5S_SCALAR);
    marks[1] = H5Tcopy(H5T_NATIVE_DOUBLE);
    H5Sclose(marks[0]);
    H5Tclose(marks[1]);
}

static void check_handles(const hid_t before[2])
{
    hid_t after[2];
    mark_handles(after);
    for (int kind = 0; kind < 2; ++kind) {
        assert_true(after[kind] > before[kind]);
        for (hid_t id = before[kind]; id < after[kind]; ++id)
            assert_true(H5Iis_valid(id) == 0);
    }
    assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

/* Builds from an input with these molecules and start, box and interactions. Every handle of HDF5 must be closed
 * again, its printing of errors as before. */
static enum ph_status start(const char *units, const char *molecules, const char *start_keys, const char *rest,
                            struct ph_system **system, struct ph_build_notes *notes, struct ph_error *err)
{
    static struct ph_input input;
    struct ph_interactions interactions;
    char path[PH_PATH];
    snprintf(path, sizeof path, "%s/input.yaml", folder);
    FILE *file = fopen(path, "w");
    fprintf(file, "units: %s\nsystem:\n  molecules: [%s]\n  start: {kind: file, file: run.h5md%s}\n%s", units,
            molecules, start_keys, rest);
    fclose(file);
    *system = NULL;
    enum ph_status status = ph_input_read(path, 0, NULL, &input, err);
    if (status != PH_OK)
        return status;
    H5E_auto2_t before, after;
    void *data;
    hid_t open[2];
    mark_handles(open);
    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    status = ph_build_system(&input, system, &interactions, notes, err);
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    check_handles(open);
    assert_true(before == after);
    if (status == PH_OK)
        ph_interactions_free(&interactions);
    return status;
}

#define CUTOFF "interactions: {cutoff: 1, electrostatics: {method: cutoff}}\n"

static struct ph_system *good_start(const char *units, const char *molecules, const char *start_keys,
                                    struct ph_build_notes *notes)
{
    struct ph_system *system;
    assert_ok(start(units, molecules, start_keys, CUTOFF, &system, notes, &err));
    return system;
}

static void check_centres(const struct ph_system *system, size_t first, size_t n, size_t t, size_t from)
{
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            assert_true(system->r[k][first + i] == position[t][from + i][k]);
    assert_memory_equal(system->box.edge, edges[t], sizeof edges[t]);
}

static void check_attitudes(const struct ph_system *system, size_t first, size_t n, size_t t, size_t from)
{
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 4; ++k)
            assert_true(system->q[k][first + i] == orientation[t][from + i][k]);
}

static void check_momenta(const struct ph_system *system, size_t first, size_t n, size_t t, size_t from)
{
    const struct ph_species *species = &system->species[ph_system_species_of(system, first)];
    for (size_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
            assert_true(system->p[k][first + i] == species->mass * velocity[t][from + i][k]);
            assert_true(system->m[k][first + i] == (species->inertia[k] > 0.0 ? spin[t][from + i][k] : 0.0));
        }
}

#define STOCKMAYER "{model: stockmayer, count: 5}"

TEST(any_frame_of_one_site_molecules_comes_back_bit_for_bit)
{
    H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0));
    for (int frame = -FRAMES; frame <= FRAMES; ++frame) {
        char key[32] = ""; /* the last time: default */
        if (frame < FRAMES)
            snprintf(key, sizeof key, ", frame: %d", frame);
        struct ph_build_notes notes;
        struct ph_system *system = good_start("reduced", STOCKMAYER, key, &notes);
        const size_t t = (size_t)(frame < 0 ? frame + FRAMES : (frame == FRAMES ? FRAMES - 1 : frame));
        check_attitudes(system, 0, MOLECULES, t, 0);
        check_momenta(system, 0, MOLECULES, t, 0);
        if (t != 1) /* the tilted box wraps what lies beside it */
            check_centres(system, 0, MOLECULES, t, 0);
        for (int i = 0; i < MOLECULES; ++i)
            for (int k = 0; k < 3 && t != 1; ++k)
                assert_int_equal(system->image[k][i], image[t][i][k]);
        assert_memory_equal(system->box.edge, edges[t], sizeof edges[t]);
        assert_true(notes.momenta_from_file && notes.n_fitted == 0);
        char moment[64];
        snprintf(moment, sizeof moment, "frame %zu (step %d)", t, (int)steps[t]);
        assert_non_null(strstr(notes.text, moment));
        ph_system_destroy(system);
    }
    struct ph_build_notes notes;
    struct ph_system *system = good_start("reduced", STOCKMAYER, ", scale: 0.5, frame: 0", &notes);
    for (int k = 0; k < 3; ++k) {
        assert_true(system->r[k][2] == 0.5 * position[0][2][k] && system->p[k][2] == 0.5 * velocity[0][2][k]);
        assert_true(system->m[k][2] == 0.25 * spin[0][2][k] && system->box.edge[k][k] == 0.5 * edges[0][k][k]);
    }
    ph_system_destroy(system);
}

/* A temperature in the input draws momenta; a frame without all of them leaves molecules at rest and says so. */
TEST(momenta_are_drawn_where_the_file_has_none_or_the_input_asks)
{
    static const int without[] = {0, NO_BODY_FRAME, NO_SPIN, NO_VELOCITY};
    static const char *const words[] = {NULL, NULL, "no angular momenta", "no velocities"};
    for (int k = 0; k < 4; ++k) {
        H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, without[k]));
        struct ph_build_notes notes;
        struct ph_system *system = good_start("reduced", STOCKMAYER, ", temperature: 2.5", &notes);
        assert_close(ph_system_kinetic_rotation(system), 0.5 * 15 * 2.5, 1e-13, 20.0);
        assert_close(ph_system_kinetic_translation(system), 0.5 * 12 * 2.5, 1e-13, 20.0);
        assert_true(!notes.momenta_from_file && !strstr(notes.text, "at rest"));
        ph_system_destroy(system);
        if (!words[k])
            continue;
        system = good_start("reduced", STOCKMAYER, "", &notes);
        assert_true(ph_system_kinetic_translation(system) == 0.0 && ph_system_kinetic_rotation(system) == 0.0);
        assert_true(!notes.momenta_from_file && strstr(notes.text, words[k]) && strstr(notes.text, "at rest"));
        check_attitudes(system, 0, MOLECULES, FRAMES - 1, 0);
        ph_system_destroy(system);
    }
    /* velocities that were written at steps 0 and 200 only */
    static const int64_t few[2] = {0, 200};
    hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_VELOCITY);
    double two[2][MOLECULES][3];
    memcpy(two[0], velocity[0], sizeof two[0]);
    memcpy(two[1], velocity[2], sizeof two[1]);
    put(file, "particles/trajectory/velocity/value", H5T_IEEE_F64LE, 3, (hsize_t[]){2, MOLECULES, 3}, two);
    put_steps(file, "particles/trajectory/velocity", 2, few);
    H5Fclose(file);
    for (int t = 0; t < FRAMES; ++t) {
        char key[32];
        snprintf(key, sizeof key, ", frame: %d", t);
        struct ph_build_notes notes;
        struct ph_system *system = good_start("reduced", STOCKMAYER, key, &notes);
        assert_int_equal(notes.momenta_from_file, t % 2 == 0);
        if (t % 2 == 0)
            check_momenta(system, 0, MOLECULES, (size_t)t, 0);
        ph_system_destroy(system);
    }
}

/* Boxes as lengths and as fixed data sets, steps as one number, strings of variable length, no box at all */
TEST(every_legal_form_of_box_and_step_is_read)
{
    for (int form = 0; form < 5; ++form) {
        const hid_t file = create();
        put(file, "particles/all/position/value", H5T_IEEE_F64LE, 3, (hsize_t[]){FRAMES, MOLECULES, 3}, position);
        const int64_t distance = 100, offset = 7;
        put(file, "particles/all/position/step", H5T_STD_I64LE, 0, NULL, &distance);
        const hid_t set = H5Dopen2(file, "particles/all/position/step", H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate2(set, "offset", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT64, &offset);
        H5Aclose(attribute);
        H5Sclose(space);
        H5Dclose(set);
        double lengths[FRAMES][3];
        for (int t = 0; t < FRAMES; ++t)
            for (int k = 0; k < 3; ++k)
                lengths[t][k] = edges[t][k][k];
        const int64_t at[FRAMES] = {7, 107, 207, 307};
        if (form == 0) {
            put(file, "particles/all/box/edges", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, lengths[2]);
        } else if (form == 1) {
            put(file, "particles/all/box/edges", H5T_IEEE_F64LE, 2, (hsize_t[]){3, 3}, edges[2]);
        } else if (form == 2) { /* in the other order: steps count, not rows */
            put(file, "particles/all/box/edges/value", H5T_IEEE_F64LE, 2, (hsize_t[]){2, 3},
                (double[2][3]){{8, 9, 10}, {1, 1, 1}});
            put(file, "particles/all/box/edges/step", H5T_STD_I64LE, 1, (hsize_t[]){2}, (int64_t[]){at[2], at[1]});
        } else if (form == 3) {
            put(file, "particles/all/box/edges/value", H5T_IEEE_F64LE, 2, (hsize_t[]){FRAMES, 3}, lengths);
        }
        if (form < 4)
            put_boundary(file, "particles/all", "periodic", form % 2 == 0);
        H5Fclose(file);
        struct ph_system *system;
        struct ph_build_notes notes;
        struct ph_error err = {.text = ""};
        const enum ph_status status =
            start("reduced", "{model: lennard-jones, count: 5}", ", frame: 2", CUTOFF, &system, &notes, &err);
        if (form == 4) {
            assert_int_equal(status, PH_ERR_INPUT);
            assert_non_null(strstr(err.text, "has no box"));
            assert_int_equal(start("reduced", "{model: lennard-jones, count: 5}", ", frame: 2",
                                   "  box: {length: [8, 9, 10]}\n" CUTOFF, &system, &notes, &err),
                             PH_OK);
        } else if (status != PH_OK) {
            fail_msg("form %d: %s", form, err.text);
        }
        check_centres(system, 0, MOLECULES, 2, 0);
        assert_non_null(strstr(notes.text, "frame 2 (step 207)"));
        assert_int_equal(system->box.kind, PH_BOX_ORTHORHOMBIC);
        ph_system_destroy(system);
    }
    hid_t file = create(); /* open space, single precision, positions that never change */
    put(file, "particles/trajectory/position", H5T_IEEE_F32LE, 2, (hsize_t[]){MOLECULES, 3}, position[1]);
    put(file, "particles/trajectory/box/dummy", H5T_STD_I32LE, 0, NULL, &(int){1});
    put_boundary(file, "particles/trajectory", "none", true);
    H5Fclose(file);
    struct ph_system *system;
    struct ph_error err = {.text = ""};
    if (start("reduced", "{model: lennard-jones, count: 5}", "", "  box: {kind: open}\n", &system, NULL, &err) != PH_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < MOLECULES; ++i)
        assert_true(system->r[1][i] == (double)(float)position[1][i][1]);
    ph_system_destroy(system);
}

/* A program that was killed has written positions of a frame but not its step: the frame before is the last. */
TEST(a_row_that_is_not_complete_does_not_count)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0);
    H5Ldelete(file, "particles/trajectory/position/step", H5P_DEFAULT);
    put_steps(file, "particles/trajectory/position", FRAMES - 1, steps);
    H5Ldelete(file, "particles/trajectory/species", H5P_DEFAULT); /* names for numbers: an enumeration, also legal */
    const hid_t names = H5Tenum_create(H5T_STD_I32LE), space = H5Screate_simple(1, (hsize_t[]){MOLECULES}, NULL);
    H5Tenum_insert(names, "A", &(int32_t){1});
    H5Tenum_insert(names, "B", &(int32_t){2});
    const hid_t set =
        H5Dcreate2(file, "particles/trajectory/species", names, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, names, H5S_ALL, H5S_ALL, H5P_DEFAULT, (int32_t[]){2, 2, 2, 2, 2});
    H5Dclose(set);
    H5Sclose(space);
    H5Tclose(names);
    H5Fclose(file);
    struct ph_build_notes notes;
    struct ph_system *system = good_start("reduced", STOCKMAYER, "", &notes);
    assert_non_null(strstr(notes.text, "frame 2 (step 200)"));
    check_centres(system, 0, MOLECULES, 2, 0);
    check_momenta(system, 0, MOLECULES, 2, 0);
    ph_system_destroy(system);
}

static void put_bodies(hid_t file, const char *name, size_t first, size_t n)
{
    const struct {
        const char *name;
        size_t width;
        const double *data;
    } elements[] = {{"center", 3, &position[0][0][0]},
                    {"orientation", 4, &orientation[0][0][0]},
                    {"velocity", 3, &velocity[0][0][0]},
                    {"angular_momentum", 3, &spin[0][0][0]}};
    char path[128];
    for (size_t e = 0; e < 4; ++e) {
        const size_t width = elements[e].width;
        double *rows = malloc(FRAMES * n * width * sizeof *rows);
        for (size_t t = 0; t < FRAMES; ++t)
            memcpy(rows + t * n * width, elements[e].data + (t * MOLECULES + first) * width, n * width * sizeof *rows);
        snprintf(path, sizeof path, "rigid_bodies/%s/%s", name, elements[e].name);
        put_element(file, path, H5T_IEEE_F64LE, FRAMES, n, width, rows);
        free(rows);
    }
    put_words(file, path, "frame", false, 1, (const char *[]){"body"});
}

/* Sites at a frame, each wrapped into its box, as another program would write them; site velocities of rigid motion */
static size_t make_sites(const struct ph_species *species, size_t n, size_t t, bool all, double (*x)[3], double (*v)[3])
{
    struct ph_box box;
    size_t row = 0;
    ph_box_init_periodic(edges[t], &box, NULL);
    for (size_t i = 0; i < n; ++i)
        for (size_t a = 0; a < species->n_sites; ++a) {
            if (!all && species->site[a].mass == 0.0)
                continue;
            const double *X = species->site[a].position, *q = orientation[t][i];
            double omega[3], turning[3], moved[3];
            for (int k = 0; k < 3; ++k)
                omega[k] = species->inertia[k] > 0.0 ? spin[t][i][k] / species->inertia[k] : 0.0;
            for (int k = 0; k < 3; ++k)
                turning[k] = omega[(k + 1) % 3] * X[(k + 2) % 3] - omega[(k + 2) % 3] * X[(k + 1) % 3];
            ph_quat_rotate(q, X, x[row]);
            ph_quat_rotate(q, turning, moved);
            for (int k = 0; k < 3; ++k) {
                x[row][k] += position[t][i][k];
                v[row][k] = velocity[t][i][k] + moved[k];
            }
            ph_box_wrap(&box, x[row], (int[3]){0});
            ++row;
        }
    return row;
}

TEST(rigid_bodies_come_back_bit_for_bit)
{
    hid_t file = create(); /* sites that nobody reads stand beside them */
    put_element(file, "particles/trajectory/position", H5T_IEEE_F64LE, FRAMES, MOLECULES, 3, position);
    put_box(file, "particles/trajectory");
    put_bodies(file, "spc-e", 0, MOLECULES);
    H5Fclose(file);
    for (size_t t = 0; t < FRAMES; t += 2) {
        char key[32];
        snprintf(key, sizeof key, ", frame: %zu", t);
        struct ph_build_notes notes;
        struct ph_system *system = good_start("md", "{model: spc-e, count: 5}", key, &notes);
        check_centres(system, 0, MOLECULES, t, 0);
        check_attitudes(system, 0, MOLECULES, t, 0);
        check_momenta(system, 0, MOLECULES, t, 0);
        assert_true(notes.momenta_from_file && notes.n_fitted == 0);
        ph_system_destroy(system);
    }
    /* the file and the model must agree on the inertia */
    file = H5Fopen(trajectory, H5F_ACC_RDWR, H5P_DEFAULT);
    put(file, "rigid_bodies/spc-e/inertia", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, (double[]){0.1, 0.2, 0.3});
    H5Fclose(file);
    struct ph_system *system;
    assert_error(start("md", "{model: spc-e, count: 5}", "", CUTOFF, &system, NULL, &err), PH_ERR_INPUT,
                 "rigid_bodies/spc-e/inertia");
    assert_error(start("md", "{model: spc-e, count: 4}", "", CUTOFF, &system, NULL, &err), PH_ERR_INPUT, "");
    file = H5Fopen(trajectory, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "rigid_bodies/spc-e/inertia", H5P_DEFAULT);
    H5Ldelete(file, "rigid_bodies/spc-e/center", H5P_DEFAULT);
    H5Fclose(file);
    assert_error(start("md", "{model: spc-e, count: 5}", "", CUTOFF, &system, NULL, &err), PH_ERR_INPUT,
                 "rigid_bodies/spc-e/center is missing");

    /* a mixture: two dumbbells as bodies, three Stockmayer molecules among the sites */
    file = create();
    double x[FRAMES][7][3], q[FRAMES][7][4], v[FRAMES][7][3], m[FRAMES][7][3];
    memset(x, 0, sizeof x);
    memset(q, 0, sizeof q);
    memset(v, 0, sizeof v);
    memset(m, 0, sizeof m);
    for (int t = 0; t < FRAMES; ++t) {
        memcpy(x[t][4], position[t][2], 3 * sizeof x[t][0]);
        memcpy(q[t][4], orientation[t][2], 3 * sizeof q[t][0]);
        memcpy(v[t][4], velocity[t][2], 3 * sizeof v[t][0]);
        memcpy(m[t][4], spin[t][2], 3 * sizeof m[t][0]);
    }
    put_element(file, "particles/trajectory/position", H5T_IEEE_F64LE, FRAMES, 7, 3, x);
    put_element(file, "particles/trajectory/orientation", H5T_IEEE_F64LE, FRAMES, 7, 4, q);
    put_element(file, "particles/trajectory/velocity", H5T_IEEE_F64LE, FRAMES, 7, 3, v);
    put_element(file, "particles/trajectory/angular_momentum", H5T_IEEE_F64LE, FRAMES, 7, 3, m);
    put_words(file, "particles/trajectory/angular_momentum", "frame", true, 1, (const char *[]){"body"});
    put_box(file, "particles/trajectory");
    put_bodies(file, "dipolar-lj-dumbbell", 0, 2);
    H5Fclose(file);
    struct ph_build_notes notes;
    system = good_start("reduced", "{model: dipolar-lj-dumbbell, count: 2}, {model: stockmayer, count: 3}",
                        ", frame: 2", &notes);
    check_centres(system, 0, MOLECULES, 2, 0);
    check_attitudes(system, 0, MOLECULES, 2, 0);
    check_momenta(system, 0, 2, 2, 0);
    check_momenta(system, 2, 3, 2, 2);
    assert_true(notes.momenta_from_file);
    ph_system_destroy(system);
}

/* Centres, orientations and momenta of TIP4P/2005 from its sites, cut by the boundary, with M or without */
TEST(sites_alone_give_rigid_molecules_back)
{
    H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0));
    struct ph_build_notes notes;
    const char *const water = "{model: tip4p-2005, count: 5}";
    struct ph_system *model = good_start("md", water, ", frame: 0", &notes); /* one row is one molecule */
    const struct ph_species *species = &model->species[0];
    position[0][0][0] = 0.01; /* so that the boundary cuts some */
    position[0][1][1] = 7.99;
    position[0][2][2] = 0.0;
    for (int all = 0; all < 2; ++all) {
        double x[4 * MOLECULES][3], v[4 * MOLECULES][3];
        const size_t n = make_sites(species, MOLECULES, 0, all, x, v);
        x[n - 1][1] += 1e-7; /* a residual to report */
        const hid_t file = create();
        put_element(file, "particles/trajectory/position", H5T_IEEE_F64LE, 1, n, 3, x);
        put_words(file, "particles/trajectory/position/value", "unit", true, 1, (const char *[]){"nm"});
        put_element(file, "particles/trajectory/velocity", H5T_IEEE_F64LE, 1, n, 3, v);
        put_words(file, "particles/trajectory/velocity/value", "unit", true, 1, (const char *[]){"nm ps-1"});
        put_box(file, "particles/trajectory");
        int kinds[4 * MOLECULES];
        for (size_t k = 0; k < n; ++k)
            kinds[k] = (int)(k % (all ? 4 : 3));
        put(file, "particles/trajectory/species", H5T_STD_I32LE, 1, (hsize_t[]){n}, kinds);
        H5Fclose(file);
        struct ph_system *system = good_start("md", water, "", &notes);
        for (size_t i = 0; i < MOLECULES; ++i) {
            double same = 0.0;
            for (int k = 0; k < 4; ++k)
                same += system->q[k][i] * orientation[0][i][k];
            const double good = i + 1 < MOLECULES ? 1e-12 : 1e-5;
            assert_close(fabs(same), 1.0, good, 1.0);
            for (int k = 0; k < 3; ++k) {
                assert_close(system->r[k][i], position[0][i][k], i + 1 < MOLECULES ? 1e-14 : 1e-7, 10.0);
                assert_close(system->p[k][i], species->mass * velocity[0][i][k], 1e-13, 100.0);
                assert_close(system->m[k][i], spin[0][i][k], good, 10.0);
            }
        }
        assert_true(notes.momenta_from_file && notes.n_fitted == MOLECULES);
        assert_int_equal(notes.fit_worst_molecule, MOLECULES - 1);
        assert_true(notes.fit_worst > 1e-9 && notes.fit_worst < 1e-7);
        assert_close(notes.fit_rms, notes.fit_worst / sqrt(MOLECULES), 1e-6, notes.fit_worst);
        assert_non_null(strstr(notes.text, "Orientations of 5 molecules are fitted"));
        assert_non_null(strstr(notes.text, "molecule 5, the worst"));
        ph_system_destroy(system);
        assert_error(start("md", water, ", tolerance: 1e-9", CUTOFF, &system, NULL, &err), PH_ERR_INPUT,
                     "frame 0 (step 0): the sites of molecule 5");
        struct ph_build_notes ignored;
        system = good_start("md", water, ", attitudes: random", &ignored); /* the file has them all: nothing changes */
        assert_non_null(strstr(ignored.text, "Ignored: system.start.attitudes"));
        assert_null(strstr(notes.text, "Ignored"));
        ph_system_destroy(system);
    }
    ph_system_destroy(model);
}

TEST(attitudes_that_the_file_does_not_have_must_be_asked_for)
{
    H5Fclose(write_molecules("particles/atoms", H5T_IEEE_F64LE, NO_ORIENTATION | NO_SPIN | NO_VELOCITY));
    struct ph_system *system;
    struct ph_error err = {.text = ""};
    assert_int_equal(start("reduced", STOCKMAYER, "", CUTOFF, &system, NULL, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "run.h5md, frame 3 (step 350): molecules of 'stockmayer' rotate"));
    assert_non_null(strstr(err.text, "must have orientations"));
    assert_non_null(strstr(err.text, "system.start.attitudes"));
    struct ph_build_notes notes;
    system = good_start("reduced", STOCKMAYER, ", attitudes: random", &notes);
    assert_true(system->q[0][0] != 1.0 && system->q[0][0] != system->q[0][1]);
    assert_non_null(strstr(notes.text, "Orientations of 5 molecules are those of system.start.attitudes"));
    ph_system_destroy(system);
    system = good_start("reduced", STOCKMAYER, ", attitudes: aligned", &notes);
    check_centres(system, 0, MOLECULES, FRAMES - 1, 0);
    assert_true(system->q[0][0] == 1.0 && system->q[0][4] == 1.0);
    ph_system_destroy(system);
    /* the sites of a body that is no linear rotor on a line: its turn about the line is not in the file */
    const struct ph_species rod = {
        .name = "rod",
        .mass = 1.0,
        .inertia = {1.0, 1.0, 0.5},
        .n_sites = 2,
        .site = {{.name = "A", .mass = 0.5, .position = {0, 0, 1}}, {.name = "B", .mass = 0.5, .position = {0, 0, -1}}},
        .extent = 1.0,
        .degrees = 3};
    struct ph_box box = ph_box_open();
    assert_int_equal(ph_system_create(1, &rod, (size_t[]){1}, &box, &system, NULL), PH_OK);
    double pair[2][3] = {{0, 0, 1}, {0, 0, -1}};
    char names[2][PH_NAME] = {"", ""};
    const struct ph_frame frame = {.n = 2, .position = pair, .name = names, .needs = "more"};
    assert_int_equal(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, system, NULL, &err),
                     PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "do not fix the orientation"));
    ph_system_destroy(system);
}

/* --- wrong files ----------------------------------------------------------------------------------------------- */

static void wrong_text(void)
{
    FILE *file = fopen(trajectory, "w");
    fputs("5\nthis is XYZ under a wrong name\n", file);
    fclose(file);
}

static void wrong_length(void)
{
    H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0));
    assert_int_equal(truncate(trajectory, 1000), 0);
}

static void wrong_no_particles(void)
{
    const hid_t file = create();
    put(file, "data/x", H5T_IEEE_F64LE, 0, NULL, &(double){1.0});
    H5Fclose(file);
}

static void wrong_no_position(void) { H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_POSITION)); }

static void wrong_groups(void)
{
    const hid_t file = write_molecules("particles/a", H5T_IEEE_F64LE, 0);
    put_element(file, "particles/b/position", H5T_IEEE_F64LE, FRAMES, MOLECULES, 3, position);
    H5Fclose(file);
}

static void wrong_no_frames(void)
{
    const hid_t file = create();
    put_element(file, "particles/trajectory/position", H5T_IEEE_F64LE, 0, MOLECULES, 3, position);
    H5Fclose(file);
}

static void right(void) { H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0)); }

static void wrong_no_edges(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0);
    H5Ldelete(file, "particles/trajectory/box/edges", H5P_DEFAULT);
    H5Fclose(file);
}

static void wrong_edges(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_BOX);
    put(file, "particles/trajectory/box/edges", H5T_IEEE_F64LE, 1, (hsize_t[]){2}, edges);
    put_boundary(file, "particles/trajectory", "periodic", false);
    H5Fclose(file);
}

static void wrong_boundary(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_BOX);
    put(file, "particles/trajectory/box/edges", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, edges);
    put_words(file, "particles/trajectory/box", "boundary", true, 3, (const char *[]){"periodic", "periodic", "none"});
    H5Fclose(file);
}

static void wrong_no_boundary(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_BOX);
    put(file, "particles/trajectory/box/edges", H5T_IEEE_F64LE, 1, (hsize_t[]){3}, edges);
    H5Fclose(file);
}

static void wrong_orientation(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_ORIENTATION);
    put_element(file, "particles/trajectory/orientation", H5T_IEEE_F64LE, FRAMES, MOLECULES, 3, position);
    H5Fclose(file);
}

static void wrong_norm(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_ORIENTATION);
    double twice[FRAMES][MOLECULES][4];
    for (size_t k = 0; k < sizeof twice / sizeof(double); ++k)
        (&twice[0][0][0])[k] = 2.0 * (&orientation[0][0][0])[k];
    put_element(file, "particles/trajectory/orientation", H5T_IEEE_F64LE, FRAMES, MOLECULES, 4, twice);
    H5Fclose(file);
}

static void wrong_cadence(void) /* orientations end before positions */
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_ORIENTATION);
    put_element(file, "particles/trajectory/orientation", H5T_IEEE_F64LE, FRAMES - 1, MOLECULES, 4, orientation);
    H5Fclose(file);
}

static void wrong_frame(void) { H5Fclose(write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_BODY_FRAME)); }

static void wrong_number(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_POSITION);
    double bad[FRAMES][MOLECULES][3];
    memcpy(bad, position, sizeof bad);
    bad[FRAMES - 1][1][2] = NAN;
    put_element(file, "particles/trajectory/position", H5T_IEEE_F64LE, FRAMES, MOLECULES, 3, bad);
    H5Fclose(file);
}

static void wrong_type(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_POSITION), type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate(H5S_SCALAR);
    H5Dclose(H5Dcreate2(file, "particles/trajectory/position", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}

static void wrong_group(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, NO_POSITION);
    put(file, "particles/trajectory/position/values", H5T_IEEE_F64LE, 0, NULL, &(double){1.0});
    H5Fclose(file);
}

static void wrong_unit(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0);
    put_words(file, "particles/trajectory/position/value", "unit", true, 1, (const char *[]){"Angstrom"});
    H5Fclose(file);
}

static void wrong_velocity_unit(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0);
    put_words(file, "particles/trajectory/position/value", "unit", true, 1, (const char *[]){"Angstrom"});
    put_words(file, "particles/trajectory/velocity/value", "unit", true, 1, (const char *[]){"Angstrom fs-1"});
    H5Fclose(file);
}

static void wrong_order(void)
{
    const hid_t file = write_molecules("particles/trajectory", H5T_IEEE_F64LE, 0);
    const int kinds[MOLECULES] = {3, 3, 4, 3, 4};
    H5Ldelete(file, "particles/trajectory/species", H5P_DEFAULT);
    put(file, "particles/trajectory/species", H5T_STD_I32LE, 1, (hsize_t[]){MOLECULES}, kinds);
    H5Fclose(file);
}

static void wrong_damage(void) /* the groups at its beginning are overwritten */
{
    right();
    FILE *file = fopen(trajectory, "r+");
    assert_int_equal(fseek(file, 96, SEEK_SET), 0);
    for (int k = 96; k < 3000; ++k)
        fputc(0x5a, file);
    fclose(file);
}

TEST(errors_name_file_data_set_and_what_is_needed)
{
    static const struct {
        void (*write)(void);
        const char *keys;
        enum ph_status status;
        const char *words[4];
    } wrongs[] = {
        {wrong_text, "", PH_ERR_INPUT, {"run.h5md: is not an HDF5 file"}},
        {wrong_length, "", PH_ERR_IO, {"run.h5md", "truncated"}},
        {wrong_no_particles, "", PH_ERR_INPUT, {"run.h5md", "particles/trajectory is missing", "positions"}},
        {wrong_no_position, "", PH_ERR_INPUT, {"run.h5md", "particles/trajectory/position is missing"}},
        {wrong_groups, "", PH_ERR_INPUT, {"run.h5md", "a, b", "'trajectory'"}},
        {wrong_no_frames, "", PH_ERR_INPUT, {"run.h5md", "particles/trajectory/position has no frames"}},
        {right, ", frame: 4", PH_ERR_INPUT, {"run.h5md", "no frame 4", "has 4, from 0 to 3", "from -1 to -4"}},
        {right, ", frame: -5", PH_ERR_INPUT, {"no frame -5", "from 0 to 3"}},
        {right, ", frame: 1.5", PH_ERR_INPUT, {"system.start.frame is '1.5'", "whole number"}},
        {wrong_no_edges, "", PH_ERR_INPUT, {"run.h5md", "particles/trajectory/box/edges is missing"}},
        {wrong_edges, "", PH_ERR_INPUT, {"particles/trajectory/box/edges is [2]", "[3][3]"}},
        {wrong_boundary, "", PH_ERR_INPUT, {"particles/trajectory/box has", "boundary", "'none'"}},
        {wrong_no_boundary, "", PH_ERR_INPUT, {"particles/trajectory/box has", "boundary", "missing"}},
        {wrong_orientation, "", PH_ERR_INPUT, {"particles/trajectory/orientation is [5][3]", "needed is [5][4]"}},
        {wrong_norm, "", PH_ERR_INPUT, {"run.h5md, frame 3", "norm 2", "molecule 1 ", "unit quaternion"}},
        {wrong_cadence, "", PH_ERR_INPUT, {"particles/trajectory/orientation has 3 rows", "frame 3 (step 350)"}},
        {wrong_frame, "", PH_ERR_INPUT, {"particles/trajectory/angular_momentum", "'space'", "'body'"}},
        {wrong_number, "", PH_ERR_INPUT, {"particles/trajectory/position", "nan", "row 3", "number 5"}},
        {wrong_type, "", PH_ERR_INPUT, {"particles/trajectory/position", "no numbers"}},
        {wrong_group, "", PH_ERR_INPUT, {"particles/trajectory/position", "'value'"}},
        {wrong_unit, ", temperature: 1", PH_ERR_INPUT, {"'Angstrom'", "system.start.scale"}},
        {wrong_velocity_unit, "", PH_ERR_INPUT, {"velocity/value", "'Angstrom fs-1'", "'Angstrom ps-1'"}},
        {wrong_order, "", PH_ERR_INPUT, {"particles/trajectory/species is 3 in row 1 and 4 in row 2", "order"}},
        {wrong_damage, "", PH_ERR_IO, {"run.h5md"}},
    };
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; ++k) {
        wrongs[k].write();
        struct ph_system *system;
        struct ph_error err = {.text = ""};
        const enum ph_status status = start("reduced", STOCKMAYER, wrongs[k].keys, CUTOFF, &system, NULL, &err);
        if (status != wrongs[k].status)
            fail_msg("%zu: status %d, not %d: %s", k, status, wrongs[k].status, err.text);
        for (size_t w = 0; w < 4 && wrongs[k].words[w]; ++w)
            if (!strstr(err.text, wrongs[k].words[w]))
                fail_msg("%zu: '%s' does not have '%s'", k, err.text, wrongs[k].words[w]);
        assert_null(system);
    }
    right();
    struct ph_system *system;
    struct ph_error err = {.text = ""};
    assert_int_equal(start("md", "{model: spc-e, count: 4}", "", CUTOFF, &system, NULL, &err), PH_ERR_INPUT);
    assert_non_null(strstr(err.text, "particles/trajectory/position is [5][3]"));
    assert_non_null(strstr(err.text, "4 molecules with 12 sites"));
    assert_int_equal(unlink(trajectory), 0);
    assert_int_equal(start("reduced", STOCKMAYER, "", CUTOFF, &system, NULL, &err), PH_ERR_IO);
    assert_non_null(strstr(err.text, "cannot be read: No such file"));
}

/* Copying was interrupted, or the disk was full: an error wherever the file ends. */
TEST(files_cut_anywhere_are_refused)
{
    right();
    FILE *file = fopen(trajectory, "r");
    static char whole[200000];
    const size_t n = fread(whole, 1, sizeof whole, file);
    fclose(file);
    assert_true(n > 5000 && n < sizeof whole);
    for (size_t length = 0; length < n; length += length < 200 ? 1 : 97) {
        file = fopen(trajectory, "w");
        fwrite(whole, 1, length, file);
        fclose(file);
        struct ph_system *system;
        struct ph_error err = {.text = ""};
        const enum ph_status status = start("reduced", STOCKMAYER, "", CUTOFF, &system, NULL, &err);
        if (status != (length < 8 ? PH_ERR_INPUT : PH_ERR_IO) || system || !strstr(err.text, "run.h5md"))
            fail_msg("cut at %zu of %zu: status %d, %s", length, n, status, err.text);
    }
}

static int make_folder(void **state)
{
    unsetenv("POLHODE_POTENTIALS");
    make_trajectory();
    if (!mkdtemp(folder) || H5open() < 0)
        return -1;
    snprintf(trajectory, sizeof trajectory, "%s/run.h5md", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char path[PH_PATH];
    snprintf(path, sizeof path, "%s/input.yaml", folder);
    unlink(path);
    unlink(trajectory);
    return rmdir(folder);
}

GROUP(make_folder, remove_folder)
