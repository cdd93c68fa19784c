-- Q8: per year, a nation's share of the market of a region for certain items.
WITH
  buyer AS (
    SELECT c.c_w_id, c.c_d_id, c.c_id
    FROM customer AS c
    CROSS JOIN unnest(c.c_addresses) AS address (a)
    JOIN nation AS n ON n.n_nationkey = unicode(a.c_state)
    JOIN region AS r ON r.r_regionkey = n.n_regionkey
    WHERE a.c_address_kind = 'shipping'
      AND r.r_name = $region
  ),
  item_row AS (
    SELECT i.i_id
    FROM item AS i
    WHERE ends_with(i.i_data, $data)
  ),
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  supplier_row AS (
    SELECT su.su_suppkey, n.n_name AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
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
    WHERE o.o_entry_d BETWEEN $from AND $to
      AND ol.ol_i_id < 1000
  )
SELECT l_year,
       sum(CASE WHEN su_nation = $nation THEN ol_amount ELSE 0.0 END)
         / nullif(sum(ol_amount), 0.0) AS mkt_share
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY l_year
ORDER BY l_year;
