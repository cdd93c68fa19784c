-- Q6: revenue of the lines delivered in a year that are above an amount.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
SELECT sum(ol.ol_amount) AS revenue
FROM (SELECT *, unnest(o_orderline) AS ol FROM orders) AS o
WHERE ol.ol_delivery_d >= $from
  AND ol.ol_delivery_d < $to
  AND ol.ol_amount > $amount;
