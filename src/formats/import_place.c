/* SPDX-License-Identifier: MIT */
/* Places of the atoms of a topology.
 *
 * Without a file: one atom lies at the origin, and two lie along z. Three lie in the plane of x and z, the first at the
 * origin, with the axis of symmetry (or the direction halfway between the other two) along z. Angles give the third
 * side of a triangle,
 *   c^2 = a^2 + b^2 - 2 a b cos(angle).
 * With a file: the first molecule in it that has these atoms. In both cases the places of virtual sites follow from the
 * other atoms. */
#include "base/vec3.h"
#include "formats/frame_text.h"
#include "formats/topology.h"
#include "model/box.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool is_virtual(const struct ph_topology *topology, size_t atom)
{
    for (size_t k = 0; k < topology->n_virtual; ++k)
        if (topology->virtual_site[k].site == atom)
            return true;
    return false;
}

static void use_angles(struct ph_topology *topology)
{
    const long double degree = 0.017453292519943295769L; /* pi/180 */
    for (size_t k = 0; k < topology->n_angles; ++k) {
        const size_t *atom = topology->angle[k].atom;
        const double a = topology->distance[atom[1]][atom[0]], b = topology->distance[atom[1]][atom[2]];
        if (a > 0.0 && b > 0.0 && topology->distance[atom[0]][atom[2]] == 0.0) {
            const double cosine = (double)cosl(degree * topology->angle[k].degrees);
            topology->distance[atom[0]][atom[2]] = topology->distance[atom[2]][atom[0]] =
                sqrt(a * a + b * b - 2.0 * a * b * cosine);
        }
    }
}

static enum ph_status unplaced(const struct ph_topology *topology, size_t i, size_t j, struct ph_error *err)
{
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s:%zu: molecule '%s': the topology does not say how far '%s' is from '%s'. Give a file with "
                        "the atoms: --coordinates FILE.gro, .pdb or .xyz.",
                        topology->file, topology->line, topology->molecule, topology->atom[i].name,
                        topology->atom[j].name);
}

/* Up to three atoms, from their distances */
static enum ph_status place_few(size_t n, const size_t *real, struct ph_topology *topology, struct ph_error *err)
{
    double(*const d)[PH_SITES_MAX] = topology->distance;
    for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < a; ++b)
            if (d[real[a]][real[b]] == 0.0)
                return unplaced(topology, real[a], real[b], err);
    for (size_t a = 0; a < n; ++a)
        topology->atom[real[a]].placed = true;
    if (n == 2)
        topology->atom[real[1]].position[2] = d[real[0]][real[1]];
    if (n < 3)
        return PH_OK;
    const double a = d[real[0]][real[1]], b = d[real[0]][real[2]], c = d[real[1]][real[2]];
    if (!(c <= (a + b) * (1.0 + 1e-9) && a <= (b + c) * (1.0 + 1e-9) && b <= (c + a) * (1.0 + 1e-9)))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: molecule '%s': distances %g, %g and %g make no triangle.",
                            topology->file, topology->line, topology->molecule, a, b, c);
    /* half the angle at the first atom: sin^2 = (c^2 - (a - b)^2) / (4 a b) */
    const double sine = sqrt(fmin(1.0, fmax(0.0, (c * c - (a - b) * (a - b)) / (4.0 * a * b))));
    const double cosine = sqrt(fmax(0.0, ((a + b) * (a + b) - c * c) / (4.0 * a * b)));
    double *first = topology->atom[real[1]].position, *second = topology->atom[real[2]].position;
    first[0] = a * sine;
    first[2] = a * cosine;
    second[0] = -b * sine;
    second[2] = b * cosine;
    return PH_OK;
}

/* Finds the atoms of the topology, by name or in order, among the file's atoms from `first` on. Returns false if an
 * atom that is not virtual is missing. */
static bool find_atoms(const struct ph_topology *topology, const struct ph_frame *frame, size_t first, bool in_order,
                       size_t at[PH_SITES_MAX])
{
    bool taken[PH_SITES_MAX] = {false};
    for (size_t a = 0; a < topology->n; ++a) {
        at[a] = frame->n;
        for (size_t k = 0; k < topology->n && first + k < frame->n && at[a] == frame->n; ++k) {
            const bool same = !frame->molecule || frame->molecule[first + k] == frame->molecule[first];
            if (!taken[k] && same &&
                (in_order ? k == a : strcasecmp(frame->name[first + k], topology->atom[a].name) == 0)) {
                taken[k] = true;
                at[a] = first + k;
            }
        }
        if (at[a] == frame->n && !is_virtual(topology, a))
            return false;
    }
    return true;
}

static enum ph_status place_by_file(const char *file, struct ph_topology *topology, double *fit, struct ph_error *err)
{
    const struct ph_frame_request request = {.format = "", .frame = 0, .atom_style = "", .units = ""};
    struct ph_frame frame;
    enum ph_status status = ph_frame_read_text(file, &request, &frame, err);
    if (status != PH_OK)
        return status;
    ph_frame_scale(frame.length > 0.0 ? frame.length : 0.1, 1.0, &frame); /* XYZ is in Angstrom */
    size_t at[PH_SITES_MAX], first = 0;
    while (first < frame.n && !find_atoms(topology, &frame, first, false, at))
        ++first;
    if (first == frame.n && !(frame.n == topology->n && find_atoms(topology, &frame, 0, true, at))) {
        status =
            ph_error_set(err, PH_ERR_INPUT, "%s: has no molecule with the %zu atoms of '%s', by their names%s.", file,
                         topology->n, topology->molecule, frame.n == topology->n ? "" : " or as its only atoms");
        ph_frame_free(&frame);
        return status;
    }
    struct ph_box box = ph_box_open();
    if (frame.periodic)
        status = ph_box_init_periodic((const double(*)[3])frame.edge, &box, err);
    for (size_t a = 0; a < topology->n && status == PH_OK; ++a) {
        if (at[a] == frame.n)
            continue;
        double d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = frame.position[at[a]][k] - frame.position[at[0] < frame.n ? at[0] : first][k];
        ph_box_minimum_image(&box, d); /* made whole */
        memcpy(topology->atom[a].position, d, sizeof d);
        topology->atom[a].placed = true;
    }
    *fit = NAN;
    for (size_t a = 0; a < topology->n && status == PH_OK; ++a)
        for (size_t b = 0; b < a; ++b) {
            double d[3];
            for (int k = 0; k < 3; ++k)
                d[k] = topology->atom[a].position[k] - topology->atom[b].position[k];
            if (topology->distance[a][b] > 0.0)
                *fit = fmax(isnan(*fit) ? 0.0 : *fit, fabs(ph_vec3_norm(d) - topology->distance[a][b]));
        }
    ph_frame_free(&frame);
    return status;
}

/* Places virtual sites. Each needs the places of the atoms that define it. */
static enum ph_status place_virtual(struct ph_topology *topology, struct ph_error *err)
{
    for (size_t k = 0; k < topology->n_virtual; ++k) {
        const struct ph_topology_virtual *v = &topology->virtual_site[k];
        const double *x[3] = {NULL, NULL, NULL};
        double u[3], w[3], out[3];
        for (size_t j = 0; j < v->n_from; ++j) {
            if (!topology->atom[v->from[j]].placed)
                return ph_error_set(
                    err, PH_ERR_INPUT, "%s:%zu: the virtual site '%s' follows from '%s', whose place is not known.",
                    topology->file, v->line, topology->atom[v->site].name, topology->atom[v->from[j]].name);
            x[j] = topology->atom[v->from[j]].position;
        }
        for (int i = 0; i < 3; ++i) {
            u[i] = x[1][i] - x[0][i];
            w[i] = v->n_from == 3 ? x[2][i] - x[0][i] : 0.0;
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            out[i] = x[0][i] + v->weight[0] * u[i];
            if (v->n_from == 3)
                out[i] += v->weight[1] * w[i] + v->weight[2] * (u[j] * w[l] - u[l] * w[j]);
        }
        memcpy(topology->atom[v->site].position, out, sizeof out);
        topology->atom[v->site].placed = true;
    }
    return PH_OK;
}

enum ph_status ph_topology_place(const char *coordinates, struct ph_topology *topology, double *fit,
                                 struct ph_error *err)
{
    size_t real[PH_SITES_MAX], n = 0;
    for (size_t a = 0; a < topology->n; ++a)
        if (!is_virtual(topology, a))
            real[n++] = a;
    use_angles(topology);
    *fit = NAN;
    enum ph_status status = PH_OK;
    if (coordinates)
        status = place_by_file(coordinates, topology, fit, err);
    else if (n > 3)
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s:%zu: molecule '%s' has %zu atoms, and distances place three. Give a file with the "
                              "atoms: --coordinates FILE.gro, .pdb or .xyz.",
                              topology->file, topology->line, topology->molecule, n);
    else
        status = place_few(n, real, topology, err);
    return status == PH_OK ? place_virtual(topology, err) : status;
}
