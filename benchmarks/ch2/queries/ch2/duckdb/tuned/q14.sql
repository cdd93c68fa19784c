-- Q14: share of promoted items in the revenue of a month, in per cent.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
WITH
  item_row AS (
    SELECT i.i_id, i.i_data
    FROM item AS i
  ),
  line AS (
    SELECT ol.ol_i_id, ol.ol_amount
    FROM (SELECT *, unnest(o_orderline) AS ol FROM orders) AS o
    WHERE ol.ol_delivery_d >= $from
      AND ol.ol_delivery_d < $to
  )
SELECT 100.0 * sum(CASE WHEN starts_with(i_data, 'pr') THEN ol_amount ELSE 0.0 END)
         / (1.0 + sum(ol_amount)) AS promo_revenue
FROM line
JOIN item_row ON i_id = ol_i_id;
