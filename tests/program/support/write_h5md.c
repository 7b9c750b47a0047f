/* SPDX-License-Identifier: MIT */
/* Writes a trajectory for tests in other languages:  write_h5md KIND FILE STEPS [COMPRESSION [CADENCE|stages]]
 * Kinds are those of h5md_systems.h; CADENCE is that of everything but positions; with `stages` there are two of them,
 * and the box grows in the second. Prints one frame as JSON, computed here and not by the writer. */
#include "h5md_systems.h"

#include "base/rotation.h"
#include "output/checkpoint/hash.h"

static int die(const struct ph_error *err)
{
    fprintf(stderr, "write_h5md: %s\n", err->text);
    return (int)err->status;
}

static void print_vectors(const char *name, const struct ph_system *system, double *const *arrays, int width)
{
    printf(",\n \"%s\": [", name);
    for (size_t i = 0; i < system->n; ++i) {
        printf("%s[", i > 0 ? ", " : "");
        for (int k = 0; k < width; ++k)
            printf("%s%.17g", k > 0 ? ", " : "", arrays[k][i]);
        printf("]");
    }
    printf("]");
}

static void print_sites(const struct ph_system *system)
{
    printf(",\n \"sites\": [");
    for (size_t i = 0; i < system->n; ++i) {
        const struct ph_species *species = &system->species[ph_system_species_of(system, i)];
        const double q[4] = {system->q[0][i], system->q[1][i], system->q[2][i], system->q[3][i]};
        for (size_t a = 0; a < species->n_sites; ++a) {
            double x[3];
            ph_quat_rotate(q, species->site[a].position, x);
            printf("%s[\"%s\", \"%s\", %zu, %.17g, %.17g, %.17g, %.17g, %.17g]", i + a > 0 ? ", " : "", species->name,
                   species->site[a].name, i, x[0] + system->r[0][i], x[1] + system->r[1][i], x[2] + system->r[2][i],
                   species->n_sites > 1 ? species->site[a].mass : species->mass, species->site[a].charge);
        }
    }
    printf("]");
}

int main(int argc, char **argv)
{
    int kind = 0;
    while (kind < H5MD_KINDS && (argc < 4 || strcmp(argv[1], h5md_kind_names[kind]) != 0))
        ++kind;
    if (kind == H5MD_KINDS)
        return PH_ERR_INPUT;
    const int64_t steps = strtol(argv[3], NULL, 10);
    struct ph_system *system = h5md_system((enum h5md_kind)kind);
    struct ph_trajectory_plan plan = h5md_plan((enum h5md_kind)kind);
    plan.compression = argc > 4 ? atoi(argv[4]) : 0;
    struct ph_trajectory_cadence cadence = h5md_cadence;
    plan.cadences = &cadence;
    const bool staged = argc > 5 && strcmp(argv[5], "stages") == 0;
    if (staged) {
        plan.n_cadences = plan.n_stages = 2;
        plan.cadences = h5md_staged;
        plan.stages = h5md_stages;
    }
    for (int e = 1; e < PH_TRAJECTORY_ELEMENTS && argc > 5 && !staged; ++e)
        cadence.every[e] = strtol(argv[5], NULL, 10);
    struct ph_trajectory *trajectory;
    struct ph_error err;
    if (ph_trajectory_create(argv[2], true, system, &plan, &h5md_about, &trajectory, &err) != PH_OK)
        return die(&err);
    for (int64_t step = 0; step <= steps; ++step) {
        if (staged)
            h5md_staged_box(system, step);
        if (h5md_append_at(trajectory, system, step, staged ? h5md_staged_time(step) : h5md_time_step * (double)step,
                           &err) != PH_OK)
            return die(&err);
    }
    if (ph_trajectory_mark_production(trajectory, 20, &err) != PH_OK ||
        ph_trajectory_note_hash(trajectory, steps, ph_state_hash(system), &err) != PH_OK ||
        ph_trajectory_close(trajectory, &err) != PH_OK)
        return die(&err);
    h5md_move(system, 10); /* the second frame */
    printf("{\"n\": %zu", system->n);
    print_vectors("position", system, system->r, 3);
    print_vectors("momentum", system, system->p, 3);
    print_vectors("orientation", system, system->q, 4);
    print_vectors("angular_momentum", system, system->m, 3);
    print_vectors("force", system, system->f, 3);
    print_vectors("torque", system, system->t, 3);
    print_sites(system);
    printf(",\n \"edges\": [");
    for (int k = 0; k < 9; ++k)
        printf("%s%.17g", k > 0 ? ", " : "", system->box.edge[k / 3][k % 3]);
    printf("]}\n");
    ph_system_destroy(system);
    return PH_OK;
}
