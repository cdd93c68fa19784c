-- Q17: half the revenue that small orders of certain items bring.
WITH
  line AS MATERIALIZED (
    SELECT ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_quantity' AS ol_quantity,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
  ),
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -1) = $data
  ),
  usual AS MATERIALIZED (
    SELECT i_id, avg(ol_quantity) AS avg_quantity
    FROM item_row
    JOIN line ON ol_i_id = i_id
    GROUP BY i_id
  )
SELECT sum(ol_amount) / 2.0 AS avg_yearly
FROM line
JOIN usual ON i_id = ol_i_id
WHERE ol_quantity < avg_quantity;
