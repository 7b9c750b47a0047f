/* SPDX-License-Identifier: MIT */
#include "parallel/team.h"

static const struct ph_team *joined = &ph_team_alone;

const struct ph_team *ph_team(void) { return joined; }

void ph_team_join(const struct ph_team *team) { joined = team; }

enum ph_status ph_team_agree(enum ph_status status, struct ph_error *err)
{
    if (joined->size == 1 || !joined->any(status != PH_OK))
        return status;
    /* Finds the first rank that failed: all ranks before it did not. Only this rank has a message to send. */
    struct ph_error told = {.status = PH_OK};
    size_t first = 0;
    for (bool found = false; !found && first < joined->size; first += !found)
        found = joined->any(joined->rank == first && status != PH_OK);
    if (joined->rank == first) {
        if (err)
            told = *err;
        told.status = status;
    }
    joined->broadcast(first, sizeof told, &told);
    return ph_error_set(err, told.status, "%s", told.text);
}

enum ph_status ph_team_same(uint64_t number, struct ph_error *err)
{
    uint64_t first = number;
    joined->broadcast(0, sizeof first, &first);
    if (!joined->any(first != number))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "The processes do not hold the same state: they must read the same files, and run on machines "
                        "of one kind.");
}
