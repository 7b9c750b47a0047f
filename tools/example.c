/* SPDX-License-Identifier: MIT */
/* The library in a few lines: builds what an input describes, moves it, and prints its energy now and then.
 *   cc example.c $(pkg-config --cflags --libs polhode)
 * with PKG_CONFIG_PATH=PREFIX/lib/pkgconfig where the library is not installed among those of the system; in CMake
 *   find_package(polhode REQUIRED)
 *   target_link_libraries(example PRIVATE polhode::polhode) */
#include <polhode.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    struct ph_error err;
    static struct ph_input input;
    struct ph_system *system;
    struct ph_interactions interactions;
    struct ph_force_field *field;
    struct ph_dynamics *dynamics;
    if (argc != 2 || ph_input_read(argv[1], 0, NULL, &input, &err) != PH_OK ||
        ph_build_system(&input, &system, &interactions, NULL, &err) != PH_OK ||
        ph_force_field_create(system, &interactions, &field, &err) != PH_OK ||
        ph_dynamics_create(system, field,
                           &(struct ph_dynamics_options){.scheme = ph_scheme_find("srkn6-11b"),
                                                         .flow = ph_flow_find("exact"),
                                                         .step = input.dynamics.step,
                                                         .compensated = true},
                           &dynamics, &err) != PH_OK) {
        fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: example INPUT.yaml");
        return 2;
    }
    for (int block = 0; block <= 5; ++block) {
        struct ph_energy energy;
        if (ph_dynamics_advance(dynamics, block > 0 ? 5 : 0, &err) != PH_OK ||
            ph_dynamics_synchronise(dynamics, &energy, &err) != PH_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 3;
        }
        const double kinetic = ph_system_kinetic_translation(system) + ph_system_kinetic_rotation(system);
        printf("time %.3f energy %.12f\n", 5 * block * input.dynamics.step, ph_energy_total(&energy) + kinetic);
    }
    ph_dynamics_destroy(dynamics);
    ph_force_field_destroy(field);
    ph_interactions_free(&interactions);
    ph_system_destroy(system);
    return 0;
}
