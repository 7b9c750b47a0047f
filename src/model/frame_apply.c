/* SPDX-License-Identifier: MIT */
#include "model/start_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A file may leave out the sites without mass. */
static bool listed(const struct ph_site *site, bool all) { return all || site->mass > 0.0; }

static size_t count_sites(const struct ph_system *system, bool all)
{
    size_t total = 0;
    for (size_t s = 0; s < system->n_species; ++s) {
        size_t n = 0;
        for (size_t a = 0; a < system->species[s].n_sites; ++a)
            n += listed(&system->species[s].site[a], all);
        total += n * (system->first[s + 1] - system->first[s]);
    }
    return total;
}

static void put(struct ph_system *system, size_t i, const double r[3], const double q[4])
{
    for (int k = 0; k < 3; ++k) {
        system->r[k][i] = r[k];
        system->image[k][i] = 0;
    }
    for (int k = 0; k < 4; ++k)
        system->q[k][i] = q[k];
}

/* Lines are molecules: each goes to the next free one of the species it names. */
static enum ph_status apply_molecules(const struct ph_frame *frame, struct ph_system *system, struct ph_error *err)
{
    size_t *next = calloc(system->n_species + 1, sizeof *next);
    if (!next)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu species.", system->n_species);
    memcpy(next, system->first, system->n_species * sizeof *next);
    enum ph_status status = PH_OK;
    for (size_t line = 0; line < frame->n && status == PH_OK; ++line) {
        const char *name = frame->name[line];
        size_t s = 0;
        while (s < system->n_species && strcmp(name, system->species[s].name) != 0)
            ++s;
        if (s == system->n_species && system->n_species == 1 && system->species[0].degrees == 0)
            s = 0; /* particles of one kind may be called anything */
        double q[4] = {1.0, 0.0, 0.0, 0.0}, norm = 1.0;
        if (frame->orientation) {
            const double *given = frame->orientation[line];
            norm = sqrt(given[0] * given[0] + given[1] * given[1] + given[2] * given[2] + given[3] * given[3]);
            for (int k = 0; k < 4; ++k)
                q[k] = given[k] / norm;
        }
        if (s == system->n_species)
            status = ph_error_set(err, PH_ERR_INPUT, "%s:%zu: '%s' is none of the models of the system.", frame->file,
                                  line + 3, name);
        else if (next[s] == system->first[s + 1])
            status =
                ph_error_set(err, PH_ERR_INPUT, "%s:%zu: more than the %zu molecules of '%s' that the input counts.",
                             frame->file, line + 3, next[s] - system->first[s], system->species[s].name);
        else if (!frame->orientation && system->species[s].degrees > 0)
            status =
                ph_error_set(err, PH_ERR_INPUT,
                             "%s:%zu: molecules of '%s' rotate: the file must have the columns orientation:R:4, or one "
                             "line for each of several sites.",
                             frame->file, line + 3, system->species[s].name);
        else if (!(fabs(norm - 1.0) < 1e-3))
            status =
                ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the orientation has norm %g: it must be a unit quaternion.",
                             frame->file, line + 3, norm);
        else
            put(system, next[s]++, frame->position[line], q);
    }
    free(next);
    return status;
}

/* The lines from `line` on are the sites of molecule i */
static enum ph_status apply_sites(const struct ph_frame *frame, double tolerance, bool all, size_t i, size_t *line,
                                  struct ph_system *system, double *residual, struct ph_error *err)
{
    const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
    double body[PH_SITES_MAX][3], space[PH_SITES_MAX][3];
    size_t n = 0;
    for (size_t a = 0; a < species->n_sites; ++a) {
        const struct ph_site *site = &species->site[a];
        if (!listed(site, all))
            continue;
        const char *name = frame->name[*line];
        if (name[0] != '\0' && strcmp(name, site->name) != 0)
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: '%s' where site '%s' of molecule %zu ('%s') should be.",
                                frame->file, *line + 3, name, site->name, i + 1, species->name);
        double d[3];
        for (int k = 0; k < 3; ++k) {
            body[n][k] = site->position[k];
            space[n][k] = frame->position[*line][k];
            d[k] = space[n][k] - space[0][k];
        }
        ph_box_minimum_image(&system->box, d); /* the image next to the first site: molecules made whole */
        for (int k = 0; k < 3; ++k)
            space[n][k] = space[0][k] + d[k];
        ++n;
        ++*line;
    }
    double q[4], r[3];
    const double rms = ph_fit_attitude(n, (const double(*)[3])body, (const double(*)[3])space, q, r);
    if (species->degrees == 0)
        memcpy(q, (double[]){1.0, 0.0, 0.0, 0.0}, sizeof q);
    *residual = fmax(*residual, rms);
    if (!(rms <= tolerance * species->extent) && species->extent > 0.0)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "%s:%zu: the sites of molecule %zu differ from the rigid '%s' by %g (root mean square); accepted: %g, "
            "the tolerance %g times the extent %g.",
            frame->file, *line - n + 3, i + 1, species->name, rms, tolerance * species->extent, tolerance,
            species->extent);
    put(system, i, r, q);
    return PH_OK;
}

enum ph_status ph_frame_apply(const struct ph_frame *frame, double tolerance, struct ph_system *system,
                              double *residual, struct ph_error *err)
{
    const size_t n_all = count_sites(system, true), n_massive = count_sites(system, false);
    double largest = 0.0;
    enum ph_status status = PH_OK;
    if (frame->n == system->n) {
        status = apply_molecules(frame, system, err);
    } else if (frame->n == n_all || frame->n == n_massive) {
        size_t line = 0;
        for (size_t i = 0; i < system->n && status == PH_OK; ++i)
            status = apply_sites(frame, tolerance, frame->n == n_all, i, &line, system, &largest, err);
    } else {
        status = ph_error_set(
            err, PH_ERR_INPUT,
            "%s:1: %zu lines; the system has %zu molecules with %zu sites, %zu of them with mass, and the file "
            "must have one line for each of these.",
            frame->file, frame->n, system->n, n_all, n_massive);
    }
    if (residual)
        *residual = largest;
    ph_system_wrap(system);
    for (int k = 0; k < 3; ++k)
        for (size_t i = 0; i < system->n; ++i)
            system->image[k][i] = 0;
    return status;
}
