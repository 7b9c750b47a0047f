/* SPDX-License-Identifier: MIT */
/* The boxes of a stage, which a run at constant pressure changes from step to step. */
#include "analysis/trajectory/recording.h"

#include "base/memory.h"
#include "base/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double volume_of(const double edge[3][3])
{
    double normal[3];
    ph_vec3_cross(edge[1], edge[2], normal);
    return ph_vec3_dot(edge[0], normal);
}

/* Rows of the edges from one step to another, or the last one before */
static void rows_between(const struct ph_h5md_element *edges, const int64_t steps[2], size_t *begin, size_t *end)
{
    *begin = 0;
    *end = edges->rows;
    while (*begin < *end && edges->step && edges->step[*begin] < steps[0])
        ++*begin;
    while (*end > *begin && edges->step && edges->step[*end - 1] >= steps[1])
        --*end;
    if (*begin == *end && *begin > 0)
        --*begin;
    else if (*begin == *end)
        *end = 1;
}

enum ph_status ph_recording_boxes(const struct ph_recording *recording, const char *stage, struct ph_boxes *boxes,
                                  struct ph_result *result, struct ph_error *err)
{
    const struct ph_h5md_element *edges = &recording->reader.edges;
    *boxes = (struct ph_boxes){.volume = NAN};
    int64_t steps[2];
    enum ph_status status = ph_stage_steps(&recording->reader, stage, steps, result, err);
    if (status != PH_OK || !recording->reader.periodic || !ph_reader_are_edges(edges) || edges->rows == 0)
        return status;
    double *rows = NULL, edge[3][3], first[3][3], sum[3][3] = {{0.0}}, volumes = 0.0;
    size_t begin, end;
    if (!edges->fixed) {
        status = ph_h5md_element_rows(edges, &rows, err);
    } else if ((rows = ph_allocate(9, sizeof *rows))) {
        status = ph_h5md_element_read(edges, 0, rows, err);
    } else {
        status = ph_no_memory(err, "the box of %s", recording->reader.file.name);
    }
    rows_between(edges, steps, &begin, &end);
    for (size_t row = begin; row < end && status == PH_OK; ++row) {
        const double *numbers = rows + row * ph_h5md_element_width(edges);
        for (int k = 0; k < 9; ++k)
            edge[k / 3][k % 3] = edges->rank == 2 ? numbers[k] : (k % 4 == 0 ? numbers[k / 4] : 0.0);
        if (row == begin)
            memcpy(first, edge, sizeof first);
        boxes->change = boxes->change || memcmp(first, edge, sizeof first) != 0;
        for (int k = 0; k < 9; ++k)
            sum[k / 3][k % 3] += edge[k / 3][k % 3];
        volumes += volume_of((const double(*)[3])edge);
    }
    free(rows);
    if (status != PH_OK)
        return status;
    const double n = (double)(end - begin);
    for (int k = 0; k < 9; ++k) /* one box that stays has its own digits */
        boxes->edge[k / 3][k % 3] = boxes->change ? sum[k / 3][k % 3] / n : first[k / 3][k % 3];
    struct ph_box box;
    struct ph_error inner;
    boxes->periodic = ph_box_init_periodic((const double(*)[3])boxes->edge, &box, &inner) == PH_OK;
    if (boxes->periodic)
        boxes->volume = boxes->change ? volumes / n : box.volume;
    return PH_OK;
}
