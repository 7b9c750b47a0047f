/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_TRAJECTORY_RECORDING_H
#define PH_ANALYSIS_TRAJECTORY_RECORDING_H

/* A trajectory opened for analysis: which molecules it has, which frames were chosen, and single frames of it in
 * memory. Molecules are the rigid bodies of the file, or its particles if it has none. */

#include "analysis/analysis.h"
#include "model/box.h"
#include "model/species.h"
#include "output/reader/reader.h"

enum ph_quantity {
    PH_CENTRE, /* of molecules, as in the file: wrapped or not */
    PH_SITE,   /* positions of the sites of molecules; absent if all molecules have one site */
    PH_IMAGE,
    PH_ORIENTATION,
    PH_VELOCITY,         /* of centres */
    PH_ANGULAR_MOMENTUM, /* body frame */
    PH_DIPOLE,           /* of molecules, in space: from the orientation and the model, or as in the file */
    PH_QUANTITIES
};
#define PH_BIT(quantity) (1u << (quantity))
extern const size_t ph_quantity_width[PH_QUANTITIES];

struct ph_recording_kind {
    char name[64];
    size_t n;                  /* molecules */
    bool known;                /* the file describes the molecule: */
    struct ph_species species; /* mass, moments, sites */
    double dipole[3];          /* body frame */
};

/* Particles that are alike: sites of one name in one kind of molecule */
struct ph_recording_type {
    char name[96]; /* "spc-e.O"; a one-site molecule's own name */
    size_t n;
};

struct ph_recording {
    const struct ph_analysis_help *help; /* not owned; may be NULL */
    struct ph_reader reader;
    size_t n_molecules, n_kinds, n_types;
    struct ph_recording_kind *kinds;
    struct ph_recording_type *types;
    int *kind;      /* of each molecule */
    int *type;      /* of each particle */
    int *molecule;  /* of each particle */
    size_t n_parts; /* HDF5 elements that hold the requested quantities */
    struct ph_recording_part *parts;
    unsigned quantities;                            /* bits of the quantities that are read */
    bool derived_dipole;                            /* from orientations */
    size_t n_frames;                                /* chosen ones: */
    int64_t *step;                                  /* of each; the number of the row if the file has none */
    double *time;                                   /* of each; likewise */
    size_t *row;                                    /* of each, in the element that counts */
    double interval;                                /* between frames; NaN if not always the same */
    bool physical;                                  /* units are nm, ps, kJ/mol */
    char length[PH_H5MD_WORD], clock[PH_H5MD_WORD]; /* units; "" if reduced or not said */
    double boltzmann, coulomb;                      /* NaN if not known */
};

/* One frame in memory */
struct ph_recorded {
    size_t frame;
    double time;
    bool periodic;
    struct ph_box box;
    struct ph_box before;        /* of the frame before; ph_tracks_visit sets it */
    double *data[PH_QUANTITIES]; /* owned; NULL for quantities that were not requested */
    unsigned unread;             /* bits of quantities that reading leaves as they are */
};

/* Opens the first file of the request. The file must have the `needed` quantities; it may have the `wanted` ones: see
 * `quantities`. Chooses the frames of the requested stage and range that have all of them, and notes omitted frames in
 * the result. The caller closes the recording in any case. */
enum ph_status ph_recording_open(const struct ph_analysis_request *request, unsigned needed, unsigned wanted,
                                 struct ph_recording *recording, struct ph_result *result, struct ph_error *err);
/* The same without frames: units and molecules alone */
enum ph_status ph_recording_open_about(const struct ph_analysis_request *request, struct ph_recording *recording,
                                       struct ph_error *err);
void ph_recording_close(struct ph_recording *recording);

/* Free in any case. */
enum ph_status ph_snapshot_init(const struct ph_recording *recording, struct ph_recorded *snapshot,
                                struct ph_error *err);
void ph_snapshot_free(struct ph_recorded *snapshot);

/* Not thread-safe, since HDF5 is not. Positions are as in the file. */
enum ph_status ph_recording_read(const struct ph_recording *recording, size_t frame, struct ph_recorded *snapshot,
                                 struct ph_error *err);

/* "nm" where the file has units, else "" */
const char *ph_recording_unit(const struct ph_recording *recording, const char *unit);
/* The smallest half width of all boxes: a sphere of that radius has no two images of a point. NaN: open space. */
enum ph_status ph_recording_half_width(const struct ph_recording *recording, double *half, struct ph_error *err);

/* recording_kinds.c */
enum ph_status ph_recording_find_kinds(struct ph_recording *recording, struct ph_error *err);

/* recording_checks.c: boxes and lists of particles that are no error in a file, but cannot be analysed */
enum ph_status ph_recording_check_boundary(const struct ph_recording *recording, struct ph_error *err);
enum ph_status ph_recording_check_particles(const struct ph_recording *recording, struct ph_error *err);

/* recording_boxes.c: the boxes of a stage */
struct ph_boxes {
    bool periodic; /* and they span a volume */
    bool change;
    double edge[3][3]; /* mean */
    double volume;     /* mean; NaN without */
};
enum ph_status ph_recording_boxes(const struct ph_recording *recording, const char *stage, struct ph_boxes *boxes,
                                  struct ph_result *result, struct ph_error *err);

/* recording_frames.c */
enum ph_status ph_recording_open_frames(struct ph_recording *recording, const struct ph_analysis_request *request,
                                        struct ph_result *result, struct ph_error *err);

/* Returns the interval of times that are equally apart; else NaN */
double ph_even_interval(size_t n, const double *time);

/* Finds the first step of a stage and the first step after it. `stage` is production, equilibration, all, or a stage
 * that the file names. The final state of a stage is the first state of the next. */
enum ph_status ph_stage_steps(const struct ph_reader *reader, const char *stage, int64_t steps[2],
                              struct ph_result *result, struct ph_error *err);

struct ph_recording_part {
    enum ph_quantity quantity;
    size_t first, n; /* molecules, or particles */
    struct ph_h5md_element element;
    size_t *row; /* owned; of each chosen frame */
};

#endif
