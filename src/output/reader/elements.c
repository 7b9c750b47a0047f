/* SPDX-License-Identifier: MIT */
#include "output/reader/elements.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const char symbols[][3] = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og",
};

int ph_element_number(const char *symbol)
{
    for (size_t k = 0; k < sizeof symbols / sizeof *symbols; ++k)
        if (strcmp(symbols[k], symbol) == 0)
            return (int)k + 1;
    return 0;
}

const char *ph_element_symbol(int number)
{
    return number > 0 && (size_t)number <= sizeof symbols / sizeof *symbols ? symbols[number - 1] : "";
}

int ph_element_of_mass(double mass)
{
    static const struct {
        const char *symbol;
        double mass;
    } known[] = {{"H", 1.008},   {"He", 4.0026}, {"Li", 6.94},   {"B", 10.81},   {"C", 12.011},  {"N", 14.007},
                 {"O", 15.999},  {"F", 18.998},  {"Ne", 20.180}, {"Na", 22.990}, {"Mg", 24.305}, {"Al", 26.982},
                 {"Si", 28.085}, {"P", 30.974},  {"S", 32.06},   {"Cl", 35.45},  {"Ar", 39.948}, {"K", 39.098},
                 {"Ca", 40.078}, {"Br", 79.904}, {"Kr", 83.798}, {"I", 126.904}, {"Xe", 131.293}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k)
        if (fabs(mass - known[k].mass) < 0.01)
            return ph_element_number(known[k].symbol);
    return 0;
}
