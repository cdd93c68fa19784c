-- Q7: per year, trade between two nations in both directions.
WITH
  trader AS (
    SELECT su.su_suppkey,
           n.n_nationkey AS su_nationkey,
           n.n_name AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
    WHERE n.n_name IN ($nation_a, $nation_b)
  ),
  buyer AS (
    SELECT c.c_w_id,
           c.c_d_id,
           c.c_id,
           left(a.c_state, 1) AS c_initial,
           n.n_name AS c_nation
    FROM customer AS c
    CROSS JOIN unnest(c.c_addresses) AS address (a)
    JOIN nation AS n ON n.n_nationkey = unicode(a.c_state)
    WHERE a.c_address_kind = 'shipping'
      AND n.n_name IN ($nation_a, $nation_b)
  ),
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id,
           CAST(left(o.o_entry_d, 4) AS INTEGER) AS l_year,
           ol.ol_i_id,
           ol.ol_supply_w_id,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
    WHERE ol.ol_delivery_d BETWEEN $from AND $to
  )
SELECT su_nationkey AS supp_nation, c_initial AS cust_nation, l_year, sum(ol_amount) AS revenue
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN trader ON su_suppkey = s_suppkey
WHERE (su_nation = $nation_a AND c_nation = $nation_b)
   OR (su_nation = $nation_b AND c_nation = $nation_a)
GROUP BY su_nationkey, c_initial, l_year
ORDER BY su_nationkey, c_initial, l_year;
