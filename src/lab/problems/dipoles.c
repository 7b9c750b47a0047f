/* SPDX-License-Identifier: MIT */
/* Dipolar soft spheres, in open space and as a liquid: u = 4 (1/r)^12 + dipoles mu = (0, 1, 1) in the body frame,
 * masses 1, moments of inertia with the ratios of water's. */
#include "lab/problems/problem.h"

#include "base/random.h"
#include "lab/papers.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>

/* `epsilon` 0: dipoles alone */
static enum ph_status spheres(size_t n, double epsilon, const struct ph_box *box, struct ph_posed *posed,
                              struct ph_error *err)
{
    struct ph_species species = {.n_sites = 1};
    species.site[0] = (struct ph_site){
        .name = "A",
        .dipole = {0.0, 1.0, 1.0},
        .radial = {.kind = PH_RADIAL_SOFT_SPHERE, .epsilon = epsilon, .sigma = 1.0, .repulsive = 12.0}};
    snprintf(species.name, sizeof species.name, "dipolar-soft-sphere");
    if (epsilon == 0.0)
        species.site[0].radial = (struct ph_radial){.kind = PH_RADIAL_NONE};
    static const double mass = 1.0, inertia[3] = {1.0, 1.88, 2.88};
    enum ph_status status = ph_species_complete(&species, &mass, inertia, err);
    if (status == PH_OK)
        status = ph_system_create(1, &species, &n, box, &posed->system, err);
    posed->interactions = (struct ph_interactions){.truncation = PH_TRUNCATE_NONE, .coulomb = 1.0};
    return status;
}

/* ---- A cloud ---- */

enum { CLOUD_COUNT, CLOUD_SPREAD, CLOUD_ENERGY };

static void scale_positions(double factor, struct ph_system *system)
{
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->r[k][i] *= factor;
}

/* Potential energy when all positions are multiplied by `factor`; the system stays as it was. */
static enum ph_status energy_scaled(struct ph_posed *posed, double factor, double *energy, struct ph_error *err)
{
    double kinetic;
    scale_positions(factor, posed->system);
    const enum ph_status status = ph_posed_energy(posed, energy, &kinetic, err);
    scale_positions(1.0 / factor, posed->system);
    return status;
}

/* Multiplies all places by a factor next to 1, so that the energy is that wanted; false if there is none. */
static enum ph_status tune(double wanted, struct ph_posed *posed, bool *found, struct ph_error *err)
{
    static const double furthest = 0.1;
    double low = 1.0 - furthest, high = 1.0 + furthest, at_low, at_high, energy;
    enum ph_status status = energy_scaled(posed, low, &at_low, err);
    if (status == PH_OK)
        status = energy_scaled(posed, high, &at_high, err);
    *found = status == PH_OK && at_low > wanted && at_high < wanted;
    if (!*found)
        return status == PH_ERR_NUMBERS ? PH_OK : status; /* an overlap: not this one */
    for (int k = 0; k < 60 && status == PH_OK; ++k) {
        const double middle = 0.5 * (low + high);
        status = energy_scaled(posed, middle, &energy, err);
        *(energy > wanted ? &low : &high) = middle;
    }
    scale_positions(high, posed->system);
    return status;
}

static enum ph_status pose_cloud(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    enum { TRIES = 200000 };
    const double wanted = value[CLOUD_ENERGY];
    const struct ph_box box = ph_box_open();
    enum ph_status status = spheres((size_t)value[CLOUD_COUNT], 1.0, &box, posed, err);
    bool found = false;
    for (uint64_t k = 0; k < TRIES && status == PH_OK && !found; ++k) {
        struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROBLEM, k);
        const uint64_t own = ph_random_bits(&random);
        const struct ph_start start = {.kind = PH_START_GAUSSIAN, .seed = own, .spread = value[CLOUD_SPREAD]};
        status = ph_start_place(&start, posed->system, err);
        ph_start_turn(own, posed->system);
        if (isnan(wanted))
            return status;
        if (status == PH_OK)
            status = tune(wanted, posed, &found, err);
    }
    if (status == PH_OK && !found)
        return ph_error_set(err, PH_ERR_INPUT, "None of %d clouds of %g spheres, spread %g, has an energy near %g.",
                            TRIES, value[CLOUD_COUNT], value[CLOUD_SPREAD], wanted);
    return status;
}

const struct ph_problem ph_problem_dipole_cloud = {
    .name = "dipole-cloud",
    .summary = "100 dipolar soft spheres in open space, at rest, places of a normal distribution",
    .documentation = "Places are N randn(3) with N = 100, as in the paper. Spheres of such a cloud are far apart and "
                     "hardly interact; its energy comes from the nearest pair. The paper's cloud has the energy "
                     "0.14134185611814, and of all clouds drawn the first is taken that has it when its places are "
                     "multiplied by a factor between 0.9 and 1.1.",
    .reference = PH_PAPER_CELLEDONI ", section 3.4",
    .time = 1.0,
    .energy = 0.14134185611814,
    .random = true,
    .n_parameters = 3,
    .parameter = {{"count", "of spheres", 100.0},
                  {"spread", "standard deviation of coordinates", 100.0},
                  {"energy", "that the cloud has; NAN: whatever comes", 0.14134185611814}},
    .pose = pose_cloud,
};

/* ---- A lattice ---- */

enum { LATTICE_EDGE, LATTICE_SPACING, LATTICE_JITTER, LATTICE_ENERGY, LATTICE_EPSILON };

/* The first and the last corner of the lattice get opposite momenta towards each other. */
static enum ph_status push_corners(double wanted, struct ph_posed *posed, struct ph_error *err)
{
    struct ph_system *system = posed->system;
    double potential, kinetic;
    const enum ph_status status = ph_posed_energy(posed, &potential, &kinetic, err);
    if (status != PH_OK)
        return status;
    if (wanted < potential)
        return ph_error_set(err, PH_ERR_INPUT,
                            "The lattice has a potential energy of %g: momenta cannot bring its energy down to %g.",
                            potential, wanted);
    const double p = sqrt((wanted - potential) / 3.0); /* each component: two bodies of mass 1 */
    for (int k = 0; k < 3; ++k) {
        system->p[k][0] = p;
        system->p[k][system->n - 1] = -p;
    }
    return PH_OK;
}

static enum ph_status pose_lattice(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    const double edge = value[LATTICE_EDGE];
    const struct ph_box box = ph_box_open();
    enum ph_status status = spheres((size_t)(edge * edge * edge), value[LATTICE_EPSILON], &box, posed, err);
    const struct ph_start start = {.kind = PH_START_SIMPLE_CUBIC,
                                   .seed = seed,
                                   .spacing = value[LATTICE_SPACING],
                                   .jitter = value[LATTICE_JITTER]};
    if (status == PH_OK)
        status = ph_start_place(&start, posed->system, err);
    if (status != PH_OK)
        return status;
    ph_start_turn(seed, posed->system);
    return isnan(value[LATTICE_ENERGY]) ? PH_OK : push_corners(value[LATTICE_ENERGY], posed, err);
}

const struct ph_problem ph_problem_dipole_lattice = {
    .name = "dipole-lattice",
    .summary = "125 dipolar soft spheres on a cubic lattice in open space; two corners pushed towards each other",
    .documentation = "Places are those of a simple cubic lattice, 5 x 5 x 5, disturbed by 1 % of its constant; "
                     "orientations are random, all are at rest but two opposite corners, which move towards each other "
                     "with the momentum that the energy asks for. The paper names the corners (1, 1, 1) and (5, 5, 5). "
                     "With spheres of diameter 1 such a lattice has an energy above 1000, all of it repulsion, and "
                     "flies apart faster than the paper's steps can follow; so the lattice constant must have been "
                     "larger, and is 6 here. The paper does not say in which direction the corners move.",
    .reference = PH_PAPER_CELLEDONI ", section 3.4",
    .time = 1.0,
    .random = true,
    .n_parameters = 5,
    .parameter = {{"edge", "spheres along an edge", 5.0},
                  {"spacing", "of the lattice", 6.0},
                  {"jitter", "standard deviation of coordinates from the lattice, in spacings", 0.01},
                  {"energy", "in all, reached by the momenta of two corners; NAN: all at rest", NAN},
                  {"epsilon", "of the repulsion; 0: dipoles alone", 1.0}},
    .pose = pose_lattice,
};

/* ---- A liquid ---- */

enum { LIQUID_COUNT, LIQUID_DENSITY, LIQUID_TEMPERATURE, LIQUID_CUTOFF };

static enum ph_status pose_liquid(const double *value, uint64_t seed, struct ph_posed *posed, struct ph_error *err)
{
    const size_t n = (size_t)value[LIQUID_COUNT];
    const double edge = cbrt(value[LIQUID_COUNT] / value[LIQUID_DENSITY]);
    const double edges[3][3] = {{edge, 0.0, 0.0}, {0.0, edge, 0.0}, {0.0, 0.0, edge}};
    struct ph_box box;
    enum ph_status status = ph_box_init_periodic(edges, &box, err);
    if (status == PH_OK)
        status = spheres(n, 1.0, &box, posed, err);
    posed->interactions = (struct ph_interactions){.truncation = PH_TRUNCATE_SWITCHED,
                                                   .cutoff = value[LIQUID_CUTOFF],
                                                   .switch_width = 0.2 * value[LIQUID_CUTOFF],
                                                   .smoothness = 6,
                                                   .coulomb = 1.0};
    const struct ph_start start = {.kind = PH_START_FCC, .seed = seed, .jitter = 0.01};
    if (status == PH_OK)
        status = ph_start_place(&start, posed->system, err);
    if (status != PH_OK)
        return status;
    ph_start_turn(seed, posed->system);
    ph_start_move(value[LIQUID_TEMPERATURE], true, false, seed, posed->system);
    return PH_OK;
}

const struct ph_problem ph_problem_dipolar_liquid = {
    .name = "dipolar-liquid",
    .summary = "dipolar soft spheres in a periodic box, at the density of a liquid",
    .documentation = "Spheres as in the other problems, on a face-centred cubic lattice that is about to melt, turned "
                     "at random. Interactions end with a switch that has six continuous derivatives, over the last "
                     "fifth of the cutoff.",
    .reference = PH_PAPER_CELLEDONI ", section 3.4, for the spheres",
    .time = 100.0,
    .random = true,
    .n_parameters = 4,
    .parameter = {{"count", "spheres", 108.0},
                  {"density", "of spheres", 0.8},
                  {"temperature", "of the momenta at the start", 1.35},
                  {"cutoff", "of all interactions", 2.5}},
    .pose = pose_liquid,
};
