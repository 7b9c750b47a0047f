/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_ENGINE_BATH_ENGINE_H
#define PH_ACCEL_ENGINE_BATH_ENGINE_H

/* Baths and observables of an engine: their part of its set-up, and operations of the backend */

#include "accel/engine/engine_parts.h"

/* After the number of molecules is known; PH_ERR_MEMORY, without a message, where memory does not suffice. Releasing is
 * safe after a failure, too. */
enum ph_status ph_bath_engine_make(struct ph_engine *engine, const struct ph_system *system, struct ph_error *err);
void ph_bath_engine_release(struct ph_engine *engine);

enum ph_status ph_bath_engine_observe(struct ph_backend *backend, struct ph_state_sums *sums, struct ph_error *err);
enum ph_status ph_bath_engine_scale_by(struct ph_backend *backend, const double factor[PH_BATH_GROUPS],
                                       struct ph_error *err);
enum ph_status ph_bath_engine_scale(struct ph_backend *backend, const struct ph_scaling *scaling, struct ph_error *err);
enum ph_status ph_bath_engine_apply_noise(struct ph_backend *backend, const struct ph_noise *noise,
                                          struct ph_error *err);
enum ph_status ph_bath_engine_write(struct ph_backend *backend, const double numbers[PH_BATH_NUMBERS],
                                    struct ph_error *err);
enum ph_status ph_bath_engine_read(struct ph_backend *backend, double numbers[PH_BATH_NUMBERS], struct ph_error *err);

#endif
