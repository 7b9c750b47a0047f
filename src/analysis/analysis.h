/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_ANALYSIS_H
#define PH_ANALYSIS_ANALYSIS_H

/* Analyses of trajectories. Every kind is one constant object, which the command line, its help and `polhode analyze
 * --list` read. lab/analyses.h lists them. */

#include "analysis/result.h"
#include "model/species.h"
#include "output/export/export.h"

#include <stdint.h>

/* Functions on potentials and models, which analyses may not include: the caller passes them in. */
struct ph_analysis_help {
    /* The molecule that a model file describes; false if it cannot be read */
    bool (*species)(const char *name, const char *text, struct ph_species *species);
};

/* The request of the user. Numbers that were not given are NaN, whole numbers 0, texts NULL: then a default holds,
 * which the result reports among its parameters. */
struct ph_analysis_request {
    const struct ph_analysis_help *help; /* NULL: molecules are taken from the bodies of the file */
    size_t n_files;
    const char *const *files;
    const char *stage;            /* production (default), equilibration, all, or a stage that the file names */
    struct ph_frame_range frames; /* among the frames of the stage */
    const char *of;               /* which particles or quantity, a word of the analysis */
    const char *input;            /* an input file, instead of the one that the trajectory holds */
    const char *key;              /* of an input file: the one that differs between files */
    double cutoff;                /* largest distance */
    double spacing;               /* width of bins */
    double angle;                 /* largest angle, in degrees */
    double lag;                   /* longest time lag */
    double fit[2];                /* times between which a line or an integral is taken */
    double temperature, viscosity, permittivity;
    double k_max;
    int64_t samples, orientations, seed;
    size_t n_sets;
    const char *const *sets;                       /* assignments to the keys of an input file */
    void (*progress)(double fraction, void *data); /* NULL: none; called by one thread at a time */
    void *progress_data;
    /* It has the first file open; NULL: the file is opened. */
    const struct ph_reader *reader;
    void (*warn)(const char *text); /* of a long computation, before it begins; NULL: nothing is said */
};

struct ph_analysis {
    const char *name, *summary, *documentation;
    const char *needs;   /* of the file, in words */
    const char *options; /* names of the options it takes, separated by spaces */
    bool several;        /* takes more than one file */
    bool input;          /* takes an input file instead of a trajectory */
    enum ph_status (*run)(const struct ph_analysis_request *request, struct ph_result *result, struct ph_error *err);
};

#endif
