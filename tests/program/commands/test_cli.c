/* SPDX-License-Identifier: MIT */
#include "program/support/program.h"

#include "dynamics/integrators/integrator.h"
#include "dynamics/schemes/scheme.h"
#include "rigid/flow.h"

#include <math.h>

static void assert_prints(const char *line, const char *word)
{
    const struct program *p = run_program(line);
    if (p->status != 0 || p->err[0] || !strstr(p->out, word))
        fail_msg("polhode %s: status 0 and '%s' expected, got %d, '%s', '%s'", line, word, p->status, p->out, p->err);
}

static void help_and_version_are_results(void **state)
{
    assert_prints("--version", "polhode 0.");
    static const char *const lines[] = {"--help", "-h", "help"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        assert_prints(lines[i], "Usage: polhode COMMAND");
    assert_prints("help flow", "Usage: polhode flow ");
    assert_prints("flow --help", "--inertia=I1,I2,I3");
    assert_prints("help list", "Usage: polhode list ");
}

static void unknown_commands_are_refused_with_the_nearest_name(void **state)
{
    assert_usage_error("flwo --time 1", "polhode: ", "'flwo'", "Did you mean 'flow'?");
    assert_usage_error("help lits", "polhode: ", "'lits'", "Did you mean 'list'?");
    assert_usage_error("thermodynamics", "polhode: ", "'thermodynamics'. Accepted: ", "flow");
    const struct program *p = run_program("");
    assert_int_equal(p->status, 2);
    assert_string_equal(p->out, "");
    assert_non_null(strstr(p->err, "Usage: polhode COMMAND"));
}

/* The list is the registry: every flow, with its own words. */
static void list_has_every_flow_of_the_registry(void **state)
{
    const struct program *p = run_well("list flows --json");
    assert_string_equal(p->err, "");
    const char *at = p->out;
    for (size_t i = 0; i < ph_flow_count(); ++i) {
        const struct ph_flow *flow = ph_flow_at(i);
        at = json_at(at, "name"); /* in the registry's order */
        assert_json_string(at - strlen("\"name\": "), "name", flow->name);
        assert_json_string(at, "summary", flow->summary);
        assert_json_string(at, "reference", flow->reference);
        assert_true((int)json_number(at, "order") == flow->order);
        assert_true((strncmp(json_at(at, "claims.symplectic"), "true", 4) == 0) == flow->claims.symplectic);
        assert_true((strncmp(json_at(at, "claims.conserves_energy"), "true", 4) == 0) == flow->claims.conserves_energy);
        assert_true((strncmp(json_at(at, "claims.reversible"), "true", 4) == 0) == flow->claims.reversible);
    }
    assert_null(strstr(at, "\"name\""));

    p = run_program("list");
    for (size_t i = 0; i < ph_flow_count(); ++i)
        assert_non_null(strstr(p->out, ph_flow_at(i)->summary));
}

static void list_has_every_scheme_of_the_registry(void **state)
{
    const struct program *p = run_well("list schemes --json");
    assert_string_equal(p->err, "");
    const char *at = p->out;
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        at = json_at(at, "name");
        assert_json_string(at - strlen("\"name\": "), "name", scheme->name);
        assert_json_string(at, "reference", scheme->reference);
        assert_json_string(at, "kind", ph_scheme_kind_name(scheme->kind));
        assert_true((int)json_number(at, "order") == scheme->order);
        assert_true((int)json_number(at, "evaluations") == ph_scheme_evaluations(scheme));
        assert_true((int)json_number(at, "gradients") == ph_scheme_gradients(scheme));
        assert_true((int)json_number(at, "digits") == scheme->digits);
        assert_true((strncmp(json_at(at, "kick_first"), "true", 4) == 0) == ph_scheme_kick_first(scheme));
    }
    assert_null(strstr(at, "\"name\""));

    p = run_program("list schemes");
    for (size_t i = 0; i < ph_scheme_count(); ++i)
        assert_non_null(strstr(p->out, ph_scheme_at(i)->summary));
    assert_prints("list schemes", "order 4, 2 evaluations and 1 gradient a step, kick first");
}

static void unknown_kinds_are_refused_with_the_accepted_ones(void **state)
{
    assert_usage_error("list flow", "polhode list: ", "Did you mean 'flows'?", "Accepted: flows");
    assert_usage_error("list forms", "polhode list: ", "no kind named 'forms'",
                       "Accepted: flows, schemes, integrators, thermostats, barostats, backends, potentials, models");
    assert_prints("list potentials", "A exp(-r/rho) - C/r^6");
    assert_prints("list potentials --json", "\"unlike_sites\": \"must agree\"");
    assert_prints("list models", "spc-e");
    assert_prints("list thermostats", "nose-poincare");
    assert_prints("list barostats --json", "\"name\": \"cell-rescaling\"");
    assert_prints("list integrators", "rattle-s2");
    assert_prints("list integrators --json", "\"symplectic_coupled\": true");
    assert_prints("list models --json", "\"name\": \"dipolar-soft-sphere\"");
    assert_usage_error("list flows flows", "polhode list: ", "one kind", "flows");
}

static void integrators_are_listed_and_have_cards(void **state)
{
    const struct program *p = run_well("list integrators --json");
    const char *at = p->out;
    for (size_t i = 0; i < ph_integrator_count(); ++i) {
        const struct ph_integrator *integrator = ph_integrator_at(i);
        at = json_at(at, "name");
        assert_json_string(at - strlen("\"name\": "), "name", integrator->name);
        assert_json_string(at, "reference", integrator->reference);
        assert_true((int)json_number(at, "order") == integrator->order);
        assert_true((strncmp(json_at(at, "implicit"), "true", 4) == 0) == integrator->implicit);
        assert_true((strncmp(json_at(at, "axis_momentum"), "true", 4) == 0) == integrator->claims.axis_momentum);
    }
    p = run_program("list integrators");
    for (size_t i = 0; i < ph_integrator_count(); ++i)
        assert_non_null(strstr(p->out, ph_integrator_at(i)->summary));
    assert_usage_error("certify bbtrapw", "polhode certify: ", "'bbtrapw'", "'bbtrap");
    assert_prints("certify prk", "not conjugate to a symplectic method");
    if (PH_SANITIZED) /* another card */
        return;
    p = run_well("certify vlv --json");
    at = json_at(strstr(p->out, "\"integrators\""), "name");
    assert_json_string(at, "claims", "confirmed");
    assert_json_string(strstr(at, "\"no energy drift\""), "measured", "yes");
    at = strstr(at, "\"energy_drift_coarse\"");
    assert_non_null(at);
    assert_true(fabs(json_number(at, "value")) < 5.0 * json_number(at, "standard_deviation"));
    assert_true(json_number(strstr(at, "\"evaluations_per_step\""), "value") == 1.0);
}

static void methods_on_spheres_have_cards(void **state)
{
    const struct program *p = run_well("certify rattle-s2 --json");
    assert_non_null(strstr(p->out, "\"spheres\": ["));
    assert_non_null(strstr(p->out, "\"claims\": \"confirmed\""));
    if (!PH_SANITIZED)
        assert_prints("certify eln-s2", "claims confirmed");
    assert_usage_error("certify eln-s3", "polhode certify: ", "'eln-s3'", "'eln-s2'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_version_are_results),
        cmocka_unit_test(unknown_commands_are_refused_with_the_nearest_name),
        cmocka_unit_test(list_has_every_flow_of_the_registry),
        cmocka_unit_test(list_has_every_scheme_of_the_registry),
        cmocka_unit_test(integrators_are_listed_and_have_cards),
        cmocka_unit_test(methods_on_spheres_have_cards),
        cmocka_unit_test(unknown_kinds_are_refused_with_the_accepted_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
