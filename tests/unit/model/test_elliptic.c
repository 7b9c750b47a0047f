/* SPDX-License-Identifier: MIT */
/* Jacobi's functions and Carlson's R_J against 20 digits from mpmath (ellipfun, elliprj). */
#include "rigid/elliptic.h"

#include "support.h"

static const struct {
    double kc, u, sn, cn, dn;
} jacobi_table[] = {
    {1.0, 1e-9, 1.0000000000000000621e-9, 0.9999999999999999995, 1.0},
    {1.0, 0.3, 0.2955202066613395645, 0.95533648912560602292, 1.0},
    {1.0, 1.7, 0.99166481045246862107, -0.12884449429552464005, 1.0},
    {1.0, -4.0, 0.75680249530792825137, -0.65364362086361191464, 1.0},
    {1.0, 25.0, -0.1323517500977730289, 0.99120281186347359808, 1.0},
    {0.9, 1e-9, 1.0000000000000000621e-9, 0.9999999999999999995, 0.9999999999999999999},
    {0.9, 0.3, 0.29471850132264630089, 0.95558411716506325082, 0.99171406713116928353},
    {0.9, 1.7, 0.99916585023200790023, -0.040836304070627624174, 0.90017600762780181086},
    {0.9, -4.0, 0.62980949072260215694, -0.77674964138758152864, 0.96157922243837504431},
    {0.9, 25.0, -0.98677044194602995605, 0.16212370246708753303, 0.9027701689972431829},
    {0.5, 1e-9, 1.000000000000000062e-9, 0.9999999999999999995, 0.99999999999999999962},
    {0.5, 0.3, 0.29236175298902867589, 0.95630779845674278706, 0.96741586406358182926},
    {0.5, 1.7, 0.97270342170194991057, 0.23205183345390443121, 0.53887479070465798679},
    {0.5, -4.0, -0.30437689977875690542, -0.95255167990039919645, 0.96463258661565255608},
    {0.5, 25.0, -0.72192402174010443817, 0.69197233097472417255, 0.78046094080738269249},
    {0.1, 1e-9, 1.0000000000000000619e-9, 0.9999999999999999995, 0.9999999999999999995},
    {0.1, 0.3, 0.29135454273417847707, 0.95661514227413197873, 0.95705872605805971514},
    {0.1, 1.7, 0.93720388344731519931, 0.34878199616848233666, 0.36115424965346665026},
    {0.1, -4.0, -0.99952252382899880161, -0.03089861418427245267, 0.10461920050795379065},
    {0.1, 25.0, -0.99518377236985726874, -0.098026829040319937522, 0.13968953654294623731},
    {1e-3, 1e-9, 1.0000000000000000619e-9, 0.9999999999999999995, 0.9999999999999999995},
    {1e-3, 0.3, 0.29131261664447188629, 0.956627910623430933, 0.95662795497873235503},
    {1e-3, 1.7, 0.93540925132604753953, 0.35356687137462869121, 0.35356810874866909547},
    {1e-3, -4.0, -0.99932954820732224687, 0.036612212166833096873, 0.03662584796690885765},
    {1e-3, 25.0, -0.99999999302400248076, 0.0001181185632736193706, 0.0010069518265725670129},
    {1e-6, 1e-9, 1.0000000000000000619e-9, 0.9999999999999999995, 0.9999999999999999995},
    {1e-6, 0.3, 0.29131261245159508854, 0.95662791190024701588, 0.95662791190029137118},
    {1e-6, 1.7, 0.93540907060327969804, 0.35356734950092393542, 0.35356734950216130947},
    {1e-6, -4.0, -0.99932929973931553517, 0.036618993466905223745, 0.036618993480541030666},
    {1e-6, 25.0, 0.99995949530864000404, -0.0090004301058321513113, 0.009000430161380551633},
    {1e-10, 1e-9, 1.0000000000000000619e-9, 0.9999999999999999995, 0.9999999999999999995},
    {1e-10, 0.3, 0.29131261245159089566, 0.9566279119002482927, 0.9566279119002482927},
    {1e-10, 1.7, 0.93540907060309897497, 0.35356734950140206214, 0.35356734950140206216},
    {1e-10, -4.0, -0.99932929973906704379, 0.036618993473686532705, 0.036618993473686532841},
    {1e-10, 25.0, 1.0, -6.2230236441804306017e-11, 1.177820119016603884e-10},
};

/* Errors of the size of rounding of u: sn' = cn dn and so on, at most 1. A wrong k' in the Landen step, or 1 - k1 taken
 * as a difference (the rows with small k'), turns this red. */
TEST(jacobi_functions_agree_with_mpmath)
{
    const size_t n = sizeof jacobi_table / sizeof jacobi_table[0];
    for (size_t i = 0; i < n; ++i) {
        double u[PH_LANES], kc[PH_LANES];
        struct ph_jacobi got;
        for (size_t l = 0; l < PH_LANES; ++l) { /* the row under test among others, in a lane of its own */
            u[l] = jacobi_table[(i + l) % n].u;
            kc[l] = jacobi_table[(i + l) % n].kc;
        }
        ph_jacobi_functions(u, kc, &got);
        /* rounding of u, and near the separatrix of k' too */
        const double size = fmax(1.0, fabs(u[0])) * (kc[0] < 0.05 ? 5.0 : 1.0);
        assert_close(got.sn[0], jacobi_table[i].sn, 8e-16, fabs(u[0]) < 1.0 ? jacobi_table[i].sn : size);
        assert_close(got.cn[0], jacobi_table[i].cn, 8e-16, size);
        assert_close(got.dn[0], jacobi_table[i].dn, 8e-16, size);
    }
}

/* Beyond the first quarter period at small k', cn and dn are near 2 exp(-u): they must keep relative accuracy. */
TEST(small_cn_and_dn_keep_their_relative_accuracy)
{
    double u[PH_LANES], kc[PH_LANES];
    struct ph_jacobi got;
    for (int l = 0; l < PH_LANES; ++l) {
        u[l] = 10.0 + l;
        kc[l] = 1e-15;
    }
    ph_jacobi_functions(u, kc, &got);
    for (int l = 0; l < PH_LANES; ++l) {
        assert_close(got.cn[l], 1.0 / cosh(u[l]), 2e-14, 1.0 / cosh(u[l]));
        assert_close(got.dn[l], 1.0 / cosh(u[l]), 2e-14, 1.0 / cosh(u[l]));
    }
}

TEST(quarter_period_is_where_cn_vanishes)
{
    double u[PH_LANES] = {0.0}, kc[PH_LANES];
    struct ph_jacobi got;
    for (int l = 0; l < PH_LANES; ++l)
        kc[l] = pow(0.1, l);
    ph_jacobi_functions(u, kc, &got);
    for (int l = 0; l < PH_LANES; ++l)
        u[l] = 1.57079632679489661923 / got.mean[l];
    ph_jacobi_functions(u, kc, &got);
    for (int l = 0; l < PH_LANES; ++l) {
        assert_close(got.cn[l], 0.0, 4e-16, 1.0);
        assert_close(got.sn[l], 1.0, 4e-16, 1.0);
        assert_close(got.dn[l], kc[l], 1e-14, kc[l]);
    }
}

static const struct {
    double x, y, z, p, rj;
} rj_table[] = {
    {0.5, 0.7, 1.0, 1.2, 1.197994163642150606},          {0.0, 0.25, 1.0, 1.5, 2.7264445485203989169},
    {0.0, 1e-12, 1.0, 1.0000001, 42.605410596742630155}, {1e-20, 1e-20, 1.0, 2.0, 34.400399920654430801},
    {0.99, 0.995, 1.0, 1.0001, 1.0044652925436305014},   {0.2, 0.9, 1.0, 0.5, 2.3642461401048986867},
    {0.01, 0.99, 1.0, 0.1, 8.9898819927057743608},       {1.0, 1.0, 1.0, 1.0, 1.0},
    {1e-08, 1.0, 1.0, 0.0001, 463.59653238395642988},
};

TEST(carlson_rj_agrees_with_mpmath)
{
    const size_t n = sizeof rj_table / sizeof rj_table[0];
    for (size_t i = 0; i < n; ++i) {
        struct ph_carlson_rj arguments;
        double got[PH_LANES];
        for (size_t l = 0; l < PH_LANES; ++l) {
            const size_t row = (i + l) % n;
            const double x = rj_table[row].x, y = rj_table[row].y, z = rj_table[row].z, p = rj_table[row].p;
            arguments.x[l] = x;
            arguments.y[l] = y;
            arguments.z[l] = z;
            arguments.p[l] = p;
            arguments.delta[l] = (p - x) * (p - y) * (p - z);
        }
        ph_carlson_rj(&arguments, got);
        assert_close(got[0], rj_table[i].rj, 6e-16, rj_table[i].rj);
    }
}
