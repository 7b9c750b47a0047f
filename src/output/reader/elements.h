/* SPDX-License-Identifier: MIT */
#ifndef PH_OUTPUT_READER_ELEMENTS_H
#define PH_OUTPUT_READER_ELEMENTS_H

/* Atomic number of a chemical symbol as "O" or "Cl"; 0 for other names. */
int ph_element_number(const char *symbol);
const char *ph_element_symbol(int number); /* "" for 0 and unknown numbers */
/* Atomic number of the common element that has this mass in u, to 0.01; 0 if there is none, as for a group of atoms */
int ph_element_of_mass(double mass);

#endif
