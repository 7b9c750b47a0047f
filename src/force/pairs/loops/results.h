/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_RESULTS_H
#define PH_FORCE_PAIRS_LOOPS_RESULTS_H

/* Where the results of kernels go: to the sums of a tile, or to a log, see help.h. */

#include "force/pairs/loops/gathered.h"

/* An entry of a log: a site of molecule i, or rows of neighbours. Numbers follow. */
struct ph_log_entry {
    const void *what; /* the pair of sites; the list of these neighbours */
    uint32_t n, at;   /* 0, molecule i; neighbours, fields */
};
enum { PH_LOG_ENTRY = sizeof(struct ph_log_entry) / sizeof(double), PH_LOG_SITE = PH_LOG_ENTRY + 6 };
_Static_assert(sizeof(struct ph_log_entry) % sizeof(double) == 0, "entries lie among doubles");

/* Adds force and field of a site of molecule i. */
PH_INLINE void ph_results_add_site(const struct ph_site_pair *pair, const double force[3], const double field[3],
                                   struct ph_tile *tile, size_t i)
{
    for (size_t x = 0; x < 3; ++x) {
        *ph_field_at(tile->out, tile, pair->position_i + x, i) += force[x];
        if (pair->dipole_i != pair->position_i)
            *ph_field_at(tile->out, tile, pair->dipole_i + x, i) += field[x];
    }
}

/* Adds rows of n neighbours. */
static inline void ph_results_add_rows(struct ph_tile *tile, size_t n_fields, const void *list, size_t n,
                                       struct ph_gathered *g)
{
    PH_FOR_FIELDS(n_fields, PH_FOR_INDICES(tile->index_bytes, ph_scatter_fields(tile->out, tile->local_step, FIELDS,
                                                                                list, BYTES, n, g->out)))
}

static inline void ph_log_site(struct ph_log *log, const struct ph_site_pair *pair, const double force[3],
                               const double field[3], size_t i)
{
    const struct ph_log_entry entry = {pair, 0, (uint32_t)i};
    memcpy(log->at, &entry, sizeof entry);
    memcpy(log->at + PH_LOG_ENTRY, force, 3 * sizeof(double));
    memcpy(log->at + PH_LOG_ENTRY + 3, field, 3 * sizeof(double));
    log->at += PH_LOG_SITE;
}

static inline void ph_log_rows(struct ph_log *log, size_t n_fields, const void *list, size_t n,
                               const struct ph_gathered *g)
{
    const struct ph_log_entry entry = {list, (uint32_t)n, (uint32_t)n_fields};
    memcpy(log->at, &entry, sizeof entry);
    log->at += PH_LOG_ENTRY;
    for (size_t f = 0; f < n_fields; ++f, log->at += n)
        memcpy(log->at, g->out[f], n * sizeof(double));
}

/* Adds the entries of a log, in their order, and nothing else to sums. */
static inline void ph_log_add(const double *from, const double *end, struct ph_tile *tile, struct ph_gathered *g)
{
    while (from < end) {
        struct ph_log_entry entry;
        memcpy(&entry, from, sizeof entry);
        from += PH_LOG_ENTRY;
        if (entry.n == 0) {
            ph_results_add_site(entry.what, from, from + 3, tile, entry.at);
            from += 6;
            continue;
        }
        for (size_t f = 0; f < entry.at; ++f, from += entry.n)
            memcpy(g->out[f], from, entry.n * sizeof(double));
        ph_results_add_rows(tile, entry.at, entry.what, entry.n, g);
    }
}

#endif
