/* SPDX-License-Identifier: MIT */
/* A run that is interrupted and resumed, anywhere and more than once, is the run that was not: the last state and the
 * whole trajectory file are the same, byte for byte of what is in it. */
#include "folder.h"

#include "h5_compare.h"
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"
#include "run/simulation/simulation.h"

#include <omp.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path(const char *name)
{
    static char paths[8][256];
    static int k = 0;
    k = (k + 1) % 8;
    snprintf(paths[k], sizeof paths[k], "%s/%s", folder, name);
    return paths[k];
}

/* ---- Runs in pieces ---- */

static bool stop(void *data)
{
    int *left = data;
    return --*left == 0;
}

/* At most `steps` steps more; destroys the simulation. */
static uint64_t advance(struct ph_simulation *simulation, const char *what, int steps)
{
    struct ph_error err = {.text = ""};
    bool stopped;
    const struct ph_watch watch = {.stop = stop, .data = &steps};
    if (ph_simulation_run(simulation, true, &watch, &stopped, &err) != PH_OK)
        fail_msg("%s: %s", what, err.text);
    const uint64_t hash = ph_state_hash(ph_simulation_system(simulation));
    ph_simulation_destroy(simulation);
    return hash;
}

static uint64_t begin(const char *text, size_t n_sets, const char *const *sets, const char *file, int steps)
{
    static struct ph_input input;
    struct ph_texts texts = {.n = 0};
    struct ph_error err = {.text = ""};
    struct ph_simulation *simulation = NULL;
    if (ph_texts_add(&texts, "input.yaml", text, strlen(text), &err) != PH_OK ||
        ph_input_read_keeping(&texts, "input.yaml", n_sets, sets, &input, &err) != PH_OK ||
        ph_simulation_create(&texts, &input, file, &simulation, &err) != PH_OK)
        fail_msg("%s: %s", n_sets > 0 ? sets[n_sets - 1] : text, err.text);
    return advance(simulation, n_sets > 0 ? sets[n_sets - 1] : "run", steps);
}

static uint64_t resume(const char *file, const char *what, int steps)
{
    struct ph_error err = {.text = ""};
    struct ph_simulation *simulation;
    if (ph_simulation_resume(file, -1, &simulation, &err) != PH_OK)
        fail_msg("%s: %s", what, err.text);
    return advance(simulation, what, steps);
}

static void remove_run(const char *file)
{
    static const char *const endings[] = {"", ".checkpoint", ".checkpoint.1"};
    char name[300];
    for (int k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "%s%s", file, endings[k]);
        unlink(name);
    }
}

enum { FOR_EVER = 1 << 30 };

/* A run in one piece, which goes to whole.h5md; its last state */
static uint64_t run_whole(const char *text, size_t n_sets, const char *const *sets)
{
    return begin(text, n_sets, sets, path("whole.h5md"), FOR_EVER);
}

/* The same in pieces: stopped, resumed, stopped, thrown back to the checkpoint before as if it had been killed, resumed
 * to its end. */
static void assert_pieces_are(uint64_t want, const char *what, const char *text, size_t n_sets, const char *const *sets,
                              int first, int second)
{
    static const char *const nothing[] = {NULL};
    const char *whole = path("whole.h5md"), *pieces = path("pieces.h5md");
    begin(text, n_sets, sets, pieces, first);
    resume(pieces, what, second);
    char newest[300];
    snprintf(newest, sizeof newest, "%s.checkpoint", pieces);
    assert_int_equal(unlink(newest), 0);
    const uint64_t got = resume(pieces, what, FOR_EVER);
    size_t n;
    const char *difference = h5_difference(whole, pieces, nothing, &n);
    if (difference[0])
        fail_msg("%s: %s", what, difference);
    assert_true(n > 100);
    if (got != want)
        fail_msg("%s: the files are equal, the last states are not", what);
    remove_run(pieces);
}

static void assert_same_in_pieces(const char *what, const char *text, size_t n_sets, const char *const *sets, int first,
                                  int second)
{
    const uint64_t want = run_whole(text, n_sets, sets);
    assert_pieces_are(want, what, text, n_sets, sets, first, second);
    remove_run(path("whole.h5md"));
}

/* ---- What is run: cadences that divide neither each other nor the pieces ---- */

#define END                                                                                                            \
    "dynamics: {step: 0.01, steps: 14, equilibrate: {steps: 3, temperature: 1.5}}\n"                                   \
    "output: {frames_every: 4, series_every: 3, checkpoint_every: 5, author: nobody}\n"

static const char cluster[] = "units: reduced\n"
                              "system:\n"
                              "  box: {kind: open}\n"
                              "  molecules: [{model: dipolar-soft-sphere, count: 5}]\n"
                              "  start: {kind: random, radius: 2, temperature: 1, seed: 3}\n" END;

static const char fluid[] = "units: reduced\n"
                            "system:\n"
                            "  box: {kind: periodic, density: 0.5}\n"
                            "  molecules: [{model: stockmayer, count: 32}]\n"
                            "  start: {kind: fcc, temperature: 2, seed: 3}\n"
                            "interactions: {cutoff: 1.9, switch: {width: 0.6}, electrostatics: {method: cutoff}}\n" END;

static const char tops[] = "units: reduced\n"
                           "system:\n"
                           "  box: {kind: open}\n"
                           "  molecules:\n"
                           "    - {model: dipolar-soft-sphere, count: 4}\n"
                           "    - {model: stockmayer, count: 3}\n"
                           "    - {model: dipolar-lj-dumbbell, count: 3}\n"
                           "    - {model: lennard-jones, count: 2}\n"
                           "  start: {kind: random, radius: 3, minimum_distance: 1.2, temperature: 1, seed: 3}\n"
                           "interactions:\n"
                           "  pairs:\n"
                           "    - {sites: [dipolar-soft-sphere.A, stockmayer.A], wca: {epsilon: 1, sigma: 1}}\n"
                           "    - {sites: [dipolar-soft-sphere.A, dipolar-lj-dumbbell.A], mie: {epsilon: 1, sigma: 1, "
                           "repulsive: 10, attractive: 5}}\n"
                           "    - {sites: [dipolar-soft-sphere.A, lennard-jones.A], wca: {epsilon: 1, sigma: 1}}\n" END;

/* A resumed run depends on what is left between two steps: which flow ends a step, and whether the kick there has a
 * gradient. The first scheme of each such kind stands for the rest, which differ by coefficients. */
static bool is_first_of_its_kind(size_t k)
{
    const struct ph_scheme *scheme = ph_scheme_at(k);
    for (size_t j = 0; j < k; ++j) {
        const struct ph_scheme *other = ph_scheme_at(j);
        if (other->kind == scheme->kind && strcmp(other->letters, scheme->letters) == 0 &&
            (other->c[0] != 0.0) == (scheme->c[0] != 0.0) && (other->c[1] != 0.0) == (scheme->c[1] != 0.0))
            return false;
    }
    return true;
}

static void kinds_of_schemes_resume(const char *text, size_t every)
{
    size_t kinds = 0;
    for (size_t k = 0; k < ph_scheme_count(); ++k) {
        char set[128];
        if (!is_first_of_its_kind(k) || kinds++ % every != 0)
            continue;
        snprintf(set, sizeof set, "dynamics.scheme=%s", ph_scheme_at(k)->name);
        assert_same_in_pieces(set, text, 1, (const char *const[]){set}, 7, 4 + (int)(kinds / every % 3));
    }
    assert_true(kinds >= 6);
}

/* What is left between two steps does not depend on the box: here a third of them */
static void kinds_of_schemes_resume_in_open_space(void **state) { kinds_of_schemes_resume(cluster, 3); }

static void every_kind_of_scheme_resumes_in_a_periodic_fluid(void **state) { kinds_of_schemes_resume(fluid, 1); }

/* Also where a checkpoint comes right after the long list was made, which outdates the short one and with it the fast
 * forces that were kept: pieces end after every step for a while. */
static void nested_schemes_resume_in_a_periodic_fluid(void **state)
{
    static const char *const ways[] = {
        "dynamics.scheme=saba2",
        "dynamics.scheme=sbab2",
        "dynamics.nested.scheme=verlet-position",
        "dynamics.nested.substeps=2",
        "dynamics.thermostat={kind: langevin, temperature: 2, friction: 1}",
        "interactions.electrostatics={method: ewald, tolerance: 1e-3}",
    };
    for (size_t k = 0; k <= sizeof ways / sizeof *ways; ++k) {
        const bool last = k == sizeof ways / sizeof *ways; /* forces after its heat are those of the next step's kick */
        const char *const sets[] = {last ? ways[1] : ways[0], "dynamics.nested.radius=1.4",   "dynamics.step=0.03",
                                    "dynamics.steps=20",      "dynamics.equilibrate.steps=0", last ? ways[4] : ways[k]};
        const uint64_t want = run_whole(fluid, 6, sets);
        for (int first = k == 0 ? 4 : 4 + (int)k % 3; first < 10; first += k == 0 ? 1 : 3)
            assert_pieces_are(want, last ? "sbab2 with langevin" : ways[k], fluid, 6, sets, first, 6);
        remove_run(path("whole.h5md"));
    }
    static const char *const open[] = {"dynamics.scheme=sbab2", "dynamics.nested.radius=1.4"};
    assert_same_in_pieces("open", cluster, 2, open, 7, 4);
    static const char *const cut[] = {"dynamics.scheme=verlet", "interactions.cutoff=2.5"};
    assert_same_in_pieces("open with a cutoff", cluster, 2, cut, 7, 4);
    static const char *const waves[] = {"dynamics.scheme=saba2", "interactions.electrostatics.method=ewald",
                                        "interactions.electrostatics.tolerance=1e-3",
                                        "dynamics.nested.part=reciprocal"};
    assert_same_in_pieces("reciprocal", fluid, 4, waves, 7, 4);
}

/* Of a run whose counts are known: what an evaluation of the fast forces costs, in those of all; fast and slow together
 * cost as much as all */
static double fast_cost(const struct ph_simulation *simulation)
{
    const struct ph_state_counts counts = ph_simulation_counts(simulation);
    assert_true(counts.fast > counts.slow && counts.slow > 0);
    return (ph_simulation_evaluations(simulation) - (double)counts.evaluations - (double)counts.slow) /
           ((double)counts.fast - (double)counts.slow);
}

static void a_slow_mesh_costs_the_same_after_a_resume(void **state)
{
    static struct ph_input input;
    static const char *const sets[] = {"interactions.electrostatics={method: mesh, tolerance: 1e-3}",
                                       "dynamics={step: 0.01, steps: 6, scheme: sbab2, nested: {part: reciprocal}}"};
    const char *file = path("costs.h5md");
    struct ph_texts texts = {.n = 0};
    struct ph_error err = {.text = ""};
    struct ph_simulation *simulation = NULL;
    double cost[2];
    for (int resumed = 0; resumed < 2; ++resumed) {
        int left = 3;
        bool stopped;
        const struct ph_watch watch = {.stop = stop, .data = &left};
        const bool ready = resumed ? ph_simulation_resume(file, -1, &simulation, &err) == PH_OK
                                   : ph_texts_add(&texts, "input.yaml", fluid, strlen(fluid), &err) == PH_OK &&
                                         ph_input_read_keeping(&texts, "input.yaml", 2, sets, &input, &err) == PH_OK &&
                                         ph_simulation_create(&texts, &input, file, &simulation, &err) == PH_OK;
        if (!ready || ph_simulation_run(simulation, true, &watch, &stopped, &err) != PH_OK)
            fail_msg("%s", err.text);
        cost[resumed] = fast_cost(simulation);
        ph_simulation_destroy(simulation);
    }
    assert_close(cost[1], cost[0], 1e-12, cost[0]);
    assert_true(cost[0] > 0.01 && cost[0] < 0.99 && fabs(cost[0] - 0.5) > 0.01); /* a half: not known */
    remove_run(file);
}

/* A flow leaves nothing between two steps: some stand for all. */
static void flows_resume_with_every_kind_of_top(void **state)
{
    for (size_t k = 0; k < ph_flow_count(); k += 4) {
        char set[128];
        snprintf(set, sizeof set, "dynamics.flow=%s", ph_flow_at(k)->name);
        assert_same_in_pieces(set, tops, 1, (const char *const[]){set}, 5, 5);
    }
}

static void every_integrator_resumes_in_a_periodic_fluid(void **state)
{
    for (size_t k = 0; k < ph_integrator_count(); ++k) {
        char set[128];
        snprintf(set, sizeof set, "dynamics.integrator=%s", ph_integrator_at(k)->name);
        assert_same_in_pieces(set, fluid, 1, (const char *const[]){set}, 7, 4 + (int)(k % 3));
    }
}

static void integrators_resume_with_every_kind_of_top(void **state)
{
    for (size_t k = 0, found = 0; k < ph_integrator_count(); ++k) {
        char set[128];
        if (ph_integrator_at(k)->not_linear || found++ % 3 != 0)
            continue;
        snprintf(set, sizeof set, "dynamics.integrator=%s", ph_integrator_at(k)->name);
        assert_same_in_pieces(set, tops, 1, (const char *const[]){set}, 5, 5);
    }
}

/* ---- Other systems and other outputs ---- */

/* Its step 0 is where the minimisation ended: a resumed run that minimised once more would differ. */
static void a_minimised_start_is_minimised_once(void **state)
{
    const char *const sets[] = {"system.start.minimise.steps=9"};
    assert_same_in_pieces("minimised", fluid, 1, sets, 7, 4);
    assert_same_in_pieces("minimised", tops, 1, sets, 5, 5);
}

static void the_configurational_temperature_depends_on_the_step_alone(void **state)
{
    const char *const sets[] = {"output.configurational_temperature=true"};
    assert_same_in_pieces("configurational", fluid, 1, sets, 7, 4);
}

static const char water[] = "units: md\n"
                            "system:\n"
                            "  box: {kind: periodic, density: 33}\n"
                            "  molecules: [{model: spc-e, count: 27}]\n"
                            "  start: {kind: simple-cubic, temperature: 300, seed: 2}\n"
                            "interactions: {cutoff: 0.45, electrostatics: {method: reaction-field}}\n"
                            "dynamics: {step: 0.001, steps: 40, equilibrate: {steps: 7}}\n"
                            "output: {frames_every: 4, series_every: 3, checkpoint_every: 5, author: nobody}\n";

static const char mixture[] = "units: reduced\n"
                              "system:\n"
                              "  box: {kind: periodic, edges: [[5, 0, 0], [1, 5, 0], [-1, 0.5, 5]]}\n"
                              "  molecules: [{model: stockmayer, count: 20}, {model: dipolar-lj-dumbbell, count: 12},\n"
                              "              {model: lennard-jones, count: 9}]\n"
                              "  start: {kind: random, minimum_distance: 1.1, temperature: 1, seed: 5}\n"
                              "interactions: {cutoff: 2.2, truncation: switched, electrostatics: {method: cutoff}}\n"
                              "dynamics: {scheme: verlet, step: 0.005, steps: 60}\n"
                              "output: {frames_every: 7, series_every: 2, checkpoint_every: 9, author: nobody}\n";

static const char bound[] = "units: reduced\n"
                            "system:\n"
                            "  box: {kind: periodic, density: 0.3}\n"
                            "  molecules: [{model: stockmayer, count: 20}]\n"
                            "  start: {kind: random, temperature: 1, seed: 5}\n"
                            "interactions:\n"
                            "  cutoff: 2\n"
                            "  electrostatics: {method: cutoff}\n"
                            "  external: {tether: 3, electric_field: [0, 0, 2], gravity: [0.1, 0, 0]}\n"
                            "dynamics: {scheme: srkn6-11b, step: 0.02, steps: 30}\n"
                            "output: {frames_every: 3, series_every: 5, checkpoint_every: 4, author: nobody}\n";

static void all_kinds_of_systems_resume(void **state)
{
    static const struct {
        const char *name, *text, *sets[3];
        int first, second;
    } runs[] = {
        {"water", water, {NULL}, 17, 12},
        {"water, uncompensated", water, {"dynamics.compensated=false"}, 17, 12},
        {"water, drift first", water, {"dynamics.scheme=verlet-position", "output.fluxes_every=2"}, 6, 1},
        {"water, stopped while it is heated", water, {"dynamics.scheme=verlet"}, 3, 3},
        {"water, stopped where the production begins", water, {"dynamics.scheme=verlet"}, 7, 6},
        {"tilted box", mixture, {NULL}, 20, 13},
        {"tilted box, fluxes for series",
         mixture,
         {"output.series_every=0", "output.frames_every=1", "output.fluxes_every=3"},
         20,
         13},
        {"tilted box, no checkpoints between", mixture, {"output.checkpoint_every=0"}, 20, 13},
        {"tilted box, checkpoints by time", mixture, {"output.checkpoint_every="}, 20, 13},
        {"tilted box, large skin", mixture, {"interactions.skin=0.6"}, 20, 25},
        {"tethers and fields", bound, {NULL}, 11, 5},
        {"tethers, compressed",
         bound,
         {"output.compression=6", "output.force_every=2", "output.velocity_every=5"},
         9,
         8},
        {"frames in single precision", water, {"output.precision=single", "output.force_every=2"}, 9, 8},
        {"compressed, in single precision", bound, {"output.precision=single", "output.compression=3"}, 9, 8},
    };
    for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k) {
        size_t n = 0;
        while (n < 3 && runs[k].sets[n])
            ++n;
        assert_same_in_pieces(runs[k].name, runs[k].text, n, runs[k].sets, runs[k].first, runs[k].second);
    }
}

/* ---- The scheme that an earlier program chose ---- */

/* Puts other words in the place of the schemes that were chosen. */
static void rewrite_schemes(const char *file, const char *words)
{
    static struct ph_checkpoint read;
    assert_ok(ph_checkpoint_read(file, &read, NULL, &err));
    struct ph_checkpoint changed = read;
    for (size_t k = 0; k < changed.n; ++k)
        if (strcmp(changed.array[k].name, "scheme") == 0) {
            changed.array[k].n = strlen(words);
            changed.array[k].data = words;
        }
    assert_ok(ph_checkpoint_write(file, &changed, &err));
    ph_checkpoint_free(&read);
}

static void expect_schemes(const char *file, const char *words)
{
    static struct ph_checkpoint read;
    const char *text;
    assert_ok(ph_checkpoint_read(file, &read, NULL, &err));
    assert_ok(ph_checkpoint_text(&read, "scheme", &text, &err));
    assert_string_equal(text, words);
    ph_checkpoint_free(&read);
}

/* A default that changes is for new runs. Earlier checkpoints have a word for each stage, or one for all. */
static void runs_go_on_with_the_scheme_that_was_chosen_for_them(void **state)
{
    static const char *const words[] = {NULL, "srkn6-11b srkn6-11b ", "srkn6-11b"};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        const char *file = path("run.h5md"), *checkpoint = path("run.h5md.checkpoint");
        begin(cluster, 0, NULL, file, 8);
        expect_schemes(checkpoint, "polhode6-11b polhode6-11b ");
        if (words[k])
            rewrite_schemes(checkpoint, words[k]);
        hash[k] = resume(file, "run", FOR_EVER);
        expect_schemes(checkpoint, words[k] ? words[1] : "polhode6-11b polhode6-11b ");
        remove_run(file);
    }
    assert_true(hash[1] == hash[2]);
    assert_true(hash[0] != hash[1]);
}

/* ---- Stages ---- */

/* All baths and cells one after the other, with cadences of their own; 51 steps. Water on a mesh, whose factors change
 * with the box. */
#define STAGES(pressure)                                                                                               \
    "stages:\n"                                                                                                        \
    "  - {name: langevin, steps: 7, thermostat: {kind: langevin}}\n"                                                   \
    "  - {name: rescaling, steps: 5, step: 0.0005, land: true, thermostat: {kind: velocity-rescaling}}\n"              \
    "  - {name: ramp, steps: 6, scheme: verlet, thermostat: {kind: nose-hoover}, "                                     \
    "barostat: {kind: ramp, density: 0.32, every: 2}}\n"                                                               \
    "  - {name: metropolis, steps: 6, series_every: 2, thermostat: {kind: metropolis}}\n"                              \
    "  - {name: isotropic, steps: 7, thermostat: {kind: langevin}, "                                                   \
    "barostat: {kind: cell-rescaling, every: 2, pressure: " pressure "}}\n"                                            \
    "  - {name: full, steps: 7, scheme: omelyan4-5fp, thermostat: {kind: metropolis}, "                                \
    "barostat: {kind: cell-rescaling, shape: full, every: 3, pressure: " pressure "}}\n"                               \
    "  - {name: extended, steps: 6, scheme: mclachlan4-ss5, frames_every: 2, thermostat: {kind: nose-poincare}, "      \
    "barostat: {kind: andersen, pressure: " pressure "}}\n"                                                            \
    "  - {name: production, steps: 7}\n"                                                                               \
    "output: {frames_every: 4, series_every: 3, checkpoint_every: 5, author: nobody}\n"

static const char staged_fluid[] = "units: reduced\n"
                                   "system:\n"
                                   "  box: {kind: periodic, density: 0.3}\n"
                                   "  molecules: [{model: dipolar-lj-dumbbell, count: 32}]\n"
                                   "  start: {kind: fcc, temperature: 1.3, seed: 3}\n"
                                   "interactions: {cutoff: 2, electrostatics: {method: mesh, tolerance: 1e-3}}\n"
                                   "dynamics: {step: 0.005}\n" STAGES("0.3");

/* Stages that leave the scheme to the program have not all the same; and two samples for a landing. */
static const char staged_by_the_program[] =
    "units: reduced\n"
    "system:\n"
    "  box: {kind: periodic, density: 0.3}\n"
    "  molecules: [{model: dipolar-lj-dumbbell, count: 32}]\n"
    "  start: {kind: fcc, temperature: 1.3, seed: 3}\n"
    "interactions: {cutoff: 2, electrostatics: {method: cutoff}}\n"
    "dynamics: {step: 0.005}\n"
    "stages:\n"
    "  - {name: bath, steps: 6, thermostat: {kind: langevin}}\n"
    "  - {name: extended, steps: 6, thermostat: {kind: nose-poincare}}\n"
    "  - {name: given, steps: 24, land: true, scheme: verlet, thermostat: {kind: velocity-rescaling}}\n"
    "  - {name: one-step, steps: 4, integrator: vlv}\n"
    "  - {name: pressed, steps: 6, thermostat: {kind: nose-poincare}, barostat: {kind: andersen, pressure: 1}}\n"
    "  - {name: production, steps: 6}\n"
    "output: {frames_every: 2, series_every: 1, checkpoint_every: 5, author: nobody}\n";

static void runs_resume_anywhere_in_their_stages(void **state)
{
    uint64_t want = run_whole(staged_by_the_program, 0, NULL);
    for (int first = 2; first < 52; first += 9)
        assert_pieces_are(want, "stages without a scheme", staged_by_the_program, 0, NULL, first, 3);
    remove_run(path("whole.h5md"));
    want = run_whole(staged_fluid, 0, NULL);
    for (int first = 1; first < 50; first += 6)
        assert_pieces_are(want, "stages", staged_fluid, 0, NULL, first, 1 + first % 7);
    remove_run(path("whole.h5md"));
}

/* ---- Threads ---- */

static void assert_same_with_other_threads(const char *text, size_t n_sets, const char *const *sets)
{
    static const char *const threads_are_told[] = {"parameters/build", NULL};
    const int threads = omp_get_max_threads();
    const char *whole = path("one.h5md"), *pieces = path("many.h5md");
    omp_set_num_threads(1);
    const uint64_t want = begin(text, n_sets, sets, whole, FOR_EVER);
    omp_set_num_threads(3);
    begin(text, n_sets, sets, pieces, 6);
    omp_set_num_threads(1);
    resume(pieces, "threads", 5);
    omp_set_num_threads(2);
    assert_true(resume(pieces, "threads", FOR_EVER) == want);
    omp_set_num_threads(threads);
    size_t n;
    const char *difference = h5_difference(whole, pieces, threads_are_told, &n);
    if (difference[0])
        fail_msg("%s", difference);
    remove_run(whole);
    remove_run(pieces);
}

static void resuming_with_other_numbers_of_threads_changes_nothing(void **state)
{
    static const char *const sets[] = {"system.molecules[0].count=864", "interactions.cutoff=2.5"};
    assert_same_with_other_threads(fluid, 2, sets);
    assert_same_with_other_threads(staged_fluid, 1, (const char *const[]){"system.molecules[0].count=256"});
}

/* ---- Long ranges that are chosen again, where the box has grown ---- */

static const char growing[] = "units: reduced\n"
                              "system:\n"
                              "  box: {kind: periodic, density: 0.5}\n"
                              "  molecules: [{model: stockmayer, count: 32}]\n"
                              "  start: {kind: fcc, temperature: 2, seed: 3}\n"
                              "interactions: {cutoff: 1.8, electrostatics: {method: mesh, tolerance: 1e-3}}\n"
                              "dynamics: {scheme: verlet, step: 0.002}\n"
                              "stages:\n"
                              "  - {name: grow, steps: 12, barostat: {kind: ramp, density: 0.1, every: 2}}\n"
                              "  - {name: rest, steps: 4}\n"
                              "output: {frames_every: 4, series_every: 1, checkpoint_every: 3, author: nobody}\n";

/* Of the last checkpoint: points along the edges of the grid, or reciprocal vectors */
static void read_long_range(const char *file, double numbers[21])
{
    static struct ph_checkpoint read;
    char name[300];
    snprintf(name, sizeof name, "%s.checkpoint", file);
    assert_ok(ph_checkpoint_read(name, &read, NULL, &err));
    assert_ok(ph_checkpoint_doubles(&read, "long_range", 21, numbers, &err));
    ph_checkpoint_free(&read);
}

/* As older programs wrote it, which did not tell what error they expected */
static void forget_expected_error(const char *file)
{
    static struct ph_checkpoint read;
    char name[300];
    snprintf(name, sizeof name, "%s.checkpoint", file);
    assert_ok(ph_checkpoint_read(name, &read, NULL, &err));
    struct ph_checkpoint changed = read;
    size_t kept = 0;
    for (size_t k = 0; k < read.n; ++k)
        if (strcmp(read.array[k].name, "long_range_error") != 0)
            changed.array[kept++] = read.array[k];
    assert_int_equal(kept, read.n - 1);
    changed.n = kept;
    assert_ok(ph_checkpoint_write(name, &changed, &err));
    ph_checkpoint_free(&read);
}

static void runs_resume_with_the_long_ranges_that_were_chosen_last(void **state)
{
    static const char *const methods[] = {"interactions.electrostatics.method=mesh",
                                          "interactions.electrostatics.method=ewald"};
    for (int m = 0; m < 2; ++m) {
        const char *file = path("again.h5md");
        double first[21], last[21];
        begin(growing, 1, &methods[m], file, 1);
        read_long_range(file, first);
        forget_expected_error(file);
        resume(file, "again", FOR_EVER);
        read_long_range(file, last);
        assert_true(m == 0 ? last[7] > first[7] : last[12] < first[12]); /* a finer grid, more vectors */
        remove_run(file);
        for (int n = 5; n < 10; n += 4)
            assert_same_in_pieces("chosen again", growing, 1, &methods[m], n, 2);
        if (m == 0)
            assert_same_with_other_threads(growing, 1, &methods[m]);
    }
}

/* ---- Resuming alone, without the files that the run began with ---- */

static void a_run_resumes_without_its_model_files(void **state)
{
    static const char own[] = "name: own\nsource: this test\nunits: reduced\nmass: 1\ninertia: [0.2, 0.3, 0.4]\n"
                              "sites: [{name: A, dipole: [1, 0, 0], wca: {epsilon: 1, sigma: 1}}]\n";
    char text[1024];
    snprintf(text, sizeof text,
             "units: reduced\nsystem:\n  box: {kind: open}\n  molecules: [{model: %s, count: 6}]\n"
             "  start: {kind: random, radius: 2, temperature: 1}\n" END,
             path("own.yaml"));
    FILE *file = fopen(path("own.yaml"), "w");
    assert_non_null(file);
    fputs(own, file);
    fclose(file);
    const uint64_t want = begin(text, 0, NULL, path("a.h5md"), FOR_EVER);
    begin(text, 0, NULL, path("b.h5md"), 8);
    assert_int_equal(unlink(path("own.yaml")), 0);
    assert_true(resume(path("b.h5md"), "without models", FOR_EVER) == want);
    remove_run(path("a.h5md"));
    remove_run(path("b.h5md"));
}

/* More steps than planned, of a run that was interrupted: they count from the planned end. The file equals the file of
 * a longer run, but for its input. */
static void more_steps_continue_as_a_longer_run_would(void **state)
{
    static const char *const told[] = {"parameters/identity", "parameters/input_set", NULL};
    static const char *const longer[] = {"dynamics.steps=31"}, *const shorter[] = {"dynamics.steps=10"};
    const char *one = path("longer.h5md"), *two = path("shorter.h5md");
    const uint64_t want = begin(fluid, 1, longer, one, FOR_EVER);
    begin(fluid, 1, shorter, two, 8);
    struct ph_simulation *simulation;
    assert_ok(ph_simulation_resume(two, 21, &simulation, &err));
    assert_int_equal(ph_simulation_step(simulation), 8);
    assert_int_equal(ph_simulation_end(simulation), 34);
    assert_true(advance(simulation, "more", FOR_EVER) == want);
    size_t n;
    const char *difference = h5_difference(one, two, told, &n);
    if (difference[0])
        fail_msg("%s", difference);
    remove_run(one);
    remove_run(two);
}

static int remove_empty_folder(void **state) { return rmdir(folder); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimised_start_is_minimised_once),
        cmocka_unit_test(the_configurational_temperature_depends_on_the_step_alone),
        cmocka_unit_test(kinds_of_schemes_resume_in_open_space),
        cmocka_unit_test(every_kind_of_scheme_resumes_in_a_periodic_fluid),
        cmocka_unit_test(every_integrator_resumes_in_a_periodic_fluid),
        cmocka_unit_test(integrators_resume_with_every_kind_of_top),
        cmocka_unit_test(nested_schemes_resume_in_a_periodic_fluid),
        cmocka_unit_test(a_slow_mesh_costs_the_same_after_a_resume),
        cmocka_unit_test(flows_resume_with_every_kind_of_top),
        cmocka_unit_test(all_kinds_of_systems_resume),
        cmocka_unit_test(runs_go_on_with_the_scheme_that_was_chosen_for_them),
        cmocka_unit_test(runs_resume_anywhere_in_their_stages),
        cmocka_unit_test(resuming_with_other_numbers_of_threads_changes_nothing),
        cmocka_unit_test(runs_resume_with_the_long_ranges_that_were_chosen_last),
        cmocka_unit_test(a_run_resumes_without_its_model_files),
        cmocka_unit_test(more_steps_continue_as_a_longer_run_would),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_empty_folder);
}
