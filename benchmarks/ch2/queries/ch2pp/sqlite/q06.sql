-- Q6: revenue of the lines delivered in a year that are above an amount.
SELECT sum(ol.value ->> 'ol_amount') AS revenue
FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
WHERE ol.value ->> 'ol_delivery_d' >= $from
  AND ol.value ->> 'ol_delivery_d' < $to
  AND ol.value ->> 'ol_amount' > $amount;
