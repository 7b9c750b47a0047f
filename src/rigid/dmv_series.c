/* SPDX-License-Identifier: MIT */
/* The modified moments of inertia of the preprocessed discrete Moser-Veselov algorithm,
 *   1/It_j = s / I_j + d,   s = 1 + h^2 s3 + h^4 s5 + ...,   d = h^2 d3 + h^4 d5 + ..., */

/* E. Hairer, G. Vilmart, J. Phys. A 39 (2006) 13225, Theorem 2.1. Their Table 1 ends with s7, d7 (where the H^3 term of
 * d7 must have delta^2); the rest, and the form used here, come from tools/derive-dmv-series. It derives every number
 * below in rational arithmetic. With C = |y|^2/2, H = y . I^-1 y/2, w_j = 1/I_j and the elementary symmetric functions
 * E1 = w1+w2+w3, E2 = w1w2+w2w3+w3w1, E3 = w1w2w3,
 *   s_{2n+1} = sum of  numerator/denominator[n]  C^j H^(n-j) E1^a E2^b E3^c,   d_{2n+1} likewise. */

/* Evaluated like this the terms of a rod cancel. For I1 = 1e-6 and a body that hardly spins about its axis E1 H is a
 * million times s3. At level n the ratio is the n-th power of a million. So ph_dmv_series_init changes the variables,
 * once per body. With w1 >= w2 >= w3, eta = w3/w1, beta = (w2-w3)/w1 and G = sqrt(max(eta^2, beta)), all at most 1, the
 * series are polynomials in two invariants that are never negative,
 *   X = h^2 w1 ((w1-w3) y1^2 + (w2-w3) y2^2) = 2 h^2 w1 (H - w3 C),    V = h^2 w1^2 G^2 C,
 * that are of the size of (omega h)^2. */

/* Their coefficients, of d/(w1 G) instead of d, are bounded polynomials of eta/G, beta/G^2 and G. The negative
 * powers of G, from C = V/(h w1 G)^2, cancel identically, so they are left out and not subtracted. */

#include "rigid/dmv_series.h"

#include "base/library.h"

#include <math.h>

enum { LEVELS = PH_DMV_LEVELS, WEIGHT = 2 * LEVELS + 1, DEGREE = 2 * WEIGHT };

/* numerator C^j H^(level-j) E1^a E2^b E3^c */
struct term {
    int level, j, a, b, c, numerator;
};

static const double denominator[] = {1, 6, 60, 2520, 45360, 4989600, 194594400};

/* clang-format off */
static const struct term s_terms[] = {
    /* s3 */
    {1, 0, 1, 0, 0, -2},
    {1, 1, 0, 1, 0, 1},
    /* s5 */
    {2, 0, 2, 0, 0, 2}, {2, 0, 0, 1, 0, -1},
    {2, 1, 1, 1, 0, -2}, {2, 1, 0, 0, 1, 8},
    {2, 2, 1, 0, 1, -6}, {2, 2, 0, 2, 0, 2},
    /* s7 */
    {3, 0, 3, 0, 0, -4}, {3, 0, 1, 1, 0, 4}, {3, 0, 0, 0, 1, 72},
    {3, 1, 2, 1, 0, 6}, {3, 1, 1, 0, 1, -212}, {3, 1, 0, 2, 0, 41},
    {3, 2, 2, 0, 1, 132}, {3, 2, 1, 2, 0, -36}, {3, 2, 0, 1, 1, -30},
    {3, 3, 1, 1, 1, -66}, {3, 3, 0, 3, 0, 17}, {3, 3, 0, 0, 2, 100},
    /* s9 */
    {4, 0, 4, 0, 0, 2}, {4, 0, 2, 1, 0, -3}, {4, 0, 1, 0, 1, -486}, {4, 0, 0, 2, 0, 153},
    {4, 1, 3, 1, 0, -4}, {4, 1, 2, 0, 1, 1104}, {4, 1, 1, 2, 0, -264}, {4, 1, 0, 1, 1, -828},
    {4, 2, 3, 0, 1, -612}, {4, 2, 2, 2, 0, 156}, {4, 2, 1, 1, 1, 180}, {4, 2, 0, 3, 0, 18}, {4, 2, 0, 0, 2, 1908},
    {4, 3, 2, 1, 1, 612}, {4, 3, 1, 3, 0, -154}, {4, 3, 1, 0, 2, -2256}, {4, 3, 0, 2, 1, 282},
    {4, 4, 2, 0, 2, 378}, {4, 4, 1, 2, 1, -342}, {4, 4, 0, 4, 0, 62}, {4, 4, 0, 1, 2, 291},
    /* s11 */
    {5, 0, 5, 0, 0, -4}, {5, 0, 3, 1, 0, 8}, {5, 0, 2, 0, 1, 10044}, {5, 0, 1, 2, 0, -1638}, {5, 0, 0, 1, 1, -15282},
    {5, 1, 4, 1, 0, 10}, {5, 1, 3, 0, 1, -21124}, {5, 1, 2, 2, 0, 5241}, {5, 1, 1, 1, 1, 31338},
    {5, 1, 0, 3, 0, -7339}, {5, 1, 0, 0, 2, 59508},
    {5, 2, 4, 0, 1, 11064}, {5, 2, 3, 2, 0, -2776}, {5, 2, 2, 1, 1, -3852}, {5, 2, 1, 3, 0, -360},
    {5, 2, 1, 0, 2, -167256}, {5, 2, 0, 2, 1, 45924},
    {5, 3, 3, 1, 1, -16596}, {5, 3, 2, 3, 0, 4154}, {5, 3, 2, 0, 2, 145320}, {5, 3, 1, 2, 1, -39228},
    {5, 3, 0, 4, 0, 2759}, {5, 3, 0, 1, 2, -45948},
    {5, 4, 3, 0, 2, -33156}, {5, 4, 2, 2, 1, 24876}, {5, 4, 1, 4, 0, -4148}, {5, 4, 1, 1, 2, -30372},
    {5, 4, 0, 3, 1, 3494}, {5, 4, 0, 0, 3, 68000},
    {5, 5, 2, 1, 2, 16578}, {5, 5, 1, 3, 1, -9672}, {5, 5, 1, 0, 3, -33300}, {5, 5, 0, 5, 0, 1382},
    {5, 5, 0, 2, 2, 11067},
    /* s13 */
    {6, 0, 6, 0, 0, 2}, {6, 0, 4, 1, 0, -5}, {6, 0, 3, 0, 1, -47772}, {6, 0, 2, 2, 0, 18666}, {6, 0, 1, 1, 1, 93528},
    {6, 0, 0, 3, 0, -47709}, {6, 0, 0, 0, 2, 224046},
    {6, 1, 5, 1, 0, -6}, {6, 1, 4, 0, 1, 97600}, {6, 1, 3, 2, 0, -24370}, {6, 1, 2, 1, 1, -239796},
    {6, 1, 1, 3, 0, 27539}, {6, 1, 1, 0, 2, -1328400}, {6, 1, 0, 2, 1, 694413},
    {6, 2, 5, 0, 1, -49818}, {6, 2, 4, 2, 0, 12462}, {6, 2, 3, 1, 1, 21696}, {6, 2, 2, 3, 0, 747},
    {6, 2, 2, 0, 2, 2670768}, {6, 2, 1, 2, 1, -949593}, {6, 2, 0, 4, 0, 100095}, {6, 2, 0, 1, 2, -1807839},
    {6, 3, 4, 1, 1, 99636}, {6, 3, 3, 3, 0, -24914}, {6, 3, 3, 0, 2, -2053472}, {6, 3, 2, 2, 1, 760134},
    {6, 3, 1, 4, 0, -74096}, {6, 3, 1, 1, 2, 1366116}, {6, 3, 0, 3, 1, -332012}, {6, 3, 0, 0, 3, 2498256},
    {6, 4, 4, 0, 2, 511974}, {6, 4, 3, 2, 1, -330714}, {6, 4, 2, 4, 0, 50682}, {6, 4, 2, 1, 2, 655023},
    {6, 4, 1, 3, 1, -210146}, {6, 4, 1, 0, 3, -3954178}, {6, 4, 0, 5, 0, 20915}, {6, 4, 0, 2, 2, 895917},
    {6, 5, 3, 1, 2, -511974}, {6, 5, 2, 3, 1, 280896}, {6, 5, 2, 0, 3, 1792224}, {6, 5, 1, 5, 0, -38226},
    {6, 5, 1, 2, 2, -681432}, {6, 5, 0, 4, 1, 45912}, {6, 5, 0, 1, 3, -124002},
    {6, 6, 3, 0, 3, -137214}, {6, 6, 2, 2, 2, 230904}, {6, 6, 1, 4, 1, -92838}, {6, 6, 1, 1, 3, -386406},
    {6, 6, 0, 6, 0, 10922}, {6, 6, 0, 3, 2, 102820}, {6, 6, 0, 0, 4, 300850},
};

static const struct term d_terms[] = {
    /* d3 */
    {1, 0, 0, 1, 0, 1},
    {1, 1, 0, 0, 1, -2},
    /* d5 */
    {2, 0, 1, 1, 0, -1}, {2, 0, 0, 0, 1, -6},
    {2, 1, 1, 0, 1, 8}, {2, 1, 0, 2, 0, -1},
    {2, 2, 0, 1, 1, -1},
    /* d7 */
    {3, 0, 2, 1, 0, 2}, {3, 0, 1, 0, 1, 60}, {3, 0, 0, 2, 0, -26},
    {3, 1, 2, 0, 1, -64}, {3, 1, 1, 2, 0, 13}, {3, 1, 0, 1, 1, 110},
    {3, 2, 1, 1, 1, -2}, {3, 2, 0, 3, 0, 2}, {3, 2, 0, 0, 2, -176},
    {3, 3, 1, 0, 2, 72}, {3, 3, 0, 2, 1, -19},
    /* d9 */
    {4, 0, 3, 1, 0, -1}, {4, 0, 2, 0, 1, -126}, {4, 0, 1, 2, 0, -6}, {4, 0, 0, 1, 1, 459},
    {4, 1, 3, 0, 1, 128}, {4, 1, 2, 2, 0, -30}, {4, 1, 1, 1, 1, -552}, {4, 1, 0, 3, 0, 194}, {4, 1, 0, 0, 2, -1296},
    {4, 2, 2, 1, 1, 114}, {4, 2, 1, 3, 0, -30}, {4, 2, 1, 0, 2, 2136}, {4, 2, 0, 2, 1, -798},
    {4, 3, 2, 0, 2, -864}, {4, 3, 1, 2, 1, 222}, {4, 3, 0, 4, 0, -1}, {4, 3, 0, 1, 2, 684},
    {4, 4, 1, 1, 2, 243}, {4, 4, 0, 3, 1, -61}, {4, 4, 0, 0, 3, -610},
    /* d11 */
    {5, 0, 4, 1, 0, 2}, {5, 0, 3, 0, 1, 1020}, {5, 0, 2, 2, 0, -1110}, {5, 0, 1, 1, 1, -4266}, {5, 0, 0, 3, 0, 4338},
    {5, 0, 0, 0, 2, -16848},
    {5, 1, 4, 0, 1, -1024}, {5, 1, 3, 2, 0, 251}, {5, 1, 2, 1, 1, 12198}, {5, 1, 1, 3, 0, -774},
    {5, 1, 1, 0, 2, 63288}, {5, 1, 0, 2, 1, -48285},
    {5, 2, 3, 1, 1, -3484}, {5, 2, 2, 3, 0, 876}, {5, 2, 2, 0, 2, -81984}, {5, 2, 1, 2, 1, 31128},
    {5, 2, 0, 4, 0, -4380}, {5, 2, 0, 1, 2, 107172},
    {5, 3, 3, 0, 2, 31104}, {5, 3, 2, 2, 1, -8790}, {5, 3, 1, 4, 0, 251}, {5, 3, 1, 1, 2, -45960},
    {5, 3, 0, 3, 1, 12444}, {5, 3, 0, 0, 3, -110664},
    {5, 4, 2, 1, 2, -14526}, {5, 4, 1, 3, 1, 3626}, {5, 4, 1, 0, 3, 94596}, {5, 4, 0, 5, 0, 2},
    {5, 4, 0, 2, 2, -20730},
    {5, 5, 2, 0, 3, -12096}, {5, 5, 1, 2, 2, 8559}, {5, 5, 0, 4, 1, -1384}, {5, 5, 0, 1, 3, -3270},
    /* d13 */
    {6, 0, 5, 1, 0, -1}, {6, 0, 4, 0, 1, -2046}, {6, 0, 3, 2, 0, -6224}, {6, 0, 2, 1, 1, 49734},
    {6, 0, 1, 3, 0, 24885}, {6, 0, 1, 0, 2, 167508}, {6, 0, 0, 2, 1, -242460},
    {6, 1, 5, 0, 1, 2048}, {6, 1, 4, 2, 0, -509}, {6, 1, 3, 1, 1, -44632}, {6, 1, 2, 3, 0, 31101},
    {6, 1, 2, 0, 2, -644760}, {6, 1, 1, 2, 1, 266697}, {6, 1, 0, 4, 0, -115715}, {6, 1, 0, 1, 2, 1301994},
    {6, 2, 4, 1, 1, 19789}, {6, 2, 3, 3, 0, -4951}, {6, 2, 3, 0, 2, 710404}, {6, 2, 2, 2, 1, -364125},
    {6, 2, 1, 4, 0, 18918}, {6, 2, 1, 1, 2, -1734741}, {6, 2, 0, 3, 1, 817342}, {6, 2, 0, 0, 3, -1938870},
    {6, 3, 4, 0, 2, -258048}, {6, 3, 3, 2, 1, 84326}, {6, 3, 2, 4, 0, -4951}, {6, 3, 2, 1, 2, 749604},
    {6, 3, 1, 3, 1, -186144}, {6, 3, 1, 0, 3, 3705840}, {6, 3, 0, 5, 0, 22093}, {6, 3, 0, 2, 2, -1958646},
    {6, 4, 3, 1, 2, 131085}, {6, 4, 2, 3, 1, -30739}, {6, 4, 2, 0, 3, -2479614}, {6, 4, 1, 5, 0, -509},
    {6, 4, 1, 2, 2, 818706}, {6, 4, 0, 4, 1, -92323}, {6, 4, 0, 1, 3, 1637317},
    {6, 5, 3, 0, 3, 438912}, {6, 5, 2, 2, 2, -266733}, {6, 5, 1, 4, 1, 39256}, {6, 5, 1, 1, 3, 52764},
    {6, 5, 0, 6, 0, -1}, {6, 5, 0, 3, 2, 30607}, {6, 5, 0, 0, 4, -1084280},
    {6, 6, 2, 1, 3, -150849}, {6, 6, 1, 3, 2, 81396}, {6, 6, 1, 0, 4, 401760}, {6, 6, 0, 5, 1, -10921},
    {6, 6, 0, 2, 3, -119103},
};
/* clang-format on */

/* A polynomial in G */
struct polynomial {
    double c[DEGREE + 1];
};

static struct polynomial product(const struct polynomial *p, const struct polynomial *q)
{
    struct polynomial out = {{0.0}};
    for (int i = 0; i <= DEGREE; ++i)
        for (int j = 0; j <= DEGREE - i && p->c[i] != 0.0; ++j)
            out.c[i + j] += p->c[i] * q->c[j];
    return out;
}

/* powers[n] = p^n, up to n = last */
static void fill_powers(const struct polynomial *p, int last, struct polynomial *powers)
{
    powers[0] = (struct polynomial){{1.0}};
    for (int n = 1; n <= last; ++n)
        powers[n] = product(&powers[n - 1], p);
}

static double binomial(int n, int k)
{
    double value = 1.0;
    for (int i = 1; i <= k; ++i)
        value = value * (n - k + i) / i;
    return value;
}

/* E1, E2, E3 in units of w1, and their powers as far as the table needs them */
struct symmetric_functions {
    struct polynomial e1[WEIGHT + 1], e2[WEIGHT / 2 + 1], e3[WEIGHT / 3 + 1];
};

/* The E-polynomial of (level, j), as a polynomial in G */
static struct polynomial polynomial_of(const struct term *terms, int n_terms, int level, int j,
                                       const struct symmetric_functions *e)
{
    struct polynomial sum = {{0.0}};
    for (int t = 0; t < n_terms; ++t) {
        if (terms[t].level != level || terms[t].j != j)
            continue;
        const struct polynomial e23 = product(&e->e3[terms[t].c], &e->e2[terms[t].b]);
        const struct polynomial term = product(&e23, &e->e1[terms[t].a]);
        for (int i = 0; i <= DEGREE; ++i)
            sum.c[i] += terms[t].numerator / denominator[level] * term.c[i];
    }
    return sum;
}

/* Coefficients of X^k V^(level-k). Per unit of w1: C = V/G^2, H = (X + 2 eta C)/2 = X/2 + (eta/G) V/G, so that C^j
 * H^(level-j) = sum over k of binomial (X/2)^k (eta/G)^(level-j-k) V^(level-k) G^(k-level-j). The sum over j begins
 * with G^0 in s, and with G^1 in d. This power is `first`, and is taken out. */
static void change_variables(const struct term *terms, int n_terms, const struct symmetric_functions *e,
                             double eta_over_g, double g, int first, double *coefficients)
{
    double power[LEVELS + 1]; /* of eta/G */
    for (int n = 0; n <= LEVELS; ++n)
        power[n] = ph_library_pow(eta_over_g, n);
    for (int level = 1; level <= LEVELS; ++level)
        for (int j = 0; j <= level; ++j) {
            const struct polynomial p = polynomial_of(terms, n_terms, level, j, e);
            for (int k = 0; k <= level - j; ++k) {
                double value = 0.0;
                for (int i = DEGREE; i >= level + j - k + first; --i)
                    value = value * g + p.c[i];
                coefficients[PH_DMV_INDEX(k, level - k)] +=
                    binomial(level - j, k) * ldexp(power[level - j - k], -k) * value;
            }
        }
}

void ph_dmv_series_init(const double inverse[3], double difference23, struct ph_dmv_series *series)
{
    const double w1 = inverse[0], eta = inverse[2] / w1, beta = difference23 / w1;
    const double g = fmax(eta, sqrt(beta));
    const double a = eta / g, b = beta / (g * g);
    const struct polynomial e1 = {{1.0, 2.0 * a, b}};                /* 1 + (eta + beta) + eta */
    const struct polynomial e2 = {{0.0, 2.0 * a, a * a + b, a * b}}; /* (eta + beta) + eta + (eta + beta) eta */
    const struct polynomial e3 = {{0.0, 0.0, a * a, a * b}};         /* (eta + beta) eta */
    struct symmetric_functions e;
    fill_powers(&e1, WEIGHT, e.e1);
    fill_powers(&e2, WEIGHT / 2, e.e2);
    fill_powers(&e3, WEIGHT / 3, e.e3);

    *series = (struct ph_dmv_series){.x_scale = w1, .v_scale = 0.5 * (w1 * g) * (w1 * g)};
    change_variables(s_terms, sizeof s_terms / sizeof s_terms[0], &e, a, g, 0, series->s);
    change_variables(d_terms, sizeof d_terms / sizeof d_terms[0], &e, a, g, 1, series->d);
    for (int i = 0; i < PH_DMV_COEFFICIENTS; ++i)
        series->d[i] *= w1 * g;
}
