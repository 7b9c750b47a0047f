/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_IMPORT_POINTS_H
#define PH_FORMATS_IMPORT_POINTS_H

/* Molecules as ms2 and ls1 mardyn describe them, between the files of the importer (import.h). Each of their sites has
 * one interaction. A model of ours has all interactions of a place in one site. */

#include "formats/import.h"

enum ph_point_kind { PH_POINT_LENNARD_JONES, PH_POINT_CHARGE, PH_POINT_DIPOLE, PH_POINT_QUADRUPOLE, PH_POINT_KINDS };

enum { PH_POINTS_MAX = 64 };

struct ph_point {
    enum ph_point_kind kind;
    char name[PH_NAME]; /* "": the file has none */
    size_t line;
    double position[3], mass;
    double strength; /* epsilon, charge, dipole or quadrupole */
    double sigma;    /* Lennard-Jones */
    double axis[3];  /* dipole and quadrupole: a unit vector */
};

/* What 1 in the file is in units of the model */
struct ph_point_units {
    double length, energy, mass, charge, dipole, quadrupole;
};

struct ph_points {
    char file[256];
    struct ph_point_units unit;
    size_t n;
    struct ph_point point[PH_POINTS_MAX];
    bool has_inertia;
    double inertia[3]; /* about the axes of the file */
    bool centred;      /* the origin is the centre of mass; else the sites' masses tell where it is */
};

/* Name of a kind for messages: "Lennard-Jones", "charge" */
const char *ph_point_kind_name(enum ph_point_kind kind);

/* Adds a point. NULL with an error if there are too many. */
struct ph_point *ph_points_add(enum ph_point_kind kind, size_t line, struct ph_points *points, struct ph_error *err);

/* Unit vector with the polar angles theta and phi, in degrees */
void ph_point_axis(double theta, double phi, double axis[3]);

/* Converts the points to sites of a species. Points at one place become one site. Moments of inertia that differ from
 * those of the masses by more than rounding go to the facts. */
enum ph_status ph_points_to_species(const struct ph_points *points, struct ph_species *species,
                                    struct ph_import_facts *facts, struct ph_error *err);

/* import_ms2.c: a potential model of ms2 (.pm). `facts` receives the reference. */
enum ph_status ph_points_read_ms2(const struct ph_import *import, struct ph_points *points,
                                  struct ph_import_facts *facts, struct ph_error *err);

/* import_ls1.c: a component of ls1 mardyn (.xml). `facts` receives the name and the units of the model. */
enum ph_status ph_points_read_ls1(const struct ph_import *import, struct ph_points *points,
                                  struct ph_import_facts *facts, struct ph_error *err);

#endif
