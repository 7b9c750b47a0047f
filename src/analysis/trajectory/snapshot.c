/* SPDX-License-Identifier: MIT */
#include "analysis/trajectory/recording.h"

#include "base/rotation.h"

#include <math.h>
#include <stdlib.h>

enum ph_status ph_snapshot_init(const struct ph_recording *recording, struct ph_recorded *snapshot,
                                struct ph_error *err)
{
    *snapshot = (struct ph_recorded){.frame = 0};
    for (int q = 0; q < PH_QUANTITIES; ++q) {
        const size_t n = q == PH_SITE ? recording->reader.n_particles : recording->n_molecules;
        if (!(recording->quantities & PH_BIT(q)))
            continue;
        double *data = snapshot->data[q] = calloc(n * ph_quantity_width[q] + 1, sizeof *data);
        if (!data)
            return ph_no_memory(err, "a frame of %zu molecules", n);
        for (size_t i = 0; i < n && q == PH_ORIENTATION; ++i)
            data[4 * i] = 1.0; /* of points, which the file has no orientation of */
    }
    return PH_OK;
}

void ph_snapshot_free(struct ph_recorded *snapshot)
{
    for (int q = 0; q < PH_QUANTITIES; ++q)
        free(snapshot->data[q]);
    *snapshot = (struct ph_recorded){.frame = 0};
}

static enum ph_status read_box(const struct ph_recording *recording, size_t frame, struct ph_recorded *snapshot,
                               struct ph_error *err)
{
    const struct ph_reader *reader = &recording->reader;
    double edge[3][3];
    snapshot->box = ph_box_open();
    const enum ph_status status =
        ph_reader_edges(reader, &recording->step[frame], recording->row[frame], edge, &snapshot->periodic, err);
    struct ph_error inner;
    if (status == PH_OK && snapshot->periodic && ph_box_init_periodic(edge, &snapshot->box, &inner) != PH_OK)
        return ph_error_set(err, PH_ERR_INPUT, "%s: %s: %.500s", reader->file.name, reader->edges.path, inner.text);
    return status;
}

static void derive_dipoles(const struct ph_recording *recording, struct ph_recorded *snapshot)
{
    for (size_t i = 0; i < recording->n_molecules; ++i)
        ph_quat_rotate(&snapshot->data[PH_ORIENTATION][4 * i], recording->kinds[recording->kind[i]].dipole,
                       &snapshot->data[PH_DIPOLE][3 * i]);
}

enum ph_status ph_recording_read(const struct ph_recording *recording, size_t frame, struct ph_recorded *snapshot,
                                 struct ph_error *err)
{
    snapshot->frame = frame;
    snapshot->time = recording->time[frame];
    enum ph_status status = read_box(recording, frame, snapshot, err);
    for (size_t p = 0; p < recording->n_parts && status == PH_OK; ++p) {
        const struct ph_recording_part *part = &recording->parts[p];
        if (snapshot->unread & PH_BIT(part->quantity))
            continue;
        double *to = snapshot->data[part->quantity] + part->first * ph_quantity_width[part->quantity];
        status = ph_h5md_element_read(&part->element, part->row[frame], to, err);
    }
    if (status == PH_OK && recording->derived_dipole && snapshot->data[PH_DIPOLE] &&
        !(snapshot->unread & PH_BIT(PH_DIPOLE)))
        derive_dipoles(recording, snapshot);
    return status;
}

enum ph_status ph_recording_half_width(const struct ph_recording *recording, double *half, struct ph_error *err)
{
    const bool constant = recording->reader.edges.fixed;
    enum ph_status status = PH_OK;
    *half = NAN;
    for (size_t f = 0; f < (constant ? 1 : recording->n_frames) && status == PH_OK; ++f) {
        struct ph_recorded snapshot = {.frame = f};
        status = read_box(recording, f, &snapshot, err);
        const double *width = snapshot.box.width;
        const double smallest = 0.5 * fmin(width[0], fmin(width[1], width[2]));
        if (status == PH_OK && snapshot.periodic && !(smallest >= *half))
            *half = smallest;
    }
    return status;
}
