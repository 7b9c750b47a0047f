/* SPDX-License-Identifier: MIT */
#ifndef PH_PARALLEL_SPENT_H
#define PH_PARALLEL_SPENT_H

/* Where the time of steps goes when threads share them (polhode bench steps --threads). The thread that makes steps
 * says which part begins. In the longest loops all threads say how long they waited for the last one. Nothing is
 * measured outside ph_spent_start and ph_spent_stop, which one thread of a process may use. */

enum ph_spent_part {
    PH_SPENT_REST,  /* nothing below; one thread */
    PH_SPENT_MOVES, /* drifts and kicks */
    PH_SPENT_CHECK, /* how far molecules moved, whether forces are finite */
    PH_SPENT_MAKE,  /* pair lists: made, */
    PH_SPENT_THIN,  /* and thinned out */
    PH_SPENT_SITES, /* sites from centres and orientations */
    PH_SPENT_PAIRS,
    PH_SPENT_SUMS,       /* forces and torques from copies of molecules */
    PH_SPENT_OTHER,      /* other terms: waves, fields, ... */
    PH_SPENT_MESH_SITES, /* of a mesh: sites in the order of its cells, */
    PH_SPENT_MESH_SPREAD,
    PH_SPENT_MESH_TRANSFORM,
    PH_SPENT_MESH_GATHER,
    PH_SPENT_PARTS
};

struct ph_spent {
    double seconds[PH_SPENT_PARTS]; /* wall clock */
    double waiting[PH_SPENT_PARTS]; /* included: mean over threads of their time in ph_spent_meet */
};

const char *ph_spent_name(enum ph_spent_part part);

void ph_spent_start(void);
struct ph_spent ph_spent_stop(void);

/* The part that begins now. Returns the part that ended, to go back to it. */
enum ph_spent_part ph_spent_begin(enum ph_spent_part part);

/* A barrier for all threads of a team, which call this at the end of their work for a part */
void ph_spent_meet(enum ph_spent_part part);

#endif
