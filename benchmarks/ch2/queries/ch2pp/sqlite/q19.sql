-- Q19: revenue of three alternatives of item, quantity, price and warehouse.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id,
           substr(i.doc ->> 'i_data', -1) AS ending,
           i.doc ->> 'i_price' AS i_price
    FROM item AS i
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_quantity' AS ol_quantity,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
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
