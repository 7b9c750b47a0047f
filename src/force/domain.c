/* SPDX-License-Identifier: MIT */
#include "force/domain.h"

#include "base/lanes.h"

#include <stdlib.h>

void ph_domains_clear(struct ph_domains *domains)
{
    for (size_t d = 0; d < domains->n && domains->domain; ++d) { /* NULL: there was no memory for them */
        struct ph_domain *domain = &domains->domain[d];
        free(domain->molecule);
        free(domain->image);
        free(domain->couple);
        free(domain->begin);
        free(domain->part_end);
        free(domain->neighbour);
        free(domain->near);
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
        const size_t least = record < 4 ? 4 : record; /* thinning keeps centres and lists here */
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

enum ph_status ph_domain_reserve_lists(struct ph_domain *domain, size_t n_lists, size_t n_indices, size_t n_local,
                                       struct ph_error *err)
{
    domain->index_bytes = n_local <= (size_t)UINT16_MAX + 1 ? sizeof(uint16_t) : sizeof(uint32_t);
    const size_t bytes = (n_indices + 1) * domain->index_bytes;
    if (n_lists + 1 > domain->room_lists) {
        domain->room_lists = roomy(n_lists + 1);
        free(domain->couple);
        free(domain->begin);
        free(domain->part_end);
        domain->couple = malloc(domain->room_lists * sizeof *domain->couple);
        domain->begin = malloc(domain->room_lists * sizeof *domain->begin);
        domain->part_end = malloc(domain->room_lists * sizeof *domain->part_end);
    }
    if (bytes > domain->room_bytes) {
        domain->room_bytes = roomy(bytes);
        free(domain->neighbour);
        free(domain->near);
        domain->neighbour = malloc(domain->room_bytes);
        domain->near = malloc(domain->room_bytes);
    }
    if (domain->couple && domain->begin && domain->part_end && domain->neighbour && domain->near)
        return PH_OK;
    domain->room_lists = domain->room_bytes = 0;
    return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu neighbours.", n_indices);
}

void ph_domain_unpack(const struct ph_domain *domain, const void *list, size_t begin, size_t n,
                      uint32_t *restrict index)
{
    if (domain->index_bytes == sizeof(uint32_t)) {
        memcpy(index, (const uint32_t *)list + begin, n * sizeof *index);
        return;
    }
    const uint16_t *restrict packed = (const uint16_t *)list + begin;
    for (size_t k = 0; k < n; ++k)
        index[k] = packed[k];
}

void ph_domain_pack(const struct ph_domain *domain, size_t n, const uint32_t *restrict index, void *list, size_t begin)
{
    if (domain->index_bytes == sizeof(uint32_t)) {
        memcpy((uint32_t *)list + begin, index, n * sizeof *index);
        return;
    }
    uint16_t *restrict packed = (uint16_t *)list + begin;
    for (size_t k = 0; k < n; ++k)
        packed[k] = (uint16_t)index[k];
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
static void find_centres(const struct ph_system *system, const double shift[][3], const struct ph_domain *domain,
                         double (*restrict centre)[4])
{
    for (size_t l = 0; l < domain->n_local; ++l)
        for (int x = 0; x < 3; ++x)
            centre[l][x] = system->r[x][domain->molecule[l]] + shift[domain->image[l]][x];
}

PH_INLINE double distance2(const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* Sorts the n neighbours of a couple into parts, each in the order of the list, for which there is room at part[..].
 * Every neighbour is written to the end of every part, and the ends of those move on to which it belongs: no branch to
 * guess, no count in memory to wait for. */
static void sort_list(const double (*restrict centre)[4], uint32_t first, uint32_t second, double inside2,
                      double radius2, size_t n, const uint32_t *restrict list, uint32_t *const part[PH_PARTS],
                      size_t count[PH_PARTS])
{
    uint32_t *restrict inside = part[PH_PART_INSIDE], *restrict all = part[PH_PART_ALL];
    uint32_t *restrict of_first = part[PH_PART_FIRST], *restrict of_second = part[PH_PART_SECOND];
    size_t n_inside = 0, n_all = 0, n_first = 0, n_second = 0;
    const double a[3] = {centre[first][0], centre[first][1], centre[first][2]};
    const double b[3] = {centre[second][0], centre[second][1], centre[second][2]};
    for (size_t k = 0; k < n; ++k) {
        const uint32_t j = list[k];
        const double one = distance2(a, centre[j]), other = distance2(b, centre[j]);
        const unsigned near_first = one < radius2;
        const unsigned near_second = (other < radius2) & (j != second); /* who is in the list of the first alone */
        const unsigned near_both = near_first & near_second, within = (one < inside2) & (other < inside2) & near_both;
        inside[n_inside] = all[n_all] = of_first[n_first] = of_second[n_second] = j;
        n_inside += within;
        n_all += near_both ^ within;
        n_first += near_first & ~near_second;
        n_second += near_second & ~near_first;
    }
    count[PH_PART_INSIDE] = n_inside;
    count[PH_PART_ALL] = n_all;
    count[PH_PART_FIRST] = n_first;
    count[PH_PART_SECOND] = n_second;
}

/* The same for a molecule without a partner */
static void sort_single_list(const double (*restrict centre)[4], uint32_t first, double inside2, double radius2,
                             size_t n, const uint32_t *restrict list, uint32_t *const part[PH_PARTS],
                             size_t count[PH_PARTS])
{
    uint32_t *restrict inside = part[PH_PART_INSIDE], *restrict all = part[PH_PART_ALL];
    size_t n_inside = 0, n_all = 0;
    const double a[3] = {centre[first][0], centre[first][1], centre[first][2]};
    for (size_t k = 0; k < n; ++k) {
        const uint32_t j = list[k];
        const double distance = distance2(a, centre[j]);
        const unsigned near = distance < radius2, within = near & (distance < inside2);
        inside[n_inside] = all[n_all] = j;
        n_inside += within;
        n_all += near ^ within;
    }
    count[PH_PART_INSIDE] = n_inside;
    count[PH_PART_ALL] = n_all;
    count[PH_PART_FIRST] = count[PH_PART_SECOND] = 0;
}

static void thin_domain(const struct ph_system *system, const double shift[][3], double inside2, double radius2,
                        struct ph_domain *domain)
{
    double(*centre)[4] = (double(*)[4])(void *)domain->out;
    find_centres(system, shift, domain, centre);
    uint32_t *part[PH_PARTS]; /* in other places that are free until the next pair loop */
    const size_t room = domain->n_local + 1, n_species = system->n_species;
    for (size_t p = 0; p < PH_PARTS; ++p)
        part[p] = (uint32_t *)(void *)domain->in + p * room;
    uint32_t *all = (uint32_t *)(void *)domain->in + PH_PARTS * room; /* neighbours of a couple, of all species */
    domain->pairs = 0;
    for (size_t c = 0; c < domain->n_couples; ++c) {
        const uint32_t first = domain->couple[c], second = domain->couple[c + 1] - 1;
        const uint32_t *begins = domain->begin + c * n_species;
        ph_domain_unpack(domain, domain->neighbour, begins[0], begins[n_species] - begins[0], all);
        for (size_t s = 0; s < n_species; ++s) {
            const size_t begin = begins[s], n = begins[s + 1] - begin;
            const uint32_t *neighbours = all + (begin - begins[0]);
            uint32_t *end = domain->part_end[c * n_species + s];
            size_t count[PH_PARTS], k = 0;
            if (first == second)
                sort_single_list((const double(*)[4])centre, first, inside2, radius2, n, neighbours, part, count);
            else
                sort_list((const double(*)[4])centre, first, second, inside2, radius2, n, neighbours, part, count);
            for (size_t p = 0; p < PH_PARTS; ++p) {
                ph_domain_pack(domain, count[p], part[p], domain->near, begin + k);
                end[p] = (uint32_t)(k += count[p]);
            }
            domain->pairs += end[PH_PARTS - 1] + (first == second ? 0 : end[PH_PART_ALL]);
        }
    }
}

void ph_domains_thin(const struct ph_system *system, double inside, double radius, struct ph_domains *domains)
{
    for (int k = 0; k < 3; ++k)
        memcpy(domains->thinned_at[k], system->r[k], system->n * sizeof(double));
    const double inside2 = inside > 0.0 ? inside * inside : 0.0;
    const double(*shift)[3] = (const double(*)[3])domains->shift;
    if (domains->n == 1) { /* no parallel region, see base/threads.h */
        thin_domain(system, shift, inside2, radius * radius, &domains->domain[0]);
        return;
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t d = 0; d < domains->n; ++d)
        thin_domain(system, shift, inside2, radius * radius, &domains->domain[d]);
}
