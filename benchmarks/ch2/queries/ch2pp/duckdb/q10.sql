-- Q10: customers with the largest orders of a quarter.
WITH
  buyer AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           c.c_name.c_last,
           a.c_city,
           p.c_phone_number AS c_phone,
           n.n_name
    FROM customer AS c
    CROSS JOIN unnest(c.c_addresses) AS address (a)
    CROSS JOIN unnest(c.c_phones) AS phone (p)
    JOIN nation AS n ON n.n_nationkey = unicode(a.c_state)
    WHERE a.c_address_kind = 'shipping'
      AND p.c_phone_kind = 'contact'
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
    WHERE o.o_entry_d >= $from
      AND o.o_entry_d < $to
  )
SELECT c_id, c_last, sum(ol_amount) AS revenue, c_city, c_phone, n_name
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
