/* SPDX-License-Identifier: MIT */
/* polhode list integrators: methods that are no composition of flow and kick. */
#include "cli/cli.h"

#include "dynamics/integrator.h"
#include "lab/certify/integrator.h"
#include "lab/certify/sphere.h"

#include <stdio.h>

static void print_bodies(void)
{
    enum { LONGEST = 9 };
    puts("of rigid bodies in a potential, to compare with; runs take them as dynamics.integrator:");
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        printf("\n  %-*s  %s; order %d, %s in the torque\n", LONGEST, integrator->name, integrator->summary,
               integrator->order, integrator->implicit ? "implicit" : "explicit");
        ph_cli_print_claims(LONGEST + 4, &ph_integrator_cards, &integrator->claims);
        if (integrator->not_linear) {
            char text[512];
            snprintf(text, sizeof text, "not for a linear rotor: %s", integrator->not_linear);
            ph_cli_print_wrapped(LONGEST + 4, text);
        }
        ph_cli_print_wrapped(LONGEST + 4, integrator->documentation);
        ph_cli_print_wrapped(LONGEST + 4, integrator->reference);
    }
}

static void write_bodies(struct ph_json *json)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", integrator->name);
        ph_json_string(json, "space", "bodies");
        ph_json_integer(json, "order", integrator->order);
        ph_json_bool(json, "implicit", integrator->implicit);
        ph_json_bool(json, "linear_rotors", !integrator->not_linear);
        ph_json_string(json, "summary", integrator->summary);
        ph_json_string(json, "documentation", integrator->documentation);
        ph_json_string(json, "reference", integrator->reference);
        ph_cli_write_claims(json, &ph_integrator_cards, &integrator->claims);
        ph_json_end(json);
    }
}

static void print_spheres(void)
{
    puts("on products of spheres (pinned linear rotors; 'coupled': bodies whose kinetic energy couples them):");
    for (size_t i = 0; i < ph_s2_method_count(); ++i) {
        const struct ph_s2_method *method = ph_s2_method_at(i);
        printf("\n  %s  %s; order %d, ", method->name, method->summary, method->order);
        if (method->evaluations > 0)
            printf("%d evaluation%s a step\n", method->evaluations, method->evaluations == 1 ? "" : "s");
        else
            puts("iterated");
        ph_cli_print_wrapped(4, method->documentation);
        ph_cli_print_claims(4, &ph_s2_cards, &method->claims);
        ph_cli_print_wrapped(4, method->reference);
    }
}

static void write_spheres(struct ph_json *json)
{
    for (size_t i = 0; i < ph_s2_method_count(); ++i) {
        const struct ph_s2_method *method = ph_s2_method_at(i);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", method->name);
        ph_json_string(json, "space", "spheres");
        ph_json_integer(json, "order", method->order);
        ph_json_integer(json, "evaluations", method->evaluations);
        ph_json_string(json, "summary", method->summary);
        ph_json_string(json, "documentation", method->documentation);
        ph_json_string(json, "reference", method->reference);
        ph_cli_write_claims(json, &ph_s2_cards, &method->claims);
        ph_json_end(json);
    }
}

void ph_cli_print_integrators(void)
{
    puts("integrators: methods that are no composition of drifts and kicks\n");
    print_bodies();
    putchar('\n');
    print_spheres();
}

void ph_cli_write_integrators(struct ph_json *json)
{
    ph_json_begin_array(json, "integrators");
    write_bodies(json);
    write_spheres(json);
    ph_json_end(json);
}
