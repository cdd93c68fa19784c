-- Q20: suppliers of a nation that hold more of certain items than a year's orders need.
WITH
  item_row AS (
    SELECT i.i_id
    FROM item AS i
    WHERE starts_with(i.i_data, $data)
  ),
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_quantity
    FROM stock AS s
  ),
  line AS (
    SELECT ol.ol_i_id, ol.ol_quantity
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
    WHERE ol.ol_delivery_d >= $from
      AND ol.ol_delivery_d < $to
  ),
  well_stocked AS (
    SELECT s_w_id * s_i_id % 10000 AS s_suppkey
    FROM stock_row
    JOIN item_row ON i_id = s_i_id
    JOIN line ON ol_i_id = s_i_id
    GROUP BY s_w_id, s_i_id, s_quantity
    HAVING 20 * s_quantity > sum(ol_quantity)
  )
SELECT su.su_name, su.su_address
FROM supplier AS su
JOIN nation AS n ON n.n_nationkey = su.su_nationkey
WHERE n.n_name = $nation
  AND su.su_suppkey IN (SELECT s_suppkey FROM well_stocked)
ORDER BY su_name;
