/* SPDX-License-Identifier: MIT */
/* polhode energy: energies, pressure, forces and torques of a start configuration. */
#include "cli/commands/load.h"

#include "accel/backends.h"
#include "accel/machines/device_choice.h"
#include "base/rotation.h"
#include "base/vec3.h"
#include "model/start.h"
#include "run/build/closest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct words {
    struct ph_cli_words input;
    const char *backend; /* NULL: as in the input */
    bool forces, json;
};

static const struct argp_option options[] = {
    PH_CLI_OPTION_SET,
    {"backend", PH_CLI_KEY_BACKEND, "NAME", 0, "Where they are found: cpu, cuda, emulated", 1},
    PH_CLI_OPTION_DEVICE,
    {"forces", KEEP_FLAG(forces), NULL, 0, "Force and torque of every molecule, too", 2},
    {"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 3},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case PH_CLI_KEY_BACKEND: words->backend = arg; return 0; /* not set in the input, which need not have dynamics */
    default: return ph_cli_take_input(key, arg, state, &words->input);
    }
}

/* Replaces energies and forces of the processor by the results of the backend; an input without dynamics names none */
static enum ph_status evaluate_elsewhere(const char *name, struct ph_cli_loaded *loaded, struct ph_error *err)
{
    const struct ph_backend_kind *kind = ph_backend_find(name ? name : loaded->input->dynamics.backend);
    if (name && !kind)
        return ph_error_set(err, PH_ERR_INPUT, "dynamics.backend is '%.60s'. Accepted: cpu, cuda, emulated.", name);
    if (!kind || !kind->machine)
        return ph_device_refuse("cpu", err);
    struct ph_error inner = {.text = ""};
    struct ph_backend *backend;
    enum ph_status status =
        ph_engine_create(kind->machine, kind->name, loaded->system, &loaded->interactions, false, &backend, &inner);
    if (status == PH_OK)
        status = backend->write(backend, PH_STATE_ALL, loaded->system, NULL, &inner);
    if (status == PH_OK)
        status = backend->evaluate(backend, &loaded->energy, &inner);
    if (status == PH_OK)
        status = backend->read(backend, PH_STATE_FORCES, loaded->system, NULL, &inner);
    if (backend)
        backend->destroy(backend);
    return status == PH_OK ? PH_OK : ph_input_error(loaded->input, &inner, err);
}

/* Results from state and forces. Without a volume there is no pressure: NaN. */
struct results {
    double potential, translation, rotation, total;
    double kinetic_tensor[3][3]; /* sum of p p^T/m */
    double pressure_virial, pressure_kinetic, pressure[3][3];
    double dipole[3], dipole_norm; /* sum over the molecules, each about its centre */
    double temperature_translation, temperature_rotation;
    struct ph_closest closest;
};

static void add_molecules(const struct ph_system *system, struct results *results)
{
    for (size_t s = 0; s < system->n_species; ++s) {
        double body[3];
        ph_species_dipole(&system->species[s], body);
        for (size_t i = system->first[s]; i < system->first[s + 1]; ++i) {
            const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
            double mu[3];
            ph_quat_rotate(q, body, mu);
            for (int a = 0; a < 3; ++a) {
                results->dipole[a] += mu[a];
                for (int b = 0; b < 3; ++b)
                    results->kinetic_tensor[a][b] += system->p[a][i] * system->p[b][i] / system->species[s].mass;
            }
        }
    }
    const double *mu = results->dipole;
    results->dipole_norm = ph_vec3_norm(mu);
}

static enum ph_status find_results(const struct ph_cli_loaded *loaded, struct results *results, struct ph_error *err)
{
    const struct ph_system *system = loaded->system;
    const struct ph_energy *energy = &loaded->energy;
    *results = (struct results){.potential = ph_energy_total(energy),
                                .translation = ph_system_kinetic_translation(system),
                                .rotation = ph_system_kinetic_rotation(system)};
    results->total = results->potential + results->translation + results->rotation;
    results->temperature_translation = ph_system_thermal_translation(system) / loaded->units->boltzmann;
    results->temperature_rotation = ph_system_thermal_rotation(system) / loaded->units->boltzmann;
    add_molecules(system, results);
    const double volume = system->box.kind == PH_BOX_OPEN ? NAN : system->box.volume;
    for (int a = 0; a < 3; ++a) {
        results->pressure_virial += energy->virial[a][a] / (3.0 * volume);
        results->pressure_kinetic += results->kinetic_tensor[a][a] / (3.0 * volume);
        for (int b = 0; b < 3; ++b)
            results->pressure[a][b] = (results->kinetic_tensor[a][b] + energy->virial[a][b]) / volume;
    }
    return ph_closest_pair(system, &results->closest, err);
}

/* ---- Text and JSON ---- */

static void say_energy(struct ph_json *json, const char *key, const char *label, double value, size_t n)
{
    ph_json_number(json, key, value);
    ph_json_say(json, "  %-24s %23.15g %23.15g\n", label, value, value / (double)n);
}

static void say_forces(struct ph_json *json, const struct ph_system *system)
{
    ph_json_begin_array(json, "molecules_forces");
    ph_json_say(json, "\n%8s %-16s %18s %18s %18s %18s %18s %18s\n", "molecule", "model", "force x", "y", "z",
                "torque x", "y", "z");
    for (size_t number = 0; number < system->n; ++number) {
        const size_t i = system->place[number];
        const char *model = system->species[ph_system_species_of(system, i)].name;
        const double r[3] = {system->r[0][i], system->r[1][i], system->r[2][i]};
        const double f[3] = {system->f[0][i], system->f[1][i], system->f[2][i]};
        const double t[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
        ph_json_begin_object(json, NULL);
        ph_json_integer(json, "molecule", (long)number);
        ph_json_string(json, "model", model);
        ph_json_numbers(json, "position", 3, r);
        ph_json_numbers(json, "force", 3, f);
        ph_json_numbers(json, "torque", 3, t);
        ph_json_end(json);
        ph_json_say(json, "%8zu %-16s %18.10g %18.10g %18.10g %18.10g %18.10g %18.10g\n", number, model, f[0], f[1],
                    f[2], t[0], t[1], t[2]);
    }
    ph_json_end(json);
}

static void say_pressure(struct ph_json *json, const struct results *results, bool open, bool md)
{
    const double virial = results->pressure_virial, kinetic = results->pressure_kinetic, total = virial + kinetic;
    ph_json_begin_object(json, "pressure");
    ph_json_number(json, "virial", virial);
    ph_json_number(json, "kinetic", kinetic);
    ph_json_number(json, "total", total);
    ph_json_matrix(json, "tensor", results->pressure);
    ph_json_end(json);
    if (open)
        return;
    ph_json_say(json, "pressure: %.10g%s (virial %.10g, kinetic %.10g)", total, md ? " kJ/mol/nm^3" : "", virial,
                kinetic);
    if (md) /* 1 kJ/mol/nm^3 = 1e30/N_A Pa */
        ph_json_say(json, " = %.10g bar", total * 16.6053906717384685);
    ph_json_say(json, "\n");
}

static void say(struct ph_json *json, const struct ph_cli_loaded *loaded, const struct results *results, bool forces)
{
    const struct ph_system *system = loaded->system;
    const struct ph_energy *energy = &loaded->energy;
    const struct ph_closest *closest = &results->closest;
    const char *file = loaded->input->file, *title = loaded->input->title;
    const bool md = strcmp(loaded->units->name, "md") == 0, open = system->box.kind == PH_BOX_OPEN;
    const size_t n = system->n;
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "input", file, "title", title, "units", loaded->units->name);
    ph_json_integer(json, "molecules", (long)n);
    ph_json_number(json, "volume", open ? NAN : system->box.volume);
    ph_json_say(json, "%s%s%s\n%zu molecules:", file, title[0] ? ": " : "", title, n);
    for (size_t s = 0; s < system->n_species; ++s)
        ph_json_say(json, "%s %zu %s", s > 0 ? "," : "", system->first[s + 1] - system->first[s],
                    system->species[s].name);
    ph_json_say(json, "\n\n  %-24s %23s %23s\n", md ? "energy, kJ/mol" : "energy", "of all", "per molecule");
    ph_json_begin_object(json, "energy");
    say_energy(json, "radial", "radial", energy->radial, n);
    say_energy(json, "electric", "electric", energy->electric, n);
    if (!json->text || ph_is_ewald(&loaded->interactions))
        say_energy(json, "waves", "electric, reciprocal", energy->waves, n);
    say_energy(json, "long_range", "long range", energy->long_range, n);
    say_energy(json, "field", "external fields", energy->field, n);
    if (loaded->interactions.plumed.file[0])
        say_energy(json, "bias", "bias of PLUMED", energy->bias, n);
    say_energy(json, "potential", "potential", results->potential, n);
    ph_json_number(json, "potential_per_molecule", results->potential / (double)n);
    say_energy(json, "kinetic_translation", "kinetic, translation", results->translation, n);
    say_energy(json, "kinetic_rotation", "kinetic, rotation", results->rotation, n);
    say_energy(json, "total", "total", results->total, n);
    ph_json_end(json);
    ph_json_begin_object(json, "temperature");
    ph_json_number(json, "translation", results->temperature_translation);
    ph_json_number(json, "rotation", results->temperature_rotation);
    ph_json_end(json);
    ph_json_say(json, "\ntemperature: translation %.10g, rotation %.10g%s\n", results->temperature_translation,
                results->temperature_rotation, md ? " K" : "");
    say_pressure(json, results, open, md);
    ph_json_matrix(json, "virial", energy->virial);
    ph_json_numbers(json, "dipole", 3, results->dipole);
    ph_json_number(json, "dipole_norm", results->dipole_norm);
    ph_json_say(json, "dipole: %.10g (%.10g, %.10g, %.10g)\n", results->dipole_norm, results->dipole[0],
                results->dipole[1], results->dipole[2]);
    ph_json_begin_object(json, "closest");
    ph_json_number(json, "distance", closest->distance);
    ph_json_integer(json, "one", (long)closest->molecule[0]);
    ph_json_integer(json, "other", (long)closest->molecule[1]);
    ph_json_end(json);
    if (isfinite(closest->distance))
        ph_json_say(json, "closest: molecules %zu and %zu, centres %.10g apart (molecules are counted from 0)\n",
                    closest->molecule[0], closest->molecule[1], closest->distance);
    if (forces)
        say_forces(json, system);
    ph_json_end(json);
}

int ph_cmd_energy(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "INPUT.yaml|-",
        .doc = "Energy by term, pressure, dipole and closest pair of the start configuration.\v"
               "Forces are on centres of mass; torques are about them, in the space frame.",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct ph_cli_loaded loaded;
    struct results results;
    enum ph_status status = ph_cli_load(&words.input, &loaded, &err);
    if (status == PH_OK)
        status = evaluate_elsewhere(words.backend, &loaded, &err);
    if (status == PH_OK)
        status = find_results(&loaded, &results, &err);
    struct ph_json json = {.out = stdout, .text = !words.json};
    if (status == PH_OK)
        ph_cli_print_notes(&loaded);
    if (status == PH_OK)
        say(&json, &loaded, &results, words.forces);
    ph_cli_unload(&loaded);
    return status == PH_OK ? PH_OK : ph_cli_fail_input(argv[0], &words.input, &err);
}
