/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_IMPORT_H
#define PH_FORMATS_IMPORT_H

/* Models from files of other programs: GROMACS topologies (.itp, .top), potential models of ms2 (.pm), components of
 * ls1 mardyn (.xml), templates and data of LAMMPS (.mol, .data), and small tables. import_ms2.c, import_ls1.c and
 * import_lammps.c describe their formats. */

/* A topology has, after its preprocessor (#include, #define, #ifdef, #ifndef, #else, #endif),
 *   [ defaults ]       nbfunc comb-rule             1: C6, C12; 2, 3: sigma, epsilon (arithmetic or geometric mean)
 *   [ atomtypes ]      name ... mass charge ptype V W
 *   [ nonbond_params ] type type 1 V W              instead of the means; not for models but for inputs
 *   [ moleculetype ]   name
 *   [ atoms ]          nr type resnr residue atom cgnr charge mass   (the last two from the type if absent) */

/* Its geometry is in these sections:
 *   [ settles ]        i funct doh dhh              atoms i, i+1, i+2
 *   [ constraints ], [ bonds ]   i j funct length;  [ angles ]  i j k funct degrees
 *   [ virtual_sites2 ] i a b 1 c                    x = (1 - c) a + c b
 *   [ virtual_sites3 ] i a b c 1 s t                x = a + s (b - a) + t (c - a)
 *                      i a b c 4 s t u              the same + u (b - a) x (c - a);  [ dummies ] are the old name */

/* Up to three atoms that are not virtual have their places from distances; more need a file with coordinates. Lengths
 * are nm, energies kJ/mol, masses u, charges e.
 *
 * A table has one site per line, words separated by spaces or commas: name mass charge x y z sigma epsilon. The last
 * two may be absent. A first line with these words may give another order. '#' begins a comment. */

#include "model/species.h"

struct ph_import {
    const char *file;
    const char *molecule;    /* of a file with several; NULL: there is one, or the first of LAMMPS data */
    const char *forcefield;  /* a file with defaults and atom types to be read before; NULL: none */
    const char *coordinates; /* PDB, GRO, XYZ (Angstrom) or LAMMPS data with the atoms; NULL: none */
    const char *units;       /* of a table: md or reduced; of ls1 mardyn, LAMMPS: see there; NULL: not said */
};

/* [ nonbond_params ] of two sites of the molecule, where they differ from the combination of the two sites'
 * parameters */
struct ph_import_pair {
    size_t site[2];
    bool soft; /* 4 epsilon (sigma/r)^12 alone, not Lennard-Jones */
    double sigma, epsilon;
    char file[256];
    size_t line;
};

enum { PH_IMPORT_PAIRS = PH_SITES_MAX * (PH_SITES_MAX + 1) / 2 };

/* Further data of the files */
struct ph_import_facts {
    enum ph_import_format { PH_IMPORT_TABLE, PH_IMPORT_GROMACS, PH_IMPORT_MS2, PH_IMPORT_LS1, PH_IMPORT_LAMMPS } format;
    const char *units; /* of the model: md or reduced */
    bool has_inertia;  /* the file gives moments other than those of the masses: */
    double inertia[3];
    bool geometric; /* its sigmas combine by the geometric mean */
    char molecule[PH_NAME];
    char reference[512]; /* the paper that the file names; "": none */
    double
        fit; /* coordinates were used: largest deviation from a distance that the topology has; NaN: none to compare */
    size_t n_pairs;
    struct ph_import_pair pair[PH_IMPORT_PAIRS];
};

/* Sites with names, masses, charges, radial terms and places in some frame, as ph_species_complete wants them; the name
 * is left empty. PH_ERR_IO, PH_ERR_INPUT with file and line. */
enum ph_status ph_import_model(const struct ph_import *import, struct ph_species *species,
                               struct ph_import_facts *facts, struct ph_error *err);

/* import_lammps.c: a template, or a molecule of a data file; `facts` receives units and pairs. */
enum ph_status ph_import_lammps(const struct ph_import *import, struct ph_species *species,
                                struct ph_import_facts *facts, struct ph_error *err);

/* "GROMACS", "ms2", ... */
const char *ph_import_format_name(enum ph_import_format format);

/* import_write.c: a completed species as a model file, sites in the principal frame. Texts must fit on a line. False if
 * it could not be written. */
bool ph_model_write(const struct ph_species *species, const struct ph_import_facts *facts, const char *description,
                    const char *source, const char *path, struct ph_error *err);

#endif
