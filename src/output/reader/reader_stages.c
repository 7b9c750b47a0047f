/* SPDX-License-Identifier: MIT */
/* The stages of a run, as our files name them in parameters/stages */
#include "output/reader/reader.h"

#include "base/memory.h"
#include "output/hdf5/h5_tools.h"

#include <math.h>
#include <stdlib.h>

/* n numbers of a data set, NaN too; false if it has not as many. */
static bool read_numbers(const struct ph_reader *reader, const char *name, size_t n, double *numbers)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    const bool good =
        ph_h5md_element_open(&reader->file, &element, &forgotten, "parameters/stages/%s", name) == PH_OK &&
        element.value >= 0 && element.fixed && element.rank == 1 && element.shape[0] == n &&
        H5Dread(element.value, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0;
    ph_h5md_element_close(&element);
    return good;
}

/* Steps do not go back, and are whole numbers that a double holds; they have a length. */
static bool make_sense(size_t n, const double *first, const double *step)
{
    for (size_t k = 0; k < n; ++k)
        if (!isfinite(step[k]) || !(first[k] >= 0.0 && first[k] <= 0x1p53 && floor(first[k]) == first[k]) ||
            (k > 0 && first[k] < first[k - 1]))
            return false;
    return true;
}

/* Finds ensemble and target values, which files of earlier versions do not have. */
static void find_conditions(struct ph_reader *reader)
{
    enum { TEMPERATURE, PRESSURE, TRANSLATION, ROTATION, NUMBERS };
    static const char *const names[NUMBERS] = {"temperature", "pressure", "degrees_of_translation",
                                               "degrees_of_rotation"};
    const size_t n = reader->n_stages;
    size_t n_ensembles, size;
    if (n == 0 || ph_h5md_exists(&reader->file, "parameters/stages/ensemble") <= 0)
        return;
    reader->stage_ensembles = ph_h5_get_texts(reader->file.id, "parameters/stages/ensemble", NULL, &n_ensembles, &size);
    double *numbers = ph_allocate(NUMBERS * n, sizeof *numbers);
    bool good = reader->stage_ensembles && n_ensembles == n && numbers;
    for (size_t k = 0; k < NUMBERS && good; ++k)
        good = read_numbers(reader, names[k], n, numbers + k * n);
    for (size_t k = 0; k < n && good; ++k) {
        reader->stages[k].ensemble = reader->stage_ensembles + k * size;
        reader->stages[k].temperature = numbers[TEMPERATURE * n + k];
        reader->stages[k].pressure = numbers[PRESSURE * n + k];
        reader->stages[k].degrees[0] = numbers[TRANSLATION * n + k];
        reader->stages[k].degrees[1] = numbers[ROTATION * n + k];
    }
    free(numbers);
}

void ph_reader_find_stages(struct ph_reader *reader)
{
    size_t n, size, n_about, size_about;
    if (ph_h5md_exists(&reader->file, "parameters/stages/name") <= 0 ||
        ph_h5md_exists(&reader->file, "parameters/stages/about") <= 0)
        return;
    reader->stage_names = ph_h5_get_texts(reader->file.id, "parameters/stages/name", NULL, &n, &size);
    reader->stage_abouts = ph_h5_get_texts(reader->file.id, "parameters/stages/about", NULL, &n_about, &size_about);
    if (!reader->stage_names || !reader->stage_abouts || n != n_about)
        return;
    double *first = ph_allocate(n, sizeof *first), *step = ph_allocate(n, sizeof *step);
    reader->stages = ph_allocate(n, sizeof *reader->stages);
    if (first && step && reader->stages && read_numbers(reader, "first_step", n, first) &&
        read_numbers(reader, "step", n, step) && make_sense(n, first, step)) {
        for (size_t k = 0; k < n; ++k)
            reader->stages[k] = (struct ph_reader_stage){.name = reader->stage_names + k * size,
                                                         .about = reader->stage_abouts + k * size_about,
                                                         .first_step = (int64_t)first[k],
                                                         .step = step[k],
                                                         .temperature = NAN,
                                                         .pressure = NAN,
                                                         .degrees = {NAN, NAN}};
        reader->n_stages = n;
    }
    free(first);
    free(step);
    find_conditions(reader);
}
