/* SPDX-License-Identifier: MIT */
/* polhode info and polhode export, on files that the writer has made and on those of other programs */
#include "program/support/program.h"

#include "h5md_systems.h"

#include "formats/start_file.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"

#include <hdf5.h>
#include <sys/stat.h>

static char folder[] = "/tmp/polhode-export-XXXXXX";
static char file[300];

static void assert_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* Frames at steps 0 .. steps; the state of step 20 is the third frame. */
static void write_file(enum h5md_kind kind, int64_t steps)
{
    struct ph_system *system = h5md_system(kind);
    const struct ph_trajectory_plan plan = h5md_plan(kind);
    struct ph_trajectory *trajectory;
    assert_ok(ph_trajectory_create(file, true, system, &plan, &h5md_about, &trajectory, &err));
    for (int64_t step = 0; step <= steps; ++step)
        assert_ok(h5md_append(trajectory, system, step, &err));
    assert_ok(ph_trajectory_mark_production(trajectory, 20, &err));
    assert_ok(ph_trajectory_note_hash(trajectory, steps, UINT64_C(0x1234), &err));
    assert_ok(ph_trajectory_close(trajectory, &err));
    ph_system_destroy(system);
}

static const struct program *run_on(const char *command, const char *options)
{
    char line[1024];
    snprintf(line, sizeof line, "%s %s %s", command, file, options);
    return run_program(line);
}

static const char *beside(const char *name)
{
    static char path[320];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

TEST(info_says_what_is_in_a_file)
{
    write_file(H5MD_MIXTURE, 100);
    const struct program *p = run_on("info", "");
    assert_int_equal(p->status, 0);
    assert_text(p->out, "H5MD 1.1");
    assert_text(p->out, "written by polhode 0.1.0 (abcdef) for A. Tester");
    assert_text(p->out, "A test, \xc3\xa0 la carte");
    assert_text(p->out, "9: 3 tip4p-2005 (4 sites), 4 argon (1 site), 2 rotor (2 sites)");
    assert_text(p->out, "periodic, edges (5, 0, 0), (0, 6, 0), (0, 0, 7)");
    assert_text(p->out, "11, time 0 to 0.2");
    assert_text(p->out, "from step 20 on");
    assert_text(p->out, "0000000000001234 at step 100");
    assert_text(p->out, "  total_energy                                      21         5");
    assert_null(strstr(p->out, "checkpoint"));
    p = run_on("info", "--json");
    assert_int_equal(p->status, 0);
    assert_json_string(p->out, "creator", "polhode");
    assert_json_string(p->out, "parameters.scheme", "verlet");
    assert_true(json_number(p->out, "parameters.step") == 0.002);
    assert_true(json_number(p->out, "parameters.seed") == 42.0 && json_number(p->out, "frames") == 11.0);
    assert_true(json_number(p->out, "particles.count") == 20.0);
    assert_json_string(p->out, "state_hash.hash", "0000000000001234");
    /* energy grows by 0.001 in a step of 0.002, from step 20 to 100: 17 rows */
    assert_true(json_number(p->out, "total_energy.rows") == 17.0);
    assert_close(json_number(p->out, "total_energy.slope"), 0.5, 1e-11, 1.0);
    assert_close(json_number(p->out, "total_energy.mean"), -100.0 + 1.0 / 3.0 + 0.060, 1e-15, 100.0);
    assert_close(json_number(p->out, "total_energy.rms"), 0.005 * sqrt((17.0 * 17.0 - 1.0) / 12.0), 1e-11, 0.02);
    assert_text(p->out, "[5, 0, 0],\n");
}

TEST(info_knows_the_checkpoint_beside_a_file)
{
    char name[320];
    write_file(H5MD_DIPOLES, 20);
    assert_true(ph_checkpoint_name(file, sizeof name, name));
    static struct ph_checkpoint checkpoint;
    const int64_t counts[2] = {15, 99};
    ph_checkpoint_add_int64(&checkpoint, "counts", 2, counts);
    assert_ok(ph_checkpoint_write(name, &checkpoint, &err));
    const struct program *p = run_on("info", "");
    assert_text(p->out, "run.h5md.checkpoint at step 15");
    p = run_on("info", "--json");
    assert_true(json_number(p->out, "checkpoint.step") == 15.0);
    assert_text(p->out, "\"good\": true");
    assert_int_equal(truncate(name, 700), 0);
    p = run_on("info", "");
    assert_int_equal(p->status, 0);
    assert_text(p->out, "cannot be used");
    p = run_on("info", "--json");
    assert_text(p->out, "\"good\": false");
    ph_checkpoint_remove(name);
}

static void put(hid_t id, const char *path, hid_t type, int rank, const hsize_t *extent, const void *data)
{
    const hid_t groups = H5Pcreate(H5P_LINK_CREATE);
    const hid_t space = rank > 0 ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    H5Pset_create_intermediate_group(groups, 1);
    const hid_t set = H5Dcreate2(id, path, type, space, groups, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(groups);
}

/* Floats, a fixed box, linear steps, no times, species without names, an element that is no array of numbers */
TEST(files_of_other_programs_are_listed_and_exported)
{
    const hid_t id = H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const float position[2][2][3] = {{{1, 2, 3}, {4, 5, 6}}, {{1.5, 2, 3}, {4, 5, 6.25}}};
    const int species[2] = {7, 9}, distance = 50;
    const double edges[3] = {8, 9, 10};
    H5Gclose(H5Gcreate2(id, "h5md", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put(id, "particles/atoms/position/value", H5T_NATIVE_FLOAT, 3, (hsize_t[]){2, 2, 3}, position);
    put(id, "particles/atoms/position/step", H5T_NATIVE_INT, 0, NULL, &distance);
    put(id, "particles/atoms/species", H5T_NATIVE_INT, 1, (hsize_t[]){2}, species);
    put(id, "particles/atoms/box/edges", H5T_NATIVE_DOUBLE, 1, (hsize_t[]){3}, edges);
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, (hsize_t[]){3}, NULL);
    H5Tset_size(type, 9);
    const hid_t boundary =
        H5Acreate_by_name(id, "particles/atoms/box", "boundary", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(boundary, type, "periodic\0periodic\0periodic");
    put(id, "observables/comment/value", type, 1, (hsize_t[]){3}, "periodic\0periodic\0periodic");
    H5Aclose(boundary);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(id);
    const struct program *p = run_on("info", "");
    assert_int_equal(p->status, 0);
    assert_text(p->out, "an unknown program");
    assert_text(p->out, "2: 1 species 7, 1 species 9");
    assert_text(p->out, "periodic, edges (8, 0, 0), (0, 9, 0), (0, 0, 10)");
    assert_text(p->out, "0 .. 50");
    p = run_on("info", "--json");
    assert_int_equal(p->status, 0);
    p = run_on("export", "--format extxyz -o - --frames -1");
    assert_int_equal(p->status, 0);
    assert_string_equal(p->out, "2\nLattice=\"8 0 0 0 9 0 0 0 10\" Properties=type:S:1:pos:R:3 pbc=\"T T T\" Step=50\n"
                                "species_7 1.5 2 3\nspecies_9 4 5 6.25\n");
    p = run_on("export", "--format csv -o -");
    assert_int_equal(p->status, 2);
    assert_text(p->err, "has no time series");
    p = run_on("export", "--format pdb -o -");
    assert_text(p->out, "CRYST1    8.000    9.000   10.000  90.00  90.00  90.00 P 1           1\n");
    /* times as one number and its offset; a box that was written once, at the first step */
    const double interval = 0.5, offset = 2.0;
    const int64_t first = 0;
    const hid_t again = H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT), one = H5Screate(H5S_SCALAR);
    put(again, "particles/atoms/position/time", H5T_NATIVE_DOUBLE, 0, NULL, &interval);
    const hid_t begin = H5Acreate_by_name(again, "particles/atoms/position/time", "offset", H5T_NATIVE_DOUBLE, one,
                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(begin, H5T_NATIVE_DOUBLE, &offset);
    H5Ldelete(again, "particles/atoms/box/edges", H5P_DEFAULT);
    put(again, "particles/atoms/box/edges/value", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){1, 3}, edges);
    put(again, "particles/atoms/box/edges/step", H5T_NATIVE_INT64, 1, (hsize_t[]){1}, &first);
    H5Aclose(begin);
    H5Sclose(one);
    H5Fclose(again);
    p = run_on("info", "");
    assert_text(p->out, "2, time 2 to 2.5, in single precision\n");
    p = run_on("export", "--format extxyz -o - --frames -1");
    assert_text(p->out, "Lattice=\"8 0 0 0 9 0 0 0 10\" ");
    assert_text(p->out, " Time=2.5 Step=50\n");
}

TEST(what_is_no_h5md_is_said_so)
{
    static const char *const commands[] = {"info", "export --format csv -o -", "export --format pdb -o -",
                                           "export --format extxyz -o -"};
    for (size_t k = 0; k < sizeof commands / sizeof *commands; ++k) {
        FILE *text = fopen(file, "w");
        fputs("no HDF5\n", text);
        fclose(text);
        const struct program *p = run_on(commands[k], "");
        assert_true(p->status == 2 && p->out[0] == '\0');
        assert_text(p->err, "is not an HDF5 file");
        H5Fclose(H5Fcreate(file, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        p = run_on(commands[k], "");
        assert_true(p->status == 2 && p->out[0] == '\0');
        assert_text(p->err, "not H5MD");
        unlink(file);
        p = run_on(commands[k], "");
        assert_true(p->status == 4 && p->out[0] == '\0');
        assert_text(p->err, "No such file");
    }
    assert_usage_error("info", "polhode info", "H5MD", "needed");
    assert_usage_error("export x.h5md", "polhode export", "--format", "extxyz");
    assert_usage_error("export x.h5md --format xyz", "polhode export", "no format named 'xyz'",
                       "extxyz, pdb, gro, data, dump, gsd, trr, xtc, dcd, csv");
    assert_usage_error("export x.h5md --format extxyz --frames 1:2:0", "polhode export", "--frames 1:2:0",
                       "at least 1");
    assert_usage_error("export x.h5md --format extxyz --frames :::", "polhode export", "--frames :::", "A:B:C");
    assert_usage_error("export x.h5md --format xtc --decimals 7", "polhode export", "--decimals 7", "1 to 6");
    assert_usage_error("export x.h5md --format dcd --decimals 3", "polhode export", "--decimals", "xtc and gro");
    assert_usage_error("export x.h5md --format csv --frames 1", "polhode export", "--frames", "time series");
    assert_usage_error("export x.h5md --format extxyz --scale -1", "polhode export", "--scale -1", "above 0");
    assert_usage_error("export x.h5md --format pdb --scale 2", "polhode export", "--scale", "extxyz");
}

/* Every part of HDF5's bookkeeping is hit: the beginning of the file closely, the rest here and there. The file has no
 * seal, which HDF5 cuts off: its check would find all damage. */
TEST(damaged_files_are_listed_or_refused_but_nothing_crashes)
{
    static char whole[400000];
    write_file(H5MD_MIXTURE, 20);
    assert_true(H5Fclose(H5Fopen(file, H5F_ACC_RDWR, H5P_DEFAULT)) >= 0);
    FILE *stream = fopen(file, "rb");
    const size_t n = fread(whole, 1, sizeof whole, stream);
    fclose(stream);
    assert_true(n > 100000 && n < sizeof whole);
    size_t refused = 0;
    const size_t part = PH_SANITIZED ? 2 : 1; /* release tries all */
    for (size_t at = 3, k = 0; at < n; at += part * (at < 2000 ? 37 : 1201), ++k) {
        const char value = (char)(whole[at] ^ (k % 2 ? 0xff : 0x01));
        stream = fopen(file, "r+b");
        fseek(stream, (long)at, SEEK_SET);
        fputc(value, stream);
        fclose(stream);
        const struct program *p = run_on(k % 3 ? "info" : "export --format extxyz -o /dev/null", "");
        if (p->status != 0 && p->status != 2 && p->status != 4)
            fail_msg("byte %zu of %zu changed: status %d, %s", at, n, p->status, p->err);
        if (p->status != 0) {
            assert_text(p->err, file);
            assert_null(strstr(p->err, "HDF5-DIAG"));
            assert_null(strstr(p->err, "infinite loop"));
            ++refused;
        }
        stream = fopen(file, "wb");
        fwrite(whole, 1, n, stream);
        fclose(stream);
    }
    assert_true(refused > 5);
    for (size_t length = n - 1; length > 2000; length -= length / 7) {
        assert_int_equal(truncate(file, (off_t)length), 0);
        const struct program *p = run_on("info", "");
        assert_int_equal(p->status, 4);
        assert_text(p->err, "truncated");
    }
}

/* ---- extended XYZ ---- */

/* The third frame, read by our own reader of start files */
TEST(extended_xyz_starts_a_system_again)
{
    static const char *const commands[] = {"--format extxyz --frames 2 --scale 1 --overwrite",
                                           "--format extxyz --frames 2 --scale 10 --overwrite",
                                           "--format extxyz --frames 2 --overwrite"};
    for (int kind = 0; kind < H5MD_KINDS; ++kind)
        for (int s = 0; s < 3; ++s) {
            if (kind == H5MD_LARGE)
                continue;
            write_file((enum h5md_kind)kind, 30);
            const bool physical = h5md_physical((enum h5md_kind)kind);
            const double scale = s == 1 || (s == 2 && physical) ? 10.0 : 1.0;
            const struct program *p = run_on("export", commands[s]);
            assert_int_equal(p->status, 0);
            assert_text(p->out, "run.extxyz: 1 frame\n");
            struct ph_system *system = h5md_system((enum h5md_kind)kind), *again = h5md_system((enum h5md_kind)kind);
            h5md_move(system, 20);
            struct ph_frame frame;
            struct ph_error err = {.text = ""};
            if (ph_frame_read(beside("run.extxyz"), 1.0 / scale, &frame, &err) != PH_OK ||
                ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-9, .momenta = true}, again, NULL,
                               &err) != PH_OK)
                fail_msg("%s: %s", h5md_kind_names[kind], err.text);
            assert_true(frame.length == (s == 2 && physical ? 0.1 : 0.0)); /* the file says that it is in Angstrom */
            const bool sites = kind == H5MD_WATER || kind == H5MD_MIXTURE, exact = !sites && scale == 1.0;
            for (size_t i = 0; i < system->n; ++i) {
                double same = 0.0;
                for (int k = 0; k < 4; ++k)
                    same += again->q[k][i] * system->q[k][i];
                const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
                if (species->degrees == 3 || exact) /* fitted linear rotors may be turned about their axis */
                    assert_close(fabs(same), 1.0, 1e-12, 1.0);
                for (int k = 0; k < 3; ++k) {
                    assert_close(again->r[k][i], system->r[k][i], exact ? 0.0 : 1e-14, 5.0);
                    assert_close(again->p[k][i], system->p[k][i], 3e-15, species->mass * 10.0);
                    if (!sites)
                        assert_close(again->m[k][i], system->m[k][i], exact ? 0.0 : 1e-15, 1.0);
                }
            }
            for (int k = 0; k < 9; ++k)
                assert_close(frame.edge[k / 3][k % 3], system->box.edge[k / 3][k % 3], 1e-15, 7.0);
            assert_int_equal(frame.periodic, kind != H5MD_OPEN);
            ph_frame_free(&frame);
            ph_system_destroy(system);
            ph_system_destroy(again);
        }
}

TEST(extended_xyz_is_as_ovito_wants_it)
{
    write_file(H5MD_DIPOLES, 40);
    struct ph_system *system = h5md_system(H5MD_DIPOLES);
    h5md_move(system, 10);
    const struct program *p = run_on("export", "--format extxyz -o - --frames 1:2");
    assert_int_equal(p->status, 0);
    assert_text(p->out,
                "6\nLattice=\"5 0 0 0 6 0 0 0 7\" Properties=type:S:1:pos:R:3:orientation:R:4:velo:R:3:force:R:3:"
                "angular_momentum:R:3:dipoles:R:3 pbc=\"T T T\" orientation_order=xyzw Time=");
    assert_text(p->out, " Step=10\nstockmayer ");
    double numbers[19];
    char *at = strstr(p->out, "\nstockmayer ") + strlen("\nstockmayer ");
    for (int k = 0; k < 19; ++k)
        numbers[k] = strtod(at, &at);
    assert_true(*at == '\n');
    for (int k = 0; k < 4; ++k) /* x y z w */
        assert_true(numbers[3 + k] == system->q[(k + 1) % 4][0]);
    for (int k = 0; k < 3; ++k) {
        assert_true(numbers[k] == system->r[k][0] && numbers[7 + k] == system->p[k][0]);
        assert_true(numbers[10 + k] == system->f[k][0] && numbers[13 + k] == system->m[k][0]);
    }
    ph_system_destroy(system);
    write_file(H5MD_WATER, 0);
    p = run_on("export", "--format extxyz -o -");
    assert_text(p->out, "20\nLattice=\"50 0 0 0 60 0 0 7.5 70\" Properties=species:S:1:pos:R:3:name:S:1:velo:R:3 "
                        "pbc=\"T T T\" length_unit=angstrom Time=0");
    p = run_on("export", "--format extxyz --scale 1 -o -");
    assert_text(p->out,
                "20\nLattice=\"5 0 0 0 6 0 0 0.75 7\" Properties=type:S:1:pos:R:3:velo:R:3 pbc=\"T T T\" Time=0");
    write_file(H5MD_OPEN, 0);
    p = run_on("export", "--format extxyz -o -");
    assert_text(p->out, "5\nProperties=type:S:1:pos:R:3:orientation");
    assert_text(p->out, "pbc=\"F F F\"");
}

TEST(frames_are_chosen_as_in_python)
{
    static const struct {
        const char *frames;
        int steps[6]; /* ends with -1 */
    } cases[] = {{":", {0, 10, 20, 30, 40, -1}},
                 {"1:3", {10, 20, -1}},
                 {"::2", {0, 20, 40, -1}},
                 {"-2:", {30, 40, -1}},
                 {":-3", {0, 10, -1}},
                 {"-1", {40, -1}},
                 {"0", {0, -1}},
                 {"1:100:3", {10, 40, -1}},
                 {"-100:1", {0, -1}}};
    write_file(H5MD_DIPOLES, 40);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char options[64];
        snprintf(options, sizeof options, "--format extxyz -o - --frames %s", cases[k].frames);
        const struct program *p = run_on("export", options);
        assert_int_equal(p->status, 0);
        const char *at = p->out;
        for (int s = 0; cases[k].steps[s] >= 0; ++s) {
            at = strstr(at, " Step=");
            if (!at || atoi(at + 6) != cases[k].steps[s])
                fail_msg("--frames %s: frame %d is not step %d", cases[k].frames, s, cases[k].steps[s]);
            ++at;
        }
        assert_null(strstr(at, " Step="));
    }
    const struct program *p = run_on("export", "--format extxyz -o - --frames 5:9");
    assert_int_equal(p->status, 2);
    assert_text(p->err, "has 5 frames, and none of those asked for");
    p = run_on("export", "--format pdb -o - --frames 5");
    assert_int_equal(p->status, 2);
    assert_text(p->err, "there is no frame 5: it has 5");
}

/* ---- the others ---- */

TEST(csv_has_every_row_of_the_series_with_all_digits)
{
    write_file(H5MD_WATER, 40);
    const struct program *p = run_on("export", "--format csv -o -");
    assert_int_equal(p->status, 0);
    const char *header =
        "step,time,total_energy,momentum_x,momentum_y,momentum_z,pressure_tensor_xx,pressure_tensor_xy,"
        "pressure_tensor_xz,pressure_tensor_yx,pressure_tensor_yy,pressure_tensor_yz,"
        "pressure_tensor_zx,pressure_tensor_zy,pressure_tensor_zz,potential_energy\n";
    assert_int_equal(strncmp(p->out, header, strlen(header)), 0);
    char *at = (char *)p->out + strlen(header);
    for (int64_t step = 0; step <= 40; step += 5) {
        double values[H5MD_SERIES_WIDTH];
        h5md_series(step, values);
        assert_true(strtod(at, &at) == (double)step && *at == ',');
        assert_true(strtod(at + 1, &at) == h5md_time_step * (double)step);
        for (int k = 0; k < H5MD_SERIES_WIDTH; ++k) {
            assert_int_equal(*at, ',');
            assert_true(strtod(at + 1, &at) == values[k]);
        }
        assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, '\0');
}

TEST(pdb_has_molecules_bonds_and_angstrom)
{
    write_file(H5MD_MIXTURE, 20);
    const struct program *p = run_on("export", "--format pdb -o - --frames 1");
    assert_int_equal(p->status, 0);
    assert_text(p->out, "CRYST1   50.000   60.000   70.000  90.00  90.00  90.00 P 1           1\n");
    assert_text(p->out, "ATOM      5  O   TIP4A   2    ");
    assert_text(p->out, "ATOM     13 AR   ARGOA   4    ");
    assert_text(p->out, "CONECT    1    4\nCONECT    5    6\n");
    assert_text(p->out, "CONECT   19   20\nEND\n");
    assert_null(strstr(p->out, "CONECT   13"));
    struct ph_system *system = h5md_system(H5MD_MIXTURE);
    h5md_move(system, 10);
    const char *argon = strstr(p->out, "ATOM     13");
    for (int k = 0; k < 3; ++k) {
        char number[9] = "";
        memcpy(number, argon + 30 + 8 * k, 8);
        assert_close(atof(number), 10.0 * system->r[k][3], 0.00051, 1.0);
    }
    ph_system_destroy(system);
    write_file(H5MD_WATER, 0);
    p = run_on("export", "--format pdb -o -");
    assert_text(p->out, "CRYST1   50.000   60.000   70.401  83.88  90.00  90.00");
}

TEST(a_file_that_is_there_is_not_replaced_without_leave)
{
    write_file(H5MD_DIPOLES, 0);
    FILE *text = fopen(beside("run.csv"), "w");
    fputs("precious\n", text);
    fclose(text);
    const struct program *p = run_on("export", "--format csv");
    assert_int_equal(p->status, 4);
    assert_text(p->err, "run.csv: is there already");
    struct stat about;
    assert_true(stat(beside("run.csv"), &about) == 0 && about.st_size == 9);
    p = run_on("export", "--format csv --overwrite");
    assert_int_equal(p->status, 0);
    assert_text(p->out, "run.csv: 1 row\n");
    assert_true(stat(beside("run.csv"), &about) == 0 && about.st_size > 100);
    p = run_on("export", "--format csv -o /nowhere/x.csv");
    assert_int_equal(p->status, 4);
    assert_text(p->err, "/nowhere/x.csv: cannot be written: No such file");
    p = run_on("export", "--format csv -o /dev/full"); /* a device, which is not replaced */
    assert_int_equal(p->status, 4);
    assert_text(p->err, "/dev/full: cannot be written: No space left");
    assert_true(stat("/dev/full", &about) == 0 && S_ISCHR(about.st_mode));
    assert_int_not_equal(access(beside("run.csv.new"), F_OK), 0);
    const int full = open("/dev/full", O_WRONLY);
    char line[400];
    snprintf(line, sizeof line, "export %s --format csv -o -", file);
    p = run_program_to(full, line);
    close(full);
    assert_int_equal(p->status, 4);
    assert_text(p->err, "No space left");
}

static int make_folder(void **state)
{
    /* HDF5 asks for any amount of memory that a damaged file names: a sanitizer must refuse it as malloc does */
    setenv("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1", 1);
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/run.h5md", folder);
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"run.h5md", "run.csv", "run.pdb", "run.extxyz"};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
        unlink(beside(names[k]));
    return rmdir(folder);
}

GROUP(make_folder, remove_folder)
