/* SPDX-License-Identifier: MIT */
/* The equations of motion are written down once, as a list of sums, products and powers. Their Taylor coefficients
 * follow from each other, one power of t after the other. The coefficients of r, p, q, m to t^k give the coefficients
 * of all terms to t^k. These give r, p, q, m to t^(k+1).
 *   (a b)_k = sum_j a_j b_(k-j);   w = s^x: k s_0 w_k = sum_(j=1)^k (x j - (k - j)) s_j w_(k-j) */
#include "lab/certify/scheme_reference.h"

#include <math.h>
#include <stdlib.h>

enum { TERMS = 52, MOST_NODES = 1400, STATE = 13 };

struct node {
    enum { STATE_NUMBER, SUM, PRODUCT, POWER } kind;
    int a, b;      /* nodes; of a sum: factor_a a + factor_b b */
    double fa, fb; /* of a power: the exponent is fa */
    long double c[TERMS];
};

struct ph_taylor {
    size_t n; /* molecules */
    int n_nodes;
    int rate[PH_TRIAL_MOST * STATE]; /* the node that is the time derivative of each number of the state; -1: none */
    struct node node[MOST_NODES];    /* the first STATE n are the state: r, p, q, m of each molecule */
};

/* ---- Writing equations ---- */

static int add_node(struct ph_taylor *s, struct node node)
{
    if (s->n_nodes == MOST_NODES)
        abort(); /* the problems are known, and have fewer */
    s->node[s->n_nodes] = node;
    return s->n_nodes++;
}

static int sum(struct ph_taylor *s, double fa, int a, double fb, int b)
{
    return add_node(s, (struct node){.kind = SUM, .a = a, .b = b, .fa = fa, .fb = fb});
}

static int product(struct ph_taylor *s, int a, int b)
{
    return add_node(s, (struct node){.kind = PRODUCT, .a = a, .b = b});
}

static int power(struct ph_taylor *s, int a, double exponent)
{
    return add_node(s, (struct node){.kind = POWER, .a = a, .fa = exponent});
}

/* fa a b + fc c d */
static int products(struct ph_taylor *s, double fa, int a, int b, double fc, int c, int d)
{
    const int ab = product(s, a, b), cd = product(s, c, d);
    return sum(s, fa, ab, fc, cd);
}

static int dot(struct ph_taylor *s, const int a[3], const int b[3])
{
    const int two = products(s, 1.0, a[0], b[0], 1.0, a[1], b[1]);
    return sum(s, 1.0, two, 1.0, product(s, a[2], b[2]));
}

/* a x b + c; c may be NULL */
static void add_cross(struct ph_taylor *s, const int a[3], const int b[3], const int *c, int out[3])
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const int x = products(s, 1.0, a[i], b[j], -1.0, a[j], b[i]);
        out[k] = c ? sum(s, 1.0, x, 1.0, c[k]) : x;
    }
}

/* Q from q; columns are the body's axes in space */
static void rotation(struct ph_taylor *s, const int q[4], int Q[3][3])
{
    int square[4];
    for (int k = 0; k < 4; ++k)
        square[k] = product(s, q[k], q[k]);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const int along = sum(s, 1.0, square[0], 1.0, square[1 + k]);
        const int across = sum(s, 1.0, square[1 + i], 1.0, square[1 + j]);
        Q[k][k] = sum(s, 1.0, along, -1.0, across);
        const int xy = product(s, q[1 + i], q[1 + j]), wz = product(s, q[0], q[1 + k]);
        Q[i][j] = sum(s, 2.0, xy, -2.0, wz);
        Q[j][i] = sum(s, 2.0, xy, 2.0, wz);
    }
}

/* sum_k v_k of the k-th row, or column, of Q */
static int combine(struct ph_taylor *s, const double v[3], int x, int y, int z)
{
    return sum(s, 1.0, sum(s, v[0], x, v[1], y), v[2], z);
}

/* ---- The equations ---- */

struct molecule {
    int r[3], p[3], q[4], m[3]; /* the state */
    int Q[3][3], mu[3];
    int force[3], field[3]; /* space frame; -1 before anything was added */
};

static void gather(struct ph_taylor *s, int add[3], int to[3])
{
    for (int k = 0; k < 3; ++k)
        to[k] = to[k] < 0 ? add[k] : sum(s, 1.0, to[k], 1.0, add[k]);
}

/* With d = r_i - r_j:  u = 4 eps (sigma/d)^n + mu_i.mu_j/d^3 - 3 (mu_i.d)(mu_j.d)/d^5
 *   f_i = [4 eps n sigma^n/d^(n+2) + 3 mu_i.mu_j/d^5 - 15 (mu_i.d)(mu_j.d)/d^7] d + 3 [(mu_j.d) mu_i + (mu_i.d)
 * mu_j]/d^5 E_i = 3 (mu_j.d) d/d^5 - mu_j/d^3 */
static void interact(struct ph_taylor *s, const struct ph_radial *radial, struct molecule *a, struct molecule *b)
{
    int d[3], force[3], reaction[3], field_a[3], field_b[3];
    for (int k = 0; k < 3; ++k)
        d[k] = sum(s, 1.0, a->r[k], -1.0, b->r[k]);
    const int d2 = dot(s, d, d), d3 = power(s, d2, -1.5), d5 = power(s, d2, -2.5), d7 = power(s, d2, -3.5);
    const int da = dot(s, a->mu, d), db = dot(s, b->mu, d), da5 = product(s, da, d5), db5 = product(s, db, d5);
    const int steric = power(s, d2, -0.5 * (radial->repulsive + 2.0));
    const int ab = dot(s, a->mu, b->mu), da_db = product(s, da, db);
    const int polar = products(s, 3.0, ab, d5, -15.0, da_db, d7);
    const double strength = 4.0 * radial->epsilon * radial->repulsive * pow(radial->sigma, radial->repulsive);
    const int along = sum(s, strength, steric, 1.0, polar);
    for (int k = 0; k < 3; ++k) {
        const int turned = products(s, 3.0, db5, a->mu[k], 3.0, da5, b->mu[k]);
        force[k] = sum(s, 1.0, product(s, along, d[k]), 1.0, turned);
        reaction[k] = sum(s, -1.0, force[k], 0.0, force[k]);
        field_a[k] = products(s, 3.0, db5, d[k], -1.0, d3, b->mu[k]);
        field_b[k] = products(s, 3.0, da5, d[k], -1.0, d3, a->mu[k]);
    }
    gather(s, force, a->force);
    gather(s, reaction, b->force);
    gather(s, field_a, a->field);
    gather(s, field_b, b->field);
}

/* v x Q^T E for a vector v of the body and a node each of E */
static void torque_of_field(struct ph_taylor *s, const double v[3], int Q[3][3], const int field[3], int out[3])
{
    int body[3];
    for (int k = 0; k < 3; ++k)
        body[k] = dot(s, (const int[3]){Q[0][k], Q[1][k], Q[2][k]}, field);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = sum(s, v[i], body[j], -v[j], body[i]);
    }
}

/* (0, 0, 1) x Q^T F for constant F: rows of Q times F */
static void torque_of_weight(struct ph_taylor *s, const double weight[3], int Q[3][3], int out[3])
{
    out[0] = combine(s, (const double[3]){-weight[0], -weight[1], -weight[2]}, Q[0][1], Q[1][1], Q[2][1]);
    out[1] = combine(s, weight, Q[0][0], Q[1][0], Q[2][0]);
    out[2] = sum(s, 0.0, out[0], 0.0, out[0]);
}

/* r' = p,  p' = f,  q' = q (0, w)/2,  m' = m x w + torque with w = I^-1 m */
static void equations_of_one(struct ph_taylor *s, const struct ph_trial_problem *problem, const struct molecule *body,
                             const int torque[3], int rate[STATE])
{
    int w[3], m_rate[3];
    for (int k = 0; k < 3; ++k)
        w[k] = sum(s, 1.0 / problem->inertia[k], body->m[k], 0.0, body->m[k]);
    add_cross(s, body->m, w, torque, m_rate);
    const int *q = body->q;
    const int inner = dot(s, &q[1], w);
    rate[6] = sum(s, -0.5, inner, 0.0, inner);
    int outer[3];
    add_cross(s, &q[1], w, NULL, outer);
    for (int k = 0; k < 3; ++k) {
        rate[k] = problem->pinned ? -1 : body->p[k];
        rate[3 + k] = problem->pinned ? -1 : body->force[k];
        rate[7 + k] = sum(s, 0.5, product(s, q[0], w[k]), 0.5, outer[k]);
        rate[10 + k] = m_rate[k];
    }
}

static void write_equations(struct ph_taylor *s, const struct ph_trial_problem *problem)
{
    struct molecule bodies[PH_TRIAL_MOST];
    for (size_t i = 0; i < s->n; ++i) {
        struct molecule *body = &bodies[i];
        const int first = (int)i * STATE;
        for (int k = 0; k < 3; ++k) {
            body->r[k] = first + k;
            body->p[k] = first + 3 + k;
            body->m[k] = first + 10 + k;
            body->force[k] = body->field[k] = -1;
        }
        for (int k = 0; k < 4; ++k)
            body->q[k] = first + 6 + k;
        rotation(s, body->q, body->Q);
        for (int k = 0; k < 3; ++k)
            body->mu[k] = combine(s, problem->dipole, body->Q[k][0], body->Q[k][1], body->Q[k][2]);
    }
    for (size_t i = 0; i < s->n; ++i)
        for (size_t j = 0; j < i; ++j)
            interact(s, &problem->radial, &bodies[i], &bodies[j]);
    for (size_t i = 0; i < s->n; ++i) {
        int torque[3];
        if (s->n > 1)
            torque_of_field(s, problem->dipole, bodies[i].Q, bodies[i].field, torque);
        else
            torque_of_weight(s, problem->body_force, bodies[i].Q, torque);
        equations_of_one(s, problem, &bodies[i], torque, &s->rate[i * STATE]);
    }
}

/* ---- Their solution ---- */

static long double coefficient(const struct ph_taylor *s, const struct node *node, int k)
{
    const long double *a = s->node[node->a].c, *b = s->node[node->b].c;
    long double total = 0.0L;
    switch (node->kind) {
    case STATE_NUMBER: return node->c[k];
    case SUM: return (long double)node->fa * a[k] + (long double)node->fb * b[k];
    case PRODUCT:
        for (int j = 0; j <= k; ++j)
            total += a[j] * b[k - j];
        return total;
    case POWER:
        if (k == 0)
            return powl(a[0], (long double)node->fa);
        for (int j = 1; j <= k; ++j)
            total += ((long double)node->fa * j - (k - j)) * a[j] * node->c[k - j];
        return total / (k * a[0]);
    }
    return 0.0L;
}

static void solve(struct ph_taylor *s)
{
    const int n_state = (int)s->n * STATE;
    for (int k = 0; k < TERMS; ++k) {
        for (int i = n_state; i < s->n_nodes; ++i)
            s->node[i].c[k] = coefficient(s, &s->node[i], k);
        for (int i = 0; i < n_state && k + 1 < TERMS; ++i)
            s->node[i].c[k + 1] = s->rate[i] < 0 ? 0.0L : s->node[s->rate[i]].c[k] / (k + 1);
    }
}

enum ph_status ph_taylor_create(const struct ph_trial_problem *problem, const struct ph_trial_body middle[],
                                struct ph_taylor **out, struct ph_error *err)
{
    struct ph_taylor *s = *out = calloc(1, sizeof *s);
    if (!s)
        return ph_no_memory(err, "a reference solution");
    s->n = problem->n;
    for (size_t i = 0; i < s->n; ++i) {
        const struct ph_trial_body *b = &middle[i];
        const double start[STATE] = {b->r[0], b->r[1], b->r[2], b->p[0], b->p[1], b->p[2], b->q[0],
                                     b->q[1], b->q[2], b->q[3], b->m[0], b->m[1], b->m[2]};
        long double norm = 0.0L;
        for (int k = 6; k < 10; ++k)
            norm += (long double)start[k] * (long double)start[k];
        for (int k = 0; k < STATE; ++k) { /* q of norm one, or Q would not be a rotation */
            const long double unit = k >= 6 && k < 10 ? sqrtl(norm) : 1.0L;
            add_node(s, (struct node){.kind = STATE_NUMBER, .c = {(long double)start[k] / unit}});
        }
    }
    write_equations(s, problem);
    solve(s);
    return PH_OK;
}

void ph_taylor_destroy(struct ph_taylor *series) { free(series); }

static double value(const struct node *node, double t)
{
    long double total = 0.0L;
    for (int k = TERMS - 1; k >= 0; --k)
        total = total * (long double)t + node->c[k];
    return (double)total;
}

void ph_taylor_at(const struct ph_taylor *series, double t, struct ph_trial_body out[])
{
    for (size_t i = 0; i < series->n; ++i) {
        const struct node *node = &series->node[i * STATE];
        for (int k = 0; k < 3; ++k) {
            out[i].r[k] = value(&node[k], t);
            out[i].p[k] = value(&node[3 + k], t);
            out[i].m[k] = value(&node[10 + k], t);
        }
        for (int k = 0; k < 4; ++k)
            out[i].q[k] = value(&node[6 + k], t);
    }
}

double ph_taylor_tail(const struct ph_taylor *series, double t)
{
    double largest = 0.0;
    for (size_t i = 0; i < series->n * STATE; ++i)
        for (int k = TERMS - 4; k < TERMS; ++k)
            largest = fmax(largest, fabs((double)series->node[i].c[k] * pow(t, k)));
    return largest;
}
