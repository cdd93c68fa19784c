-- Q18: orders above an amount, by value.
WITH
  customer_row AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id,
           c.doc -> 'c_name' ->> 'c_last' AS c_last
    FROM customer AS c
  ),
  line AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_id')::int8 AS o_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id,
           o.doc ->> 'o_entry_d' AS o_entry_d,
           (o.doc -> 'o_ol_cnt')::int8 AS o_ol_cnt,
           ol.ol_amount
    FROM orders AS o, jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
  )
SELECT c_last, c_id, o_id, o_entry_d, o_ol_cnt, sum(ol_amount) AS amount_sum
FROM line
JOIN customer_row ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY o_id, o_w_id, o_d_id, c_id, c_last, o_entry_d, o_ol_cnt
HAVING sum(ol_amount) > $amount::numeric
ORDER BY amount_sum DESC, o_entry_d COLLATE "C"
LIMIT 100;
