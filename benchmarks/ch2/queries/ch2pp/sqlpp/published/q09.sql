-- Q9: per supplier nation and year, what was earned with certain items.
-- Published: the collections in the order of the published text.
SELECT n.n_name, l_year, sum(ol.ol_amount) AS sum_profit
FROM item AS i, stock AS s, supplier AS su, orders AS o, o.o_orderline AS ol, nation AS n
WHERE i.i_id = ol.ol_i_id
  AND ends_with(i.i_data, $data)
  AND s.s_w_id = ol.ol_supply_w_id
  AND s.s_i_id = ol.ol_i_id
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n.n_nationkey
GROUP BY n.n_name, to_bigint(substr(o.o_entry_d, 0, 4)) AS l_year
ORDER BY n.n_name, l_year DESC;
