/* SPDX-License-Identifier: MIT */
#include "force/domain.h"

#include "base/lanes.h"

#include <stdlib.h>

void ph_domains_clear(struct ph_domains *domains)
{
    for (size_t d = 0; d < domains->n; ++d) {
        struct ph_domain *domain = &domains->domain[d];
        free(domain->molecule);
        free(domain->image);
        free(domain->begin);
        free(domain->n_inside);
        free(domain->n_near);
        free(domain->neighbour);
        free(domain->in);
        free(domain->out);
    }
    free(domains->domain);
    free(domains->first);
    free(domains->copy_domain);
    free(domains->copy_local);
    for (int k = 0; k < 3; ++k) {
        free(domains->built_at[k]);
        free(domains->thinned_at[k]);
    }
    *domains = (struct ph_domains){.n = 0};
}

static void *aligned_doubles(size_t n)
{
    const size_t line = 64 / sizeof(double);
    return aligned_alloc(64, (n + line - 1) / line * line * sizeof(double));
}

/* Enough room for a while: lists made anew are of nearly the same size. */
static size_t roomy(size_t needed) { return needed + needed / 16 + 64; }

enum ph_status ph_domain_reserve(struct ph_domain *domain, size_t n_local, size_t n_fields, bool side_by_side,
                                 struct ph_error *err)
{
    const size_t record = (n_fields + 1) / 2 * 2, row = (n_local + PH_LANES) / PH_LANES * PH_LANES;
    domain->n_local = n_local;
    domain->field_step = side_by_side ? 1 : row;
    domain->local_step = side_by_side ? record : 1;
    if (row > domain->room_locals) {
        const size_t room = (roomy(row) + PH_LANES - 1) / PH_LANES * PH_LANES;
        const size_t least = record < 3 ? 3 : record; /* thinning keeps three coordinates here */
        domain->room_locals = room;
        free(domain->in);
        free(domain->out);
        free(domain->molecule);
        free(domain->image);
        domain->in = aligned_doubles(least * room);
        domain->out = aligned_doubles(least * room);
        domain->molecule = malloc(room * sizeof *domain->molecule);
        domain->image = malloc(room);
    }
    if (!domain->in || !domain->out || !domain->molecule || !domain->image) {
        domain->room_locals = 0;
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for a domain of %zu molecules.", n_local);
    }
    memset(domain->image, PH_IMAGES * PH_IMAGES * PH_IMAGES / 2, n_local);
    return PH_OK;
}

enum ph_status ph_domain_reserve_lists(struct ph_domain *domain, size_t n_lists, size_t n_indices, struct ph_error *err)
{
    if (n_lists + 1 > domain->room_lists) {
        domain->room_lists = roomy(n_lists + 1);
        free(domain->begin);
        free(domain->n_inside);
        free(domain->n_near);
        domain->n_inside = malloc(domain->room_lists * sizeof *domain->n_inside);
        domain->begin = malloc(domain->room_lists * sizeof *domain->begin);
        domain->n_near = malloc(domain->room_lists * sizeof *domain->n_near);
    }
    if (n_indices + 1 > domain->room_indices) {
        domain->room_indices = roomy(n_indices + 1);
        free(domain->neighbour);
        domain->neighbour = malloc(domain->room_indices * sizeof *domain->neighbour);
    }
    if (domain->begin && domain->n_inside && domain->n_near && domain->neighbour)
        return PH_OK;
    domain->room_lists = domain->room_indices = 0;
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu neighbours.", n_indices);
}

enum ph_status ph_domains_index(size_t n_molecules, struct ph_domains *domains, struct ph_error *err)
{
    size_t n_copies = 0;
    for (size_t d = 0; d < domains->n; ++d)
        n_copies += domains->domain[d].n_local;
    if (!domains->first)
        domains->first = malloc((n_molecules + 2) * sizeof *domains->first);
    if (n_copies > domains->room_copies) {
        domains->room_copies = roomy(n_copies);
        free(domains->copy_domain);
        free(domains->copy_local);
        domains->copy_domain = malloc(domains->room_copies * sizeof *domains->copy_domain);
        domains->copy_local = malloc(domains->room_copies * sizeof *domains->copy_local);
    }
    if (!domains->first || !domains->copy_domain || !domains->copy_local) {
        domains->room_copies = 0;
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the table of %zu copies of molecules.", n_copies);
    }
    memset(domains->first, 0, (n_molecules + 2) * sizeof *domains->first);
    uint32_t *count = domains->first + 2; /* two places ahead, so that filling leaves the starts in place */
    for (size_t d = 0; d < domains->n; ++d)
        for (size_t l = 0; l < domains->domain[d].n_local; ++l)
            ++count[domains->domain[d].molecule[l]];
    for (size_t i = 1; i < n_molecules; ++i)
        count[i] += count[i - 1];
    uint32_t *next = domains->first + 1;
    for (size_t d = 0; d < domains->n; ++d)
        for (size_t l = 0; l < domains->domain[d].n_local; ++l) {
            const uint32_t place = next[domains->domain[d].molecule[l]]++;
            domains->copy_domain[place] = (uint32_t)d;
            domains->copy_local[place] = (uint32_t)l;
        }
    return PH_OK;
}

enum ph_status ph_domains_all_pairs(const struct ph_system *system, size_t n_fields, struct ph_domains *domains,
                                    struct ph_error *err)
{
    enum { MOLECULES_EACH = 32, MOST = 16 }; /* a matter of the system, not of threads */
    const size_t n = system->n, wanted = n / MOLECULES_EACH;
    *domains = (struct ph_domains){.n = wanted < 1 ? 1 : wanted > MOST ? MOST : wanted};
    domains->domain = calloc(domains->n, sizeof *domains->domain);
    if (!domains->domain)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for domains.");
    /* Row i has n-1-i pairs: cut where the area above is the domain's share. */
    size_t start = 0;
    for (size_t d = 0; d < domains->n; ++d) {
        const double rest = sqrt(1.0 - (double)(d + 1) / (double)domains->n);
        const size_t end = d + 1 == domains->n ? n : (size_t)((1.0 - rest) * (double)n);
        struct ph_domain *domain = &domains->domain[d];
        const enum ph_status status = ph_domain_reserve(domain, n - start, n_fields, false, err);
        if (status != PH_OK)
            return status;
        domain->n_home = end - start;
        for (size_t l = 0; l < n - start; ++l)
            domain->molecule[l] = (uint32_t)(start + l);
        domain->pairs = (end - start) * (n - start) - (end - start) * (end - start + 1) / 2;
        start = end;
    }
    return ph_domains_index(n, domains, err);
}

/* ---- Thinning ---- */

/* Centres of the copies, in places that the next pair loop overwrites */
static void find_centres(const struct ph_system *system, const double shift[][3], struct ph_domain *domain,
                         double *restrict x, double *restrict y, double *restrict z)
{
    for (size_t l = 0; l < domain->n_local; ++l) {
        const size_t i = domain->molecule[l];
        const double *s = shift[domain->image[l]];
        x[l] = system->r[0][i] + s[0];
        y[l] = system->r[1][i] + s[1];
        z[l] = system->r[2][i] + s[2];
    }
}

static void thin_domain(const struct ph_system *system, const double shift[][3], double inside2, double radius2,
                        struct ph_domain *domain)
{
    const size_t n_lists = domain->n_home * system->n_species;
    double *restrict x = domain->out, *restrict y = x + domain->n_local, *restrict z = y + domain->n_local;
    find_centres(system, shift, domain, x, y, z);
    /* the second and third part of one list, in other places that are free until the next pair loop */
    uint32_t *restrict edge = (uint32_t *)(void *)domain->in, *restrict far = edge + domain->n_local + 1;
    domain->pairs = 0;
    for (size_t list = 0; list < n_lists; ++list) {
        const size_t i = list / system->n_species, n = domain->begin[list + 1] - domain->begin[list];
        const double xi = x[i], yi = y[i], zi = z[i];
        uint32_t *restrict neighbour = domain->neighbour + domain->begin[list];
        size_t n_inside = 0, n_edge = 0;
        for (size_t k = 0; k < n; ++k) { /* written to all three, counted in one */
            const uint32_t j = neighbour[k];
            const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j], distance2 = dx * dx + dy * dy + dz * dz;
            const size_t inside = distance2 < inside2, near = distance2 < radius2;
            far[k - n_inside - n_edge] = j;
            edge[n_edge] = j;
            neighbour[n_inside] = j;
            n_inside += inside;
            n_edge += near - inside;
        }
        memcpy(neighbour + n_inside, edge, n_edge * sizeof *edge);
        memcpy(neighbour + n_inside + n_edge, far, (n - n_inside - n_edge) * sizeof *far);
        domain->n_inside[list] = (uint32_t)n_inside;
        domain->n_near[list] = (uint32_t)(n_inside + n_edge);
        domain->pairs += n_inside + n_edge;
    }
}

void ph_domains_thin(const struct ph_system *system, double inside, double radius, struct ph_domains *domains)
{
    for (int k = 0; k < 3; ++k)
        memcpy(domains->thinned_at[k], system->r[k], system->n * sizeof(double));
    const double inside2 = inside > 0.0 ? inside * inside : 0.0;
#pragma omp parallel for schedule(dynamic) if (domains->n > 1)
    for (size_t d = 0; d < domains->n; ++d)
        thin_domain(system, (const double(*)[3])domains->shift, inside2, radius * radius, &domains->domain[d]);
}
