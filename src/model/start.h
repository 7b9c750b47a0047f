/* SPDX-License-Identifier: MIT */
#ifndef PH_MODEL_START_H
#define PH_MODEL_START_H

/* Start configurations: positions, orientations and momenta. Every random number comes from a stream named by seed,
 * purpose and molecule, so the result does not depend on the number of threads. */

#include "model/ice/ice.h"
#include "model/system.h"

#include <stdbool.h>

enum ph_start_kind {
    PH_START_FCC,          /* face-centred cubic, stretched to fit the box */
    PH_START_SIMPLE_CUBIC, /* the same with one site per cell */
    PH_START_RANDOM,       /* uniform in the box (open space: in a sphere), no two nearer than minimum_distance */
    PH_START_GAUSSIAN,     /* a cloud in open space */
    PH_START_ICE,          /* waters of a crystal, which have orientations too */
};

struct ph_start {
    enum ph_start_kind kind;
    uint64_t seed;
    double jitter;           /* lattices: standard deviation of each coordinate, in distances of nearest neighbours */
    double spacing;          /* lattices in open space: distance of nearest neighbours; the lattice is centred at 0 */
    double minimum_distance; /* random: of centres */
    double radius;           /* random in open space */
    double spread;           /* gaussian: standard deviation of each coordinate */
    const struct ph_ice_form *ice;
    size_t cells[3]; /* of the ice, along each edge of the box */
};

/* Sets the centres, wrapped, images zero; of ices the orientations too. A lattice is the smallest that holds all
 * molecules; its vacant sites are spread evenly, and different species are mixed at random. */
enum ph_status ph_start_place(const struct ph_start *start, struct ph_system *system, struct ph_error *err);

/* Orientations uniform over all rotations; point particles keep the orientation 1. */
void ph_start_turn(uint64_t seed, struct ph_system *system);

/* Momenta of the Maxwell-Boltzmann distribution at thermal energy kT, the total momentum zero (`pinned`: no translation
 * at all); angular momenta likewise, none about the axis of a linear rotor. `exact` scales translation and rotation so
 * that each has precisely the kinetic energy of its degrees of freedom, kT/2 each. */
void ph_start_move(double kT, bool exact, bool pinned, uint64_t seed, struct ph_system *system);

/* One part of a start configuration. Each rank makes its own part and holds no other: the molecules with numbers begin
 * .. end-1, at the places of their numbers. The result equals, bit for bit, a start made at once. `begin` is a multiple
 * of PH_RANGE_BLOCK, and so is `end` except in the last part (base/ranges.h). Sums are taken over each such block of
 * numbers and then added in the order of blocks.
 *
 * `complete` receives the sums of all blocks, two numbers each. Blocks of other parts are zero, and `complete` fills in
 * their sums. All parts call it in the same order. Without it the part is the whole. */
struct ph_start_part {
    size_t begin, end;
    struct ph_system *whole; /* not owned; has room for all (ph_system_reserve) */
    double (*sums)[2];       /* not owned; room for all blocks */
    void (*complete)(size_t blocks, double (*sums)[2], void *data);
    void *data;
};

/* Makes `view` a system of the molecules of a part, in the memory of the whole. The molecules must have been numbered.
 * A view does not find places by number. The caller frees only `first`. */
enum ph_status ph_start_part_view(const struct ph_start_part *part, struct ph_system *view, struct ph_error *err);
/* True if such a start can be made in parts: fcc, simple cubic lattices and gaussian clouds */
bool ph_start_parts(const struct ph_start *start);
/* ph_start_place_part corresponds to ph_start_place, for the view of a part. With several species it temporarily needs
 * 4 bytes for each molecule of the whole system. ph_start_turn works on a view unchanged. ph_start_move_part
 * corresponds to ph_start_move. */
enum ph_status ph_start_place_part(const struct ph_start *start, const struct ph_start_part *part,
                                   struct ph_system *system, struct ph_error *err);
void ph_start_move_part(double kT, bool exact, bool pinned, uint64_t seed, const struct ph_start_part *part,
                        struct ph_system *system);

/* ph_start_drift returns the kinetic energy of the centre of mass. ph_start_stop_drift subtracts the velocity of the
 * centre of mass from every molecule. */
double ph_start_drift(const struct ph_system *system);
void ph_start_stop_drift(struct ph_system *system);
/* Computes the velocity of the centre of mass if no rank holds all molecules: from the summed momenta of each
 * PH_RANGE_BLOCK of numbers, in the order of blocks. The caller subtracts it PH_START_ROUNDS times, because the first
 * subtraction leaves a rounding error. */
enum { PH_START_ROUNDS = 2 };
void ph_start_velocity(const struct ph_system *whole, size_t blocks, double (*const momenta)[3], double velocity[3]);

/* Kinetic temperatures as kT: 2 K / degrees of freedom; 0 without any. Translation counts 3 n - 3. */
double ph_system_thermal_translation(const struct ph_system *system);
double ph_system_thermal_rotation(const struct ph_system *system);

#endif
