/* SPDX-License-Identifier: MIT */
#include "potential/curves/orientations.h"

#include "base/plain.h"
#include "potential/curves/program_angles.h"

#include <stdint.h>
#include <stdio.h>

/* ---- Orientations ---- */

enum { ALONG = 24, ANY = 96, ORIENTATIONS = ALONG * ALONG + ANY, TRIALS = 200 };

/* A frame whose axes are those of space, each along n = x or across; k < 24: all rotations of a cube */
static void turned_cube(int k, double frame[3][3])
{
    const int first = k / 8, flips = k % 8;
    const int x = first, y = (first + (flips & 4 ? 2 : 1)) % 3, z = 3 - x - y;
    memset(frame, 0, 9 * sizeof(double));
    frame[0][x] = flips & 1 ? -1.0 : 1.0;
    frame[1][y] = flips & 2 ? -1.0 : 1.0;
    frame[2][z] = frame[0][x] * frame[1][y] * (flips & 4 ? -1.0 : 1.0);
}

/* Numbers in [0, 1) that are the same in every run: splitmix64 */
static double any(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void any_frame(uint64_t *state, double frame[3][3])
{
    double q[4], norm;
    do {
        norm = 0.0;
        for (int k = 0; k < 4; ++k) {
            q[k] = 2.0 * any(state) - 1.0;
            norm += q[k] * q[k];
        }
    } while (norm > 1.0 || norm < 0.01);
    const double s = 2.0 / norm;
    for (int x = 0; x < 3; ++x) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        frame[x][x] = 1.0 - s * (q[1 + y] * q[1 + y] + q[1 + z] * q[1 + z]);
        frame[x][y] = s * (q[1 + x] * q[1 + y] - q[0] * q[1 + z]);
        frame[x][z] = s * (q[1 + x] * q[1 + z] + q[0] * q[1 + y]);
    }
}

/* All variables of two frames, where n = x */
static void find_variables(double r, double a[3][3], double b[3][3], size_t step, double *variable)
{
    variable[PH_VARIABLE_R] = r;
    for (size_t x = 0; x < 3; ++x) {
        variable[step * (PH_VARIABLE_A + x)] = a[x][0];
        variable[step * (PH_VARIABLE_B + x)] = b[x][0];
        for (size_t y = 0; y < 3; ++y)
            variable[step * ph_variable_ab(x, y)] = a[x][0] * b[y][0] + a[x][1] * b[y][1] + a[x][2] * b[y][2];
    }
}

static void orientation(int k, uint64_t *state, double a[3][3], double b[3][3])
{
    if (k < ALONG * ALONG) {
        turned_cube(k / ALONG, a);
        turned_cube(k % ALONG, b);
    } else {
        any_frame(state, a);
        any_frame(state, b);
    }
}

/* ---- Values ---- */

struct block {
    double variable[PH_VARIABLES][PH_PROGRAM_BLOCK], rate[PH_VARIABLES][PH_PROGRAM_BLOCK], inverse[PH_PROGRAM_BLOCK];
    double u[PH_PROGRAM_BLOCK], u_rate[PH_PROGRAM_BLOCK];
    double slope[PH_VARIABLES][PH_PROGRAM_BLOCK], slope_rate[PH_VARIABLES][PH_PROGRAM_BLOCK];
    struct ph_program_trace trace;
};

/* Both sites have three axes here, of which one alone would be z. */
static void evaluate(const struct ph_program *program, size_t n, struct block *b)
{
    const struct ph_program_input input = {b->variable[0], b->rate[0], b->inverse, PH_PROGRAM_BLOCK, 3, 3};
    for (size_t l = 0; l < n; ++l)
        b->inverse[l] = 1.0 / b->variable[PH_VARIABLE_R][l];
    ph_program_angles(program, &input, true, n, &b->trace, b->u, b->slope[0], b->u_rate, b->slope_rate[0]);
}

struct ph_jet ph_orientations_lowest(const struct ph_program *program, double r)
{
    static const double moves_out = 1.0;
    struct ph_jet lowest = {INFINITY, 0.0, 0.0};
    struct block block;
    uint64_t state = 1;
    memset(block.rate, 0, sizeof block.rate);
    for (size_t l = 0; l < PH_PROGRAM_BLOCK; ++l)
        block.rate[PH_VARIABLE_R][l] = moves_out;
    for (int first = 0; first < ORIENTATIONS; first += PH_PROGRAM_BLOCK) {
        for (int l = 0; l < PH_PROGRAM_BLOCK; ++l) {
            double a[3][3], b[3][3];
            orientation(first + l, &state, a, b);
            find_variables(r, a, b, PH_PROGRAM_BLOCK, &block.variable[0][l]);
        }
        evaluate(program, PH_PROGRAM_BLOCK, &block);
        for (int l = 0; l < PH_PROGRAM_BLOCK; ++l)
            if (block.u[l] < lowest.value)
                lowest = (struct ph_jet){block.u[l], block.u_rate[l], block.slope_rate[PH_VARIABLE_R][l]};
    }
    return lowest;
}

bool ph_orientations_agree(const struct ph_program *one, const struct ph_program *other, double size, size_t length,
                           char *where)
{
    const double tolerance = 1e-6; /* far above rounding, far below any difference that is meant */
    struct block mine, its;
    uint64_t state = 2;
    memset(&mine.rate, 0, sizeof mine.rate);
    memset(&its.rate, 0, sizeof its.rate);
    for (int trial = 0; trial < TRIALS; ++trial) {
        double a[3][3], b[3][3];
        any_frame(&state, a);
        any_frame(&state, b);
        find_variables(size * (0.7 + 1.8 * any(&state)), a, b, PH_PROGRAM_BLOCK, &mine.variable[0][0]);
        memcpy(its.variable, mine.variable, sizeof mine.variable);
        evaluate(one, 1, &mine);
        evaluate(other, 1, &its);
        const double off = fabs(mine.u[0] - its.u[0]);
        if (off > tolerance * (fabs(mine.u[0]) + fabs(its.u[0]))) { /* false for NaN: no value is no difference */
            ph_snprintf(where, length,
                        "at r = %.4g, a.n = %.4g, b.n = %.4g, a.b = %.4g it is %.6g one way and %.6g "
                        "the other way",
                        mine.variable[PH_VARIABLE_R][0], mine.variable[PH_VARIABLE_A + 2][0],
                        mine.variable[PH_VARIABLE_B + 2][0], mine.variable[ph_variable_ab(2, 2)][0], mine.u[0],
                        its.u[0]);
            return false;
        }
    }
    return true;
}
