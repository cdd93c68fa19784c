-- Q22: per state initial, customers with a good balance who did not order in a month.
SELECT country, count(*) AS numcust, sum(c.c_balance) AS totacctbal
FROM customer AS c, c.c_addresses AS ca, c.c_phones AS cp
WHERE ca.c_address_kind = 'shipping'
  AND cp.c_phone_kind = 'contact'
  AND substr(cp.c_phone_number, 0, 1)
      IN [$digit1, $digit2, $digit3, $digit4, $digit5, $digit6, $digit7]
  AND c.c_balance > (
    SELECT VALUE avg(c1.c_balance)
    FROM customer AS c1, c1.c_phones AS cp1
    WHERE c1.c_balance > 0
      AND cp1.c_phone_kind = 'contact'
      AND substr(cp1.c_phone_number, 0, 1)
          IN [$digit1, $digit2, $digit3, $digit4, $digit5, $digit6, $digit7]
  )[0]
  AND NOT EXISTS (
    SELECT VALUE 1
    FROM orders AS o
    WHERE o.o_w_id = c.c_w_id
      AND o.o_d_id = c.c_d_id
      AND o.o_c_id = c.c_id
      AND o.o_entry_d BETWEEN $from AND $to
  )
GROUP BY substr(ca.c_state, 0, 1) AS country
ORDER BY country;
