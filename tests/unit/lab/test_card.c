/* SPDX-License-Identifier: MIT */
/* Cards of methods, and the table that shows several: what a deviation and an order do to a claim. */
#include "support.h"

#include "lab/certify/card.h"
#include "lab/table.h"

TEST(the_worst_deviation_decides)
{
    static const struct {
        double deviation;
        enum ph_property_verdict verdict;
    } steps[] = {{0.0, PH_VERDICT_YES},        {1e-12, PH_VERDICT_YES},  {2e-12, PH_VERDICT_UNRESOLVED},
                 {0.0, PH_VERDICT_UNRESOLVED}, {1.1e-10, PH_VERDICT_NO}, {1e-12, PH_VERDICT_NO},
                 {NAN, PH_VERDICT_NO}};
    struct ph_property property = ph_property_unseen;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        ph_property_judge(&property, steps[k].deviation, 1e-12, 100.0, 0.1);
        assert_int_equal(property.verdict, steps[k].verdict);
    }
    assert_true(isnan(property.deviation));
    property = ph_property_unseen;
    ph_property_judge(&property, NAN, 1e-12, 100.0, 0.1);
    assert_int_equal(property.verdict, PH_VERDICT_NO);
}

/* The state of the claim of order 4 with one measured order, or two */
static enum ph_claim_state state_of(enum ph_order_weight weight, bool resolved, double order)
{
    struct ph_card card;
    ph_card_begin(&card, &ph_scheme_cards, "", "", 4, NULL);
    ph_card_add_order(&card, (struct ph_card_order){.quantity = "",
                                                    .where = "dipoles",
                                                    .claimed = 4,
                                                    .weight = PH_ORDER_ENOUGH,
                                                    .measured = {.resolved = true, .order = 4.1}});
    ph_card_add_order(&card, (struct ph_card_order){.quantity = "",
                                                    .where = "dipoles",
                                                    .claimed = 4,
                                                    .weight = weight,
                                                    .measured = {.resolved = resolved, .order = order}});
    /* The table shows what contradicts, and otherwise the farthest of those that can confirm */
    const double shown = ph_card_worst_order(&card, 0)->order;
    const bool off = ph_card_order_state(&card, "") == PH_CLAIM_CONTRADICTED;
    assert_true(off ? shown == order || isnan(order) : shown == 4.1 || (weight < PH_ORDER_AGAINST && shown == order));
    return ph_card_order_state(&card, "");
}

TEST(an_order_counts_by_its_weight)
{
    for (int weight = PH_ORDER_NEEDED; weight <= PH_ORDER_AT_LEAST; ++weight) {
        const enum ph_order_weight w = (enum ph_order_weight)weight;
        assert_int_equal(state_of(w, true, 3.85), PH_CLAIM_CONFIRMED);
        assert_int_equal(state_of(w, true, 3.7), PH_CLAIM_CONTRADICTED);
        assert_int_equal(state_of(w, true, 6.0), w == PH_ORDER_AT_LEAST ? PH_CLAIM_CONFIRMED : PH_CLAIM_CONTRADICTED);
        assert_int_equal(state_of(w, false, 3.7), w == PH_ORDER_NEEDED ? PH_CLAIM_OPEN : PH_CLAIM_CONFIRMED);
    }
    assert_int_equal(state_of(PH_ORDER_NEEDED, true, NAN), PH_CLAIM_CONTRADICTED);
}

TEST(a_table_is_text_and_csv)
{
    static const struct ph_table_column columns[] = {
        {"name", "", true}, {"hidden", "", false}, {"value", "", false}, {"note", "", true}};
    static const struct ph_table_look looks[] = {{"name", NULL}, {NULL, NULL}, {"x", "%.2f"}, {"note", NULL}};
    struct ph_table table;
    char text[256] = "", csv[256] = "";
    ph_table_init(&table, "t", "", 4, columns);
    assert_ok(ph_table_append(&table, (const char *const[]){"longest", "a"}, (const double[]){1.0, 0.125}, &err));
    assert_ok(ph_table_append(&table, (const char *const[]){"b", "c"}, (const double[]){2.0, NAN}, &err));
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    ph_table_write_text(&table, looks, out);
    fclose(out);
    assert_string_equal(text, "name        x  note\n"
                              "longest  0.12  a\n"
                              "b           -  c\n");
    out = fmemopen(csv, sizeof csv, "w");
    assert_non_null(out);
    assert_true(ph_table_write_csv(&table, out));
    fclose(out);
    assert_string_equal(csv, "name,hidden,value,note\nlongest,1,0.125,a\nb,2,nan,c\n");
    ph_table_clear(&table);
}
