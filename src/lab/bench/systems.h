/* SPDX-License-Identifier: MIT */
#ifndef PH_LAB_BENCH_SYSTEMS_H
#define PH_LAB_BENCH_SYSTEMS_H

/* Systems whose forces are timed: fluids of the literature, from models of the library. */

#include "force/force_field.h"
#include "lab/bench/ceiling.h"
#include "model/system.h"

#include <stdbool.h>

struct ph_workload {
    const char *name, *summary, *model, *units;
    size_t n;
    size_t n_species;   /* into which molecules are divided, somewhat different ones, to show the cost of a mixture; 0:
                           one */
    double density;     /* molecules per volume */
    double temperature; /* in the units of the model */
    bool open;          /* all pairs in open space, a simple cubic lattice; else a periodic cube */
    double cutoff, switch_width;
    bool reaction_field;
    double step; /* of time, for the ageing of lists */
    enum ph_ceiling ceiling;
};

enum { PH_WORKLOADS = 10, PH_WORKLOAD_SPECIES = 4 /* at most */ };
extern const struct ph_workload ph_workloads[PH_WORKLOADS]; /* the first is the Stockmayer fluid, cut off */

/* All zero before it is made; clear it also if making it failed. */
struct ph_bench_system {
    struct ph_system *system; /* owned, as all here */
    struct ph_force_field *field;
    struct ph_interactions interactions;
};
void ph_bench_system_clear(struct ph_bench_system *bench);

/* n molecules on a lattice, displaced by a twentieth of their distance, turned at random, with thermal momenta */
enum ph_status ph_bench_system_make(const struct ph_workload *workload, size_t n, struct ph_bench_system *bench,
                                    struct ph_error *err);

/* A short melt, and how many steps lists last after it. Systems without lists stay on their lattice: there every
 * molecule meets every other in the same order, wherever they are. */
enum ph_status ph_bench_system_melt(const struct ph_workload *workload, struct ph_bench_system *bench,
                                    double *steps_per_list, struct ph_error *err);

/* Pairs of interacting sites within the cutoff, counted plainly: every molecule with every other */
size_t ph_bench_system_pairs(const struct ph_bench_system *bench);
/* The same, estimated from `tried` molecules that are spread evenly over all numbers */
double ph_bench_system_pairs_of(const struct ph_bench_system *bench, size_t tried);
size_t ph_bench_system_lists(const struct ph_bench_system *bench); /* made so far */

#endif
