/* SPDX-License-Identifier: MIT */
#ifndef POLHODE_H
#define POLHODE_H

/* Everything a program that uses libpolhode needs. */

#include "base/error.h"
#include "base/names.h"
#include "base/rotation.h"
#include "dynamics/dynamics.h"
#include "dynamics/scheme.h"
#include "dynamics/shadow.h"
#include "dynamics/thermostat.h"
#include "force/force_field.h"
#include "force/pair_table.h"
#include "input/input.h"
#include "lab/bench_accuracy.h"
#include "lab/bench_flows.h"
#include "lab/bench_forces.h"
#include "lab/certify_flow.h"
#include "lab/certify_scheme.h"
#include "lab/problem.h"
#include "lab/stopwatch.h"
#include "lab/study.h"
#include "lab/study_output.h"
#include "model/start.h"
#include "output/checkpoint.h"
#include "output/export.h"
#include "output/hash.h"
#include "output/listing.h"
#include "output/take_name.h"
#include "output/trajectory.h"
#include "rigid/flow.h"
#include "rigid/top.h"
#include "run/build.h"
#include "run/closest.h"
#include "run/gradients.h"
#include "run/methods.h"
#include "run/observables.h"
#include "run/simulation.h"
#include "run/tune.h"
#include "run/version.h"

#endif
