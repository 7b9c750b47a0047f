/* SPDX-License-Identifier: MIT */
/* The loops over the formulas of angular forms: one for each form and numbers of axes. A dual number has derivatives in
 * four directions, so eight scalars take two passes. Builds for tests decide on forms and axes at run time. */
#include "force/pairs/kernels/angular/angular_kernel.h"
#include "force/pairs/kernels/angular/turned.h"

PH_INLINE bool is_turned(enum ph_angular_kind kind, size_t na, size_t nb)
{
    return na == 3 && nb == 3 && ph_angular_depends(kind, na, nb) == ph_scalar_count(na, nb);
}

/* Where kernels decide at run time all formulas are compiled once: they are long. */
PH_SPECIALISED struct ph_dual directions(enum ph_angular_kind kind, const double *k, size_t na, size_t nb,
                                         const double *v, const double *t, const double on[PH_DIRECTIONS],
                                         const double *b)
{
    if (is_turned(kind, na, nb))
        return ph_angular_turned(kind, k, v, t, PH_ANGULAR_BLOCK, on, b);
    return ph_angular_screened(kind, k, na, nb, v, t, PH_ANGULAR_BLOCK, on, b);
}

/* Quadrupoles with three axes are rare, and their formulas are the longest: they are compiled once in all builds. */
__attribute__((noinline)) static struct ph_dual tensor_directions(enum ph_angular_kind kind, const double *k, size_t na,
                                                                  size_t nb, const double *v, const double *t,
                                                                  const double on[PH_DIRECTIONS], const double *b)
{
    return directions(kind, k, na, nb, v, t, on, b);
}

/* Pair l: u and its derivatives by four scalars, and their rates unless `rates` is NULL. A macro, so that messages of
 * compilers name the loop. */
#define PH_FILL_PAIR(find, l)                                                                                          \
    do {                                                                                                               \
        const struct ph_dual u = find(kind, k, na, nb, rows->scalar[0] + (l), rates ? rates->scalar[0] + (l) : NULL,   \
                                      on, b ? b + (l) : NULL);                                                         \
        rows->u[l] = u.v;                                                                                              \
        rows->slope[first][l] = u.d0;                                                                                  \
        rows->slope[first + 1][l] = u.d1;                                                                              \
        rows->slope[first + 2][l] = u.d2;                                                                              \
        rows->slope[first + 3][l] = u.d3;                                                                              \
        if (rates) {                                                                                                   \
            rates->u[l] = u.t;                                                                                         \
            rates->slope[first][l] = u.e0;                                                                             \
            rates->slope[first + 1][l] = u.e1;                                                                         \
            rates->slope[first + 2][l] = u.e2;                                                                         \
            rates->slope[first + 3][l] = u.e3;                                                                         \
        }                                                                                                              \
    } while (0)

PH_INLINE bool is_multipole(enum ph_angular_kind kind)
{
    return kind == PH_ANGULAR_QUADRUPOLE || kind == PH_ANGULAR_DIPOLE_QUADRUPOLE ||
           kind == PH_ANGULAR_QUADRUPOLE_DIPOLE;
}

/* b: radial functions of screened pairs, or NULL */
PH_INLINE void fill(enum ph_angular_kind kind, size_t na, size_t nb, const struct ph_angular_term *term,
                    const double *restrict b, size_t n, struct ph_angular_rows *restrict rows,
                    struct ph_angular_rows *restrict rates)
{
    double k[PH_ANGULAR_CONSTANTS];
    memcpy(k, term->k, sizeof k);
    const size_t depends = ph_angular_depends(kind, na, nb), count = ph_scalar_count(na, nb);
    const bool is_tensor = (na == 3 || nb == 3) && is_multipole(kind);
    /* clang keeps rates of two bodies without an axis of symmetry in memory, and does not vectorise them. */
    const bool is_large = rates && na == 3 && nb == 3 && kind != PH_ANGULAR_STICKY;
    for (size_t m = depends; m < count; ++m) {
        memset(rows->slope[m], 0, n * sizeof(double));
        if (rates)
            memset(rates->slope[m], 0, n * sizeof(double));
    }
    const size_t n_directions = is_turned(kind, na, nb) ? PH_TURNED_DIRECTIONS : depends;
    for (size_t first = 0; first < n_directions; first += PH_DIRECTIONS) {
        double on[PH_DIRECTIONS] = {0.0};
        on[first / PH_DIRECTIONS] = 1.0;
        if (is_tensor) {
            for (size_t l = 0; l < n; ++l)
                PH_FILL_PAIR(tensor_directions, l);
            continue;
        }
        if (is_large) {
            for (size_t l = 0; l < n; ++l)
                PH_FILL_PAIR(directions, l);
            continue;
        }
        PH_SIMD
        for (size_t l = 0; l < n; ++l)
            PH_FILL_PAIR(directions, l);
    }
    if (is_turned(kind, na, nb))
        ph_turned_slopes(n, rows, rates);
}
#undef PH_FILL_PAIR

#ifdef PH_KERNELS_AT_RUN_TIME
void ph_angular_row(const struct ph_angular_term *term, const struct ph_pair_term *truncation, size_t n,
                    struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
    if (term->kind == PH_ANGULAR_FORMULA) {
        ph_program_row(term, n, rows, rates);
        return;
    }
    PH_ALIGNED double b[PH_SCREENED_FUNCTIONS][PH_ANGULAR_BLOCK];
    if (term->screened)
        ph_screened_functions(truncation, rates != NULL, n, rows->scalar[0], b);
    fill(term->kind, term->n_i, term->n_j, term, term->screened ? b[0] : NULL, n, rows, rates);
}
#else
/* Sticky dipoles have three axes, dipoles one, quadrupoles one or three, at least one of both sites has an axis; shapes
 * any. Other loops are left out. */
PH_INLINE bool can_have(enum ph_angular_kind kind, size_t na, size_t nb)
{
    switch (kind) {
    case PH_ANGULAR_STICKY: return na == 3 && nb == 3;
    case PH_ANGULAR_PATCH: return na == 1 && nb == 1;
    case PH_ANGULAR_QUADRUPOLE: return na + nb > 0;
    case PH_ANGULAR_DIPOLE_QUADRUPOLE: return na == 1 && nb > 0;
    case PH_ANGULAR_QUADRUPOLE_DIPOLE: return na > 0 && nb == 1;
    default: return true;
    }
}

/* The numbers of axes as constants */
PH_INLINE void fill_for(enum ph_angular_kind kind, const struct ph_angular_term *term, const double *b, size_t n,
                        struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
    switch (4 * term->n_i + term->n_j) {
#define PH_AXES_CASE(na, nb)                                                                                           \
    case 4 * na + nb:                                                                                                  \
        if (can_have(kind, na, nb))                                                                                    \
            fill(kind, na, nb, term, b, n, rows, rates);                                                               \
        break;
        PH_AXES_CASE(0, 0)
        PH_AXES_CASE(0, 1)
        PH_AXES_CASE(0, 3)
        PH_AXES_CASE(1, 0)
        PH_AXES_CASE(1, 1)
        PH_AXES_CASE(1, 3)
        PH_AXES_CASE(3, 0)
        PH_AXES_CASE(3, 1)
        PH_AXES_CASE(3, 3)
#undef PH_AXES_CASE
    default: break;
    }
}

void ph_angular_row(const struct ph_angular_term *term, const struct ph_pair_term *truncation, size_t n,
                    struct ph_angular_rows *rows, struct ph_angular_rows *rates)
{
#define CASE(KIND, ...)                                                                                                \
    case PH_ANGULAR_##KIND:                                                                                            \
        if (rates)                                                                                                     \
            fill_for(PH_ANGULAR_##KIND, term, RADIAL, n, rows, rates);                                                 \
        else                                                                                                           \
            fill_for(PH_ANGULAR_##KIND, term, RADIAL, n, rows, NULL);                                                  \
        break;
    if (term->screened) {
        PH_ALIGNED double b[PH_SCREENED_FUNCTIONS][PH_ANGULAR_BLOCK];
        ph_screened_functions(truncation, rates != NULL, n, rows->scalar[0], b);
        switch (term->kind) {
#define RADIAL b[0]
            PH_ANGULAR_MULTIPOLES(CASE)
#undef RADIAL
        default: break;
        }
        return;
    }
    switch (term->kind) {
#define RADIAL NULL
        PH_ANGULAR_FORMS(CASE)
#undef RADIAL
    case PH_ANGULAR_FORMULA: ph_program_row(term, n, rows, rates); break;
    default: break;
    }
#undef CASE
}
#endif
