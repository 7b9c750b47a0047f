/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_START_FILE_H
#define PH_MODEL_START_FILE_H

/* Start configurations from text files.
 *
 * Extended XYZ: a count; a line with Lattice="ax ay az bx by bz cx cy cz" (absent: open space) and
 * Properties=species:S:1:pos:R:3 and perhaps :orientation:R:4 (w x y z); then the lines. Also plain XYZ, "name x y z",
 * and the form of NIST's reference configurations, "index x y z name", whose second line ends with the three edges of
 * the box.
 *
 * With one line per molecule the name is that of the model, and molecules that rotate need an orientation. With one
 * line per site, molecules follow in the order of the system and sites in that of the model, all of them or those with
 * mass only; they may be cut by the periodic boundary. */

#include "model/system.h"

struct ph_frame {
    char file[256];
    size_t n; /* lines */
    bool periodic;
    double edge[3][3];
    char (*name)[PH_NAME];    /* owned; "" where the file has none */
    double (*position)[3];    /* owned */
    double (*orientation)[4]; /* owned; NULL if the file has none */
};

/* Lengths are multiplied by `scale`, 0.1 for a file in Angstrom and a system in nm. PH_ERR_IO, PH_ERR_INPUT with the
 * line */
enum ph_status ph_frame_read(const char *file, double scale, struct ph_frame *frame, struct ph_error *err);
void ph_frame_free(struct ph_frame *frame); /* also of a struct that is all zero */

/* Sets centres (wrapped, images zero) and attitudes. The attitude of a molecule given by sites is the one with the
 * least sum of squares; *residual, if not NULL, is the largest root mean square distance of a molecule's sites from
 * their rigid places, and an error if it exceeds `tolerance` times the extent of the molecule. */
enum ph_status ph_frame_apply(const struct ph_frame *frame, double tolerance, struct ph_system *system,
                              double *residual, struct ph_error *err);

/* The rotation q and shift r that bring n body points nearest to n space points, x = r + Q X, by the largest
 * eigenvector of Davenport's matrix (B. K. P. Horn, J. Opt. Soc. Am. A 4 (1987) 629); returns the root mean square
 * distance left. */
double ph_fit_attitude(size_t n, const double (*body)[3], const double (*space)[3], double q[4], double r[3]);

#endif
