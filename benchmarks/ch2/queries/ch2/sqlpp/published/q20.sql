-- Q20: suppliers of a nation that hold more of certain items than a year's orders need.
-- Published: the collections in the order of the published text.
SELECT su.su_name, su.su_address
FROM supplier AS su, nation AS n
WHERE su.su_nationkey = n.n_nationkey
  AND n.n_name = $nation
  AND su.su_suppkey IN (
    SELECT VALUE s_w_id * s_i_id % 10000
    FROM stock AS s, orders AS o, o.o_orderline AS ol
    WHERE s.s_i_id IN (
        SELECT VALUE i.i_id
        FROM item AS i
        WHERE starts_with(i.i_data, $data)
      )
      AND ol.ol_i_id = s.s_i_id
      AND ol.ol_delivery_d >= $from
      AND ol.ol_delivery_d < $to
    GROUP BY s.s_w_id AS s_w_id, s.s_i_id AS s_i_id, s.s_quantity AS s_quantity
    HAVING 20 * s_quantity > sum(ol.ol_quantity)
  )
ORDER BY su.su_name;
