/* SPDX-License-Identifier: MIT */
/* Pair lists of the term of all pairs: how long they hold, and how they are made and thinned out. */

#include "force/pairs/pairs_inside.h"

#include "base/threads.h"
#include "parallel/spent.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Finds the map from points of a box with these edges to points of the present box: exactly the unit matrix if both are
 * the same */
static void find_strain(const struct ph_box *box, const double edge[3][3], double map[3][3])
{
    struct ph_box before;
    const bool same = memcmp(edge, box->edge, sizeof box->edge) == 0;
    if (!same)
        ph_box_init_periodic(edge, &before, NULL); /* it has been a box */
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            map[a][b] = a == b ? 1.0 : 0.0;
            for (int k = 0; k < 3 && !same; ++k)
                map[a][b] += (box->edge[k][a] - edge[k][a]) * before.inverse[k][b];
        }
}

/* A list holds all pairs that were nearer than reach + skin. Let the box have changed by a map 1 + E since, and centres
 * by this map and a displacement of at most u. Then distances of all other pairs are at least (1 - |E|) (reach + skin)
 * - 2 u, with |E| the root of the sum of squares. The result is the largest u that keeps them out of reach. (For pairs
 * that were nearer than inside - skin, and have to stay inside, it is more than enough.) */
static double allowed(const struct ph_pairs *pairs, double skin, const double map[3][3])
{
    double square = 0.0;
    for (int k = 0; k < 9; ++k) {
        const double e = map[k / 3][k % 3] - (k % 4 == 0 ? 1.0 : 0.0);
        square += e * e;
    }
    return 0.5 * (skin - sqrt(square) * (pairs->reach + skin));
}

/* Whether some of the molecules begin .. end have moved further, or are NaN */
static bool any_further(const struct ph_displaced *d, size_t begin, size_t end)
{
    const double *restrict x = d->x, *restrict y = d->y, *restrict z = d->z;
    const double *restrict x0 = d->x0, *restrict y0 = d->y0, *restrict z0 = d->z0;
    const double xx = d->map[0][0], xy = d->map[0][1], xz = d->map[0][2], yx = d->map[1][0], yy = d->map[1][1];
    const double yz = d->map[1][2], zx = d->map[2][0], zy = d->map[2][1], zz = d->map[2][2], most2 = d->most2;
    double gone = 0.0;
#pragma omp simd reduction(+ : gone)
    for (size_t i = begin; i < end; ++i) {
        const double dx = x[i] - (xx * x0[i] + xy * y0[i] + xz * z0[i]);
        const double dy = y[i] - (yx * x0[i] + yy * y0[i] + yz * z0[i]);
        const double dz = z[i] - (zx * x0[i] + zy * y0[i] + zz * z0[i]);
        gone += dx * dx + dy * dy + dz * dz < most2 ? 0.0 : 1.0; /* 1 for NaN too */
    }
    return gone > 0.0;
}

/* From old positions, by the change of the box since */
static struct ph_displaced displaced_from(const struct ph_pairs *pairs, const struct ph_system *system,
                                          double *const from[3], const double edge[3][3], double skin)
{
    struct ph_displaced d = {system->r[0], system->r[1], system->r[2], from[0], from[1], from[2], .most2 = 0.0};
    find_strain(&system->box, edge, d.map);
    const double most = allowed(pairs, skin, (const double(*)[3])d.map);
    d.most2 = most > 0.0 ? most * most : 0.0;
    return d;
}

/* Work on the lists before an evaluation: two molecules may both move by half a skin before a pair is missed. */
enum { LIST_MAKE = 1, LIST_THIN = 2 };

static unsigned wanted_by(const struct ph_displaced d[2], size_t begin, size_t end)
{
    return (any_further(&d[0], begin, end) ? LIST_MAKE : 0) | (any_further(&d[1], begin, end) ? LIST_THIN : 0);
}

/* If ranks share molecules, each checks its own. In turns, so that the second check finds them in the cache. */
static unsigned wanted_by_own(const struct ph_displaced d[2], const struct ph_system *system,
                              const struct ph_owned *own)
{
    unsigned wanted = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_places at = ph_own_places(own, system->first, s);
        for (size_t from = at.begin; from < at.end; from += PH_TURN)
            wanted |= wanted_by(d, from, ph_turn_end(from, at.end));
    }
    return wanted;
}

void ph_pairs_thin(struct ph_pairs *pairs, const struct ph_system *system)
{
    ++pairs->lists_thinned;
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_THIN);
    memcpy(pairs->boxes[1], system->box.edge, sizeof system->box.edge);
    ph_tiles_thin(system, ph_pairs_known(pairs), pairs->sites->table.kind_end, pairs->inside - pairs->near_skin,
                  pairs->reach + pairs->near_skin, &pairs->tiles);
    ph_spent_begin(before);
}

/* Both have the same skin, so that the short list holds as long as the long one does. */
static enum ph_status draw(struct ph_pairs *pairs, const struct ph_system *system, struct ph_error *err)
{
    ++pairs->lists_made;
    const enum ph_status status = ph_tiles_draw(system, &pairs->of->tiles, pairs->reach + pairs->skin,
                                                pairs->sites->table.n_fields, &pairs->tiles, err);
    memcpy(pairs->boxes[0], system->box.edge, sizeof system->box.edge);
    pairs->stale = false;
    return status;
}

/* Returns true if a failed list build has left molecules on their owners: owners had been chosen `plans` times before
 * (0 if each rank has a range of numbers). Then ranks can continue from another state. */
static bool stayed(const struct ph_pairs *pairs, size_t plans)
{
    return pairs->tiles.share && pairs->tiles.share->plans == plans;
}

enum ph_status ph_pairs_make_list(struct ph_pairs *pairs, struct ph_system *system, struct ph_error *err)
{
    const size_t n_fields = pairs->sites->table.n_fields;
    const struct ph_owned *own = ph_pairs_known(pairs);
    const bool divided = ph_pairs_is_divided(pairs);
    const size_t plans = pairs->tiles.share ? pairs->tiles.share->plans : 0;
    ++pairs->lists_made;
    const enum ph_spent_part before = ph_spent_begin(PH_SPENT_MAKE);
    if (own)
        ph_system_wrap_these(system, own->n, own->molecule);
    else if (!pairs->all_pairs)
        ph_system_wrap(system);
    enum ph_status status = pairs->all_pairs
                                ? ph_tiles_all_pairs(system, n_fields, &pairs->tiles, err)
                                : ph_tiles_neighbours(system, divided ? pairs->sites->state : NULL,
                                                      pairs->reach + pairs->skin, n_fields, &pairs->tiles, err);
    if (status == PH_OK && pairs->drawn)
        status = draw(pairs->drawn, system, err);
    if (status != PH_OK && pairs->drawn)
        ph_tiles_clear(&pairs->drawn->tiles);
    const bool kept = status != PH_OK && own && stayed(pairs, plans);
    if (status != PH_OK && !kept)
        ph_tiles_clear(&pairs->tiles);
    else if (status == PH_OK && divided)
        ph_pairs_vacate_state(pairs, system);
    memcpy(pairs->boxes[0], system->box.edge, sizeof system->box.edge);
    pairs->stale = kept;
    ph_spent_begin(before);
    return status;
}

/* Builds all lists and thins them out, so that all of them can be used. */
static enum ph_status make_lists(struct ph_pairs *pairs, struct ph_system *system, struct ph_error *err)
{
    struct ph_pairs *from = pairs->of ? pairs->of : pairs;
    const enum ph_status status = ph_pairs_make_list(from, system, err);
    if (status == PH_OK && !from->all_pairs)
        ph_pairs_thin(from, system);
    if (status == PH_OK && from->drawn)
        ph_pairs_thin(from->drawn, system);
    return status;
}

/* Returns true if lists must be made whatever the molecules did. */
static bool has_no_lists(const struct ph_pairs *pairs)
{
    const struct ph_pairs *from = pairs->of ? pairs->of : pairs;
    return from->tiles.n == 0 || (from->stale && !from->all_pairs);
}

static void begin_looking(struct ph_pairs *pairs, const struct ph_system *system)
{
    const struct ph_pairs *from = pairs->of ? pairs->of : pairs;
    pairs->since[0] =
        displaced_from(from, system, from->tiles.built_at, (const double(*)[3])from->boxes[0], from->skin);
    pairs->since[1] =
        displaced_from(pairs, system, pairs->tiles.thinned_at, (const double(*)[3])pairs->boxes[1], pairs->near_skin);
    pairs->seen = 0;
}

bool ph_pairs_begin_look(void *term, const struct ph_system *system)
{
    struct ph_pairs *pairs = term;
    if (pairs->all_pairs || ph_pairs_owners(pairs) || has_no_lists(pairs))
        return false;
    begin_looking(pairs, system);
    return pairs->looking = true;
}

void ph_pairs_look(void *term, size_t begin, size_t end)
{
    struct ph_pairs *pairs = term;
    const unsigned wanted = wanted_by(pairs->since, begin, end);
    if (wanted) {
#pragma omp atomic
        pairs->seen |= wanted;
    }
}

void ph_pairs_drop_look(void *term) { ((struct ph_pairs *)term)->looking = false; }

static unsigned wanted(struct ph_pairs *pairs, const struct ph_system *system)
{
    const bool looked = pairs->looking;
    pairs->looking = false;
    if (looked)
        return pairs->seen;
    if (has_no_lists(pairs))
        return LIST_MAKE;
    if (pairs->all_pairs)
        return 0;
    begin_looking(pairs, system);
    const struct ph_share *share = ph_pairs_owners(pairs);
    return share ? wanted_by_own(pairs->since, system, &share->owners.own) : wanted_by(pairs->since, 0, system->n);
}

/* Updates remote molecules on a rank that has only the present state of its own. Begins an exchange of ghosts, which
 * travel during other work; with a new list, after it is built. */
static enum ph_status update_shared(struct ph_pairs *pairs, unsigned want, struct ph_system *system,
                                    struct ph_error *err)
{
    double *const row[] = {system->r[0], system->r[1], system->r[2], system->q[0],
                           system->q[1], system->q[2], system->q[3]};
    enum { ROWS = sizeof row / sizeof *row };
    if (want & LIST_MAKE) {
        const enum ph_status status = make_lists(pairs, system, err);
        if (status != PH_OK)
            return status;
    }
    ph_share_begin_ghosts(pairs->tiles.share, ROWS, row);
    if (want == LIST_THIN) {
        ph_share_finish_ghosts(pairs->tiles.share, ROWS, row);
        ph_pairs_thin(pairs, system);
    }
    return PH_OK;
}

enum ph_status ph_pairs_update_list(void *term, struct ph_system *system, struct ph_error *err)
{
    struct ph_pairs *pairs = term;
    struct ph_share *share = ph_pairs_owners(pairs);
    if (share)
        ph_share_withdraw(share);
    assert(pairs->sites->state || !share || !share->owners.distributed);
    unsigned want = wanted(pairs, system);
    enum ph_status status = share ? ph_share_meet(share, &want, err) : PH_OK;
    pairs->refused = status != PH_OK;
    if (status == PH_OK && ph_pairs_is_divided(pairs))
        return update_shared(pairs, want, system, err);
    if (status == PH_OK && want & LIST_MAKE)
        return make_lists(pairs, system, err);
    if (status == PH_OK && want)
        ph_pairs_thin(pairs, system);
    return status;
}
