/* SPDX-License-Identifier: MIT */
/* libFuzzer: any text as a start file in any format is read and applied to a system, or refused with a sentence. The
 * first byte chooses the format, and from 20 on that lines are molecules. Corpus: tests/data/four_waters*, each after a
 * byte. */
#define _GNU_SOURCE /* memfd_create */
#include "formats/start_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t counts[] = {4, 0};

static enum ph_status make_system(struct ph_system **system, struct ph_error *err)
{
    static struct ph_species species[2] = {{.name = "spc-e",
                                            .n_sites = 4,
                                            .site = {{.name = "O", .mass = 16.0},
                                                     {.name = "H", .mass = 1.0, .position = {0.08, 0.06, 0.0}},
                                                     {.name = "H", .mass = 1.0, .position = {-0.08, 0.06, 0.0}},
                                                     {.name = "M", .position = {0.0, 0.02, 0.0}}}},
                                           {.name = "ion", .n_sites = 1, .site = {{.name = "Na", .mass = 23.0}}}};
    const double edge[3][3] = {{2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, {0.0, 0.0, 2.0}};
    struct ph_box box;
    enum ph_status status = ph_box_init_periodic(edge, &box, err);
    for (int s = 0; s < 2 && status == PH_OK; ++s)
        status = ph_species_complete(&species[s], NULL, NULL, err);
    return status == PH_OK ? ph_system_create(2, species, counts, &box, system, err) : status;
}

static const char *const formats[] = {"xyz", "pdb", "gro", "lammps", ""};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int memory = -1;
    static char path[64];
    if (memory < 0) {
        memory = memfd_create("start", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    }
    if (size < 1 || ftruncate(memory, 0) != 0 || pwrite(memory, data + 1, size - 1, 0) != (ssize_t)size - 1)
        return 0;
    struct ph_error err = {.text = ""};
    static struct ph_system *system;
    if (!system && make_system(&system, &err) != PH_OK)
        abort();
    static const struct ph_frame_name names[] = {{"1", "O"}, {"2", "H"}, {"X", "-"}};
    const struct ph_frame_request request = {
        .format = formats[data[0] % 5], .frame = data[0] / 5 % 4 - 2, .atom_style = "", .units = ""};
    const bool atoms = data[0] / 20 % 2 == 0; /* else one line for each molecule */
    struct ph_frame frame;
    enum ph_status status = ph_frame_read_text(path, &request, &frame, &err);
    const bool readable = status == PH_OK;
    if (status == PH_OK && atoms)
        status = ph_frame_match(3, names, 2, system->species, counts, &frame, &err);
    if (status == PH_OK)
        status =
            ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 0.02, .momenta = true}, system, NULL, &err);
    if (status != PH_OK && (err.text[0] == '\0' || err.status != status))
        abort(); /* refused without a word */
    if (readable)
        ph_frame_free(&frame);
    return 0;
}
