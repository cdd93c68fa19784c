-- Q21: suppliers of a nation whose very late lines kept whole orders waiting.
-- Published: the collections in the order of the published text.
SELECT su.su_name, count(*) AS numwait
FROM nation AS n, supplier AS su, stock AS s, orders AS o, o.o_orderline AS l1
WHERE o.o_entry_d BETWEEN $from AND $to
  AND l1.ol_delivery_d
      > date_add_str(substr(o.o_entry_d, 0, 10), 150, 'day') || substr(o.o_entry_d, 10)
  AND NOT (
    SOME l2 IN o.o_orderline SATISFIES l2.ol_delivery_d > l1.ol_delivery_d
  )
  AND s.s_w_id = o.o_w_id
  AND s.s_i_id = l1.ol_i_id
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n.n_nationkey
  AND n.n_name = $nation
GROUP BY su.su_name
ORDER BY numwait DESC, su.su_name
LIMIT 100;
