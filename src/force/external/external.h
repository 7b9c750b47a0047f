/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_EXTERNAL_EXTERNAL_H
#define PH_FORCE_EXTERNAL_EXTERNAL_H

/* External fields: they act on each molecule separately. Every kind is one constant object, read by the force term and
 * by all code that needs properties of a field. To add one: its parameters in base/external_fields.h, its keys in
 * input/input_schema.c, the object here. */

#include "base/external_fields.h"
#include "model/system.h"

#include <stdbool.h>
#include <stddef.h>

/* One molecule */
struct ph_external_body {
    const struct ph_external_fields *fields;
    const struct ph_species *species;
    double q[4], r[3];   /* orientation; centre, unwrapped */
    double anchor[3];    /* of its tether, unwrapped */
    double attractor[4]; /* fields->attractor as a quaternion */
};

/* How it moves, and how force and torque change by that (all in space) */
struct ph_external_rates {
    double velocity[3], omega[3];
    double force[3], torque[3];
};

struct ph_external_kind {
    const char *name;
    bool turns_only;  /* acts on orientations alone: not on point particles */
    size_t offset, n; /* where its numbers are in ph_external_fields: all 0 where the field is absent */
    /* Adds force and torque (space frame) and returns the energy. */
    double (*add)(const struct ph_external_body *body, double force[3], double torque[3]);
    /* Adds to the rates; NULL: force and torque are constant. */
    void (*add_rates)(const struct ph_external_body *body, struct ph_external_rates *rates);
    /* Does it change the momentum of molecules of this species? NULL: never */
    bool (*pulls)(const struct ph_external_fields *fields, const struct ph_species *species);
    /* A line for people; NULL: its name and numbers say enough. */
    void (*describe)(const struct ph_external_fields *fields, size_t size, char text[]);
};

size_t ph_external_count(void);
const struct ph_external_kind *ph_external_at(size_t index);
bool ph_external_present(const struct ph_external_kind *kind, const struct ph_external_fields *fields);
void ph_external_describe(const struct ph_external_kind *kind, const struct ph_external_fields *fields, size_t size,
                          char text[]);

/* uniform.c */
extern const struct ph_external_kind ph_external_electric, ph_external_gravity, ph_external_body_force,
    ph_external_tether, ph_external_gravity_gradient;
/* orientation.c */
extern const struct ph_external_kind ph_external_wall, ph_external_valley, ph_external_attraction;

#endif
