/* SPDX-License-Identifier: MIT */
#include "force/longrange/mesh/mesh_inside.h"

#include "base/array.h"
#include "base/threads.h"
#include "base/vec3.h"

/* How fields and pulls change while sites move with v and dipoles turn with nu, all in points. The density changes as
 * a site's (q + mu.grad) W does, by (q v + nu).grad W + (mu.grad)(v.grad) W, and the potential with it; and the site
 * moves within the potential:
 *   field' = -grad phi' - (v.grad) grad phi
 *   pull'  = -(mu.grad) grad phi' - (nu.grad) grad phi - (mu.grad)(v.grad) grad phi.
 * Quadrupoles add M:grad grad to mu.grad, and M':grad grad to nu.grad; their gradient G = -grad grad phi changes by
 *   G' = -grad grad phi' - (v.grad) grad grad phi. */

enum ph_status ph_mesh_prepare_rates(struct ph_mesh *mesh, struct ph_error *err)
{
    const size_t n = mesh->room;
    const int order = ph_mesh_order(mesh->sites) + 1;
    struct ph_mesh_rates *rates = &mesh->rates;
    if (!rates->spread)
        rates->spread = ph_array_create(n * ph_grid_numbers(order), sizeof(double));
    if (!rates->gathered)
        rates->gathered = ph_array_create(n * ph_grid_numbers(order), sizeof(double));
    if (!rates->of_potential)
        rates->of_potential = ph_array_create(n * ph_grid_numbers(order + 1), sizeof(double));
    if (!mesh->rate.value)
        mesh->rate.value = ph_mesh_grid_values(mesh);
    const bool enough = rates->spread && rates->gathered && rates->of_potential && mesh->rate.value;
    if (enough && mesh->transfer)
        return ph_wave_sites_prepare_rates(mesh->here, err);
    return enough ? PH_OK : ph_no_memory(err, "the rates of the mesh");
}

/* (mu.grad)(v.grad) as numbers of second derivatives */
static void products(const double mu[3], const double v[3], double out[6])
{
    for (int a = 0, s = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b, ++s)
            out[s] = a == b ? mu[a] * v[a] : mu[a] * v[b] + mu[b] * v[a];
}

/* (v.grad) of numbers m of second derivatives, as numbers of third derivatives */
static void triple_products(const double m[6], const double v[3], double out[10])
{
    static const int of[3][6] = {{0, 1, 2, 3, 4, 5}, {1, 3, 4, 6, 7, 8}, {2, 4, 5, 7, 8, 9}};
    memset(out, 0, 10 * sizeof *out);
    for (int a = 0; a < 3; ++a)
        for (int s = 0; s < 6; ++s)
            out[of[a][s]] += m[s] * v[a];
}

/* Third derivatives from t on, along v: as second derivatives */
static void along_third(const double *t, const double v[3], double out[6])
{
    static const int of[6][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}, {3, 6, 7}, {4, 7, 8}, {5, 8, 9}};
    for (int s = 0; s < 6; ++s)
        out[s] = t[of[s][0]] * v[0] + t[of[s][1]] * v[1] + t[of[s][2]] * v[2];
}

/* Adds fourth derivatives from t on, times p, numbers of third derivatives */
static void add_fourth(const double *t, const double p[10], double out[3])
{
    static const int of[3][10] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 3, 4, 6, 7, 8, 10, 11, 12, 13}, {2, 4, 5, 7, 8, 9, 11, 12, 13, 14}};
    for (int a = 0; a < 3; ++a)
        for (int s = 0; s < 10; ++s)
            out[a] += t[of[a][s]] * p[s];
}

static void place_rates(struct ph_mesh *mesh)
{
    const struct ph_wave_sites *sites = mesh->here;
    const size_t numbers = ph_grid_numbers(ph_mesh_order(sites) + 1);
#pragma omp for schedule(dynamic, PH_TURN)
    for (size_t j = 0; j < sites->n; ++j) {
        double *c = mesh->rates.spread + mesh->place[j] * numbers, v[3], mu[3], nu[3], m[6], rate[6];
        ph_mesh_to_points(mesh, sites->r_rate, j, v);
        c[0] = 0.0;
        for (int e = 0; e < 3; ++e)
            c[1 + e] = sites->charge[j] * v[e];
        if (!sites->dipoles)
            continue;
        ph_mesh_to_points(mesh, sites->mu, j, mu);
        ph_mesh_to_points(mesh, sites->mu_rate, j, nu);
        ph_vec3_add(1.0, nu, c + 1);
        products(mu, v, c + 4);
        if (!sites->quadrupoles)
            continue;
        ph_mesh_tensor_to_points(mesh, sites->m, j, m);
        ph_mesh_tensor_to_points(mesh, sites->m_rate, j, rate);
        for (int s = 0; s < 6; ++s)
            c[4 + s] += rate[s];
        triple_products(m, v, c + 10);
    }
}

/* The part of quadrupoles in the rate of the pull, and the rate of the gradient. t and phi: derivatives of the rate of
 * the potential, and of the potential. (v.grad)(M:grad grad) was spread, M':grad grad with (mu.grad)(v.grad). */
static void gather_tensor_rate(const struct ph_mesh *mesh, size_t j, const double *t, const double *phi,
                               const double *spread, const double v[3], double sum[3])
{
    const struct ph_wave_sites *sites = mesh->here;
    double m[6], moved[6], gradient[6];
    ph_mesh_tensor_to_points(mesh, sites->m, j, m);
    ph_tensor_add_third(t + 10, m, sum);
    add_fourth(phi + 20, spread + 10, sum);
    along_third(phi + 10, v, moved);
    for (int s = 0; s < 6; ++s)
        moved[s] += t[4 + s];
    ph_tensor_from_points(mesh->to_points, moved, gradient);
    ph_mesh_set6(sites->gradient_rate, j, gradient);
}

static void gather_rates(const struct ph_mesh *mesh, int order)
{
    const struct ph_wave_sites *sites = mesh->here;
    const struct ph_mesh_rates *rates = &mesh->rates;
    size_t own[2];
    ph_mesh_own_sites(mesh, own);
#pragma omp for schedule(dynamic)
    for (size_t from = own[0]; from < own[1]; from += PH_TURN) {
        const size_t end = ph_turn_end(from, own[1]);
        ph_grid_gather(&mesh->window, order, from, end, mesh->site, &mesh->rate, rates->gathered);
        ph_grid_gather(&mesh->window, order + 1, from, end, mesh->site, &mesh->potential, rates->of_potential);
        for (size_t s = from; s < end; ++s) {
            const size_t j = mesh->site[s].number;
            const double *t = rates->gathered + s * ph_grid_numbers(order);
            const double *phi = rates->of_potential + s * ph_grid_numbers(order + 1);
            const double *spread = rates->spread + s * ph_grid_numbers(order);
            double v[3], mu[3], nu[3], sum[3], more[3], out[3];
            ph_mesh_to_points(mesh, sites->r_rate, j, v);
            ph_tensor_times(phi + 4, v, sum);
            ph_vec3_add(1.0, t + 1, sum);
            ph_mesh_minus_gradient(mesh, sum, out);
            ph_mesh_set3(sites->field_rate, j, out);
            if (!sites->dipoles)
                continue;
            ph_mesh_to_points(mesh, sites->mu, j, mu);
            ph_mesh_to_points(mesh, sites->mu_rate, j, nu);
            ph_tensor_times(t + 4, mu, sum);
            ph_tensor_times(phi + 4, nu, more);
            ph_vec3_add(1.0, more, sum);
            ph_tensor_add_third(phi + 10, spread + 4, sum);
            if (sites->quadrupoles)
                gather_tensor_rate(mesh, j, t, phi, spread, v, sum);
            ph_mesh_minus_gradient(mesh, sum, out);
            ph_mesh_set3(sites->pull_rate, j, out);
        }
    }
}

void ph_mesh_rates(struct ph_mesh *mesh)
{
    const int order = ph_mesh_order(mesh->sites) + 1;
    if (mesh->transfer)
        ph_mesh_send_rates(mesh);
#pragma omp parallel num_threads(ph_mesh_threads_now(mesh))
    {
        place_rates(mesh);
        ph_mesh_spread_all(mesh, order, NULL, mesh->rates.spread, &mesh->rate);
        ph_mesh_transform_all(mesh, false, &mesh->rate);
        gather_rates(mesh, order);
    }
    if (mesh->transfer)
        ph_mesh_bring_back(mesh, true);
}
