-- Q20: suppliers of a nation that hold more of certain items than a year's orders need.
SELECT su.su_name, su.su_address
FROM supplier AS su, nation AS n
WHERE su.su_nationkey = n.n_nationkey
  AND n.n_name = $nation
  AND su.su_suppkey IN (
    SELECT VALUE s_w_id * s_i_id % 10000
    FROM orders AS o, o.o_orderline AS ol, item AS i, stock AS s
    WHERE ol.ol_delivery_d >= $from
      AND ol.ol_delivery_d < $to
      AND i.i_id = ol.ol_i_id
      AND starts_with(i.i_data, $data)
      AND s.s_i_id = i.i_id
    GROUP BY s.s_w_id AS s_w_id, s.s_i_id AS s_i_id, s.s_quantity AS s_quantity
    HAVING 20 * s_quantity > sum(ol.ol_quantity)
  )
ORDER BY su.su_name;
