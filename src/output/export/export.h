/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_EXPORT_H
#define PH_OUTPUT_EXPORT_EXPORT_H

/* Exports trajectories for other programs. Molecules of our files are in one piece, and stay so; each frame has its own
 * box.
 *
 * Extended XYZ, for OVITO and ASE, and for our own start files. One line for each particle has its name and pos, and
 * velo and force (`forces` in eV) if the file has them. The name is `species` if all are chemical symbols, otherwise
 * `type`, which ASE does not mistake for elements. One-site molecules also have orientation, angular_momentum (body
 * frame) and dipoles. Orientations are in OVITO's order x, y, z, w, scalar last (orientation_order=xyzw). */

/* Lattice and pbc are there for a box; Time and Step where the file has them. Files in nm are written in the units
 * of ASE and OVITO: lengths in Angstrom (length_unit=angstrom), velocities per ps, forces in eV/Angstrom. Elements are
 * `species`, and the names of sites `name` where they differ. With a factor, and without units, lengths are multiplied
 * by the factor, and energies are unchanged. Numbers have 17 digits, so that without a factor reading gives the same
 * doubles. */

/* PDB, the last frame as topology for MDAnalysis and VMD, or frames as models: names, molecules as residues, CONECT for
 * the bonds of sites. GRO, the same for GROMACS. XTC and DCD, positions and box alone, for programs that have the
 * topology from these. PDB and DCD are in Angstrom, GRO, XTC and TRR in nm, where the file has units; otherwise in the
 * units of the file. TRR has doubles, velocities and forces. LAMMPS data is one frame, a dump of LAMMPS all,
 * in unit style real where the file has nm, otherwise lj. GSD is in the units of the file. These boxes have the first
 * edge along x and the second in the plane of x and y: a frame with a rotated box is rotated back with it. */

/* CSV: step, time, and all columns of the time series; vectors as name_x, name_y, name_z, tensors as name_xx ..
 * name_zz. */

#include "output/reader/reader.h"

#include <stdio.h>

struct ph_export_progress {
    void (*show)(double fraction, void *data);
    void *data;
};

struct ph_export_request {
    const char *file;
    struct ph_frame_range frames;
    bool one;       /* only frame number frames.first */
    bool unwrapped; /* molecules are where they went, not in the box */
    double scale;   /* factor of lengths in extxyz; 0: Angstrom and eV where the file has units */
    int decimals;   /* of lengths in xtc and gro */
    const struct ph_export_progress *progress; /* or NULL */
};

enum { PH_EXPORT_DECIMALS = 3, PH_EXPORT_DECIMALS_MOST = 6 };

struct ph_export_format {
    const char *name;  /* also the ending of files */
    const char *about; /* its purpose, in a few words */
    bool frames;       /* else rows of the time series */
    bool last;         /* exports the last frame, unless the user selects frames */
    bool scaled, has_decimals;
    enum ph_status (*write)(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
};
extern const struct ph_export_format ph_export_formats[];
extern const size_t ph_export_format_count;

/* Writes the trajectory in a format. *written: frames or rows. The caller checks `out` for errors. */
enum ph_status ph_export(const struct ph_export_format *format, const struct ph_export_request *request, FILE *out,
                         size_t *written, struct ph_error *err);

/* The `write` of the formats; they count *written on. */
enum ph_status ph_export_extxyz(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err);
enum ph_status ph_export_pdb(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_gro(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_lammps(const struct ph_export_request *request, FILE *out, size_t *written,
                                struct ph_error *err);
enum ph_status ph_export_dump(const struct ph_export_request *request, FILE *out, size_t *written,
                              struct ph_error *err);
enum ph_status ph_export_trr(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_gsd(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_xtc(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_dcd(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);
enum ph_status ph_export_csv(const struct ph_export_request *request, FILE *out, size_t *written, struct ph_error *err);

#endif
