/* SPDX-License-Identifier: MIT */
#include "output/trajectory/trajectory_inside.h"

#include "base/memory.h"
#include "output/hdf5/store.h"
#include "output/hdf5/take_name.h"
#include "output/trajectory/about.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The groups of the series and of fluxes */
static bool put_ledgers(hid_t file, const struct ph_trajectory_plan *plan)
{
    const size_t n[] = {plan->n_columns, plan->n_flux_columns};
    bool good = true;
    for (int k = 0; k < PH_TRAJECTORY_LEDGERS && good; ++k)
        if (n[k] > 0 && ph_cadence_writes(plan, PH_TRAJECTORY_SERIES + k))
            good = ph_h5_put_ordered_group(file, ph_ledger_groups[k]);
    return good;
}

static bool put_groups(hid_t file, const struct ph_trajectory_plan *plan, const struct ph_about *about)
{
    const int64_t version[2] = {1, 1}, units_version[2] = {1, 0};
    bool good = ph_h5_put_group(file, "h5md/author") && ph_h5_put_group(file, "h5md/creator") &&
                ph_h5_note_integers(file, "h5md", "version", H5T_STD_I32LE, 2, version) &&
                ph_h5_note_word(file, "h5md/author", "name", false, about->author ? about->author : "not given") &&
                ph_h5_note_word(file, "h5md/creator", "name", false, "polhode") &&
                ph_h5_note_word(file, "h5md/creator", "version", false, about->version);
    if (plan->physical)
        good = good && ph_h5_put_group(file, "h5md/modules/units") &&
               ph_h5_note_integers(file, "h5md/modules/units", "version", H5T_STD_I32LE, 2, units_version) &&
               ph_h5_note_word(file, "h5md/modules/units", "system", true, "SI");
    /* some readers take the first group of particles, by name or by age: this is the first in both */
    return good && ph_h5_put_ordered_group(file, "particles") && ph_h5_put_group(file, "particles/trajectory") &&
           put_ledgers(file, plan);
}

static bool put_box(hid_t file, const struct ph_system *system)
{
    static const char *const periodic[] = {"periodic", "periodic", "periodic"}, *const none[] = {"none", "none",
                                                                                                 "none"};
    const int64_t dimension = 3;
    const bool open = system->box.kind == PH_BOX_OPEN;
    return ph_h5_put_group(file, "particles/trajectory/box") &&
           ph_h5_note_integers(file, "particles/trajectory/box", "dimension", H5T_STD_I32LE, 0, &dimension) &&
           ph_h5_note_words(file, "particles/trajectory/box", "boundary", false, 3, open ? none : periodic);
}

static bool put_rows(struct ph_trajectory *trajectory, bool physical)
{
    const char *time_unit = physical ? "ps" : NULL;
    for (size_t k = 0; k < trajectory->n_parts; ++k) {
        struct ph_rows *rows = &trajectory->parts[k].rows;
        struct ph_clock *clock = &trajectory->clocks[rows->clock];
        if (clock->step < 0 && !ph_clock_create(trajectory->id, rows->form.path, clock->every,
                                                PH_TRAJECTORY_CLOCK_CHUNK, time_unit, clock))
            return false;
        if (!ph_rows_create(trajectory->id, clock, rows))
            return false;
        if (trajectory->parts[k].element == PH_TRAJECTORY_ANGULAR_MOMENTUM &&
            !ph_h5_note_word(trajectory->id, rows->form.path, "frame", false, "body"))
            return false;
    }
    if (trajectory->periodic && !ph_rows_create(trajectory->id, &trajectory->clocks[0], &trajectory->edges))
        return false;
    bool good = true;
    for (size_t k = 0; k < PH_TRAJECTORY_LEDGERS && good; ++k) {
        struct ph_ledger *ledger = &trajectory->ledger[k];
        if (ledger->exists)
            good = ph_clock_create(trajectory->id, ledger->columns[0].form.path, ledger->clock.every,
                                   PH_TRAJECTORY_SERIES_CHUNK, time_unit, &ledger->clock);
        for (size_t c = 0; c < ledger->n_columns && good; ++c)
            good = ph_rows_create(trajectory->id, &ledger->clock, &ledger->columns[c]);
    }
    return good;
}

static bool put_marks(hid_t file)
{
    const int64_t none = -1;
    const uint64_t no_hash = 0;
    return ph_h5_put_data(file, "parameters/production_begins_at_step", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL,
                          &none) &&
           ph_h5_put_data(file, "parameters/state_hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, 0, NULL, &no_hash) &&
           ph_h5_put_data(file, "parameters/state_hash_at_step", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &none) &&
           ph_h5_put_data(file, "parameters/failed_at_step", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL, &none);
}

static bool put_stages(hid_t file, const struct ph_trajectory_plan *plan)
{
    const size_t n = plan->n_stages;
    if (n == 0)
        return true;
    enum { NAME, ABOUT, ENSEMBLE, TEXTS };
    enum { FIRST, TRANSLATION, ROTATION, INTEGERS };
    enum { STEP, TEMPERATURE, PRESSURE, NUMBERS };
    static const char *const text_names[TEXTS] = {"name", "about", "ensemble"};
    static const char *const integer_names[INTEGERS] = {"first_step", "degrees_of_translation", "degrees_of_rotation"};
    static const char *const number_names[NUMBERS] = {"step", "temperature", "pressure"};
    static const char *const units[NUMBERS] = {"ps", "K", "kJ mol-1 nm-3"};
    const char **texts = ph_allocate(TEXTS * n, sizeof *texts);
    int64_t *integers = ph_allocate(INTEGERS * n, sizeof *integers);
    double *numbers = ph_allocate(NUMBERS * n, sizeof *numbers);
    bool good = texts && integers && numbers;
    for (size_t k = 0; k < n && good; ++k) {
        const struct ph_trajectory_stage *stage = &plan->stages[k];
        texts[NAME * n + k] = stage->name;
        texts[ABOUT * n + k] = stage->about;
        texts[ENSEMBLE * n + k] = stage->ensemble;
        integers[FIRST * n + k] = stage->first_step;
        integers[TRANSLATION * n + k] = stage->degrees_of_translation;
        integers[ROTATION * n + k] = stage->degrees_of_rotation;
        numbers[STEP * n + k] = stage->step;
        numbers[TEMPERATURE * n + k] = stage->temperature;
        numbers[PRESSURE * n + k] = stage->pressure;
    }
    const hsize_t extent = n;
    char path[64];
    for (size_t k = 0; k < TEXTS && good; ++k) {
        snprintf(path, sizeof path, "parameters/stages/%s", text_names[k]);
        good = ph_h5_put_texts(file, path, n, texts + k * n);
    }
    for (size_t k = 0; k < INTEGERS && good; ++k) {
        snprintf(path, sizeof path, "parameters/stages/%s", integer_names[k]);
        good = ph_h5_put_data(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &extent, integers + k * n);
    }
    for (size_t k = 0; k < NUMBERS && good; ++k) {
        snprintf(path, sizeof path, "parameters/stages/%s", number_names[k]);
        good = ph_h5_put_data(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &extent, numbers + k * n) &&
               ph_h5_note_unit(file, path, plan->physical ? units[k] : NULL);
    }
    free(texts);
    free(integers);
    free(numbers);
    return good;
}

static bool put_beginning(struct ph_trajectory *trajectory, const struct ph_system *system,
                          const struct ph_trajectory_plan *plan, const struct ph_about *about)
{
    const hid_t file = trajectory->id;
    return put_groups(file, plan, about) && put_box(file, system) && put_rows(trajectory, plan->physical) &&
           ph_trajectory_put_model(file, system, plan->physical) && ph_about_put(file, about) && put_marks(file) &&
           put_stages(file, plan) &&
           H5Lcreate_soft("/particles/trajectory", file, "particles/system", H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

static enum ph_status check_old(const char *file, bool overwrite, struct ph_error *err)
{
    struct stat about;
    if (stat(file, &about) != 0)
        return PH_OK;
    if (!S_ISREG(about.st_mode)) /* a name like /dev/null must not be replaced */
        return ph_error_set(err, PH_ERR_IO, "%s: is not a file that can be replaced. Give another name.", file);
    if (!overwrite)
        return ph_error_set(err, PH_ERR_IO, "%s: is there already. Give another name, or allow it to be overwritten.",
                            file);
    if (ph_store_is_written(file))
        return ph_error_set(err, PH_ERR_IO, "%s: another run is writing to it now.", file);
    return PH_OK;
}

enum ph_status ph_trajectory_create(const char *file, bool overwrite, const struct ph_system *system,
                                    const struct ph_trajectory_plan *plan, const struct ph_about *about,
                                    struct ph_trajectory **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_trajectory *trajectory = NULL;
    ph_h5_quiet_begin();
    char *temporary = malloc(strlen(file) + sizeof ".new");
    enum ph_status status = temporary ? check_old(file, overwrite, err) : ph_no_memory(err, "a name");
    if (status == PH_OK)
        status = ph_trajectory_prepare(file, system, plan, &trajectory, err);
    if (status == PH_OK) {
        sprintf(temporary, "%s.new", file);
        if (!ph_store_is_written(temporary))
            unlink(temporary); /* left by a run that was killed */
        status = ph_store_create(temporary, &trajectory->id, err);
    }
    if (status == PH_OK) {
        if (!put_beginning(trajectory, system, plan, about))
            status = ph_trajectory_fail(trajectory, err);
        else
            status = ph_store_commit(trajectory->id, file, err);
        const int failure = status == PH_OK ? ph_take_name(temporary, file, overwrite) : 0;
        if (failure)
            status = ph_error_set(err, PH_ERR_IO, "%s: cannot be created: %s.", file, strerror(failure));
        if (status != PH_OK)
            unlink(temporary);
    }
    if (status != PH_OK && trajectory) {
        trajectory->failed = status;
        ph_trajectory_close(trajectory, NULL);
        trajectory = NULL;
    }
    free(temporary);
    ph_h5_quiet_end();
    *out = trajectory;
    return status;
}
