/* SPDX-License-Identifier: MIT */
/* From the asymmetric unit of a form to a cell with its bonds */
#include "base/vec3.h"
#include "model/ice/ice.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bonds are 0.273 to 0.290 nm long; the next neighbours are 0.324 nm away, but for ice VII. */
static const double longest_bond = 0.305, longest_hydrogen = 0.13, same = 1e-3;

/* Edges of these lengths and angles: the first along x, the second in the plane of x and y. Right angles are exact. */
static void edges_of(const double length[3], const double cosine[3], double edge[3][3])
{
    const double sine = sqrt(1.0 - cosine[2] * cosine[2]);
    const double along = (cosine[0] - cosine[1] * cosine[2]) / sine;
    const double rest = sqrt(1.0 - cosine[1] * cosine[1] - along * along);
    const double unit[3][3] = {{1.0, 0.0, 0.0}, {cosine[2], sine, 0.0}, {cosine[1], along, rest}};
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            edge[k][j] = length[k] * unit[k][j];
}

static double dot_product(const double metric[3][3], const double a[3], const double b[3])
{
    double sum = 0.0;
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            sum += metric[j][k] * a[j] * b[k];
    return sum;
}

static void metric_of(const struct ph_ice_form *form, double metric[3][3])
{
    double cosine[3];
    for (int k = 0; k < 3; ++k)
        cosine[k] = form->angle[k] == 90.0 ? 0.0 : cos(form->angle[k] * 3.14159265358979323846 / 180.0);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            metric[j][k] = form->edge[j] * form->edge[k] * (j == k ? 1.0 : cosine[3 - j - k]);
}

/* The edges of the cell that repeats, in the frame of edges_of */
static void whole_edges(const struct ph_ice_form *form, const double whole[3][3], double edge[3][3])
{
    double metric[3][3], length[3], cosine[3];
    metric_of(form, metric);
    for (int k = 0; k < 3; ++k)
        length[k] = sqrt(dot_product((const double(*)[3])metric, whole[k], whole[k]));
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        cosine[k] = dot_product((const double(*)[3])metric, whole[i], whole[j]) / (length[i] * length[j]);
        if (fabs(cosine[k]) < 1e-9)
            cosine[k] = 0.0;
    }
    edges_of(length, cosine, edge);
}

static void invert(const double m[3][3], double inverse[3][3])
{
    double column[3][3];
    for (int k = 0; k < 3; ++k)
        ph_vec3_cross(m[(k + 1) % 3], m[(k + 2) % 3], column[k]);
    const double determinant = ph_vec3_dot(m[0], column[0]);
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
            inverse[j][k] = column[k][j] / determinant;
}

/* Adds all images of these atoms in the whole cell, and returns how many. Rows of `whole` are its edges in units of the
 * published ones. */
static size_t fill(const struct ph_ice_form *form, const double whole[3][3], size_t n_atoms, const double (*atoms)[3],
                   size_t room, double (*to)[3])
{
    enum { REACH = 3 };
    double inverse[3][3];
    invert(whole, inverse);
    size_t n = 0;
    for (size_t a = 0; a < n_atoms; ++a)
        for (size_t s = 0; s < form->n_symmetries; ++s)
            for (int shift = 0; shift < REACH * REACH * REACH; ++shift) {
                const int by[3] = {shift % REACH, shift / REACH % REACH, shift / (REACH * REACH)};
                double x[3], f[3] = {0.0};
                for (int k = 0; k < 3; ++k) {
                    const int axis = form->symmetries[s].axis[k];
                    x[k] = (axis > 0 ? 1.0 : -1.0) * atoms[a][axis > 0 ? axis - 1 : -axis - 1] +
                           0.25 * form->symmetries[s].quarters[k] + by[k];
                }
                for (int j = 0; j < 3; ++j)
                    for (int k = 0; k < 3; ++k)
                        f[k] += x[j] * inverse[j][k];
                bool seen = false;
                for (int k = 0; k < 3; ++k)
                    f[k] -= floor(f[k] + 0.5 * same);
                for (size_t m = 0; m < n && !seen; ++m) {
                    double off = 0.0;
                    for (int k = 0; k < 3; ++k)
                        off = fmax(off, fabs(to[m][k] - f[k] - rint(to[m][k] - f[k])));
                    seen = off < same;
                }
                assert(seen || n < room);
                if (!seen && n < room)
                    memcpy(to[n++], f, sizeof f);
            }
    return n;
}

static void to_space(const double edge[3][3], const double f[3], double r[3])
{
    for (int k = 0; k < 3; ++k)
        r[k] = f[0] * edge[0][k] + f[1] * edge[1][k] + f[2] * edge[2][k];
}

/* Of the eight neighbours in a body-centred lattice, four belong to the same of two networks. */
static bool same_network(const struct ph_ice_form *form, const double site[3], const double way[3])
{
    return !form->body_centred || (way[0] * way[1] * way[2] > 0.0) == (site[0] < 0.25);
}

static void find_bonds(const struct ph_ice_form *form, struct ph_ice_cell *cell)
{
    for (size_t i = 0; i < cell->n; ++i) {
        size_t n = 0;
        for (size_t j = 0; j < cell->n; ++j)
            for (int shift = 0; shift < 27; ++shift) {
                struct ph_ice_bond bond = {.to = j, .cell = {shift % 3 - 1, shift / 3 % 3 - 1, shift / 9 - 1}};
                double d[3];
                for (int k = 0; k < 3; ++k)
                    bond.way[k] = cell->site[j][k] + bond.cell[k] - cell->site[i][k];
                to_space((const double(*)[3])cell->edge, bond.way, d);
                const double length = ph_vec3_norm(d);
                if (!(length > 0.1 && length < longest_bond) || !same_network(form, cell->site[i], bond.way))
                    continue;
                assert(n < PH_ICE_BONDS);
                cell->bond[i][n++] = bond;
            }
        assert(n == PH_ICE_BONDS);
    }
    for (size_t i = 0; i < cell->n; ++i)
        for (size_t k = 0; k < PH_ICE_BONDS; ++k) {
            struct ph_ice_bond *bond = &cell->bond[i][k];
            for (size_t l = 0; l < PH_ICE_BONDS; ++l) {
                const struct ph_ice_bond *back = &cell->bond[bond->to][l];
                if (back->to == i && back->cell[0] == -bond->cell[0] && back->cell[1] == -bond->cell[1] &&
                    back->cell[2] == -bond->cell[2])
                    bond->back = l;
            }
        }
}

/* A hydrogen belongs to the nearest oxygen, and to that of its bonds which it is most nearly on. */
static void find_donors(const struct ph_ice_form *form, const double whole[3][3], struct ph_ice_cell *cell)
{
    double hydrogen[2 * PH_ICE_CELL_MAX][3];
    const size_t n = fill(form, whole, form->n_hydrogens, form->hydrogen, 2 * PH_ICE_CELL_MAX, hydrogen);
    cell->ordered = n > 0;
    for (size_t h = 0; h < n; ++h)
        for (size_t i = 0; i < cell->n; ++i) {
            double f[3], d[3], best = -1.0;
            for (int k = 0; k < 3; ++k) {
                f[k] = hydrogen[h][k] - cell->site[i][k];
                f[k] -= rint(f[k]);
            }
            to_space((const double(*)[3])cell->edge, f, d);
            if (ph_vec3_norm(d) > longest_hydrogen)
                continue;
            size_t on = 0;
            for (size_t k = 0; k < PH_ICE_BONDS; ++k) {
                double way[3];
                to_space((const double(*)[3])cell->edge, cell->bond[i][k].way, way);
                const double cosine = ph_vec3_dot(d, way) / (ph_vec3_norm(d) * ph_vec3_norm(way));
                if (cosine > best) {
                    best = cosine;
                    on = k;
                }
            }
            cell->donor[i][on] = true;
        }
}

void ph_ice_make(const struct ph_ice_form *form, struct ph_ice_cell *cell)
{
    memset(cell, 0, sizeof *cell);
    double whole[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int j = 0; j < 3 && form->whole; ++j)
        for (int k = 0; k < 3; ++k)
            whole[j][k] = form->whole[j][k];
    whole_edges(form, (const double(*)[3])whole, cell->edge);
    cell->n = fill(form, (const double(*)[3])whole, form->n_oxygens, form->oxygen, PH_ICE_CELL_MAX, cell->site);
    find_bonds(form, cell);
    find_donors(form, (const double(*)[3])whole, cell);
}

/* ---- How many cells ---- */

enum { MOST_STRETCHED = 2 }; /* longest edge over the shortest */

size_t ph_ice_molecules(const struct ph_ice_form *form)
{
    struct ph_ice_cell cell;
    ph_ice_make(form, &cell);
    return cell.n;
}

/* Finds the most nearly cubic arrangement of this many cells. Returns its longest edge over the shortest. */
static double arrange(const double length[3], size_t n, size_t cells[3])
{
    double best = INFINITY;
    for (size_t a = 1; a <= n; ++a) {
        if (n % a != 0)
            continue;
        for (size_t b = 1; b <= n / a; ++b) {
            if (n / a % b != 0)
                continue;
            const size_t c = n / a / b;
            const double x = (double)a * length[0], y = (double)b * length[1], z = (double)c * length[2];
            const double stretch = fmax(x, fmax(y, z)) / fmin(x, fmin(y, z));
            if (stretch < best * (1.0 - 1e-9)) {
                best = stretch;
                cells[0] = a;
                cells[1] = b;
                cells[2] = c;
            }
        }
    }
    return best;
}

/* The nearest number of cells from n on, upwards or downwards, that can be arranged; 0: none */
static size_t nearest(const double length[3], size_t n, bool up)
{
    size_t cells[3];
    for (size_t m = n; m > 0 && m < n + 1000; m += up ? 1 : (size_t)-1)
        if (arrange(length, m, cells) <= MOST_STRETCHED)
            return m;
    return 0;
}

enum ph_status ph_ice_repeat(const struct ph_ice_form *form, size_t n, size_t cells[3], struct ph_error *err)
{
    struct ph_ice_cell cell;
    ph_ice_make(form, &cell);
    double length[3];
    for (int k = 0; k < 3; ++k)
        length[k] = ph_vec3_norm(cell.edge[k]);
    const size_t fit = n / cell.n;
    if (n % cell.n == 0 && arrange(length, fit, cells) <= MOST_STRETCHED)
        return PH_OK;
    const size_t below = nearest(length, fit, false), above = nearest(length, fit + 1, true);
    char lower[32] = "";
    if (below > 0)
        snprintf(lower, sizeof lower, "%zu or ", below * cell.n);
    return ph_error_set(err, PH_ERR_INPUT,
                        "%zu molecules do not make a crystal of ice %s, whose cell has %zu, that is at most twice as "
                        "long as wide. The nearest numbers that do: %s%zu.",
                        n, form->name, cell.n, lower, above * cell.n);
}

void ph_ice_edges(const struct ph_ice_form *form, const size_t cells[3], double edge[3][3])
{
    struct ph_ice_cell cell;
    ph_ice_make(form, &cell);
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            edge[k][j] = (double)cells[k] * cell.edge[k][j];
}
