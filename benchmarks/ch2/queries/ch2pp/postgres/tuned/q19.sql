-- Q19: revenue of three alternatives of item, quantity, price and warehouse.
-- Tuned: reads each order once.
WITH
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id,
           right(i.doc ->> 'i_data', 1) AS ending,
           (i.doc -> 'i_price')::numeric AS i_price
    FROM item AS i
  ),
  order_row AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id, o.doc -> 'o_orderline' AS o_orderline
    FROM orders AS o
  ),
  line AS MATERIALIZED (
    SELECT o_w_id, ol_i_id, ol_quantity, ol_amount
    FROM order_row,
         jsonb_to_recordset(o_orderline)
           AS ol (ol_i_id int8, ol_quantity int8, ol_amount numeric)
  )
SELECT sum(ol_amount) AS revenue
FROM line
JOIN item_row ON i_id = ol_i_id
WHERE (ending = $data1::text
       AND ol_quantity BETWEEN $low1::int8 AND $high1::int8
       AND i_price BETWEEN 1 AND 5
       AND o_w_id IN ($w11::int8, $w12::int8, $w13::int8))
   OR (ending = $data2::text
       AND ol_quantity BETWEEN $low2::int8 AND $high2::int8
       AND i_price BETWEEN 1 AND 10
       AND o_w_id IN ($w21::int8, $w22::int8, $w23::int8))
   OR (ending = $data3::text
       AND ol_quantity BETWEEN $low3::int8 AND $high3::int8
       AND i_price BETWEEN 1 AND 15
       AND o_w_id IN ($w31::int8, $w32::int8, $w33::int8));
