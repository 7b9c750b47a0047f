/* SPDX-License-Identifier: MIT */
#ifndef PH_DYNAMICS_CELLS_CELL_H
#define PH_DYNAMICS_CELLS_CELL_H

/* Changes of the periodic box between steps, each kind one constant object: the box and with it the centres of all
 * molecules are scaled, orientations and momenta stay. */

#include "state/state.h"

#include <stdbool.h>

/* Compressibility of liquids far from their critical point, times density and kT */
#define PH_CELL_LIQUID 0.05

enum ph_cell_shape { PH_CELL_ISOTROPIC, PH_CELL_EDGES, PH_CELL_FULL };

/* Memory of a cell since the stage began: energy given to the system (potential energy, and pressure times volume if
 * there is a pressure), changes tried and accepted. */
enum { PH_CELL_WORK, PH_CELL_TRIED, PH_CELL_ACCEPTED, PH_CELL_NUMBERS = 8 };

struct ph_cell_options {
    const struct ph_cell_kind *kind;
    double kT, pressure;    /* cell-rescaling */
    double centres;         /* freely moving centres: a third of the degrees of freedom of translation; 0: all
                             * molecules */
    double relaxation_time; /* of the volume, */
    double compressibility; /* of the substance: only their ratio matters; 0: PH_CELL_LIQUID V/(N kT) */
    enum ph_cell_shape shape;
    int64_t every;             /* steps */
    double volume;             /* ramp: at the end of the stage, */
    int64_t first_step, steps; /* which begins after this step and has so many */
    uint64_t seed;
};

struct ph_cell_kind {
    const char *name, *summary, *reference;
    bool pressure; /* the cell has a pressure */
    /* Changes the cell after step number `step`, of length h. `energy` belongs to the present state, virial included.
     * *changed: the cell or forces may have changed. */
    enum ph_status (*change)(const struct ph_cell_options *cell, double h, int64_t step, const struct ph_energy *energy,
                             struct ph_state *state, double numbers[PH_CELL_NUMBERS], bool *changed,
                             struct ph_error *err);
};

/* Returns why this shape of cell must not change in this system; NULL if it may. */
const char *ph_cell_refuses(enum ph_cell_shape shape, const struct ph_system *system,
                            const struct ph_interactions *interactions);
/* Is the first edge along x, and the second in the plane of x and y? */
bool ph_cell_is_triangular(const struct ph_box *box);

size_t ph_cell_count(void);
const struct ph_cell_kind *ph_cell_at(size_t k);
const struct ph_cell_kind *ph_cell_find(const char *name); /* NULL: there is none */

/* Sets the edges of the box, keeps the fractional coordinates of centres, and updates the force field. On failure (a
 * box too small for the cutoff) nothing changes. */
enum ph_status ph_cell_set_box(const double edge[3][3], struct ph_state *state, struct ph_error *err);
/* Call after a change. If an Ewald sum is expected to miss its tolerance in this box, chooses its parameters again and
 * evaluates forces with them. Adds the resulting jump of the energy to *jump. */
enum ph_status ph_cell_choose_again(struct ph_state *state, double *jump, struct ph_error *err);

#endif
