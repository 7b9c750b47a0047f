/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "output/export/export_frames.h"
#include "output/reader/elements.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double electron_volt = 0.010364269656262174; /* of a kJ/mol */

/* Columns after name and position, if the file has them */
static const struct column {
    const char *element, *name; /* in H5MD, and as OVITO calls it */
    size_t width;
    int length, energy; /* powers of length and energy in its dimension */
} columns[] = {
    {"orientation", "orientation", 4, 0, 0},           {"velocity", "velo", 3, 1, 0},  {"force", "force", 3, -1, 1},
    {"angular_momentum", "angular_momentum", 3, 2, 0}, {"dipole", "dipoles", 3, 1, 0},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

/* How numbers and names are written */
struct writing {
    bool physical;  /* Angstrom and eV; else lengths times a factor, energies as they are */
    double energy;  /* factor */
    double *masses; /* owned; of particles, or NULL */
    bool symbols;   /* all names are chemical symbols */
};

struct extra {
    struct ph_h5md_element element;
    double *numbers; /* owned */
    bool known;      /* in this frame */
};

static bool are_symbols(const struct ph_reader *reader)
{
    for (size_t i = 0; i < reader->n_particles; ++i)
        if (ph_element_number(reader->name[i]) == 0)
            return false;
    return true;
}

/* Returns the element of a particle, by its number or by its mass; X is ASE's symbol for unknown ones */
static const char *symbol_of(const struct ph_reader *reader, const struct writing *how, size_t i)
{
    const char *symbol = ph_element_symbol(reader->number[i]);
    if (symbol[0] == '\0' && how->masses)
        symbol = ph_element_symbol(ph_element_of_mass(how->masses[i]));
    return symbol[0] != '\0' ? symbol : "X";
}

static enum ph_status read_masses(const struct ph_reader *reader, struct writing *how, struct ph_error *err)
{
    struct ph_h5md_element element;
    enum ph_status status = ph_reader_element(reader, "mass", &element, err);
    if (status == PH_OK && element.value >= 0 && ph_h5md_element_width(&element) == reader->n_particles) {
        how->masses = calloc(reader->n_particles, sizeof *how->masses);
        status = how->masses ? ph_h5md_element_read(&element, 0, how->masses, err)
                             : ph_no_memory(err, "%zu particles", reader->n_particles);
    }
    ph_h5md_element_close(&element);
    return status;
}

static void write_comment(const struct ph_export_frames *frames, const struct writing *how, const struct extra *extras,
                          FILE *out)
{
    if (frames->periodic) {
        fputs("Lattice=\"", out);
        for (int k = 0; k < 9; ++k)
            ph_fprintf(out, "%s%.17g", k > 0 ? " " : "", frames->edge[k / 3][k % 3]);
        fputs("\" ", out);
    }
    fprintf(out, "Properties=%s:S:1:pos:R:3", how->physical || how->symbols ? "species" : "type");
    if (how->physical && !how->symbols)
        fputs(":name:S:1", out);
    for (int c = 0; c < N_COLUMNS; ++c) /* ASE reads `forces` as forces of a calculator, in eV/Angstrom */
        if (extras[c].known)
            fprintf(out, ":%s%s:R:%zu", columns[c].name, how->physical && columns[c].energy ? "s" : "",
                    columns[c].width);
    fprintf(out, " pbc=\"%s\"", frames->periodic ? "T T T" : "F F F");
    if (how->physical)
        fputs(" length_unit=angstrom", out);
    if (extras[0].known)
        fputs(" orientation_order=xyzw", out);
    if (isfinite(frames->time))
        ph_fprintf(out, " Time=%.17g", frames->time);
    if (frames->reader.position.step)
        fprintf(out, " Step=%" PRId64, frames->step);
    fputc('\n', out);
}

static void write_lines(const struct ph_export_frames *frames, const struct writing *how, const struct extra *extras,
                        FILE *out)
{
    static const int order[] = {1, 2, 3, 0}; /* scalar last */
    double factor[N_COLUMNS];
    for (int c = 0; c < N_COLUMNS; ++c)
        factor[c] = pow(frames->scale, columns[c].length) * pow(how->energy, columns[c].energy);
    for (size_t i = 0; i < frames->reader.n_particles; ++i) {
        fputs(how->physical ? symbol_of(&frames->reader, how, i) : frames->reader.name[i], out);
        for (size_t k = 0; k < 3; ++k)
            ph_fprintf(out, " %.17g", frames->position[3 * i + k]);
        if (how->physical && !how->symbols)
            fprintf(out, " %s", frames->reader.name[i]);
        for (int c = 0; c < N_COLUMNS; ++c)
            for (size_t k = 0; k < columns[c].width && extras[c].known; ++k)
                ph_fprintf(out, " %.17g",
                           factor[c] * extras[c].numbers[columns[c].width * i + (c == 0 ? (size_t)order[k] : k)]);
        fputc('\n', out);
    }
}

static enum ph_status open_extras(const struct ph_reader *reader, struct extra *extras, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        extras[c].numbers = calloc(reader->n_particles * columns[c].width, sizeof(double));
        status = extras[c].numbers ? ph_reader_element(reader, columns[c].element, &extras[c].element, err)
                                   : ph_no_memory(err, "%zu particles", reader->n_particles);
        if (!ph_h5md_element_is(&extras[c].element, reader->n_particles, columns[c].width)) /* not one for each */
            ph_h5md_element_close(&extras[c].element);
    }
    return status;
}

static enum ph_status read_extras(const struct ph_export_frames *frames, struct extra *extras, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int c = 0; c < N_COLUMNS && status == PH_OK; ++c) {
        const struct ph_h5md_element *element = &extras[c].element;
        const size_t row = ph_reader_row(&frames->reader, element, frames->row);
        extras[c].known = element->value >= 0 && row < element->rows;
        if (extras[c].known)
            status = ph_h5md_element_read(element, row, extras[c].numbers, err);
    }
    return status;
}

enum ph_status ph_export_extxyz(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err)
{
    struct ph_export_frames frames;
    struct extra extras[N_COLUMNS] = {{.numbers = NULL}};
    for (int c = 0; c < N_COLUMNS; ++c)
        extras[c].element.value = -1;
    enum ph_status status = ph_export_frames_open(request, false, &frames, err);
    struct writing how = {.energy = 1.0};
    if (status == PH_OK) {
        const double angstroms = ph_export_angstroms(&frames.reader);
        how.physical = request->scale <= 0.0 && angstroms != 1.0;
        how.energy = how.physical ? electron_volt : 1.0;
        how.symbols = are_symbols(&frames.reader);
        frames.scale = request->scale > 0.0 ? request->scale : angstroms;
        status = how.physical ? read_masses(&frames.reader, &how, err) : PH_OK;
    }
    if (status == PH_OK)
        status = open_extras(&frames.reader, extras, err);
    for (size_t k = 0; k < frames.n && status == PH_OK && !ferror(out); ++k) {
        status = ph_export_frames_read(&frames, k, err);
        if (status == PH_OK)
            status = read_extras(&frames, extras, err);
        if (status != PH_OK)
            break;
        fprintf(out, "%zu\n", frames.reader.n_particles);
        write_comment(&frames, &how, extras, out);
        write_lines(&frames, &how, extras, out);
        ++*written;
    }
    for (int c = 0; c < N_COLUMNS; ++c) {
        ph_h5md_element_close(&extras[c].element);
        free(extras[c].numbers);
    }
    free(how.masses);
    ph_export_frames_close(&frames);
    return status;
}
