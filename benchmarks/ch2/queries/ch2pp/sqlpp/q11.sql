-- Q11: items that a nation's suppliers are asked for most often.
SELECT s.s_i_id, sum(s.s_order_cnt) AS ordercount
FROM stock AS s, supplier AS su, nation AS n
WHERE s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n.n_nationkey
  AND n.n_name = $nation
GROUP BY s.s_i_id
HAVING sum(s.s_order_cnt) > (
  SELECT VALUE sum(s1.s_order_cnt) * 0.00005
  FROM stock AS s1, supplier AS su1, nation AS n1
  WHERE s1.s_w_id * s1.s_i_id % 10000 = su1.su_suppkey
    AND su1.su_nationkey = n1.n_nationkey
    AND n1.n_name = $nation
)[0]
ORDER BY ordercount DESC;
