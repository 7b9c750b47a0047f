/* SPDX-License-Identifier: MIT */
/* polhode check: prints how the program reads an input, and tests whether its forces are gradients of its energy. */
#include "cli/commands/load.h"
#include "cli/commands/watch.h"
#include "force/external/external.h"

#include "base/rotation.h"
#include "base/vec3.h"
#include "force/pairs/pair_table.h"
#include "run/build/closest.h"
#include "run/gradients.h"
#include "run/simulation/simulation.h"
#include "run/simulation/stages.h"

#include <math.h>
#include <string.h>

/* Of molecules of each species; and the largest relative deviation that passes */
enum { GRADIENT_MOLECULES = 8 };
static const double gradient_tolerance = 1e-6;

struct words {
    struct ph_cli_words input;
    bool gradients;
};

static const struct argp_option options[] = {
    PH_CLI_OPTION_SET,
    {"gradients", KEEP_FLAG(gradients), NULL, 0,
     "Compare forces, torques and virial with finite differences of the energy", 2},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    return ph_cli_take_input(key, arg, state, &words->input);
}

/* ---- The input as the program reads it ---- */

static const char *body_of(const struct ph_species *species)
{
    struct ph_top top;
    if (species->degrees == 0)
        return "point";
    return ph_top_init(species->inertia, &top, NULL) == PH_OK ? ph_top_kind_name(top.kind) : "body";
}

/* Where the program had to choose axes of its own */
static void print_axes(const struct ph_species *species)
{
    const double *r = species->file_rotation, back[4] = {r[0], -r[1], -r[2], -r[3]};
    if (species->degrees == 0 || fabs(r[0]) == 1.0)
        return;
    printf("axes of '%s', those of files with orientations, in the frame of its model file:", species->name);
    for (int k = 0; k < 3; ++k) {
        double axis[3] = {0.0, 0.0, 0.0};
        axis[k] = 1.0;
        ph_quat_rotate(back, axis, axis);
        printf(" (%.6g, %.6g, %.6g)", axis[0], axis[1], axis[2]);
    }
    puts("");
}

static void print_species(const struct ph_input *input, const struct ph_system *system,
                          const struct ph_interactions *interactions)
{
    printf("\n%-22s %8s %12s %12s %12s %12s %4s %5s %10s %10s  %s\n", "model", "count", "mass", "I1", "I2", "I3", "dof",
           "sites", "charge", "dipole", "body");
    for (size_t s = 0; s < system->n_species; ++s) {
        const struct ph_species *species = &system->species[s];
        double mu[3];
        ph_species_dipole(species, mu);
        printf("%-22s %8zu %12.8g %12.8g %12.8g %12.8g %4d %5zu %10.6g %10.6g  %s\n", species->name,
               system->first[s + 1] - system->first[s], species->mass, species->inertia[0], species->inertia[1],
               species->inertia[2], 3 + species->degrees, species->n_sites, ph_species_charge(species),
               ph_vec3_norm(mu), body_of(species));
    }
    for (size_t s = 0; s < system->n_species; ++s)
        print_axes(&system->species[s]);
    const bool moves = input->n_stages > 0;
    const struct ph_degrees degrees = moves ? ph_stage_degrees(input, input->n_stages - 1, system, interactions)
                                            : ph_degrees_count(system, interactions);
    const bool conserved = ph_momentum_conserved(system, interactions) && degrees.translation < 3 * system->n;
    printf("degrees of freedom: %zu of translation%s, %zu of rotation\n", degrees.translation,
           conserved ? " (total momentum conserved)" : "", degrees.rotation);
}

static void print_box(const struct ph_system *system)
{
    const struct ph_box *box = &system->box;
    if (box->kind == PH_BOX_OPEN) {
        puts("\nbox: open space");
        return;
    }
    if (box->kind == PH_BOX_ORTHORHOMBIC)
        printf("\nbox: periodic, %.10g x %.10g x %.10g", box->edge[0][0], box->edge[1][1], box->edge[2][2]);
    else {
        printf("\nbox: periodic, edges");
        for (int e = 0; e < 3; ++e)
            printf(" (%.10g, %.10g, %.10g)", box->edge[e][0], box->edge[e][1], box->edge[e][2]);
        printf(", widths %.10g, %.10g, %.10g", box->width[0], box->width[1], box->width[2]);
    }
    printf(", volume %.10g, %.10g molecules per volume\n", box->volume, (double)system->n / box->volume);
}

/* Prints the parameters chosen for an Ewald sum, direct or on a mesh */
static void print_ewald(const struct ph_interactions *in, bool by_default)
{
    const struct ph_ewald_choice *choice = &in->ewald;
    const bool mesh = in->electrostatics == PH_ELECTROSTATICS_MESH;
    printf("electrostatics: Ewald sum%s%s to %g, ", mesh ? " on a mesh" : "", by_default ? " (by default)" : "",
           choice->tolerance);
    if (choice->slab)
        puts("of a slab: periodic along the first two edges, empty space beyond");
    else
        printf("in a continuum of permittivity %g\n", in->epsilon_rf);
    if (choice->split == PH_SPLIT_GAUSS)
        printf("  split: Gauss, screening %.6g\n", choice->screening);
    else
        printf("  split: Kaiser-Bessel, shape %.6g, %d continuous derivatives, ends at the cutoff\n", choice->shape,
               choice->smoothness);
    if (!mesh) {
        printf("  reciprocal vectors: up to k = %.6g\n", choice->k_max);
        if (choice->expected_error > 0.0)
            printf("  expected: relative error of electric forces %.2g\n", choice->expected_error);
        return;
    }
    printf(
        "  mesh: %d x %d x %d points; window: Kaiser-Bessel, shape %.6g, %d points wide, %d continuous derivatives\n",
        choice->grid[0], choice->grid[1], choice->grid[2], choice->window, choice->width, choice->smoothness);
    if (choice->remove_net_force)
        puts("  net force of the mesh: taken off");
    if (choice->expected_error > 0.0)
        printf("  expected: relative error of electric forces %.2g\n", choice->expected_error);
    const double mesh_cost = choice->spread_cost + choice->transform_cost + choice->gather_cost;
    if (mesh_cost > 0.0)
        printf("  expected cost of forces, one core: %.3g ms; pairs %.2g, spreading %.2g, Fourier transforms %.2g, "
               "gathering %.2g\n",
               1e-6 * (choice->pairs_cost + mesh_cost), 1e-6 * choice->pairs_cost, 1e-6 * choice->spread_cost,
               1e-6 * choice->transform_cost, 1e-6 * choice->gather_cost);
}

static void print_interactions(const struct ph_interactions *in, bool by_default)
{
    switch (in->truncation) {
    case PH_TRUNCATE_NONE: puts("cutoff: none, all pairs interact"); break;
    case PH_TRUNCATE_SWITCHED:
        printf("cutoff: %.10g, %sswitched off over the last %.10g with ", in->cutoff,
               ph_field_is_smooth(in) ? "radial terms " : "", in->switch_width);
        if (in->smoothness == PH_SMOOTH_ALL)
            puts("all derivatives continuous");
        else
            printf("%d continuous derivatives\n", in->smoothness);
        break;
    default:
        printf("cutoff: %.10g, %s\n", in->cutoff,
               in->truncation == PH_TRUNCATE_CUT       ? "cut"
               : in->truncation == PH_TRUNCATE_SHIFTED ? "shifted to zero"
                                                       : "force shifted to zero");
    }
    if (in->electrostatics == PH_ELECTROSTATICS_REACTION_FIELD)
        printf("electrostatics: reaction field of a continuum of permittivity %g%s\n", in->epsilon_rf,
               ph_field_is_smooth(in) ? ", which vanishes at the cutoff as smoothly" : "");
    if (ph_is_ewald(in))
        print_ewald(in, by_default);
    if (in->long_range_correction)
        puts("long-range correction of radial interactions: yes");
    for (size_t k = 0; k < ph_external_count(); ++k)
        if (ph_external_present(ph_external_at(k), &in->external)) {
            char text[256];
            ph_external_describe(ph_external_at(k), &in->external, sizeof text, text);
            puts(text);
        }
    if (in->plumed.file[0])
        printf("bias: PLUMED, with %s\n", in->plumed.file);
    if (in->pinned)
        puts("centres are pinned");
}

static bool named_before(const struct ph_species *species, size_t a)
{
    for (size_t b = 0; b < a; ++b)
        if (strcmp(species->site[a].name, species->site[b].name) == 0)
            return true;
    return false;
}

/* "of the pair A, B itself: gay-berne, epsilon 1.5, sigma 0.9" */
static void print_ellipsoids(const struct ph_pair_override *given)
{
    printf("of the pair %s, %s itself: %s", given->site[0], given->site[1], ph_angular_forms[given->angular.kind].name);
    for (size_t k = 0; k < ph_angular_number_count; ++k)
        if (ph_angular_replaces(&given->angular, &ph_angular_numbers[k]))
            printf(", %s %.9g", ph_angular_numbers[k].key, given->angular.number[ph_angular_numbers[k].place]);
    puts("");
}

/* Radial pairs, each once by the names of its sites */
static void print_pairs(const struct ph_system *system, const struct ph_interactions *in)
{
    bool any = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t t = s; t < system->n_species; ++t)
            for (size_t a = 0; a < system->species[s].n_sites; ++a)
                for (size_t b = s == t ? a : 0; b < system->species[t].n_sites; ++b) {
                    const struct ph_species *one = &system->species[s], *other = &system->species[t];
                    struct ph_radial radial;
                    if (named_before(one, a) || named_before(other, b) ||
                        ph_combine(in, one, a, other, b, &radial, NULL) != PH_OK || radial.kind == PH_RADIAL_NONE)
                        continue;
                    if (!any)
                        puts("\nradial pairs:");
                    any = true;
                    char text[256];
                    ph_radial_describe(&radial, sizeof text, text);
                    printf("  %s.%s, %s.%s: %s\n", one->name, one->site[a].name, other->name, other->site[b].name,
                           text);
                }
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const struct ph_species *species = &system->species[s];
            char text[512];
            if (species->site[a].angular.kind == PH_ANGULAR_NONE || named_before(species, a))
                continue;
            if (!any)
                puts("");
            any = true;
            ph_angular_describe(&species->site[a].angular, sizeof text, text);
            printf("angular form of %s.%s: %s\n", species->name, species->site[a].name, text);
        }
    for (size_t k = 0; k < in->n_overrides; ++k) {
        const struct ph_pair_override *given = &in->overrides[k];
        char text[512];
        if (given->angular.kind == PH_ANGULAR_NONE)
            continue;
        if (!any)
            puts("");
        any = true;
        if (given->angular.kind != PH_ANGULAR_FORMULA) {
            print_ellipsoids(given);
            continue;
        }
        ph_angular_describe(&given->angular, sizeof text, text);
        printf("instead of all other forms of %s, %s: %s\n", given->site[0], given->site[1], text);
    }
    bool charges = false, dipoles = false;
    for (size_t s = 0; s < system->n_species; ++s)
        for (size_t a = 0; a < system->species[s].n_sites; ++a) {
            const double *mu = system->species[s].site[a].dipole;
            charges = charges || system->species[s].site[a].charge != 0.0;
            dipoles = dipoles || !ph_vec3_is_zero(mu);
        }
    if (charges || dipoles)
        printf("%selectric pairs: %s%s%s%s\n", any ? "" : "\n", charges ? "charges" : "",
               charges && dipoles ? " and " : "", dipoles ? "dipoles" : "",
               in->electrostatics == PH_ELECTROSTATICS_CUTOFF && in->truncation != PH_TRUNCATE_NONE
                   ? ", nothing beyond the cutoff"
                   : "");
}

static void print_charge(const struct ph_system *system, const struct ph_interactions *in)
{
    const double charge = ph_system_charge(system);
    if (ph_is_ewald(in) && charge != 0.0)
        printf("net charge: %.10g, %s\n", charge,
               in->ewald.slab ? "of the slab alone" : "neutralised by a uniform background");
}

static enum ph_status print_start(const struct ph_cli_loaded *loaded, struct ph_error *err)
{
    const struct ph_input *input = loaded->input;
    struct ph_closest closest;
    const enum ph_status status = ph_closest_pair(loaded->system, &closest, err);
    if (status != PH_OK)
        return status;
    printf("\nstart: %s", input->system.start.kind);
    if (input->system.start.temperature > 0.0 || strcmp(input->system.start.kind, "file") != 0)
        printf(", temperature %.10g", input->system.start.temperature);
    printf(", potential energy %.10g per molecule", ph_energy_total(&loaded->energy) / (double)loaded->system->n);
    if (isfinite(closest.distance))
        printf(", closest centres %.6g apart", closest.distance);
    puts("");
    return PH_OK;
}

/* Finds whatever a run would refuse: the simulation is built as by polhode run, but not started. */
static enum ph_status check_run(const struct ph_input *input, struct ph_forecast *forecast, struct ph_error *err)
{
    struct ph_texts none = {.n = 0}; /* nothing will be written */
    struct ph_simulation *simulation;
    enum ph_status status = ph_simulation_create(&none, input, NULL, &simulation, err);
    if (status != PH_OK)
        return status;
    status = ph_simulation_forecast(simulation, forecast, err);
    ph_simulation_destroy(simulation);
    return status;
}

static void print_forecast(const char *command, const struct ph_forecast *forecast)
{
    char bytes[PH_CLI_BYTES], free[PH_CLI_BYTES];
    printf("output: a trajectory of %s%s", forecast->packed ? "up to " : "about ",
           ph_cli_bytes(forecast->bytes, bytes));
    if (forecast->free >= 0.0)
        printf("; %s are free", ph_cli_bytes(forecast->free, free));
    puts("");
    ph_cli_warn_of_disk(command, forecast);
}

static void print_dynamics(const struct ph_input *input, const struct ph_methods *methods,
                           const struct ph_system *system, const struct ph_interactions *interactions)
{
    char words[PH_METHOD_WORDS];
    for (size_t k = 0; k < input->n_stages && input->staged; ++k) {
        char stage[PH_STAGE_WORDS];
        ph_stage_describe(input, k, stage);
        printf("stage '%s': %lld steps; %s%s\n", input->stages[k].name, (long long)input->stages[k].steps, stage,
               input->stages[k].land ? "; lands on its temperature" : "");
    }
    ph_methods_describe(methods, !input->dynamics.scheme[0], words);
    if (!input->staged)
        printf("dynamics: %s, step %.10g, %lld steps\n", words, input->dynamics.step, (long long)input->dynamics.steps);
    if (!input->staged && (input->dynamics.thermostat.kind[0] || input->dynamics.barostat.kind[0])) {
        char stage[PH_STAGE_WORDS];
        ph_stage_describe(input, input->n_stages - 1, stage);
        printf("ensemble: %s\n", stage);
    }
    if (input->dynamics.equilibrate.steps > 0)
        printf("before: %lld steps at temperature %.10g, relaxation time %.10g\n",
               (long long)input->dynamics.equilibrate.steps, input->dynamics.equilibrate.temperature,
               input->dynamics.equilibrate.relaxation_time);
    char advice[PH_ADVICE];
    ph_methods_advice(methods, system, interactions, advice);
    if (advice[0])
        printf("warning: %s\n", advice);
}

/* ---- Gradients ---- */

/* False if the deviation is too large */
static bool print_gradient(const char *what, const struct ph_gradient *g, bool of_molecule)
{
    static const char axes[] = "xyz";
    const bool good = g->deviation <= gradient_tolerance;
    if (!g->checked)
        return true;
    printf("  %-8s %9.2g of %.6g  ", what, g->deviation, g->scale);
    if (of_molecule)
        printf("worst: %c of molecule %zu, ", axes[g->axis[0]], g->molecule);
    else
        printf("worst: %c%c, ", axes[g->axis[0]], axes[g->axis[1]]);
    printf("%.12g, by differences %.12g%s\n", g->given, g->difference, good ? "" : "  FAILED");
    return good;
}

static enum ph_status check_gradients(const struct ph_cli_loaded *loaded, struct ph_error *err)
{
    struct ph_gradients gradients;
    const enum ph_status status =
        ph_check_gradients(loaded->system, &loaded->interactions, GRADIENT_MOLECULES, &gradients, err);
    if (status != PH_OK)
        return status;
    printf("\ngradients: %zu molecules displaced by up to %.2g; largest deviations, relative to the force itself:\n",
           gradients.n_molecules, gradients.step);
    const bool force = print_gradient("force", &gradients.force, true);
    const bool torque = print_gradient("torque", &gradients.torque, true);
    const bool virial = print_gradient("virial", &gradients.virial, false);
    if (gradients.virial_note[0])
        printf("  virial   not checked: %s\n", gradients.virial_note);
    if (force && torque && virial)
        return PH_OK;
    return ph_error_set(err, PH_ERR_CHECK,
                        "%s: not the gradient of the energy, beyond a relative deviation of %g:%s%s%s.",
                        loaded->input->file, gradient_tolerance, force ? "" : " force", torque ? "" : " torque",
                        virial ? "" : " virial");
}

int ph_cmd_check(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "INPUT.yaml|-",
        .doc = "Reads an input, builds its system, and prints how the program understands it.\vWith --gradients the "
               "exit status is 1 if forces, torques or the virial deviate from finite differences of the energy by "
               "more than 1e-6 of themselves.",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;
    struct ph_error err;
    struct ph_cli_loaded loaded;
    enum ph_status status = ph_cli_load(&words.input, &loaded, &err);
    struct ph_methods methods;
    if (status == PH_OK)
        status = ph_methods_find(loaded.input, &methods, &err);
    struct ph_forecast forecast;
    if (status == PH_OK && loaded.input->dynamics.line > 0)
        status = check_run(loaded.input, &forecast, &err);
    if (status == PH_OK) {
        ph_cli_print_notes(&loaded);
        printf("%s%s%s\nunits: %s\n", loaded.input->file, loaded.input->title[0] ? ": " : "", loaded.input->title,
               loaded.units->name);
        print_species(loaded.input, loaded.system, &loaded.interactions);
        print_box(loaded.system);
        print_interactions(&loaded.interactions, loaded.input->interactions.method_chosen);
        print_pairs(loaded.system, &loaded.interactions);
        print_charge(loaded.system, &loaded.interactions);
        status = print_start(&loaded, &err);
    }
    if (status == PH_OK && loaded.input->dynamics.line > 0) {
        print_dynamics(loaded.input, &methods, loaded.system, &loaded.interactions);
        print_forecast(argv[0], &forecast);
    }
    if (status == PH_OK && words.gradients)
        status = check_gradients(&loaded, &err);
    ph_cli_unload(&loaded);
    return status == PH_OK ? PH_OK : ph_cli_fail_input(argv[0], &words.input, &err);
}
