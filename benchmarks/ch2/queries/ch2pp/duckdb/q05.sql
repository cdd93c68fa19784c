-- Q5: revenue of a year within each nation of a region.
WITH
  buyer AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           unicode(a.c_state) AS c_nationkey
    FROM customer AS c
    CROSS JOIN unnest(c.c_addresses) AS address (a)
    WHERE a.c_address_kind = 'shipping'
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id,
           ol.ol_i_id,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
    WHERE o.o_entry_d >= $from
      AND o.o_entry_d < $to
  ),
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  regional_supplier AS (
    SELECT su.su_suppkey,
           n.n_nationkey,
           n.n_name
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
    JOIN region AS r ON r.r_regionkey = n.n_regionkey
    WHERE r.r_name = $region
  )
SELECT n_name, sum(ol_amount) AS revenue
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN stock_row ON s_w_id = o_w_id AND s_i_id = ol_i_id
JOIN regional_supplier ON su_suppkey = s_suppkey AND n_nationkey = c_nationkey
GROUP BY n_name
ORDER BY revenue DESC;
