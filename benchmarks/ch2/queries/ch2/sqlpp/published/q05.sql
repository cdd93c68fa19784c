-- Q5: revenue of a year within each nation of a region.
-- Published: the collections in the order of the published text.
SELECT n.n_name, round(sum(ol.ol_amount), 2) AS revenue
FROM customer AS c, orders AS o, o.o_orderline AS ol, stock AS s, supplier AS su,
     nation AS n, region AS r
WHERE o.o_w_id = c.c_w_id
  AND o.o_d_id = c.c_d_id
  AND o.o_c_id = c.c_id
  AND s.s_w_id = o.o_w_id
  AND s.s_i_id = ol.ol_i_id
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n.n_nationkey
  AND string_to_codepoint(c.c_state)[0] = su.su_nationkey
  AND n.n_regionkey = r.r_regionkey
  AND r.r_name = $region
  AND o.o_entry_d >= $from
  AND o.o_entry_d < $to
GROUP BY n.n_name
ORDER BY revenue DESC;
