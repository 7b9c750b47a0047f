/* SPDX-License-Identifier: MIT */
/* Atoms of other programs become sites of our models, by their names.
 *
 * The atoms of a molecule follow each other in the file. The next atoms are a molecule of a model if they are all of
 * its sites, in any order, or all of its sites with mass. Among several such models, preference goes to more sites,
 * then to the model with the name of the residue, then to the first that still lacks molecules. */

/* An atom is a site, if that is still free, in this order of preference:
 *   1. the user says so (then nothing else counts); if that site is already taken, a free site like it is used;
 *   2. the names are the same; 3. but for capitals, or for letters that the format has no room for;
 *   4. but for digits at the end (H1, H2 are two sites H); 5. both are names of one site of water.
 *
 * Where all models together have a single site, any name will do. */
#include "base/memory.h"
#include "base/names.h"
#include "formats/start_file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Names of the sites of water in GROMACS, CHARMM, AMBER and LAMMPS: O, H, the charge of four-site models, lone pairs */
static const char *const water[] = {"O|OW|OH2|OW1|OWT3", "H|H1|H2|HW|HW1|HW2|HW3|HH31|HH32", "M|MW|OM|EPW|EP|MW4",
                                    "L|LP|LP1|LP2|L1|L2|LPA|LPB|EP1|EP2"};
enum { NAME_LEAST_CUT = 4 };

struct work {
    const struct ph_frame *frame;
    size_t n_names, n_species;
    const struct ph_frame_name *names;
    const struct ph_species *species;
    const size_t *counts;
    bool any_name;
    struct ph_error *err;
    /* results; owned */
    size_t *found;             /* molecules of each species */
    bool *partial;             /* some of them lack sites without mass */
    size_t *of, *index, *site; /* of each atom: its species, molecule of the species, and site */
};

static const char *explained(const struct work *work, const char *name)
{
    for (size_t k = 0; k < work->n_names; ++k)
        if (strcmp(work->names[k].from, name) == 0)
            return work->names[k].to;
    return NULL;
}

static size_t without_digits(const char *name)
{
    size_t n = strlen(name);
    while (n > 1 && isdigit((unsigned char)name[n - 1]))
        --n;
    return n;
}

static bool both_in_water(const char *atom, const char *site)
{
    for (size_t k = 0; k < sizeof water / sizeof *water; ++k)
        if (ph_name_among(atom, water[k]) && ph_name_among(site, water[k]))
            return true;
    return false;
}

/* Rules 2 to 5 */
enum { SAME = 2, LETTERS, DIGITS, WATER, RULES_END };

static bool agree(int rule, const char *atom, const char *site)
{
    const size_t n = strlen(atom), a = without_digits(atom), b = without_digits(site);
    switch (rule) {
    case SAME: return strcmp(atom, site) == 0;
    case LETTERS: return strcasecmp(atom, site) == 0 || (n >= NAME_LEAST_CUT && strncasecmp(atom, site, n) == 0);
    case DIGITS: return isalpha((unsigned char)atom[0]) && a == b && strncasecmp(atom, site, a) == 0;
    default: return both_in_water(atom, site);
    }
}

static bool alike(const struct ph_site *a, const struct ph_site *b)
{
    return a->mass == b->mass && a->charge == b->charge && ph_radial_alike(&a->radial, &b->radial) &&
           ph_angular_alike(&a->angular, &b->angular);
}

/* The site that the user means; n_sites: this species has none */
static size_t explained_site(const struct ph_species *species, const char *to, const bool *listed, const bool *taken)
{
    size_t named = species->n_sites;
    for (size_t a = 0; a < species->n_sites; ++a)
        if (strcmp(species->site[a].name, to) == 0) {
            named = a;
            if (listed[a] && !taken[a])
                return a;
        }
    for (size_t a = 0; a < species->n_sites && named < species->n_sites; ++a)
        if (listed[a] && !taken[a] && alike(&species->site[a], &species->site[named]))
            return a;
    return species->n_sites;
}

static size_t find_site(const struct work *work, const char *name, const struct ph_species *species, const bool *listed,
                        const bool *taken)
{
    const char *to = explained(work, name);
    if (to)
        return explained_site(species, to, listed, taken);
    for (int rule = SAME; rule < RULES_END; ++rule)
        for (size_t a = 0; a < species->n_sites; ++a)
            if (listed[a] && !taken[a] && (agree(rule, name, species->site[a].name) || work->any_name))
                return a;
    return species->n_sites;
}

/* Are the atoms from `first` on, before `end`, a molecule of this species? Returns how many they are, or 0. */
static size_t try_species(const struct work *work, size_t s, enum ph_frame_lines lines, size_t first, size_t end,
                          size_t *site)
{
    const struct ph_species *species = &work->species[s];
    const size_t n = ph_frame_lines_of(species, lines);
    bool listed[PH_SITES_MAX], taken[PH_SITES_MAX] = {false};
    for (size_t a = 0; a < species->n_sites; ++a)
        listed[a] = ph_frame_lists(species, a, lines);
    if (n == 0 || end - first < n)
        return 0;
    for (size_t k = 0; k < n; ++k) {
        site[k] = find_site(work, work->frame->name[first + k], species, listed, taken);
        if (site[k] == species->n_sites)
            return 0;
        taken[site[k]] = true;
    }
    return n;
}

static bool is_residue(const struct work *work, size_t s, size_t atom)
{
    const char *residue = work->frame->residue ? work->frame->residue[atom] : "", *to = explained(work, residue);
    const char *name = work->species[s].name;
    if (to)
        return strcmp(to, name) == 0;
    return residue[0] != '\0' && (strcasecmp(residue, name) == 0 || (strlen(residue) >= NAME_LEAST_CUT &&
                                                                     strncasecmp(residue, name, strlen(residue)) == 0));
}

/* Takes a molecule from the atoms first .. end; returns how many atoms it has, 0 if there is none. */
static size_t take_molecule(struct work *work, size_t first, size_t end)
{
    size_t best = 0, best_site[PH_SITES_MAX], best_s = 0;
    int best_score = -1;
    bool partial = false;
    for (size_t s = 0; s < work->n_species; ++s) {
        size_t site[PH_SITES_MAX];
        const size_t all = try_species(work, s, PH_LINES_SITES, first, end, site);
        const size_t n = all > 0 ? all : try_species(work, s, PH_LINES_MASSIVE_SITES, first, end, site);
        const int score = 4 * (int)n + 2 * is_residue(work, s, first) + (work->found[s] < work->counts[s]);
        if (n == 0 || score <= best_score)
            continue;
        best = n;
        best_s = s;
        best_score = score;
        partial = all == 0;
        memcpy(best_site, site, n * sizeof *site);
    }
    for (size_t k = 0; k < best; ++k) {
        work->of[first + k] = best_s;
        work->index[first + k] = work->found[best_s];
        work->site[first + k] = best_site[k];
    }
    if (best > 0) {
        ++work->found[best_s];
        work->partial[best_s] = work->partial[best_s] || partial;
    }
    return best;
}

/* "spc-e: O, H, H; ion: Na" */
static void list_sites(const struct work *work, size_t size, char *list)
{
    size_t used = 0;
    list[0] = '\0';
    for (size_t s = 0; s < work->n_species && used < size; ++s) {
        used += (size_t)snprintf(list + used, size - used, "%s%s: ", s > 0 ? "; " : "", work->species[s].name);
        for (size_t a = 0; a < work->species[s].n_sites && used < size; ++a)
            used +=
                (size_t)snprintf(list + used, size - used, "%s%s", a > 0 ? ", " : "", work->species[s].site[a].name);
    }
}

/* Does any model have a site for this atom? */
static bool is_known(const struct work *work, size_t atom)
{
    for (size_t s = 0; s < work->n_species; ++s) {
        bool listed[PH_SITES_MAX], taken[PH_SITES_MAX] = {false};
        memset(listed, true, sizeof listed);
        if (find_site(work, work->frame->name[atom], &work->species[s], listed, taken) < work->species[s].n_sites)
            return true;
    }
    return false;
}

static const char *nearest_site(const struct work *work, const char *name)
{
    const char *names[PH_SITES_MAX], *best = NULL;
    for (size_t s = 0; s < work->n_species && !best; ++s) {
        for (size_t a = 0; a < work->species[s].n_sites; ++a)
            names[a] = work->species[s].site[a].name;
        best = ph_name_nearest(name, work->species[s].n_sites, names);
    }
    return best;
}

static enum ph_status not_a_molecule(const struct work *work, size_t first, size_t end)
{
    const struct ph_frame *frame = work->frame;
    char sites[PH_ERROR_TEXT / 3], residue[PH_NAME + 16] = "", atoms[128] = "";
    list_sites(work, sizeof sites, sites);
    if (frame->residue && frame->residue[first][0] != '\0')
        snprintf(residue, sizeof residue, " (residue '%s')", frame->residue[first]);
    for (size_t i = first; i < end; ++i) {
        const char *name = frame->name[i], *to = explained(work, name);
        if (is_known(work, i))
            continue;
        const char *nearest = nearest_site(work, to ? to : name);
        return ph_error_set(work->err, PH_ERR_INPUT,
                            "%s:%zu: atom '%s'%s is %s%s%s.%s%s%s Sites are %s. Say which it is: "
                            "system.start.names: {%s: %s}; '-' leaves such atoms out.",
                            frame->file, frame->line_number[i], name, residue, to ? "to be '" : "no site of the models",
                            to ? to : "", to ? "', which is no site of the models" : "",
                            nearest ? " Did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "", sites, name,
                            nearest ? nearest : work->species[0].site[0].name);
    }
    for (size_t i = first; i < end && strlen(atoms) + PH_NAME + 8 < sizeof atoms; ++i)
        snprintf(atoms + strlen(atoms), sizeof atoms - strlen(atoms), "%s%s", i > first ? ", " : "", frame->name[i]);
    return ph_error_set(work->err, PH_ERR_INPUT,
                        "%s:%zu: the atoms %s%s%s are not all sites of a molecule. Models: %s; sites without mass may "
                        "be missing.",
                        frame->file, frame->line_number[first], atoms, end - first > 3 ? ", ..." : "", residue, sites);
}

/* Takes the atoms that the user maps to "-" out of the frame. */
static void leave_out(const struct work *work, struct ph_frame *frame)
{
    size_t n = 0;
    for (size_t i = 0; i < frame->n; ++i) {
        const char *to = explained(work, frame->name[i]);
        if (to && strcmp(to, "-") == 0)
            continue;
        memmove(frame->name[n], frame->name[i], sizeof *frame->name);
        memmove(frame->position[n], frame->position[i], sizeof *frame->position);
        frame->line_number[n] = frame->line_number[i];
        if (frame->residue)
            memmove(frame->residue[n], frame->residue[i], sizeof *frame->residue);
        if (frame->molecule)
            frame->molecule[n] = frame->molecule[i];
        if (frame->velocity)
            memmove(frame->velocity[n], frame->velocity[i], sizeof *frame->velocity);
        ++n;
    }
    frame->n = n;
}

/* Cuts the file into molecules. */
static enum ph_status find_molecules(struct work *work)
{
    const struct ph_frame *frame = work->frame;
    for (size_t first = 0; first < frame->n;) {
        size_t end = first + 1;
        while (end < frame->n && end < first + PH_SITES_MAX &&
               (!frame->molecule || frame->molecule[end] == frame->molecule[first]))
            ++end;
        const size_t n = take_molecule(work, first, end);
        if (n == 0)
            return not_a_molecule(work, first, end);
        first += n;
    }
    for (size_t s = 0; s < work->n_species; ++s)
        if (work->found[s] != work->counts[s])
            return ph_error_set(work->err, PH_ERR_INPUT,
                                "%s: the file has %zu molecules of '%s', but system.molecules[%zu].count is %zu.",
                                frame->file, work->found[s], work->species[s].name, s, work->counts[s]);
    return PH_OK;
}

/* Copies the atoms to their places in the order of the system. */
static enum ph_status reorder(const struct work *work, struct ph_frame *frame)
{
    const bool moving = frame->velocity != NULL;
    size_t total = 0, first[PH_SITES_MAX + 1];
    size_t *begin = ph_allocate(work->n_species + 1, sizeof *begin);
    enum ph_frame_lines *lines = ph_allocate(work->n_species + 1, sizeof *lines);
    for (size_t s = 0; s < work->n_species && begin && lines; ++s) {
        lines[s] = work->partial[s] ? PH_LINES_MASSIVE_SITES : PH_LINES_SITES;
        begin[s] = total;
        total += ph_frame_lines_of(&work->species[s], lines[s]) * work->counts[s];
    }
    struct ph_frame to = {.n = total,
                          .lines = lines,
                          .name = ph_allocate(total + 1, sizeof *to.name),
                          .position = ph_allocate(total + 1, sizeof *to.position),
                          .line_number = ph_allocate(total + 1, sizeof *to.line_number),
                          .velocity = moving ? ph_allocate(total + 1, sizeof *to.velocity) : NULL};
    if (!begin || !lines || !to.name || !to.position || !to.line_number || (moving && !to.velocity)) {
        free(begin);
        ph_frame_free(&to);
        return ph_no_memory(work->err, "the %zu atoms of %s", frame->n, frame->file);
    }
    for (size_t i = 0; i < frame->n; ++i) {
        const struct ph_species *species = &work->species[work->of[i]];
        const enum ph_frame_lines kind = lines[work->of[i]];
        if (!ph_frame_lists(species, work->site[i], kind))
            continue; /* a site without mass that other molecules do not have */
        first[0] = 0;
        for (size_t a = 0; a < species->n_sites; ++a)
            first[a + 1] = first[a] + ph_frame_lists(species, a, kind);
        const size_t line =
            begin[work->of[i]] + work->index[i] * ph_frame_lines_of(species, kind) + first[work->site[i]];
        memcpy(to.name[line], species->site[work->site[i]].name, PH_NAME);
        memcpy(to.position[line], frame->position[i], sizeof *to.position);
        to.line_number[line] = frame->line_number[i];
        if (moving)
            memcpy(to.velocity[line], frame->velocity[i], sizeof *to.velocity);
    }
    free(begin);
    free(frame->name);
    free(frame->residue);
    free(frame->molecule);
    free(frame->line_number);
    free(frame->position);
    free(frame->velocity);
    free(frame->angular_momentum); /* of molecules, which atoms do not have */
    frame->angular_momentum = NULL;
    frame->n = to.n;
    frame->lines = to.lines;
    frame->name = to.name;
    frame->residue = NULL;
    frame->molecule = NULL;
    frame->line_number = to.line_number;
    frame->position = to.position;
    frame->velocity = to.velocity;
    return PH_OK;
}

enum ph_status ph_frame_match(size_t n_names, const struct ph_frame_name *names, size_t n_species,
                              const struct ph_species *species, const size_t *counts, struct ph_frame *frame,
                              struct ph_error *err)
{
    struct work work = {.frame = frame,
                        .n_names = n_names,
                        .names = names,
                        .n_species = n_species,
                        .species = species,
                        .counts = counts,
                        .any_name = n_species == 1 && species[0].n_sites == 1,
                        .err = err,
                        .found = ph_allocate(n_species + 1, sizeof *work.found),
                        .partial = ph_allocate(n_species + 1, sizeof *work.partial),
                        .of = ph_allocate(frame->n + 1, sizeof *work.of),
                        .index = ph_allocate(frame->n + 1, sizeof *work.index),
                        .site = ph_allocate(frame->n + 1, sizeof *work.site)};
    enum ph_status status = PH_OK;
    if (!work.found || !work.partial || !work.of || !work.index || !work.site)
        status = ph_no_memory(err, "the %zu atoms of %s", frame->n, frame->file);
    if (status == PH_OK) {
        leave_out(&work, frame);
        status = find_molecules(&work);
    }
    if (status == PH_OK)
        status = reorder(&work, frame);
    free(work.found);
    free(work.partial);
    free(work.of);
    free(work.index);
    free(work.site);
    return status;
}
