-- Q14: share of promoted items in the revenue of a month, in per cent.
SELECT 100.0 * sum(CASE WHEN starts_with(i.i_data, 'pr') THEN ol.ol_amount ELSE 0 END)
         / (1 + sum(ol.ol_amount)) AS promo_revenue
FROM orders AS o, o.o_orderline AS ol, item AS i
WHERE ol.ol_i_id = i.i_id
  AND ol.ol_delivery_d >= $from
  AND ol.ol_delivery_d < $to;
