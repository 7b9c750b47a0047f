/* SPDX-License-Identifier: MIT */
/* polhode list integrators: methods that are no composition of flow and kick. */
#include "cli/cli.h"

#include "dynamics/integrators/integrator.h"
#include "lab/certify/integrator.h"
#include "lab/certify/sphere.h"

#include <stdio.h>

static void say_bodies(struct ph_json *json)
{
    enum { LONGEST = 9 };
    ph_json_say(json, "of rigid bodies in a potential, to compare with; runs take them as dynamics.integrator:\n");
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
        ph_json_say(json, "\n  %-*s  %s; order %d, %s in the torque\n", LONGEST, integrator->name, integrator->summary,
                    integrator->order, integrator->implicit ? "implicit" : "explicit");
        ph_cli_say_claims(json, LONGEST + 4, &ph_integrator_cards, &integrator->claims);
        if (integrator->not_linear) {
            char text[512];
            snprintf(text, sizeof text, "not for a linear rotor: %s", integrator->not_linear);
            ph_cli_say_wrapped(json, LONGEST + 4, text);
        }
        ph_cli_say_wrapped(json, LONGEST + 4, integrator->documentation);
        ph_cli_say_wrapped(json, LONGEST + 4, integrator->reference);
        ph_json_end(json);
    }
}

static void say_spheres(struct ph_json *json)
{
    ph_json_say(json, "on products of spheres (pinned linear rotors; 'coupled': bodies whose kinetic energy couples "
                      "them):\n");
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
        ph_json_say(json, "\n  %s  %s; order %d, ", method->name, method->summary, method->order);
        if (method->evaluations > 0)
            ph_json_say(json, "%d evaluation%s a step\n", method->evaluations, method->evaluations == 1 ? "" : "s");
        else
            ph_json_say(json, "iterated\n");
        ph_cli_say_wrapped(json, 4, method->documentation);
        ph_cli_say_claims(json, 4, &ph_s2_cards, &method->claims);
        ph_cli_say_wrapped(json, 4, method->reference);
        ph_json_end(json);
    }
}

void ph_cli_say_integrators(struct ph_json *json)
{
    ph_json_say(json, "integrators: methods that are no composition of drifts and kicks\n\n");
    ph_json_begin_array(json, "integrators");
    say_bodies(json);
    ph_json_say(json, "\n");
    say_spheres(json);
    ph_json_end(json);
}
