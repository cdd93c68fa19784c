-- Q9: per supplier nation and year, what was earned with certain items.
WITH
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
    SELECT su.su_suppkey, n.n_name
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
  ),
  line AS (
    SELECT CAST(left(o.o_entry_d, 4) AS INTEGER) AS l_year,
           ol.ol_i_id,
           ol.ol_supply_w_id,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
  )
SELECT n_name, l_year, sum(ol_amount) AS sum_profit
FROM line
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY n_name, l_year
ORDER BY n_name, l_year DESC;
