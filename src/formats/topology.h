/* SPDX-License-Identifier: MIT */
#ifndef PH_FORMATS_TOPOLOGY_H
#define PH_FORMATS_TOPOLOGY_H

/* One molecule of a GROMACS topology, between the files of the importer (import.h) */

#include "model/species.h"

/* Where something was read */
struct ph_topology_origin {
    char file[256];
    size_t line;
};

struct ph_topology_type {
    char name[PH_NAME];
    double mass, charge, v, w;
    struct ph_topology_origin origin;
};

/* Parameters of two types that replace the mean of their own */
struct ph_topology_pair {
    char type[2][PH_NAME];
    double v, w;
    struct ph_topology_origin origin;
};

/* A virtual site, whose place follows from other atoms */
struct ph_topology_virtual {
    size_t site, from[3];
    size_t n_from;
    double weight[3];
    size_t line;
};

enum { PH_TOPOLOGY_NAMES = 512, PH_TOPOLOGY_DEFINES = 1024 };

struct ph_topology {
    char defined[PH_TOPOLOGY_DEFINES][PH_NAME]; /* by #define, in this file or earlier ones */
    size_t n_defined;
    int rule; /* comb-rule; 0: not said */
    size_t n_types;
    struct ph_topology_type *type; /* owned */
    size_t n_pairs;
    struct ph_topology_pair *pair; /* owned */
    char found[PH_TOPOLOGY_NAMES]; /* names of all molecules, for a message */
    size_t n_found;
    char file[256]; /* where the molecule is, */
    size_t line;
    char molecule[PH_NAME];
    size_t n; /* atoms of the molecule */
    struct ph_topology_atom {
        char type[PH_NAME], name[PH_NAME];
        double charge, mass; /* NaN: of the type */
        size_t line;
        bool placed;
        double position[3];
    } atom[PH_SITES_MAX];
    double distance[PH_SITES_MAX][PH_SITES_MAX]; /* 0: not said */
    size_t n_angles;
    struct {
        size_t atom[3];
        double degrees;
    } angle[4 * PH_SITES_MAX];
    size_t n_virtual;
    struct ph_topology_virtual virtual_site[PH_SITES_MAX];
};

/* import_itp.c: reads a file into the topologyand keeps its earlier content; `molecule` may be NULL. */
enum ph_status ph_topology_read(const char *file, const char *molecule, struct ph_topology *topology,
                                struct ph_error *err);
/* import_place.c: places of all atoms */
enum ph_status ph_topology_place(const char *coordinates, struct ph_topology *topology, double *fit,
                                 struct ph_error *err);

/* import_pairs.c: pairs of the molecule's own sites whose parameters differ from the combination of the two sites */
struct ph_import_facts;
enum ph_status ph_topology_pairs(const struct ph_topology *topology, const struct ph_species *species,
                                 struct ph_import_facts *facts, struct ph_error *err);

#endif
