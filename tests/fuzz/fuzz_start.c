/* SPDX-License-Identifier: MIT */
/* libFuzzer: any text as a start file in any format is read or refused with a sentence. The first byte chooses the
 * format. Corpus: tests/data/four_waters*, each after a byte. */
#define _GNU_SOURCE /* memfd_create */
#include "model/start_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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
    static struct ph_species species[2] = {
        {.name = "w", .n_sites = 4, .site = {{.name = "O"}, {.name = "H"}, {.name = "H"}, {.name = "M"}}},
        {.name = "ion", .n_sites = 1, .site = {{.name = "Na"}}}};
    for (int a = 0; a < 3; ++a)
        species[0].site[a].mass = 1.0;
    static const struct ph_frame_name names[] = {{"1", "O"}, {"2", "H"}, {"X", "-"}};
    const struct ph_frame_request request = {
        .format = formats[data[0] % 5], .frame = data[0] / 5 % 4 - 2, .atom_style = "", .units = ""};
    struct ph_frame frame;
    struct ph_error err = {.text = ""};
    enum ph_status status = ph_frame_read_text(path, &request, &frame, &err);
    const bool readable = status == PH_OK;
    if (status == PH_OK)
        status = ph_frame_match(3, names, 2, species, (size_t[]){4, 0}, &frame, &err);
    if (status != PH_OK && (err.text[0] == '\0' || err.status != status))
        abort(); /* refused without a word */
    if (readable)
        ph_frame_free(&frame);
    return 0;
}
