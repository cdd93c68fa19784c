-- Q7: per year, trade between two nations in both directions.
-- Published: the collections in the order of the published text.
SELECT supp_nation, cust_nation, l_year, sum(ol.ol_amount) AS revenue
FROM supplier AS su, stock AS s, orders AS o, o.o_orderline AS ol, customer AS c,
     c.c_addresses AS ca, nation AS n1, nation AS n2
WHERE ol.ol_delivery_d BETWEEN $from AND $to
  AND s.s_w_id = ol.ol_supply_w_id
  AND s.s_i_id = ol.ol_i_id
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n1.n_nationkey
  AND c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
  AND ca.c_address_kind = 'shipping'
  AND string_to_codepoint(ca.c_state)[0] = n2.n_nationkey
  AND (
    (n1.n_name = $nation_a AND n2.n_name = $nation_b)
    OR (n1.n_name = $nation_b AND n2.n_name = $nation_a)
  )
GROUP BY su.su_nationkey AS supp_nation,
         substr(ca.c_state, 0, 1) AS cust_nation,
         to_bigint(substr(o.o_entry_d, 0, 4)) AS l_year
ORDER BY supp_nation, cust_nation, l_year;
