/* SPDX-License-Identifier: MIT */
/* Second virial coefficients of pairs of axial molecules by quadrature.
 *
 * The energy depends on r, the angles of both axes with the line of centres and the angle phi between the planes of
 * the axes. The mean over c1 = cos theta1, c2 uses the rule of Gauss and Legendre, that over phi from 0 to pi equal
 * parts, which for an even periodic function is Gauss's rule too. Integrals over r use the rules of Gauss and Kronrod
 * with 7 and 15 points on panels that are halved until both agree. */

/* NEAR, where molecules touch, the integral over r comes first, one for each orientation. At one distance some
 * orientations overlap and others do not, so F would need very many angles. But the distance where an orientation
 * begins to overlap is a smooth function of the angles, and so is its integral, if the panels begin at that distance.
 * FAR from there the mean over angles comes first, because the integral of one orientation of two dipoles diverges.
 * Without a cutoff, the integral beyond some distance is over x = 1/r, because F/x^4 is smooth up to x = 0. Angles are
 * added until both integrals converge. The error reported is the difference of both rules and the change by more
 * angles. */
#include "lab/virial_angles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the change by more angles, and of the difference of both radial rules on a panel, relative to the integral or to
 * sigma^3. The better of two is far nearer to the truth. */
static const double angular_accuracy = 5e-11, radial_accuracy = 1e-9;

enum { LEVELS = 8, HALVINGS = 12, PANELS_MOST = 96 };
static const int angles_at[LEVELS] = {6, 10, 14, 20, 28, 40, 56, 80}; /* of each axis */

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
    double end, far; /* where panels of r end, and where FAR begins */
    int n_levels;
    struct ph_virial_rule rules[LEVELS];
    size_t n_panels, first[RANGES + 1]; /* panels of a range: from first[k] to first[k + 1] */
    struct panel panels[PANELS_MOST];
    double near_value, near_error; /* the integral over the first range, and the mean error of the radial rules */
    double error[RANGES];          /* the last change by adding angles */
};

/* F of one orientation */
struct ray {
    const struct work *work;
    struct ph_two_molecules *two;
    double r;     /* where `at_distance` is computed */
    double error; /* of the radial rules, summed over orientations */
    size_t n;     /* orientations */
    double wall;  /* the largest of all orientations */
};

static double at_distance(void *context, struct ph_two_molecules *two)
{
    const struct ray *ray = context;
    return ph_virial_mayer(ray->work->task, two, ray->r);
}

static double average(const struct work *work, const struct ph_virial_rule *rule, struct ph_two_molecules *two,
                      double r)
{
    struct ray ray = {.work = work, .r = r};
    return ph_virial_mean(rule, -1, two, at_distance, &ray);
}

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

static double place(double from, double to, int k)
{
    return 0.5 * (from + to) + 0.5 * (to - from) * (k < 8 ? -kronrod_x[k] : kronrod_x[KRONROD - 1 - k]);
}

/* The integral of r^2 F by both rules, from F at the 15 places */
static void apply_rules(double from, double to, bool inverse, const double f[KRONROD], double *kronrod, double *gauss)
{
    *kronrod = *gauss = 0.0;
    for (int k = 0; k < KRONROD; ++k) {
        const int j = k < 8 ? k : KRONROD - 1 - k;
        const double at = place(from, to, k), r = inverse ? 1.0 / at : at;
        const double measure = 0.5 * (to - from) * (inverse ? r * r * r * r : r * r);
        *kronrod += kronrod_w[j] * measure * f[k];
        *gauss += gauss_w[j] * measure * f[k];
    }
}

/* How far the better rule is from the truth, from the difference of both: QUADPACK, for sigma^3 as the scale, with
 * rounding */
static double rule_error(double off, double scale)
{
    return fmin(off, scale * pow(200.0 * off / scale, 1.5)) + 1e-14 * scale;
}

static double scale_of(const struct work *work, double value)
{
    const double sigma = work->lengths.sigma;
    return fmax(fabs(value), sigma * sigma * sigma);
}

/* ---- Near: distances first ---- */

/* The integral of one orientation over a panel; halves are added in their order. NaN where F is not finite */
static double integrate_ray(struct ray *ray, double from, double to, int halvings)
{
    double f[KRONROD], kronrod, gauss;
    for (int k = 0; k < KRONROD; ++k)
        f[k] = ph_virial_mayer(ray->work->task, ray->two, place(from, to, k));
    apply_rules(from, to, false, f, &kronrod, &gauss);
    const double off = fabs(kronrod - gauss), scale = scale_of(ray->work, kronrod);
    if (off > radial_accuracy * scale && halvings > 0) {
        const double middle = 0.5 * (from + to);
        const double near = integrate_ray(ray, from, middle, halvings - 1);
        return near + integrate_ray(ray, middle, to, halvings - 1);
    }
    ray->error += rule_error(off, scale);
    return kronrod;
}

/* Finds the largest distance at which exp(-u/kT) is as good as 0, from outside in steps of a tenth; 0 without any */
static double find_wall(const struct ray *ray)
{
    static const double step = 0.9, nothing = 1e-12;
    double outside = ray->work->end, inside = step * outside;
    while (ph_virial_mayer(ray->work->task, ray->two, inside) > nothing - 1.0) {
        outside = inside;
        inside *= step;
        if (inside < 1e-3 * ray->work->lengths.sigma)
            return 0.0;
    }
    for (int k = 0; k < 16; ++k) {
        const double middle = 0.5 * (inside + outside);
        *(ph_virial_mayer(ray->work->task, ray->two, middle) > nothing - 1.0 ? &outside : &inside) = middle;
    }
    return inside;
}

static double wall_of(void *context, struct ph_two_molecules *two)
{
    struct ray *ray = context;
    ray->two = two;
    ray->wall = fmax(ray->wall, find_wall(ray));
    return 0.0;
}

/* From the wall panels become wider. With a cutoff the potential may have a corner there, and where a switch begins. */
static double along_ray(void *context, struct ph_two_molecules *two)
{
    struct ray *ray = context;
    const struct work *work = ray->work;
    ray->two = two;
    ++ray->n;
    double r = find_wall(ray), width = 0.125 * work->lengths.sigma, sum = 0.0;
    if (r > 0.0)
        sum = integrate_ray(ray, 0.0, r, HALVINGS);
    while (r < work->far) {
        double to = fmin(work->far, r + width);
        if (r < work->lengths.cutoff && to > work->lengths.cutoff)
            to = work->lengths.cutoff;
        if (r < work->lengths.switch_on && to > work->lengths.switch_on)
            to = work->lengths.switch_on;
        sum += integrate_ray(ray, r, to, HALVINGS);
        r = to;
        width *= 1.5;
    }
    return sum;
}

/* One thread computes the orientations with one tilt of the first molecule; these are added in order, so that results
 * do not depend on the number of threads. */
static double integrate_near(struct work *work, int level)
{
    const struct ph_virial_rule *rule = &work->rules[level];
    double part[PH_VIRIAL_TILTS], error[PH_VIRIAL_TILTS], sum = 0.0;
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < rule->n[0]; ++i) {
        struct ph_two_molecules two;
        struct ray ray = {.work = work};
        ph_two_molecules_init(work->task->system, work->task->table, work->task->a, work->task->b, &two);
        part[i] = ph_virial_mean(rule, i, &two, along_ray, &ray);
        error[i] = ray.error / (double)ray.n;
    }
    work->near_error = 0.0;
    for (int i = 0; i < rule->n[0]; ++i) {
        sum += part[i];
        work->near_error += error[i] / rule->n[0];
    }
    return work->near_value = sum;
}

/* ---- Far: angles first ---- */

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
static void integrate(const struct work *work, const struct ph_virial_rule *rule, struct ph_two_molecules *two,
                      double from, double to, int halvings, struct panel *panel)
{
    struct node nodes[KRONROD];
    double f[KRONROD], kronrod, gauss;
    for (int k = 0; k < KRONROD; ++k) {
        const double at = place(from, to, k), r = panel->inverse ? 1.0 / at : at;
        f[k] = average(work, rule, two, r);
        nodes[k] = (struct node){.r = r, .f = f[k]};
        if (!isfinite(f[k]))
            panel->broken = r;
    }
    if (panel->broken != 0.0)
        return;
    apply_rules(from, to, panel->inverse, f, &kronrod, &gauss);
    const double off = fabs(kronrod - gauss), scale = scale_of(work, kronrod);
    if (off > radial_accuracy * scale && halvings > 0 && !panel->inverse) {
        const double middle = 0.5 * (from + to);
        integrate(work, rule, two, from, middle, halvings - 1, panel);
        integrate(work, rule, two, middle, to, halvings - 1, panel);
        return;
    }
    panel->value += kronrod;
    panel->error += rule_error(off, scale);
    panel->no_memory = panel->no_memory || (!panel->inverse && !keep(panel, nodes));
}

/* One thread computes a panel; panels are added in order. Panels of the first range are for the table alone. */
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
        integrate(work, &work->rules[level], &two, panel->from, panel->to, range == NEAR ? 0 : HALVINGS, panel);
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
            node->f_error = fabs(node->f - average(work, &work->rules[level], &two, node->r));
        }
    }
}

/* Adds angles until the integral converges */
static void converge(struct work *work, int range)
{
    const struct ph_virial_task *task = work->task;
    double value = range == NEAR ? integrate_near(work, 0) : integrate_range(work, range, 0);
    int level = 0;
    while (level + 1 < work->n_levels && isfinite(value)) {
        ++level;
        const double finer = range == NEAR ? integrate_near(work, level) : integrate_range(work, range, level);
        work->error[range] = fabs(finer - value);
        value = finer;
        if (task->progress)
            task->progress(fmin(0.95, 0.5 * range + 0.1 * level), task->progress_data);
        if (work->error[range] <= angular_accuracy * scale_of(work, finer))
            break;
    }
    if (range == NEAR) { /* the table needs fewer digits */
        level = level > 1 ? level - 1 : level;
        integrate_range(work, NEAR, level);
    }
    if (level > 0)
        find_errors(work, range, level - 1);
}

static void add_panel(struct work *work, double from, double to, bool inverse)
{
    if (to > from && work->n_panels < PANELS_MOST)
        work->panels[work->n_panels++] = (struct panel){.from = from, .to = to, .inverse = inverse};
}

/* With sites off the centres a potential with a cutoff ends between cutoff - reach and cutoff + reach. */
static void make_panels(struct work *work)
{
    const struct ph_virial_lengths *l = &work->lengths;
    struct ph_two_molecules two;
    struct ray ray = {.work = work};
    ph_two_molecules_init(work->task->system, work->task->table, work->task->a, work->task->b, &two);
    work->end = l->endless ? 10.0 * l->sigma + 4.0 * l->reach : l->cutoff + l->reach;
    ph_virial_mean(&work->rules[work->n_levels > 1 ? 1 : 0], -1, &two, wall_of, &ray);
    work->far = fmin(work->end, fmax(2.0 * l->sigma + l->reach, ray.wall + l->sigma));
    double r = 0.0, width = fmax(0.25 * l->sigma, work->far / 64.0);
    while (r < work->end * (1.0 - 1e-12)) {
        double to = work->n_panels + 4 < PANELS_MOST ? fmin(work->end, r + width) : work->end;
        if (r < work->far && to > work->far)
            to = work->far;
        if (r < l->cutoff && to > l->cutoff)
            to = l->cutoff;
        if (r < l->switch_on && to > l->switch_on)
            to = l->switch_on;
        add_panel(work, r, to, false);
        r = to;
        if (r <= work->far)
            work->first[FAR] = work->n_panels;
        else
            width *= 1.4;
    }
    if (l->endless) {
        add_panel(work, 0.5 / work->end, 1.0 / work->end, true);
        add_panel(work, 0.0, 0.5 / work->end, true);
    }
    work->first[RANGES] = work->n_panels;
}

static enum ph_status gather(const struct work *work, struct ph_virial_result *result, struct ph_error *err)
{
    const double factor = -2.0 * 3.14159265358979323846;
    size_t n = 0;
    bool no_memory = false;
    result->value = factor * work->near_value;
    result->error = fabs(factor) * (work->near_error + work->error[NEAR] + work->error[FAR]);
    for (size_t p = 0; p < work->n_panels; ++p) {
        const struct panel *panel = &work->panels[p];
        if (panel->broken != 0.0)
            return ph_error_set(err, PH_ERR_NUMBERS,
                                "exp(-u/kT) is not finite at the distance %g: nothing keeps these molecules apart.",
                                panel->broken);
        if (p >= work->first[FAR]) {
            result->value += factor * panel->value;
            result->error += fabs(factor) * panel->error;
        }
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
        ready = ph_virial_rule_init(task, angles_at[k], &work->rules[k]);
        work->n_levels = k + 1;
        if (ready && work->rules[k].n[0] * work->rules[k].n[1] == 1) /* two points */
            break;
    }
    if (ready)
        make_panels(work);
    for (int range = 0; range < RANGES && ready; ++range)
        converge(work, range);
    const enum ph_status status = ready ? gather(work, result, err) : ph_no_memory(err, "the angles");
    for (int k = 0; k < work->n_levels; ++k)
        ph_virial_rule_free(&work->rules[k]);
    for (size_t p = 0; p < work->n_panels; ++p)
        free(work->panels[p].nodes);
    free(work);
    return status;
}
