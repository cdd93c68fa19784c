-- Q21: suppliers of a nation whose very late lines kept whole orders waiting.
WITH
  national_supplier AS (
    SELECT su.su_suppkey, su.su_name
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
    WHERE n.n_name = $nation
  ),
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  late_line AS (
    SELECT o.o_w_id, l1.ol_i_id
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (l1)
    WHERE o.o_entry_d BETWEEN $from AND $to
      AND CAST(l1.ol_delivery_d AS TIMESTAMP) > CAST(o.o_entry_d AS TIMESTAMP) + INTERVAL 150 DAY
      AND NOT EXISTS (
        SELECT 1
        FROM unnest(o.o_orderline) AS other_line (l2)
        WHERE l2.ol_delivery_d > l1.ol_delivery_d
      )
  )
SELECT su_name, count(*) AS numwait
FROM late_line
JOIN stock_row ON s_w_id = o_w_id AND s_i_id = ol_i_id
JOIN national_supplier ON su_suppkey = s_suppkey
GROUP BY su_name
ORDER BY numwait DESC, su_name
LIMIT 100;
