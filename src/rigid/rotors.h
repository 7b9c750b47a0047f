/* SPDX-License-Identifier: MIT */
#ifndef PH_RIGID_ROTORS_H
#define PH_RIGID_ROTORS_H

/* The flow objects, by the file that defines them; only the registry in flow.c lists them. */

#include "rigid/flow.h"

extern const struct ph_flow ph_flow_exact; /* rotor_exact.c */
/* rotor_classic.c */
extern const struct ph_flow ph_flow_exact_rotation, ph_flow_exact_rotation_g6, ph_flow_exact_rotation_g8,
    ph_flow_exact_rotation_g10, ph_flow_exact_kosenko, ph_flow_exact_kosenko_g6, ph_flow_exact_kosenko_g8,
    ph_flow_exact_kosenko_g10, ph_flow_exact_vanzon, ph_flow_exact_vanzon_g6, ph_flow_exact_vanzon_g8,
    ph_flow_exact_vanzon_g10;
extern const struct ph_flow ph_flow_mr2, ph_flow_sr2, ph_flow_sr4, ph_flow_sr6, ph_flow_nosquish; /* rotor_split.c */
extern const struct ph_flow ph_flow_dmv2, ph_flow_dmv4, ph_flow_dmv6, ph_flow_dmv8, ph_flow_dmv10, ph_flow_dmv12,
    ph_flow_dmv14;                                      /* rotor_dmv.c */
extern const struct ph_flow ph_flow_imr2;               /* rotor_midpoint.c */
extern const struct ph_flow ph_flow_imr4, ph_flow_imr6; /* rotor_modified.c */
extern const struct ph_flow ph_flow_jem2, ph_flow_jem4; /* rotor_magnus.c */

#endif
