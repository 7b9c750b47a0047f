/* SPDX-License-Identifier: MIT */
/* Sends sites from the ranks of their molecules to the ranks with planes that their windows reach, one or several. The
 * rank where a window begins returns the fields. */
#include "force/longrange/mesh/mesh_inside.h"
#include "parallel/team.h"

#include <stdlib.h>
#include <string.h>

/* A site that travels: r, charge and number, mu where there are dipoles, M where there are quadrupoles */
enum { CHARGE = 3, NUMBER = 4, MU = 5, TENSOR = 8, RECORD = TENSOR + PH_WAVE_TENSOR };
static size_t record_of(const struct ph_mesh *mesh)
{
    const size_t records[] = {MU, TENSOR, RECORD};
    return records[ph_mesh_order(mesh->sites)];
}

/* Numbers of a site in vectors of charges and dipoles, and in a tensor */
enum { NUMBERS = 6 + PH_WAVE_TENSOR };
static size_t numbers_of(const struct ph_mesh *mesh)
{
    static const size_t numbers[] = {3, 6, NUMBERS};
    return numbers[ph_mesh_order(mesh->sites)];
}

static void list_numbers(double *const first[3], double *const second[3], double *const tensor[PH_WAVE_TENSOR],
                         double *list[NUMBERS])
{
    memcpy(list, first, 3 * sizeof *list);
    memcpy(list + 3, second, 3 * sizeof *list);
    memcpy(list + 6, tensor, PH_WAVE_TENSOR * sizeof *list);
}

/* ---- Set-up ---- */

void ph_mesh_transfer_destroy(struct ph_mesh_transfer *transfer)
{
    if (!transfer)
        return;
    void *const owned[] = {transfer->home,        transfer->next,       transfer->n_out, transfer->n_in,
                           transfer->n_home_out,  transfer->n_home_in,  transfer->plane, transfer->out,
                           transfer->in,          transfer->filled,     transfer->order, transfer->spare,
                           transfer->records_out, transfer->records_in, transfer->run,   transfer->parcel_out,
                           transfer->parcel_in};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k)
        free(owned[k]);
    ph_wave_sites_clear(&transfer->came);
    free(transfer);
}

static uint32_t *numbers_for(size_t n) { return calloc(n + 1, sizeof(uint32_t)); }

enum ph_status ph_mesh_transfer_create(struct ph_mesh *mesh, struct ph_error *err)
{
    const size_t size = ph_team()->size;
    const int *plane = mesh->slabs->plane;
    struct ph_mesh_transfer *c = mesh->transfer = calloc(1, sizeof *c);
    bool enough = c != NULL;
    if (enough) {
        c->home = numbers_for((size_t)mesh->points[0]);
        uint32_t **const of_processes[] = {&c->next, &c->n_out, &c->n_in, &c->n_home_out, &c->n_home_in, &c->filled};
        for (size_t k = 0; k < sizeof of_processes / sizeof *of_processes; ++k)
            enough = (*of_processes[k] = numbers_for(size)) != NULL && enough;
        c->run = calloc(size + 1, sizeof *c->run);
        c->parcel_out = calloc(size, sizeof *c->parcel_out);
        c->parcel_in = calloc(size, sizeof *c->parcel_in);
        enough = enough && c->home && c->run && c->parcel_out && c->parcel_in;
    }
    if (!enough)
        return ph_no_memory(err, "sharing a mesh among processes");
    for (size_t p = 0; p < size; ++p) {
        for (int x = plane[p]; x < plane[p + 1]; ++x)
            c->home[x] = (uint32_t)p;
        size_t q = (p + 1) % size;
        while (plane[q] == plane[q + 1])
            q = (q + 1) % size;
        c->next[p] = (uint32_t)q;
    }
    c->came.dipoles = mesh->sites->dipoles;
    c->came.quadrupoles = mesh->sites->quadrupoles;
    mesh->here = &c->came;
    return PH_OK;
}

/* ---- Sites for each rank ---- */

/* Returns the rank after p that a window from plane x on reaches, SIZE_MAX for none */
static size_t next_reached(const struct ph_mesh *mesh, int x, size_t p)
{
    const size_t next = mesh->transfer->next[p];
    const int from = mesh->slabs->plane[next] - x, points = mesh->points[0];
    return next != mesh->transfer->home[x] && (from + points) % points < mesh->window.width ? next : SIZE_MAX;
}

/* A little more than is needed: sites come and go. */
static size_t with_slack(size_t n) { return n + n / 8 + 64; }

static bool reserve_ours(struct ph_mesh_transfer *c, size_t n)
{
    if (n <= c->room_ours && c->plane)
        return true;
    free(c->plane);
    c->room_ours = with_slack(n);
    return (c->plane = malloc(c->room_ours * sizeof *c->plane)) != NULL;
}

static bool reserve_out(struct ph_mesh_transfer *c, size_t n, size_t record)
{
    if (n <= c->room_out && c->out)
        return true;
    free(c->out);
    free(c->records_out);
    c->room_out = with_slack(n);
    c->out = malloc(c->room_out * sizeof *c->out);
    c->records_out = malloc(c->room_out * record * sizeof *c->records_out);
    return c->out && c->records_out;
}

static bool reserve_in(struct ph_mesh_transfer *c, size_t n, size_t record)
{
    if (n <= c->room_in && c->in)
        return true;
    free(c->in);
    free(c->order);
    free(c->spare);
    free(c->records_in);
    c->room_in = with_slack(n);
    c->in = malloc(c->room_in * sizeof *c->in);
    c->order = malloc(c->room_in * sizeof *c->order);
    c->spare = malloc(c->room_in * sizeof *c->spare);
    c->records_in = malloc(c->room_in * record * sizeof *c->records_in);
    return c->in && c->order && c->spare && c->records_in;
}

static size_t count_all(const uint32_t *n)
{
    size_t sum = 0;
    for (size_t p = 0; p < ph_team()->size; ++p)
        sum += n[p];
    return sum;
}

static void count_out(const struct ph_mesh *mesh)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    memset(c->n_out, 0, ph_team()->size * sizeof *c->n_out);
    memset(c->n_home_out, 0, ph_team()->size * sizeof *c->n_home_out);
    for (size_t j = 0; j < mesh->sites->n; ++j) {
        double from;
        const int x = ph_mesh_locate(mesh, mesh->sites, j, 0, &from);
        c->plane[j] = (uint32_t)x;
        ++c->n_home_out[c->home[x]];
        for (size_t p = c->home[x]; p != SIZE_MAX; p = next_reached(mesh, x, p))
            ++c->n_out[p];
    }
}

static void list_out(const struct ph_mesh *mesh)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    for (size_t p = 0, n = 0; p < ph_team()->size; n += c->n_out[p++])
        c->filled[p] = (uint32_t)n;
    for (size_t j = 0; j < mesh->sites->n; ++j) {
        const int x = (int)c->plane[j];
        for (size_t p = c->home[x]; p != SIZE_MAX; p = next_reached(mesh, x, p))
            c->out[c->filled[p]++] = (uint32_t)j;
    }
}

/* ---- Messages ---- */

/* Exchanges records of so many numbers, in the order of ranks; records for this rank stay. */
static void travel(const struct ph_mesh *mesh, size_t record, const uint32_t *n_out, double *out, const uint32_t *n_in,
                   double *in)
{
    const struct ph_team *team = ph_team();
    struct ph_parcel *to = mesh->transfer->parcel_out, *from = mesh->transfer->parcel_in;
    const double *stays = NULL;
    double *here = NULL;
    size_t parcels_out = 0, parcels_in = 0;
    for (size_t p = 0; p < team->size; ++p) {
        if (p == team->rank) {
            stays = out;
            here = in;
        } else {
            if (n_out[p] > 0)
                to[parcels_out++] = (struct ph_parcel){.rank = p, .n = n_out[p], .data = out};
            if (n_in[p] > 0)
                from[parcels_in++] = (struct ph_parcel){.rank = p, .n = n_in[p], .data = in};
        }
        out += n_out[p] * record;
        in += n_in[p] * record;
    }
    team->begin_exchange(record * sizeof(double), parcels_out, to, parcels_in, from);
    memcpy(here, stays, n_out[team->rank] * record * sizeof(double));
    team->finish_exchange();
}

static void pack(const struct ph_mesh *mesh)
{
    const struct ph_wave_sites *sites = mesh->sites;
    const struct ph_mesh_transfer *c = mesh->transfer;
    const size_t record = record_of(mesh), n = count_all(c->n_out);
    for (size_t k = 0; k < n; ++k) {
        double *to = c->records_out + k * record;
        const size_t j = c->out[k];
        for (int x = 0; x < 3; ++x)
            to[x] = sites->r[x][j];
        to[CHARGE] = sites->charge[j];
        to[NUMBER] = sites->number[j];
        for (int x = 0; x < 3 && sites->dipoles; ++x)
            to[MU + x] = sites->mu[x][j];
        for (int x = 0; x < PH_WAVE_TENSOR && sites->quadrupoles; ++x)
            to[TENSOR + x] = sites->m[x][j];
    }
}

/* Two runs of entries from begin on, and from middle on, each in ascending order, become one. */
static void merge(const uint32_t *number, const uint32_t *from, size_t begin, size_t middle, size_t end, uint32_t *to)
{
    size_t a = begin, b = middle;
    for (size_t k = begin; k < end; ++k)
        to[k] = b == end || (a < middle && number[from[a]] < number[from[b]]) ? from[a++] : from[b++];
}

/* Sorts entries by their numbers. Entries from each rank are in this order; this merges two such runs after the
 * other. */
static void order_in(const struct ph_mesh *mesh, size_t n)
{
    struct ph_mesh_transfer *c = mesh->transfer;
    const size_t record = record_of(mesh);
    uint32_t *number = c->in; /* for the while */
    size_t runs = 0;
    for (size_t k = 0; k < n; ++k) {
        number[k] = (uint32_t)c->records_in[k * record + NUMBER];
        c->order[k] = (uint32_t)k;
    }
    for (size_t p = 0, end = 0; p < ph_team()->size; ++p)
        if (c->n_in[p] > 0)
            c->run[++runs] = end += c->n_in[p];
    while (runs > 1) {
        size_t fewer = 0;
        for (size_t r = 0; r < runs; r += 2) {
            const size_t end = c->run[r + 2 < runs ? r + 2 : runs];
            merge(number, c->order, c->run[r], c->run[r + 1], end, c->spare);
            c->run[++fewer] = end;
        }
        uint32_t *const sorted = c->spare;
        c->spare = c->order;
        c->order = sorted;
        runs = fewer;
    }
}

static void unpack(const struct ph_mesh *mesh)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    const struct ph_wave_sites *came = &c->came;
    const size_t record = record_of(mesh);
    for (size_t j = 0; j < came->n; ++j) {
        const double *from = c->records_in + c->order[j] * record;
        for (int x = 0; x < 3; ++x) {
            came->r[x][j] = from[x];
            came->mu[x][j] = came->dipoles ? from[MU + x] : 0.0;
        }
        for (int x = 0; x < PH_WAVE_TENSOR && came->quadrupoles; ++x)
            came->m[x][j] = from[TENSOR + x];
        came->charge[j] = from[CHARGE];
    }
    for (size_t j = 0; j < came->n; ++j)
        c->in[c->order[j]] = (uint32_t)j;
}

enum ph_status ph_mesh_count_sites(struct ph_mesh *mesh, enum ph_status status, struct ph_error *err)
{
    struct ph_mesh_transfer *c = mesh->transfer;
    const size_t record = record_of(mesh);
    bool enough = reserve_ours(c, mesh->sites->n);
    if (enough)
        count_out(mesh);
    ph_team()->trade(sizeof *c->n_out, c->n_out, c->n_in); /* of old ones, where there is no memory */
    enough = enough && reserve_out(c, count_all(c->n_out), record) && reserve_in(c, count_all(c->n_in), record);
    if (status != PH_OK)
        return status;
    return enough ? ph_wave_sites_resize(count_all(c->n_in), &c->came, err)
                  : ph_no_memory(err, "sites that go to other processes");
}

void ph_mesh_send_sites(struct ph_mesh *mesh)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    list_out(mesh);
    pack(mesh);
    travel(mesh, record_of(mesh), c->n_out, c->records_out, c->n_in, c->records_in);
    order_in(mesh, c->came.n);
    unpack(mesh);
}

void ph_mesh_send_rates(struct ph_mesh *mesh)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    const size_t numbers = numbers_of(mesh), n_out = count_all(c->n_out), n_in = c->came.n;
    double *ours[NUMBERS], *came[NUMBERS];
    list_numbers(mesh->sites->r_rate, mesh->sites->mu_rate, mesh->sites->m_rate, ours);
    list_numbers(c->came.r_rate, c->came.mu_rate, c->came.m_rate, came);
    for (size_t k = 0; k < n_out; ++k)
        for (size_t x = 0; x < numbers; ++x)
            c->records_out[k * numbers + x] = ours[x][c->out[k]];
    travel(mesh, numbers, c->n_out, c->records_out, c->n_in, c->records_in);
    for (size_t k = 0; k < n_in; ++k)
        for (size_t x = 0; x < numbers; ++x)
            came[x][c->in[k]] = c->records_in[k * numbers + x];
}

/* Returns true if the window of received site j begins in our planes. */
static bool is_at_home(const struct ph_mesh *mesh, size_t j)
{
    const int x = mesh->site[mesh->place[j]].first[0];
    return mesh->planes[0] <= x && x < mesh->planes[1];
}

void ph_mesh_bring_back(struct ph_mesh *mesh, bool rates)
{
    const struct ph_mesh_transfer *c = mesh->transfer;
    const struct ph_wave_sites *from = &c->came, *to = mesh->sites;
    const size_t numbers = numbers_of(mesh), size = ph_team()->size;
    double *ours[NUMBERS], *came[NUMBERS];
    list_numbers(rates ? to->field_rate : to->field, rates ? to->pull_rate : to->pull,
                 rates ? to->gradient_rate : to->gradient, ours);
    list_numbers(rates ? from->field_rate : from->field, rates ? from->pull_rate : from->pull,
                 rates ? from->gradient_rate : from->gradient, came);
    double *packed = c->records_in;
    const double *unpacked = c->records_out;
    memset(c->n_home_in, 0, size * sizeof *c->n_home_in);
    for (size_t p = 0, k = 0; p < size; ++p)
        for (const size_t end = k + c->n_in[p]; k < end; ++k) {
            const size_t j = c->in[k];
            if (!is_at_home(mesh, j))
                continue;
            ++c->n_home_in[p];
            for (size_t x = 0; x < numbers; ++x, ++packed)
                *packed = came[x][j];
        }
    travel(mesh, numbers, c->n_home_in, c->records_in, c->n_home_out, c->records_out);
    for (size_t p = 0, k = 0; p < size; ++p)
        for (const size_t end = k + c->n_out[p]; k < end; ++k) {
            const size_t j = c->out[k];
            if (c->home[c->plane[j]] != p)
                continue;
            for (size_t x = 0; x < numbers; ++x, ++unpacked)
                ours[x][j] = *unpacked;
        }
}
