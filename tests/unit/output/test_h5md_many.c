/* SPDX-License-Identifier: MIT */
/* What a trajectory says of each of very many molecules: it is written some lines at a time. */

#include "h5md_written.h"

enum { SPECIES = 4, AT_ONCE = 65536 }; /* so many lines does ph_h5_put_lines write at once */
enum set { KIND, MASS, CHARGE, RESIDUE, VMD_CHARGE, RESIDUE_NAME, BOND, BOND_FROM, BOND_TO, SETS };

/* Lines of a data set one after the other, as the file must have them */
static struct lines {
    const char *path;
    size_t size, n; /* bytes of a line; lines */
    char *bytes;
} lines[SETS] = {
    [KIND] = {.path = "particles/trajectory/species", .size = sizeof(int32_t)},
    [MASS] = {.path = "particles/trajectory/mass", .size = sizeof(double)},
    [CHARGE] = {.path = "particles/trajectory/charge", .size = sizeof(double)},
    [RESIDUE] = {.path = "parameters/vmd_structure/resid", .size = sizeof(int32_t)},
    [VMD_CHARGE] = {.path = "parameters/vmd_structure/charge", .size = sizeof(double)},
    [RESIDUE_NAME] = {.path = "parameters/vmd_structure/resname", .size = 8},
    [BOND] = {.path = "connectivity/bonds", .size = 2 * sizeof(int32_t)},
    [BOND_FROM] = {.path = "parameters/vmd_structure/bond_from", .size = sizeof(int32_t)},
    [BOND_TO] = {.path = "parameters/vmd_structure/bond_to", .size = sizeof(int32_t)},
};

/* Rotors, no dipoles, waters and points: particles, bonds and molecules are each more than are written at once. */
static struct ph_system *many_molecules(void)
{
    struct ph_species *species = calloc(SPECIES, sizeof *species), *mixture = calloc(3, sizeof *mixture);
    size_t few[3];
    h5md_species(H5MD_DIPOLES, species + 1, few);
    h5md_species(H5MD_MIXTURE, mixture, few);
    species[0] = mixture[2];
    species[2] = mixture[0];
    species[3] = mixture[1];
    const size_t counts[SPECIES] = {20000, 0, 20000, 30000};
    const struct ph_box box = ph_box_open();
    struct ph_system *system;
    assert_ok(ph_system_create(SPECIES, species, counts, &box, &system, &err));
    free(species);
    free(mixture);
    return system;
}

static void add(enum set set, const void *line)
{
    memcpy(lines[set].bytes + lines[set].n++ * lines[set].size, line, lines[set].size);
}

/* Sites of one name in one species are alike; all others have kinds of their own. The first site is bound to each of
 * the others. VMD counts from 1, and reads seven letters. */
static void add_molecule(const struct ph_system *system, size_t s, int32_t molecule)
{
    static const int32_t kinds[SPECIES][4] = {{0, 1}, {-1}, {2, 3, 3, 4}, {5}};
    static const char names_of_residues[SPECIES][8] = {"rotor", "", "tip4p-2", "argon"};
    const int32_t first = (int32_t)lines[KIND].n;
    add(RESIDUE_NAME, names_of_residues[s]);
    for (int32_t a = 0; a < (int32_t)system->species[s].n_sites; ++a) {
        const struct ph_site *site = &system->species[s].site[a];
        add(KIND, &kinds[s][a]);
        add(MASS, &site->mass);
        add(CHARGE, &site->charge);
        add(VMD_CHARGE, &site->charge);
        add(RESIDUE, &molecule);
        if (a == 0)
            continue;
        add(BOND, (const int32_t[]){first, first + a});
        add(BOND_FROM, (const int32_t[]){first + 1});
        add(BOND_TO, (const int32_t[]){first + a + 1});
    }
}

/* As they are stored: files are little-endian, and so are the machines of these tests. */
static void check(hid_t id, const struct lines *want)
{
    const hid_t set = H5Dopen2(id, want->path, H5P_DEFAULT), type = H5Dget_type(set);
    char *got = calloc(want->n, want->size);
    assert_true(want->n > AT_ONCE);
    assert_int_equal(rows_of(id, want->path), want->n);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
    for (size_t k = 0; k < want->n; ++k)
        if (memcmp(got + k * want->size, want->bytes + k * want->size, want->size) != 0)
            fail_msg("line %zu of %s is not what it must be", k, want->path);
    free(got);
    H5Tclose(type);
    H5Dclose(set);
}

/* Catches lines that are written beyond the first 65536 and lie elsewhere or are those of others; and lines that are
 * looked for in a species that has no molecules. */
TEST(all_lines_of_very_many_molecules_are_in_their_places)
{
    struct ph_system *system = many_molecules();
    for (int k = 0; k < SETS; ++k)
        lines[k].bytes = calloc(4 * system->n, lines[k].size);
    for (size_t s = 0; s < SPECIES; ++s)
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i)
            add_molecule(system, s, (int32_t)i);
    const struct ph_trajectory_plan plan = h5md_plan(H5MD_MIXTURE);
    finish(create(file, system, &plan));
    const hid_t id = open_file(file);
    for (int k = 0; k < SETS; ++k) {
        check(id, &lines[k]);
        free(lines[k].bytes);
    }
    H5Fclose(id);
    ph_system_destroy(system);
}

GROUP(make_files, remove_folder)
