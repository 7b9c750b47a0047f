/* SPDX-License-Identifier: MIT */
/* polhode list: all methods, models, problems and studies, as their registries describe them. */
#include "cli/cli.h"

#include "accel/backends.h"
#include "dynamics/mover.h"
#include "input/model_file.h"
#include "lab/certify/flow.h"
#include "lab/sphere/s2.h"
#include "lab/studies/frame/study.h"

#include <argp.h>
#include <math.h>
#include <string.h>

struct words {
    const char *kind; /* NULL: all */
    bool json;
};

static void say_flows(struct ph_json *json);
static void say_schemes(struct ph_json *json);
static void say_thermostats(struct ph_json *json);
static void say_barostats(struct ph_json *json);
static void say_backends(struct ph_json *json);
static void say_models(struct ph_json *json);
static void say_potentials(struct ph_json *json);
static void say_problems(struct ph_json *json);
static void say_studies(struct ph_json *json);

static const struct kind {
    const char *name;
    void (*say)(struct ph_json *json);
} kinds[] = {
    {"flows", say_flows},
    {"schemes", say_schemes},
    {"integrators", ph_cli_say_integrators},
    {"thermostats", say_thermostats},
    {"barostats", say_barostats},
    {"backends", say_backends},
    {"potentials", say_potentials},
    {"models", say_models},
    {"problems", say_problems},
    {"studies", say_studies},
    {"keys", ph_cli_say_keys},
    {"analyses", ph_cli_say_analyses},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static const char *kind_name(size_t i) { return kinds[i].name; }

static void say_flows(struct ph_json *json)
{
    int longest = 0;
    for (size_t i = 0; i < ph_flow_count(); ++i) {
        const int length = (int)strlen(ph_flow_at(i)->name);
        longest = length > longest ? length : longest;
    }
    ph_json_say(json, "flows: ways to advance a free rigid body\n");
    ph_json_begin_array(json, "flows");
    for (size_t i = 0; i < ph_flow_count(); ++i) {
        const struct ph_flow *flow = ph_flow_at(i);
        ph_json_begin_object(json, NULL);
        ph_json_string(json, "name", flow->name);
        ph_json_integer(json, "order", flow->order);
        ph_json_bool(json, "exact", flow->order == 0);
        ph_json_bool(json, "exact_momentum", flow->order == 0 || flow->exact_momentum);
        ph_json_strings(json, "summary", flow->summary, "documentation", flow->documentation, "reference",
                        flow->reference);
        ph_json_say(json, "\n  %-*s  %s; ", longest, flow->name, flow->summary);
        if (flow->order == 0)
            ph_json_say(json, "exact\n");
        else
            ph_json_say(json, "order %d%s\n", flow->order,
                        flow->exact_momentum ? " in the orientation, momentum exact" : "");
        ph_cli_say_claims(json, longest + 4, &ph_flow_cards, &flow->claims);
        ph_cli_say_wrapped(json, longest + 4, flow->reference);
        ph_json_end(json);
    }
    ph_json_end(json);
}

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

static void say_scheme(struct ph_json *json, const struct ph_scheme *scheme, int longest)
{
    const size_t half = (size_t)scheme->flows / 2 + 1;
    const int evaluations = ph_scheme_evaluations(scheme), gradients = ph_scheme_gradients(scheme);
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "name", scheme->name);
    ph_json_integer(json, "order", scheme->order);
    ph_json_string(json, "kind", ph_scheme_kind_name(scheme->kind));
    ph_json_integer(json, "evaluations", evaluations);
    ph_json_integer(json, "gradients", gradients);
    ph_json_bool(json, "kick_first", ph_scheme_kick_first(scheme));
    ph_json_integer(json, "digits", scheme->digits);
    ph_json_strings(json, "summary", scheme->summary, "reference", scheme->reference);
    ph_json_numbers(json, "x", half, scheme->x); /* from the outermost flow to the middle one */
    if (!ph_scheme_is_plain(scheme))
        ph_json_numbers(json, "c", half, scheme->c);
    ph_json_end(json);
    ph_json_say(json, "  %-*s  %s; order %d, %d evaluation%s", longest, scheme->name, scheme->summary, scheme->order,
                evaluations, plural((size_t)evaluations));
    if (gradients > 0)
        ph_json_say(json, " and %d gradient%s", gradients, plural((size_t)gradients));
    ph_json_say(json, " a step, %s first\n", ph_scheme_kick_first(scheme) ? "kick" : "drift");
    char source[320], digits[48] = "";
    if (scheme->digits < PH_SCHEME_DIGITS)
        snprintf(digits, sizeof digits, "; published to %d digits", scheme->digits);
    snprintf(source, sizeof source, "%s%s", scheme->reference, digits);
    ph_cli_say_wrapped(json, longest + 4, source);
}

static void say_schemes(struct ph_json *json)
{
    static const char *const needs[] = {
        [PH_SCHEME_PRK] = "for any two flows",
        [PH_SCHEME_RKN] = "for kinetic energies quadratic in the momenta, and an exact flow of them",
        [PH_SCHEME_GRADIENT] = "as RKN, with gradients of the forces, each about as long as an evaluation",
        [PH_SCHEME_DISPLACED] = "as gradient, but by one evaluation of displaced forces; reversible, not symplectic",
    };
    int longest = 0;
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const int length = (int)strlen(ph_scheme_at(i)->name);
        longest = length > longest ? length : longest;
    }
    ph_json_say(json, "schemes: ways to compose a step of drifts and kicks\n");
    ph_json_begin_array(json, "schemes");
    for (size_t i = 0; i < ph_scheme_count(); ++i) {
        const struct ph_scheme *scheme = ph_scheme_at(i);
        if (i == 0 || scheme->kind != ph_scheme_at(i - 1)->kind)
            ph_json_say(json, "\n%s: %s\n", ph_scheme_kind_name(scheme->kind), needs[scheme->kind]);
        say_scheme(json, scheme, longest);
    }
    ph_json_end(json);
}

static void say_surroundings(struct ph_json *json, const char *name, const char *summary, const char *reference)
{
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "name", name, "summary", summary, "reference", reference);
    ph_json_end(json);
    ph_json_say(json, "\n  %s  %s\n", name, summary);
    if (reference[0])
        ph_cli_say_wrapped(json, 4, reference);
}

static void say_thermostats(struct ph_json *json)
{
    ph_json_say(json, "thermostats: what keeps the temperature, as thermostat.kind of dynamics or of a stage\n");
    ph_json_begin_array(json, "thermostats");
    for (size_t k = 0; k < ph_bath_count(); ++k)
        say_surroundings(json, ph_bath_at(k)->name, ph_bath_at(k)->summary, ph_bath_at(k)->reference);
    say_surroundings(json, "nose-poincare", ph_extended_thermostat_summary, ph_extended_reference);
    ph_json_end(json);
}

static void say_barostats(struct ph_json *json)
{
    ph_json_say(json, "barostats: what changes the box, as barostat.kind of dynamics or of a stage\n");
    ph_json_begin_array(json, "barostats");
    for (size_t k = 0; k < ph_cell_count(); ++k)
        say_surroundings(json, ph_cell_at(k)->name, ph_cell_at(k)->summary, ph_cell_at(k)->reference);
    say_surroundings(json, "andersen", ph_extended_cell_summary, ph_extended_reference);
    ph_json_end(json);
}

static void say_backends(struct ph_json *json)
{
    ph_json_say(json, "backends: where a run takes place, as dynamics.backend or --backend\n");
    ph_json_begin_array(json, "backends");
    for (size_t k = 0; k < ph_backend_count(); ++k) {
        const struct ph_backend_kind *kind = ph_backend_at(k);
        struct ph_machine_facts facts = {.built = true, .found = true, .device = "this processor"};
        if (kind->machine)
            kind->machine->look(&facts);
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", kind->name, "summary", kind->summary, "documentation", kind->documentation);
        ph_json_bool(json, "built", facts.built);
        ph_json_bool(json, "found", facts.found);
        ph_json_string(json, "device", facts.device);
        ph_json_integer(json, "devices", facts.devices);
        ph_json_say(json, "\n  %s  %s\n    %s: %s", kind->name, kind->summary, facts.found ? "found" : "not available",
                    facts.device);
        if (facts.memory > 0.0) {
            ph_json_number(json, "memory", facts.memory);
            ph_json_number(json, "free_memory", facts.free_memory);
            ph_json_say(json, ", %.1f GiB of memory, %.1f free", facts.memory / 0x1p30, facts.free_memory / 0x1p30);
        }
        if (facts.devices > 0)
            ph_json_say(json, "; %d device%s", facts.devices, facts.devices == 1 ? "" : "s");
        ph_json_say(json, "\n");
        ph_cli_say_wrapped(json, 4, kind->documentation);
        ph_json_end(json);
    }
    ph_json_end(json);
}

static bool no_memory; /* no memory for one of the models: the list is incomplete */

/* A file that cannot be read is listed with the error, and left out of JSON. */
static bool say_model(const char *file, void *data)
{
    struct ph_json *json = data;
    struct ph_input_model model;
    struct ph_error err;
    const enum ph_status status = ph_model_read(file, NULL, &model, &err);
    if (status != PH_OK) {
        ph_json_say(json, "\n  %s\n", err.text);
        no_memory = no_memory || status == PH_ERR_MEMORY;
        return true;
    }
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "name", model.name, "file", file, "description", model.description, "source", model.source,
                    "units", model.units);
    ph_json_integer(json, "sites", (int)model.n_sites);
    ph_json_end(json);
    ph_json_say(json, "\n  %s  %s; units %s, %zu site%s\n", model.name, model.description, model.units, model.n_sites,
                plural(model.n_sites));
    ph_cli_say_wrapped(json, 4, model.source);
    return true;
}

static void say_models(struct ph_json *json)
{
    ph_json_say(json, "models: molecules that an input can name\n");
    ph_json_begin_array(json, "models");
    ph_model_visit(say_model, json);
    ph_json_end(json);
}

static const char *const unlike[] = {
    [PH_RULE_SAME] = "must agree", [PH_RULE_ENERGY] = "geometric mean", [PH_RULE_LENGTH] = "interactions.combining"};

static void say_number(struct ph_json *json, const char *key, const char *help, const char *unlike_sites)
{
    ph_json_begin_object(json, NULL);
    ph_json_strings(json, "key", key, "help", help, "unlike_sites", unlike_sites);
    ph_json_end(json);
    ph_json_say(json, "    %s: %s; unlike sites: %s\n", key, help, unlike_sites);
}

/* Angular forms, in the list of potentials */
static void say_angular_forms(struct ph_json *json)
{
    ph_json_say(json, "\nangular forms, which depend on how two sites are turned, in models\n");
    for (size_t k = 0; k < PH_ANGULAR_KINDS; ++k) {
        const struct ph_angular_form *form = &ph_angular_forms[k];
        if (!form->name)
            continue;
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", form->name, "title", form->title, "formula", form->formula);
        ph_json_say(json, "\n  %s  %s\n", form->name, form->formula);
        ph_json_begin_array(json, "numbers");
        for (size_t n = 0; n < ph_angular_number_count; ++n) {
            const struct ph_angular_number *number = &ph_angular_numbers[n];
            if (number->kind != (enum ph_angular_kind)k)
                continue;
            say_number(json, number->key, number->help, number->own ? "each its own" : unlike[number->rule]);
        }
        ph_json_end(json);
        ph_json_end(json);
    }
}

static void say_texts(const struct ph_form *form, struct ph_json *json)
{
    ph_json_begin_array(json, "texts");
    for (size_t k = 0; k < ph_form_text_count; ++k) {
        if (&ph_forms[ph_form_texts[k].form] != form)
            continue;
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "key", ph_form_texts[k].key, "help", ph_form_texts[k].help);
        ph_json_end(json);
        ph_json_say(json, "    %s: %s\n", ph_form_texts[k].key, ph_form_texts[k].help);
    }
    ph_json_end(json);
}

static void say_potentials(struct ph_json *json)
{
    ph_json_say(json, "potentials: radial interactions of two sites, in models and in interactions.pairs\n");
    ph_json_begin_array(json, "potentials");
    for (size_t k = 0; k < PH_FORM_COUNT; ++k) {
        const struct ph_form *form = &ph_forms[k];
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", form->name, "title", form->title, "formula", form->formula);
        ph_json_say(json, "\n  %s  %s\n", form->name, form->formula);
        ph_json_begin_array(json, "numbers");
        for (size_t n = 0; n < ph_form_number_count; ++n) {
            const struct ph_form_number *number = &ph_form_numbers[n];
            if (&ph_forms[number->form] != form)
                continue;
            say_number(json, number->key, number->help, unlike[number->rule]);
        }
        ph_json_end(json);
        say_texts(form, json);
        ph_json_end(json);
    }
    say_angular_forms(json);
    ph_json_end(json);
}

static void say_problems(struct ph_json *json)
{
    ph_json_say(json, "problems: systems of the literature, for studies and tests\n");
    ph_json_begin_array(json, "problems");
    for (size_t i = 0; i < ph_problem_count(); ++i) {
        const struct ph_problem *problem = ph_problem_at(i);
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", problem->name, "summary", problem->summary, "documentation",
                        problem->documentation, "reference", problem->reference);
        ph_json_number(json, "time", problem->time);
        ph_json_number(json, "energy", problem->energy != 0.0 ? problem->energy : NAN);
        ph_json_bool(json, "random", problem->random);
        ph_json_say(json, "\n  %s  %s\n", problem->name, problem->summary);
        ph_cli_say_wrapped(json, 4, problem->documentation);
        ph_json_begin_object(json, "parameters");
        for (size_t k = 0; k < problem->n_parameters; ++k) {
            ph_json_number(json, problem->parameter[k].name, problem->parameter[k].value);
            ph_json_say(json, "    %s = %.15g: %s\n", problem->parameter[k].name, problem->parameter[k].value,
                        problem->parameter[k].help);
        }
        ph_json_end(json);
        ph_json_end(json);
        ph_cli_say_wrapped(json, 4, problem->reference);
    }
    ph_json_end(json);
    for (size_t i = 0; i < ph_s2_problem_count(); ++i) {
        const struct ph_s2_problem *problem = ph_s2_problem_at(i);
        if (problem->n_coupled == 0) /* the others are above */
            continue;
        ph_json_say(json, "\n  %s  %s; for integrators on spheres alone\n", problem->name, problem->summary);
        ph_cli_say_wrapped(json, 4, problem->rotors->documentation);
        ph_cli_say_wrapped(json, 4, problem->reference);
    }
}

static void say_studies(struct ph_json *json)
{
    ph_json_say(json, "studies: experiments of the literature that 'polhode study' repeats\n");
    ph_json_begin_array(json, "studies");
    for (size_t i = 0; i < ph_study_count(); ++i) {
        const struct ph_study *study = ph_study_at(i);
        ph_json_begin_object(json, NULL);
        ph_json_strings(json, "name", study->name, "title", study->title, "figure", study->figure, "reference",
                        study->reference, "setup", study->setup, "quick", study->quick);
        ph_json_begin_array(json, "claims");
        for (size_t k = 0; k < ph_study_claims(study); ++k)
            ph_json_string(json, NULL, study->claim[k].text);
        ph_json_end(json);
        ph_json_end(json);
        ph_json_say(json, "\n  %s  %s; %s\n", study->name, study->title, study->figure);
        ph_cli_say_wrapped(json, 4, study->setup);
        ph_cli_say_wrapped(json, 4, study->reference);
    }
    ph_json_end(json);
}

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    struct words *words = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (words->kind)
        argp_error(state, "one kind at a time: '%s' or '%s'", words->kind, arg);
    words->kind = arg;
    return 0;
}

int ph_cmd_list(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "[flows|schemes|integrators|thermostats|barostats|backends|potentials|models|problems|studies|keys|"
                    "analyses]",
        .doc = "Lists methods, models, keys and analyses with references. Without a kind, lists all kinds.",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;

    size_t first = 0, end = N_KINDS;
    if (words.kind) {
        while (first < N_KINDS && strcmp(kinds[first].name, words.kind) != 0)
            ++first;
        if (first == N_KINDS) {
            struct ph_error err;
            ph_cli_unknown_name("kind", words.kind, N_KINDS, kind_name, &err);
            return ph_cli_fail(argv[0], &err);
        }
        end = first + 1;
    }
    struct ph_json json = {.out = stdout, .text = !words.json};
    ph_json_begin_object(&json, NULL);
    for (size_t i = first; i < end; ++i) {
        kinds[i].say(&json);
        if (i + 1 < end)
            ph_json_say(&json, "\n");
    }
    ph_json_end(&json);
    if (no_memory) {
        struct ph_error err;
        ph_no_memory(&err, "all models");
        return ph_cli_fail(argv[0], &err);
    }
    return PH_OK;
}
