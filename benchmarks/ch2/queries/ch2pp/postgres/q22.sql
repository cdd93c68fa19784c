-- Q22: per state initial, customers with a good balance who did not order in a month.
WITH
  candidate AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id,
           (c.doc -> 'c_balance')::numeric AS c_balance,
           left(a.c_state, 1) AS country
    FROM customer AS c,
         jsonb_to_recordset(c.doc -> 'c_addresses') AS a (c_address_kind text, c_state text),
         jsonb_to_recordset(c.doc -> 'c_phones') AS p (c_phone_kind text, c_phone_number text)
    WHERE a.c_address_kind = 'shipping'
      AND p.c_phone_kind = 'contact'
      AND left(p.c_phone_number, 1)
          IN ($digit1::text, $digit2::text, $digit3::text, $digit4::text,
              $digit5::text, $digit6::text, $digit7::text)
  ),
  order_row AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id
    FROM orders AS o
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" BETWEEN $from::text AND $to::text
  )
SELECT country, count(*) AS numcust, sum(c_balance) AS totacctbal
FROM candidate
WHERE c_balance > (SELECT avg(c_balance) FROM candidate WHERE c_balance > 0)
  AND NOT EXISTS (
    SELECT 1
    FROM order_row
    WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
  )
GROUP BY country
ORDER BY country COLLATE "C";
