/* SPDX-License-Identifier: MIT */
/* Second virial coefficients of pairs of axial molecules by quadrature.
 *
 * The energy depends on r, the angles of both axes with the line of centres and the angle phi between the planes of
 * the axes. So F is a mean over c1 = cos theta1, c2 (Gauss and Legendre) and phi from 0 to pi (equal parts, which
 * for an even periodic function is Gauss's rule too). The integral over r uses the rules of Gauss and Kronrod with 7
 * and 15 points on panels that are halved until both agree. */

/* Without a cutoff, the integral beyond some distance is over x = 1/r, because F/x^4 is smooth up to x = 0. Angles
 * are added until the integral converges. The integral converges much sooner than F itself. At one distance some
 * orientations overlap and others do not, and F needs many angles. But the distance where each orientation begins to
 * overlap is a smooth function of the angles. The error reported is the difference of both rules and the change by
 * more angles. */
#include "base/rotation.h"
#include "base/vec3.h"
#include "lab/virial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the integral and of each panel, relative to themselves or to sigma^3. Rules agree to this; the better of two is
 * far nearer to the truth. */
static const double angular_accuracy = 2e-8, radial_accuracy = 1e-8;

enum { LEVELS = 8, HALVINGS = 12, PANELS_MOST = 96 };
static const int angles_at[LEVELS] = {6, 10, 14, 20, 28, 40, 56, 80}; /* of each axis */

/* ---- Angles ---- */

/* Orientations of both molecules with their weights, whose sums are 1 */
struct rule {
    int n[2];
    int rounds;                    /* orientations of the second molecule with the same tilt */
    bool like;                     /* exchanging two like molecules turns (c1, c2) into (-c2, -c1): half is enough */
    double (*q[2])[4], *weight[2]; /* owned */
};

/* Gauss and Legendre on [-1, 1]: roots of P_n by Newton's iteration; weights have the sum 1 */
static void legendre(int n, double *x, double *w)
{
    for (int k = 0; k < n; ++k) {
        double root = cos(3.14159265358979323846 * (k + 0.75) / (n + 0.5)), slope = 1.0;
        for (int iteration = 0; iteration < 8; ++iteration) {
            double p = 1.0, before = 0.0;
            for (int j = 0; j < n; ++j) {
                const double next = ((2.0 * j + 1.0) * root * p - j * before) / (j + 1.0);
                before = p;
                p = next;
            }
            slope = n * (before - root * p) / (1.0 - root * root);
            root -= p / slope;
        }
        x[k] = root;
        w[k] = 1.0 / ((1.0 - root * root) * slope * slope);
    }
}

/* The line on which all interacting sites, dipoles and axes of a species lie: 1 with its direction, 0 if all is in the
 * centre, -1 if there is no such line */
static int find_axis(const struct ph_species *species, const struct ph_layout *layout, double axis[3])
{
    static const double parallel = 1e-9;
    int found = 0;
    for (size_t k = 0; k < layout->n_sites; ++k) {
        const struct ph_site *site = &species->site[layout->site[k]];
        const double *const vectors[] = {site->position, site->dipole, site->axis[layout->body_axis[k][0]]};
        if (layout->n_axes[k] > 1)
            return -1;
        for (size_t n = 0; n < 2 + layout->n_axes[k]; ++n) {
            const double *v = vectors[n], length = ph_vec3_norm(v);
            if (length == 0.0)
                continue;
            if (!found)
                for (int x = 0; x < 3; ++x)
                    axis[x] = v[x] / length;
            found = 1;
            double off[3];
            ph_vec3_cross(v, axis, off);
            if (ph_vec3_norm(off) > parallel * length)
                return -1;
        }
    }
    return found;
}

bool ph_virial_axial(const struct ph_virial_task *task)
{
    double axis[3];
    return find_axis(&task->system->species[task->a], &task->table->layout[task->a], axis) >= 0 &&
           find_axis(&task->system->species[task->b], &task->table->layout[task->b], axis) >= 0;
}

/* The orientation that turns the axis to (sin theta cos phi, sin theta sin phi, cos theta) */
static void orientation(const double axis[3], double cosine, double phi, double q[4])
{
    double to_z[4] = {1.0 + axis[2], axis[1], -axis[0], 0.0}; /* half way between: 1 + axis.z, axis x z */
    if (axis[2] < -0.5) {                                     /* half a revolution about x first */
        const double half[4] = {0.0, 1.0, 0.0, 0.0}, turned[4] = {1.0 - axis[2], -axis[1], -axis[0], 0.0};
        ph_quat_multiply(turned, half, to_z);
    }
    const double norm = sqrt(to_z[0] * to_z[0] + to_z[1] * to_z[1] + to_z[2] * to_z[2] + to_z[3] * to_z[3]);
    for (int k = 0; k < 4; ++k)
        to_z[k] /= norm;
    const double tilt[4] = {sqrt(0.5 * (1.0 + cosine)), 0.0, sqrt(0.5 * (1.0 - cosine)), 0.0};
    const double round[4] = {cos(0.5 * phi), 0.0, 0.0, sin(0.5 * phi)};
    ph_quat_multiply(tilt, to_z, q);
    ph_quat_multiply(round, q, q);
}

static void rule_free(struct rule *rule)
{
    for (int k = 0; k < 2; ++k) {
        free(rule->q[k]);
        free(rule->weight[k]);
    }
}

/* A molecule that is a point has one orientation; the other then needs no phi. */
static bool rule_init(const struct ph_virial_task *task, int n, struct rule *rule)
{
    const size_t species[2] = {task->a, task->b};
    double axis[2][3] = {{0.0, 0.0, 1.0}, {0.0, 0.0, 1.0}}, x[128], w[128];
    bool turns[2];
    for (int k = 0; k < 2; ++k)
        turns[k] = find_axis(&task->system->species[species[k]], &task->table->layout[species[k]], axis[k]) > 0;
    *rule = (struct rule){.n = {0, 0}, .rounds = turns[0] && turns[1] ? n / 2 + 2 : 1, .like = task->a == task->b};
    legendre(n, x, w);
    for (int k = 0; k < 2; ++k) {
        const int tilts = turns[k] ? n : 1, rounds = k == 1 ? rule->rounds : 1;
        rule->q[k] = calloc((size_t)(tilts * rounds), sizeof *rule->q[k]);
        rule->weight[k] = calloc((size_t)(tilts * rounds), sizeof *rule->weight[k]);
        if (!rule->q[k] || !rule->weight[k])
            return false;
        for (int i = 0; i < tilts; ++i)
            for (int j = 0; j < rounds; ++j) {
                const double phi = rounds > 1 ? 3.14159265358979323846 * (j + 0.5) / rounds : 0.0;
                orientation(axis[k], turns[k] ? x[i] : 1.0, phi, rule->q[k][rule->n[k]]);
                rule->weight[k][rule->n[k]++] = (turns[k] ? w[i] : 1.0) / rounds;
            }
    }
    return true;
}

static double average(const struct ph_virial_task *task, const struct rule *rule, struct ph_two_molecules *two,
                      double r)
{
    double sum = 0.0;
    for (int i = 0; i < rule->n[0]; ++i) {
        const int tilts = rule->like ? rule->n[0] - i : rule->n[1] / rule->rounds;
        double inner = 0.0;
        ph_two_molecules_turn(two, 0, rule->q[0][i]);
        for (int j = 0; j < tilts * rule->rounds; ++j) {
            const double twice = rule->like && j < (tilts - 1) * rule->rounds ? 2.0 : 1.0;
            ph_two_molecules_turn(two, 1, rule->q[1][j]);
            inner += twice * rule->weight[1][j] * ph_virial_mayer(task, two, r);
        }
        sum += rule->weight[0][i] * inner;
    }
    return sum;
}

/* ---- Distances ---- */

struct node {
    double r, f, f_error;
};

/* A piece of the integral, from and to in r, or in x = 1/r */
struct panel {
    double from, to;
    bool inverse;
    double value, error;
    size_t n, room;
    struct node *nodes; /* owned; of r alone */
    bool no_memory;
    double broken; /* a distance at which F is not finite, or 0 */
};

/* Where molecules touch more angles are needed than outside: each range has as many as it takes. */
enum { NEAR, FAR, RANGES };

struct work {
    const struct ph_virial_task *task;
    struct ph_virial_lengths lengths;
    int n_levels;
    struct rule rules[LEVELS];
    size_t n_panels, first[RANGES + 1]; /* panels of a range: from first[k] to first[k + 1] */
    struct panel panels[PANELS_MOST];
    double error[RANGES]; /* the last change by adding angles */
};

/* R. Piessens et al., QUADPACK (1983): 15 points; every second is one of Gauss's 7 */
enum { KRONROD = 15 };
static const double kronrod_x[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
                                    0.207784955007898467600689403773245, 0.0};
static const double kronrod_w[8] = {0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
                                    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
                                    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
                                    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double gauss_w[8] = {0.0, 0.129484966168869693270611432679082, 0.0, 0.279705391489276667901467771423780,
                                  0.0, 0.381830050505118944950369775488975, 0.0, 0.417959183673469387755102040816327};

static bool keep(struct panel *panel, const struct node nodes[KRONROD])
{
    if (panel->n + KRONROD > panel->room) {
        panel->room = 2 * panel->room + KRONROD;
        struct node *more = realloc(panel->nodes, panel->room * sizeof *more);
        if (!more)
            return false;
        panel->nodes = more;
    }
    memcpy(&panel->nodes[panel->n], nodes, KRONROD * sizeof *nodes);
    panel->n += KRONROD;
    return true;
}

/* Integral of r^2 F from `from` to `to`; halves are added in their order. A tail is not halved: towards x = 0 F is
 * lost in rounding. */
static void integrate(const struct work *work, const struct rule *rule, struct ph_two_molecules *two, double from,
                      double to, int halvings, struct panel *panel)
{
    struct node nodes[KRONROD];
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from), sigma = work->lengths.sigma;
    double kronrod = 0.0, gauss = 0.0;
    for (int k = 0; k < KRONROD; ++k) {
        const int j = k < 8 ? k : KRONROD - 1 - k;
        const double at = middle + (k < 8 ? -half : half) * kronrod_x[j], r = panel->inverse ? 1.0 / at : at;
        nodes[k] = (struct node){.r = r, .f = average(work->task, rule, two, r)};
        const double measure = half * (panel->inverse ? r * r * r * r : r * r);
        kronrod += kronrod_w[j] * measure * nodes[k].f;
        gauss += gauss_w[j] * measure * nodes[k].f;
        if (!isfinite(nodes[k].f))
            panel->broken = r;
    }
    if (panel->broken != 0.0)
        return;
    const double off = fabs(kronrod - gauss), scale = fmax(fabs(kronrod), sigma * sigma * sigma);
    if (off > radial_accuracy * scale && halvings > 0 && !panel->inverse) {
        integrate(work, rule, two, from, middle, halvings - 1, panel);
        integrate(work, rule, two, middle, to, halvings - 1, panel);
        return;
    }
    panel->value += kronrod;
    panel->error += off;
    panel->no_memory = panel->no_memory || (!panel->inverse && !keep(panel, nodes));
}

/* One thread computes a panel; panels are added in order, so that results do not depend on the number of threads. */
static double integrate_range(struct work *work, int range, int level)
{
    const struct ph_virial_task *task = work->task;
    double sum = 0.0;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t p = work->first[range]; p < work->first[range + 1]; ++p) {
        struct panel *panel = &work->panels[p];
        struct ph_two_molecules two;
        ph_two_molecules_init(task->system, task->table, task->a, task->b, &two);
        panel->value = panel->error = panel->broken = 0.0;
        panel->n = 0;
        integrate(work, &work->rules[level], &two, panel->from, panel->to, HALVINGS, panel);
    }
    for (size_t p = work->first[range]; p < work->first[range + 1]; ++p)
        sum += work->panels[p].broken == 0.0 ? work->panels[p].value : NAN;
    return sum;
}

/* How much F at the nodes depends on the number of angles */
static void find_errors(struct work *work, int range, int level)
{
    const struct ph_virial_task *task = work->task;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t p = work->first[range]; p < work->first[range + 1]; ++p) {
        struct ph_two_molecules two;
        ph_two_molecules_init(task->system, task->table, task->a, task->b, &two);
        for (size_t k = 0; k < work->panels[p].n; ++k) {
            struct node *node = &work->panels[p].nodes[k];
            node->f_error = fabs(node->f - average(task, &work->rules[level], &two, node->r));
        }
    }
}

/* Adds angles until the integral converges */
static void converge(struct work *work, int range)
{
    const struct ph_virial_task *task = work->task;
    const double sigma = work->lengths.sigma;
    double value = integrate_range(work, range, 0);
    for (int level = 1; level < work->n_levels && isfinite(value); ++level) {
        const double finer = integrate_range(work, range, level);
        work->error[range] = fabs(finer - value);
        value = finer;
        if (task->progress)
            task->progress(fmin(0.95, 0.5 * range + 0.1 * level), task->progress_data);
        if (level + 1 == work->n_levels ||
            !(work->error[range] > angular_accuracy * fmax(fabs(finer), sigma * sigma * sigma))) {
            find_errors(work, range, level - 1);
            return;
        }
    }
}

static void add_panel(struct work *work, double from, double to, bool inverse)
{
    if (to > from && work->n_panels < PANELS_MOST)
        work->panels[work->n_panels++] = (struct panel){.from = from, .to = to, .inverse = inverse};
}

/* With a cutoff the potential may have a corner there, and where a switch begins; with sites off the centres it ends
 * between cutoff - reach and cutoff + reach. */
static void make_panels(struct work *work)
{
    const struct ph_virial_lengths *l = &work->lengths;
    const double end = l->endless ? 10.0 * l->sigma + 4.0 * l->reach : l->cutoff + l->reach;
    const double near = 2.0 * l->sigma + l->reach;
    double r = 0.0, width = fmax(0.25 * l->sigma, near / 64.0);
    while (r < end * (1.0 - 1e-12)) {
        double to = work->n_panels + 4 < PANELS_MOST ? fmin(end, r + width) : end;
        if (r < l->cutoff && to > l->cutoff)
            to = l->cutoff;
        if (r < l->switch_on && to > l->switch_on)
            to = l->switch_on;
        add_panel(work, r, to, false);
        r = to;
        if (r < near)
            work->first[FAR] = work->n_panels;
        else
            width *= 1.4;
    }
    if (l->endless) {
        add_panel(work, 0.5 / end, 1.0 / end, true);
        add_panel(work, 0.0, 0.5 / end, true);
    }
    work->first[RANGES] = work->n_panels;
}

static enum ph_status gather(const struct work *work, struct ph_virial_result *result, struct ph_error *err)
{
    const double factor = -2.0 * 3.14159265358979323846;
    size_t n = 0;
    bool no_memory = false;
    result->error = fabs(factor) * (work->error[NEAR] + work->error[FAR]);
    for (size_t p = 0; p < work->n_panels; ++p) {
        const struct panel *panel = &work->panels[p];
        if (panel->broken != 0.0)
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "exp(-u/kT) is not finite at the distance %g: nothing keeps these molecules apart.",
                                panel->broken);
        result->value += factor * panel->value;
        result->error += fabs(factor) * panel->error;
        n += panel->n;
        no_memory = no_memory || panel->no_memory;
    }
    result->r = calloc(n + 1, sizeof *result->r);
    result->f = calloc(n + 1, sizeof *result->f);
    result->f_error = calloc(n + 1, sizeof *result->f_error);
    if (no_memory || !result->r || !result->f || !result->f_error)
        return ph_no_memory(err, "the integrand");
    for (size_t p = 0; p < work->n_panels; ++p)
        for (size_t k = 0; k < work->panels[p].n; ++k) {
            result->r[result->n] = work->panels[p].nodes[k].r;
            result->f[result->n] = work->panels[p].nodes[k].f;
            result->f_error[result->n++] = work->panels[p].nodes[k].f_error;
        }
    return PH_OK;
}

enum ph_status ph_virial_by_quadrature(const struct ph_virial_task *task, struct ph_virial_result *result,
                                       struct ph_error *err)
{
    struct work *work = calloc(1, sizeof *work);
    *result = (struct ph_virial_result){.n = 0};
    if (!work)
        return ph_no_memory(err, "the integrand");
    work->task = task;
    work->lengths = ph_virial_lengths(task);
    bool ready = true;
    for (int k = 0; k < LEVELS && ready; ++k) {
        ready = rule_init(task, angles_at[k], &work->rules[k]);
        work->n_levels = k + 1;
        if (ready && work->rules[k].n[0] * work->rules[k].n[1] == 1) /* two points */
            break;
    }
    make_panels(work);
    for (int range = 0; range < RANGES && ready; ++range)
        converge(work, range);
    const enum ph_status status = ready ? gather(work, result, err) : ph_no_memory(err, "the angles");
    for (int k = 0; k < work->n_levels; ++k)
        rule_free(&work->rules[k]);
    for (size_t p = 0; p < work->n_panels; ++p)
        free(work->panels[p].nodes);
    free(work);
    return status;
}
