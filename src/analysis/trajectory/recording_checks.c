/* SPDX-License-Identifier: MIT */
/* Contents of other programs' files that analyses cannot handle, or that users should know of. */
#include "analysis/trajectory/recording.h"

#include <stdlib.h>
#include <string.h>

/* A slab, periodic in some directions only, has neither the images nor the volume that analyses assume. */
enum ph_status ph_recording_check_boundary(const struct ph_recording *recording, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    const char(*words)[PH_H5MD_WORD] = reader->boundary;
    for (size_t k = 1; k < reader->n_boundary && k < 3; ++k)
        if (strcmp(words[k], words[0]) != 0)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: the box is periodic in some directions only (%s, %s, %s): a box periodic in all "
                                "three, or open space, is needed.",
                                reader->file.name, words[0], words[1], words[2]);
    return PH_OK;
}

static enum ph_status compare_ids(const struct ph_recording *recording, const struct ph_h5md_element *element,
                                  double *first, double *other, struct ph_error *err)
{
    const size_t n = element->shape[0];
    enum ph_status status = ph_h5md_element_read(element, 0, first, err);
    for (size_t row = 0; row < element->rows && status == PH_OK; ++row) {
        status = ph_h5md_element_read(element, row, other, err);
        for (size_t i = 0; i < n && status == PH_OK; ++i)
            if (other[i] != first[i] || other[i] < 0.0)
                status = ph_error_set(err, PH_ERR_INPUT,
                                      "%s: %s says that particles come, go or change places (number %zu in row %zu is "
                                      "%g): each must keep its row in all frames.",
                                      recording->reader.file.name, element->path, i, row, other[i]);
    }
    return status;
}

enum ph_status ph_recording_check_particles(const struct ph_recording *recording, struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    struct ph_h5md_element element;
    enum ph_status status = ph_reader_element(reader, "id", &element, err);
    if (status == PH_OK && element.value >= 0 && element.rank == 1 && !element.fixed && element.rows > 0) {
        double *first = malloc((element.shape[0] + 1) * sizeof *first);
        double *other = malloc((element.shape[0] + 1) * sizeof *other);
        status = first && other ? compare_ids(recording, &element, first, other, err)
                                : ph_no_memory(err, "the particles of %s", reader->file.name);
        free(first);
        free(other);
    }
    ph_h5md_element_close(&element);
    return status;
}
