/* SPDX-License-Identifier: MIT */
#include "base/threads.h"
#include "base/vec3.h"
#include "force/longrange/ewald_inside.h"
#include "force/longrange/quadrupole_sites.h"
#include "parallel/ranks.h"

#include <stdlib.h>

/* Numbers of sums over molecules: of moments; of forces, and of nine numbers of the virial. They are exact, so that the
 * distribution of molecules does not matter. */
enum { MOMENTS = 4, FORCE = 3, VIRIAL = 9, SUMS = FORCE + VIRIAL };

/* ---- Local molecules ---- */

/* Cuts our molecules into turns; only counts them if there is no memory yet */
static void find_turns(const struct ph_system *system, struct ph_ewald *ewald)
{
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_charged_sites *charged = &ewald->species[s];
        for (size_t from = charged->begin; from < charged->end; from += PH_TURN, ++n)
            if (n < ewald->room_turns)
                ewald->turn[n] = (struct ph_ewald_turn){s, from, ph_turn_end(from, charged->end)};
    }
    ewald->n_turns = n;
}

static bool reserve_turns(const struct ph_system *system, struct ph_ewald *ewald)
{
    find_turns(system, ewald);
    if (ewald->n_turns <= ewald->room_turns)
        return true;
    free(ewald->turn);
    ewald->turn = malloc((ewald->n_turns + ewald->n_turns / 8) * sizeof *ewald->turn);
    ewald->room_turns = ewald->turn ? ewald->n_turns + ewald->n_turns / 8 : 0;
    find_turns(system, ewald);
    return ewald->turn != NULL;
}

static enum ph_status find_ours(const struct ph_system *system, struct ph_ewald *ewald, struct ph_error *err)
{
    size_t n = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        struct ph_charged_sites *charged = &ewald->species[s];
        const struct ph_places at = ph_own_places(ewald->sites->own, system->first, s);
        charged->begin = at.begin;
        charged->end = at.end;
        charged->first = n;
        n += charged->n * (charged->end - charged->begin);
    }
    enum ph_status status = PH_OK;
    if (!reserve_turns(system, ewald))
        status = ph_no_memory(err, "the Ewald sum");
    if (status == PH_OK)
        status = ph_wave_sites_resize(n, &ewald->charged, err);
    if (status == PH_OK && !ewald->mesh)
        status = ph_waves_reserve(&ewald->waves, err);
    if (status !=
        PH_OK) { /* all ranks get the error at their next collective call; until then this rank has no molecules */
        ewald->n_turns = 0;
        ewald->charged.n = 0;
    }
    return status;
}

/* ---- Turns ---- */

/* Arguments of the work on all turns */
struct work {
    struct ph_ewald *ewald;
    const struct ph_system *system;
    const struct ph_moments *moments;
    const struct ph_rates *rates;         /* of these, or of forces */
    double *const *force, *const *torque; /* results, or their rates */
    size_t n_sums;
};

/* Adds terms of a turn to sums of n_sums numbers of each molecule. */
typedef void turn_work(const struct work *work, const struct ph_ewald_turn *turn, struct ph_exact *sums);

/* ... of all processes. Each thread has sums of its own. */
static void do_turns(const struct work *work, turn_work *one, struct ph_exact *sums)
{
    const struct ph_ewald *ewald = work->ewald;
    if (ewald->n_turns < PH_WORTH_THREADS / PH_TURN) {
        for (size_t t = 0; t < ewald->n_turns; ++t)
            one(work, &ewald->turn[t], sums);
    } else {
#pragma omp parallel
        {
            struct ph_exact part[SUMS] = {{.spoilt = 0}};
#pragma omp for schedule(dynamic)
            for (size_t t = 0; t < ewald->n_turns; ++t)
                one(work, &ewald->turn[t], part);
#pragma omp critical(ewald_sums)
            for (size_t k = 0; k < work->n_sums; ++k)
                ph_exact_join(&part[k], &sums[k]);
        }
    }
    if (work->n_sums > 0)
        ph_ranks_add_up(work->n_sums, sums);
}

static void add_terms(const struct work *work, const struct ph_ewald_turn *turn, double (*terms)[PH_TURN],
                      struct ph_exact *sums)
{
    for (size_t k = 0; k < work->n_sums; ++k)
        ph_exact_add(turn->end - turn->begin, terms[k], &sums[k]);
}

/* One site of one molecule: its number in the sum, its position, and in a slab, its arm from the centre, its dipole and
 * quadrupole */
struct visit {
    size_t number;
    const double *r;
    double at[3], arm[3], mu[3], m[PH_WAVE_TENSOR];
};

static struct visit visit(const struct ph_ewald *ewald, const struct ph_system *system, size_t s, size_t i, size_t k)
{
    const struct ph_pair_table *table = &ewald->sites->table;
    const struct ph_charged_sites *charged = &ewald->species[s];
    const struct ph_layout *layout = &table->layout[s];
    const double *record = ewald->sites->place + i * table->record, *mu = record + layout->dipole[charged->site[k]];
    const bool dipole = layout->has_dipole[charged->site[k]];
    struct visit v = {.number = charged->first + (i - charged->begin) * charged->n + k,
                      .r = record + layout->position[charged->site[k]]};
    for (int x = 0; x < 3; ++x) {
        v.arm[x] = v.r[x] - system->r[x][i];
        v.mu[x] = dipole ? mu[x] : 0.0;
        v.at[x] = v.r[x];
    }
    if (ewald->charged.quadrupoles)
        ph_tensor_of_record(&charged->tensor[k], record, v.m);
    if (charged->unwrapped)
        ph_surface_place(&ewald->surface, v.r, system->image[2][i], v.at);
    return v;
}

/* ---- Places ---- */

static void keep_moments(const struct ph_moments *moments, size_t k, double (*terms)[PH_TURN])
{
    for (int x = 0; x < 3; ++x)
        terms[x][k] = moments->first[x];
    terms[3][k] = moments->second;
}

static void set_tensor(double *const to[PH_WAVE_TENSOR], size_t j, const double m[PH_WAVE_TENSOR])
{
    for (int s = 0; s < PH_WAVE_TENSOR; ++s)
        to[s][j] = m[s];
}

static void take_tensor(double *const from[PH_WAVE_TENSOR], size_t j, double m[PH_WAVE_TENSOR])
{
    for (int s = 0; s < PH_WAVE_TENSOR; ++s)
        m[s] = from[s][j];
}

static void place_turn(const struct work *work, const struct ph_ewald_turn *turn, struct ph_exact *sums)
{
    struct ph_ewald *ewald = work->ewald;
    struct ph_wave_sites *sites = &ewald->charged;
    const struct ph_charged_sites *charged = &ewald->species[turn->species];
    const uint32_t *numbers = ewald->sites->own ? ewald->sites->own->number : NULL;
    double terms[MOMENTS][PH_TURN];
    for (size_t i = turn->begin; i < turn->end; ++i) {
        const size_t number = numbers ? numbers[i] : i;
        struct ph_moments moments = {.second = 0.0};
        for (size_t k = 0; k < charged->n; ++k) {
            const struct visit v = visit(ewald, work->system, turn->species, i, k);
            for (int x = 0; x < 3; ++x) {
                sites->r[x][v.number] = v.r[x];
                sites->mu[x][v.number] = v.mu[x];
            }
            sites->charge[v.number] = ewald->charge[turn->species * PH_SITES_MAX + k];
            sites->number[v.number] =
                (uint32_t)(charged->first_of_all + (number - work->system->first[turn->species]) * charged->n + k);
            ph_surface_add(&ewald->surface, sites->charge[v.number], v.at, v.arm, v.mu, &moments);
            if (sites->quadrupoles) {
                set_tensor(sites->m, v.number, v.m);
                ph_surface_add_tensor(&ewald->surface, v.m, &moments);
            }
        }
        keep_moments(&moments, i - turn->begin, terms);
    }
    add_terms(work, turn, terms, sums);
}

/* Of places, or of their rates: for the surface alone */
static struct ph_moments find_moments(struct work *work, turn_work *one)
{
    struct ph_exact sums[MOMENTS] = {{.spoilt = 0}};
    work->n_sums = work->ewald->surface.factor != 0.0 ? MOMENTS : 0;
    do_turns(work, one, sums);
    return (struct ph_moments){
        .first = {ph_exact_value(&sums[0]), ph_exact_value(&sums[1]), ph_exact_value(&sums[2])},
        .second = ph_exact_value(&sums[3]),
    };
}

/* ---- Results ---- */

/* Takes off every molecule its share, by its mass, of the force on all: an acceleration of the whole */
static void remove_net(const struct ph_ewald *ewald, const struct ph_system *system, const struct ph_exact sums[FORCE],
                       double *const force[3])
{
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(ewald->sites->own, system->first, s);
        for (int x = 0; x < 3; ++x) {
            const double share = ph_exact_value(&sums[x]) * (system->species[s].mass / ewald->mass);
            for (size_t i = at.begin; i < at.end; ++i)
                force[x][i] -= share;
        }
    }
}

/* The torque on a quadrupole, and its part of the virial */
static void push_tensor(const struct work *work, const struct visit *v, double torque[3], double virial[VIRIAL])
{
    double gradient[PH_WAVE_TENSOR], stress[3][3] = {{0.0}};
    take_tensor(work->ewald->charged.gradient, v->number, gradient);
    ph_surface_add_gradient(&work->ewald->surface, gradient);
    ph_tensor_add_stress(v->m, gradient, stress);
    ph_tensor_add_torque((const double(*)[3])stress, torque);
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            virial[3 * x + y] -= stress[x][y];
}

/* Sites of molecule i: their force and torque, and the virial of the molecule */
static void push_molecule(const struct work *work, size_t s, size_t i, double force[3], double torque[3],
                          double virial[VIRIAL])
{
    const struct ph_ewald *ewald = work->ewald;
    const struct ph_wave_sites *sites = &ewald->charged;
    for (size_t k = 0; k < ewald->species[s].n; ++k) {
        const struct visit v = visit(ewald, work->system, s, i, k);
        const size_t j = v.number;
        double push[3], field[3], around[3] = {0.0}, pull[3] = {0.0};
        ph_surface_add_field(&ewald->surface, work->moments->first, v.at, around);
        ph_surface_add_pull(&ewald->surface, v.mu, pull);
        for (int x = 0; x < 3; ++x) {
            field[x] = sites->field[x][j] += around[x];
            push[x] = sites->charge[j] * field[x] + (sites->pull[x][j] += pull[x]);
        }
        /* A strain moves centres, but it neither turns molecules nor stretches them. */
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                virial[3 * x + y] -= v.arm[x] * push[y] + v.mu[x] * field[y];
        ph_vec3_add(1.0, push, force);
        ph_vec3_add_cross(v.arm, push, torque);
        ph_vec3_add_cross(v.mu, field, torque);
        if (sites->quadrupoles)
            push_tensor(work, &v, torque, virial);
    }
}

static void add_push(const struct work *work, size_t i, const double force[3], const double torque[3])
{
    for (int x = 0; x < 3; ++x) {
        work->force[x][i] += force[x];
        work->torque[x][i] += torque[x];
    }
}

static void push_turn(const struct work *work, const struct ph_ewald_turn *turn, struct ph_exact *sums)
{
    double terms[SUMS][PH_TURN];
    for (size_t i = turn->begin; i < turn->end; ++i) {
        double force[3] = {0.0}, torque[3] = {0.0}, virial[VIRIAL] = {0.0};
        push_molecule(work, turn->species, i, force, torque, virial);
        for (size_t k = 0; k < SUMS; ++k)
            terms[k][i - turn->begin] = k < FORCE ? force[k] : virial[k - FORCE];
        add_push(work, i, force, torque);
    }
    add_terms(work, turn, terms, sums);
}

enum ph_status ph_ewald_evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    struct ph_ewald *ewald = term;
    const bool net = ewald->interactions.ewald.remove_net_force;
    struct work work = {.ewald = ewald, .system = system};
    struct ph_exact sums[SUMS] = {{.spoilt = 0}};
    double virial[3][3], of_surface[3][3], sum;
    enum ph_status status = find_ours(system, ewald, err);
    const struct ph_moments moments = find_moments(&work, place_turn);
    status = ewald->mesh ? ph_mesh_take_sites(ewald->mesh, status, err) : ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    if (ewald->mesh) {
        sum = ph_mesh_evaluate(ewald->mesh, energy ? virial : NULL);
    } else {
        sum = ph_waves_energy(&ewald->waves, virial);
        ph_waves_forces(&ewald->waves);
    }
    work.moments = &moments;
    work.n_sums = energy ? SUMS : net ? FORCE : 0;
    work.force = system->f;
    work.torque = system->t;
    do_turns(&work, push_turn, sums);
    if (net)
        remove_net(ewald, system, sums, system->f);
    if (!energy)
        return PH_OK;
    const double surface = ph_surface_energy(&ewald->surface, &moments, of_surface);
    for (int x = 0; x < 3; ++x)
        for (int y = 0; y < 3; ++y)
            energy->virial[x][y] += virial[x][y] + ph_exact_value(&sums[FORCE + 3 * x + y]) + of_surface[x][y] +
                                    (x == y ? ewald->background : 0.0);
    energy->waves += sum + surface + ewald->background + ewald->constant;
    return PH_OK;
}

/* ---- Rates ---- */

/* How a site moves with its molecule */
struct motion {
    double r[3], arm[3], mu[3], m[PH_WAVE_TENSOR];
};

static struct motion motion(const struct ph_rates *rates, bool quadrupoles, size_t i, const struct visit *v)
{
    const double turn[3] = {rates->omega[0][i], rates->omega[1][i], rates->omega[2][i]};
    struct motion m;
    ph_vec3_cross(turn, v->arm, m.arm);
    ph_vec3_cross(turn, v->mu, m.mu);
    for (int x = 0; x < 3; ++x)
        m.r[x] = rates->velocity[x][i] + m.arm[x];
    if (quadrupoles)
        ph_tensor_turning(v->m, turn, m.m);
    return m;
}

static void place_rates(const struct work *work, const struct ph_ewald_turn *turn, struct ph_exact *sums)
{
    struct ph_ewald *ewald = work->ewald;
    struct ph_wave_sites *sites = &ewald->charged;
    double terms[MOMENTS][PH_TURN];
    for (size_t i = turn->begin; i < turn->end; ++i) {
        struct ph_moments moments = {.second = 0.0};
        for (size_t k = 0; k < ewald->species[turn->species].n; ++k) {
            const struct visit v = visit(ewald, work->system, turn->species, i, k);
            const struct motion m = motion(work->rates, sites->quadrupoles, i, &v);
            for (int x = 0; x < 3; ++x) {
                sites->r_rate[x][v.number] = m.r[x];
                sites->mu_rate[x][v.number] = m.mu[x];
            }
            if (sites->quadrupoles)
                set_tensor(sites->m_rate, v.number, m.m);
            ph_surface_add(&ewald->surface, sites->charge[v.number], m.r, m.arm, m.mu, &moments);
        }
        keep_moments(&moments, i - turn->begin, terms);
    }
    add_terms(work, turn, terms, sums);
}

static void push_tensor_rate(const struct work *work, const struct visit *v, const struct motion *m, double torque[3])
{
    const struct ph_wave_sites *sites = &work->ewald->charged;
    double gradient[PH_WAVE_TENSOR], rate[PH_WAVE_TENSOR], stress[3][3] = {{0.0}};
    take_tensor(sites->gradient, v->number, gradient);
    take_tensor(sites->gradient_rate, v->number, rate);
    ph_surface_add_gradient(&work->ewald->surface, gradient); /* it does not change */
    ph_tensor_add_stress(m->m, gradient, stress);
    ph_tensor_add_stress(v->m, rate, stress);
    ph_tensor_add_torque((const double(*)[3])stress, torque);
}

static void rate_of_molecule(const struct work *work, size_t s, size_t i, double force[3], double torque[3])
{
    const struct ph_ewald *ewald = work->ewald;
    const struct ph_wave_sites *sites = &ewald->charged;
    for (size_t k = 0; k < ewald->species[s].n; ++k) {
        const struct visit v = visit(ewald, work->system, s, i, k);
        const struct motion m = motion(work->rates, sites->quadrupoles, i, &v);
        const size_t j = v.number;
        double push[3], field[3], push_rate[3], field_rate[3], around[3] = {0.0}, pull[3] = {0.0};
        ph_surface_add_field(&ewald->surface, work->moments->first, m.r, around);
        ph_surface_add_pull(&ewald->surface, m.mu, pull);
        for (int x = 0; x < 3; ++x) {
            field[x] = sites->field[x][j];
            push[x] = sites->charge[j] * field[x] + sites->pull[x][j];
            field_rate[x] = sites->field_rate[x][j] + around[x];
            push_rate[x] = sites->charge[j] * field_rate[x] + sites->pull_rate[x][j] + pull[x];
        }
        ph_vec3_add_cross(m.arm, push, torque);
        ph_vec3_add_cross(v.arm, push_rate, torque);
        ph_vec3_add_cross(m.mu, field, torque);
        ph_vec3_add_cross(v.mu, field_rate, torque);
        ph_vec3_add(1.0, push_rate, force);
        if (sites->quadrupoles)
            push_tensor_rate(work, &v, &m, torque);
    }
}

static void push_rates(const struct work *work, const struct ph_ewald_turn *turn, struct ph_exact *sums)
{
    double terms[FORCE][PH_TURN];
    for (size_t i = turn->begin; i < turn->end; ++i) {
        double force[3] = {0.0}, torque[3] = {0.0};
        rate_of_molecule(work, turn->species, i, force, torque);
        for (size_t x = 0; x < FORCE; ++x)
            terms[x][i - turn->begin] = force[x];
        add_push(work, i, force, torque);
    }
    add_terms(work, turn, terms, sums);
}

enum ph_status ph_ewald_add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                  struct ph_error *err)
{
    struct ph_ewald *ewald = term;
    enum ph_status status = ph_wave_sites_prepare_rates(&ewald->charged, err);
    if (status == PH_OK)
        status = ewald->mesh ? ph_mesh_prepare_rates(ewald->mesh, err) : ph_waves_prepare_rates(&ewald->waves, err);
    status = ph_ranks_agree(status, err);
    if (status != PH_OK)
        return status;
    struct work work = {.ewald = ewald, .system = system, .rates = rates};
    struct ph_exact sums[FORCE] = {{.spoilt = 0}};
    const struct ph_moments moments = find_moments(&work, place_rates);
    if (ewald->mesh)
        ph_mesh_rates(ewald->mesh);
    else
        ph_waves_rates(&ewald->waves);
    work.moments = &moments;
    work.n_sums = ewald->interactions.ewald.remove_net_force ? FORCE : 0;
    work.force = rates->force;
    work.torque = rates->torque;
    do_turns(&work, push_rates, sums);
    if (work.n_sums > 0)
        remove_net(ewald, system, sums, rates->force);
    return PH_OK;
}
