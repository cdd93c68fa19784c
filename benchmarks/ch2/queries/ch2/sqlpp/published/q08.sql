-- Q8: per year, a nation's share of the market of a region for certain items.
-- Published: the collections in the order of the published text.
SELECT l_year,
       sum(national_amount) / nullif(sum(ol.ol_amount), 0) AS mkt_share
FROM item AS i, supplier AS su, stock AS s, orders AS o, o.o_orderline AS ol,
     customer AS c, nation AS n1, nation AS n2, region AS r
LET national_amount = CASE WHEN n2.n_name = $nation THEN ol.ol_amount ELSE 0 END
WHERE o.o_entry_d BETWEEN $from AND $to
  AND ol.ol_i_id < 1000
  AND i.i_id = ol.ol_i_id
  AND i.i_id = s.s_i_id
  AND ends_with(i.i_data, $data)
  AND s.s_w_id = ol.ol_supply_w_id
  AND s.s_i_id = ol.ol_i_id
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n2.n_nationkey
  AND c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
  AND string_to_codepoint(c.c_state)[0] = n1.n_nationkey
  AND n1.n_regionkey = r.r_regionkey
  AND r.r_name = $region
GROUP BY to_bigint(substr(o.o_entry_d, 0, 4)) AS l_year
ORDER BY l_year;
