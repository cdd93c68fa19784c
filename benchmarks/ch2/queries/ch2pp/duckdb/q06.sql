-- Q6: revenue of the lines delivered in a year that are above an amount.
SELECT sum(ol.ol_amount) AS revenue
FROM orders AS o
CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
WHERE ol.ol_delivery_d >= $from
  AND ol.ol_delivery_d < $to
  AND ol.ol_amount > $amount;
