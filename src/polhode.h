/* SPDX-License-Identifier: MIT */
#ifndef POLHODE_H
#define POLHODE_H

/* Everything a program that uses libpolhode needs. */

#include "base/error.h"
#include "base/names.h"
#include "base/rotation.h"
#include "force/force_field.h"
#include "force/pair_table.h"
#include "input/input.h"
#include "lab/bench_flows.h"
#include "lab/bench_forces.h"
#include "lab/certify_flow.h"
#include "model/start.h"
#include "rigid/flow.h"
#include "rigid/top.h"
#include "run/build.h"
#include "run/closest.h"
#include "run/gradients.h"

#endif
