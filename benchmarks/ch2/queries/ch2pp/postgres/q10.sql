-- Q10: customers with the largest orders of a quarter.
WITH
  buyer AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id,
           c.doc -> 'c_name' ->> 'c_last' AS c_last,
           a.c_city,
           p.c_phone_number AS c_phone,
           n.doc ->> 'n_name' AS n_name
    FROM customer AS c
    CROSS JOIN jsonb_to_recordset(c.doc -> 'c_addresses')
      AS a (c_address_kind text, c_city text, c_state text)
    CROSS JOIN jsonb_to_recordset(c.doc -> 'c_phones')
      AS p (c_phone_kind text, c_phone_number text)
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = ascii(a.c_state)
    WHERE a.c_address_kind = 'shipping'
      AND p.c_phone_kind = 'contact'
  ),
  line AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id,
           ol.ol_amount
    FROM orders AS o, jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" >= $from::text
      AND (o.doc ->> 'o_entry_d') COLLATE "C" < $to::text
  )
SELECT c_id, c_last, sum(ol_amount) AS revenue, c_city, c_phone, n_name
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
