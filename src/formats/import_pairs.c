/* SPDX-License-Identifier: MIT */
/* [ nonbond_params ] of a GROMACS topology that concern two sites of the molecule itself. Force fields list all pairs,
 * most of them with the parameters that the combination rule gives. Only pairs that differ from the rule matter. */
#include "base/library.h"
#include "formats/import.h"
#include "formats/topology.h"

#include <math.h>
#include <string.h>

/* Files have 6 or 7 digits, and sigma enters with its 12th power. */
static const double digits = 1e-4;

struct powers {
    double c6, c12;
};

static struct powers powers_of(double sigma, double epsilon)
{
    const double s3 = sigma * sigma * sigma, c6 = 4.0 * epsilon * s3 * s3;
    return (struct powers){c6, c6 * s3 * s3};
}

/* Returns the parameters that the program combines from two sites */
static struct powers combined(const struct ph_radial *a, const struct ph_radial *b, bool geometric)
{
    if (a->kind == PH_RADIAL_NONE || b->kind == PH_RADIAL_NONE)
        return (struct powers){0.0, 0.0};
    const double sigma = geometric ? sqrt(a->sigma * b->sigma) : 0.5 * (a->sigma + b->sigma);
    return powers_of(sigma, sqrt(a->epsilon * b->epsilon));
}

static bool is_close(double x, double y) { return fabs(x - y) <= digits * fmax(fabs(x), fabs(y)); }

static bool is_of(const struct ph_topology_pair *pair, const char *a, const char *b)
{
    return (strcmp(pair->type[0], a) == 0 && strcmp(pair->type[1], b) == 0) ||
           (strcmp(pair->type[0], b) == 0 && strcmp(pair->type[1], a) == 0);
}

static const struct ph_topology_pair *find_pair(const struct ph_topology *topology, const char *a, const char *b)
{
    for (size_t k = topology->n_pairs; k-- > 0;) /* the last definition counts */
        if (is_of(&topology->pair[k], a, b))
            return &topology->pair[k];
    return NULL;
}

/* Sites of one name are alike, so that names say which sites are meant */
static bool is_known(const struct ph_species *species, const struct ph_import_facts *facts, size_t a, size_t b)
{
    for (size_t k = 0; k < facts->n_pairs; ++k) {
        const char *first = species->site[facts->pair[k].site[0]].name;
        const char *second = species->site[facts->pair[k].site[1]].name;
        const char *one = species->site[a].name, *two = species->site[b].name;
        if ((strcmp(first, one) == 0 && strcmp(second, two) == 0) ||
            (strcmp(first, two) == 0 && strcmp(second, one) == 0))
            return true;
    }
    return false;
}

enum ph_status ph_topology_pairs(const struct ph_topology *topology, const struct ph_species *species,
                                 struct ph_import_facts *facts, struct ph_error *err)
{
    const bool in_powers = topology->rule == 1;
    for (size_t a = 0; a < topology->n; ++a)
        for (size_t b = a; b < topology->n; ++b) {
            const struct ph_topology_pair *pair = find_pair(topology, topology->atom[a].type, topology->atom[b].type);
            if (!pair)
                continue;
            if (pair->v < 0.0 || pair->w < 0.0 || (in_powers && pair->v > 0.0 && pair->w == 0.0))
                return ph_error_set(err, PH_ERR_INPUT,
                                    "%s:%zu: [ nonbond_params ] of '%s' and '%s', types of this molecule, are %s = %g "
                                    "and %s = %g: no Lennard-Jones interaction.",
                                    pair->origin.file, pair->origin.line, pair->type[0], pair->type[1],
                                    in_powers ? "C6" : "sigma", pair->v, in_powers ? "C12" : "epsilon", pair->w);
            const struct powers given = in_powers ? (struct powers){pair->v, pair->w} : powers_of(pair->v, pair->w);
            const struct powers mean = combined(&species->site[a].radial, &species->site[b].radial, facts->geometric);
            if ((is_close(given.c6, mean.c6) && is_close(given.c12, mean.c12)) || is_known(species, facts, a, b))
                continue;
            struct ph_import_pair *out = &facts->pair[facts->n_pairs++];
            *out = (struct ph_import_pair){.site = {a, b}, .sigma = 1.0, .line = pair->origin.line};
            memcpy(out->file, pair->origin.file, sizeof out->file);
            out->soft = given.c6 == 0.0 && given.c12 > 0.0;
            if (out->soft) {
                out->epsilon = 0.25 * given.c12; /* with sigma = 1 */
            } else if (given.c6 > 0.0) {
                out->sigma = in_powers ? ph_library_pow(pair->w / pair->v, 1.0 / 6.0) : pair->v;
                out->epsilon = in_powers ? 0.25 * pair->v * pair->v / pair->w : pair->w;
            }
        }
    return PH_OK;
}
