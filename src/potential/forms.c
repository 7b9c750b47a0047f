/* SPDX-License-Identifier: MIT */
#include "potential/forms.h"

#include "base/plain.h"
#include "potential/curves/curve.h"
#include "potential/formulas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTHING(...)

#define FORM(p, t, NAME, name, title, KIND, repulsive, attractive, formula)                                            \
    [PH_FORM_##NAME] = {name, title, formula, PH_RADIAL_##KIND, repulsive, attractive},
const struct ph_form ph_forms[PH_FORM_COUNT] = {PH_FORM_NAMES(FORM, NOTHING, NOTHING, , )};

#define NUMBER(p, t, NAME, name, member, key, high, above, rule, help)                                                 \
    {PH_FORM_##NAME, key, help, offsetof(struct ph_radial, member), PH_RULE_##rule},
const struct ph_form_number ph_form_numbers[] = {PH_FORM_NAMES(NOTHING, NUMBER, NOTHING, , )};
const size_t ph_form_number_count = sizeof ph_form_numbers / sizeof *ph_form_numbers;

#define TEXT(p, t, NAME, name, member, key, help) {PH_FORM_##NAME, key, help},
const struct ph_form_text ph_form_texts[] = {PH_FORM_NAMES(NOTHING, NOTHING, TEXT, , )};
const size_t ph_form_text_count = sizeof ph_form_texts / sizeof *ph_form_texts;

static double number_at(const struct ph_radial *radial, size_t offset)
{
    double value;
    memcpy(&value, (const char *)radial + offset, sizeof value);
    return value;
}

const struct ph_form *ph_form_of(const struct ph_radial *radial)
{
    for (size_t k = 0; k < PH_FORM_COUNT; ++k) {
        const struct ph_form *form = &ph_forms[k];
        const bool fixed = form->repulsive != 0.0;
        if (form->kind == radial->kind &&
            (!fixed || radial->kind == PH_RADIAL_WCA ||
             (form->repulsive == radial->repulsive && form->attractive == radial->attractive)))
            return form;
    }
    return NULL;
}

void ph_radial_describe(const struct ph_radial *radial, size_t size, char *text)
{
    const struct ph_form *form = ph_form_of(radial);
    snprintf(text, size, "%s", form ? form->title : "none");
    for (size_t k = 0; k < ph_form_number_count && form; ++k) {
        const struct ph_form_number *number = &ph_form_numbers[k];
        const size_t used = strlen(text);
        if (&ph_forms[number->form] == form && used < size)
            ph_snprintf(text + used, size - used, ", %s %.10g", number->key, number_at(radial, number->offset));
    }
    const struct ph_curve *curve = ph_curve_of(radial);
    const size_t used = strlen(text);
    if (curve && used < size)
        snprintf(text + used, size - used, " %s", curve->about);
}

/* One of the columns of the list */
#define COLUMN(name, of_none, column)                                                                                  \
    double name(const struct ph_radial *radial)                                                                        \
    {                                                                                                                  \
        return PH_FORMS_IN_LOOPS(column) PH_FORMS_ALONE(column) PH_FORMS_OF_CURVES(column) of_none;                    \
    }
#define DECAY(KIND, formula, decay, end, wall, size, depth) radial->kind == PH_RADIAL_##KIND ? (decay):
#define END(KIND, formula, decay, end, wall, size, depth) radial->kind == PH_RADIAL_##KIND ? (end):
#define WALL(KIND, formula, decay, end, wall, size, depth) radial->kind == PH_RADIAL_##KIND ? (wall):
#define SIZE(KIND, formula, decay, end, wall, size, depth) radial->kind == PH_RADIAL_##KIND ? (size):
#define DEPTH(KIND, formula, decay, end, wall, size, depth) radial->kind == PH_RADIAL_##KIND ? (depth):

COLUMN(ph_radial_decay, (double)INFINITY, DECAY)
COLUMN(ph_radial_end, 0.0, END)
COLUMN(ph_radial_wall, 0.0, WALL)
COLUMN(ph_radial_size, 0.0, SIZE)
COLUMN(ph_radial_depth, 0.0, DEPTH)

bool ph_radial_possible(const struct ph_radial *radial, size_t size, char *text)
{
    if (radial->kind == PH_RADIAL_NONE || radial->epsilon == 0.0 || !isnan(ph_radial_wall(radial)))
        return true;
    if (radial->kind == PH_RADIAL_MIE)
        ph_snprintf(text, size, "the repulsive exponent %g must be larger than the attractive one, %g.",
                    radial->repulsive, radial->attractive);
    else
        snprintf(text, size, "with these numbers nothing keeps two sites apart: the energy has no repulsive wall.");
    return false;
}

/* How this number of a form combines; numbers that the form does not have agree, as they are 0 */
static enum ph_form_rule rule_of(enum ph_radial_kind kind, size_t offset)
{
    for (size_t k = 0; k < ph_form_number_count; ++k)
        if (ph_forms[ph_form_numbers[k].form].kind == kind && ph_form_numbers[k].offset == offset)
            return ph_form_numbers[k].rule;
    return PH_RULE_SAME;
}

bool ph_radial_combine(const struct ph_radial *one, const struct ph_radial *other, bool geometric,
                       struct ph_radial *out)
{
    static const size_t members[] = {offsetof(struct ph_radial, epsilon), offsetof(struct ph_radial, sigma),
                                     offsetof(struct ph_radial, repulsive), offsetof(struct ph_radial, attractive)};
    *out = *one;
    if (one->kind != other->kind)
        return false;
    for (size_t k = 0; k < sizeof members / sizeof *members; ++k) {
        const double a = number_at(one, members[k]), b = number_at(other, members[k]);
        const enum ph_form_rule rule = rule_of(one->kind, members[k]);
        const double value = rule == PH_RULE_SAME                  ? a
                             : rule == PH_RULE_ENERGY || geometric ? sqrt(a * b)
                                                                   : 0.5 * (a + b);
        if (rule == PH_RULE_SAME && a != b)
            return false;
        memcpy((char *)out + members[k], &value, sizeof value);
    }
    return true;
}
