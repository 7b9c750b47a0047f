/* SPDX-License-Identifier: MIT */
/* What the steps of a program depend on */
#include "potential/curves/program.h"

static bool is_of_two(enum ph_operation operation)
{
    return operation == PH_DO_ADD || operation == PH_DO_SUBTRACT || operation == PH_DO_MULTIPLY;
}

/* Leaves out steps that are no part of u, such as r^3 where only 1/r^3 counts. The last step is u. */
static void drop_unused(struct ph_program *program)
{
    bool used[PH_PROGRAM_STEPS] = {false};
    size_t place[PH_PROGRAM_STEPS] = {0}, n = 0;
    used[program->n - 1] = true;
    for (size_t k = program->n; k-- > 0;) {
        const struct ph_program_step *step = &program->step[k];
        if (!used[k] || step->operation == PH_DO_LOAD)
            continue;
        used[step->a] = true;
        if (is_of_two(step->operation))
            used[step->b] = true;
    }
    for (size_t k = 0; k < program->n; ++k) {
        struct ph_program_step step = program->step[k];
        if (!used[k])
            continue;
        if (step.operation != PH_DO_LOAD)
            step.a = place[step.a];
        if (is_of_two(step.operation))
            step.b = place[step.b];
        place[k] = n;
        program->step[n++] = step;
    }
    program->n = n;
}

/* Finds which variables the program has. Returns false if r is none of them. */
static bool find_variables(struct ph_program *program)
{
    bool there[PH_VARIABLES] = {false};
    for (size_t k = 0; k < program->n; ++k)
        if (program->step[k].operation == PH_DO_LOAD) {
            there[program->step[k].a] = true;
            program->load[program->n_loads++] = k;
        }
    for (size_t x = 0; x < 3; ++x) {
        bool used[2] = {there[PH_VARIABLE_A + x], there[PH_VARIABLE_B + x]};
        for (size_t y = 0; y < 3; ++y) {
            used[0] = used[0] || there[ph_variable_ab(x, y)];
            used[1] = used[1] || there[ph_variable_ab(y, x)];
        }
        for (int side = 0; side < 2; ++side)
            if (used[side]) {
                program->angular = true;
                program->axes[side] = x == 2 && program->axes[side] == 0 ? 1 : 3;
            }
    }
    return there[PH_VARIABLE_R];
}

bool ph_program_complete(struct ph_program *program)
{
    drop_unused(program);
    return find_variables(program);
}

struct ph_program ph_program_exchanged(const struct ph_program *program)
{
    struct ph_program out = *program;
    out.axes[0] = program->axes[1];
    out.axes[1] = program->axes[0];
    for (size_t k = 0; k < program->n; ++k) {
        struct ph_program_step *step = &out.step[k];
        const size_t was = step->a;
        if (step->operation != PH_DO_LOAD || was == PH_VARIABLE_R)
            continue;
        if (was >= PH_VARIABLE_AB) {
            step->a = ph_variable_ab((was - PH_VARIABLE_AB) % 3, (was - PH_VARIABLE_AB) / 3);
            continue;
        }
        step->a = was >= PH_VARIABLE_B ? was - PH_VARIABLE_B + PH_VARIABLE_A : was - PH_VARIABLE_A + PH_VARIABLE_B;
        step->c = -step->c;
    }
    return out;
}
