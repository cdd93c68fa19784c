-- Q10: customers with the largest orders of a quarter.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
WITH
  buyer AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           c.c_last,
           c.c_city,
           c.c_phone,
           n.n_name
    FROM customer AS c
    JOIN nation AS n ON n.n_nationkey = unicode(c.c_state)
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id,
           ol.ol_amount
    FROM (SELECT *, unnest(o_orderline) AS ol FROM orders) AS o
    WHERE o.o_entry_d >= $from
      AND o.o_entry_d < $to
  )
SELECT c_id, c_last, sum(ol_amount) AS revenue, c_city, c_phone, n_name
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY c_id, c_last, c_city, c_phone, n_name
ORDER BY revenue DESC
LIMIT 20;
