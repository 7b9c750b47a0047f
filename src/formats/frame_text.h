/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_FRAME_TEXT_H
#define PH_FORMATS_FRAME_TEXT_H

/* Functions that the readers of text files share: frame_xyz.c, frame_pdb.c, frame_gro.c, frame_lammps.c. A reader reads
 * the next frame of a file and leaves lengths and velocities in the file's units. Files come from anywhere: memory
 * grows with the lines that are there, not with the numbers that a header promises. */

#include "formats/start_file.h"

#include <stdio.h>

enum { PH_TEXT_LINE = 1 << 16, PH_TEXT_WORDS = 1024 }; /* lines are shorter, and have at most so many words */

struct ph_frame_text {
    FILE *stream; /* not owned, but ph_text_close closes that of ph_text_open */
    const struct ph_frame_request *request;
    size_t line;             /* number of the line in `text`, from 1 */
    char text[PH_TEXT_LINE]; /* without the end of the line */
    bool too_long;           /* a line has more characters or words than there is room for */
    bool boxed;              /* PDB: a box that was given before the frames */
    double edge[3][3];
};

/* Opens a file for reading. *text is NULL after a failure. */
enum ph_status ph_text_open(const char *file, struct ph_frame_text **text, struct ph_error *err);
void ph_text_close(struct ph_frame_text *text);
/* Goes to the next line; false at the end of the file, and for a line that is too long: see ph_text_status */
bool ph_text_next(struct ph_frame_text *text);
/* Returns the status of reading the file, or PH_ERR_INPUT where a line was too long. */
enum ph_status ph_text_status(const struct ph_frame_text *text, const char *file, enum ph_status status,
                              struct ph_error *err);
/* Cuts a line into words; returns how many */
int ph_text_split(char *line, char *words[PH_TEXT_WORDS]);
/* A finite number, and nothing else */
bool ph_text_number(const char *word, double *number);
/* The columns first .. first + width - 1 (from 0) of a line, without spaces around; "" where the line is shorter */
void ph_text_columns(const char *line, size_t first, size_t width, char *out, size_t size);

/* Room for one element after n, doubled whenever n is a power of two. NULL without memory: the old one is released. */
void *ph_text_grow(void *memory, size_t n, size_t size);

/* An atom as other programs write it */
struct ph_frame_atom {
    char name[PH_NAME], residue[PH_NAME];
    size_t molecule; /* atoms of a molecule have the same number and follow each other */
    size_t line;
    double position[3], velocity[3];
    bool charged; /* the file has charges: */
    double charge;
};

/* Adds an atom to a frame of atoms. PH_ERR_MEMORY */
enum ph_status ph_frame_add(const struct ph_frame_atom *atom, struct ph_frame *frame, struct ph_error *err);
/* The file has none */
void ph_frame_no_velocities(struct ph_frame *frame);

/* A frame that has n == 0 afterwards: there are no more. */
enum ph_status ph_frame_read_xyz(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err);
enum ph_status ph_frame_read_pdb(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err);
enum ph_status ph_frame_read_gro(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err);
enum ph_status ph_frame_read_lammps(struct ph_frame_text *text, struct ph_frame *frame, struct ph_error *err);

#endif
