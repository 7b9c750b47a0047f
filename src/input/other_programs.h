/* SPDX-License-Identifier: MIT */
#ifndef PH_INPUT_OTHER_PROGRAMS_H
#define PH_INPUT_OTHER_PROGRAMS_H

/* Translates words of other programs (LAMMPS, GROMACS, OpenMD, NAMD) into ours, for messages on unknown keys and
 * values. Returns a sentence, or NULL. Capitals do not matter, and _ is the same as - and a space. */
const char *ph_peer_key(const char *name);
/* `key` is the key of the value, as "dynamics.thermostat.kind" or "stages[2].scheme". */
const char *ph_peer_value(const char *key, const char *value);

#endif
