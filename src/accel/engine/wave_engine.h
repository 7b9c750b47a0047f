/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_WAVE_ENGINE_H
#define PH_ACCEL_ENGINE_WAVE_ENGINE_H

/* The part of an Ewald sum in reciprocal space on a machine: its tables (accel/functions/wave_view.h), and the order of
 * its tasks. */

#include "accel/machines/machine.h"
#include "force/term.h"

/* Data on the host: constants of the energy, and scratch for sums */
struct ph_wave_engine {
    double constant, background;
    double *sums; /* owned */
};

/* Both must be all zero before. Makes nothing unless the interactions have an Ewald sum. Releasing is safe after a
 * failure, too. */
enum ph_status ph_wave_engine_make(const struct ph_machine *machine, const char *name,
                                   const struct ph_term_setup *setup, struct ph_wave_engine *engine,
                                   struct ph_wave_view *waves, struct ph_error *err);
/* After a change of the box; `again`: with other choices. `term`: as the processor has it now */
enum ph_status ph_wave_engine_renew(const struct ph_machine *machine, const char *name, const struct ph_system *system,
                                    const struct ph_pair_table *table, const void *term, bool again,
                                    struct ph_wave_engine *engine, struct ph_wave_view *waves, struct ph_error *err);
void ph_wave_engine_release(const struct ph_machine *machine, struct ph_wave_engine *engine,
                            struct ph_wave_view *waves);

/* Begin to add forces and torques, after the pair forces; then energy and virial, if `order` includes them */
enum ph_status ph_wave_engine_begin(const struct ph_machine *machine, struct ph_wave_order order,
                                    const struct ph_accel_view *v, struct ph_error *err);
enum ph_status ph_wave_engine_add_energy(const struct ph_machine *machine, const struct ph_wave_engine *engine,
                                         const struct ph_accel_view *v, struct ph_energy *energy, struct ph_error *err);

#endif
