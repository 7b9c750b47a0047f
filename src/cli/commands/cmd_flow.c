/* SPDX-License-Identifier: MIT */
/* polhode flow: one free rigid body from time 0 to t. */
#include "cli/cli.h"

#include "base/rotation.h"
#include "rigid/flow.h"

#include <argp.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char default_flow[] = "exact";

/* As typed; NULL where the user said nothing. */
struct words {
    const char *inertia, *momentum, *time, *attitude, *flow, *steps;
    bool json;
};

struct request {
    struct ph_top top;
    const struct ph_flow *flow;
    double time;
    long steps;
    double momentum[3], attitude[4];
};

/* A state of the body and its conserved quantities */
struct state {
    double time;
    double momentum[3], attitude[4];
    double energy, norm, space_momentum[3];
};

/* The last number, argp's group, keeps this order in --help. */
static const struct argp_option options[] = {
    {"inertia", KEEP_WORD(inertia), "I1,I2,I3", 0, "Moments of inertia about the principal axes; one 0: a linear rotor",
     1},
    {"momentum", KEEP_WORD(momentum), "m1,m2,m3", 0, "Angular momentum in the body frame at time 0", 2},
    {"time", KEEP_WORD(time), "t", 0, "Time to reach; may be negative", 3},
    {"attitude", KEEP_WORD(attitude), "w,x,y,z", 0,
     "Orientation at time 0, quaternion from body to space (default 1,0,0,0)", 4},
    {"flow", KEEP_WORD(flow), "NAME", 0, "Method, see 'polhode list flows' (default exact)", 5},
    {"steps", KEEP_WORD(steps), "n", 0, "Number of equal steps (default 1)", 6},
    {"json", KEEP_FLAG(json), NULL, 0, "Print one JSON document", 7},
    {0},
};

static error_t take_word(int key, char *arg, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "'%s' belongs to no option", arg);
    return 0;
}

static const char *flow_name(size_t i) { return ph_flow_at(i)->name; }

static enum ph_status check_given(const char *word, const char *option, const char *accepted, struct ph_error *err)
{
    return word ? PH_OK : ph_error_set(err, PH_ERR_INPUT, "%s is missing; give %s.", option, accepted);
}

static enum ph_status read_inertia(const char *word, struct ph_top *top, struct ph_error *err)
{
    double inertia[3];
    struct ph_error reason;
    if (check_given(word, "--inertia", "three moments I1,I2,I3", err) ||
        ph_cli_parse_numbers("--inertia", word, 3, inertia, err))
        return PH_ERR_INPUT;
    if (ph_top_init(inertia, top, &reason))
        return ph_error_set(err, PH_ERR_INPUT, "--inertia %s: %s", word, reason.text);
    return PH_OK;
}

static enum ph_status read_momentum(const char *word, const struct ph_top *top, double m[3], struct ph_error *err)
{
    if (check_given(word, "--momentum", "three components m1,m2,m3", err) ||
        ph_cli_parse_numbers("--momentum", word, 3, m, err))
        return PH_ERR_INPUT;
    const int axis = top->linear_axis;
    if (axis >= 0 && m[axis] != 0.0)
        return ph_error_set(
            err, PH_ERR_INPUT,
            "--momentum %s: a linear rotor has no angular momentum about its axis, here axis %d; m%d must be 0.", word,
            axis + 1, axis + 1);
    return PH_OK;
}

/* Any quaternion but zero is an orientation once it has been scaled; *norm is the length it had. */
static enum ph_status read_attitude(const char *word, double q[4], double *norm, struct ph_error *err)
{
    if (ph_cli_parse_numbers("--attitude", word, 4, q, err))
        return PH_ERR_INPUT;
    const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
    if (largest == 0.0)
        return ph_error_set(err, PH_ERR_INPUT, "--attitude %s: the quaternion is zero; give w,x,y,z of norm 1.", word);
    double square = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] /= largest;
        square += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(square);
    *norm = largest * sqrt(square);
    return PH_OK;
}

static enum ph_status read_request(const char *command, const struct words *words, struct request *request,
                                   struct ph_error *err)
{
    *request = (struct request){.steps = 1, .attitude = {1.0, 0.0, 0.0, 0.0}};
    if (read_inertia(words->inertia, &request->top, err) ||
        read_momentum(words->momentum, &request->top, request->momentum, err) ||
        check_given(words->time, "--time", "the time to reach", err) ||
        ph_cli_parse_numbers("--time", words->time, 1, &request->time, err) ||
        (words->steps && ph_cli_parse_integer("--steps", words->steps, 1, &request->steps, err)))
        return PH_ERR_INPUT;

    double norm = 1.0;
    if (words->attitude && read_attitude(words->attitude, request->attitude, &norm, err))
        return PH_ERR_INPUT;

    const char *name = words->flow ? words->flow : default_flow;
    request->flow = ph_flow_find(name);
    if (!request->flow) {
        struct ph_error reason;
        ph_cli_unknown_name("flow", name, ph_flow_count(), flow_name, &reason);
        return ph_error_set(err, PH_ERR_INPUT, "--flow %s: %s", name, reason.text);
    }

    if (!request->top.possible)
        ph_cli_warn(command,
                    "warning: --inertia %s: no body has these moments, one exceeds the sum of the others; computed all "
                    "the same.",
                    words->inertia);
    if (fabs(norm - 1.0) > 4.0 * DBL_EPSILON)
        ph_cli_warn(command, "note: --attitude %s has norm %.15g; it was scaled to norm 1.", words->attitude, norm);
    return PH_OK;
}

static void complete(const struct ph_top *top, struct state *s)
{
    s->energy = 0.0;
    for (int k = 0; k < 3; ++k)
        if (k != top->linear_axis)
            s->energy += 0.5 * s->momentum[k] * (s->momentum[k] / top->inertia[k]);
    s->norm = hypot(hypot(s->momentum[0], s->momentum[1]), s->momentum[2]);
    ph_quat_rotate(s->attitude, s->momentum, s->space_momentum);
}

static void advance(const struct request *request, struct state *s)
{
    double norm;
    double *m = s->momentum, *q = s->attitude;
    const struct ph_bodies body = {
        .n = 1, .m = {&m[0], &m[1], &m[2]}, .q = {&q[0], &q[1], &q[2], &q[3]}, .norm = &norm};
    ph_bodies_set_norm(body);
    for (long i = 0; i < request->steps; ++i)
        ph_flow_advance(request->flow, &request->top, request->time / (double)request->steps, body);
}

/* Relative changes of the conserved quantities of a free body; 0 for a body at rest */
struct drift {
    double energy, norm, space_momentum;
};

static struct drift drift_between(const struct state *a, const struct state *b)
{
    const double dx = b->space_momentum[0] - a->space_momentum[0], dy = b->space_momentum[1] - a->space_momentum[1],
                 dz = b->space_momentum[2] - a->space_momentum[2];
    return (struct drift){
        .energy = a->energy > 0.0 ? (b->energy - a->energy) / a->energy : b->energy - a->energy,
        .norm = a->norm > 0.0 ? (b->norm - a->norm) / a->norm : b->norm,
        .space_momentum = a->norm > 0.0 ? hypot(hypot(dx, dy), dz) / a->norm : hypot(hypot(dx, dy), dz),
    };
}

/* The printed fields of a state */
static const struct field {
    const char *key, *label;
    size_t offset, n;
    const char *components[4];
} fields[] = {
    {"time", "time", offsetof(struct state, time), 1, {""}},
    {"momentum", "angular momentum, body", offsetof(struct state, momentum), 3, {"m1", "m2", "m3"}},
    {"attitude", "attitude", offsetof(struct state, attitude), 4, {"w", "x", "y", "z"}},
    {"energy", "energy", offsetof(struct state, energy), 1, {""}},
    {"momentum_norm", "|angular momentum|", offsetof(struct state, norm), 1, {""}},
    {"space_momentum", "angular momentum, space", offsetof(struct state, space_momentum), 3, {"x", "y", "z"}},
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

static const double *numbers_of(const struct state *s, const struct field *field)
{
    return (const double *)(const void *)((const char *)s + field->offset);
}

/* In JSON one after the other, in the text side by side */
static void say_states(struct ph_json *json, const struct state *start, const struct state *end)
{
    for (int k = 0; k < 2; ++k) {
        ph_json_begin_object(json, k == 0 ? "start" : "end");
        for (const struct field *field = fields; field < fields + N_FIELDS; ++field)
            if (field->n == 1)
                ph_json_number(json, field->key, *numbers_of(k == 0 ? start : end, field));
            else
                ph_json_numbers(json, field->key, field->n, numbers_of(k == 0 ? start : end, field));
        ph_json_end(json);
    }
    for (const struct field *field = fields; field < fields + N_FIELDS; ++field)
        for (size_t k = 0; k < field->n; ++k)
            ph_json_say(json, "  %-24s%-4s %23.15g %23.15g\n", k == 0 ? field->label : "", field->components[k],
                        numbers_of(start, field)[k], numbers_of(end, field)[k]);
}

static void say(struct ph_json *json, const struct request *request, const struct state *start, const struct state *end)
{
    const struct drift drift = drift_between(start, end);
    const char *body = ph_top_kind_name(request->top.kind);
    const double *inertia = request->top.inertia;
    ph_json_begin_object(json, NULL);
    ph_json_string(json, "body", body);
    ph_json_numbers(json, "inertia", 3, inertia);
    ph_json_bool(json, "inertia_possible", request->top.possible);
    ph_json_string(json, "flow", request->flow->name);
    ph_json_integer(json, "steps", request->steps);
    ph_json_say(json, "%s, moments of inertia %.15g, %.15g, %.15g\n", body, inertia[0], inertia[1], inertia[2]);
    ph_json_say(json, "flow %s, %ld step%s of %.15g\n\n", request->flow->name, request->steps,
                request->steps == 1 ? "" : "s", request->time / (double)request->steps);
    say_states(json, start, end);
    ph_json_begin_object(json, "relative_change");
    ph_json_number(json, "energy", drift.energy);
    ph_json_number(json, "momentum_norm", drift.norm);
    ph_json_number(json, "space_momentum", drift.space_momentum);
    ph_json_end(json);
    ph_json_say(json, "\nrelative change: energy %.2g, |angular momentum| %.2g, angular momentum in space %.2g\n",
                drift.energy, drift.norm, drift.space_momentum);
    ph_json_end(json);
}

int ph_cmd_flow(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = take_word,
        .args_doc = "--inertia I1,I2,I3 --momentum m1,m2,m3 --time t",
        .doc = "Moves one free rigid body and shows what it conserves.\v"
               "Example, water in u A^2: polhode flow --inertia 0.615,1.155,1.770 --momentum 0.01,1,0 --time 10",
    };
    struct words words = {0};
    if (ph_cli_parse(&argp, argc, argv, &words))
        return PH_ERR_INPUT;

    struct request request;
    struct ph_error err;
    if (read_request(argv[0], &words, &request, &err))
        return ph_cli_fail(argv[0], &err);

    struct state start = {0};
    memcpy(start.momentum, request.momentum, sizeof start.momentum);
    memcpy(start.attitude, request.attitude, sizeof start.attitude);
    struct state end = start;
    end.time = request.time;
    advance(&request, &end);
    complete(&request.top, &start);
    complete(&request.top, &end);
    struct ph_json json = {.out = stdout, .text = !words.json};
    say(&json, &request, &start, &end);
    return PH_OK;
}
