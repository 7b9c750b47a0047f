/* SPDX-License-Identifier: MIT */
/* Potential models of ms2 (.pm), as in the MolMod database: lines "key = value", '#' begins a comment.
 *
 *   NSiteTypes = 2
 *   SiteType = LJ126           then NSites, and for each site x y z sigma epsilon mass
 *   SiteType = Charge          x y z charge mass shielding
 *   SiteType = Dipole          x y z theta phi dipole mass shielding
 *   SiteType = Quadrupole      x y z theta phi quadrupole mass shielding
 *   NRotAxes = auto            moments of the masses; or 0, 2, 3 and InertMomX, InertMomY, InertMomZ
 *
 * Units: Angstrom, K, u, e, Debye, Debye Angstrom, degrees. Shielding serves Monte Carlo and is left out. A comment
 * above a site is its name. Described in S. Deublein et al., Comput. Phys. Commun. 182 (2011) 2350. */
#include "base/memory.h"
#include "formats/frame_text.h"
#include "formats/import_points.h"
#include "model/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum site_key { X, Y, Z, MASS, SIGMA, EPSILON, CHARGE, THETA, PHI, DIPOLE, QUADRUPOLE, SHIELDING, N_SITE_KEYS };
static const char *const site_keys[N_SITE_KEYS] = {"x",      "y",     "z",   "mass",   "sigma",      "epsilon",
                                                   "charge", "theta", "phi", "dipole", "quadrupole", "shielding"};

enum { PLACE = 1 << X | 1 << Y | 1 << Z | 1 << MASS, ANGLES = 1 << THETA | 1 << PHI };

static const struct {
    const char *name, *letter;
    unsigned needs, allows;
} kinds[PH_POINT_KINDS] = {
    [PH_POINT_LENNARD_JONES] = {"LJ126", "LJ", PLACE | 1 << SIGMA | 1 << EPSILON, 0},
    [PH_POINT_CHARGE] = {"Charge", "C", PLACE | 1 << CHARGE, 1 << SHIELDING},
    [PH_POINT_DIPOLE] = {"Dipole", "D", PLACE | ANGLES | 1 << DIPOLE, 1 << SHIELDING},
    [PH_POINT_QUADRUPOLE] = {"Quadrupole", "Q", PLACE | ANGLES | 1 << QUADRUPOLE, 1 << SHIELDING},
};

struct reader {
    const char *file;
    size_t line;
    struct ph_points *points;
    int kind; /* of the sites being read; -1: none yet */
    long expected, sites;
    size_t kind_line;
    long types, types_found; /* NSiteTypes; -1: not said. Of SiteType there were so many. */
    size_t types_line;
    struct ph_point *point; /* being read; NULL: none */
    unsigned found;
    double value[N_SITE_KEYS];
    char comment[PH_NAME];         /* above the next site */
    char *reference;               /* of `facts` */
    size_t reference_size, column; /* where its text begins in a line; 0: not in it */
    int axes;                      /* NRotAxes; -1: auto or not yet */
    bool moment[3];
    bool ended; /* NRotAxes was there */
};

static enum ph_status finish_site(struct reader *r, struct ph_error *err)
{
    struct ph_point *point = r->point;
    if (!point)
        return PH_OK;
    r->point = NULL;
    for (int k = 0; k < N_SITE_KEYS; ++k)
        if ((kinds[point->kind].needs & 1u << k) && !(r->found & 1u << k))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the %s site that begins here has no '%s'.", r->file,
                                point->line, kinds[point->kind].name, site_keys[k]);
    static const enum site_key strength[PH_POINT_KINDS] = {EPSILON, CHARGE, DIPOLE, QUADRUPOLE};
    memcpy(point->position, &r->value[X], sizeof point->position);
    point->mass = r->value[MASS];
    point->strength = r->value[strength[point->kind]];
    point->sigma = r->value[SIGMA];
    ph_point_axis(r->value[THETA], r->value[PHI], point->axis);
    return PH_OK;
}

static enum ph_status finish_kind(struct reader *r, struct ph_error *err)
{
    const enum ph_status status = finish_site(r, err);
    if (status == PH_OK && r->kind >= 0 && r->expected < 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: SiteType %s has no NSites.", r->file, r->kind_line,
                            kinds[r->kind].name);
    if (status == PH_OK && r->kind >= 0 && r->sites != r->expected)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: SiteType %s has %ld sites, but NSites = %ld.", r->file,
                            r->kind_line, kinds[r->kind].name, r->sites, r->expected);
    return status;
}

static enum ph_status take_site_key(struct reader *r, enum site_key key, double number, struct ph_error *err)
{
    if (r->kind < 0 || r->expected < 0 || r->ended)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: '%s' belongs to a site, after SiteType and NSites.", r->file,
                            r->line, site_keys[key]);
    if (key == X) {
        const enum ph_status status = finish_site(r, err);
        r->point = status == PH_OK ? ph_points_add((enum ph_point_kind)r->kind, r->line, r->points, err) : NULL;
        if (!r->point)
            return PH_ERR_INPUT;
        memcpy(r->point->name, r->comment, sizeof r->comment);
        r->comment[0] = '\0';
        r->found = 0;
        ++r->sites;
    }
    if (!r->point)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: '%s' is before the first 'x', with which a site begins.",
                            r->file, r->line, site_keys[key]);
    const unsigned known = kinds[r->kind].needs | kinds[r->kind].allows;
    if (!(known & 1u << key)) {
        char accepted[128] = "";
        for (int k = 0; k < N_SITE_KEYS; ++k)
            if (known & 1u << k)
                snprintf(accepted + strlen(accepted), sizeof accepted - strlen(accepted), " %s", site_keys[k]);
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: a %s site has no '%s'. Accepted:%s.", r->file, r->line,
                            kinds[r->kind].name, site_keys[key], accepted);
    }
    if (r->found & 1u << key)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the site has '%s' twice.", r->file, r->line, site_keys[key]);
    r->found |= 1u << key;
    r->value[key] = number;
    return PH_OK;
}

static enum ph_status begin_kind(struct reader *r, const char *word, struct ph_error *err)
{
    const enum ph_status status = r->ended ? PH_OK : finish_kind(r, err);
    if (status != PH_OK)
        return status;
    if (r->ended)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: SiteType after NRotAxes.", r->file, r->line);
    r->kind = -1;
    for (int k = 0; k < PH_POINT_KINDS; ++k)
        if (strcasecmp(word, kinds[k].name) == 0 || strcasecmp(word, kinds[k].letter) == 0)
            r->kind = k;
    if (r->kind < 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: SiteType is '%s'. Accepted: LJ126, Charge, Dipole, Quadrupole.",
                            r->file, r->line, word);
    r->kind_line = r->line;
    ++r->types_found;
    r->expected = -1;
    r->sites = 0;
    return PH_OK;
}

static enum ph_status take_axes(struct reader *r, const char *word, struct ph_error *err)
{
    static const char *const words[] = {"0", "2", "3"};
    static const int axes[] = {0, 2, 3};
    const enum ph_status status = finish_kind(r, err);
    if (status != PH_OK)
        return status;
    r->ended = true;
    r->kind = -1;
    for (int k = 0; k < 3; ++k)
        if (strcmp(word, words[k]) == 0)
            r->axes = axes[k];
    if (r->axes < 0 && strcasecmp(word, "auto") != 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: NRotAxes is '%s'. Accepted: auto, 0, 2, 3.", r->file, r->line,
                            word);
    return PH_OK;
}

static enum ph_status take_moment(struct reader *r, int k, double number, struct ph_error *err)
{
    if (r->axes < 0)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: moments of inertia need NRotAxes = 0, 2 or 3 before them.",
                            r->file, r->line);
    r->moment[k] = true;
    r->points->inertia[k] = number;
    return PH_OK;
}

/* One line "key = value". `done`: the numbers after it are for gradual insertion and have no place here. */
static enum ph_status take_line(struct reader *r, const char *key, const char *word, bool *done, struct ph_error *err)
{
    static const char *const moments[] = {"InertMomX", "InertMomY", "InertMomZ"};
    if (strcmp(key, "SiteType") == 0)
        return begin_kind(r, word, err);
    if (strcmp(key, "NRotAxes") == 0)
        return take_axes(r, word, err);
    double number;
    if (!ph_text_number(word, &number))
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: %s is '%s'. Accepted: a number.", r->file, r->line, key, word);
    for (int k = 0; k < N_SITE_KEYS; ++k)
        if (strcmp(key, site_keys[k]) == 0)
            return take_site_key(r, (enum site_key)k, number, err);
    for (int k = 0; k < 3; ++k)
        if (strcmp(key, moments[k]) == 0)
            return take_moment(r, k, number, err);
    if (strcmp(key, "NSites") == 0) {
        if (r->kind < 0 || r->expected >= 0 || !(number >= 0.0 && number <= 1e6 && number == (double)(long)number))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: NSites = %s. Accepted: one number of sites after SiteType.",
                                r->file, r->line, word);
        r->expected = (long)number;
        return PH_OK;
    }
    if (strcmp(key, "NSiteTypes") == 0) {
        if (r->types >= 0 || !(number >= 0.0 && number <= 1e6 && number == (double)(long)number))
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: NSiteTypes = %s. Accepted: one number of SiteTypes.",
                                r->file, r->line, word);
        r->types = (long)number;
        r->types_line = r->line;
        return PH_OK;
    }
    if (strcmp(key, "NFluct") == 0)
        *done = true;
    else if (strcmp(key, "TotalMass") != 0)
        return ph_error_set(err, PH_ERR_INPUT,
                            "%s:%zu: '%s' is unknown. Accepted: NSiteTypes, SiteType, NSites, NRotAxes, InertMomX, "
                            "InertMomY, InertMomZ, TotalMass, NFluct, and in sites x y z sigma epsilon charge theta "
                            "phi dipole quadrupole mass shielding.",
                            r->file, r->line, key);
    return PH_OK;
}

/* The first word of a comment, up to what is no letter, digit, '+', '-' or '_': "CH2" of "# CH2(1)" */
static void take_comment(const char *text, char comment[PH_NAME])
{
    size_t n = 0;
    while (*text == '#' || *text == ' ' || *text == '\t')
        ++text;
    for (; isalnum((unsigned char)*text) || (*text != '\0' && strchr("+-_", *text)); ++text)
        if (n + 1 < PH_NAME - 8)
            comment[n++] = *text;
    if (*text != '\0' && !strchr(" \t([{", *text)) /* a sentence */
        n = 0;
    comment[n] = '\0';
}

/* MolMod breaks the reference at a fixed width, also within words: "# Reference     J. L. Abascal", then lines that are
 * blank up to the same column */
static void take_reference(struct reader *r, const char *line)
{
    static const char word[] = "# Reference";
    const size_t blank = 1 + strspn(line + 1, " ");
    if (strncmp(line, word, sizeof word - 1) == 0) {
        r->column = sizeof word - 1;
        r->column += strspn(line + r->column, " ");
        r->reference[0] = '\0';
    } else if (r->column == 0 || blank < r->column || line[blank] == '\0') {
        r->column = 0;
        return;
    }
    const size_t used = strlen(r->reference);
    snprintf(r->reference + used, r->reference_size - used, "%s", line + r->column);
}

/* Trims the reference. Letters beyond ASCII may have any encoding: without them it is a text in any. */
static void finish_reference(char *reference)
{
    size_t n = strlen(reference);
    while (n > 0 && reference[n - 1] == ' ')
        --n;
    reference[n] = '\0';
    for (char *c = reference; *c != '\0'; ++c)
        if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
            *c = '?';
}

static enum ph_status read_lines(struct ph_frame_text *text, struct reader *r, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    bool done = false;
    while (status == PH_OK && !done && ph_text_next(text)) {
        char *line = text->text, *words[PH_TEXT_WORDS];
        r->line = text->line;
        if (r->line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) /* the mark of UTF-8 */
            line += 3;
        for (char *c = line; *c != '\0'; ++c)
            if (strncmp(c, "\xc2\xa0", 2) == 0) /* a space that does not break */
                c[0] = c[1] = ' ';
        const size_t blank = strspn(line, " \t");
        if (line[blank] == '#') {
            take_comment(line + blank, r->comment);
            take_reference(r, line + blank);
            continue;
        }
        line[strcspn(line, "#")] = '\0';
        char *equals = strchr(line, '=');
        if (equals)
            *equals = ' ';
        const int n = ph_text_split(line, words);
        if (n == 0 && !equals)
            continue;
        if (n != 2 || !equals)
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: found %d words%s. Accepted: key = value.", r->file, r->line,
                                n, equals ? "" : " and no '='");
        status = take_line(r, words[0], words[1], &done, err);
        if (strcmp(words[0], "x") != 0)
            r->comment[0] = '\0';
    }
    return status;
}

static enum ph_status check_end(struct reader *r, struct ph_error *err)
{
    const enum ph_status status = r->ended ? PH_OK : finish_kind(r, err);
    if (status != PH_OK)
        return status;
    if (r->types >= 0 && r->types != r->types_found)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: NSiteTypes = %ld, but the file has %ld SiteTypes.", r->file,
                            r->types_line, r->types, r->types_found);
    if (!r->ended)
        return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: the file ends without NRotAxes. Accepted: auto, 0, 2, 3.",
                            r->file, r->line);
    for (int k = 0; k < r->axes; ++k)
        if (!r->moment[k])
            return ph_error_set(err, PH_ERR_INPUT, "%s:%zu: NRotAxes = %d, but there is no InertMom%c.", r->file,
                                r->line, r->axes, "XYZ"[k]);
    r->points->has_inertia = r->axes >= 0;
    return PH_OK;
}

enum ph_status ph_points_read_ms2(const struct ph_import *import, struct ph_points *points,
                                  struct ph_import_facts *facts, struct ph_error *err)
{
    const char *file = import->file;
    const double angstrom = 0.1;
    points->unit = (struct ph_point_units){.length = angstrom,
                                           .energy = ph_units_find("md")->boltzmann,
                                           .mass = 1.0,
                                           .charge = 1.0,
                                           .dipole = 1.0 / ph_debye_of_e_nm,
                                           .quadrupole = angstrom / ph_debye_of_e_nm};
    struct ph_frame_text *text;
    enum ph_status status = ph_text_open(file, &text, err);
    if (status == PH_OK) {
        struct reader reader = {.file = file,
                                .points = points,
                                .kind = -1,
                                .types = -1,
                                .axes = -1,
                                .reference = facts->reference,
                                .reference_size = sizeof facts->reference};
        status = ph_text_status(text, file, read_lines(text, &reader, err), err);
        if (status == PH_OK)
            status = check_end(&reader, err);
        finish_reference(facts->reference);
    }
    ph_text_close(text);
    return status;
}
