-- Q17: half the revenue that small orders of certain items bring.
WITH
  line AS (
    SELECT ol.ol_i_id,
           ol.ol_quantity,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
  ),
  item_row AS (
    SELECT i.i_id
    FROM item AS i
    WHERE ends_with(i.i_data, $data)
  ),
  usual AS (
    SELECT i_id, avg(ol_quantity) AS avg_quantity
    FROM item_row
    JOIN line ON ol_i_id = i_id
    GROUP BY i_id
  )
SELECT sum(ol_amount) / 2.0 AS avg_yearly
FROM line
JOIN usual ON i_id = ol_i_id
WHERE ol_quantity < avg_quantity;
