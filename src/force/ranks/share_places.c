/* SPDX-License-Identifier: MIT */
/* Places of molecules in the arrays of a rank that stores only its own molecules and the molecules around them. */
#include "base/array.h"
#include "base/room.h"
#include "force/ranks/share_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Divides the numbers into stretches of 2^shift, so that the table is no longer than the list of local molecules. */
bool ph_share_find_places(const struct ph_share *share, struct ph_share_finder *finder)
{
    const size_t n = share->owners.own.n;
    *finder = (struct ph_share_finder){.shift = 0};
    while (share->owners.n_molecules >> finder->shift > n)
        ++finder->shift;
    const size_t stretches = (share->owners.n_molecules >> finder->shift) + 1;
    finder->first = malloc((stretches + 1) * sizeof *finder->first);
    for (size_t stretch = 0, k = 0; stretch <= stretches && finder->first; finder->first[stretch++] = (uint32_t)k)
        while (k < n && ph_share_number(share, share->owners.ours[k]) >> finder->shift < stretch) /* numbers ascend */
            ++k;
    return finder->first != NULL;
}

uint32_t ph_share_place(const struct ph_share *share, const struct ph_share_finder *finder, uint32_t number)
{
    const size_t stretch = number >> finder->shift;
    size_t low = finder->first[stretch], high = finder->first[stretch + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ph_share_number(share, share->owners.ours[middle]) < number)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < share->owners.own.n && ph_share_number(share, share->owners.ours[low]) == number);
    return share->owners.ours[low];
}

bool ph_share_reserve_here(size_t n, struct ph_share *share)
{
    if (n <= share->room_here && share->here)
        return true;
    const size_t larger = n + n / 8 + 64;
    free(share->here);
    share->here = malloc(larger * sizeof *share->here);
    share->room_here = share->here ? larger : 0;
    return share->here != NULL;
}

/* Moves the last molecule first, because no place is above its number. */
static void spread_row(const struct ph_share *share, double *row)
{
    for (size_t k = share->owners.own.n; k-- > 0;)
        row[share->owners.number[share->owners.ours[k]]] = row[share->owners.ours[k]];
}

static void spread_image(const struct ph_share *share, int32_t *row)
{
    for (size_t k = share->owners.own.n; k-- > 0;)
        row[share->owners.number[share->owners.ours[k]]] = row[share->owners.ours[k]];
}

static bool is_shown(const struct ph_share *share, const double *row)
{
    for (size_t k = 0; k < share->n_shown; ++k)
        if (share->row_shown[k] == row)
            return true;
    return false;
}

void ph_share_show(struct ph_share *share, const struct ph_column_set *rows, bool images)
{
    /* With a range of numbers for each rank, rows are in order already; only ids of remote molecules are missing. */
    const bool ranges = share->plans == 0;
    if (ranges || (share->owners.distributed && !share->shown))
        for (size_t i = 0; i < share->owners.n_molecules; ++i)
            share->id[i] = share->place[i] = (uint32_t)i;
    if (!share->owners.distributed)
        return;
    share->shown = true;
    for (size_t x = 0; x < rows->n; ++x)
        if (!is_shown(share, rows->row[x])) {
            PH_ROOM(share->n_shown < PH_SHARE_SHOWN);
            share->row_shown[share->n_shown++] = rows->row[x];
            spread_row(share, rows->row[x]);
        }
    for (int x = 0; x < 3 && images; ++x)
        if (!share->image_shown[x])
            spread_image(share, share->image_shown[x] = rows->image[x]);
}

void ph_share_vacate(const struct ph_share *share, size_t bytes, void *row)
{
    for (size_t s = 0; s < share->owners.n_species && share->owners.distributed; ++s) {
        char *begin = (char *)row + share->owners.here_end[s] * bytes;
        const size_t room = (share->owners.first_place[s + 1] - share->owners.here_end[s]) * bytes;
        if (share->owners.poisoned)
            memset(begin, 0xff, room); /* as a double NaN, as an integer -1 */
        else
            ph_array_release(begin, room);
    }
}

/* Restores the places of local molecules and of the molecules around them: a rate of forces may need these before the
 * next ghost exchange. */
static void gather_row(const struct ph_share *share, double *row)
{
    double *here = share->here;
    size_t n = 0;
    for (size_t s = 0; s < share->owners.n_species; ++s)
        for (size_t i = share->owners.first_place[s]; i < share->owners.here_end[s]; ++i)
            here[n++] = row[share->owners.number[i]];
    for (size_t s = n = 0; s < share->owners.n_species; ++s) {
        const size_t there = share->owners.here_end[s] - share->owners.first_place[s];
        memcpy(row + share->owners.first_place[s], here + n, there * sizeof *row);
        n += there;
    }
    ph_share_vacate(share, sizeof *row, row);
}

/* Restores local molecules only, because images of remote molecules are not used. */
static void gather_image(const struct ph_share *share, int32_t *row)
{
    for (size_t k = 0; k < share->owners.own.n; ++k)
        row[share->owners.ours[k]] = row[share->owners.number[share->owners.ours[k]]];
    ph_share_vacate(share, sizeof *row, row);
}

void ph_share_withdraw(struct ph_share *share)
{
    if (!share->shown)
        return;
    for (size_t k = 0; k < share->n_shown; ++k)
        gather_row(share, share->row_shown[k]);
    for (int x = 0; x < 3; ++x) {
        if (share->image_shown[x])
            gather_image(share, share->image_shown[x]);
        share->image_shown[x] = NULL;
    }
    for (size_t s = 0; s < share->owners.n_species; ++s)
        memcpy(share->id + share->owners.first_place[s], share->owners.number + share->owners.first_place[s],
               (share->owners.here_end[s] - share->owners.first_place[s]) * sizeof *share->id);
    ph_share_vacate(share, sizeof *share->id, share->id);
    ph_share_vacate(share, sizeof *share->place, share->place);
    share->n_shown = 0;
    share->shown = false;
    share->images_old = true;
}
