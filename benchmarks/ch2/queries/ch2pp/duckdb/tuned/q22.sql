-- Q22: per state initial, customers with a good balance who did not order in a month.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
WITH
  candidate AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           c.c_balance,
           left(a.c_state, 1) AS country
    FROM (
      SELECT *, unnest(c_phones) AS p
      FROM (SELECT *, unnest(c_addresses) AS a FROM customer)
    ) AS c
    WHERE a.c_address_kind = 'shipping'
      AND p.c_phone_kind = 'contact'
      AND left(p.c_phone_number, 1)
          IN ($digit1, $digit2, $digit3, $digit4, $digit5, $digit6, $digit7)
  ),
  order_row AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id
    FROM orders AS o
    WHERE o.o_entry_d BETWEEN $from AND $to
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
