-- Q6: revenue of the lines delivered in a year that are above an amount.
SELECT sum(ol.ol_amount) AS revenue
FROM orders AS o,
     jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric, ol_delivery_d text)
WHERE ol.ol_delivery_d COLLATE "C" >= $from::text
  AND ol.ol_delivery_d COLLATE "C" < $to::text
  AND ol.ol_amount > $amount::numeric;
