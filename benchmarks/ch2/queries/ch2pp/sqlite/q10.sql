-- Q10: customers with the largest orders of a quarter.
WITH
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           c.doc ->> '$.c_name.c_last' AS c_last,
           a.value ->> 'c_city' AS c_city,
           p.value ->> 'c_phone_number' AS c_phone,
           n.doc ->> 'n_name' AS n_name
    FROM customer AS c,
         jsonb_each(c.doc, '$.c_addresses') AS a,
         jsonb_each(c.doc, '$.c_phones') AS p
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = unicode(a.value ->> 'c_state')
    WHERE a.value ->> 'c_address_kind' = 'shipping'
      AND p.value ->> 'c_phone_kind' = 'contact'
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_c_id' AS o_c_id,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE o.doc ->> 'o_entry_d' >= $from
      AND o.doc ->> 'o_entry_d' < $to
  )
SELECT c_id, c_last, sum(ol_amount) AS revenue, c_city, c_phone, n_name
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
