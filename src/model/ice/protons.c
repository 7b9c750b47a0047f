/* SPDX-License-Identifier: MIT */
/* Random hydrogens on the bonds of an ice, by the rules of Bernal and Fowler.
 *
 * A hydrogen on a bond is an arrow from the oxygen that it belongs to. The rules say that two arrows leave every oxygen
 * and two arrive. A first configuration comes from walks that use each bond once (Euler). It is made random by closed
 * loops: at each oxygen every arriving arrow is joined to a leaving one, in one of two ways. So all arrows fall into
 * loops, and each loop is turned round or not, with equal chances. The joining does not depend on the directions of the
 * loops. Every step is therefore as likely as its reverse, and all configurations are equally likely (H. G. Evertz, G.
 * Lana, M. Marcu, Phys. Rev. Lett. 70 (1993) 875).
 *
 * The arrows add up to the sum of all loops. A loop that closes within the crystal adds zero. One that closes through
 * its faces adds a sum of edges. Loops of this kind are turned until they cancel. Then the dipoles of bonds add up to
 * zero exactly. Those of molecules do not quite, where bonds do not meet at tetrahedral angles. Further loops within
 * the crystal bring their sum below a twentieth of one molecule, if the crystal is not very small. */
#include "base/random.h"
#include "base/vec3.h"
#include "model/ice/ice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, MOST_ROUNDS = 2000, MOST_TRIALS = 20000 };
static const double small_dipole = 0.05, wander = 0.5, most_work = 1e7;

struct network {
    const struct ph_ice_cell *cell;
    const size_t *cells;
    const double (*edge)[3];
    size_t n;
    bool *donor; /* not owned; of 4 n arrows, seen from each of their ends */
    /* owned: */
    unsigned char *joined; /* of each vertex, which of two ways */
    bool *seen;            /* of each arrow */
    size_t *path;          /* arrows, loop after loop; an arrow is 4 vertex + bond */
    size_t *first;         /* of each loop in the path; one more for the end */
    int (*winding)[3];     /* of each loop: faces of the crystal that it crosses */
    bool *turned;          /* of each loop */
    bool *best;            /* arrows with the least dipole so far */
    size_t n_loops;
};

static void network_free(struct network *net)
{
    free(net->joined);
    free(net->seen);
    free(net->path);
    free(net->first);
    free(net->winding);
    free(net->turned);
    free(net->best);
}

static bool network_init(const struct ph_ice_cell *cell, const size_t cells[3], const double (*edge)[3], bool *donor,
                         struct network *net)
{
    const size_t n = cell->n * cells[0] * cells[1] * cells[2];
    *net = (struct network){.cell = cell, .cells = cells, .edge = edge, .n = n, .donor = donor};
    net->joined = calloc(n, sizeof *net->joined);
    net->seen = calloc(PH_ICE_BONDS * n, sizeof *net->seen);
    net->path = calloc(PH_ICE_BONDS * n, sizeof *net->path);
    net->first = calloc(2 * n + 1, sizeof *net->first);
    net->winding = calloc(2 * n, sizeof *net->winding);
    net->turned = calloc(2 * n, sizeof *net->turned);
    net->best = calloc(PH_ICE_BONDS * n, sizeof *net->best);
    return net->joined && net->seen && net->path && net->first && net->winding && net->turned && net->best;
}

/* The vertex at the other end of a bond. `crossed` counts the faces of the crystal that the bond crosses. */
static size_t neighbour(const struct ph_ice_cell *cell, const size_t cells[3], size_t vertex, size_t k, int crossed[3])
{
    const struct ph_ice_bond *bond = &cell->bond[vertex % cell->n][k];
    size_t rest = vertex / cell->n, at[3];
    for (int axis = 0; axis < 3; ++axis) {
        const long here = (long)(rest % cells[axis]) + bond->cell[axis], edge = (long)cells[axis];
        rest /= cells[axis];
        crossed[axis] = here < 0 ? -1 : here >= edge;
        at[axis] = (size_t)(here - crossed[axis] * edge);
    }
    return cell->n * ((at[2] * cells[1] + at[1]) * cells[0] + at[0]) + bond->to;
}

/* The far end of an arrow, seen from there */
static size_t other_end(const struct network *net, size_t arrow, int crossed[3])
{
    const size_t vertex = arrow / PH_ICE_BONDS, k = arrow % PH_ICE_BONDS;
    const size_t to = neighbour(net->cell, net->cells, vertex, k, crossed);
    return PH_ICE_BONDS * to + net->cell->bond[vertex % net->cell->n][k].back;
}

/* ---- The first configuration ---- */

static bool unused(const struct network *net, size_t vertex, struct ph_random *random, size_t *arrow)
{
    size_t n = 0, free_bonds[PH_ICE_BONDS];
    for (size_t k = 0; k < PH_ICE_BONDS; ++k)
        if (!net->seen[PH_ICE_BONDS * vertex + k])
            free_bonds[n++] = PH_ICE_BONDS * vertex + k;
    if (n == 0)
        return false;
    *arrow = free_bonds[ph_random_below(random, n)];
    return true;
}

/* Every oxygen has an even number of bonds, so a walk ends where it began, and arrives as often as it leaves. */
static void walk(struct network *net, struct ph_random *random)
{
    memset(net->seen, 0, PH_ICE_BONDS * net->n * sizeof *net->seen);
    for (size_t begin = 0; begin < net->n; ++begin) {
        size_t arrow, vertex = begin;
        while (unused(net, vertex, random, &arrow)) {
            int crossed[3];
            const size_t end = other_end(net, arrow, crossed);
            net->seen[arrow] = net->seen[end] = true;
            net->donor[arrow] = true;
            net->donor[end] = false;
            vertex = end / PH_ICE_BONDS;
        }
    }
}

/* ---- Loops ---- */

/* The arrow that leaves after this one has arrived: the first or second that leaves, for the first or second that
 * arrives, or crosswise */
static size_t next_arrow(const struct network *net, size_t arrived)
{
    const size_t vertex = arrived / PH_ICE_BONDS, begin = PH_ICE_BONDS * vertex;
    size_t rank = net->joined[vertex], leaving = 0;
    for (size_t k = begin; k < arrived; ++k)
        rank += !net->donor[k];
    rank %= 2;
    for (size_t k = begin; k < begin + PH_ICE_BONDS; ++k)
        if (net->donor[k] && leaving++ == rank)
            return k;
    return begin; /* never: two arrows leave */
}

/* Follows the loop of an arrow; returns its length. The arrows go to `path`. */
static size_t follow(const struct network *net, size_t begin, size_t *path, int winding[3])
{
    size_t n = 0, arrow = begin;
    winding[0] = winding[1] = winding[2] = 0;
    do {
        int crossed[3];
        path[n++] = arrow;
        const size_t end = other_end(net, arrow, crossed);
        for (int k = 0; k < 3; ++k)
            winding[k] += crossed[k];
        arrow = next_arrow(net, end);
    } while (arrow != begin);
    return n;
}

static void turn(const struct network *net, size_t n, const size_t *path)
{
    for (size_t k = 0; k < n; ++k) {
        int crossed[3];
        const size_t end = other_end(net, path[k], crossed);
        net->donor[path[k]] = false;
        net->donor[end] = true;
    }
}

static void find_loops(struct network *net, struct ph_random *random)
{
    for (size_t v = 0; v < net->n; ++v)
        net->joined[v] = (unsigned char)(ph_random_bits(random) & 1);
    memset(net->seen, 0, PH_ICE_BONDS * net->n * sizeof *net->seen);
    net->n_loops = 0;
    size_t used = 0;
    for (size_t arrow = 0; arrow < PH_ICE_BONDS * net->n; ++arrow) {
        if (!net->donor[arrow] || net->seen[arrow])
            continue;
        const size_t loop = net->n_loops++;
        net->first[loop] = used;
        used += follow(net, arrow, net->path + used, net->winding[loop]);
        for (size_t k = net->first[loop]; k < used; ++k)
            net->seen[net->path[k]] = true;
    }
    net->first[net->n_loops] = used;
}

static long length_square(const long w[3]) { return w[0] * w[0] + w[1] * w[1] + w[2] * w[2]; }

/* Turns loops at random, then those whose turning brings the sum nearest to zero. Returns true if it is zero. */
static bool choose_turns(struct network *net, struct ph_random *random)
{
    long sum[3] = {0};
    for (size_t l = 0; l < net->n_loops; ++l) {
        net->turned[l] = ph_random_bits(random) & 1;
        for (int k = 0; k < 3; ++k)
            sum[k] += net->turned[l] ? -net->winding[l][k] : net->winding[l][k];
    }
    for (;;) {
        size_t best = net->n_loops;
        long least = length_square(sum);
        for (size_t l = 0; l < net->n_loops; ++l) {
            long after[3];
            for (int k = 0; k < 3; ++k)
                after[k] = sum[k] + (net->turned[l] ? 2L : -2L) * net->winding[l][k];
            if (length_square(after) < least) {
                least = length_square(after);
                best = l;
            }
        }
        if (best == net->n_loops)
            return least == 0;
        for (int k = 0; k < 3; ++k)
            sum[k] += (net->turned[best] ? 2L : -2L) * net->winding[best][k];
        net->turned[best] = !net->turned[best];
    }
}

/* ---- The dipole of the molecules ---- */

void ph_ice_hydrogens(const struct ph_ice_cell *cell, const double edge[3][3], const bool *donor, size_t vertex,
                      double direction[2][3])
{
    size_t n = 0;
    for (size_t k = 0; k < PH_ICE_BONDS && n < 2; ++k) {
        if (!donor[PH_ICE_BONDS * vertex + k])
            continue;
        const double *way = cell->bond[vertex % cell->n][k].way;
        for (int j = 0; j < 3; ++j)
            direction[n][j] = way[0] * edge[0][j] + way[1] * edge[1][j] + way[2] * edge[2][j];
        const double length = ph_vec3_norm(direction[n]);
        for (int j = 0; j < 3; ++j)
            direction[n][j] /= length;
        ++n;
    }
}

/* Adds the dipole of a molecule, of length `factor`. */
static void add_dipole(const struct network *net, size_t vertex, double factor, double sum[3])
{
    double h[2][3], bisector[3];
    ph_ice_hydrogens(net->cell, net->edge, net->donor, vertex, h);
    for (int k = 0; k < 3; ++k)
        bisector[k] = h[0][k] + h[1][k];
    ph_vec3_add(factor / ph_vec3_norm(bisector), bisector, sum);
}

/* Turns single loops within the crystal, at random while the dipole stays below `wander`, until it is small. Keeps the
 * least that it meets. A loop may meet an oxygen twice: the
 * dipoles of its oxygens are left out before it is turned, each once, and added again afterwards. */
static void cancel_dipole(struct network *net, struct ph_random *random)
{
    double sum[3] = {0.0}, work = 0.0;
    for (size_t v = 0; v < net->n; ++v)
        add_dipole(net, v, 1.0, sum);
    memset(net->seen, 0, net->n * sizeof *net->seen);
    memcpy(net->best, net->donor, PH_ICE_BONDS * net->n * sizeof *net->best);
    double least = ph_vec3_norm(sum);
    for (int trial = 0; trial < MOST_TRIALS && work < most_work && least > small_dipole; ++trial) {
        size_t begin = PH_ICE_BONDS * ph_random_below(random, net->n);
        while (!net->donor[begin])
            ++begin;
        int winding[3];
        const size_t n = follow(net, begin, net->path, winding);
        work += (double)n;
        for (size_t k = 0; k < n; ++k) /* for the next loops */
            net->joined[net->path[k] / PH_ICE_BONDS] = (unsigned char)(ph_random_bits(random) & 1);
        if (winding[0] != 0 || winding[1] != 0 || winding[2] != 0)
            continue;
        double after[3] = {sum[0], sum[1], sum[2]};
        for (int turn_now = 0; turn_now < 2; ++turn_now) {
            for (size_t k = 0; k < n; ++k) {
                const size_t v = net->path[k] / PH_ICE_BONDS;
                if (net->seen[v] == (bool)turn_now)
                    add_dipole(net, v, turn_now ? 1.0 : -1.0, after);
                net->seen[v] = !turn_now;
            }
            if (!turn_now)
                turn(net, n, net->path);
        }
        if (ph_vec3_norm(after) < fmax(ph_vec3_norm(sum), wander)) {
            memcpy(sum, after, sizeof sum);
            if (ph_vec3_norm(sum) < least) {
                least = ph_vec3_norm(sum);
                memcpy(net->best, net->donor, PH_ICE_BONDS * net->n * sizeof *net->best);
            }
            continue;
        }
        for (size_t k = 0; k < n; ++k) { /* back */
            int crossed[3];
            const size_t end = other_end(net, net->path[k], crossed);
            net->donor[net->path[k]] = true;
            net->donor[end] = false;
        }
    }
    memcpy(net->donor, net->best, PH_ICE_BONDS * net->n * sizeof *net->best);
}

enum ph_status ph_ice_protons(const struct ph_ice_cell *cell, const size_t cells[3], const double edge[3][3],
                              uint64_t seed, bool *donor, struct ph_error *err)
{
    const size_t n = cell->n * cells[0] * cells[1] * cells[2];
    if (cell->ordered) {
        for (size_t v = 0; v < n; ++v)
            memcpy(donor + PH_ICE_BONDS * v, cell->donor[v % cell->n], sizeof cell->donor[0]);
        return PH_OK;
    }
    struct network net;
    if (!network_init(cell, cells, edge, donor, &net)) {
        network_free(&net);
        return ph_no_memory(err, "the hydrogens of %zu molecules", n);
    }
    struct ph_random random = ph_random_stream(seed, PH_RANDOM_PROTONS, 0);
    walk(&net, &random);
    bool balanced = false;
    for (int round = 0; round < MOST_ROUNDS && !balanced; ++round) {
        find_loops(&net, &random);
        balanced = choose_turns(&net, &random) && round >= ROUNDS;
        for (size_t l = 0; l < net.n_loops; ++l)
            if (net.turned[l])
                turn(&net, net.first[l + 1] - net.first[l], net.path + net.first[l]);
    }
    if (balanced)
        cancel_dipole(&net, &random);
    network_free(&net);
    return balanced ? PH_OK
                    : ph_error_set(err, PH_ERR_NUMBERS,
                                   "No hydrogens without a dipole were found in %d attempts for %zu molecules of ice. "
                                   "Give another seed, or more molecules.",
                                   (int)MOST_ROUNDS, n);
}
