/* SPDX-License-Identifier: MIT */
/* PDB (wwPDB, version 3.3): fixed columns, lengths in Angstrom. Read are CRYST1 and the atoms; MODEL ... ENDMDL are
 * frames. A residue is a molecule, or several that follow each other. Columns count from 1 here as in the format:
 *   13-16 name, 17 alternate place, 18-21 residue (the standard has 18-20, CHARMM four letters), 22 chain, 23-26
 * number, 27 insertion, 31-38 39-46 47-54 x y z, 73-76 segment. */
#include "formats/frame_text.h"

#include <math.h>
#include <string.h>

static const long double degree = 0.017453292519943295769L; /* pi/180 */

static bool column_number(const char *line, size_t first, size_t width, double *number)
{
    char word[32];
    ph_text_columns(line, first, width, word, sizeof word);
    return ph_text_number(word, number);
}

/* cos and sin of an angle in degrees; exactly 0 and 1 for a right one */
static void turn(double degrees, double *cosine, double *sine)
{
    const bool right = fabs(degrees - 90.0) < 1e-9;
    *cosine = right ? 0.0 : (double)cosl(degree * degrees);
    *sine = right ? 1.0 : (double)sinl(degree * degrees);
}

/* Edge a along x, b in the plane of x and y. A box of 1 by 1 by 1 Angstrom is the format's way to say: none;
 * some programs write zeros for it. */
static bool read_box(struct ph_frame_text *text)
{
    double length[3], angle[3], c[3], s[3];
    for (size_t k = 0; k < 3; ++k)
        if (!column_number(text->text, 6 + 9 * k, 9, &length[k]) ||
            !column_number(text->text, 33 + 7 * k, 7, &angle[k]))
            return false;
    for (int k = 0; k < 3; ++k)
        turn(angle[k], &c[k], &s[k]);
    text->boxed = length[0] != length[1] || length[1] != length[2] || (length[0] != 1.0 && length[0] != 0.0);
    const double slant = s[2] != 0.0 ? (c[0] - c[1] * c[2]) / s[2] : 0.0;
    const double edge[3][3] = {
        {length[0], 0.0, 0.0},
        {length[1] * c[2], length[1] * s[2], 0.0},
        {length[2] * c[1], length[2] * slant, length[2] * sqrt(fmax(0.0, 1.0 - c[1] * c[1] - slant * slant))}};
    memcpy(text->edge, edge, sizeof edge);
    return true;
}

static enum ph_status read_atom(const struct ph_frame_text *text, char key[32], struct ph_frame *frame,
                                struct ph_error *err)
{
    const char *line = text->text;
    struct ph_frame_atom atom = {.line = text->line};
    char segment[8], now[32];
    ph_text_columns(line, 12, 4, atom.name, sizeof atom.name);
    ph_text_columns(line, 17, 4, atom.residue, sizeof atom.residue);
    ph_text_columns(line, 17, 10, now, sizeof now);
    ph_text_columns(line, 72, 4, segment, sizeof segment);
    snprintf(now + strlen(now), sizeof now - strlen(now), "/%s", segment);
    for (size_t k = 0; k < 3; ++k)
        if (!column_number(line, 30 + 8 * k, 8, &atom.position[k]))
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s:%zu: an ATOM needs its coordinates in columns 31 to 54, and column %zu has no "
                                "finite number.",
                                frame->file, text->line, 31 + 8 * k);
    const bool same = frame->n > 0 && strcmp(key, now) == 0;
    atom.molecule = frame->n == 0 ? 0 : frame->molecule[frame->n - 1] + !same;
    strcpy(key, now);
    return ph_frame_add(&atom, frame, err);
}

static bool begins(const char *line, const char *record) { return strncmp(line, record, strlen(record)) == 0; }

enum ph_status ph_frame_read_pdb(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err)
{
    char key[32] = "";
    frame->needs = "the atoms of several sites";
    while (ph_text_next(text)) {
        const char *line = text->text;
        enum ph_status status = PH_OK;
        if (begins(line, "CRYST1") && !read_box(text))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: CRYST1 needs three edges and three angles.", frame->file,
                                text->line);
        if (begins(line, "ATOM") || begins(line, "HETATM")) {
            const char other = strlen(line) > 16 ? line[16] : ' ';
            if (other == ' ' || other == 'A' || other == '1') /* the first of alternate places */
                status = read_atom(text, key, frame, err);
        }
        if (status != PH_OK)
            return status;
        if (frame->n > 0 && begins(line, "END")) /* END, ENDMDL */
            break;
    }
    frame->length = 0.1;
    frame->rounding = 0.0005;
    if (text->edge[1][0] != 0.0 || text->edge[2][0] != 0.0 || text->edge[2][1] != 0.0) /* angles have two decimals */
        frame->rounding += 0.005 * (double)degree * fmax(text->edge[1][1], text->edge[2][2]);
    frame->periodic = text->boxed;
    memcpy(frame->edge, text->edge, sizeof frame->edge);
    ph_frame_no_velocities(frame);
    return PH_OK;
}
