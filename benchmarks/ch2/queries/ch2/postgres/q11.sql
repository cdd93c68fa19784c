-- Q11: items that a nation's suppliers are asked for most often.
WITH
  national_stock AS MATERIALIZED (
    SELECT (s.doc -> 's_i_id')::int8 AS s_i_id, (s.doc -> 's_order_cnt')::int8 AS s_order_cnt
    FROM stock AS s
    JOIN supplier AS su
      ON (su.doc -> 'su_suppkey')::int8
         = (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
    WHERE n.doc ->> 'n_name' = $nation::text
  )
SELECT s_i_id, sum(s_order_cnt) AS ordercount
FROM national_stock
GROUP BY s_i_id
HAVING sum(s_order_cnt) > (SELECT sum(s_order_cnt) * 0.00005 FROM national_stock)
ORDER BY ordercount DESC;
