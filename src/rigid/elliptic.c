/* SPDX-License-Identifier: MIT */
#include "rigid/elliptic_lanes.h"

void ph_jacobi_functions(const double u[PH_LANES], const double kc[PH_LANES], struct ph_jacobi *out)
{
    ph_jacobi_lanes(u, kc, out);
}

void ph_carlson_rj(const struct ph_carlson_rj *arguments, double out[PH_LANES]) { ph_carlson_rj_lanes(arguments, out); }
