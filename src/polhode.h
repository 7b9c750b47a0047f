/* SPDX-License-Identifier: MIT */
#ifndef POLHODE_H
#define POLHODE_H

/* Everything a program that uses libpolhode needs. */

#include "base/error.h"
#include "base/rotation.h"
#include "lab/bench_flows.h"
#include "lab/bench_forces.h"
#include "lab/certify_flow.h"
#include "rigid/flow.h"
#include "rigid/top.h"

#endif
