/* SPDX-License-Identifier: MIT */
#ifndef PH_ANALYSIS_KINDS_HYDROGEN_BONDS_H
#define PH_ANALYSIS_KINDS_HYDROGEN_BONDS_H

/* Lists of the hydrogen bonds of frames, and how long bonds live */

#include "analysis/trajectory/sweep.h"

#include <stdint.h>

enum { PH_BOND_NUMBERS = 9 }; /* molecules with 0, 1, ..., 8 or more bonds */

struct ph_bond {
    uint32_t hydrogen, acceptor; /* numbers of the analysis */
};

struct ph_bond_list {
    size_t n, room;
    struct ph_bond *bonds; /* owned */
};

bool ph_bond_list_add(struct ph_bond_list *list, size_t hydrogen, size_t acceptor); /* false: no memory */

/* With h(t) = 1 while a bond is there, over all bonds and origins of time:
 *   intermittent C(k) = <h(t) h(t + k)> / <h(t)>,
 *   continuous   S(k) = <h(t) h(t + 1) ... h(t + k)> / <h(t)>, frames being the unit of time.
 * <h(t)> has the origins that the lag admits, so both are 1 at k = 0. Adds table and lifetimes to the result, or a note
 * if frames are not equally apart. `lists` has the bonds of each frame. */
enum ph_status ph_bond_lifetimes(const struct ph_recording *recording, const struct ph_analysis_request *request,
                                 size_t n_hydrogens, const struct ph_bond_list *lists, struct ph_result *result,
                                 struct ph_error *err);

#endif
