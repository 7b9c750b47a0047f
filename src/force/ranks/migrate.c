/* SPDX-License-Identifier: MIT */
#include "force/ranks/migrate.h"

#include "force/ranks/cut.h"
#include "force/ranks/share_inside.h"

#include <stdlib.h>
#include <string.h>

/* A migrating molecule is one record: the rows of its state, then its number and images in BESIDE_ROWS numbers. A
 * candidate that another rank sees is a struct seen. */
enum { BESIDE_ROWS = 2 };
struct seen {
    double r[3];
    uint64_t number;
};

/* A molecule that is local after migration. `from` is its old place; or, if it arrives, ARRIVED plus the index of
 * its record. */
static const uint32_t ARRIVED = UINT32_C(1) << 31;
struct source {
    uint32_t number, from;
};

/* Numbers of molecules sent to a rank or received from it: migrating, and shown as candidates */
struct load {
    uint32_t leave, show;
};

struct migration {
    const struct ph_system *system;
    const struct ph_column_set *state;
    const struct ph_cells *cells;
    struct ph_share *share;
    uint32_t *first_key;            /* of the cells of each rank, and the end of the last */
    struct ph_cut *cut;             /* scratch: where each rank but the first begins */
    uint32_t *octants;              /* scratch of these */
    uint32_t *asked;                /* for each rank: 1 + the last cell found near one of its cells */
    struct load *out, *in, *filled; /* filled: next free entry for each rank */
    struct ph_parcel *to, *from;
    size_t n_kept, n_near, n_come, n_seen; /* local: staying, leaving but candidates; remote: arriving, seen */
    struct source *source;                 /* local molecules in order; behind them the arriving ones once more */
    uint32_t *here;                        /* places of local molecules, then of candidates */
    double *left, *come;                   /* records of leaving and of arriving molecules, in the order of ranks */
    struct seen *shown, *seen;             /* seen begins with our leaving molecules that are candidates */
};

static void clear(struct migration *s)
{
    free(s->first_key);
    free(s->cut);
    free(s->octants);
    free(s->asked);
    free(s->out);
    free(s->in);
    free(s->filled);
    free(s->source);
    free(s->here);
    free(s->left);
    free(s->come);
    free(s->shown);
    free(s->seen);
    free(s->to);
    free(s->from);
}

static size_t record_of(const struct migration *s) { return s->state->n + BESIDE_ROWS; }

/* ---- The cut ---- */

/* Computes the corners of all molecules in open space. */
static void meet_corners(double corners[2][3])
{
    double largest[6];
    for (int k = 0; k < 3; ++k) {
        largest[k] = -corners[0][k];
        largest[3 + k] = corners[1][k];
    }
    ph_team()->largest(6, largest);
    for (int k = 0; k < 3; ++k) {
        corners[0][k] = -largest[k];
        corners[1][k] = largest[3 + k];
    }
}

/* Allocates the arrays with one entry for each rank. */
static enum ph_status begin(struct migration *s, struct ph_error *err)
{
    const size_t size = ph_team()->size;
    s->first_key = malloc((size + 1) * sizeof *s->first_key);
    s->cut = malloc(size * sizeof *s->cut);
    s->octants = malloc(size * PH_OCTANTS * sizeof *s->octants);
    s->asked = calloc(size, sizeof *s->asked);
    s->out = calloc(size, sizeof *s->out);
    s->in = calloc(size, sizeof *s->in);
    s->filled = calloc(size, sizeof *s->filled);
    s->to = malloc(size * sizeof *s->to);
    s->from = malloc(size * sizeof *s->from);
    return s->first_key && s->cut && s->octants && s->asked && s->out && s->in && s->filled && s->to && s->from
               ? PH_OK
               : ph_no_memory(err, "sharing tiles");
}

/* Chooses owners of tiles, and finds the cells and the number of molecules of each rank. */
static void cut(struct migration *s, struct ph_tiles *tiles)
{
    const size_t n = s->system->n, size = ph_team()->size;
    const struct ph_owners *owners = &s->share->owners;
    ph_share_choose(s->share);
    for (size_t p = 1; p < size; ++p)
        s->cut[p - 1].wanted = n * owners->first_tile[p] / tiles->n;
    ph_cut_find(s->cells, n, size - 1, s->cut, s->octants);
    s->first_key[0] = 0;
    s->first_key[size] = PH_CELL_KEYS;
    owners->first[0] = 0;
    owners->first[size] = n;
    for (size_t p = 1; p < size; ++p) {
        s->first_key[p] = s->cut[p - 1].key;
        owners->first[p] = s->cut[p - 1].before;
    }
    for (size_t p = 0; p < size; ++p)
        owners->n_of[p] = owners->first[p + 1] - owners->first[p];
}

static bool owns(const struct migration *s, size_t p, uint32_t key)
{
    return s->first_key[p] <= key && key < s->first_key[p + 1];
}

/* Returns the rank that owns the cell with this key. Tries `guess` first, because cells around a cell mostly have its
 * owner. */
static uint32_t owner_of(const struct migration *s, size_t guess, uint32_t key)
{
    size_t low = 0, high = ph_team()->size;
    if (owns(s, guess, key))
        return (uint32_t)guess;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->first_key[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* ---- Destinations ---- */

/* Returns true if all cells that visit_around looks at belong to the owner: they lie in a block of the curve that does.
 * This answers for most cells without a look at each. */
static bool is_inside(const struct migration *s, const int at[3], size_t owner)
{
    unsigned differing = 0;
    int low[3], level = 0;
    for (int k = 0; k < 3; ++k) {
        const int high = at[k] + (k > 0 ? s->cells->reach[k] : 0);
        low[k] = at[k] - s->cells->reach[k];
        if (low[k] < 0 || high >= s->cells->n[k])
            return false;
        differing |= (unsigned)low[k] ^ (unsigned)high;
    }
    while (differing >> level > 0)
        ++level;
    const uint32_t keys = (uint32_t)1 << (3 * level), first = ph_cells_key(low[0], low[1], low[2]) & ~(keys - 1);
    return owns(s, owner, first) && owns(s, owner, first + (keys - 1));
}

/* Calls visit(p) once for each rank, except the owner of the cell, that has a cell from whose lists this one is
 * searched. The list of a cell searches one half of the cells around it (look_around in neighbours.c), so this visits
 * the other half. */
static void visit_around(struct migration *s, uint32_t cell, size_t owner,
                         void (*visit)(struct migration *s, uint32_t cell, size_t process))
{
    const struct ph_cells *cells = s->cells;
    const int *reach = cells->reach;
    size_t not_found = ph_team()->size - 1;
    int at[3], image;
    ph_cells_place(cells->key[cell], at);
    if (is_inside(s, at, owner))
        return;
    s->asked[owner] = cell + 1;
    for (int dx = 0; dx <= reach[0] && not_found > 0; ++dx) {
        int x = at[0] - dx;
        if (!ph_cells_wrap(cells, 0, &x, &image))
            continue;
        for (int dy = dx == 0 ? 0 : -reach[1]; dy <= reach[1]; ++dy) {
            int y = at[1] - dy;
            if (!ph_cells_wrap(cells, 1, &y, &image))
                continue;
            for (int dz = dx == 0 && dy == 0 ? 1 : -reach[2]; dz <= reach[2]; ++dz) {
                int z = at[2] - dz;
                if (!ph_cells_wrap(cells, 2, &z, &image))
                    continue;
                const size_t p = owner_of(s, owner, ph_cells_key(x, y, z));
                if (s->asked[p] == cell + 1)
                    continue;
                s->asked[p] = cell + 1;
                --not_found;
                visit(s, cell, p);
            }
        }
    }
}

static uint32_t count_of(const struct migration *s, uint32_t cell)
{
    return s->cells->start[cell + 1] - s->cells->start[cell];
}

static void count_shown(struct migration *s, uint32_t cell, size_t process)
{
    if (process == ph_team()->rank)
        s->n_near += count_of(s, cell);
    else
        s->out[process].show += count_of(s, cell);
}

static void count(struct migration *s)
{
    const size_t rank = ph_team()->rank;
    for (uint32_t c = 0; c < s->cells->n_cells; ++c) {
        const size_t owner = owner_of(s, rank, s->cells->key[c]);
        if (owner == rank)
            s->n_kept += count_of(s, c);
        else
            s->out[owner].leave += count_of(s, c);
        visit_around(s, c, owner, count_shown);
    }
    memset(s->asked, 0, ph_team()->size * sizeof *s->asked);
}

/* Allocates memory for migrating molecules and candidates. */
static enum ph_status make_room(struct migration *s, struct ph_error *err)
{
    struct load out = {0, 0};
    for (size_t p = 0; p < ph_team()->size; ++p) {
        s->filled[p] = out;
        out = (struct load){out.leave + s->out[p].leave, out.show + s->out[p].show};
        s->n_come += s->in[p].leave;
        s->n_seen += s->in[p].show;
    }
    const size_t bytes = record_of(s) * sizeof(double), n_here = s->n_kept + s->n_come + s->n_near + s->n_seen;
    s->source = malloc((s->n_kept + 2 * s->n_come + 1) * sizeof *s->source);
    s->here = malloc((n_here + 1) * sizeof *s->here);
    s->left = malloc((out.leave + (size_t)1) * bytes);
    s->come = malloc((s->n_come + 1) * bytes);
    s->shown = malloc((out.show + (size_t)1) * sizeof *s->shown);
    s->seen = malloc((s->n_near + s->n_seen + 1) * sizeof *s->seen);
    return ph_share_reserve_here(n_here, s->share) && s->source && s->here && s->left && s->come && s->shown && s->seen
               ? PH_OK
               : ph_no_memory(err, "molecules that change processes");
}

/* ---- What travels ---- */

static void pack_one(const struct migration *s, uint32_t i, double *record)
{
    const uint32_t beside[2 * BESIDE_ROWS] = {ph_share_number(s->share, i), (uint32_t)s->state->image[0][i],
                                              (uint32_t)s->state->image[1][i], (uint32_t)s->state->image[2][i]};
    for (size_t x = 0; x < s->state->n; ++x)
        record[x] = s->state->row[x][i];
    memcpy(record + s->state->n, beside, sizeof beside);
}

static uint32_t beside_of(const struct migration *s, size_t record, size_t which)
{
    uint32_t beside[2 * BESIDE_ROWS];
    memcpy(beside, s->come + record_of(s) * record + s->state->n, sizeof beside);
    return beside[which];
}

static void pack_shown(struct migration *s, uint32_t cell, size_t process)
{
    const uint32_t *molecule = s->cells->molecule + s->cells->start[cell];
    const bool ours = process == ph_team()->rank;
    for (uint32_t k = 0; k < count_of(s, cell); ++k) {
        const uint32_t i = molecule[k];
        const struct seen seen = {{s->system->r[0][i], s->system->r[1][i], s->system->r[2][i]},
                                  ph_share_number(s->share, i)};
        if (ours)
            s->seen[s->n_near++] = seen;
        else
            s->shown[s->filled[process].show++] = seen;
    }
}

static void pack(struct migration *s)
{
    const size_t rank = ph_team()->rank;
    s->n_near = 0;
    for (uint32_t c = 0; c < s->cells->n_cells; ++c) {
        const uint32_t owner = owner_of(s, rank, s->cells->key[c]);
        for (uint32_t k = s->cells->start[c]; k < s->cells->start[c + 1]; ++k) {
            const uint32_t i = s->cells->molecule[k];
            s->share->owners.owner[i] = owner;
            if (owner != rank)
                pack_one(s, i, s->left + record_of(s) * s->filled[owner].leave++);
        }
        visit_around(s, c, owner, pack_shown);
    }
}

static size_t parcels(const struct load *load, bool leave, size_t unit, void *data, struct ph_parcel *parcel)
{
    size_t n = 0;
    char *part = data;
    for (size_t p = 0; p < ph_team()->size; ++p) {
        const size_t units = leave ? load[p].leave : load[p].show;
        if (units > 0)
            parcel[n++] = (struct ph_parcel){.rank = p, .n = units, .data = part};
        part += units * unit;
    }
    return n;
}

static void travel(struct migration *s, bool leave, size_t unit, void *out, void *in)
{
    const size_t n_out = parcels(s->out, leave, unit, out, s->to), n_in = parcels(s->in, leave, unit, in, s->from);
    ph_team()->begin_exchange(unit, n_out, s->to, n_in, s->from);
    ph_team()->finish_exchange();
}

/* ---- Who is here ---- */

static int by_number(const void *a, const void *b)
{
    const uint32_t one = ((const struct source *)a)->number, other = ((const struct source *)b)->number;
    return (one > other) - (one < other);
}

/* Lists local molecules in the order of their numbers. Molecules that stay are in order already. Arriving molecules are
 * sorted, then merged from the end. */
static void list_ours(struct migration *s)
{
    const struct ph_share *share = s->share;
    struct source *source = s->source, *come = s->source + s->n_kept + s->n_come;
    size_t n = 0;
    for (size_t k = 0; k < share->owners.own.n; ++k)
        if (share->owners.owner[share->owners.ours[k]] == ph_team()->rank)
            source[n++] = (struct source){ph_share_number(share, share->owners.ours[k]), share->owners.ours[k]};
    for (size_t k = 0; k < s->n_come; ++k)
        come[k] = (struct source){beside_of(s, k, 0), ARRIVED | (uint32_t)k};
    qsort(come, s->n_come, sizeof *come, by_number);
    for (size_t left = s->n_come; left > 0;)
        if (n > 0 && source[n - 1].number > come[left - 1].number) {
            source[n + left - 1] = source[n - 1];
            --n;
        } else {
            source[n + left - 1] = come[left - 1];
            --left;
        }
}

/* Moves a row of all local molecules from their old places to the new ones. */
static void move_row(const struct migration *s, size_t x, double *row)
{
    const struct ph_share *share = s->share;
    const size_t n = s->n_kept + s->n_come, record = record_of(s);
    for (size_t k = 0; k < n; ++k) {
        const uint32_t from = s->source[k].from;
        share->here[k] = from & ARRIVED ? s->come[record * (from & ~ARRIVED) + x] : row[from];
    }
    for (size_t k = 0; k < n; ++k)
        row[share->owners.ours[k]] = share->here[k];
}

static void move_image(const struct migration *s, size_t x, int32_t *row)
{
    const struct ph_share *share = s->share;
    const size_t n = s->n_kept + s->n_come;
    int32_t *here = (int32_t *)(void *)share->here;
    for (size_t k = 0; k < n; ++k) {
        const uint32_t from = s->source[k].from;
        here[k] = from & ARRIVED ? (int32_t)beside_of(s, from & ~ARRIVED, 1 + x) : row[from];
    }
    for (size_t k = 0; k < n; ++k)
        row[share->owners.ours[k]] = here[k];
}

/* Assigns places to local molecules and moves their state there. */
static void take_ours(struct migration *s)
{
    const struct ph_system *system = s->system;
    struct ph_share *share = s->share;
    const size_t n = s->n_kept + s->n_come;
    list_ours(s);
    share->owners.distributed = true;
    for (size_t k = 0, species = 0, place = 0; k < n; ++k, ++place) {
        for (; s->source[k].number >= system->first[species]; ++species)
            place = system->first[species];
        share->owners.ours[k] = (uint32_t)place;
    }
    for (size_t x = 0; x < s->state->n; ++x)
        move_row(s, x, s->state->row[x]);
    for (size_t x = 0; x < 3; ++x)
        move_image(s, x, s->state->image[x]);
    for (size_t k = 0; k < n; ++k)
        share->owners.number[share->owners.ours[k]] = share->id[share->owners.ours[k]] = s->source[k].number;
    ph_share_own(system, n, share);
}

/* Assigns places behind the local molecules to candidates. */
static void take_candidates(struct migration *s)
{
    const struct ph_system *system = s->system;
    struct ph_share *share = s->share;
    uint32_t *here = s->here + share->owners.own.n;
    for (size_t species = 0; species < system->n_species; ++species)
        share->owners.here_end[species] =
            system->first[species] + share->owners.first_of[species + 1] - share->owners.first_of[species];
    for (size_t k = 0; k < s->n_near + s->n_seen; ++k) {
        const struct seen *seen = &s->seen[k];
        const uint32_t number = (uint32_t)seen->number;
        const uint32_t i = (uint32_t)share->owners.here_end[ph_system_species_of(system, number)]++;
        here[k] = i;
        for (int x = 0; x < 3; ++x)
            system->r[x][i] = seen->r[x];
        share->owners.number[i] = share->id[i] = number;
    }
    memcpy(s->here, share->owners.ours, share->owners.own.n * sizeof *s->here);
    for (size_t x = 0; x < s->state->n; ++x)
        ph_share_vacate(share, sizeof(double), s->state->row[x]);
    for (size_t x = 0; x < 3; ++x)
        ph_share_vacate(share, sizeof(int32_t), s->state->image[x]);
    ph_share_vacate(share, sizeof *share->id, share->id);
    ph_share_vacate(share, sizeof *share->place, share->place);
}

/* Fills the cells with all molecules here and sets their owners. */
static enum ph_status fill(struct migration *s, struct ph_cells *cells, struct ph_error *err)
{
    struct ph_share *share = s->share;
    const size_t rank = ph_team()->rank, n_ours = share->owners.own.n, n = n_ours + s->n_near + s->n_seen;
    const enum ph_status status = ph_cells_fill(s->system, n, s->here, cells, err);
    if (status != PH_OK)
        return status;
    for (uint32_t c = 0; c < cells->n_cells; ++c) {
        const uint32_t owner = owner_of(s, rank, cells->key[c]);
        for (uint32_t k = cells->start[c]; k < cells->start[c + 1]; ++k)
            share->owners.owner[cells->molecule[k]] = owner;
    }
    cells->home = ph_cells_from(cells, 0, (uint32_t)cells->n_cells, s->first_key[rank]);
    cells->home_end = ph_cells_from(cells, cells->home, (uint32_t)cells->n_cells, s->first_key[rank + 1]);
    cells->n_before = share->owners.first[rank];
    const uint32_t first = cells->start[cells->home], end = cells->start[cells->home_end];
    if (n_ours != share->owners.n_of[rank] || end - first != n_ours)
        return ph_error_set(err, PH_ERR_NUMBERS, "Processes have lost molecules: %zu came into cells for %zu.", n_ours,
                            share->owners.n_of[rank]);
    memcpy(share->owners.molecule, cells->molecule + first, n_ours * sizeof *share->owners.molecule);
    share->images_old = true;
    return PH_OK;
}

static enum ph_status migrate(struct migration *s, double radius, struct ph_tiles *tiles, struct ph_cells *cells,
                              struct ph_error *err)
{
    double corners[2][3];
    enum ph_status status =
        ph_cells_check(s->system, s->share->owners.own.n, s->share->owners.own.molecule, corners, err);
    if (status == PH_OK)
        status = begin(s, err);
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    if (s->system->box.kind == PH_BOX_OPEN)
        meet_corners(corners);
    ph_cells_lay(s->system, radius, (const double(*)[3])corners, cells);
    status = ph_cells_fill(s->system, s->share->owners.own.n, s->share->owners.own.molecule, cells, err);
    status = ph_team_agree(status, err);
    if (status != PH_OK)
        return status;
    cut(s, tiles);
    count(s);
    ph_team()->trade(sizeof *s->out, s->out, s->in);
    status = ph_team_agree(make_room(s, err), err);
    if (status != PH_OK)
        return status;
    pack(s);
    travel(s, true, record_of(s) * sizeof(double), s->left, s->come);
    travel(s, false, sizeof *s->shown, s->shown, s->seen + s->n_near);
    take_ours(s);
    take_candidates(s);
    return ph_team_agree(fill(s, cells, err), err);
}

enum ph_status ph_migrate(const struct ph_system *system, const struct ph_column_set *state, double radius,
                          struct ph_tiles *tiles, struct ph_cells *cells, struct ph_error *err)
{
    struct migration s = {.system = system, .state = state, .cells = cells, .share = tiles->share};
    *cells = (struct ph_cells){.periodic = false};
    const enum ph_status status = migrate(&s, radius, tiles, cells, err);
    clear(&s);
    return status;
}
