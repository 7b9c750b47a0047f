/* SPDX-License-Identifier: MIT */
#include "base/numerics/matrix.h"
#include "base/rotation.h"
#include "formats/start_file.h"

static void centroid(size_t n, const double (*x)[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0.0;
        for (size_t a = 0; a < n; ++a)
            out[k] += x[a][k] / (double)n;
    }
}

double ph_fit_orientation(size_t n, const double (*body)[3], const double (*space)[3], double q[4], double r[3])
{
    double body_centre[3], space_centre[3], s[3][3] = {{0.0}}; /* s_ij = sum of X_i x_j about the centroids */
    centroid(n, body, body_centre);
    centroid(n, space, space_centre);
    for (size_t a = 0; a < n; ++a)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                s[i][j] += (body[a][i] - body_centre[i]) * (space[a][j] - space_centre[j]);
    const double davenport[4][4] = {
        {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]},
        {s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]},
        {s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]},
        {s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]},
    };
    double value[4], vector[4][4];
    ph_symmetric_eigen(4, &davenport[0][0], value, &vector[0][0]);
    int best = 0;
    for (int k = 1; k < 4; ++k)
        if (value[k] > value[best])
            best = k;
    double norm = 0.0;
    for (int k = 0; k < 4; ++k)
        norm += vector[k][best] * vector[k][best];
    for (int k = 0; k < 4; ++k)
        q[k] = vector[k][best] / sqrt(norm);

    double turned[3], square = 0.0;
    ph_quat_rotate(q, body_centre, turned);
    for (int k = 0; k < 3; ++k)
        r[k] = space_centre[k] - turned[k];
    for (size_t a = 0; a < n; ++a) {
        ph_quat_rotate(q, body[a], turned);
        for (int k = 0; k < 3; ++k)
            square += (space[a][k] - r[k] - turned[k]) * (space[a][k] - r[k] - turned[k]);
    }
    return sqrt(square / (double)n);
}
