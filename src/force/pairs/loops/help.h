/* SPDX-License-Identifier: MIT */
#ifndef PH_FORCE_PAIRS_LOOPS_HELP_H
#define PH_FORCE_PAIRS_LOOPS_HELP_H

/* Threads that have no tile left help the others.
 *
 * Cores of one machine differ in speed, by half where a host shares them. A tile for each core would wait for the
 * slowest, and smaller tiles have more copies. So the thread that owns a tile takes its couples from the first on, and
 * others take some from the last on. They do not add to the sums of the tile: they log what they would add. The owner
 * adds all logs in the order of the couples. So every sum has the same terms in the same order as without help, and the
 * same bits. Adding from a log takes a third of the time of a couple, or less. */

#include "force/pairs/lists/tile.h"
#include "force/pairs/loops/gathered.h"

struct ph_help;

/* Makes room for the threads of a team and so many tiles, and begins a round. Returns NULL if nobody needs help, or
 * there is no memory: then threads work alone. */
struct ph_help *ph_help_begin(struct ph_help **help, size_t n_tiles, size_t threads);
void ph_help_destroy(struct ph_help *help);

/* ---- For the owner of a tile ---- */

/* Others may help with this tile from now on. False if it has too few couples. Every owner calls it, with no couples if
 * nobody can help: others wait for that. */
bool ph_help_open(struct ph_help *help, size_t tile, size_t n_couples);
/* The next couples of the owner; false if none are left */
bool ph_help_take(struct ph_help *help, size_t tile, size_t *begin, size_t *end);
/* After that: adds what others have logged. Waits for those who are not done yet. */
void ph_help_add_logs(struct ph_help *help, size_t d, struct ph_tile *tile, struct ph_gathered *g);

/* ---- For a thread without a tile ---- */

/* Couples begin .. end-1 of a tile, whose results go to `log` */
struct ph_help_work {
    size_t tile, begin, end, part;
    struct ph_log log;
};
/* Returns numbers of doubles that suffice for the log of a couple */
typedef size_t ph_log_room(const void *data, const struct ph_tile *tile, size_t couple);
/* Finds couples to compute; false if there is nothing worth it. */
bool ph_help_find(struct ph_help *help, const struct ph_tiles *tiles, ph_log_room *room, const void *data,
                  struct ph_help_work *work);
/* They are done. */
void ph_help_done(struct ph_help *help, const struct ph_help_work *work);

#endif
