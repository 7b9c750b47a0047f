/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_EXPORT_H
#define PH_OUTPUT_EXPORT_H

/* Trajectories as text for other programs. Numbers have 17 digits, so that reading gives the same doubles.
 *
 * Extended XYZ, for OVITO and ASE, and for our own start files. One line for each particle: its name (`species` if all
 * are chemical symbols, otherwise `type`, which ASE does not mistake for elements), pos, and what the file has of
 * velo, force, and, of one-site molecules, orientation (in OVITO's order x, y, z, w, scalar last, as the key
 * orientation_order=xyzw says), angular_momentum (body frame) and dipoles. Lattice and pbc are there for a box; Time
 * and Step where the file has them. Lengths are those of the file times a factor.
 *
 * PDB, one frame, as topology for MDAnalysis and VMD: names, molecules as residues, CONECT for the bonds of sites, in
 * Angstrom where the file is in nm; otherwise in units of the file.
 *
 * CSV: step, time, and all columns of the time series; vectors as name_x, name_y, name_z, tensors as name_xx ..
 * name_zz. */

#include "output/reader.h"

#include <stdio.h>

/* *written: frames or rows. The caller checks `out` for errors. */
struct ph_export_progress {
    void (*show)(double fraction, void *data);
    void *data;
};
/* `progress` may be NULL. */
enum ph_status ph_export_extxyz(const char *file, const struct ph_frame_range *frames, double scale,
                                const struct ph_export_progress *progress, FILE *out, size_t *written,
                                struct ph_error *err);
enum ph_status ph_export_pdb(const char *file, int64_t frame, FILE *out, struct ph_error *err);
enum ph_status ph_export_csv(const char *file, FILE *out, size_t *written, struct ph_error *err);

#endif
