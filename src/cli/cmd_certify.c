/* SPDX-License-Identifier: MIT */
/* polhode certify: measures what the methods claim, and says where measurement and claim differ. */
#include "cli/cmd_certify.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "polhode certify";

struct words {
    const char **names; /* as typed; owned */
    size_t n_names;
    bool all, json;
};

const char *const ph_verdict_words[] = {
    [PH_VERDICT_NO] = "no", [PH_VERDICT_YES] = "yes", [PH_VERDICT_UNRESOLVED] = "?"};
const char *const ph_claim_words[] = {
    [PH_CLAIM_CONFIRMED] = "confirmed", [PH_CLAIM_CONTRADICTED] = "CONTRADICTED", [PH_CLAIM_OPEN] = "open"};

const char *ph_cli_order_text(const struct ph_order *order, char text[static 16])
{
    if (order->exact)
        return "exact";
    if (!order->resolved)
        return "?";
    snprintf(text, 16, "%.2f", order->order);
    return text;
}

enum key { KEY_ALL = 256, KEY_JSON };

static const struct argp_option options[] = {
    {.name = "all", .key = KEY_ALL, .doc = "All flows, schemes and integrators (also without any NAME)"},
    {.name = "json", .key = KEY_JSON, .doc = "Print one JSON document"},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct words *words = state->input;
    switch (key) {
    case KEY_ALL: words->all = true; return 0;
    case KEY_JSON: words->json = true; return 0;
    case ARGP_KEY_ARG: words->names[words->n_names++] = argument; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[NAME...]",
    .doc = "Measures what methods claim and compares: of flows of the free rigid body, linear rotors among them, their "
           "order, conserved quantities, "
           "geometry and cost; of splitting schemes, with the exact flow, their order on three dipoles and on a heavy "
           "top, geometry, conserved quantities, drift of the energy, and the forces they evaluate; of one-step "
           "integrators "
           "the same on one body, free and in a potential, or of those on spheres on pendulums and magnetic needles. A "
           "NAME is that of a flow, a scheme or an integrator, or "
           "'flows', 'schemes' or 'integrators' for all of them.\vOrders are slopes of errors against independent "
           "power series of the true motion, and coefficients must meet the order conditions to rounding; "
           "symplecticity is tested on the Jacobian of a step. Exit status 1 if a claim "
           "is contradicted.",
};

/* ---- what is asked for ---- */

/* In the order typed */
struct choice {
    const struct ph_flow **flows;             /* owned */
    const struct ph_scheme **schemes;         /* owned */
    const struct ph_integrator **integrators; /* owned */
    const struct ph_s2_method **spheres;      /* owned */
    size_t n_flows, n_schemes, n_integrators, n_spheres;
};

/* What was measured of them */
struct cards {
    struct ph_flow_card *flows;             /* owned */
    struct ph_scheme_card *schemes;         /* owned */
    struct ph_integrator_card *integrators; /* owned */
    struct ph_s2_card *spheres;             /* owned */
};

static void choose_flows(struct choice *choice)
{
    for (size_t i = 0; i < ph_flow_count(); ++i)
        choice->flows[choice->n_flows++] = ph_flow_at(i);
}

static void choose_schemes(struct choice *choice)
{
    for (size_t i = 0; i < ph_scheme_count(); ++i)
        choice->schemes[choice->n_schemes++] = ph_scheme_at(i);
}

static void choose_integrators(struct choice *choice)
{
    for (size_t i = 0; i < ph_integrator_count(); ++i)
        choice->integrators[choice->n_integrators++] = ph_integrator_at(i);
    for (size_t i = 0; i < ph_s2_method_count(); ++i)
        choice->spheres[choice->n_spheres++] = ph_s2_method_at(i);
}

static const char *any_name(size_t i)
{
    if (i < ph_flow_count())
        return ph_flow_at(i)->name;
    i -= ph_flow_count();
    if (i < ph_scheme_count())
        return ph_scheme_at(i)->name;
    i -= ph_scheme_count();
    return i < ph_integrator_count() ? ph_integrator_at(i)->name : ph_s2_method_at(i - ph_integrator_count())->name;
}

static size_t count_all(void)
{
    return ph_flow_count() + ph_scheme_count() + ph_integrator_count() + ph_s2_method_count();
}

static enum ph_status choose_name(const char *name, struct choice *choice, struct ph_error *err)
{
    const struct ph_flow *flow = ph_flow_find(name);
    const struct ph_scheme *scheme = ph_scheme_find(name);
    const struct ph_integrator *integrator = ph_integrator_find(name);
    const struct ph_s2_method *on_spheres = ph_s2_method_find(name);
    if (flow)
        choice->flows[choice->n_flows++] = flow;
    else if (scheme)
        choice->schemes[choice->n_schemes++] = scheme;
    else if (integrator)
        choice->integrators[choice->n_integrators++] = integrator;
    else if (on_spheres)
        choice->spheres[choice->n_spheres++] = on_spheres;
    else if (strcmp(name, "flows") == 0)
        choose_flows(choice);
    else if (strcmp(name, "schemes") == 0)
        choose_schemes(choice);
    else if (strcmp(name, "integrators") == 0)
        choose_integrators(choice);
    else {
        const char *near = ph_cli_nearest(name, count_all(), any_name);
        return ph_error_set(err, PH_ERR_INPUT,
                            "There is no flow, scheme or integrator named '%s'.%s%s%s 'polhode list flows', 'polhode "
                            "list schemes' and 'polhode list integrators' show all.",
                            name, near ? " Did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return PH_OK;
}

static enum ph_status choose(const struct words *words, struct choice *choice, struct ph_error *err)
{
    if (words->all && words->n_names > 0)
        return ph_error_set(err, PH_ERR_INPUT, "Give either --all or names ('%s'), not both.", words->names[0]);
    if (words->n_names == 0) {
        choose_flows(choice);
        choose_schemes(choice);
        choose_integrators(choice);
    }
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < words->n_names && status == PH_OK; ++i)
        status = choose_name(words->names[i], choice, err);
    return status;
}

/* ---- measured and shown ---- */

static void show_json(const struct choice *choice, const struct cards *cards)
{
    struct ph_json json = {.out = stdout};
    ph_json_begin_object(&json, NULL);
    ph_cli_flow_json(&json, choice->n_flows, cards->flows);
    ph_cli_scheme_json(&json, choice->n_schemes, cards->schemes);
    ph_cli_integrator_json(&json, choice->n_integrators, cards->integrators);
    ph_cli_s2_json(&json, choice->n_spheres, cards->spheres);
    ph_json_end(&json);
}

static void show(const struct choice *choice, const struct cards *cards)
{
    if (choice->n_flows == 1)
        ph_cli_flow_card(cards->flows);
    else if (choice->n_flows > 1)
        ph_cli_flow_table(choice->n_flows, cards->flows);
    if (choice->n_flows > 0 && choice->n_schemes > 0)
        putchar('\n');
    if (choice->n_schemes == 1)
        ph_cli_scheme_card(cards->schemes);
    else if (choice->n_schemes > 1)
        ph_cli_scheme_table(choice->n_schemes, cards->schemes);
    if (choice->n_flows + choice->n_schemes > 0 && choice->n_integrators > 0)
        putchar('\n');
    if (choice->n_integrators == 1)
        ph_cli_integrator_card(cards->integrators);
    else if (choice->n_integrators > 1)
        ph_cli_integrator_table(choice->n_integrators, cards->integrators);
    if (choice->n_flows + choice->n_schemes + choice->n_integrators > 0 && choice->n_spheres > 0)
        putchar('\n');
    if (choice->n_spheres == 1)
        ph_cli_s2_card(cards->spheres);
    else if (choice->n_spheres > 1)
        ph_cli_s2_table(choice->n_spheres, cards->spheres);
}

static enum ph_status measure(const struct choice *choice, struct cards *cards, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (size_t i = 0; i < choice->n_flows && status == PH_OK; ++i)
        status = ph_certify_flow(choice->flows[i], &cards->flows[i], err);
    if (status == PH_OK && choice->n_schemes > 0) {
        struct ph_scheme_bench *bench;
        status = ph_scheme_bench_create(&bench, err);
        for (size_t i = 0; i < choice->n_schemes && status == PH_OK; ++i)
            status = ph_certify_scheme(bench, choice->schemes[i], ph_flow_find("exact"), &cards->schemes[i], err);
        ph_scheme_bench_destroy(bench);
    }
    for (size_t i = 0; i < choice->n_integrators && status == PH_OK; ++i)
        status = ph_certify_integrator(choice->integrators[i], &cards->integrators[i], err);
    for (size_t i = 0; i < choice->n_spheres && status == PH_OK; ++i)
        status = ph_certify_s2(choice->spheres[i], &cards->spheres[i], err);
    return status;
}

static int count_contradicted(const struct choice *choice, const struct cards *cards)
{
    int contradicted = 0;
    for (size_t i = 0; i < choice->n_flows; ++i)
        contradicted += ph_flow_card_count(&cards->flows[i], PH_CLAIM_CONTRADICTED);
    for (size_t i = 0; i < choice->n_schemes; ++i)
        contradicted += ph_scheme_card_count(&cards->schemes[i], PH_CLAIM_CONTRADICTED);
    for (size_t i = 0; i < choice->n_integrators; ++i)
        contradicted += ph_integrator_card_count(&cards->integrators[i], PH_CLAIM_CONTRADICTED);
    for (size_t i = 0; i < choice->n_spheres; ++i)
        contradicted += ph_s2_card_count(&cards->spheres[i], PH_CLAIM_CONTRADICTED);
    return contradicted;
}

static enum ph_status certify(const struct words *words, const struct choice *choice, struct ph_error *err)
{
    struct cards cards = {.flows = calloc(choice->n_flows + 1, sizeof *cards.flows),
                          .schemes = calloc(choice->n_schemes + 1, sizeof *cards.schemes),
                          .integrators = calloc(choice->n_integrators + 1, sizeof *cards.integrators),
                          .spheres = calloc(choice->n_spheres + 1, sizeof *cards.spheres)};
    enum ph_status status = PH_OK;
    if (!cards.flows || !cards.schemes || !cards.integrators || !cards.spheres)
        status = ph_error_set(err, PH_ERR_MEMORY, "No memory for %zu cards.",
                              choice->n_flows + choice->n_schemes + choice->n_integrators + choice->n_spheres);
    if (status == PH_OK)
        status = measure(choice, &cards, err);
    if (status == PH_OK) {
        if (words->json)
            show_json(choice, &cards);
        else
            show(choice, &cards);
        const int contradicted = count_contradicted(choice, &cards);
        if (contradicted > 0)
            status = ph_error_set(err, PH_ERR_CHECK, "%d claim%s contradicted by the measurement.", contradicted,
                                  contradicted == 1 ? " is" : "s are");
    }
    free(cards.flows);
    free(cards.schemes);
    free(cards.integrators);
    free(cards.spheres);
    return status;
}

int ph_cmd_certify(int argc, char **argv)
{
    struct ph_error err = {0};
    const size_t words_most = (size_t)argc, all = count_all();
    struct words words = {.names = calloc(words_most, sizeof *words.names)};
    struct choice choice = {.flows = calloc(words_most * all, sizeof *choice.flows),
                            .schemes = calloc(words_most * all, sizeof *choice.schemes),
                            .integrators = calloc(words_most * all, sizeof *choice.integrators),
                            .spheres = calloc(words_most * all, sizeof *choice.spheres)};
    enum ph_status status = PH_OK;
    if (!words.names || !choice.flows || !choice.schemes || !choice.integrators || !choice.spheres)
        status = ph_error_set(&err, PH_ERR_MEMORY, "No memory for the names of %d methods.", argc);
    if (status == PH_OK && argp_parse(&argp, argc, argv, 0, NULL, &words) != 0)
        status = ph_error_set(&err, PH_ERR_INPUT, "The command line could not be read.");
    if (status == PH_OK)
        status = choose(&words, &choice, &err);
    if (status == PH_OK)
        status = certify(&words, &choice, &err);
    free(words.names);
    free(choice.flows);
    free(choice.schemes);
    free(choice.integrators);
    free(choice.spheres);
    return status == PH_OK ? PH_OK : ph_cli_fail(command, &err);
}
