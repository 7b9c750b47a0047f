/* SPDX-License-Identifier: MIT */
#include "base/plain.h"
#include "formats/import.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* A text as a scalar of YAML: as it is where that cannot mean something else, else in quotes */
static void write_word(const char *text, FILE *out)
{
    bool plain = isalpha((unsigned char)text[0]);
    for (const char *c = text; *c != '\0'; ++c)
        plain = plain && (isalnum((unsigned char)*c) || *c == '-' || *c == '_');
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off", "null",
                                        "y",    "n",     "Y",   "N",  "NO", "ON"};
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k)
        plain = plain && strcmp(text, words[k]) != 0;
    if (plain) {
        fputs(text, out);
        return;
    }
    fputc('\'', out);
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\'')
            fputc('\'', out);
        if (!iscntrl((unsigned char)*c))
            fputc(*c, out);
    }
    fputc('\'', out);
}

static void write_site(const struct ph_site *site, FILE *out)
{
    fputs("  - {name: ", out);
    write_word(site->name, out);
    ph_fprintf(out, ", position: [%.17g, %.17g, %.17g]", site->position[0], site->position[1], site->position[2]);
    if (site->mass != 0.0)
        ph_fprintf(out, ", mass: %.15g", site->mass);
    if (site->charge != 0.0)
        ph_fprintf(out, ", charge: %.15g", site->charge);
    if (site->dipole[0] != 0.0 || site->dipole[1] != 0.0 || site->dipole[2] != 0.0)
        ph_fprintf(out, ", dipole: [%.17g, %.17g, %.17g]", site->dipole[0], site->dipole[1], site->dipole[2]);
    if (site->angular.kind == PH_ANGULAR_QUADRUPOLE)
        ph_fprintf(out, ", axis: [%.17g, %.17g, %.17g], quadrupole: {Q: %.15g}", site->axis[2][0], site->axis[2][1],
                   site->axis[2][2], site->angular.number[PH_QUADRUPOLE_Q]);
    if (site->radial.kind == PH_RADIAL_MIE)
        ph_fprintf(out, ", lennard-jones: {epsilon: %.15g, sigma: %.15g}", site->radial.epsilon, site->radial.sigma);
    fputs("}\n", out);
}

bool ph_model_write(const struct ph_species *species, const struct ph_import_facts *facts, const char *description,
                    const char *source, const char *path, struct ph_error *err)
{
    const char *units = facts->units;
    FILE *out = fopen(path, "w");
    if (!out) {
        ph_error_set(err, PH_ERR_IO, "%s: cannot be written: %s.", path, strerror(errno));
        return false;
    }
    fputs("# Frame: the centre of mass is the origin, the axes are principal axes.", out);
    fputs(strcmp(units, "md") == 0 ? " Units: nm, u, e, kJ/mol.\nname: " : "\nname: ", out);
    write_word(species->name, out);
    fputs("\ndescription: ", out);
    write_word(description, out);
    fputs("\nsource: ", out);
    write_word(source, out);
    fprintf(out, "\nunits: %s\n", units);
    if (facts->has_inertia)
        ph_fprintf(out, "inertia: [%.15g, %.15g, %.15g]\n", species->inertia[0], species->inertia[1],
                   species->inertia[2]);
    fputs("sites:\n", out);
    for (size_t a = 0; a < species->n_sites; ++a)
        write_site(&species->site[a], out);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        ph_error_set(err, PH_ERR_IO, "%s: could not be written.", path);
        return false;
    }
    return true;
}
