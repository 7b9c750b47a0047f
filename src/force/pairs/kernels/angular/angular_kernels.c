/* SPDX-License-Identifier: MIT */
/* The loops over the formulas of angular forms: one for each form and numbers of axes. A dual number has derivatives in
 * four directions, so eight scalars take two passes. Builds for tests decide on axes at run time.
 *
 * All of this is macros that name the formula. With a formula chosen by an argument, compilers would copy all formulas
 * into each loop before they saw which one is meant: gcc took minutes. */
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "force/pairs/kernels/angular/turned.h"

PH_INLINE bool is_turned(enum ph_angular_kind kind, size_t na, size_t nb)
{
    return na == 3 && nb == 3 && ph_angular_depends(kind, na, nb) == ph_scalar_count(na, nb);
}

/* One pair of a form. A function of its own, because gcc does not vectorise loops with structs of arrays. */
#define PH_PAIR(KIND, formula, electric)                                                                               \
    PH_INLINE struct ph_dual formula##_pair(const double *k, size_t na, size_t nb, const double *v, const double *t,   \
                                            const double on[PH_DIRECTIONS], bool screened, const double *b)            \
    {                                                                                                                  \
        struct ph_angular_scalars s = is_turned(PH_ANGULAR_##KIND, na, nb)                                             \
                                          ? ph_turned_seeds(v, t, PH_ANGULAR_BLOCK, on, b)                             \
                                          : ph_angular_seeds(na, nb, v, t, PH_ANGULAR_BLOCK, on, b);                   \
        s.screened = screened;                                                                                         \
        return ph_##formula(k, (int)na, (int)nb, &s);                                                                  \
    }
PH_ANGULAR_FORMS(PH_PAIR)

/* One pass over n pairs: u, and its derivatives in four directions from `first` on, and their rates unless `rates` is
 * NULL. b: radial functions of screened pairs, or NULL */
typedef void pass(const double *constants, size_t na, size_t nb, size_t first, const double *restrict b, size_t n,
                  struct ph_angular_rows *restrict rows, struct ph_angular_rows *restrict rates);

/* A macro for pair l, so that messages of compilers name the loop */
#define PH_FILL_PAIR(find, na, nb, screened, of_rates)                                                                 \
    do {                                                                                                               \
        const struct ph_dual u = find(k, na, nb, rows->scalar[0] + l, (of_rates) ? rates->scalar[0] + l : NULL, on,    \
                                      screened, (screened) ? b + l : NULL);                                            \
        rows->u[l] = u.v;                                                                                              \
        rows->slope[first][l] = u.d0;                                                                                  \
        rows->slope[first + 1][l] = u.d1;                                                                              \
        rows->slope[first + 2][l] = u.d2;                                                                              \
        rows->slope[first + 3][l] = u.d3;                                                                              \
        if (of_rates) {                                                                                                \
            rates->u[l] = u.t;                                                                                         \
            rates->slope[first][l] = u.e0;                                                                             \
            rates->slope[first + 1][l] = u.e1;                                                                         \
            rates->slope[first + 2][l] = u.e2;                                                                         \
            rates->slope[first + 3][l] = u.e3;                                                                         \
        }                                                                                                              \
    } while (0)

/* A pass over pairs, where it is `possible`. Compilers see that n is `whole`, and write no second loop for pairs left
 * over; and that pointers are not NULL, else they would ask for each pair. */
#define PH_BEGIN_PASS(name, screened, of_rates, possible)                                                              \
    static void name(const double *constants, size_t n_i, size_t n_j, size_t first, const double *restrict b,          \
                     size_t n, struct ph_angular_rows *restrict rows, struct ph_angular_rows *restrict rates)          \
    {                                                                                                                  \
        (void)n_i, (void)n_j, (void)b, (void)rates;                                                                    \
        if (!(possible) || ((screened) && !b) || ((of_rates) && !rates))                                               \
            return;                                                                                                    \
        const size_t whole = n / PH_LANES * PH_LANES;                                                                  \
        double k[PH_ANGULAR_CONSTANTS], on[PH_DIRECTIONS] = {0.0};                                                     \
        memcpy(k, constants, sizeof k);                                                                                \
        on[first / PH_DIRECTIONS] = 1.0;
#define PH_PLAIN_PASS(name, find, na, nb, screened, of_rates, possible)                                                \
    PH_BEGIN_PASS(name, screened, of_rates, possible)                                                                  \
    for (size_t l = 0; l < whole; ++l)                                                                                 \
        PH_FILL_PAIR(find, na, nb, screened, of_rates);                                                                \
    }

/* Sticky dipoles: all slopes in one pass, because their slopes share the switches */
#define PH_STICKY_PASS(name, of_rates)                                                                                 \
    static void name(const double *constants, size_t n, struct ph_angular_rows *restrict rows,                         \
                     struct ph_angular_rows *restrict rates)                                                           \
    {                                                                                                                  \
        (void)rates;                                                                                                   \
        if ((of_rates) && !rates)                                                                                      \
            return;                                                                                                    \
        const size_t whole = n / PH_LANES * PH_LANES;                                                                  \
        double k[PH_ANGULAR_CONSTANTS];                                                                                \
        memcpy(k, constants, sizeof k);                                                                                \
        PH_SIMD                                                                                                        \
        for (size_t l = 0; l < whole; ++l) {                                                                           \
            PH_STICKY_PAIR(of_rates)                                                                                   \
        }                                                                                                              \
    }
#define PH_STICKY_OF(of_rates, m)                                                                                      \
    (struct ph_moving) { rows->scalar[m][l], (of_rates) ? rates->scalar[m][l] : 0.0 }
#define PH_STICKY_SET(of_rates, m, found)                                                                              \
    rows->slope[m][l] = (found).v;                                                                                     \
    if (of_rates)                                                                                                      \
        rates->slope[m][l] = (found).t;
#define PH_STICKY_PAIR(of_rates)                                                                                       \
    const struct ph_sticky_slopes u = ph_sticky_closed(                                                                \
        k, PH_STICKY_OF(of_rates, 0), PH_STICKY_OF(of_rates, 1), PH_STICKY_OF(of_rates, 2), PH_STICKY_OF(of_rates, 3), \
        PH_STICKY_OF(of_rates, 4), PH_STICKY_OF(of_rates, 5), PH_STICKY_OF(of_rates, 6));                              \
    rows->u[l] = u.u.v;                                                                                                \
    if (of_rates)                                                                                                      \
        rates->u[l] = u.u.t;                                                                                           \
    PH_STICKY_SET(of_rates, 0, u.r)                                                                                    \
    PH_STICKY_SET(of_rates, 1, u.px)                                                                                   \
    PH_STICKY_SET(of_rates, 2, u.py)                                                                                   \
    PH_STICKY_SET(of_rates, 3, u.pz)                                                                                   \
    PH_STICKY_SET(of_rates, 4, u.qx)                                                                                   \
    PH_STICKY_SET(of_rates, 5, u.qy)                                                                                   \
    PH_STICKY_SET(of_rates, 6, u.qz)
PH_STICKY_PASS(sticky_forces, false)
PH_STICKY_PASS(sticky_rates, true)

/* One function for all numbers of axes, which no loop copies: for builds that decide at run time, and for quadrupoles
 * with three axes, which are rare and have the longest formulas */
#define PH_ANY_PASS(KIND, formula, electric)                                                                           \
    __attribute__((noinline)) static struct ph_dual formula##_any_pair(                                                \
        const double *k, size_t na, size_t nb, const double *v, const double *t, const double on[PH_DIRECTIONS],       \
        bool screened, const double *b)                                                                                \
    {                                                                                                                  \
        return formula##_pair(k, na, nb, v, t, on, screened, b);                                                       \
    }                                                                                                                  \
    PH_PLAIN_PASS(formula##_any, formula##_any_pair, n_i, n_j, b != NULL, rates != NULL, true)

#ifdef PH_KERNELS_AT_RUN_TIME
PH_ANGULAR_FORMS(PH_ANY_PASS)

static pass *find_pass(const struct ph_angular_term *term, bool of_rates)
{
    (void)of_rates;
    switch (term->kind) {
#define PH_CASE(KIND, formula, electric)                                                                               \
    case PH_ANGULAR_##KIND: return formula##_any;
        PH_ANGULAR_FORMS(PH_CASE)
#undef PH_CASE
    default: return NULL;
    }
}
#else
PH_ANGULAR_MULTIPOLES(PH_ANY_PASS)

/* Sticky dipoles have a pass of their own. Patches have one axis, dipoles one, at least one of both sites has an axis;
 * shapes any. Other loops are left out. */
PH_INLINE bool can_have(enum ph_angular_kind kind, size_t na, size_t nb)
{
    switch (kind) {
    case PH_ANGULAR_STICKY: return false;
    case PH_ANGULAR_PATCH: return na == 1 && nb == 1;
    case PH_ANGULAR_DIPOLE_QUADRUPOLE:
    case PH_ANGULAR_QUADRUPOLE_DIPOLE: return na == 1 && nb == 1;
    default: return true;
    }
}

/* clang keeps rates of two bodies without an axis of symmetry in memory, and does not vectorise them. */
PH_INLINE bool is_large(enum ph_angular_kind kind, size_t na, size_t nb, bool of_rates)
{
#ifdef __clang__
    return of_rates && na == 3 && nb == 3 && kind != PH_ANGULAR_STICKY && kind != PH_ANGULAR_GAY_BERNE;
#else
    (void)kind, (void)na, (void)nb, (void)of_rates;
    return false;
#endif
}

#define PH_LINEAR_AXES(WHAT, ...) WHAT(__VA_ARGS__, 0, 1) WHAT(__VA_ARGS__, 1, 0) WHAT(__VA_ARGS__, 1, 1)
#define PH_OTHER_AXES(WHAT, ...)                                                                                       \
    WHAT(__VA_ARGS__, 0, 0)                                                                                            \
    WHAT(__VA_ARGS__, 0, 3)                                                                                            \
    WHAT(__VA_ARGS__, 1, 3) WHAT(__VA_ARGS__, 3, 0) WHAT(__VA_ARGS__, 3, 1) WHAT(__VA_ARGS__, 3, 3)

#define PH_SIMD_PASS(name, KIND, formula, screened, of_rates, na, nb)                                                  \
    PH_BEGIN_PASS(formula##_##name##_##na##nb, screened, of_rates,                                                     \
                  can_have(PH_ANGULAR_##KIND, na, nb) && !is_large(PH_ANGULAR_##KIND, na, nb, of_rates))               \
    PH_SIMD                                                                                                            \
    for (size_t l = 0; l < whole; ++l)                                                                                 \
        PH_FILL_PAIR(formula##_pair, na, nb, screened, of_rates);                                                      \
    }
#define PH_LINEAR_PASSES(KIND, formula, electric)                                                                      \
    PH_LINEAR_AXES(PH_SIMD_PASS, forces, KIND, formula, false, false)                                                  \
    PH_LINEAR_AXES(PH_SIMD_PASS, rates, KIND, formula, false, true)
#define PH_SHAPE_PASSES(KIND, formula, electric)                                                                       \
    PH_OTHER_AXES(PH_SIMD_PASS, forces, KIND, formula, false, false)                                                   \
    PH_OTHER_AXES(PH_SIMD_PASS, rates, KIND, formula, false, true)
#define PH_SCREENED_PASSES(KIND, formula, electric)                                                                    \
    PH_LINEAR_AXES(PH_SIMD_PASS, screened_forces, KIND, formula, true, false)                                          \
    PH_LINEAR_AXES(PH_SIMD_PASS, screened_rates, KIND, formula, true, true)
#define PH_LARGE_PASS(KIND, formula, electric)                                                                         \
    PH_PLAIN_PASS(formula##_large, formula##_pair, 3, 3, false, true, is_large(PH_ANGULAR_##KIND, 3, 3, true))
PH_ANGULAR_FORMS(PH_LINEAR_PASSES)
PH_ANGULAR_SHAPES(PH_SHAPE_PASSES)
PH_ANGULAR_MULTIPOLES(PH_SCREENED_PASSES)
PH_ANGULAR_SHAPES(PH_LARGE_PASS)

/* Of each form, by the numbers of axes */
#define PH_AXES_CASE(name, formula, na, nb)                                                                            \
    case 4 * na + nb:                                                                                                  \
        return formula##_##name##_##na##nb;
#define PH_FIND_LINEAR(name, formula)                                                                                  \
    switch (4 * term->n_i + term->n_j) {                                                                               \
        PH_LINEAR_AXES(PH_AXES_CASE, name, formula)                                                                    \
    default: return NULL;                                                                                              \
    }
#define PH_FIND_ALL(name, formula)                                                                                     \
    switch (4 * term->n_i + term->n_j) {                                                                               \
        PH_LINEAR_AXES(PH_AXES_CASE, name, formula)                                                                    \
        PH_OTHER_AXES(PH_AXES_CASE, name, formula)                                                                     \
    default: return NULL;                                                                                              \
    }
#define PH_FIND_SHAPE(KIND, formula, electric)                                                                         \
    static pass *find_##formula(const struct ph_angular_term *term, bool of_rates)                                     \
    {                                                                                                                  \
        if (is_large(PH_ANGULAR_##KIND, term->n_i, term->n_j, of_rates))                                               \
            return formula##_large;                                                                                    \
        if (of_rates)                                                                                                  \
            PH_FIND_ALL(rates, formula)                                                                                \
        PH_FIND_ALL(forces, formula)                                                                                   \
    }
#define PH_FIND_MULTIPOLE(KIND, formula, electric)                                                                     \
    static pass *find_##formula(const struct ph_angular_term *term, bool of_rates)                                     \
    {                                                                                                                  \
        if (term->n_i == 3 || term->n_j == 3)                                                                          \
            return formula##_any;                                                                                      \
        if (term->screened && of_rates)                                                                                \
            PH_FIND_LINEAR(screened_rates, formula)                                                                    \
        if (term->screened)                                                                                            \
            PH_FIND_LINEAR(screened_forces, formula)                                                                   \
        if (of_rates)                                                                                                  \
            PH_FIND_LINEAR(rates, formula)                                                                             \
        PH_FIND_LINEAR(forces, formula)                                                                                \
    }
PH_ANGULAR_SHAPES(PH_FIND_SHAPE)
PH_ANGULAR_MULTIPOLES(PH_FIND_MULTIPOLE)

static pass *find_pass(const struct ph_angular_term *term, bool of_rates)
{
    switch (term->kind) {
#define PH_CASE(KIND, formula, electric)                                                                               \
    case PH_ANGULAR_##KIND:                                                                                            \
        return find_##formula(term, of_rates);
        PH_ANGULAR_FORMS(PH_CASE)
#undef PH_CASE
    default: return NULL;
    }
}
#endif

void ph_angular_row(const struct ph_angular_term *term, const struct ph_pair_term *truncation, size_t n,
                    const double *inverse, struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
    if (term->kind == PH_ANGULAR_FORMULA) {
        ph_program_row(term, n, inverse, rows, rates);
        return;
    }
    if (term->kind == PH_ANGULAR_STICKY) {
        (rates ? sticky_rates : sticky_forces)(term->k, n, rows, rates);
        return;
    }
    PH_ALIGNED double b[PH_SCREENED_FUNCTIONS][PH_ANGULAR_BLOCK];
    if (term->screened)
        ph_screened_functions(truncation, rates != NULL, n, rows->scalar[0], b);
    const size_t na = term->n_i, nb = term->n_j, depends = ph_angular_depends(term->kind, na, nb);
    const bool turned = is_turned(term->kind, na, nb);
    pass *const fill = find_pass(term, rates != NULL);
    for (size_t m = depends; m < ph_scalar_count(na, nb) && !ph_angular_apart(term->kind, na, nb); ++m) {
        memset(rows->slope[m], 0, n * sizeof(double));
        if (rates)
            memset(rates->slope[m], 0, n * sizeof(double));
    }
    for (size_t first = 0; first < (turned ? (size_t)PH_TURNED_DIRECTIONS : depends); first += PH_DIRECTIONS)
        fill(term->k, na, nb, first, term->screened ? b[0] : NULL, n, rows, rates);
    if (turned)
        ph_turned_slopes(n, rows, rates);
}
