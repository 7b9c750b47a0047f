/* SPDX-License-Identifier: MIT */
#include "model/ice/ice.h"

#include <string.h>

/* Operations that differ by a translation of the lattice are left out where the cell is primitive. */

static const struct ph_ice_symmetry hexagonal[] = {/* P6_3/mmc, in its rectangular cell with C-centring */
                                                   {{1, 2, 3}, {0, 0, 0}},    {{1, 2, 3}, {2, 2, 0}},
                                                   {{-1, -2, 3}, {0, 0, 2}},  {{-1, -2, 3}, {2, 2, 2}},
                                                   {{-1, -2, -3}, {0, 0, 0}}, {{-1, -2, -3}, {2, 2, 0}},
                                                   {{1, 2, -3}, {0, 0, 2}},   {{1, 2, -3}, {2, 2, 2}}};
static const struct ph_ice_symmetry diamond[] = {{{1, 2, 3}, {0, 0, 0}}, {{1, 2, 3}, {0, 2, 2}}, {{1, 2, 3}, {2, 0, 2}},
                                                 {{1, 2, 3}, {2, 2, 0}}, {{1, 2, 3}, {1, 1, 1}}, {{1, 2, 3}, {1, 3, 3}},
                                                 {{1, 2, 3}, {3, 1, 3}}, {{1, 2, 3}, {3, 3, 1}}};
static const struct ph_ice_symmetry rhombohedral[] = {/* R-3, rhombohedral axes */
                                                      {{1, 2, 3}, {0, 0, 0}},    {{3, 1, 2}, {0, 0, 0}},
                                                      {{2, 3, 1}, {0, 0, 0}},    {{-1, -2, -3}, {0, 0, 0}},
                                                      {{-3, -1, -2}, {0, 0, 0}}, {{-2, -3, -1}, {0, 0, 0}}};
static const struct ph_ice_symmetry tetragonal_3[] = {/* P4_1 2_1 2 */
                                                      {{1, 2, 3}, {0, 0, 0}},   {{-1, -2, 3}, {0, 0, 2}},
                                                      {{-2, 1, 3}, {2, 2, 1}},  {{2, -1, 3}, {2, 2, 3}},
                                                      {{-1, 2, -3}, {2, 2, 1}}, {{1, -2, -3}, {2, 2, 3}},
                                                      {{2, 1, -3}, {0, 0, 0}},  {{-2, -1, -3}, {0, 0, 2}}};
static const struct ph_ice_symmetry monoclinic[] = {/* A2/a */
                                                    {{1, 2, 3}, {0, 0, 0}},    {{-1, 2, -3}, {2, 0, 0}},
                                                    {{-1, -2, -3}, {0, 0, 0}}, {{1, -2, 3}, {2, 0, 0}},
                                                    {{1, 2, 3}, {0, 2, 2}},    {{-1, 2, -3}, {2, 2, 2}},
                                                    {{-1, -2, -3}, {0, 2, 2}}, {{1, -2, 3}, {2, 2, 2}}};
static const struct ph_ice_symmetry tetragonal_6[] = {/* P4_2/nmc, origin at a centre of inversion */
                                                      {{1, 2, 3}, {0, 0, 0}},    {{-1, -2, 3}, {2, 2, 0}},
                                                      {{-2, 1, 3}, {2, 0, 2}},   {{2, -1, 3}, {0, 2, 2}},
                                                      {{-1, 2, -3}, {0, 2, 0}},  {{1, -2, -3}, {2, 0, 0}},
                                                      {{2, 1, -3}, {2, 2, 2}},   {{-2, -1, -3}, {0, 0, 2}},
                                                      {{-1, -2, -3}, {0, 0, 0}}, {{1, 2, -3}, {2, 2, 0}},
                                                      {{2, -1, -3}, {2, 0, 2}},  {{-2, 1, -3}, {0, 2, 2}},
                                                      {{1, -2, 3}, {0, 2, 0}},   {{-1, 2, 3}, {2, 0, 0}},
                                                      {{-2, -1, 3}, {2, 2, 2}},  {{2, 1, 3}, {0, 0, 2}}};
static const struct ph_ice_symmetry body_centred[] = {{{1, 2, 3}, {0, 0, 0}}, {{1, 2, 3}, {2, 2, 2}}};

/* A rectangular cell from rhombohedral edges a, b, c. Its third edge is the threefold axis. */
static const int rectangular[3][3] = {{1, -1, 0}, {1, 1, -2}, {1, 1, 1}};

/* All bonds of ice VII go from one kind of site to the other, so the dipole is a sum of as many unit vectors along axes
 * as there are sites of one kind. It can be zero only if they are an even number. */
static const int doubled[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 2}};

#define SYMMETRIES(table) .n_symmetries = sizeof(table) / sizeof *(table), .symmetries = (table)

/* The second edge of Ih is sqrt(3) times the first: a rectangular cell of the hexagonal lattice. */
static const struct ph_ice_form forms[] = {
    {.name = "Ih",
     .reference = "250 K, 1 bar. V. F. Petrenko, R. W. Whitworth, Physics of Ice, Oxford 1999, table 11.2; z of W. F. "
                  "Kuhs, M. S. Lehmann, J. Phys. Chem. 87 (1983) 4312",
     .density = 920.0,
     .edge = {0.4518, 0.78254055486, 0.7356},
     .angle = {90.0, 90.0, 90.0},
     SYMMETRIES(hexagonal),
     .n_oxygens = 1,
     .oxygen = {{0.0, 1.0 / 3.0, 0.0622}}},
    {.name = "Ic",
     .reference = "78 K, 1 bar. V. F. Petrenko, R. W. Whitworth, Physics of Ice, Oxford 1999, table 11.2",
     .density = 931.0,
     .edge = {0.6358, 0.6358, 0.6358},
     .angle = {90.0, 90.0, 90.0},
     SYMMETRIES(diamond),
     .n_oxygens = 1,
     .oxygen = {{0.0, 0.0, 0.0}}},
    {.name = "II",
     .reference = "123 K, 1 bar. B. Kamb, Acta Cryst. 17 (1964) 1437; B. Kamb, W. C. Hamilton, S. J. LaPlaca, A. "
                  "Prakash, J. Chem. Phys. 55 (1971) 1934",
     .density = 1180.0,
     .edge = {0.778, 0.778, 0.778},
     .angle = {113.1, 113.1, 113.1},
     SYMMETRIES(rhombohedral),
     .n_oxygens = 2,
     .oxygen = {{0.2716, 0.0259, -0.1471}, {0.4798, 0.7571, 0.3389}},
     .n_hydrogens = 4,
     .hydrogen =
         {{0.7284, 0.4038, 0.4034}, {0.1491, 0.0412, -0.2023}, {0.7420, 0.1978, 0.3708}, {0.4232, 0.1954, -0.0164}},
     .whole = rectangular},
    {.name = "III",
     .reference = "250 K, 2.8 kbar. D. Londono, W. F. Kuhs, J. L. Finney, J. Chem. Phys. 98 (1993) 4878; oxygens of B. "
                  "Kamb, A. Prakash, Acta Cryst. B 24 (1968) 1317",
     .density = 1165.0,
     .edge = {0.6666, 0.6666, 0.6936},
     .angle = {90.0, 90.0, 90.0},
     SYMMETRIES(tetragonal_3),
     .n_oxygens = 2,
     .oxygen = {{0.1095, 0.3014, 0.2872}, {0.392, 0.392, 0.0}}},
    {.name = "V",
     .reference = "98 K, 1 bar. B. Kamb, A. Prakash, C. Knobler, Acta Cryst. 22 (1967) 706",
     .density = 1231.0,
     .edge = {0.922, 0.754, 1.035},
     .angle = {90.0, 109.2, 90.0},
     SYMMETRIES(monoclinic),
     .n_oxygens = 4,
     .oxygen = {{0.25, -0.1847, 0.0}, {0.4629, 0.0565, 0.1544}, {0.2751, -0.3475, 0.2477}, {0.3993, 0.3596, -0.0146}}},
    {.name = "VI",
     .reference = "225 K, 11 kbar. W. F. Kuhs, J. L. Finney, C. Vettier, D. V. Bliss, J. Chem. Phys. 81 (1984) 3612; "
                  "oxygens of B. Kamb, Science 150 (1965) 205",
     .density = 1373.0,
     .edge = {0.6181, 0.6181, 0.5698},
     .angle = {90.0, 90.0, 90.0},
     SYMMETRIES(tetragonal_6),
     .n_oxygens = 2,
     .oxygen = {{0.75, 0.25, 0.75}, {0.25, 0.471, 0.867}}},
    {.name = "VII",
     .reference = "295 K, 24 kbar. W. F. Kuhs, J. L. Finney, C. Vettier, D. V. Bliss, J. Chem. Phys. 81 (1984) 3612",
     .density = 1599.0,
     .edge = {0.3344, 0.3344, 0.3344},
     .angle = {90.0, 90.0, 90.0},
     SYMMETRIES(body_centred),
     .n_oxygens = 1,
     .oxygen = {{0.0, 0.0, 0.0}},
     .whole = doubled,
     .body_centred = true},
};

const struct ph_ice_form *ph_ice_find(const char *name)
{
    for (size_t k = 0; k < sizeof forms / sizeof *forms; ++k)
        if (strcmp(forms[k].name, name) == 0)
            return &forms[k];
    return NULL;
}
