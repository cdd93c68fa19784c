-- Q19: revenue of three alternatives of item, quantity, price and warehouse.
-- Tuned: keeps only the items that one of the alternatives may want.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id,
           substr(i.doc ->> 'i_data', -1) AS ending,
           i.doc ->> 'i_price' AS i_price
    FROM item AS i
    WHERE i.doc ->> 'i_price' BETWEEN 1 AND 15
      AND substr(i.doc ->> 'i_data', -1) IN ($data1, $data2, $data3)
  )
SELECT sum(ol.value ->> 'ol_amount') AS revenue
FROM orders AS o
CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
CROSS JOIN item_row ON i_id = ol.value ->> 'ol_i_id'
WHERE (ending = $data1
       AND ol.value ->> 'ol_quantity' BETWEEN $low1 AND $high1
       AND i_price BETWEEN 1 AND 5
       AND o.doc ->> 'o_w_id' IN ($w11, $w12, $w13))
   OR (ending = $data2
       AND ol.value ->> 'ol_quantity' BETWEEN $low2 AND $high2
       AND i_price BETWEEN 1 AND 10
       AND o.doc ->> 'o_w_id' IN ($w21, $w22, $w23))
   OR (ending = $data3
       AND ol.value ->> 'ol_quantity' BETWEEN $low3 AND $high3
       AND i_price BETWEEN 1 AND 15
       AND o.doc ->> 'o_w_id' IN ($w31, $w32, $w33));
