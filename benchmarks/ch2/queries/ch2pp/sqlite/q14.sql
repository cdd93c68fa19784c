-- Q14: share of promoted items in the revenue of a month, in per cent.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id, i.doc ->> 'i_data' AS i_data
    FROM item AS i
  ),
  line AS MATERIALIZED (
    SELECT ol.value ->> 'ol_i_id' AS ol_i_id, ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE ol.value ->> 'ol_delivery_d' >= $from
      AND ol.value ->> 'ol_delivery_d' < $to
  )
SELECT 100.0 * sum(CASE WHEN substr(i_data, 1, 2) = 'pr' THEN ol_amount ELSE 0.0 END)
         / (1.0 + sum(ol_amount)) AS promo_revenue
FROM line
JOIN item_row ON i_id = ol_i_id;
