/* SPDX-License-Identifier: MIT */
#include "accel/engine/wave_engine.h"

#include "accel/functions/transfer.h"
#include "force/longrange/ewald.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables ---- */

static double *numbers(const struct ph_machine *machine, size_t n, enum ph_status *status, struct ph_error *err)
{
    return machine->allocate(n * sizeof(double), status, err);
}

/* Which sites take part */
static enum ph_status copy_sites(const struct ph_machine *machine, const struct ph_pair_table *table, const void *term,
                                 struct ph_wave_view *w, struct ph_error *err)
{
    const size_t n = table->n_species, all = n * PH_SITES_MAX;
    uint32_t *integers = calloc(n + 2 * all, sizeof *integers), *n_charged = integers;
    double *charges = calloc(all, sizeof *charges);
    struct ph_charged_tensor *tensors = calloc(all, sizeof *tensors);
    enum ph_status status = integers && charges && tensors ? PH_OK : PH_ERR_MEMORY;
    for (size_t s = 0; s < n && status == PH_OK; ++s) {
        const struct ph_layout *layout = &table->layout[s];
        const size_t *site;
        const double *charge;
        n_charged[s] = (uint32_t)ph_ewald_sites(term, s, &site, &charge);
        w->most = n_charged[s] > w->most ? n_charged[s] : w->most;
        for (size_t a = 0; a < n_charged[s]; ++a) {
            const size_t at = s * PH_SITES_MAX + a;
            charges[at] = charge[a];
            tensors[at] = ph_ewald_tensors(term, s)[a];
            integers[n + at] = (uint32_t)layout->position[site[a]];
            integers[n + all + at] = (uint32_t)layout->dipole[site[a]];
        }
    }
    if (status == PH_OK) {
        w->n_charged = ph_copy_there(machine, n_charged, n * sizeof *n_charged, &status, err);
        w->position = ph_copy_there(machine, integers + n, all * sizeof *integers, &status, err);
        w->dipole = ph_copy_there(machine, integers + n + all, all * sizeof *integers, &status, err);
        w->charge = ph_copy_there(machine, charges, all * sizeof *charges, &status, err);
        if (w->quadrupoles)
            w->tensor = ph_copy_there(machine, tensors, all * sizeof *tensors, &status, err);
    }
    free(tensors);
    free(integers);
    free(charges);
    return status;
}

static void find_slopes(const struct ph_waves *waves, double slope[])
{
    for (size_t k = 0; k < waves->n_waves; ++k)
        slope[k] = 2.0 * waves->factor[k] * waves->fall[k];
}

/* Of a direct sum: integers, factors */
static enum ph_status copy_waves(const struct ph_machine *machine, size_t n_sites, const struct ph_waves *waves,
                                 struct ph_wave_view *w, struct ph_error *err)
{
    const size_t n = waves->n_waves;
    int32_t *integer = calloc(3 * n + 1, sizeof *integer);
    double *slope = calloc(n + 1, sizeof *slope);
    enum ph_status status = integer && slope ? PH_OK : PH_ERR_MEMORY;
    for (size_t r = 0; r < waves->n_rows && status == PH_OK; ++r) {
        const struct ph_wave_row *row = &waves->row[r];
        for (int z = row->first; z <= row->last; ++z) {
            const size_t k = row->wave + (size_t)(z - row->first);
            integer[k] = row->n[0];
            integer[n + k] = row->n[1];
            integer[2 * n + k] = z;
        }
    }
    if (status == PH_OK)
        find_slopes(waves, slope);
    w->n_waves = n;
    memcpy(w->dual, waves->dual, sizeof w->dual);
    memcpy(w->inverse, waves->inverse, sizeof w->inverse);
    for (size_t e = 0; e < 3; ++e) {
        w->n[e] = status == PH_OK ? ph_copy_there(machine, integer + e * n, n * sizeof *integer, &status, err) : NULL;
        w->turns[e] = numbers(machine, n_sites, &status, err);
        w->mu[e] = numbers(machine, n_sites, &status, err);
    }
    for (size_t k = 0; k < 6 && w->quadrupoles; ++k)
        w->m[k] = numbers(machine, n_sites, &status, err);
    if (status == PH_OK) {
        w->factor = ph_copy_there(machine, waves->factor, n * sizeof(double), &status, err);
        w->slope = ph_copy_there(machine, slope, n * sizeof(double), &status, err);
        w->part = (struct ph_complex *)numbers(machine, 2 * n * PH_PARTS, &status, err);
        w->wave = (struct ph_complex *)numbers(machine, 2 * n, &status, err);
    }
    free(integer);
    free(slope);
    return status;
}

/* Factors of n, fours first; roots of unity by our own functions, so that they are the same everywhere */
static enum ph_status plan(const struct ph_machine *machine, uint32_t n, struct ph_fft *fft, struct ph_error *err)
{
    uint32_t rest = n;
    *fft = (struct ph_fft){.n = n};
    while (rest % 4 == 0) {
        fft->radix[fft->stages++] = 4;
        rest /= 4;
    }
    for (uint32_t p = 2; rest > 1; ++p)
        while (rest % p == 0) {
            fft->radix[fft->stages++] = p;
            rest /= p;
        }
    struct ph_complex *root = malloc(n * sizeof *root);
    enum ph_status status = root ? PH_OK : PH_ERR_MEMORY;
    for (uint32_t k = 0; k < n && root; ++k) {
        const double turns = (double)k / n;
        double sine;
        ph_sincos(6.28318530717958647692 * (turns - ph_round(turns)), &sine, &root[k].re);
        root[k].im = -sine;
    }
    fft->root = status == PH_OK ? ph_copy_there(machine, root, n * sizeof *root, &status, err) : NULL;
    free(root);
    return status;
}

_Static_assert((int64_t)PH_MOLECULES_MOST *PH_SITES_MAX <= INT64_C(1) << (62 - PH_DENSITY_BITS),
               "integers of the density have room for all sites at one point");

/* The largest values of the window, of its slope and of its bend */
static void find_peaks(const struct ph_window *window, double peak[3])
{
    enum { PER_POINT = 32 };
    double of[PH_WINDOW_ORDERS][3 * PH_WINDOW_MOST];
    peak[0] = peak[1] = peak[2] = 0.0;
    for (int k = 0; k <= PER_POINT * window->width / 2; ++k) {
        const double d = (double)k / PER_POINT;
        ph_window_fill(window, 2, 1, &d, of);
        for (int o = 0; o < 3; ++o)
            peak[o] = fmax(peak[o], fabs(of[o][0]));
    }
}

/* Sets the units of the density, and the longest dipole and the widest quadrupole that they allow; a little larger, for
 * rounding and for peaks between the places of `find_peaks` */
static void set_scale(const struct ph_system *system, const struct ph_mesh_parts *mesh, struct ph_wave_view *w)
{
    const double more = 1.01;
    double peak[3], charge = 0.0, dipole = 0.0, tensor = 0.0, along = 0.0;
    int power;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_site *site = &system->species[s].site[a];
            charge = fmax(charge, fabs(site->charge));
            dipole = fmax(dipole, ph_vec3_norm(site->dipole));
            double m[6];
            ph_site_tensor(site, m);
            tensor = fmax(tensor, sqrt(ph_tensor_product(m, m)));
        }
    for (int e = 0; e < 3; ++e)
        along = fmax(along, ph_vec3_norm(mesh->to_points[e]));
    find_peaks(mesh->window, peak);
    w->longest = more * dipole * along;
    w->widest = more * 2.0 * tensor * along * along; /* numbers of xy, xz and yz are twice those of M */
    const double bends = 3.0 * peak[0] * peak[2] + 3.0 * peak[1] * peak[1];
    const double most = peak[0] * (peak[0] * (peak[0] * charge + 3.0 * peak[1] * w->longest) + bends * w->widest);
    frexp(fmax(more * most, 1e-250), &power);
    w->scale = ldexp(1.0, PH_DENSITY_BITS - power);
    w->inverse_scale = 1.0 / w->scale;
}

static void set_matrices(const struct ph_system *system, const struct ph_mesh_parts *mesh, struct ph_wave_view *w)
{
    memcpy(w->to_points, mesh->to_points, sizeof w->to_points);
    memcpy(w->dual, mesh->dual, sizeof w->dual);
    set_scale(system, mesh, w);
}

static enum ph_status copy_mesh(const struct ph_machine *machine, const struct ph_system *system, size_t n_sites,
                                const struct ph_mesh_parts *mesh, struct ph_wave_view *w, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (int e = 0; e < 3 && status == PH_OK; ++e) {
        w->points[e] = (uint32_t)mesh->points[e];
        status = plan(machine, w->points[e], &w->fft[e], err);
    }
    const size_t rows = (size_t)w->points[0] * w->points[1];
    w->half = (uint32_t)mesh->waves;
    w->n_waves = rows * w->half;
    w->width = (uint32_t)mesh->window->width;
    w->orders = w->quadrupoles ? 4 : w->dipoles ? 3 : 2;
    set_matrices(system, mesh, w);
    w->window = ph_copy_there(machine, mesh->window, sizeof *mesh->window, &status, err);
    w->factor = ph_copy_there(machine, mesh->factor, w->n_waves * sizeof(double), &status, err);
    w->slope = ph_copy_there(machine, mesh->slope, w->n_waves * sizeof(double), &status, err);
    w->density = (int64_t *)(void *)numbers(machine, rows * w->points[2], &status, err);
    w->remainder = (int64_t *)(void *)numbers(machine, rows * w->points[2], &status, err);
    w->potential = numbers(machine, rows * w->points[2], &status, err);
    w->work = (struct ph_complex *)numbers(machine, 2 * w->n_waves, &status, err);
    w->windows = numbers(machine, 3 * w->orders * w->width * n_sites, &status, err);
    for (int e = 0; e < 3; ++e)
        w->first[e] = machine->allocate(n_sites * sizeof **w->first, &status, err);
    for (int k = 0; k < (w->quadrupoles ? 10 : w->dipoles ? 4 : 1); ++k)
        w->number[k] = numbers(machine, n_sites, &status, err);
    return status;
}

static enum ph_status make_tables(const struct ph_machine *machine, const struct ph_system *system,
                                  const struct ph_pair_table *table, const void *term, struct ph_wave_engine *engine,
                                  struct ph_wave_view *w, struct ph_error *err)
{
    const struct ph_ewald_parts parts = ph_ewald_parts(term);
    const size_t n = system->n;
    w->quadrupoles = parts.quadrupoles;
    enum ph_status status = copy_sites(machine, table, term, w, err);
    const size_t n_sites = n * w->most;
    engine->constant = parts.constant;
    engine->background = parts.background;
    w->present = w->most > 0;
    w->mesh = !parts.waves;
    w->dipoles = parts.dipoles;
    w->remove_net_force = ph_ewald_interactions(term)->ewald.remove_net_force;
    w->surface = parts.surface;
    w->mass = parts.mass;
    if (status == PH_OK)
        status = w->mesh ? copy_mesh(machine, system, n_sites, &parts.mesh, w, err)
                         : copy_waves(machine, n_sites, parts.waves, w, err);
    for (int k = 0; k < 3; ++k) {
        w->field[k] = numbers(machine, n_sites, &status, err);
        w->pull[k] = numbers(machine, n_sites, &status, err);
    }
    for (int k = 0; k < 6 && w->quadrupoles; ++k)
        w->gradient[k] = numbers(machine, n_sites, &status, err);
    w->square = numbers(machine, w->n_waves, &status, err);
    w->sums = numbers(machine, PH_WAVE_SUMS * PH_ENERGY_PARTS, &status, err);
    w->moment = numbers(machine, PH_MOMENTS * n, &status, err);
    w->moment_parts = numbers(machine, PH_MOMENTS * PH_ENERGY_PARTS, &status, err);
    w->moments = numbers(machine, PH_MOMENTS, &status, err);
    engine->sums = malloc(PH_WAVE_SUMS * PH_ENERGY_PARTS * sizeof(double));
    return status == PH_OK && !engine->sums ? PH_ERR_MEMORY : status;
}

static enum ph_status no_room(enum ph_status status, const char *name, const struct ph_system *system,
                              struct ph_error *err)
{
    return status != PH_ERR_MEMORY
               ? status
               : ph_error_set(err, PH_ERR_MEMORY,
                              "The memory of dynamics.backend: %s does not suffice for the Ewald sum of %zu molecules.",
                              name, system->n);
}

/* The same waves or grid in another box */
static enum ph_status fit(const struct ph_machine *machine, const struct ph_system *system,
                          const struct ph_ewald_parts *parts, struct ph_wave_view *w, struct ph_error *err)
{
    const size_t bytes = w->n_waves * sizeof(double);
    const double *factor = w->mesh ? parts->mesh.factor : parts->waves->factor, *slope = parts->mesh.slope;
    double *own = NULL;
    if (w->mesh) {
        set_matrices(system, &parts->mesh, w);
    } else {
        memcpy(w->dual, parts->waves->dual, sizeof w->dual);
        memcpy(w->inverse, parts->waves->inverse, sizeof w->inverse);
        if (!(own = malloc(bytes + 1)))
            return ph_no_memory(err, "%zu reciprocal vectors", w->n_waves);
        find_slopes(parts->waves, own);
        slope = own;
    }
    enum ph_status status = machine->copy_to(w->factor, factor, bytes, err);
    if (status == PH_OK)
        status = machine->copy_to(w->slope, slope, bytes, err);
    free(own);
    return status;
}

enum ph_status ph_wave_engine_renew(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                    const struct ph_pair_table *table, const void *term, bool again,
                                    struct ph_wave_engine *engine, struct ph_wave_view *waves, struct ph_error *err)
{
    const struct ph_ewald_parts parts = ph_ewald_parts(term);
    if (again) {
        ph_wave_engine_release(machine, engine, waves);
        return no_room(make_tables(machine, system, table, term, engine, waves, err), name, system, err);
    }
    engine->background = parts.background;
    waves->surface = parts.surface;
    return fit(machine, system, &parts, waves, err);
}

enum ph_status ph_wave_engine_make(const struct ph_machine *machine, const char *name,
                                   const struct ph_term_setup *setup, struct ph_wave_engine *engine,
                                   struct ph_wave_view *waves, struct ph_error *err)
{
    void *term = NULL; /* as the processor has it, for its tables alone */
    enum ph_status status = ph_term_ewald.create(setup, &term, err);
    if (!term)
        return status;
    status = make_tables(machine, setup->system, &setup->sites->table, term, engine, waves, err);
    ph_term_ewald.destroy(term);
    return no_room(status, name, setup->system, err);
}

void ph_wave_engine_release(const struct ph_machine *machine, struct ph_wave_engine *engine, struct ph_wave_view *waves)
{
    void *const arrays[] = {waves->n_charged, waves->position, waves->dipole,       waves->charge,  waves->factor,
                            waves->slope,     waves->square,   waves->sums,         waves->moment,  waves->moments,
                            waves->part,      waves->wave,     waves->moment_parts, waves->window,  waves->density,
                            waves->potential, waves->work,     waves->number[0],    waves->windows, waves->remainder,
                            waves->tensor};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        machine->release(arrays[k]);
    for (int e = 0; e < 3; ++e) {
        void *const of[] = {waves->field[e], waves->pull[e],  waves->n[e],          waves->turns[e],
                            waves->mu[e],    waves->first[e], waves->number[1 + e], waves->fft[e].root};
        for (size_t k = 0; k < sizeof of / sizeof *of; ++k)
            machine->release(of[k]);
    }
    for (int k = 0; k < 6; ++k) {
        machine->release(waves->gradient[k]);
        machine->release(waves->m[k]);
        machine->release(waves->number[4 + k]);
    }
    free(engine->sums);
    *engine = (struct ph_wave_engine){.sums = NULL};
    *waves = (struct ph_wave_view){.present = false};
}

/* ---- Tasks ---- */

struct step {
    enum ph_wave_task task;
    size_t count;
};

static enum ph_status run_all(const struct ph_machine *machine, size_t n, const struct step step[],
                              struct ph_wave_order order, const struct ph_accel_view *v, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t k = 0; k < n && status == PH_OK; ++k)
        status = machine->run_waves(step[k].task, step[k].count, order, v, err);
    return status;
}

enum ph_status ph_wave_engine_begin(const struct ph_machine *machine, struct ph_wave_order order,
                                    const struct ph_accel_view *v, struct ph_error *err)
{
    const struct ph_wave_view *w = &v->waves;
    const size_t sites = (size_t)v->n * w->most, rows = (size_t)w->points[0] * w->points[1];
    const struct step moments[] = {{PH_WAVES_moment, v->n},
                                   {PH_WAVES_moment_part, PH_MOMENTS * PH_ENERGY_PARTS},
                                   {PH_WAVES_moment_sum, PH_MOMENTS}};
    const struct step direct[] = {{PH_WAVES_turn, sites},
                                  {PH_WAVES_structure, w->n_waves * PH_PARTS},
                                  {PH_WAVES_structure_sum, w->n_waves},
                                  {PH_WAVES_direct_field, sites}};
    const struct step mesh[] = {
        {PH_WAVES_locate, sites},
        {PH_WAVES_clear, rows * w->points[2]},
        {w->quadrupoles ? PH_WAVES_spread_tensors : PH_WAVES_spread, sites * w->width * w->width},
        {PH_WAVES_ROWS, rows},
        {PH_WAVES_COLUMNS, w->points[0]},
        {PH_WAVES_LINES, w->points[1]},
        {PH_WAVES_COLUMNS_BACK, w->points[0]},
        {PH_WAVES_ROWS_BACK, rows},
        {w->quadrupoles ? PH_WAVES_gather_tensors : PH_WAVES_gather, sites}};
    const struct step net[] = {moments[1], moments[2], {PH_WAVES_net, v->n}};
    const struct step push = {PH_WAVES_push, v->n}, energy = {PH_WAVES_wave_sum, PH_WAVE_SUMS * PH_ENERGY_PARTS};
    enum ph_status status = PH_OK;
    if (w->surface.factor != 0.0)
        status = run_all(machine, 3, moments, order, v, err);
    if (status == PH_OK)
        status = w->mesh ? run_all(machine, sizeof mesh / sizeof *mesh, mesh, order, v, err)
                         : run_all(machine, sizeof direct / sizeof *direct, direct, order, v, err);
    if (status == PH_OK)
        status = run_all(machine, 1, &push, order, v, err);
    if (status == PH_OK && w->remove_net_force)
        status = run_all(machine, 3, net, order, v, err);
    if (status == PH_OK && order.energy)
        status = run_all(machine, 1, &energy, order, v, err);
    return status;
}

/* The change of the virial by rigid molecules is among the energies of the molecules. */
enum ph_status ph_wave_engine_add_energy(const struct ph_machine *machine, const struct ph_wave_engine *engine,
                                         const struct ph_accel_view *v, struct ph_energy *energy, struct ph_error *err)
{
    const struct ph_wave_view *w = &v->waves;
    double sums[PH_WAVE_SUMS] = {0.0}, moments[PH_MOMENTS], of_surface[3][3];
    enum ph_status status =
        machine->copy_from(engine->sums, w->sums, PH_WAVE_SUMS * PH_ENERGY_PARTS * sizeof(double), err);
    if (status == PH_OK)
        status = machine->copy_from(moments, w->moments, sizeof moments, err);
    if (status != PH_OK)
        return status;
    for (size_t s = 0; s < PH_WAVE_SUMS; ++s)
        for (size_t part = 0; part < PH_ENERGY_PARTS; ++part)
            sums[s] += engine->sums[s * PH_ENERGY_PARTS + part];
    const struct ph_moments all = {.first = {moments[0], moments[1], moments[2]}, .second = moments[3]};
    const double surface = ph_surface_energy(&w->surface, &all, of_surface);
    for (int a = 0, s = 1; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s) {
            const double virial = (a == b ? sums[0] + engine->background : 0.0) - sums[s];
            energy->virial[a][b] += virial + of_surface[a][b];
            if (a != b)
                energy->virial[b][a] += virial + of_surface[b][a];
        }
    energy->waves += sums[0] + surface + engine->background + engine->constant;
    return PH_OK;
}
