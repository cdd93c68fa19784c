-- Q18: orders above an amount, by value.
WITH
  customer_row AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           c.c_name.c_last
    FROM customer AS c
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_id,
           o.o_c_id,
           o.o_entry_d,
           o.o_ol_cnt,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
  )
-- Rounded, so that sums of doubles which are the same cents also compare as the same.
SELECT c_last, c_id, o_id, o_entry_d, o_ol_cnt, round(sum(ol_amount), 2) AS amount_sum
FROM line
JOIN customer_row ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY o_id, o_w_id, o_d_id, c_id, c_last, o_entry_d, o_ol_cnt
HAVING round(sum(ol_amount), 2) > $amount
ORDER BY amount_sum DESC, o_entry_d
LIMIT 100;
