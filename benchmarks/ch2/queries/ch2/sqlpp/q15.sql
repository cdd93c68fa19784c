-- Q15: the supplier, or suppliers, with the largest revenue of a quarter.
WITH revenue AS (
  SELECT supplier_no, round(sum(ol.ol_amount), 2) AS total_revenue
  FROM orders AS o, o.o_orderline AS ol, stock AS s
  WHERE ol.ol_i_id = s.s_i_id
    AND ol.ol_supply_w_id = s.s_w_id
    AND ol.ol_delivery_d >= $from
    AND ol.ol_delivery_d < $to
  GROUP BY s.s_w_id * s.s_i_id % 10000 AS supplier_no
)
SELECT su.su_suppkey, su.su_name, su.su_address, su.su_phone, rv.total_revenue
FROM supplier AS su, revenue AS rv
WHERE su.su_suppkey = rv.supplier_no
  AND rv.total_revenue = (SELECT VALUE max(r.total_revenue) FROM revenue AS r)[0]
ORDER BY su.su_suppkey;
