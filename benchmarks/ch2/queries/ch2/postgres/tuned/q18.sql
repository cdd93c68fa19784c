-- Q18: orders above an amount, by value.
-- Tuned: sums up each order where it lies and looks up only the customers of the first hundred.
WITH
  amount_of AS MATERIALIZED (
    SELECT o.key AS o_key,
           (o.doc ->> 'o_entry_d') COLLATE "C" AS o_entry_d,
           (
             SELECT sum(ol.ol_amount)
             FROM jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
           ) AS amount_sum
    FROM orders AS o
  ),
  large_order AS MATERIALIZED (
    SELECT *
    FROM amount_of
    WHERE amount_sum > $amount::numeric
    ORDER BY amount_sum DESC, o_entry_d
    LIMIT 100
  )
SELECT c.doc ->> 'c_last' AS c_last,
       (c.doc -> 'c_id')::int8 AS c_id,
       (o.doc -> 'o_id')::int8 AS o_id,
       large_order.o_entry_d,
       (o.doc -> 'o_ol_cnt')::int8 AS o_ol_cnt,
       amount_sum
FROM large_order
JOIN orders AS o ON o.key = o_key
JOIN customer AS c
  ON c.key = concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id')
ORDER BY amount_sum DESC, large_order.o_entry_d;
