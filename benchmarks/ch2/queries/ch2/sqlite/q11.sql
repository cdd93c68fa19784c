-- Q11: items that a nation's suppliers are asked for most often.
WITH
  national_supplier AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
    WHERE n.doc ->> 'n_name' = $nation
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_i_id' AS s_i_id,
           s.doc ->> 's_order_cnt' AS s_order_cnt,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  )
SELECT s_i_id, sum(s_order_cnt) AS ordercount
FROM stock_row
JOIN national_supplier ON su_suppkey = s_suppkey
GROUP BY s_i_id
HAVING sum(s_order_cnt) > (
  SELECT sum(s_order_cnt) * 0.00005
  FROM stock_row
  JOIN national_supplier ON su_suppkey = s_suppkey
)
ORDER BY ordercount DESC;
