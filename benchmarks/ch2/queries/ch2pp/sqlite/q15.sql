-- Q15: the supplier, or suppliers, with the largest revenue of a quarter.
WITH
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  line AS MATERIALIZED (
    SELECT ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_supply_w_id' AS ol_supply_w_id,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE ol.value ->> 'ol_delivery_d' >= $from
      AND ol.value ->> 'ol_delivery_d' < $to
  ),
  revenue AS MATERIALIZED (
    -- Rounded, so that suppliers with the same cents are equally good.
    SELECT s_suppkey, round(sum(ol_amount), 2) AS total_revenue
    FROM line
    JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
    GROUP BY s_suppkey
  )
SELECT su.doc ->> 'su_suppkey' AS su_suppkey,
       su.doc ->> 'su_name' AS su_name,
       su.doc ->> 'su_address' AS su_address,
       su.doc ->> 'su_phone' AS su_phone,
       total_revenue
FROM supplier AS su
JOIN revenue ON s_suppkey = su.doc ->> 'su_suppkey'
WHERE total_revenue = (SELECT max(total_revenue) FROM revenue)
ORDER BY su_suppkey;
