/* SPDX-License-Identifier: MIT */
#include "lab/certify/trial.h"

#include <math.h>
#include <string.h>

/* Three dipolar soft spheres at the start, drawn at random. End states were computed with 25 digits in
 * multiple precision. */
#define CLUSTER                                                                                                        \
    .n = 3, .inertia = {1.0, 1.88, 2.88}, .dipole = {0.25, -0.5, 1.5},                                                 \
    .radial = {.kind = PH_RADIAL_SOFT_SPHERE, .epsilon = 0.75, .sigma = 1.0625, .repulsive = 12.0},                    \
    .start = {{.r = {0.2037622629891107, 0.11371550667380625, 1.0889833519142293},                                     \
               .p = {-0.3439091069266164, 0.26275032416754407, 0.39433715003827124},                                   \
               .q = {-0.08859396193030981, -0.9401138229364425, -0.1915369098721574, -0.2676765249138279},             \
               .m = {0.6254784960806341, -0.7183152490885286, -0.21270327250496274}},                                  \
              {.r = {0.8128388317803783, -0.3467901324974195, -0.7107412550278003},                                    \
               .p = {-0.6557075118222634, 0.9417542337277011, -0.14049271205651745},                                   \
               .q = {0.2161563134601954, -0.7171229778814265, 0.22908822143666857, 0.6217151031982067},                \
               .m = {0.2723486632663435, 0.18141820090914587, 0.5963417316503856}},                                    \
              {.r = {0.8073924743424932, 1.1735468633725417, -1.1271126850942466},                                     \
               .p = {0.0635703069572924, -0.24857805218339965, 0.18737854891198744},                                   \
               .q = {0.05903912394877054, 0.30109081300788326, -0.48967759803937305, 0.8161339069932113},              \
               .m = {-0.3228960372728484, -0.07545863193522886, -0.21112260579227232}}}

const struct ph_trial_problem ph_trial_dipoles = {
    .name = "dipoles",
    CLUSTER,
    .time = 1.0,
    .longest = 0.3,
    .middle = {-0.05, 0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65},
    .rounding = 1e-14,
    .end = {{.r = {-0.13758275785213447, 0.2402840454976594, 1.6449700258493898},
             .p = {-0.34279057362779725, 0.04115614555952696, 0.5740739722308703},
             .q = {0.11401239988159252, -0.9606954874843348, -0.25233083862989986, -0.019862046138493294},
             .m = {0.4523862765095661, -0.7793339511077669, -0.013463243838872575}},
            {.r = {-0.4875963003982586, 0.25418470863124043, -1.0651542159822731},
             .p = {-1.4502202504310604, 0.7331645178621948, -0.4195024998925824},
             .q = {0.0108357082085356, -0.7601418036662317, 0.2715884387314607, 0.5901751822078551},
             .m = {-0.47953112138046555, 0.5069998410051575, 0.9285702193066193}},
            {.r = {1.513126315570788, 1.401929989131874, -0.8874634111811929},
             .p = {0.8569645122672702, 0.18160584229012364, 0.2866515145554533},
             .q = {0.05496963417238056, 0.42745487655786546, -0.4838272827322995, 0.7616901130444941},
             .m = {0.045548866846415466, -0.649226145859306, -0.46344049629803125}}},
};

const struct ph_trial_problem ph_trial_springs = {.name = "dipoles on springs", CLUSTER, .tether = 40.0};

/* The body and the momentum of G. Vilmart, Rigid body dynamics (2013), with the potential U = Q_33 */
const struct ph_trial_problem ph_trial_top = {
    .name = "heavy top",
    .n = 1,
    .inertia = {0.376, 0.627, 1.0},
    .body_force = {0.0, 0.0, -1.0},
    .pinned = true,
    .time = 10.0,
    .longest = 0.9,
    .middle = {0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5},
    .rounding = 3e-14,
    .start = {{.q = {0.9825509821552589, 0.14912652997457843, -0.09941768664971896, 0.04970884332485948},
               .m = {0.0, 0.6, -0.8}}},
    .end = {{.q = {-0.8353830932458659, -0.44677320234586204, -0.3110430422413335, 0.07603301294732615},
             .m = {0.6020062740752862, 0.3052888778818011, -1.0763743001287434}}},
};

void ph_trial_clear(struct ph_trial *trial)
{
    ph_force_field_destroy(trial->field);
    ph_system_destroy(trial->system);
    *trial = (struct ph_trial){.problem = NULL};
}

enum ph_status ph_trial_init(const struct ph_trial_problem *problem, const struct ph_scheme *scheme,
                             const struct ph_flow *flow, struct ph_trial *trial, struct ph_error *err)
{
    *trial = (struct ph_trial){.problem = problem, .scheme = scheme, .flow = flow};
    struct ph_species species = {.name = "body", .n_sites = 1};
    species.site[0] = (struct ph_site){.name = "A", .mass = 1.0, .radial = problem->radial};
    memcpy(species.site[0].dipole, problem->dipole, sizeof problem->dipole);
    enum ph_status status = ph_species_complete(&species, NULL, problem->inertia, err);
    const struct ph_box box = ph_box_open();
    if (status == PH_OK)
        status = ph_system_create(1, &species, &problem->n, &box, &trial->system, err);
    if (status != PH_OK)
        return status;
    ph_trial_put(problem->start, trial);
    struct ph_interactions interactions = {.truncation = PH_TRUNCATE_NONE,
                                           .coulomb = 1.0,
                                           .external.body_point = {0.0, 0.0, 1.0},
                                           .fast = {PH_FAST_NEAR, 2.5, 1.5}, /* in the midst of the distances */
                                           .external.tether = problem->tether,
                                           .pinned = problem->pinned};
    memcpy(interactions.external.body_force, problem->body_force, sizeof problem->body_force);
    status = ph_force_field_create(trial->system, &interactions, &trial->field, err);
    if (status != PH_OK)
        ph_trial_clear(trial);
    return status;
}

void ph_trial_put(const struct ph_trial_body bodies[], struct ph_trial *trial)
{
    struct ph_system *system = trial->system;
    for (size_t i = 0; i < system->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            system->r[k][i] = bodies[i].r[k];
            system->p[k][i] = bodies[i].p[k];
            system->m[k][i] = bodies[i].m[k];
        }
        for (int k = 0; k < 4; ++k)
            system->q[k][i] = bodies[i].q[k];
    }
}

void ph_trial_take(const struct ph_trial *trial, struct ph_trial_body bodies[])
{
    const struct ph_system *system = trial->system;
    for (size_t i = 0; i < system->n; ++i) {
        for (int k = 0; k < 3; ++k) {
            bodies[i].r[k] = system->r[k][i];
            bodies[i].p[k] = system->p[k][i];
            bodies[i].m[k] = system->m[k][i];
        }
        for (int k = 0; k < 4; ++k)
            bodies[i].q[k] = system->q[k][i];
    }
}

int ph_trial_flows(const struct ph_trial *trial)
{
    return trial->scheme->flows * (trial->inner ? trial->inner->flows : 1);
}

enum ph_status ph_trial_dynamics(struct ph_trial *trial, double step, struct ph_dynamics **out, struct ph_error *err)
{
    const struct ph_dynamics_options options = {.scheme = trial->scheme,
                                                .flow = trial->flow,
                                                .step = step,
                                                .compensated = true,
                                                .pinned = trial->problem->pinned,
                                                .inner = trial->inner,
                                                .substeps = 1};
    return ph_dynamics_create(trial->system, trial->field, &options, out, err);
}

enum ph_status ph_trial_move(struct ph_dynamics *dynamics, long n, bool *broken, struct ph_error *err)
{
    enum ph_status status = ph_dynamics_advance(dynamics, n, err);
    if (status == PH_OK)
        status = ph_dynamics_synchronise(dynamics, NULL, err);
    *broken = status == PH_ERR_NUMBERS;
    return *broken ? PH_OK : status;
}

enum ph_status ph_trial_advance(struct ph_trial *trial, double h, long n, bool *broken, struct ph_error *err)
{
    struct ph_dynamics *dynamics;
    enum ph_status status = ph_trial_dynamics(trial, h, &dynamics, err);
    if (status == PH_OK)
        status = ph_trial_move(dynamics, n, broken, err);
    ph_dynamics_destroy(dynamics);
    return status;
}

static double square(double x) { return x * x; }

double ph_trial_distance(size_t n, const struct ph_trial_body a[], const struct ph_trial_body b[])
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        double minus = 0.0, plus = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += square(a[i].r[k] - b[i].r[k]) + square(a[i].p[k] - b[i].p[k]) + square(a[i].m[k] - b[i].m[k]);
        for (int k = 0; k < 4; ++k) {
            minus += square(a[i].q[k] - b[i].q[k]);
            plus += square(a[i].q[k] + b[i].q[k]);
        }
        sum += fmin(minus, plus);
    }
    return isfinite(sum) ? sqrt(sum) : HUGE_VAL;
}
