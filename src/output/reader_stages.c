/* SPDX-License-Identifier: MIT */
/* The stages of a run, as our files name them in parameters/stages */
#include "output/reader.h"

#include "base/memory.h"
#include "output/h5_tools.h"

#include <math.h>
#include <stdlib.h>

/* n numbers of a data set; false if it has not as many. */
static bool read_numbers(const struct ph_reader *reader, const char *name, size_t n, double *numbers)
{
    struct ph_h5md_element element;
    struct ph_error forgotten;
    const bool good =
        ph_h5md_element_open(&reader->file, &element, &forgotten, "parameters/stages/%s", name) == PH_OK &&
        element.value >= 0 && element.fixed && element.rank == 1 && element.shape[0] == n &&
        ph_h5md_element_read(&element, 0, numbers, &forgotten) == PH_OK;
    ph_h5md_element_close(&element);
    return good;
}

/* Steps do not go back, and are whole numbers that a double holds. */
static bool in_order(size_t n, const double *first)
{
    for (size_t k = 0; k < n; ++k)
        if (!(first[k] >= 0.0 && first[k] <= 0x1p53 && floor(first[k]) == first[k]) ||
            (k > 0 && first[k] < first[k - 1]))
            return false;
    return true;
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
    if (first && step && reader->stages && read_numbers(reader, "first_step", n, first) && in_order(n, first) &&
        read_numbers(reader, "step", n, step)) {
        for (size_t k = 0; k < n; ++k)
            reader->stages[k] = (struct ph_reader_stage){.name = reader->stage_names + k * size,
                                                         .about = reader->stage_abouts + k * size_about,
                                                         .first_step = (int64_t)first[k],
                                                         .step = step[k]};
        reader->n_stages = n;
    }
    free(first);
    free(step);
}
