/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_START_FILE_H
#define PH_FORMATS_START_FILE_H

/* Start configurations from files: a frame is the content of a file at one time, applying it sets the system. */

/* Extended XYZ: a count, a line of properties, then the lines. The second line has Lattice="ax ay az bx by bz cx cy
 * cz" (absent: open space) and Properties=species:S:1:pos:R:3 (or type:S:1; name:S:1 beside it is preferred).
 * Properties may continue with :orientation:R:4, :velo:R:3 and :angular_momentum:R:3 (body frame). An orientation is
 * w x y z, or as OVITO has it x y z w where the line says orientation_order=xyzw. Lengths are in the input's unit,
 * or in Angstrom where the line says length_unit=angstrom. */

/* Orientations and angular momenta refer to the principal axes of the body, or where the line says
 * orientation_frame=model to the axes of the model file. Also plain XYZ, "name x y z", and the form of NIST's
 * reference configurations, "index x y z name", whose second line ends with the three edges of the box. With one
 * line per molecule the line has the name of the model, and molecules that rotate need an orientation. With one line
 * per site, molecules follow in the order of the system and sites in the order of the model. The file has all sites,
 * or only the sites with mass. The periodic boundary may cut molecules. */

/* PDB, GRO and LAMMPS data have atoms with names of their own: ph_frame_match finds molecules and sites by them, and
 * puts the atoms into the order of the system. So it can with XYZ.
 *
 * H5MD files are read into the same struct by output/reader/h5md_read.h. */

#include "model/system.h"

/* Content of the lines of a species: molecules, sites, or sites with mass; sites of a molecule follow each other */
enum ph_frame_lines { PH_LINES_MOLECULES, PH_LINES_SITES, PH_LINES_MASSIVE_SITES };

struct ph_frame {
    char file[256];
    char moment[64];    /* which frame of several, for messages; "" for a text file, where messages give line numbers */
    char unit[32];      /* of length, if the file says so */
    const char *needs;  /* not owned; for messages: data that a file of this kind must contain to give orientations */
    const char *format; /* not owned; of a text file */
    double length, time; /* units of the file in nm and ps; 0: the input's units */
    double rounding;     /* of coordinates in the file: half of the last digit; 0: not to be considered */
    size_t n;            /* lines */
    bool unsealed;       /* a trajectory of ours without a seal */
    bool periodic;
    bool model_axes; /* orientations and angular momenta refer to the axes of model files, not to principal axes */
    double edge[3][3];
    char (*name)[PH_NAME];         /* owned; "" where the file has none */
    char (*residue)[PH_NAME];      /* owned; NULL unless lines are atoms of other programs */
    size_t *molecule;              /* owned; of an atom: a number that all atoms of one molecule share; NULL: unknown */
    size_t *line_number;           /* owned; in the file; NULL: from 3 on */
    enum ph_frame_lines *lines;    /* owned; for each species of the system, whose molecules follow in its order; NULL:
                                    * to be found from n and the names */
    double (*position)[3];         /* owned */
    double (*orientation)[4];      /* owned; NULL if the file has none; zero on lines without one */
    int32_t (*image)[3];           /* owned; NULL if the file has none; of molecules */
    double (*velocity)[3];         /* owned; NULL unless there is one on every line */
    double *charge;                /* owned; of LAMMPS data, or NULL */
    double (*angular_momentum)[3]; /* owned, body frame; NULL unless all molecules that rotate have one */
};

/* How to read a text file. Words may be "": found from the file. */
struct ph_frame_request {
    const char *format;     /* by the ending */
    int64_t frame;          /* from 0, or backwards from -1, the last */
    const char *atom_style; /* LAMMPS data: atomic, charge, molecular, full */
    const char *units;      /* LAMMPS data: real, metal, nano, lj */
};

/* A text file, in its own units. PH_ERR_IO, PH_ERR_INPUT with the line */
enum ph_status ph_frame_read_text(const char *file, const struct ph_frame_request *request, struct ph_frame *frame,
                                  struct ph_error *err);
/* Multiplies lengths by `length`, and velocities by length/time */
void ph_frame_scale(double length, double time, struct ph_frame *frame);
/* The first frame of an XYZ file, lengths multiplied by `scale` */
enum ph_status ph_frame_read(const char *file, double scale, struct ph_frame *frame, struct ph_error *err);
void ph_frame_free(struct ph_frame *frame); /* also of a struct that is all zero */

/* Names of atoms that the user explains: `from` is a site, or a residue is a model; to "-": such atoms are left out. */
struct ph_frame_name {
    char from[PH_NAME], to[PH_NAME];
};

/* Puts atoms into the order of the system: molecules by species, sites in the order of the model. frame_match.c says
 * which names are known. There must be counts[s] molecules of each species; sites without mass may be missing. */
enum ph_status ph_frame_match(size_t n_names, const struct ph_frame_name *names, size_t n_species,
                              const struct ph_species *species, const size_t *counts, struct ph_frame *frame,
                              struct ph_error *err);

struct ph_frame_rules {
    double tolerance;       /* of fitted sites: largest root mean square distance over the extent of the molecule */
    bool keep_orientations; /* molecules without an orientation in the file keep theirs */
    bool momenta;           /* take momenta from the file */
};

/* What happened */
struct ph_frame_fit {
    size_t n_fitted;        /* molecules whose orientation was fitted to their sites */
    double rms;             /* distance of their sites from the rigid places, root mean square of all */
    double worst;           /* root mean square of one molecule, the largest, */
    size_t worst_molecule;  /* and which, from 0 */
    size_t n_kept;          /* molecules that kept their orientation */
    bool momenta;           /* momenta were taken from the file; otherwise they are unchanged */
    const char *no_momenta; /* why not; NULL if they were not wanted */
};

/* Sets centres, wrapped, and orientations, from the file or by a least-squares fit for a molecule given by sites. An
 * orientation that is a unit quaternion to rounding keeps its bits. Images come from the file, or are zero. Sets
 * momenta if `rules` ask for them and the file has them for all molecules. Momenta of sites are summed over the
 * molecule. `fit` may be NULL. */
enum ph_status ph_frame_apply(const struct ph_frame *frame, const struct ph_frame_rules *rules,
                              struct ph_system *system, struct ph_frame_fit *fit, struct ph_error *err);

/* How many lines a molecule has */
size_t ph_frame_lines_of(const struct ph_species *species, enum ph_frame_lines lines);
/* Does this site have a line? A file may leave out sites without mass. */
bool ph_frame_lists(const struct ph_species *species, size_t site, enum ph_frame_lines lines);

/* Finds the rotation q and shift r that bring n body points nearest to n space points, x = r + Q X. Uses the
 * eigenvector of the largest eigenvalue of Davenport's matrix (B. K. P. Horn, J. Opt. Soc. Am. A 4 (1987) 629). Returns
 * the root mean square distance left. */
double ph_fit_orientation(size_t n, const double (*body)[3], const double (*space)[3], double q[4], double r[3]);

#endif
