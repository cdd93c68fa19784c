-- Q10: customers with the largest orders of a quarter.
-- Tuned: sums up each order where it lies and goes to its customer by the key.
WITH
  order_row AS MATERIALIZED (
    SELECT concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id') AS c_key,
           (
             SELECT sum(ol.ol_amount)
             FROM jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
           ) AS amount
    FROM orders AS o
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" >= $from::text
      AND (o.doc ->> 'o_entry_d') COLLATE "C" < $to::text
  ),
  sale AS MATERIALIZED (
    SELECT (c.doc -> 'c_id')::int8 AS c_id,
           c.doc ->> 'c_last' AS c_last,
           c.doc ->> 'c_city' AS c_city,
           c.doc ->> 'c_phone' AS c_phone,
           n.doc ->> 'n_name' AS n_name,
           amount
    FROM order_row
    JOIN customer AS c ON c.key = c_key
    JOIN nation AS n ON n.key = ascii(c.doc ->> 'c_state')::text
  )
SELECT c_id, c_last, sum(amount) AS revenue, c_city, c_phone, n_name
FROM sale
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
