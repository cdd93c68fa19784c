-- Q11: items that a nation's suppliers are asked for most often.
WITH
  national_supplier AS (
    SELECT su.su_suppkey
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
    WHERE n.n_name = $nation
  ),
  stock_row AS (
    SELECT s.s_i_id,
           s.s_order_cnt,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  )
SELECT s_i_id, sum(s_order_cnt) AS ordercount
FROM stock_row
JOIN national_supplier ON su_suppkey = s_suppkey
GROUP BY s_i_id
HAVING sum(s_order_cnt) > (
  SELECT sum(s_order_cnt) * CAST(0.00005 AS DOUBLE)
  FROM stock_row
  JOIN national_supplier ON su_suppkey = s_suppkey
)
ORDER BY ordercount DESC;
