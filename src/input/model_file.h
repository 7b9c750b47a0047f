/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_MODEL_FILE_H
#define PH_INPUT_MODEL_FILE_H

/* Model files: descriptions of molecules, found by name in a library of files. */

#include "input/input.h"

enum { PH_INPUT_SITES_MAX = 16, PH_LONG_TEXT = 1024 };

struct ph_input_site {
    int line;
    char name[PH_WORD];
    double position[3], mass, charge, dipole[3];
    double axis[3], side[3]; /* NaN: z and x of the file */
    struct ph_input_radial radial;
    struct ph_input_angular angular;
    size_t pair_axes; /* how many of the axes formulas of interactions.pairs take, see struct ph_site */
};

struct ph_input_model {
    char file[PH_PATH];
    char name[PH_WORD];
    char description[PH_LONG_TEXT], source[PH_LONG_TEXT];
    char units[PH_WORD];
    double mass;       /* NaN: of the sites */
    double inertia[3]; /* NaN: from the sites */
    size_t n_sites;
    struct ph_input_site sites[PH_INPUT_SITES_MAX];
};

extern const struct ph_schema ph_model_schema;

/* `texts` may be NULL */
enum ph_status ph_model_read(const char *file, struct ph_texts *texts, struct ph_input_model *model,
                             struct ph_error *err);

/* Finds and reads the model of item k of the input's molecules. A name with '/' or ending in .yaml is a path relative
 * to the input file. For any other name it looks for NAME.yaml beside the input (unless that is an input itself), in
 * $POLHODE_POTENTIALS, and in the program's own library. The library is looked for beside the program, in the source
 * tree, and where it was to be installed. The model must use the units of the input. */
enum ph_status ph_input_model(const struct ph_input *input, size_t k, struct ph_input_model *model,
                              struct ph_error *err);

/* Calls `visit` with the file of every model that is found by its name outside the input's directory, in the order of
 * the search; stops when it returns false. */
void ph_model_visit(bool (*visit)(const char *file, void *data), void *data);

#endif
