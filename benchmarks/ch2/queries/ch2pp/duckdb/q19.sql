-- Q19: revenue of three alternatives of item, quantity, price and warehouse.
WITH
  item_row AS (
    SELECT i.i_id,
           right(i.i_data, 1) AS ending,
           i.i_price
    FROM item AS i
  ),
  line AS (
    SELECT o.o_w_id,
           ol.ol_i_id,
           ol.ol_quantity,
           ol.ol_amount
    FROM orders AS o
    CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
  )
SELECT sum(ol_amount) AS revenue
FROM line
JOIN item_row ON i_id = ol_i_id
WHERE (ending = $data1
       AND ol_quantity BETWEEN $low1 AND $high1
       AND i_price BETWEEN 1 AND 5
       AND o_w_id IN ($w11, $w12, $w13))
   OR (ending = $data2
       AND ol_quantity BETWEEN $low2 AND $high2
       AND i_price BETWEEN 1 AND 10
       AND o_w_id IN ($w21, $w22, $w23))
   OR (ending = $data3
       AND ol_quantity BETWEEN $low3 AND $high3
       AND i_price BETWEEN 1 AND 15
       AND o_w_id IN ($w31, $w32, $w33));
