-- Q17: half the revenue that small orders of certain items bring.
-- Tuned: keeps only the lines of those items, and one pass over them has their averages.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -1) = $data
  ),
  line AS (
    SELECT ol.value ->> 'ol_quantity' AS ol_quantity,
           ol.value ->> 'ol_amount' AS ol_amount,
           avg(ol.value ->> 'ol_quantity') OVER (PARTITION BY i_id) AS avg_quantity
    FROM orders AS o
    CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
    CROSS JOIN item_row ON i_id = ol.value ->> 'ol_i_id'
  )
SELECT sum(ol_amount) / 2.0 AS avg_yearly
FROM line
WHERE ol_quantity < avg_quantity;
