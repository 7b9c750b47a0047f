/* SPDX-License-Identifier: MIT */
/* polhode list integrators: methods that are no composition of flow and kick. */
#include "cli/cli.h"

#include "lab/certify/sphere.h"

#include <string.h>

enum { CONSERVED = PH_S2_REVERSIBLE /* the properties before are conserved quantities */ };

/* "conserves a, b; reversible, symplectic" */
static void print_claims(int indent, const struct ph_s2_method *method)
{
    char text[256] = "";
    for (int i = 0; i < PH_S2_PROPERTIES; ++i) {
        const enum ph_s2_property property = (enum ph_s2_property)i;
        if (!ph_s2_claims(method, property))
            continue;
        const size_t used = strlen(text);
        const char *before = i < CONSERVED ? "conserves " : "";
        if (used > 0)
            before = i >= CONSERVED && !strchr(text, ';') ? "; " : ", ";
        snprintf(text + used, sizeof text - used, "%s%s", before, ph_s2_property_words(property));
    }
    ph_cli_print_wrapped(indent, text);
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
        print_claims(4, method);
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
        ph_json_begin_object(json, "claims");
        for (int k = 0; k < PH_S2_PROPERTIES; ++k) {
            const enum ph_s2_property property = (enum ph_s2_property)k;
            ph_json_bool(json, ph_s2_property_key(property), ph_s2_claims(method, property));
        }
        ph_json_end(json);
        ph_json_end(json);
    }
}

void ph_cli_print_integrators(void)
{
    puts("integrators: methods that are no composition of drifts and kicks\n");
    ph_cli_print_body_integrators();
    putchar('\n');
    print_spheres();
}

void ph_cli_write_integrators(struct ph_json *json)
{
    ph_json_begin_array(json, "integrators");
    ph_cli_write_body_integrators(json);
    write_spheres(json);
    ph_json_end(json);
}
