-- Q18: orders above an amount, by value.
-- Published: the collections in the order of the published text.
SELECT c.c_name.c_last, c.c_id, o.o_id, o.o_entry_d, o.o_ol_cnt, round(sum(ol.ol_amount), 2) AS amount_sum
FROM customer AS c, orders AS o, o.o_orderline AS ol
WHERE c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
GROUP BY o.o_id, o.o_w_id, o.o_d_id, c.c_id, c.c_name.c_last, o.o_entry_d, o.o_ol_cnt
HAVING round(sum(ol.ol_amount), 2) > $amount
ORDER BY amount_sum DESC, o.o_entry_d
LIMIT 100;
