/* SPDX-License-Identifier: MIT */
/* The term of all pairs of sites: pair lists, tiles, and what the pair loops find, summed to forces and torques. */

#include "force/pairs/pairs.h"
#include "base/array.h"
#include "base/threads.h"
#include "base/vec3.h"
#include "force/pairs/derivative.h"
#include "force/pairs/pair_loop.h"
#include "force/pairs/share.h"
#include "force/pairs/shared_loop.h"
#include "force/pairs/tile.h"
#include "force/term.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pairs {
    const struct ph_sites *sites;        /* not owned */
    struct pairs *of, *drawn;            /* not owned: whose lists these are drawn from; which are drawn from these */
    struct ph_interactions interactions; /* overrides not kept */
    struct ph_tiles tiles;
    bool all_pairs;
    double skin, near_skin;
    double inside, reach;            /* of centres: nearer pairs are before the switch, further ones do not interact */
    struct ph_derivative derivative; /* scratch of force derivatives, if ever wanted */
    bool stale;                      /* the list must be made anew */
    double boxes[2][3][3];           /* edges of the box when the list was made, and when it was thinned out */
    size_t lists_made, lists_thinned;
};

/* ---- Set-up ---- */

static void destroy(void *term)
{
    struct pairs *pairs = term;
    ph_tiles_clear(&pairs->tiles);
    ph_derivative_clear(&pairs->derivative);
    free(pairs);
}

enum ph_status ph_pairs_check_cutoff(const struct ph_system *system, const struct ph_interactions *interactions,
                                     struct ph_error *err)
{
    const bool open = system->box.kind == PH_BOX_OPEN;
    if (interactions->truncation == PH_TRUNCATE_NONE) {
        if (open && interactions->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD)
            return ph_error_set(err, PH_ERR_INPUT, "A reaction field needs interactions.cutoff: it begins there.");
        if (open)
            return PH_OK;
        return ph_error_set(err, PH_ERR_INPUT,
                            "A periodic box needs interactions.cutoff: without one there are infinitely many pairs.");
    }
    if (!(interactions->cutoff > 0.0))
        return ph_error_set(err, PH_ERR_INPUT, "interactions.cutoff is %g; it must be positive.", interactions->cutoff);
    if (interactions->truncation == PH_TRUNCATE_SWITCHED &&
        !(interactions->switch_width > 0.0 && interactions->switch_width <= interactions->cutoff))
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.switch.width is %g; it must lie between 0 and the cutoff, %g.",
                            interactions->switch_width, interactions->cutoff);
    if (ph_field_is_smooth(interactions) && interactions->smoothness > PH_SMOOTH_DIPOLES)
        return ph_error_set(err, PH_ERR_INPUT,
                            "A reaction field ends by a polynomial, which has no more than %d continuous derivatives "
                            "for two dipoles: interactions.switch.smoothness must be 2, 4 or 6.",
                            PH_SMOOTH_DIPOLES);
    for (int k = 0; k < 3 && !open; ++k)
        if (interactions->cutoff > 0.5 * system->box.width[k])
            return ph_error_set(
                err, PH_ERR_INPUT,
                "interactions.cutoff is %g, more than half the distance %g between two faces of the box: a molecule "
                "would see two images of another. Take a smaller cutoff or a larger box.",
                interactions->cutoff, system->box.width[k]);
    return PH_OK;
}

/* Skins that balance making lists, thinning them out and pairs beyond the cutoff; near the best over a wide range. */
double ph_pairs_skin(const struct ph_interactions *interactions)
{
    return interactions->skin > 0.0 ? interactions->skin : 0.13 * interactions->cutoff;
}

static enum ph_status create(const struct ph_term_setup *setup, void **out, struct ph_error *err)
{
    const struct ph_system *system = setup->system;
    struct pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the pairs of molecules.");
    pairs->sites = setup->sites;
    pairs->interactions = *setup->interactions;
    pairs->interactions.overrides = NULL;
    pairs->interactions.n_overrides = 0;
    const struct ph_interactions *interactions = &pairs->interactions;
    pairs->all_pairs = interactions->truncation == PH_TRUNCATE_NONE;
    double extent = 0.0;
    for (size_t s = 0; s < system->n_species; ++s)
        extent = fmax(extent, system->species[s].extent);
    pairs->reach = interactions->cutoff + 2.0 * extent;
    if (interactions->truncation == PH_TRUNCATE_SWITCHED)
        pairs->inside = interactions->cutoff - interactions->switch_width - 2.0 * extent;
    pairs->skin = ph_pairs_skin(interactions);
    pairs->near_skin = 0.2 * pairs->skin;
    pairs->tiles.shared = ph_team()->size > 1;
    *out = pairs;
    return PH_OK;
}

/* ---- Pair lists ---- */

static void forget(void *term) { ((struct pairs *)term)->stale = true; }

static enum ph_status box_changed(void *term, const struct ph_system *system, struct ph_error *err)
{
    struct pairs *pairs = term;
    if (pairs->tiles.n > 0 && !pairs->all_pairs)
        ph_tiles_set_box(&system->box, &pairs->tiles);
    return ph_pairs_check_cutoff(system, &pairs->interactions, err);
}

/* The map of points of a box with these edges to those of the present one: the unit matrix, exactly, if it is the same
 */
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

/* A list holds all pairs that were nearer than reach + skin. If the box has changed by a map 1 + E since, and centres
 * by this map and a displacement of at most u, distances are no smaller than (1 - |E|) (reach + skin) - 2 u for the
 * others: they are out of reach if u is below this, |E| the root of the sum of squares. (For pairs that were nearer
 * than inside - skin, and have to stay inside, it is more than enough.) */
static double allowed(const struct pairs *pairs, double skin, const double map[3][3])
{
    double square = 0.0;
    for (int k = 0; k < 9; ++k) {
        const double e = map[k / 3][k % 3] - (k % 4 == 0 ? 1.0 : 0.0);
        square += e * e;
    }
    return 0.5 * (skin - sqrt(square) * (pairs->reach + skin));
}

/* From where, by which map of the box, and how far molecules may have moved, squared */
struct displaced {
    const double *x, *y, *z, *x0, *y0, *z0;
    double map[3][3], most2;
};

/* Whether some of the molecules begin .. end have moved further, or are NaN */
static bool any_further(const struct displaced *d, size_t begin, size_t end)
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

/* Who knows whose molecules are whose: where lists are drawn from others, these do. */
static struct ph_share *owners(const struct pairs *pairs)
{
    return pairs->of ? pairs->of->tiles.share : pairs->tiles.share;
}

/* Has any molecule moved too far from where it was, apart from the change of the box since, or is NaN? Those of this
 * process, where others look at theirs, as they follow each other */
static bool any_moved(const struct pairs *pairs, const struct ph_system *system, double *const from[3],
                      const double edge[3][3], double skin)
{
    struct displaced d = {system->r[0], system->r[1], system->r[2], from[0], from[1], from[2], .most2 = 0.0};
    find_strain(&system->box, edge, d.map);
    const double most = allowed(pairs, skin, (const double(*)[3])d.map);
    d.most2 = most > 0.0 ? most * most : 0.0;
    if (!owners(pairs))
        return any_further(&d, 0, system->n);
    const struct ph_owned *own = &owners(pairs)->own;
    bool moved = false;
    for (size_t k = 0, end; k < own->n && !moved; k = end) {
        for (end = k + 1; end < own->n && own->molecule[end] == own->molecule[end - 1] + 1;)
            ++end;
        moved = any_further(&d, own->molecule[k], own->molecule[end - 1] + (size_t)1);
    }
    return moved;
}

/* Ours, where their positions are known and those of all are not */
static const struct ph_owned *known(const struct pairs *pairs)
{
    const bool all = !owners(pairs) || !pairs->sites->state || pairs->sites->whole;
    return all ? NULL : &owners(pairs)->own;
}

/* Whether the first list leaves a process with its own molecules alone, though it has been given all */
static bool parts_at_first(const struct pairs *pairs)
{
    const struct ph_rows *state = pairs->sites->state;
    return pairs->tiles.shared && !owners(pairs) && !pairs->all_pairs && state && state->apart;
}

/* What else there is at places that are not in use any more */
static void vacate(const struct pairs *pairs, const struct ph_system *system)
{
    const struct ph_tiles *tiles = &pairs->tiles;
    for (int k = 0; k < 3; ++k) {
        ph_share_vacate(tiles->share, sizeof(double), system->f[k]);
        ph_share_vacate(tiles->share, sizeof(double), system->t[k]);
        ph_share_vacate(tiles->share, sizeof(double), tiles->built_at[k]);
        ph_share_vacate(tiles->share, sizeof(double), tiles->thinned_at[k]);
        if (pairs->drawn)
            ph_share_vacate(tiles->share, sizeof(double), pairs->drawn->tiles.thinned_at[k]);
    }
    ph_share_vacate(tiles->share, pairs->sites->table.record * sizeof(double), pairs->sites->place);
}

static void thin(struct pairs *pairs, const struct ph_system *system)
{
    ++pairs->lists_thinned;
    memcpy(pairs->boxes[1], system->box.edge, sizeof system->box.edge);
    ph_tiles_thin(system, known(pairs), pairs->sites->table.kind_end, pairs->inside - pairs->near_skin,
                  pairs->reach + pairs->near_skin, &pairs->tiles);
}

/* Both have the same skin, so that the short list holds as long as the long one does. */
static enum ph_status draw(struct pairs *pairs, const struct ph_system *system, struct ph_error *err)
{
    ++pairs->lists_made;
    const enum ph_status status = ph_tiles_draw(system, &pairs->of->tiles, pairs->reach + pairs->skin,
                                                pairs->sites->table.n_fields, &pairs->tiles, err);
    memcpy(pairs->boxes[0], system->box.edge, sizeof system->box.edge);
    pairs->stale = false;
    return status;
}

/* From positions of all molecules, or of ours alone; and lists that are drawn from these */
static enum ph_status make_list(struct pairs *pairs, struct ph_system *system, struct ph_error *err)
{
    const size_t n_fields = pairs->sites->table.n_fields;
    const struct ph_owned *own = known(pairs);
    const bool apart = own || parts_at_first(pairs);
    ++pairs->lists_made;
    if (own)
        ph_system_wrap_these(system, own->n, own->molecule);
    else if (!pairs->all_pairs)
        ph_system_wrap(system);
    enum ph_status status = pairs->all_pairs
                                ? ph_tiles_all_pairs(system, n_fields, &pairs->tiles, err)
                                : ph_tiles_neighbours(system, apart ? pairs->sites->state : NULL,
                                                      pairs->reach + pairs->skin, n_fields, &pairs->tiles, err);
    if (status == PH_OK && pairs->drawn)
        status = draw(pairs->drawn, system, err);
    if (status != PH_OK && pairs->drawn)
        ph_tiles_clear(&pairs->drawn->tiles);
    if (status != PH_OK)
        ph_tiles_clear(&pairs->tiles);
    else if (apart)
        vacate(pairs, system);
    memcpy(pairs->boxes[0], system->box.edge, sizeof system->box.edge);
    pairs->stale = false;
    return status;
}

/* What lists there are is made, thinned out where they are made, so that all of them can be used. */
static enum ph_status make_lists(struct pairs *pairs, struct ph_system *system, struct ph_error *err)
{
    struct pairs *from = pairs->of ? pairs->of : pairs;
    const enum ph_status status = make_list(from, system, err);
    if (status == PH_OK && !from->all_pairs)
        thin(from, system);
    if (status == PH_OK && from->drawn)
        thin(from->drawn, system);
    return status;
}

/* What has to be done with the lists before an evaluation: two molecules may both move by half a skin before a pair is
 * missed. */
enum { LIST_MAKE = 1, LIST_THIN = 2 };

static unsigned wanted(const struct pairs *pairs, const struct ph_system *system)
{
    const struct pairs *from = pairs->of ? pairs->of : pairs;
    if (from->tiles.n == 0 || (from->stale && !from->all_pairs))
        return LIST_MAKE;
    if (pairs->all_pairs)
        return 0;
    const struct ph_tiles *tiles = &pairs->tiles;
    return (any_moved(from, system, from->tiles.built_at, (const double(*)[3])from->boxes[0], from->skin) ? LIST_MAKE
                                                                                                          : 0) |
           (any_moved(pairs, system, tiles->thinned_at, (const double(*)[3])pairs->boxes[1], pairs->near_skin)
                ? LIST_THIN
                : 0);
}

/* What a process has to know of molecules of others, where it has the present state of its own alone. Guests come,
 * which are on their way while other things are done; to a new list after it is made. Where a term needs them all
 * molecules come, and for a new list with all of their state. */
static enum ph_status update_shared(struct pairs *pairs, unsigned want, struct ph_system *system, struct ph_error *err)
{
    double *const row[] = {system->r[0], system->r[1], system->r[2], system->q[0],
                           system->q[1], system->q[2], system->q[3]};
    const struct ph_rows places = {.n = sizeof row / sizeof *row, .row = row, .image = system->image};
    const bool ours = known(pairs) || parts_at_first(pairs), make = want & LIST_MAKE;
    enum ph_status status = PH_OK;
    if (!ours)
        ph_share_collect(owners(pairs), make ? pairs->sites->state : &places);
    else if (!make)
        ph_share_invite(pairs->tiles.share, places.n, places.row);
    if (want && !make)
        ph_share_welcome(pairs->tiles.share, places.n, places.row);
    if (make)
        status = make_lists(pairs, system, err);
    else if (want)
        thin(pairs, system);
    if (status == PH_OK && ours && make)
        ph_share_invite(pairs->tiles.share, places.n, places.row);
    return status;
}

static enum ph_status update_list(void *term, struct ph_system *system, struct ph_error *err)
{
    struct pairs *pairs = term;
    struct ph_share *share = owners(pairs);
    if (share)
        ph_share_withdraw(share);
    assert(pairs->sites->state || !share || !share->apart);
    unsigned want = wanted(pairs, system);
    enum ph_status status = share ? ph_share_meet(share, &want, err) : PH_OK;
    if (status == PH_OK && ((share && pairs->sites->state) || parts_at_first(pairs)))
        return update_shared(pairs, want, system, err);
    if (status == PH_OK && want & LIST_MAKE)
        return make_lists(pairs, system, err);
    if (status == PH_OK && want)
        thin(pairs, system);
    return status;
}

void ph_pairs_draw(void *term, void *from)
{
    struct pairs *near = term, *all = from;
    if (all->all_pairs)
        return;
    assert(near->skin == all->skin && near->reach <= all->reach);
    near->of = all;
    all->drawn = near;
    all->tiles.n_fields_drawn = near->sites->table.n_fields;
}

const struct ph_owned *ph_pairs_owned(const void *term)
{
    const struct pairs *pairs = term;
    if (owners(pairs))
        ph_share_withdraw(owners(pairs));
    return pairs->tiles.share ? &pairs->tiles.share->own : NULL;
}

bool ph_pairs_has_owners(const void *term) { return ((const struct pairs *)term)->tiles.share != NULL; }

void ph_pairs_vacate(const void *term, double *row)
{
    const struct ph_share *share = ((const struct pairs *)term)->tiles.share;
    if (share)
        ph_share_vacate(share, sizeof *row, row);
}

enum ph_status ph_pairs_begin(void *term, const struct ph_system *system, struct ph_error *err)
{
    struct pairs *pairs = term;
    pairs->stale = true;
    return ph_tiles_begin(system, &pairs->tiles, err);
}

bool ph_pairs_parted(const void *term)
{
    const struct pairs *pairs = term;
    return pairs->tiles.shared && !pairs->all_pairs;
}

bool ph_pairs_show_all(const void *term)
{
    const struct ph_share *share = ((const struct pairs *)term)->tiles.share;
    return !share || !share->apart || share->shown;
}

enum ph_status ph_pairs_collect(void *term, const struct ph_rows *rows, struct ph_error *err)
{
    struct pairs *pairs = term;
    struct ph_share *share = pairs->tiles.share;
    unsigned nothing = 0;
    const enum ph_status status = share ? ph_share_meet(share, &nothing, err) : PH_OK;
    if (status == PH_OK && share)
        ph_share_collect(share, rows);
    return status;
}

enum ph_status ph_pairs_read(void *term, const struct ph_rows *rows, const struct ph_readers *readers,
                             ph_rows_reader *block, void *data, struct ph_error *err)
{
    struct ph_share *share = ((struct pairs *)term)->tiles.share;
    unsigned nothing = 0;
    if (!share && !block) /* all have all molecules until the first list, and without one */
        return PH_OK;
    assert(share);
    ph_share_withdraw(share);
    const enum ph_status status = ph_share_meet(share, &nothing, err);
    if (status != PH_OK)
        return status;
    return block ? ph_share_read(share, rows, readers, block, data, err) : ph_share_collect_first(share, rows, err);
}

enum ph_status ph_pairs_collect_memory(void *term, double *const anchor[3], bool first, struct ph_error *err)
{
    struct pairs *pairs = term;
    struct ph_tiles *tiles = &pairs->tiles;
    double *const *const groups[] = {tiles->built_at, tiles->thinned_at, anchor,
                                     pairs->drawn ? pairs->drawn->tiles.thinned_at : NULL};
    enum { GROUPS = sizeof groups / sizeof *groups };
    double *row[3 * GROUPS];
    struct ph_rows rows = {.n = 0, .row = row};
    if (!tiles->share || pairs->all_pairs)
        return PH_OK;
    for (size_t g = 0; g < GROUPS; ++g)
        for (int k = 0; k < 3 && groups[g] && groups[g][0]; ++k)
            row[rows.n++] = groups[g][k];
    if (first)
        return ph_share_collect_first(tiles->share, &rows, err);
    ph_share_collect(tiles->share, &rows);
    return PH_OK;
}

void ph_pairs_visit_listed(const void *term, const struct ph_system *system,
                           void (*visit)(size_t i, size_t j, const double d[3], void *context), void *context)
{
    const struct ph_tiles *tiles = &((const struct pairs *)term)->tiles;
    if (tiles->share)
        ph_share_withdraw(tiles->share);
    ph_tiles_visit(system, tiles, visit, context);
}

void ph_pairs_fail(void *term, const struct ph_error *failure)
{
    ph_share_fail(((struct pairs *)term)->tiles.share, failure);
}

static void remember(const void *term, struct ph_force_memory *memory)
{
    const struct pairs *pairs = term;
    const bool listed = !pairs->all_pairs && pairs->tiles.n > 0 && !pairs->stale;
    for (int k = 0; k < 3; ++k) {
        memory->built_at[k] = listed ? pairs->tiles.built_at[k] : NULL; /* NULL where they are drawn */
        memory->thinned_at[k] = listed ? pairs->tiles.thinned_at[k] : NULL;
    }
    memory->boxes = listed ? pairs->boxes[0][0] : NULL;
}

static void copy3(size_t n, double *const from[3], double *const to[3])
{
    for (int k = 0; k < 3; ++k)
        memcpy(to[k], from[k], n * sizeof(double));
}

/* As they were thinned out, when lists are there */
static enum ph_status thin_again(struct pairs *pairs, const struct ph_force_memory *memory, struct ph_system *system,
                                 struct ph_error *err)
{
    enum ph_status status = PH_OK;
    double edge[2][3][3];
    if (memory->boxes && system->box.kind != PH_BOX_OPEN) {
        memcpy(edge, memory->boxes, sizeof edge);
        status = ph_box_init_periodic((const double(*)[3])edge[1], &system->box, err);
    }
    copy3(system->n, memory->thinned_at, system->r);
    if (status == PH_OK) {
        ph_tiles_set_box(&system->box, &pairs->tiles);
        thin(pairs, system);
    }
    return status;
}

/* The list as it was made and thinned out, from positions and boxes of those times; wrapping changes positions only on
 * faces of triclinic boxes. */
static enum ph_status make_list_again(struct pairs *pairs, const struct ph_force_memory *memory,
                                      struct ph_system *system, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    double edge[2][3][3];
    if (pairs->of)
        return thin_again(pairs, memory, system, err);
    if (memory->boxes && system->box.kind != PH_BOX_OPEN) {
        memcpy(edge, memory->boxes, sizeof edge);
        status = ph_box_init_periodic((const double(*)[3])edge[0], &system->box, err);
    }
    copy3(system->n, memory->built_at, system->r);
    if (status == PH_OK)
        status = make_list(pairs, system, err);
    if (status == PH_OK && pairs->drawn)
        thin(pairs->drawn, system); /* until its own memory is restored */
    return status == PH_OK ? thin_again(pairs, memory, system, err) : status;
}

/* Edges of the box when the list was made, or, 9 numbers further, when it was thinned out; NULL: the present one */
static enum ph_status set_past_box(const double *edges, struct ph_system *past, struct ph_error *err)
{
    double edge[3][3];
    if (!edges || past->box.kind == PH_BOX_OPEN)
        return PH_OK;
    memcpy(edge, edges, sizeof edge);
    return ph_box_init_periodic((const double(*)[3])edge, &past->box, err);
}

/* As it was thinned out, where each process has its molecules alone. Guests come by messages: no sums follow, before
 * which nobody may write again to memory that is lent. */
static enum ph_status thin_part_again(struct pairs *pairs, double *const at[3], const double *edges,
                                      struct ph_system *past, struct ph_error *err)
{
    struct ph_share *share = pairs->tiles.share;
    double *const sums_lent = share->sums_lent, *const rows_lent = share->rows_lent;
    memcpy(past->r, at, sizeof past->r);
    const enum ph_status status = set_past_box(edges, past, err); /* the same for all */
    if (status != PH_OK)
        return status;
    share->sums_lent = share->rows_lent = NULL;
    ph_share_invite(share, 3, past->r);
    ph_share_welcome(share, 3, past->r);
    share->sums_lent = sums_lent;
    share->rows_lent = rows_lent;
    ph_tiles_set_box(&past->box, &pairs->tiles);
    thin(pairs, past);
    return PH_OK;
}

/* Lists as make_list_again makes them, where each process has some molecules alone, which go where they belong with all
 * of their state: places of all times are among its rows. Who makes lists sees a system of the past, whose images
 * nobody asks for. */
static enum ph_status make_part_again(struct pairs *pairs, const struct ph_force_memory *memory, struct ph_system *past,
                                      struct ph_error *err)
{
    const double *boxes = memory->boxes, *near_boxes = memory->near_boxes;
    const struct ph_box present = past->box;
    enum ph_status status = set_past_box(boxes, past, err);
    memcpy(past->r, memory->built_at, sizeof past->r);
    if (status == PH_OK)
        status = make_list(pairs, past, err);
    if (status == PH_OK && pairs->drawn && !memory->near_thinned_at[0])
        status = thin_part_again(pairs->drawn, memory->built_at, boxes, past, err);
    if (status == PH_OK)
        status = thin_part_again(pairs, memory->thinned_at, boxes ? boxes + 9 : NULL, past, err);
    past->box = present;
    if (status == PH_OK && pairs->drawn && memory->near_thinned_at[0])
        status = thin_part_again(pairs->drawn, memory->near_thinned_at, near_boxes ? near_boxes + 9 : NULL, past, err);
    return status;
}

enum ph_status ph_pairs_restore_part(void *term, const struct ph_system *system, const struct ph_force_memory *memory,
                                     struct ph_error *err)
{
    struct pairs *pairs = term;
    struct ph_system past = *system;
    bool complete = true;
    for (int k = 0; k < 3; ++k)
        complete = (past.image[k] = ph_array_create(system->n, sizeof *past.image[k])) != NULL && complete;
    enum ph_status status =
        complete ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for the pair list of %zu molecules.", system->n);
    status = ph_team_agree(status, err);
    if (status == PH_OK)
        status = make_part_again(pairs, memory, &past, err);
    if (status == PH_OK)
        ph_tiles_set_box(&system->box, &pairs->tiles);
    if (status == PH_OK && pairs->drawn)
        ph_tiles_set_box(&system->box, &pairs->drawn->tiles);
    for (int k = 0; k < 3; ++k)
        free(past.image[k]);
    return status;
}

static enum ph_status restore(void *term, struct ph_system *system, const struct ph_force_memory *memory,
                              struct ph_error *err)
{
    struct pairs *pairs = term;
    const size_t n = system->n;
    pairs->stale = pairs->of ? pairs->of->stale : true; /* those that it is drawn from were restored before */
    if (pairs->all_pairs || !memory->thinned_at[0] || (pairs->of ? pairs->stale : !memory->built_at[0]))
        return PH_OK;
    const struct ph_box box = system->box;
    double *const now[3] = {malloc(n * sizeof(double)), malloc(n * sizeof(double)), malloc(n * sizeof(double))};
    int32_t *images = malloc(3 * n * sizeof *images);
    enum ph_status status = PH_OK;
    if (now[0] && now[1] && now[2] && images) {
        copy3(n, system->r, now);
        for (size_t k = 0; k < 3; ++k)
            memcpy(images + k * n, system->image[k], n * sizeof *images);
        status = make_list_again(pairs, memory, system, err);
        system->box = box;
        if (status == PH_OK)
            ph_tiles_set_box(&box, &pairs->tiles);
        if (status == PH_OK && pairs->drawn)
            ph_tiles_set_box(&box, &pairs->drawn->tiles);
        copy3(n, now, system->r);
        for (size_t k = 0; k < 3; ++k)
            memcpy(system->image[k], images + k * n, n * sizeof *images);
    } else {
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for the pair list of %zu molecules.", n);
    }
    for (int k = 0; k < 3; ++k)
        free(now[k]);
    free(images);
    return status;
}

static void count(const void *term, struct ph_force_counts *counts)
{
    const struct pairs *pairs = term;
    counts->lists_made = pairs->lists_made;
    counts->lists_thinned = pairs->lists_thinned;
    for (size_t d = 0; d < pairs->tiles.n; ++d)
        counts->molecule_pairs += pairs->tiles.tile[d].pairs;
    counts->site_pairs = counts->molecule_pairs * pairs->sites->table.of[0].n; /* exact for one species */
}

void ph_pairs_leave_out_neighbours(void *term)
{
    struct pairs *pairs = term;
    for (size_t d = 0; d < pairs->tiles.n; ++d)
        pairs->tiles.tile[d].n_couples = 0;
}

/* ---- Forces ---- */

/* Force and torque on molecule i from forces on its sites, summed over its copies */
static void collect(const struct pairs *pairs, struct ph_system *system, size_t i)
{
    const struct ph_pair_table *table = &pairs->sites->table;
    const struct ph_layout *layout = ph_layout_of(table, system, i);
    const double *site = pairs->sites->place + i * table->record;
    double sum[6 * PH_SITES_MAX], force[3] = {0.0}, torque[3] = {0.0};
    ph_pair_loop_sum(&pairs->tiles, i, layout->n_fields, sum);
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const double *push = sum + layout->position[k];
        double arm[3];
        for (size_t x = 0; x < 3; ++x) {
            arm[x] = site[layout->position[k] + x] - system->r[x][i];
            force[x] += push[x];
        }
        ph_vec3_add_cross(arm, push, torque);
        if (layout->has_dipole[k])
            ph_vec3_add_cross(site + layout->dipole[k], sum + layout->dipole[k], torque);
    }
    for (int x = 0; x < 3; ++x) {
        system->f[x][i] += force[x];
        system->t[x][i] += torque[x];
    }
}

/* Copies lie in several tiles, which are in the memory of another core or, in large systems, not in the cache at all:
 * fetched some time before they are added */
static void fetch_copies(const struct ph_tiles *tiles, size_t i)
{
    for (size_t c = tiles->first[i]; c < tiles->first[i + 1]; ++c) {
        const struct ph_tile *tile = &tiles->tile[tiles->copy_tile[c]];
        const double *out = tile->out + tiles->copy_local[c] * tile->local_step;
        __builtin_prefetch(out);
        __builtin_prefetch(out + tile->local_step - 1);
    }
}

/* Which molecules' copies are added here: of all, or of those that are ours */
struct collected {
    const uint32_t *molecule; /* NULL: 0 .. n */
    size_t n;
};

static struct collected to_collect(const struct ph_tiles *tiles, size_t n)
{
    const struct ph_share *share = tiles->share;
    return share ? (struct collected){share->molecule, share->own.n} : (struct collected){NULL, n};
}

static void collect_range(const struct pairs *pairs, struct ph_system *system, struct collected which, size_t begin,
                          size_t end)
{
    enum { AHEAD = 12 };
    const uint32_t *molecule = which.molecule;
    for (size_t k = begin; k < end; ++k) {
        if (!pairs->all_pairs && k + AHEAD < which.n)
            fetch_copies(&pairs->tiles, molecule ? molecule[k + AHEAD] : k + AHEAD);
        collect(pairs, system, molecule ? molecule[k] : k);
    }
}

/* Each tile is done by one thread; the sums of a molecule's copies are added in the order of the tiles. */
static enum ph_status evaluate(void *term, struct ph_system *system, struct ph_energy *energy, struct ph_error *err)
{
    (void)err;
    struct pairs *pairs = term;
    const struct ph_pair_table *table = &pairs->sites->table;
    const double *place = pairs->sites->place;
    struct ph_tiles *tiles = &pairs->tiles;
    const struct collected which = to_collect(tiles, system->n);
    const size_t not_done = tiles->shared ? 0 : tiles->n;
    if (tiles->shared)
        ph_shared_loop(pairs->sites, system, energy != NULL, tiles);
    if (tiles->n == 1 && !tiles->shared) {
        ph_pair_loop(table, system, place, tiles, energy != NULL, &tiles->tile[0]);
        collect_range(pairs, system, which, 0, which.n);
    } else {
#pragma omp parallel
        {
#pragma omp for schedule(dynamic)
            for (size_t d = 0; d < not_done; ++d)
                ph_pair_loop(table, system, place, tiles, energy != NULL, &tiles->tile[d]);
#pragma omp for schedule(static) nowait
            for (size_t from = 0; from < which.n; from += PH_TURN)
                collect_range(pairs, system, which, from, ph_turn_end(from, which.n));
        }
    }
    if (tiles->shared && !pairs->sites->state) {
        double *const forces[] = {system->f[0], system->f[1], system->f[2], system->t[0], system->t[1], system->t[2]};
        ph_share_collect(owners(pairs), &(struct ph_rows){.n = sizeof forces / sizeof *forces, .row = forces});
    }
    if (tiles->shared && energy)
        ph_share_spread_tiles(tiles);
    for (size_t d = 0; d < tiles->n && energy; ++d) {
        energy->radial += tiles->tile[d].energy_radial;
        energy->electric += tiles->tile[d].energy_electric;
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y)
                energy->virial[x][y] += tiles->tile[d].virial[x][y];
    }
    return PH_OK;
}

static enum ph_status add_rates(void *term, const struct ph_system *system, const struct ph_rates *rates,
                                struct ph_error *err)
{
    struct pairs *pairs = term;
    return ph_derivative_add(&pairs->sites->table, system, pairs->sites->place, pairs->sites->state != NULL,
                             &pairs->tiles, rates, &pairs->derivative, err);
}

/* Places of molecules whose present positions are known, one by one */
static size_t known_at(const struct ph_share *share, size_t k)
{
    if (!share)
        return k;
    return k < share->own.n ? share->own.molecule[k] : share->own.guest[k - share->own.n];
}

/* Why the force on molecule i is not finite: some position or orientation is not finite, or two molecules overlap. */
static enum ph_status explain(const void *term, const struct ph_system *system, size_t i, struct ph_error *err)
{
    const struct ph_share *share = ((const struct pairs *)term)->tiles.share;
    const size_t n = share ? share->own.n + share->own.n_guests : system->n;
    for (size_t k = 0; k < n; ++k) {
        const size_t j = known_at(share, k);
        if (!isfinite(system->r[0][j] + system->r[1][j] + system->r[2][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The position of molecule %u is not finite: (%g, %g, %g).",
                                system->id[j], system->r[0][j], system->r[1][j], system->r[2][j]);
        if (!isfinite(system->q[0][j] + system->q[1][j] + system->q[2][j] + system->q[3][j]))
            return ph_error_set(err, PH_ERR_NUMBERS, "The orientation of molecule %u is not finite: (%g, %g, %g, %g).",
                                system->id[j], system->q[0][j], system->q[1][j], system->q[2][j], system->q[3][j]);
    }
    size_t nearest = i;
    double smallest = INFINITY;
    for (size_t k = 0; k < n; ++k) {
        const size_t j = known_at(share, k);
        double d[3] = {system->r[0][i] - system->r[0][j], system->r[1][i] - system->r[1][j],
                       system->r[2][i] - system->r[2][j]};
        ph_box_minimum_image(&system->box, d);
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (j != i && distance < smallest) {
            smallest = distance;
            nearest = j;
        }
    }
    if (nearest == i)
        return ph_error_set(err, PH_ERR_NUMBERS, "The force on molecule %u at (%g, %g, %g) is not finite.",
                            system->id[i], system->r[0][i], system->r[1][i], system->r[2][i]);
    return ph_error_set(
        err, PH_ERR_NUMBERS,
        "The force on molecule %u at (%g, %g, %g) is not finite; the nearest molecule is %u, at a distance of %g: "
        "they overlap.",
        system->id[i], system->r[0][i], system->r[1][i], system->r[2][i], system->id[nearest], smallest);
}

const struct ph_term_kind ph_term_pairs = {
    .name = "pairs",
    .create = create,
    .destroy = destroy,
    .evaluate = evaluate,
    .rates = add_rates,
    .box_changed = box_changed,
    .prepare = update_list,
    .explain = explain,
    .forget = forget,
    .remember = remember,
    .restore = restore,
    .count = count,
};
