-- Q10: customers with the largest orders of a quarter.
-- Tuned: sums up each order where it lies and goes to its customer by the key.
WITH
  order_row AS MATERIALIZED (
    SELECT (o.doc ->> 'o_w_id') || '.' || (o.doc ->> 'o_d_id') || '.' || (o.doc ->> 'o_c_id')
             AS c_key,
           (
             SELECT sum(ol.value ->> 'ol_amount')
             FROM jsonb_each(o.doc, '$.o_orderline') AS ol
           ) AS amount
    FROM orders AS o
    WHERE o.doc ->> 'o_entry_d' >= $from
      AND o.doc ->> 'o_entry_d' < $to
  ),
  nation_row AS MATERIALIZED (
    SELECT n.doc ->> 'n_nationkey' AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM nation AS n
  ),
  sale AS MATERIALIZED (
    SELECT c.doc ->> 'c_id' AS c_id,
           c.doc ->> '$.c_name.c_last' AS c_last,
           a.value ->> 'c_city' AS c_city,
           p.value ->> 'c_phone_number' AS c_phone,
           n_name,
           amount
    FROM order_row
    CROSS JOIN customer AS c ON c.key = c_key
    CROSS JOIN jsonb_each(c.doc, '$.c_addresses') AS a
    CROSS JOIN jsonb_each(c.doc, '$.c_phones') AS p
    CROSS JOIN nation_row ON n_nationkey = unicode(a.value ->> 'c_state')
    WHERE a.value ->> 'c_address_kind' = 'shipping'
      AND p.value ->> 'c_phone_kind' = 'contact'
  )
SELECT c_id, c_last, sum(amount) AS revenue, c_city, c_phone, n_name
FROM sale
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
