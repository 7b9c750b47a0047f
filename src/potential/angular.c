/* SPDX-License-Identifier: MIT */
#include "potential/angular.h"

#include "base/plain.h"
#include "potential/angular_formulas.h"
#include "potential/curves/curve.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define NOTHING(...)

#define FORM(p, t, KIND, name, title, formula) [PH_ANGULAR_##KIND] = {name, title, formula},
const struct ph_angular_form ph_angular_forms[PH_ANGULAR_KINDS] = {
    PH_ANGULAR_NAMES(FORM, NOTHING, NOTHING, , )[PH_ANGULAR_FORMULA] = {NULL, "formula", NULL}};

enum { RULE_OWN = PH_RULE_SAME, RULE_SAME = PH_RULE_SAME, RULE_ENERGY = PH_RULE_ENERGY, RULE_LENGTH = PH_RULE_LENGTH };
enum { OWN_OWN = true, OWN_SAME = false, OWN_ENERGY = false, OWN_LENGTH = false };
#define NUMBER(p, t, KIND, name, place, key, high, above, fallback, rule, help)                                        \
    {PH_ANGULAR_##KIND, key, help, place, 1, OWN_##rule, (enum ph_form_rule)RULE_##rule},
#define VECTOR(p, t, KIND, name, place, key, high, above, fallback, rule, help)                                        \
    {PH_ANGULAR_##KIND, key, help, place, 3, OWN_##rule, (enum ph_form_rule)RULE_##rule},
const struct ph_angular_number ph_angular_numbers[] = {PH_ANGULAR_NAMES(NOTHING, NUMBER, VECTOR, , )};
const size_t ph_angular_number_count = sizeof ph_angular_numbers / sizeof *ph_angular_numbers;

void ph_angular_describe(const struct ph_angular *angular, size_t size, char *text)
{
    const bool none = angular->kind == PH_ANGULAR_NONE;
    snprintf(text, size, "%s", none ? "none" : ph_angular_forms[angular->kind].title);
    for (size_t k = 0; k < ph_angular_number_count; ++k) {
        const struct ph_angular_number *number = &ph_angular_numbers[k];
        const double *value = &angular->number[number->place];
        const size_t used = strlen(text);
        if (number->kind != angular->kind || used >= size)
            continue;
        if (number->n == 1)
            ph_snprintf(text + used, size - used, ", %s %.10g", number->key, value[0]);
        else
            ph_snprintf(text + used, size - used, ", %s [%.10g, %.10g, %.10g]", number->key, value[0], value[1],
                        value[2]);
    }
    const struct ph_curve *curve = ph_curve_of_angular(angular);
    const size_t used = strlen(text);
    if (curve && used < size)
        snprintf(text + used, size - used, " %s", curve->about);
}

/* T along the axes x, y, z of the site, without the trace that rounded moments have */
static void find_moments(const struct ph_angular *angular, double t[3])
{
    const double q = angular->number[PH_QUADRUPOLE_Q], *given = angular->number + PH_QUADRUPOLE_MOMENTS;
    const double mean = (given[0] + given[1] + given[2]) / 3.0;
    for (size_t x = 0; x < 3; ++x)
        t[x] = (x == 2 ? q : -0.5 * q) + (given[x] - mean);
}

size_t ph_angular_axes(const struct ph_angular *angular, size_t axis[3])
{
    switch (angular->kind) {
#define CASE(KIND, formula, ...)                                                                                       \
    case PH_ANGULAR_##KIND: return ph_##formula##_axes(angular, axis);
        PH_ANGULAR_SHAPES(CASE)
#undef CASE
    case PH_ANGULAR_QUADRUPOLE: {
        double t[3];
        find_moments(angular, t);
        return ph_ellipsoid_axes(t, t, axis);
    }
    case PH_ANGULAR_FORMULA: {
        const size_t *axes = ph_curve_of_angular(angular)->program.axes;
        const size_t n = axes[0] > axes[1] ? axes[0] : axes[1];
        for (size_t x = 0; x < 3; ++x)
            axis[x] = n == 1 ? 2 : x;
        return n;
    }
    default: return 0;
    }
}

double ph_angular_size(const struct ph_angular *angular)
{
    switch (angular->kind) {
#define CASE(KIND, formula, ...)                                                                                       \
    case PH_ANGULAR_##KIND: return ph_##formula##_size(angular);
        PH_ANGULAR_SHAPES(CASE)
#undef CASE
    case PH_ANGULAR_FORMULA: return ph_curve_of_angular(angular)->size;
    default: return 0.0;
    }
}

double ph_angular_depth(const struct ph_angular *angular)
{
    switch (angular->kind) {
#define CASE(KIND, formula, ...)                                                                                       \
    case PH_ANGULAR_##KIND: return ph_##formula##_depth(angular);
        PH_ANGULAR_SHAPES(CASE)
#undef CASE
    case PH_ANGULAR_FORMULA: return ph_curve_of_angular(angular)->depth;
    default: return 0.0;
    }
}

double ph_angular_end(const struct ph_angular *angular)
{
    return angular->kind == PH_ANGULAR_STICKY  ? ph_sticky_end(angular)
           : angular->kind == PH_ANGULAR_PATCH ? ph_patch_end(angular)
                                               : 0.0;
}

/* The number `smoothness` of a form that ends by itself, or NULL */
static const double *smoothness_of(const struct ph_angular *angular)
{
    return angular->kind == PH_ANGULAR_STICKY  ? &angular->number[PH_STICKY_SMOOTHNESS]
           : angular->kind == PH_ANGULAR_PATCH ? &angular->number[PH_PATCH_SMOOTHNESS]
                                               : NULL;
}

int ph_angular_smoothness(const struct ph_angular *angular)
{
    const double *smooth = smoothness_of(angular);
    return smooth ? (int)*smooth : INT_MAX;
}

size_t ph_angular_jumps(const struct ph_angular *angular, double at[4])
{
    return angular->kind == PH_ANGULAR_STICKY  ? ph_sticky_jumps(angular, at)
           : angular->kind == PH_ANGULAR_PATCH ? ph_patch_jumps(angular, at)
                                               : 0;
}

static bool quadrupole_is_possible(const double *number, size_t size, char *text)
{
    const double *t = number + PH_QUADRUPOLE_MOMENTS, sum = t[0] + t[1] + t[2];
    const double most = fmax(fabs(t[0]), fmax(fabs(t[1]), fabs(t[2])));
    if (most > 0.0 && number[PH_QUADRUPOLE_Q] != 0.0) {
        ph_snprintf(text, size, "Q and moments are both given: take one of them.");
        return false;
    }
    const double rounded = 2e-3; /* three digits */
    if (fabs(sum) > rounded * most) {
        ph_snprintf(text, size,
                    "moments are [%.9g, %.9g, %.9g], with the sum %.4g; it must be 0, to %g of the largest.", t[0],
                    t[1], t[2], sum, rounded);
        return false;
    }
    return true;
}

bool ph_angular_possible(const struct ph_angular *angular, size_t size, char *text)
{
    static const struct {
        enum ph_angular_kind kind;
        const char *low, *high;
        size_t from, to;
    } ranges[] = {{PH_ANGULAR_STICKY, "rl", "ru", PH_STICKY_RL, PH_STICKY_RU},
                  {PH_ANGULAR_STICKY, "rl_prime", "ru_prime", PH_STICKY_RL_PRIME, PH_STICKY_RU_PRIME},
                  {PH_ANGULAR_PATCH, "plateau", "range", PH_PATCH_ON, PH_PATCH_END},
                  {PH_ANGULAR_PATCH, "inner", "outer", PH_PATCH_INNER, PH_PATCH_OUTER}};
    const double *number = angular->number, *smooth = smoothness_of(angular);
    if (angular->kind == PH_ANGULAR_QUADRUPOLE)
        return quadrupole_is_possible(number, size, text);
    if (smooth && *smooth != 1.0 && *smooth != 2.0 && *smooth != 4.0 && *smooth != 6.0) {
        ph_snprintf(text, size, "smoothness is %g; it must be 1, 2, 4 or 6.", *smooth);
        return false;
    }
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; ++k)
        if (ranges[k].kind == angular->kind && !(number[ranges[k].from] < number[ranges[k].to])) {
            ph_snprintf(text, size, "%s is %g, not below %s, %g.", ranges[k].low, number[ranges[k].from],
                        ranges[k].high, number[ranges[k].to]);
            return false;
        }
    return true;
}

bool ph_angular_of_radial(const struct ph_angular *partner, const struct ph_radial *radial, struct ph_angular *out)
{
    switch (partner->kind) {
#define CASE(KIND, formula, ...)                                                                                       \
    case PH_ANGULAR_##KIND: return ph_##formula##_of_radial(partner, radial, out);
        PH_ANGULAR_SHAPES(CASE)
#undef CASE
    default: return false;
    }
}

bool ph_angular_is_multipole(const struct ph_angular *angular)
{
    switch (angular->kind) {
#define CASE(KIND, ...) case PH_ANGULAR_##KIND:
        PH_ANGULAR_MULTIPOLES(CASE)
#undef CASE
        return true;
    default: return false;
    }
}

void ph_angular_tensor(const struct ph_angular *angular, double s[4])
{
    size_t axis[3];
    double t[3];
    s[0] = s[1] = s[2] = s[3] = 0.0;
    if (angular->kind != PH_ANGULAR_QUADRUPOLE)
        return;
    find_moments(angular, t);
    const size_t n = ph_angular_axes(angular, axis);
    for (size_t x = 0; x < 3 && n == 3; ++x)
        s[x] = t[x];
    if (n == 1) {
        s[0] = 1.5 * t[axis[0]];
        s[3] = -0.5 * t[axis[0]];
    }
}

const double *ph_angular_half_axes(const struct ph_angular *angular)
{
    for (size_t k = 0; k < ph_angular_number_count; ++k)
        if (ph_angular_numbers[k].kind == angular->kind && strcmp(ph_angular_numbers[k].key, "half_axes") == 0)
            return &angular->number[ph_angular_numbers[k].place];
    return NULL;
}

double ph_angular_length(const struct ph_angular *angular)
{
    const double *half = ph_angular_half_axes(angular), size = ph_angular_size(angular);
    return half ? fmax(size, 2.0 * fmax(half[0], fmax(half[1], half[2]))) : size;
}

bool ph_angular_alike(const struct ph_angular *a, const struct ph_angular *b)
{
    bool alike = a->kind == b->kind;
    for (size_t k = 0; k < PH_ANGULAR_NUMBERS; ++k)
        alike = alike && a->number[k] == b->number[k];
    return alike;
}

bool ph_angular_combine(const struct ph_angular *one, const struct ph_angular *other, bool geometric,
                        struct ph_angular *out)
{
    *out = *one;
    if (one->kind != other->kind || (one->kind == PH_ANGULAR_FORMULA && !ph_angular_alike(one, other)))
        return false;
    for (size_t k = 0; k < ph_angular_number_count; ++k) {
        const struct ph_angular_number *number = &ph_angular_numbers[k];
        if (number->kind != one->kind || number->own)
            continue;
        const double a = one->number[number->place], b = other->number[number->place];
        if (number->rule == PH_RULE_SAME && a != b)
            return false;
        out->number[number->place] = number->rule == PH_RULE_SAME                  ? a
                                     : number->rule == PH_RULE_ENERGY || geometric ? sqrt(a * b)
                                                                                   : 0.5 * (a + b);
    }
    return true;
}

bool ph_angular_replaces(const struct ph_angular *own, const struct ph_angular_number *number)
{
    return number->kind == own->kind && !number->own && number->rule != PH_RULE_SAME;
}

void ph_angular_replace(const struct ph_angular *own, struct ph_angular *combined)
{
    for (size_t k = 0; k < ph_angular_number_count; ++k)
        if (ph_angular_replaces(own, &ph_angular_numbers[k]))
            combined->number[ph_angular_numbers[k].place] = own->number[ph_angular_numbers[k].place];
}
