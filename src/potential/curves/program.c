/* SPDX-License-Identifier: MIT */
#include "potential/curves/program.h"

#include "base/library.h"
#include "base/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 64, LARGEST_POWER = 1000 };

static const struct {
    const char *name;
    enum ph_operation operation;
} functions[] = {
#define PH_FUNCTION(operation, name) {name, PH_DO_##operation},
    PH_PROGRAM_FUNCTIONS(PH_FUNCTION)
#undef PH_FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Functions that other programs have, but whose derivatives jump */
static const char *const rough[] = {"abs", "fabs", "min", "max", "floor", "ceil", "step", "sign", "if"};

/* A part of a formula: a number, or the result of a step */
struct part {
    bool is_number;
    double number;
    size_t step;
};

struct compiler {
    const char *text;
    size_t at, depth;
    size_t n_constants;
    struct ph_program_constant *constants;
    struct ph_program *program;
    struct ph_program_fault *fault;
    bool failed;
};

/* Keeps the first fault. */
static __attribute__((format(printf, 3, 4))) struct part fail(struct compiler *c, size_t at, const char *format, ...)
{
    if (!c->failed) {
        va_list arguments;
        va_start(arguments, format);
        ph_vsnprintf(c->fault->text, sizeof c->fault->text, format, arguments);
        va_end(arguments);
        c->fault->column = at + 1;
    }
    c->failed = true;
    return (struct part){.is_number = true, .number = 1.0};
}

/* ---- Steps ---- */

static struct part number(struct compiler *c, size_t at, double value)
{
    if (!isfinite(value))
        return fail(c, at, "this part is not a finite number.");
    return (struct part){.is_number = true, .number = value};
}

/* An earlier step that is the same, or a new one */
static struct part emit(struct compiler *c, size_t at, struct ph_program_step step)
{
    struct ph_program *program = c->program;
    for (size_t k = 0; k < program->n; ++k) {
        const struct ph_program_step *known = &program->step[k];
        if (known->operation == step.operation && known->a == step.a && known->b == step.b &&
            known->power == step.power && known->c == step.c)
            return (struct part){.step = k};
    }
    if (program->n == PH_PROGRAM_STEPS)
        return fail(c, at, "the formula is too long: it needs more than %d operations.", PH_PROGRAM_STEPS);
    program->step[program->n] = step;
    return (struct part){.step = program->n++};
}

static struct part call(struct compiler *c, size_t at, enum ph_operation operation, struct part a)
{
    const struct ph_jet of = {a.number, 0.0, 0.0};
    return a.is_number ? number(c, at, ph_program_do(operation, 0.0, of, of, 0.0, 0.0).value)
                       : emit(c, at, (struct ph_program_step){.operation = operation, .a = a.step});
}

static bool is_r(const struct compiler *c, size_t step)
{
    return c->program->step[step].operation == PH_DO_LOAD && c->program->step[step].a == PH_VARIABLE_R;
}

/* n if a part is r^n, else 0 */
static int power_of_r(const struct compiler *c, struct part a)
{
    const struct ph_program_step *step = a.is_number ? NULL : &c->program->step[a.step];
    if (!step)
        return 0;
    if (is_r(c, a.step))
        return 1;
    if (step->operation == PH_DO_MULTIPLY && step->a == step->b && is_r(c, step->a))
        return 2;
    return step->operation == PH_DO_POWER && is_r(c, step->a) ? step->power : 0;
}

static struct part whole_power(struct compiler *c, size_t at, struct part a, int power);

/* 1/r^n is a power of 1/r, which loops over pairs have at hand: a division less */
static struct part invert(struct compiler *c, size_t at, struct part a)
{
    const int power = power_of_r(c, a);
    if (power == 0)
        return call(c, at, PH_DO_INVERT, a);
    const struct part r = emit(c, at, (struct ph_program_step){.operation = PH_DO_LOAD, .a = PH_VARIABLE_R, .c = 1.0});
    return whole_power(c, at, call(c, at, PH_DO_INVERSE, r), power);
}

static struct part scale(struct compiler *c, size_t at, double factor, struct part a)
{
    if (a.is_number)
        return number(c, at, factor * a.number);
    return factor == 1.0 ? a
                         : emit(c, at, (struct ph_program_step){.operation = PH_DO_SCALE, .a = a.step, .c = factor});
}

static struct part shift(struct compiler *c, size_t at, double by, struct part a)
{
    return by == 0.0 ? a : emit(c, at, (struct ph_program_step){.operation = PH_DO_SHIFT, .a = a.step, .c = by});
}

static struct part of_two(struct compiler *c, size_t at, enum ph_operation operation, struct part a, struct part b)
{
    const bool swap = operation != PH_DO_SUBTRACT && b.step < a.step; /* a + b and b + a are one step */
    return emit(
        c, at,
        (struct ph_program_step){.operation = operation, .a = swap ? b.step : a.step, .b = swap ? a.step : b.step});
}

static struct part add(struct compiler *c, size_t at, struct part a, struct part b)
{
    if (a.is_number)
        return b.is_number ? number(c, at, a.number + b.number) : shift(c, at, a.number, b);
    return b.is_number ? shift(c, at, b.number, a) : of_two(c, at, PH_DO_ADD, a, b);
}

static struct part subtract(struct compiler *c, size_t at, struct part a, struct part b)
{
    if (a.is_number || b.is_number)
        return add(c, at, a, scale(c, at, -1.0, b));
    return of_two(c, at, PH_DO_SUBTRACT, a, b);
}

static struct part multiply(struct compiler *c, size_t at, struct part a, struct part b)
{
    if (a.is_number)
        return scale(c, at, a.number, b);
    return b.is_number ? scale(c, at, b.number, a) : of_two(c, at, PH_DO_MULTIPLY, a, b);
}

static struct part divide(struct compiler *c, size_t at, struct part a, struct part b)
{
    if (b.is_number)
        return a.is_number ? number(c, at, a.number / b.number) : scale(c, at, number(c, at, 1.0 / b.number).number, a);
    return multiply(c, at, a, invert(c, at, b));
}

static struct part whole_power(struct compiler *c, size_t at, struct part a, int power)
{
    if (power < 0)
        return whole_power(c, at, invert(c, at, a), -power);
    if (power == 0)
        return number(c, at, 1.0);
    if (power == 1)
        return a;
    return power == 2 ? of_two(c, at, PH_DO_MULTIPLY, a, a)
                      : emit(c, at, (struct ph_program_step){.operation = PH_DO_POWER, .a = a.step, .power = power});
}

static struct part raise(struct compiler *c, size_t at, struct part a, struct part b)
{
    if (a.is_number && b.is_number)
        return number(c, at, ph_library_pow(a.number, b.number));
    if (!b.is_number)
        return call(c, at, PH_DO_EXP, multiply(c, at, b, call(c, at, PH_DO_LOG, a)));
    if (b.number == 0.5)
        return call(c, at, PH_DO_SQRT, a);
    if (b.number == floor(b.number) && fabs(b.number) <= LARGEST_POWER)
        return whole_power(c, at, a, (int)b.number);
    return emit(c, at, (struct ph_program_step){.operation = PH_DO_REAL, .a = a.step, .c = b.number});
}

/* ---- Reading ---- */

static char next(struct compiler *c)
{
    c->at += strspn(c->text + c->at, " \t\n");
    return c->text[c->at];
}

static bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

static bool is_letter(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}

static struct part read_sum(struct compiler *c);
static struct part read_sign(struct compiler *c);

static struct part read_number(struct compiler *c)
{
    static const char digits[] = "0123456789";
    const size_t at = c->at;
    size_t end = at + strspn(c->text + at, digits), n_digits = end - at;
    if (c->text[end] == '.') {
        const size_t fraction = strspn(c->text + end + 1, digits);
        n_digits += fraction;
        end += 1 + fraction;
    }
    if (n_digits > 0 && (c->text[end] == 'e' || c->text[end] == 'E')) {
        const size_t sign = c->text[end + 1] == '+' || c->text[end + 1] == '-' ? 1 : 0;
        const size_t exponent = strspn(c->text + end + 1 + sign, digits);
        end += exponent > 0 ? 1 + sign + exponent : 0;
    }
    char text[64];
    const size_t length = end - at;
    if (n_digits == 0 || length >= sizeof text || is_letter(c->text[end]) || c->text[end] == '.')
        return fail(c, at, "this is not a number; a product is written with '*'.");
    memcpy(text, c->text + at, length);
    text[length] = '\0';
    c->at = end;
    return number(c, at, ph_strtod(text, NULL));
}

static struct part read_parenthesis(struct compiler *c)
{
    const size_t at = c->at++;
    if (c->depth >= DEEPEST)
        return fail(c, at, "more than %d parentheses are open here.", DEEPEST);
    ++c->depth;
    const struct part inside = read_sum(c);
    --c->depth;
    if (next(c) != ')')
        return fail(c, c->at,
                    c->text[c->at] ? "an operator or ')' is expected here, to close the '(' in column %zu."
                                   : "the formula ends, but the '(' in column %zu is open.",
                    at + 1);
    ++c->at;
    return inside;
}

/* ---- Names ---- */

/* An axis of a site, or n */
struct vector {
    int side; /* 0: n, 1: a, 2: b */
    size_t axis;
};

/* Reads a, a1 .. b3 or n from `length` letters. Returns false if they are something else. */
static bool find_vector(const char *name, size_t length, struct vector *out)
{
    static const char sides[] = "nab";
    const char *side = length > 0 ? strchr(sides, name[0]) : NULL;
    const bool numbered = length == 2 && name[1] >= '1' && name[1] <= '3';
    if (!side || *side == '\0' || (length != 1 && (*side == 'n' || !numbered)))
        return false;
    *out = (struct vector){(int)(side - sides), numbered ? (size_t)(name[1] - '1') : 2};
    return true;
}

/* The product of two vectors, of which the first one has been read, as is the dot */
static struct part read_product(struct compiler *c, size_t at, struct vector one)
{
    const size_t begin = c->at;
    struct vector other;
    while (is_letter(c->text[c->at]) || is_digit(c->text[c->at]))
        ++c->at;
    if (!find_vector(c->text + begin, c->at - begin, &other))
        return fail(c, begin, "after the dot one of n, a, a1, a2, a3, b, b1, b2, b3 is expected.");
    if (one.side == other.side)
        return fail(c, at,
                    "this product of vectors of one site is constant. Accepted: products with n, and of an axis of the "
                    "first site with one of the second, as in a.n, b2.n, a1.b3.");
    const bool swap = one.side == 0 || (one.side == 2 && other.side == 1);
    const struct vector first = swap ? other : one, second = swap ? one : other;
    const size_t variable = second.side == 2  ? ph_variable_ab(first.axis, second.axis)
                            : first.side == 1 ? PH_VARIABLE_A + first.axis
                                              : PH_VARIABLE_B + first.axis;
    return emit(c, at, (struct ph_program_step){.operation = PH_DO_LOAD, .a = variable, .c = 1.0});
}

static struct part unknown(struct compiler *c, size_t at, const char *name)
{
    char known[160] = "r, a.n, b.n, a.b, a1.n .. b3.n, a1.b1 .. a3.b3";
    struct vector vector;
    for (size_t k = 0; k < sizeof rough / sizeof *rough; ++k)
        if (strcmp(rough[k], name) == 0)
            return fail(c, at, "%s is not possible: its derivatives jump. Accepted: exp, log, sqrt, sin, cos, tanh.",
                        name);
    for (size_t k = 0; k < c->n_constants; ++k) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", c->constants[k].name);
    }
    if (find_vector(name, strlen(name), &vector))
        return fail(c, at, "%s is an axis, which counts by products such as a.n, b.n, a.b.", name);
    return next(c) == '(' ? fail(c, at, "there is no function %s. Accepted: exp, log, sqrt, sin, cos, tanh.", name)
                          : fail(c, at, "%s is neither a variable nor a constant. Known: %s.", name, known);
}

static struct part read_name(struct compiler *c)
{
    const size_t at = c->at;
    size_t length = 0;
    while (is_letter(c->text[at + length]) || is_digit(c->text[at + length]))
        ++length;
    char name[PH_PROGRAM_NAME];
    if (length >= sizeof name)
        return fail(c, at, "this name is longer than %d letters.", PH_PROGRAM_NAME - 1);
    memcpy(name, c->text + at, length);
    name[length] = '\0';
    c->at += length;
    if (strcmp(name, "r") == 0)
        return emit(c, at, (struct ph_program_step){.operation = PH_DO_LOAD, .a = PH_VARIABLE_R, .c = 1.0});
    struct vector vector;
    if (c->text[c->at] == '.' && find_vector(name, length, &vector)) {
        ++c->at;
        return read_product(c, at, vector);
    }
    for (size_t k = 0; k < c->n_constants; ++k)
        if (strcmp(c->constants[k].name, name) == 0) {
            c->constants[k].used = true;
            return number(c, at, c->constants[k].value);
        }
    for (size_t k = 0; k < FUNCTIONS; ++k)
        if (strcmp(functions[k].name, name) == 0) {
            if (next(c) != '(')
                return fail(c, c->at, "'(' is expected here: %s is a function.", name);
            return call(c, at, functions[k].operation, read_parenthesis(c));
        }
    return unknown(c, at, name);
}

static struct part read_atom(struct compiler *c)
{
    const char letter = next(c);
    if (c->failed)
        return (struct part){.is_number = true};
    if (letter == '(')
        return read_parenthesis(c);
    if (is_digit(letter) || letter == '.')
        return read_number(c);
    if (is_letter(letter))
        return read_name(c);
    return fail(c, c->at,
                letter == '\0' ? "the formula ends where a number, a name or '(' is expected."
                               : "a number, a name or '(' is expected here.");
}

static struct part read_power(struct compiler *c)
{
    const struct part base = read_atom(c);
    if (c->failed || next(c) != '^')
        return base;
    const size_t at = c->at++;
    return raise(c, at, base, read_sign(c)); /* from the right: a^b^c is a^(b^c) */
}

static struct part read_sign(struct compiler *c)
{
    const char sign = next(c);
    if (sign != '-' && sign != '+')
        return read_power(c);
    const size_t at = c->at++;
    if (++c->depth > DEEPEST)
        return fail(c, at, "more than %d signs follow each other.", DEEPEST);
    const struct part a = read_sign(c);
    --c->depth;
    return sign == '-' ? scale(c, at, -1.0, a) : a;
}

static struct part read_term(struct compiler *c)
{
    struct part product = read_sign(c);
    for (char sign = next(c); !c->failed && (sign == '*' || sign == '/'); sign = next(c)) {
        const size_t at = c->at++;
        if (c->text[c->at] == '*')
            return fail(c, at, "a power is written with '^'.");
        const struct part b = read_sign(c);
        product = sign == '*' ? multiply(c, at, product, b) : divide(c, at, product, b);
    }
    return product;
}

static struct part read_sum(struct compiler *c)
{
    struct part sum = read_term(c);
    for (char sign = next(c); !c->failed && (sign == '+' || sign == '-'); sign = next(c)) {
        const size_t at = c->at++;
        const struct part b = read_term(c);
        sum = sign == '+' ? add(c, at, sum, b) : subtract(c, at, sum, b);
    }
    return sum;
}

bool ph_program_knows(const char *name)
{
    bool known = strcmp(name, "r") == 0;
    for (size_t k = 0; k < FUNCTIONS; ++k)
        known = known || strcmp(functions[k].name, name) == 0;
    return known;
}

bool ph_program_compile(const char *formula, size_t n_constants, struct ph_program_constant constants[],
                        struct ph_program *program, struct ph_program_fault *fault)
{
    struct compiler c = {
        .text = formula, .n_constants = n_constants, .constants = constants, .program = program, .fault = fault};
    *program = (struct ph_program){.n = 0};
    for (size_t k = 0; k < n_constants; ++k)
        constants[k].used = false;
    const struct part u = read_sum(&c);
    if (!c.failed && next(&c) != '\0')
        fail(&c, c.at, c.text[c.at] == ')' ? "this ')' has no '('." : "an operator is expected here: +, -, *, / or ^.");
    if (!c.failed && u.is_number)
        fail(&c, 0, "the formula has no r in it.");
    if (c.failed)
        return false;
    program->n = u.step + 1; /* steps after it are no part of u, as in r^0 + r */
    if (!ph_program_complete(program))
        fail(&c, 0, "the formula has no r in it.");
    return !c.failed;
}
