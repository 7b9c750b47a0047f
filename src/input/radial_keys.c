/* SPDX-License-Identifier: MIT */
/* Radial and angular interactions as inputs and models write them: one form, with its numbers. */
#include "input/input.h"
#include "input/radial_curves.h"

#include <string.h>

/* The number of struct ph_input_radial that a form keeps in this member of struct ph_radial */
static double *number_of(struct ph_input_radial *radial, size_t offset)
{
    return offset == offsetof(struct ph_radial, epsilon)     ? &radial->epsilon
           : offset == offsetof(struct ph_radial, sigma)     ? &radial->sigma
           : offset == offsetof(struct ph_radial, repulsive) ? &radial->repulsive
                                                             : &radial->attractive;
}

/* Sets the numbers of a table or a formula; they mean what ph_curve_radial says. */
static enum ph_status finish_curve(const char *place, const char *key, const char *file, struct ph_texts *texts,
                                   enum ph_radial_kind kind, struct ph_input_radial *radial, struct ph_error *err)
{
    const struct ph_curve *curve;
    if (kind == PH_RADIAL_TABLE && texts && texts->without_tables) {
        radial->kind[0] = '\0';
        return PH_OK;
    }
    const enum ph_status status = kind == PH_RADIAL_TABLE ? ph_input_table(place, key, file, texts, radial, &curve, err)
                                                          : ph_input_formula(place, key, radial, &curve, err);
    if (status != PH_OK)
        return status;
    if (curve->program.angular) {
        radial->kind[0] = '\0';
        radial->angular = ph_curve_angular(curve);
        return PH_OK;
    }
    const struct ph_radial found = ph_curve_radial(curve);
    radial->epsilon = found.epsilon;
    radial->sigma = found.sigma;
    radial->repulsive = found.repulsive;
    radial->attractive = found.attractive;
    return PH_OK;
}

enum ph_status ph_input_radial_finish(const char *place, const char *key, const char *file, struct ph_texts *texts,
                                      struct ph_input_radial *radial, struct ph_error *err)
{
    const struct ph_input_radial given = *radial;
    radial->angular = (struct ph_angular){.kind = PH_ANGULAR_NONE};
    const struct ph_form *form = NULL;
    for (size_t k = 0; k < PH_FORM_COUNT; ++k) {
        if (radial->line[k] == 0)
            continue;
        if (form)
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s has both %s and %s: one form is possible.", place, key,
                                form->name, ph_forms[k].name);
        form = &ph_forms[k];
    }
    radial->kind[0] = '\0';
    if (!form)
        return PH_OK;
    strcpy(radial->kind, form->name);
    if (form->kind == PH_RADIAL_TABLE || form->kind == PH_RADIAL_FORMULA)
        return finish_curve(place, key, file, texts, form->kind, radial, err);
    radial->epsilon = radial->sigma = 0.0;
    radial->repulsive = form->repulsive;
    radial->attractive = form->attractive;
    for (size_t k = 0; k < ph_form_number_count; ++k)
        if (&ph_forms[ph_form_numbers[k].form] == form) {
            struct ph_input_radial from = given;
            *number_of(radial, ph_form_numbers[k].offset) = *number_of(&from, ph_form_numbers[k].offset);
        }
    const struct ph_radial built = {form->kind, radial->epsilon, radial->sigma, radial->repulsive, radial->attractive};
    char why[128];
    return ph_radial_possible(&built, sizeof why, why)
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT, "%s: %s.%s: %s", place, key, form->name, why);
}

enum ph_status ph_input_formula_check(const char *place, const char *key, const struct ph_input_radial *radial,
                                      struct ph_error *err)
{
    char where[160];
    if (radial->angular.kind != PH_ANGULAR_FORMULA ||
        ph_curve_is_symmetric(ph_curve_of_angular(&radial->angular), sizeof where, where))
        return PH_OK;
    return ph_error_set(err, PH_ERR_INPUT,
                        "%s: %s.formula.u changes when two sites of this kind are exchanged: %s. Accepted: a formula "
                        "that stays the same with a and b exchanged and n turned into -n. The formula is '%.300s'.",
                        place, key, where, radial->formula);
}

enum ph_status ph_input_pair_finish(const char *place, const char *key, const char *file, struct ph_texts *texts,
                                    struct ph_input_pair *pair, struct ph_error *err)
{
    const enum ph_status status = ph_input_radial_finish(place, key, file, texts, &pair->radial, err);
    const char *given = pair->radial.angular.kind != PH_ANGULAR_NONE ? "formula"
                        : pair->radial.kind[0]                       ? pair->radial.kind
                                                                     : NULL;
    for (int k = 0; k < PH_ANGULAR_KINDS && status == PH_OK; ++k) {
        if (pair->angular.line[k] == 0)
            continue;
        if (given)
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s has both %s and %s: one form is possible.", place, key,
                                given, ph_angular_forms[k].name);
        given = ph_angular_forms[k].name;
        pair->radial.angular.kind = (enum ph_angular_kind)k;
        memcpy(pair->radial.angular.number, pair->angular.number[k], sizeof pair->radial.angular.number);
    }
    return status;
}

enum ph_status ph_input_angular_finish(const char *place, const char *key, const struct ph_input_radial *radial,
                                       struct ph_input_angular *angular, struct ph_error *err)
{
    angular->kind = PH_ANGULAR_NONE;
    for (int k = 0; k < PH_ANGULAR_KINDS; ++k) {
        if (angular->line[k] == 0)
            continue;
        if (angular->kind != PH_ANGULAR_NONE)
            return ph_error_set(err, PH_ERR_INPUT, "%s: %s has both %s and %s: one angular form is possible.", place,
                                key, ph_angular_forms[angular->kind].name, ph_angular_forms[k].name);
        angular->kind = (enum ph_angular_kind)k;
    }
    if (radial->angular.kind != PH_ANGULAR_NONE) {
        if (angular->kind != PH_ANGULAR_NONE)
            return ph_error_set(err, PH_ERR_INPUT,
                                "%s: %s has %s and a formula with axes: one angular form is possible.", place, key,
                                ph_angular_forms[angular->kind].name);
        angular->kind = radial->angular.kind;
        memcpy(angular->number[angular->kind], radial->angular.number, sizeof radial->angular.number);
        return ph_input_formula_check(place, key, radial, err);
    }
    struct ph_angular built = {.kind = angular->kind};
    memcpy(built.number, angular->number[angular->kind], sizeof built.number);
    char why[160];
    return ph_angular_possible(&built, sizeof why, why)
               ? PH_OK
               : ph_error_set(err, PH_ERR_INPUT, "%s: %s.%s: %s", place, key, ph_angular_forms[built.kind].name, why);
}
