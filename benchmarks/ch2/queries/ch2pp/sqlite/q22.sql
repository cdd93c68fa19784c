-- Q22: per state initial, customers with a good balance who did not order in a month.
WITH
  candidate AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           c.doc ->> 'c_balance' AS c_balance,
           substr(a.value ->> 'c_state', 1, 1) AS country
    FROM customer AS c,
         jsonb_each(c.doc, '$.c_addresses') AS a,
         jsonb_each(c.doc, '$.c_phones') AS p
    WHERE a.value ->> 'c_address_kind' = 'shipping'
      AND p.value ->> 'c_phone_kind' = 'contact'
      AND substr(p.value ->> 'c_phone_number', 1, 1)
          IN ($digit1, $digit2, $digit3, $digit4, $digit5, $digit6, $digit7)
  ),
  order_row AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_c_id' AS o_c_id
    FROM orders AS o
    WHERE o.doc ->> 'o_entry_d' BETWEEN $from AND $to
  )
SELECT country, count(*) AS numcust, sum(c_balance) AS totacctbal
FROM candidate
WHERE c_balance > (SELECT avg(c_balance) FROM candidate WHERE c_balance > 0.00)
  AND NOT EXISTS (
    SELECT 1
    FROM order_row
    WHERE o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
  )
GROUP BY country
ORDER BY country;
