/* SPDX-License-Identifier: MIT */
/* Inputs that cannot be run: status 2, one sentence with file, line, key, value and what is accepted, nothing written.
 * tests/unit/run/test_input.c has more about the reader itself. */
#include "program/support/running.h"

#define GOOD_LINES                                                                                                     \
    {                                                                                                                  \
        "units: reduced", "system:", "  box: {density: 0.8}", "  molecules:", "    - {model: stockmayer, count: 32}",  \
            "  start: {kind: fcc, temperature: 1.35}", "interactions:", "  cutoff: 1.5",                               \
            "dynamics: {step: 0.01, steps: 3}", "output: {frames_every: 5}"                                            \
    }
enum { LINES = 10 };

/* The good input with one line replaced, and words of the message; a place without a number has no line */
static const struct wrong {
    int line;
    const char *text, *words[4];
} table[] = {
    {1, "units: SI", {"input.yaml:1: ", "units is 'SI'", "reduced, md"}},
    {1, "unit: reduced", {"input.yaml:1: ", "unknown key 'unit'", "Did you mean 'units'?"}},
    {1, "units: [reduced]", {"input.yaml:1: ", "units is [reduced]", "reduced, md"}},
    {1, "units: reduced\ntitle: {a: 1}", {"input.yaml:2: ", "title is a map", "a text"}},
    {1, "units: md", {"input.yaml:5: ", "'stockmayer' is in reduced units"}},
    {1, "units: reduced\nunits: md", {"input.yaml:2: ", "'units' appears twice"}},
    {1, "units: reduced\n\tsystem: 3", {"input.yaml:2: ", "a tab in column 1", "spaces"}},
    {2, "sistem:", {"input.yaml:2: ", "unknown key 'sistem'", "Did you mean 'system'?"}},
    {3, "  box: {density: 0,8}", {"input.yaml:3: ", "system.box.density is '0'", "above 0"}},
    {3, "  box: {density: 0.8 nm}", {"input.yaml:3: ", "system.box.density is '0.8 nm'", "above 0"}},
    {3, "  box: {density: 1e16}", {"input.yaml:3: ", "system.box.density is '1e16'", "above 0, at most 1e+15."}},
    {3, "  box: {density: 1e-320}", {"input.yaml:3: ", "system.box.density: Box edge 1", "finite"}},
    {3, "  box: {length: 0}", {"input.yaml:3: ", "system.box.length is '0'", "above 0"}},
    {3, "  box: {length: [4, 4, -4]}", {"input.yaml:3: ", "system.box.length is [4, 4, -4]", "above 0"}},
    {3, "  box: {edges: [[1, 0, 0], [2, 0, 0], [0, 0, 1]]}", {"input.yaml:3: ", "system.box.edges", "in a plane"}},
    {3, "  box: {edges: [[4, 0, 0], [0, 4, 0], [0, 0, -4]]}", {"input.yaml:3: ", "system.box.edges", "left-handed"}},
    {3, "  box: {edges: 4}", {"input.yaml:3: ", "system.box.edges is '4'", "three vectors"}},
    {3, "  box: {kind: open}", {"input.yaml:6: ", "'system.start.spacing' is missing"}},
    {3, "  box: {length: 2}", {"input.yaml:8: ", "interactions.cutoff is 1.5", "half the distance 2"}},
    {4, "  molecule:", {"input.yaml:4: ", "unknown key 'system.molecule'", "Did you mean 'molecules'?"}},
    {5,
     "    - {model: stockmayer, count: 1e10}",
     {"input.yaml:5: ", "system.molecules[0].count is '1e10'", "1 to 1000000000"}},
    {5,
     "    - {model: stockmayer, count: many}",
     {"input.yaml:5: ", "system.molecules[0].count is 'many'", "a whole number"}},
    {5, "    - {model: [a], count: 3}", {"input.yaml:5: ", "system.molecules[0].model is [a]", "a text"}},
    {5,
     "    - {modell: stockmayer, count: 3}",
     {"input.yaml:5: ", "system.molecules[0].modell", "Did you mean 'model'?"}},
    {5,
     "    - {model: spce, count: 3}",
     {"input.yaml:5: ", "there is no model 'spce'", "Did you mean 'spc-e'?", "tip4p-2005"}},
    {5,
     "    - {model: stockmayer, count: 32, mass: 3}",
     {"input.yaml:5: ", "system.molecules[0].mass", "model, count"}},
    {5,
     "    - {model: stockmayer, count: 32}\n    - {model: dipolar-soft-sphere, count: 3}",
     {"input.yaml: ", "stockmayer.A and dipolar-soft-sphere.A", "interactions.pairs"}},
    {6, "  start: {kind: fcc, seed: 1e17}", {"input.yaml:6: ", "seed is '1e17'", "upwards, at most 9007199254740992."}},
    {6, "  start: fcc", {"input.yaml:6: ", "system.start is 'fcc'", "a map of keys"}},
    {6,
     "  start: {kind: bcc}",
     {"input.yaml:6: ", "system.start.kind is 'bcc'", "Did you mean 'fcc'?", "simple-cubic"}},
    {6, "  start: {kind: fcc, temperature: hot}", {"input.yaml:6: ", "system.start.temperature is 'hot'", "from 0"}},
    {6,
     "  start: {kind: random, minimum_distance: -1}",
     {"input.yaml:6: ", "system.start.minimum_distance is '-1'", "from 0"}},
    {6,
     "  start: {kind: random, minimum_distance: 3}",
     {"input.yaml:6: ", "system.start", "of 32 molecules", "at least 3"}},
    {6,
     "  start: {kind: random, radius: 3}",
     {"input.yaml:6: ", "system.start.radius does not go with system.box.kind: periodic"}},
    {6, "  start: {kind: fcc, seed: 1.5}", {"input.yaml:6: ", "system.start.seed is '1.5'", "a whole number"}},
    {6, "  start: {kind: fcc, seed: 1e20}", {"input.yaml:6: ", "system.start.seed is '1e20'"}},
    {6, "  start: {kind: fcc, attitudes: up}", {"input.yaml:6: ", "system.start.attitudes is 'up'", "random, aligned"}},
    {6,
     "  start: {kind: fcc, file: a.xyz}",
     {"input.yaml:6: ", "system.start.file does not go with system.start.kind: fcc"}},
    {6,
     "  start: {kind: fcc, frame: 3}",
     {"input.yaml:6: ", "system.start.frame does not go with system.start.kind: fcc"}},
    {6, "  start: {kind: gaussian, spread: 0}", {"input.yaml:6: ", "system.start.spread is '0'", "above 0"}},
    {6,
     "  start: {kind: file, file: two.xyz}",
     {"input.yaml:3: ", "system.box.density makes component 1", "two.xyz has 4"}},
    {6,
     "  start: {kind: file, file: input.yaml}",
     {"input.yaml: ", "the format is unknown", "gro (.gro)", "lammps (.data, .lmp"}},
    {6,
     "  start: {kind: fcc, names: {O: H}}",
     {"input.yaml:6: ", "system.start.names does not go with system.start.kind: fcc"}},
    {6, "  start: {file: input.yaml, format: gro}", {"input.yaml:2: ", "expected the number of atoms"}},
    {8, "  cutoff: 3", {"input.yaml:8: ", "interactions.cutoff is 3", "half the distance"}},
    {8, "  cutoff: -1", {"input.yaml:8: ", "interactions.cutoff is '-1'", "above 0"}},
    {8,
     "  cutoff: 1.5\n  truncation: smooth",
     {"input.yaml:9: ", "interactions.truncation is 'smooth'", "force-shifted, switched"}},
    {8, "  cutoff: 1.5\n  switch: {width: 0}", {"input.yaml:9: ", "interactions.switch.width is '0'", "above 0"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: {method: reaction-field, permittivity: 0.5}",
     {"input.yaml:9: ", "permittivity is '0.5'", "from 1"}},
    {8,
     "  cutoff: 1.5\n  switch: {smoothness: all}\n  electrostatics: {method: reaction-field}",
     {"input.yaml:9: ", "interactions.switch.smoothness: all", "reaction-field", "Accepted: 2, 4, 6"}},
    {8,
     "  cutoff: 1.5\n  electrostatics: reaction-field",
     {"input.yaml:9: ", "interactions.electrostatics is 'reaction-field'", "a map of keys"}},
    {8,
     "  cutoff: 1.5\n  combining: arithmetic",
     {"input.yaml:9: ", "interactions.combining is 'arithmetic'", "lorentz-berthelot, geometric"}},
    {8, "  cutoff: 1.5\n  skin: -0.1", {"input.yaml:9: ", "interactions.skin is '-0.1'", "from 0"}},
    {8,
     "  cutoff: 1.5\n  long_range_correction: 1",
     {"input.yaml:9: ", "interactions.long_range_correction is '1'", "true or false"}},
    {8, "  cutoff: 1.5\n  external: {electric_field: 3}", {"input.yaml:9: ", "electric_field is '3'", "three numbers"}},
    {8,
     "  cutoff: 1.5\n  external: {electric_field: [0, 0, x]}",
     {"input.yaml:9: ", "electric_field is [0, 0, x]", "three numbers"}},
    {8,
     "  cutoff: 1.5\n  external: {magnetic_field: [0, 0, 1]}",
     {"input.yaml:9: ", "interactions.external.magnetic_field", "electric_field, gravity"}},
    {8,
     "  cutoff: 1.5\n  external: {tether: -1}",
     {"input.yaml:9: ", "interactions.external.tether is '-1'", "from 0"}},
    {8,
     "  cutoff: 1.5\n  external: {pinned: 1}",
     {"input.yaml:9: ", "interactions.external.pinned is '1'", "true or false"}},
    {8,
     "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, lennard-jones.A], wca: {epsilon: 1, sigma: 1}}]",
     {"input.yaml:9: ", "there is no site 'lennard-jones.A'", "Accepted: stockmayer.A"}},
    {8,
     "  cutoff: 1.5\n  pairs: [{sites: [stockmayer.A, stockmayer.A], wca: {epsilon: 1, sigma: 1}}, {sites: "
     "[stockmayer.A, stockmayer.A], lennard-jones: {epsilon: 1, sigma: 1}}]",
     {"input.yaml:9: ", "interactions.pairs[1]", "one entry for each pair"}},
    {8,
     "  cutoff: 1.5\n  pairs: {sites: [stockmayer.A, stockmayer.A]}",
     {"input.yaml:9: ", "interactions.pairs is a map", "a list of maps"}},
    {9, "dynamics: {step: -0.01, steps: 10}", {"input.yaml:9: ", "dynamics.step is '-0.01'", "above 0"}},
    {9, "dynamics: {step: 0.01, steps: -1}", {"input.yaml:9: ", "dynamics.steps is '-1'", "from 0"}},
    {9, "dynamics: {step: 0.01, steps: 10.5}", {"input.yaml:9: ", "dynamics.steps is '10.5'", "a whole number"}},
    {9, "dynamics: {step: 0.01, steps: ten}", {"input.yaml:9: ", "dynamics.steps is 'ten'", "a whole number"}},
    {9, "dynamics: {step: 0.01, steps: 1e17}", {"input.yaml:9: ", "dynamics.steps is '1e17'"}},
    {9, "dynamics: {steps: 10}", {"input.yaml:9: ", "'dynamics.step' is missing", "above 0"}},
    {9, "dynamics: {stepp: 0.01, steps: 10}", {"input.yaml:9: ", "dynamics.stepp", "Did you mean 'step'?"}},
    {9,
     "dynamics: {scheme: verlett, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.scheme: there is no scheme 'verlett'", "Did you mean 'verlet'?",
      "polhode list schemes"}},
    {9, "dynamics: {scheme: '', step: 0.01, steps: 10}", {"input.yaml:9: ", "dynamics.scheme is nothing", "a text"}},
    {9,
     "dynamics: {flow: exakt, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.flow: there is no flow 'exakt'", "Did you mean 'exact'?", "polhode list flows"}},
    {9,
     "dynamics: {step: 0.01, steps: 3, nested: {scheme: verlett, radius: 1.2}}",
     {"input.yaml:9: ", "dynamics.nested.scheme: there is no scheme 'verlett'", "Did you mean 'verlet'?"}},
    {9,
     "dynamics: {step: 0.01, steps: 3, scheme: chin4a, nested: {radius: 1.2}}",
     {"input.yaml:9: ", "dynamics.nested does not go with 'chin4a'", "gradients", "Accepted: "}},
    {9,
     "dynamics: {step: 0.01, steps: 3, integrator: rattle, nested: {radius: 1.2}}",
     {"input.yaml:9: ", "dynamics.nested does not go with dynamics.integrator"}},
    {9,
     "dynamics: {step: 0.01, steps: 3, nested: {radius: 99}}",
     {"input.yaml:9: ", "dynamics.nested.radius is 99", "smaller than the cutoff"}},
    {9,
     "dynamics: {step: 0.01, steps: 3, nested: {radius: 1.2, width: 1.3}}",
     {"input.yaml:9: ", "dynamics.nested.width is 1.3", "1.2"}},
    {9,
     "dynamics: {step: 0.01, steps: 3, nested: {part: reciprocal, width: 1.3}}",
     {"input.yaml:9: ", "dynamics.nested.width is for dynamics.nested.part: near"}},
    {9,
     "dynamics: {energy_bound: 0, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.energy_bound is '0'", "above 0"}},
    {9,
     "dynamics: {compensated: maybe, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.compensated is 'maybe'", "true or false"}},
    {9,
     "dynamics: {equilibrate: 100, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.equilibrate is '100'", "a map of keys"}},
    {9,
     "dynamics: {equilibrate: {steps: 10, temperature: 0}, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.equilibrate.temperature is '0'", "above 0"}},
    {9,
     "dynamics: {equilibrate: {steps: 10, relaxation_time: -1}, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "relaxation_time is '-1'", "from 0"}},
    {9,
     "dynamics: {equilibrate: {step: 10}, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "dynamics.equilibrate.step'", "Did you mean 'steps'?"}},
    {9,
     "dynamics: {thermometer: {}, step: 0.01, steps: 10}",
     {"input.yaml:9: ", "unknown key 'dynamics.thermometer'", "energy_bound, nested, equilibrate"}},
    {9, "dynamics: {step: 0.01}", {"input.yaml:9: ", "'dynamics.steps' is missing"}},
    {9, "dynamics: {steps: 10}", {"input.yaml:9: ", "'dynamics.step' is missing"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: andersen}}",
     {"input.yaml:9: ", "thermostat.kind is 'andersen'", "langevin-middle, metropolis"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin, chain: 2}}",
     {"input.yaml:9: dynamics.thermostat.chain", "kind: langevin", "nose-hoover"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: nose-hoover, friction: 2}}",
     {"dynamics.thermostat.friction", "kind: nose-hoover", "langevin"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: nose-hoover, relaxation_time: 0}}",
     {"dynamics.thermostat.relaxation_time", "above 0"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: nose-hoover, relaxation_time: 1e-7}}",
     {"input.yaml:9: dynamics.thermostat.relaxation_time is 1e-07", "shorter than the step of 0.01",
      "one step upwards"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, integrator: vlv, thermostat: {kind: langevin}}",
     {"dynamics.thermostat.kind", "needs a scheme"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, flow: imr2, thermostat: {kind: metropolis}}",
     {"dynamics.thermostat.kind", "accepted or rejected", "imr2"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: verlet, thermostat: {kind: metropolis, shadow: true}}",
     {"input.yaml:9: dynamics.thermostat.shadow", "sbab2 and saba2"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: sbab2, thermostat: {kind: metropolis, shadow: true}, "
     "barostat: {kind: cell-rescaling, pressure: 1}}",
     {"dynamics.thermostat.shadow", "does not go with a barostat"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: sbab2, thermostat: {kind: langevin, shadow: true}}",
     {"dynamics.thermostat.shadow", "kind: langevin", "metropolis"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin, substeps: 2}}",
     {"dynamics.thermostat.substeps", "kind: langevin", "metropolis"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: sbab2, thermostat: {kind: langevin-middle}}",
     {"input.yaml:9: dynamics.thermostat.kind", "middle of a drift", "verlet, bcss2-3"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: verlet, thermostat: {kind: langevin-middle}, "
     "barostat: {kind: cell-rescaling, pressure: 1}}",
     {"dynamics.thermostat.kind", "does not go with a barostat"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, barostat: {kind: cell-rescaling, pressure: 1}}",
     {"dynamics.barostat.kind", "needs a thermostat"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin}, barostat: {kind: cell-rescaling}}",
     {"dynamics.barostat.pressure is missing"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin}, barostat: {kind: cell-rescaling, pressure_bar: "
     "1}}",
     {"dynamics.barostat.pressure_bar", "units: reduced"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin}, barostat: {kind: andersen, pressure: 1}}",
     {"dynamics.barostat.kind", "nose-poincare"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: nose-poincare}, barostat: {kind: ramp, density: 1}}",
     {"dynamics.thermostat.kind", "andersen"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, scheme: pefrl, thermostat: {kind: nose-poincare}}",
     {"dynamics.scheme", "'pefrl'", "Accepted: verlet, "}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: nose-poincare}}",
     {"input.yaml:9: dynamics.thermostat.kind", "no torque acts", "stockmayer"}},
    {9, "dynamics: {step: 0.01, steps: 10, barostat: {kind: ramp}}", {"dynamics.barostat.density is missing"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, barostat: {kind: ramp, density: 1, pressure: 1}}",
     {"dynamics.barostat.pressure", "kind: ramp"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, thermostat: {kind: langevin}, barostat: {kind: cell-rescaling, pressure: 1, "
     "shape: cubic}}",
     {"barostat.shape is 'cubic'", "isotropic, edges, full"}},
    {9, "stages: [{name: a, steps: 10}]", {"input.yaml:9: stages[0].step is missing"}},
    {9,
     "stages: [{name: a, step: 0.1, steps: 1}, {name: a, step: 0.1, steps: 1}]",
     {"input.yaml:9: stages[1].name", "of a stage before"}},
    {9, "stages: [{name: a/b, step: 0.1, steps: 1}]", {"input.yaml:9: stages[0].name", "letters"}},
    {9, "stages: [{name: a, step: 0.1, steps: 1, land: true}]", {"stages[0].land", "needs a thermostat"}},
    {9,
     "stages: [{name: a, step: 0.1, steps: 1, land: true, thermostat: {kind: velocity-rescaling}}]",
     {"input.yaml:9: stages[0].land", "before others"}},
    {9,
     "dynamics: {step: 0.01, steps: 10, barostat: {kind: ramp, density: 1, every: 11}}",
     {"input.yaml:9: dynamics.barostat.every", "more than the steps"}},
    {9, "stages: [{name: a, step: 0.1, steps: 1, scheme: verlt}]", {"stages[0].scheme", "'verlt'", "'verlet'"}},
    {9,
     "stages: [{name: a, step: 0.1, steps: 1, thermostat: {temperature: 1}}]",
     {"stages[0].thermostat.kind' is missing"}},
    {9,
     "stages: [{name: a, step: 0.1, steps: 1}]\ndynamics: {steps: 3}",
     {"input.yaml:10: ", "dynamics.steps does not go with stages"}},
    {9, "title: no dynamics", {"input.yaml: ", "'dynamics' is missing"}},
    {10, "output: {frames_every: -1}", {"input.yaml:10: ", "output.frames_every is '-1'", "from 0"}},
    {10, "output: {frames_every: often}", {"input.yaml:10: ", "output.frames_every is 'often'", "a whole number"}},
    {10, "output: {series_every: -5}", {"input.yaml:10: ", "output.series_every is '-5'", "from 0"}},
    {10, "output: {shadow_energy: true}", {"input.yaml:10: ", "output.shadow_energy is known", "order 2"}},
    {10, "output: {compression: 10}", {"input.yaml:10: ", "output.compression is '10'", "from 0 to 9"}},
    {10,
     "output: {compression: 3, writing: collective}",
     {"input.yaml:10: ", "output.compression is 3", "output.writing: gathered"}},
    {10, "output: {writing: both}", {"input.yaml:10: ", "output.writing is 'both'", "collective"}},
    {10, "output: {file: [a, b]}", {"input.yaml:10: ", "output.file is [a, b]", "a text"}},
    {10, "output: {checkpoint_every: 0.5}", {"input.yaml:10: ", "output.checkpoint_every is '0.5'", "a whole number"}},
    {10, "output: results.h5md", {"input.yaml:10: ", "output is 'results.h5md'", "a map of keys"}},
    {10, "output: {format: h5md}", {"input.yaml:10: ", "unknown key 'output.format'", "frames_every"}},
    {10, "output: *nothing", {"input.yaml:10: ", "not valid YAML", "undefined alias"}},
};
_Static_assert(sizeof table / sizeof *table >= 60, "enough ways to be wrong");

static void write_input(int line, const char *text)
{
    static const char *const good[LINES] = GOOD_LINES;
    FILE *file = fopen("input.yaml", "w");
    assert_non_null(file);
    for (int k = 0; k < LINES; ++k)
        fprintf(file, "%s\n", k + 1 == line ? text : good[k]);
    assert_int_equal(fclose(file), 0);
}

TEST(every_bad_input_is_refused_with_its_place)
{
    write_text("two.xyz", "2\nLattice=\"4 0 0 0 4 0 0 0 4\" Properties=species:S:1:pos:R:3\nstockmayer 0 0 0\n"
                          "stockmayer 1 1 1\n");
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        write_input(table[k].line, table[k].text);
        const struct program *p = run_program("run input.yaml -q");
        if (p->status != 2 || p->out[0] || strncmp(p->err, "polhode run: ", 13) != 0)
            fail_msg("'%s' gives status %d, '%s' and '%s'", table[k].text, p->status, p->out, p->err);
        for (size_t w = 0; w < 4 && table[k].words[w]; ++w)
            if (!strstr(p->err, table[k].words[w]))
                fail_msg("'%s' gives '%s', without '%s'", table[k].text, p->err, table[k].words[w]);
        if (count_files() != 2)
            fail_msg("'%s' has left a file", table[k].text);
    }
}

/* The words of a message, whichever command it is of */
static const char *after_command(const char *text)
{
    const char *colon = strstr(text, ": ");
    return colon ? colon : text;
}

/* polhode check refuses what polhode run refuses, in the same words; an input without dynamics is none to run. */
TEST(what_run_refuses_check_refuses)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k) {
        if (strcmp(table[k].text, "title: no dynamics") == 0)
            continue;
        char words[4096];
        write_input(table[k].line, table[k].text);
        snprintf(words, sizeof words, "%.4000s", after_command(run_program("run input.yaml -q")->err));
        const struct program *p = run_program("check input.yaml");
        if (p->status != 2 || strcmp(after_command(p->err), words) != 0)
            fail_msg("'%s': run says '%s', check ends with %d and '%s'", table[k].text, words, p->status, p->err);
    }
    /* a file that brings its own momenta gives no temperature to equilibrate at */
    write_input(0, "");
    expect("run input.yaml -q", 0, "rms", "input.h5md");
    write_input(6, "  start: {kind: file, file: input.h5md}");
    for (int k = 0; k < 2; ++k) {
        const struct program *p =
            run_program(k == 0 ? "run input.yaml -o other.h5md -q --set dynamics.equilibrate.steps=10"
                               : "check input.yaml --set dynamics.equilibrate.steps=10");
        if (p->status != 2 || !strstr(p->err, "dynamics.equilibrate needs a temperature"))
            fail_msg("%s: status %d and '%s'", k == 0 ? "run" : "check", p->status, p->err);
    }
    /* forces that jump have second derivatives that no state shows */
    write_input(10, "output: {configurational_temperature: true}");
    for (int k = 0; k < 2; ++k) {
        const struct program *p =
            run_program(k == 0 ? "run input.yaml -o other.h5md -q --set interactions.truncation=shifted"
                               : "check input.yaml --set interactions.truncation=shifted");
        if (p->status != 2 || !strstr(p->err, "input.yaml:10: output.configurational_temperature needs forces"))
            fail_msg("%s: status %d and '%s'", k == 0 ? "run" : "check", p->status, p->err);
    }
    /* fluxes are per volume */
    write_input(10, "output: {fluxes_every: 2}");
    for (int k = 0; k < 2; ++k) {
        char line[256];
        snprintf(line, sizeof line,
                 "%s input.yaml --set system.box.kind=open --set system.box.density= --set system.start.spacing=1.2",
                 k == 0 ? "run -q" : "check");
        const struct program *p = run_program(line);
        if (p->status != 2 || !strstr(p->err, "input.yaml:10: output.fluxes_every needs a periodic box"))
            fail_msg("%s: status %d and '%s'", k == 0 ? "run" : "check", p->status, p->err);
    }
    empty_folder();
}

/* Beyond 1e9 boxes, or 1e9 units of length in open space, in any direction */
TEST(places_that_are_too_far_away_are_refused)
{
    static const struct {
        const char *x;
        bool good;
    } places[] = {{"7e9", false}, {"-7e9", false}, {"1e300", false}, {"-1e300", false}, {"4.1e8", true}};
    for (int open = 0; open < 2; ++open)
        for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
            char text[512];
            snprintf(text, sizeof text,
                     "2\nProperties=species:S:1:pos:R:3\nlennard-jones 0 0 0\nlennard-jones 1.1 %s 0\n", places[k].x);
            write_text("two.xyz", text);
            snprintf(text, sizeof text,
                     "units: reduced\n"
                     "system:\n"
                     "  box: {%s}\n"
                     "  molecules: [{model: lennard-jones, count: 2}]\n"
                     "  start: {kind: file, file: two.xyz}\n"
                     "interactions: {cutoff: 2, truncation: cut}\n",
                     open ? "kind: open" : "length: 4.1");
            write_text("input.yaml", text);
            const struct program *p = run_program("energy input.yaml");
            if (places[k].good && (p->status != 0 || p->err[0]))
                fail_msg("%s: status %d, '%s'", places[k].x, p->status, p->err);
            if (places[k].good)
                continue;
            if (p->status != 2 || !strstr(p->err, "two.xyz:4: molecule 1 is at (1.1, ") || !strstr(p->err, "1e+09"))
                fail_msg("%s: status %d, '%s'", places[k].x, p->status, p->err);
        }
    write_text("input.yaml", "units: reduced\n"
                             "system:\n"
                             "  box: {kind: open}\n"
                             "  molecules: [{model: lennard-jones, count: 2}]\n"
                             "  start: {kind: gaussian, spread: 1e12}\n");
    const struct program *p = run_program("energy input.yaml");
    if (p->status != 2 || !strstr(p->err, "input.yaml:5: system.start: Molecule 0 would be at"))
        fail_msg("status %d, '%s'", p->status, p->err);
}

/* Ions of a slab that were put into the box at both faces; the same slab at half the height, and one that is only
 * near to a face, are good. */
TEST(a_slab_of_ions_across_a_face_is_refused)
{
    static const struct {
        const char *low, *high;
        bool good;
    } places[] = {{"7.2", "7.8", true}, {"0.3", "0.9", true}, {"-0.4", "0.2", false}, {"14.6", "0.2", false}};
    write_text("plus.yaml", "name: plus\nsource: none\nunits: reduced\nsites: [{name: A, mass: 1, charge: 1}]\n");
    write_text("minus.yaml", "name: minus\nsource: none\nunits: reduced\nsites: [{name: A, mass: 1, charge: -1}]\n");
    write_text("input.yaml",
               "units: reduced\n"
               "system:\n"
               "  box: {length: [5, 5, 15]}\n"
               "  molecules: [{model: plus.yaml, count: 1}, {model: minus.yaml, count: 1}]\n"
               "  start: {kind: file, file: two.xyz}\n"
               "interactions: {cutoff: 2, electrostatics: {method: ewald, tolerance: 1e-4, geometry: slab}}\n");
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k) {
        char text[256];
        snprintf(text, sizeof text, "2\nProperties=species:S:1:pos:R:3\nplus 1 1 %s\nminus 2 1 %s\n", places[k].low,
                 places[k].high);
        write_text("two.xyz", text);
        const struct program *p = run_program("energy input.yaml");
        const bool refused = p->status == 2 && strstr(p->err, "input.yaml:6: ") &&
                             strstr(p->err, "geometry is slab, but ions lie at both faces") &&
                             strstr(p->err, "Move all molecules by 0.");
        if (places[k].good ? p->status != 0 : !refused)
            fail_msg("%s, %s: status %d, '%s'", places[k].low, places[k].high, p->status, p->err);
    }
}

/* HDF5 takes them for paths. */
TEST(names_of_models_that_are_no_names_of_groups_are_refused)
{
    static const char *const names[] = {"a/b", "/", "."};
    write_text("input.yaml", "units: reduced\n"
                             "system:\n"
                             "  box: {length: 5}\n"
                             "  molecules: [{model: named.yaml, count: 2}]\n"
                             "  start: {kind: random, seed: 1}\n"
                             "interactions: {cutoff: 2}\n");
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        char text[256];
        snprintf(
            text, sizeof text,
            "source: none\nname: %s\nunits: reduced\nsites: [{name: A, mass: 1}, {name: B, mass: 1, position: [1, 0, "
            "0]}]\n",
            names[k]);
        write_text("named.yaml", text);
        const struct program *p = run_program("check input.yaml");
        if (p->status != 2 || !strstr(p->err, "named.yaml:2: name is '") || !strstr(p->err, "without '/'"))
            fail_msg("%s: status %d, '%s'", names[k], p->status, p->err);
    }
}

/* The table would pass with a program that refuses everything. */
TEST(the_good_input_runs)
{
    write_input(0, "");
    expect("run input.yaml -q", 0, "rms", "input.h5md");
}

GROUP(enter_folder, leave_folder)
