/* SPDX-License-Identifier: MIT */
/* The library in a few lines: arrays in, steps, arrays out. Also a C++ program.
 *   cc example.c $(pkg-config --cflags --libs polhode)
 * with PKG_CONFIG_PATH=PREFIX/lib/pkgconfig where the library is not installed among those of the system; in CMake
 *   find_package(polhode REQUIRED)
 *   target_link_libraries(example PRIVATE polhode::polhode) */
#include <polhode.h>

#include <stdio.h>

/* 27 Stockmayer molecules on a cubic lattice, turned alternately, at rest. */
enum { N = 27 };
static double position[3 * N], quaternion[4 * N], momentum[3 * N];

static const char text[] = "units: reduced\n"
                           "interactions: {cutoff: 2, switch: {width: 0.5}, electrostatics: {method: reaction-field}}\n"
                           "dynamics: {step: 0.005, steps: 1000}\n";

static int fail(const struct ph_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    return (int)err->status;
}

int main(void)
{
    const double spacing = 1.35, length = 3 * spacing;
    for (int i = 0; i < N; ++i) {
        position[3 * i] = spacing * (i % 3);
        position[3 * i + 1] = spacing * (i / 3 % 3);
        position[3 * i + 2] = spacing * (i / 9);
        quaternion[4 * i] = i % 2 ? 0.6 : 1.0;
        quaternion[4 * i + 1] = i % 2 ? 0.8 : 0.0; /* about the x axis */
    }
    const char *const models[] = {"stockmayer"};
    const size_t counts[] = {N};
    const double edges[9] = {length, 0, 0, 0, length, 0, 0, 0, length};
    static struct ph_arrays start; /* what is not set below is 0: at rest */
    start.n_species = 1;
    start.models = models;
    start.counts = counts;
    start.edges = edges;
    start.positions = position;
    start.quaternions = quaternion;

    struct ph_error err;
    struct ph_simulation *simulation;
    if (ph_simulation_from_arrays(text, 0, NULL, &start, &simulation, &err) != PH_OK)
        return fail(&err);
    const struct ph_species_facts species = ph_simulation_species_facts(simulation, 0);
    printf("polhode %s, %zu molecules of %s\n", ph_version(), species.count, species.name);
    for (int block = 0; block <= 5; ++block) {
        struct ph_energies energies;
        if (ph_simulation_advance(simulation, block > 0 ? 20 : 0, &err) != PH_OK ||
            ph_simulation_energies(simulation, &energies, &err) != PH_OK ||
            ph_simulation_read(simulation, PH_ARRAY_MOMENTUM, momentum, &err) != PH_OK)
            return fail(&err);
        double kinetic = 0.0; /* the same as energies.kinetic_translation */
        for (int k = 0; k < 3 * N; ++k)
            kinetic += 0.5 * momentum[k] * momentum[k] / species.mass;
        printf("time %.3f energy %.12f kinetic %.12f %.12f\n", ph_simulation_time(simulation), energies.total, kinetic,
               energies.kinetic_translation);
    }
    ph_simulation_destroy(simulation);
    return 0;
}
