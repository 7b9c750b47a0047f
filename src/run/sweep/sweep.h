/* SPDX-License-Identifier: MIT */
#ifndef PH_RUN_SWEEP_SWEEP_H
#define PH_RUN_SWEEP_SWEEP_H

/* A sweep: its plan, its files, and where its runs are.
 *
 * DIR/plan.txt describes the sweep: its runs, the texts of input and models, and hashes of start files. The same
 * command again finds the same plan, and each run where it was: finished, interrupted with a checkpoint, failed
 * (001/error.txt), or not begun. The trajectory 001/run.h5md equals the output of 'polhode run INPUT --set ... -o
 * 001/run.h5md', byte for byte. */

#include "input/input.h"
#include "run/sweep/sweep_plan.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum ph_sweep_state { PH_SWEEP_WAITING, PH_SWEEP_INTERRUPTED, PH_SWEEP_FINISHED, PH_SWEEP_FAILED };
extern const char *const ph_sweep_state_names[];

/* Files in DIR, beside plan.txt and the folders of the runs */
enum { PH_SWEEP_OUTPUTS = 3 };
extern const char *const ph_sweep_outputs[PH_SWEEP_OUTPUTS];

struct ph_sweep_run {
    enum ph_sweep_state state;
    int64_t step, end; /* done last, and planned */
    bool on_machine;   /* takes place on a backend that several runs can share */
    char message[PH_ERROR_TEXT];
};

struct ph_sweep {
    size_t n_sets;
    const char *const *sets; /* not owned; of all runs, at most PH_SWEEP_SETS_MAX */
    char folder[PH_PATH];
    char title[PH_PATH];
    bool physical;
    struct ph_texts texts; /* of the input alone */
    struct ph_sweep_plan plan;
    struct ph_sweep_run *runs; /* owned */
    size_t part, parts;        /* this process does every parts-th run, from run `part` on; parts 0: all runs */
};

/* True for runs of this process */
bool ph_sweep_is_mine(const struct ph_sweep *sweep, size_t run);

/* Waits until no other process of this sweep prepares or summarises it, in folders that several share. Needs parts > 0,
 * otherwise does nothing. File systems that know no locks are not waited for. */
void ph_sweep_lock(const struct ph_sweep *sweep);
void ph_sweep_unlock(void);

/* "folder/001/name", and "001" */
const char *ph_sweep_path(const struct ph_sweep *sweep, size_t run, const char *name, char path[PATH_MAX]);
const char *ph_sweep_name(const struct ph_sweep *sweep, size_t run, char path[PATH_MAX]);

/* Makes the input of a run, from the text that the sweep began with. Models are read into `texts`. `sets`, all values
 * set for the run, must live as long as the input. */
enum { PH_SWEEP_SETS_MAX = 64 };
struct ph_sweep_sets {
    const char *item[PH_SWEEP_SETS_MAX + PH_SWEEP_KEYS_MAX];
};
enum ph_status ph_sweep_input(const struct ph_sweep *sweep, size_t run, struct ph_texts *texts,
                              struct ph_sweep_sets *sets, struct ph_input *input, struct ph_error *err);

/* Reads the input of every run, so that wrong values are found before anything runs. Writes the plan into a folder
 * without a plan, unless results are there. A plan that is there already must be the same. */
enum ph_status ph_sweep_prepare(struct ph_sweep *sweep, struct ph_error *err);

/* Finds where a run is: by the message of its failure, or by its checkpoint. */
enum ph_status ph_sweep_look(struct ph_sweep *sweep, size_t run, struct ph_error *err);

/* Gives a file its text at once, or not at all. */
enum ph_status ph_sweep_put_file(const char *path, const char *text, struct ph_error *err);

#endif
