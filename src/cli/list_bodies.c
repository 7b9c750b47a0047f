/* SPDX-License-Identifier: MIT */
/* The part of `polhode list` that shows one-step integrators of rigid bodies. */
#include "cli/cli.h"

#include "dynamics/integrator.h"

#include <string.h>

/* What an integrator claims, as words and as keys */
static const struct {
    const char *key, *words;
    size_t offset;
} integrator_claims[] = {
    {"reversible", "reversible", offsetof(struct ph_integrator_claims, reversible)},
    {"symplectic", "symplectic", offsetof(struct ph_integrator_claims, symplectic)},
    {"free_symplectic", "symplectic for a free body", offsetof(struct ph_integrator_claims, free_symplectic)},
    {"free_momentum", "conserves the angular momentum of a free body",
     offsetof(struct ph_integrator_claims, free_momentum)},
    {"free_energy", "conserves the energy of a free body", offsetof(struct ph_integrator_claims, free_energy)},
    {"axis_momentum", "conserves angular momentum along an axis of symmetry",
     offsetof(struct ph_integrator_claims, axis_momentum)},
    {"top_energy", "conserves the energy of a heavy top", offsetof(struct ph_integrator_claims, top_energy)},
};
enum { N_INTEGRATOR_CLAIMS = sizeof integrator_claims / sizeof integrator_claims[0] };

static bool integrator_claims_it(const struct ph_integrator *integrator, size_t claim)
{
    bool claimed;
    memcpy(&claimed, (const char *)&integrator->claims + integrator_claims[claim].offset, sizeof claimed);
    return claimed;
}

void ph_cli_print_body_integrators(void)
{
    enum { LONGEST = 9 };
    puts("of rigid bodies in a potential, to compare with; runs take them as dynamics.integrator:");
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        printf("\n  %-*s  %s; order %d, %s in the torque\n", LONGEST, integrator->name, integrator->summary,
               integrator->order, integrator->implicit ? "implicit" : "explicit");
        char text[512] = "";
        for (size_t c = 0; c < N_INTEGRATOR_CLAIMS; ++c)
            if (integrator_claims_it(integrator, c)) {
                const size_t used = strlen(text);
                snprintf(text + used, sizeof text - used, "%s%s", used > 0 ? ", " : "", integrator_claims[c].words);
            }
        ph_cli_print_wrapped(LONGEST + 4, text[0] ? text : "claims nothing");
        if (integrator->not_linear) {
            snprintf(text, sizeof text, "not for a linear rotor: %s", integrator->not_linear);
            ph_cli_print_wrapped(LONGEST + 4, text);
        }
        ph_cli_print_wrapped(LONGEST + 4, integrator->documentation);
        ph_cli_print_wrapped(LONGEST + 4, integrator->reference);
    }
}

void ph_cli_write_body_integrators(struct ph_json *json)
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
        ph_json_begin_object(json, "claims");
        for (size_t c = 0; c < N_INTEGRATOR_CLAIMS; ++c)
            ph_json_bool(json, integrator_claims[c].key, integrator_claims_it(integrator, c));
        ph_json_end(json);
        ph_json_end(json);
    }
}
