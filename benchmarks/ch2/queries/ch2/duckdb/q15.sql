-- Q15: the supplier, or suppliers, with the largest revenue of a quarter.
WITH
  stock_row AS (
    SELECT s.s_w_id,
           s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  line AS (
    SELECT ol.ol_i_id,
           ol.ol_supply_w_id,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
    WHERE ol.ol_delivery_d >= $from
      AND ol.ol_delivery_d < $to
  ),
  revenue AS (
    -- Rounded, so that suppliers with the same cents are equally good.
    SELECT s_suppkey, round(sum(ol_amount), 2) AS total_revenue
    FROM line
    JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
    GROUP BY s_suppkey
  )
SELECT su.su_suppkey,
       su.su_name,
       su.su_address,
       su.su_phone,
       total_revenue
FROM supplier AS su
JOIN revenue ON s_suppkey = su.su_suppkey
WHERE total_revenue = (SELECT max(total_revenue) FROM revenue)
ORDER BY su_suppkey;
