-- Q15: the supplier, or suppliers, with the largest revenue of a quarter.
WITH
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
  ),
  line AS MATERIALIZED (
    SELECT ol.ol_i_id, ol.ol_supply_w_id, ol.ol_amount
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline')
           AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric, ol_delivery_d text)
    WHERE ol.ol_delivery_d COLLATE "C" >= $from::text
      AND ol.ol_delivery_d COLLATE "C" < $to::text
  ),
  revenue AS MATERIALIZED (
    SELECT s_suppkey, sum(ol_amount) AS total_revenue
    FROM line
    JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
    GROUP BY s_suppkey
  )
SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey,
       su.doc ->> 'su_name' AS su_name,
       su.doc ->> 'su_address' AS su_address,
       su.doc ->> 'su_phone' AS su_phone,
       total_revenue
FROM supplier AS su
JOIN revenue ON s_suppkey = (su.doc -> 'su_suppkey')::int8
WHERE total_revenue = (SELECT max(total_revenue) FROM revenue)
ORDER BY su_suppkey;
