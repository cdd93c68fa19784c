-- Q18: orders above an amount, by value.
-- Tuned: each order sums its own lines, and those below the amount meet no customer.
SELECT c.c_last, c.c_id, o.o_id, o.o_entry_d, o.o_ol_cnt, amount_sum
FROM orders AS o, customer AS c
LET amount_sum = round((SELECT VALUE sum(ol.ol_amount) FROM o.o_orderline AS ol)[0], 2)
WHERE c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
  AND amount_sum > $amount
ORDER BY amount_sum DESC, o.o_entry_d
LIMIT 100;
