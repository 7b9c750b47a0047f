/* SPDX-License-Identifier: MIT */
#include "base/rotation.h"
#include "base/vec3.h"
#include "formats/start_file.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sites within this distance of a line, relative to the molecule's size, do not fix its rotation about the line. */
static const double collinear = 1e-6;
/* A quaternion whose norm differs from 1 by less is one to rounding: it keeps its bits. */
static const double rounding = 16.0 * DBL_EPSILON;
/* Relative accuracy: the masses of sites must reproduce the molecule's mass and inertia this closely. */
static const double agree = 1e-6;

/* Of a cube: three coordinates, each off by the rounding */
static const double diagonal = 1.7320508075688772935;

/* Everything one application of a frame needs */
struct work {
    const struct ph_frame *frame;
    const struct ph_frame_rules *rules;
    struct ph_system *system;
    struct ph_frame_fit *fit;
    double square; /* sum over fitted sites */
    size_t n_sites;
    enum ph_status status; /* error of the first position that is too far away */
    struct ph_error *err;
};

bool ph_frame_lists(const struct ph_species *species, size_t site, enum ph_frame_lines lines)
{
    return lines == PH_LINES_SITES || species->n_sites == 1 || species->site[site].mass > 0.0;
}

size_t ph_frame_lines_of(const struct ph_species *species, enum ph_frame_lines lines)
{
    size_t n = 0;
    for (size_t a = 0; a < species->n_sites; ++a)
        n += ph_frame_lists(species, a, lines);
    return lines == PH_LINES_MOLECULES ? 1 : n;
}

static size_t count_lines(const struct ph_system *system, enum ph_frame_lines lines)
{
    size_t total = 0;
    for (size_t s = 0; s < system->n_species; ++s)
        total += ph_frame_lines_of(&system->species[s], lines) * (system->first[s + 1] - system->first[s]);
    return total;
}

/* "file:7", or "file, frame 3": where a message points to */
static const char *place(const struct ph_frame *frame, size_t line, char text[400])
{
    if (frame->moment[0] == '\0')
        snprintf(text, 400, "%s:%zu", frame->file, frame->line_number ? frame->line_number[line] : line + 3);
    else
        snprintf(text, 400, "%s, %s", frame->file, frame->moment);
    return text;
}

static void put(struct work *work, size_t line, size_t i, const double r[3], const double q[4])
{
    if (!ph_box_reaches(&work->system->box, r) && work->status == PH_OK) {
        char text[400];
        work->status = ph_error_set(work->err, PH_ERR_INPUT,
                                    "%s: molecule %zu is at (%g, %g, %g); accepted are places up to %g %s from the "
                                    "origin.",
                                    place(work->frame, line, text), i, r[0], r[1], r[2], PH_FAR,
                                    work->system->box.kind == PH_BOX_OPEN ? "units of length" : "boxes");
    }
    for (int k = 0; k < 3; ++k) {
        work->system->r[k][i] = r[k];
        work->system->image[k][i] = work->frame->image ? work->frame->image[line][k] : 0;
    }
    for (int k = 0; k < 4; ++k)
        work->system->q[k][i] = q[k];
}

static enum ph_status unknown_orientation(const struct work *work, size_t line, size_t i, const char *remedy)
{
    char text[400];
    return ph_error_set(work->err, PH_ERR_INPUT,
                        "%s: molecules of '%s' rotate, but molecule %zu has no orientation: the file must have %s%s.",
                        place(work->frame, line, text),
                        work->system->species[ph_system_species_of(work->system, i)].name, i + 1, work->frame->needs,
                        remedy);
}

/* Turns an orientation of the model file's axes into the orientation of the principal axes: x_space = q (x_file) and
 * x_body = file_rotation (x_file). */
static void turn_to_principal_axes(const struct ph_species *species, double q[4])
{
    const double *r = species->file_rotation, back[4] = {r[0], -r[1], -r[2], -r[3]};
    ph_quat_multiply(q, back, q);
}

/* The line is molecule i */
static enum ph_status apply_molecule(struct work *work, size_t line, size_t i)
{
    const struct ph_frame *frame = work->frame;
    struct ph_system *system = work->system;
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    static const double none[4] = {0.0, 0.0, 0.0, 0.0};
    const double *given = frame->orientation ? frame->orientation[line] : none;
    double q[4] = {1.0, 0.0, 0.0, 0.0};
    const double norm = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2] + given[3] * given[3]);
    if (species->degrees > 0 && norm == 0.0) {
        if (!work->rules->keep_orientations)
            return unknown_orientation(work, line, i, "; or the input system.start.attitudes");
        for (int k = 0; k < 4; ++k)
            q[k] = system->q[k][i];
        ++work->fit->n_kept;
    } else if (species->degrees > 0) {
        char text[400];
        if (!(fabs(norm - 1.0) < 1e-3))
            return ph_error_set(work->err, PH_ERR_INPUT,
                                "%s: the orientation has norm %g: that of molecule %zu must be a unit quaternion.",
                                place(frame, line, text), norm, i + 1);
        for (int k = 0; k < 4; ++k)
            q[k] = fabs(norm - 1.0) <= rounding ? given[k] : given[k] / norm;
        if (frame->model_axes)
            turn_to_principal_axes(species, q);
    }
    put(work, line, i, frame->position[line], q);
    double m[3] = {0.0, 0.0, 0.0};
    if (work->fit->momenta && species->degrees > 0)
        memcpy(m, frame->angular_momentum[line], sizeof m);
    if (frame->model_axes)
        ph_quat_rotate(species->file_rotation, m, m);
    for (int k = 0; k < 3 && work->fit->momenta; ++k) {
        system->p[k][i] = species->mass * frame->velocity[line][k];
        system->m[k][i] = species->inertia[k] > 0.0 ? m[k] : 0.0;
    }
    return PH_OK;
}

/* Each line is a molecule, the next one of the species it names. */
static enum ph_status apply_by_name(struct work *work)
{
    const struct ph_frame *frame = work->frame;
    const struct ph_system *system = work->system;
    size_t *next = calloc(system->n_species + 1, sizeof *next);
    if (!next)
        return ph_no_memory(work->err, "%zu species", system->n_species);
    memcpy(next, system->first, system->n_species * sizeof *next);
    enum ph_status status = PH_OK;
    for (size_t line = 0; line < frame->n && status == PH_OK; ++line) {
        const char *name = frame->name[line];
        char text[400];
        size_t s = 0;
        while (s < system->n_species && strcmp(name, system->species[s].name) != 0)
            ++s;
        if (s == system->n_species && system->n_species == 1 && system->species[0].degrees == 0)
            s = 0; /* with a single species any name is accepted */
        if (s == system->n_species)
            status = ph_error_set(work->err, PH_ERR_INPUT, "%s: '%s' is not a model of the system.",
                                  place(frame, line, text), name);
        else if (next[s] == system->first[s + 1])
            status =
                ph_error_set(work->err, PH_ERR_INPUT, "%s: more than the %zu molecules of '%s' that the input has.",
                             place(frame, line, text), next[s] - system->first[s], system->species[s].name);
        else
            status = apply_molecule(work, line, next[s]++);
    }
    free(next);
    return status;
}

/* Do the listed sites, in the body frame, fix the orientation? A linear rotor needs two sites in different places,
 * other molecules three that are not on a line. */
static bool turned_by_sites(const struct ph_species *species, size_t n, double body[PH_SITES_MAX][3])
{
    double far = 0.0, off = 0.0, direction[3] = {0.0, 0.0, 0.0};
    for (size_t a = 1; a < n; ++a) {
        const double d[3] = {body[a][0] - body[0][0], body[a][1] - body[0][1], body[a][2] - body[0][2]};
        if (ph_vec3_norm(d) > far) {
            far = ph_vec3_norm(d);
            for (int k = 0; k < 3; ++k)
                direction[k] = d[k] / far;
        }
    }
    for (size_t a = 1; a < n; ++a) {
        double d[3] = {body[a][0] - body[0][0], body[a][1] - body[0][1], body[a][2] - body[0][2]};
        const double along = ph_vec3_dot(d, direction);
        for (int k = 0; k < 3; ++k)
            d[k] -= along * direction[k];
        off = fmax(off, ph_vec3_norm(d));
    }
    return species->degrees == 0 || (species->degrees == 2 ? far > 0.0 : off > collinear * far);
}

/* p = sum of m v, L = sum of m (x - r) x v with the sites in their rigid places; in the body frame Q^T L */
static void sum_momenta(struct work *work, enum ph_frame_lines lines, size_t line, const size_t *order, size_t i,
                        const double q[4])
{
    struct ph_system *system = work->system;
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double p[3] = {0.0, 0.0, 0.0}, m[3] = {0.0, 0.0, 0.0};
    size_t n = 0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        if (!ph_frame_lists(species, a, lines))
            continue;
        const double mass = species->site[a].mass;
        const double *v = work->frame->velocity[line + order[n++]], *x = species->site[a].position;
        double u[3]; /* the velocity in the body frame */
        ph_quat_rotate(back, v, u);
        for (int k = 0; k < 3; ++k) {
            const int j = (k + 1) % 3, l = (k + 2) % 3;
            p[k] += mass * v[k];
            m[k] += mass * (x[j] * u[l] - x[l] * u[j]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        system->p[k][i] = p[k];
        system->m[k][i] = species->inertia[k] > 0.0 ? m[k] : 0.0;
    }
}

/* How many times larger the molecule is in the file than in the model: the ratio of the sites' radii of gyration */
static double stretch(size_t n, double body[PH_SITES_MAX][3], double space[PH_SITES_MAX][3])
{
    double sum[2] = {0.0, 0.0};
    for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < a; ++b)
            for (int k = 0; k < 3; ++k) {
                sum[0] += (body[a][k] - body[b][k]) * (body[a][k] - body[b][k]);
                sum[1] += (space[a][k] - space[b][k]) * (space[a][k] - space[b][k]);
            }
    return sum[0] > 0.0 ? sqrt(sum[1] / sum[0]) : 1.0;
}

static enum ph_status misfit(const struct work *work, size_t line, size_t i, double rms, double larger)
{
    const struct ph_species *species = &work->system->species[ph_system_species_of(work->system, i)];
    const double accepted = work->rules->tolerance * species->extent + diagonal * work->frame->rounding;
    char text[400];
    const char *hint = "If the geometry of the file is meant to give way to that of the model, raise "
                       "system.start.tolerance.";
    if (fabs(larger - 10.0) < 1.0)
        hint = "They are about ten times as far from each other as in the model: lengths in Angstrom for nm? Then "
               "system.start.length_unit is angstrom.";
    else if (fabs(larger - 0.1) < 0.01)
        hint = "They are about a tenth as far from each other as in the model: lengths in nm for Angstrom? Then "
               "system.start.length_unit is nm.";
    return ph_error_set(work->err, PH_ERR_INPUT,
                        "%s: the sites of molecule %zu differ from the rigid '%s' by %g (root mean square); accepted: "
                        "%g, the tolerance %g times the extent %g%s. %s",
                        place(work->frame, line, text), i + 1, species->name, rms, accepted, work->rules->tolerance,
                        species->extent, work->frame->rounding > 0.0 ? " and the rounding of the file" : "", hint);
}

/* Two sites that differ in nothing but their places and names */
static bool alike(const struct ph_site *a, const struct ph_site *b)
{
    return a->mass == b->mass && a->charge == b->charge && ph_vec3_is_zero(a->dipole) && ph_vec3_is_zero(b->dipole) &&
           a->angular.kind == PH_ANGULAR_NONE && b->angular.kind == PH_ANGULAR_NONE &&
           ph_radial_alike(&a->radial, &b->radial);
}

static void exchange(double space[PH_SITES_MAX][3], size_t *order, size_t a, size_t b)
{
    const size_t line = order[a];
    order[a] = order[b];
    order[b] = line;
    for (int k = 0; k < 3; ++k) {
        const double x = space[a][k];
        space[a][k] = space[b][k];
        space[b][k] = x;
    }
}

/* Another program may number the hydrogens of CH4 or NH3 the other way round: no rotation leads from one to the other,
 * but the exchange of two that are alike. The best fit of all such exchanges; sites and their lines are left in its
 * order. */
static double fit_exchanged(size_t n, const struct ph_site *const *site, double body[PH_SITES_MAX][3],
                            double space[PH_SITES_MAX][3], size_t *order, double q[4], double r[3])
{
    size_t best[2] = {0, 0};
    double least = ph_fit_orientation(n, (const double(*)[3])body, (const double(*)[3])space, q, r);
    for (size_t a = 0; a < n; ++a)
        for (size_t b = 0; b < a; ++b) {
            if (!alike(site[a], site[b]))
                continue;
            exchange(space, order, a, b);
            const double rms = ph_fit_orientation(n, (const double(*)[3])body, (const double(*)[3])space, q, r);
            exchange(space, order, a, b);
            if (rms < least) {
                least = rms;
                best[0] = a;
                best[1] = b;
            }
        }
    exchange(space, order, best[0], best[1]);
    return ph_fit_orientation(n, (const double(*)[3])body, (const double(*)[3])space, q, r);
}

/* The lines from `line` on are the sites of molecule i */
static enum ph_status apply_sites(struct work *work, enum ph_frame_lines lines, size_t line, size_t i)
{
    const struct ph_frame *frame = work->frame;
    const struct ph_species *species = &work->system->species[ph_system_species_of(work->system, i)];
    double body[PH_SITES_MAX][3], space[PH_SITES_MAX][3];
    const struct ph_site *listed[PH_SITES_MAX];
    char text[400];
    size_t n = 0, order[PH_SITES_MAX];
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        if (!ph_frame_lists(species, a, lines))
            continue;
        const char *name = frame->name ? frame->name[line + n] : "";
        if (name[0] != '\0' && strcmp(name, site->name) != 0)
            return ph_error_set(work->err, PH_ERR_INPUT, "%s: '%s' where site '%s' of molecule %zu ('%s') should be.",
                                place(frame, line + n, text), name, site->name, i + 1, species->name);
        double d[3];
        for (int k = 0; k < 3; ++k) {
            body[n][k] = site->position[k];
            space[n][k] = frame->position[line + n][k];
            d[k] = space[n][k] - space[0][k];
        }
        ph_box_minimum_image(&work->system->box, d); /* the image next to the first site: molecules made whole */
        for (int k = 0; k < 3; ++k)
            space[n][k] = space[0][k] + d[k];
        listed[n] = site;
        order[n] = n;
        ++n;
    }
    if (ph_species_single_site(species)) /* the site is the molecule */
        return apply_molecule(work, line, i);
    if (!turned_by_sites(species, n, body))
        return unknown_orientation(work, line, i, "; the sites that it has do not fix the orientation");
    double q[4], r[3];
    const double accepted = work->rules->tolerance * species->extent + diagonal * frame->rounding;
    double rms = ph_fit_orientation(n, (const double(*)[3])body, (const double(*)[3])space, q, r);
    if (!(rms <= accepted))
        rms = fit_exchanged(n, listed, body, space, order, q, r);
    if (!(rms <= accepted) && species->extent > 0.0)
        return misfit(work, line, i, rms, stretch(n, body, space));
    if (species->degrees == 0) {
        memcpy(q, (double[]){1.0, 0.0, 0.0, 0.0}, sizeof q);
    } else {
        work->square += (double)n * rms * rms;
        work->n_sites += n;
        if (work->fit->n_fitted++ == 0 || rms > work->fit->worst) {
            work->fit->worst = rms;
            work->fit->worst_molecule = i;
        }
    }
    put(work, line, i, r, q);
    if (work->fit->momenta)
        sum_momenta(work, lines, line, order, i, q);
    return PH_OK;
}

static enum ph_frame_lines lines_of(const struct work *work, size_t s)
{
    if (work->frame->lines)
        return work->frame->lines[s];
    if (work->frame->n == work->system->n)
        return PH_LINES_MOLECULES;
    return work->frame->n == count_lines(work->system, PH_LINES_SITES) ? PH_LINES_SITES : PH_LINES_MASSIVE_SITES;
}

static enum ph_status apply_in_order(struct work *work)
{
    const struct ph_system *system = work->system;
    size_t line = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        const enum ph_frame_lines lines = lines_of(work, s);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const enum ph_status status =
                lines == PH_LINES_MOLECULES ? apply_molecule(work, line, i) : apply_sites(work, lines, line, i);
            if (status != PH_OK)
                return status;
            line += ph_frame_lines_of(&system->species[s], lines);
        }
    }
    return PH_OK;
}

/* Do the masses of the listed sites add up to the mass and moments of the molecule? */
static bool massive(const struct ph_species *species)
{
    double mass = 0.0, inertia[3] = {0.0, 0.0, 0.0}, size = 0.0, off = 0.0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        const double *x = species->site[a].position;
        mass += species->site[a].mass;
        for (int k = 0; k < 3; ++k)
            inertia[k] += species->site[a].mass * (ph_vec3_dot(x, x) - x[k] * x[k]);
    }
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, species->inertia[k]);
        off = fmax(off, fabs(inertia[k] - species->inertia[k]));
    }
    return fabs(mass - species->mass) <= agree * species->mass && off <= agree * size;
}

/* Why the momenta of the file cannot be used; NULL: they can */
static const char *missing_momenta(const struct work *work)
{
    const struct ph_system *system = work->system;
    if (!work->frame->velocity)
        return "the file has no velocities at this frame";
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        if (system->first[s] == system->first[s + 1])
            continue;
        if (lines_of(work, s) == PH_LINES_MOLECULES || ph_species_single_site(species)) {
            if (species->degrees > 0 && !work->frame->angular_momentum)
                return "the file has velocities but no angular momenta at this frame";
        } else if (!massive(species)) {
            return "the masses of the sites do not give the inertia of the molecules";
        }
    }
    return NULL;
}

enum ph_status ph_frame_apply(const struct ph_frame *frame, const struct ph_frame_rules *rules,
                              struct ph_system *system, struct ph_frame_fit *fit, struct ph_error *err)
{
    struct ph_frame_fit unread;
    struct work work = {.frame = frame, .rules = rules, .system = system, .fit = fit ? fit : &unread, .err = err};
    *work.fit = (struct ph_frame_fit){.n_fitted = 0};
    if (rules->momenta) {
        work.fit->no_momenta = missing_momenta(&work);
        work.fit->momenta = !work.fit->no_momenta;
    }
    const size_t n_all = count_lines(system, PH_LINES_SITES), n_massive = count_lines(system, PH_LINES_MASSIVE_SITES);
    enum ph_status status = PH_OK;
    if (frame->lines)
        status = apply_in_order(&work);
    else if (frame->n == system->n)
        status = apply_by_name(&work);
    else if (frame->n == n_all || frame->n == n_massive)
        status = apply_in_order(&work);
    else
        status = ph_error_set(err, PH_ERR_INPUT,
                              "%s:1: %zu lines; the system has %zu molecules with %zu sites, %zu of them with mass, "
                              "and the file must have one line for each of these.",
                              frame->file, frame->n, system->n, n_all, n_massive);
    if (status == PH_OK)
        status = work.status;
    if (work.n_sites > 0)
        work.fit->rms = sqrt(work.square / (double)work.n_sites);
    ph_system_wrap(system);
    for (int k = 0; k < 3 && !frame->image; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->image[k][i] = 0;
    return status;
}
