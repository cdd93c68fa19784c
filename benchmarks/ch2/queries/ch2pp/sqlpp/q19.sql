-- Q19: revenue of three alternatives of item, quantity, price and warehouse.
SELECT sum(ol.ol_amount) AS revenue
FROM orders AS o, o.o_orderline AS ol, item AS i
WHERE ol.ol_i_id = i.i_id
  AND (
    (
      ends_with(i.i_data, $data1)
      AND ol.ol_quantity BETWEEN $low1 AND $high1
      AND i.i_price BETWEEN 1 AND 5
      AND o.o_w_id IN [$w11, $w12, $w13]
    )
    OR (
      ends_with(i.i_data, $data2)
      AND ol.ol_quantity BETWEEN $low2 AND $high2
      AND i.i_price BETWEEN 1 AND 10
      AND o.o_w_id IN [$w21, $w22, $w23]
    )
    OR (
      ends_with(i.i_data, $data3)
      AND ol.ol_quantity BETWEEN $low3 AND $high3
      AND i.i_price BETWEEN 1 AND 15
      AND o.o_w_id IN [$w31, $w32, $w33]
    )
  );
