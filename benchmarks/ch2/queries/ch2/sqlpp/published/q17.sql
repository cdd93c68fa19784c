-- Q17: half the revenue that small orders of certain items bring.
-- Published: the collections in the order of the published text.
SELECT sum(ol.ol_amount) / 2.0 AS avg_yearly
FROM orders AS o, o.o_orderline AS ol,
     (
       SELECT i.i_id, avg(ol1.ol_quantity) AS avg_quantity
       FROM item AS i, orders AS o1, o1.o_orderline AS ol1
       WHERE ol1.ol_i_id = i.i_id
         AND ends_with(i.i_data, $data)
       GROUP BY i.i_id
     ) AS usual
WHERE ol.ol_i_id = usual.i_id
  AND ol.ol_quantity < usual.avg_quantity;
