-- Q14: share of promoted items in the revenue of a month, in per cent.
SELECT (100 * sum(CASE WHEN starts_with(i.doc ->> 'i_data', 'pr') THEN ol.ol_amount ELSE 0 END)
         / (1 + sum(ol.ol_amount)))::float8 AS promo_revenue
FROM orders AS o
CROSS JOIN jsonb_to_recordset(o.doc -> 'o_orderline')
  AS ol (ol_i_id int8, ol_amount numeric, ol_delivery_d text)
JOIN item AS i ON (i.doc -> 'i_id')::int8 = ol.ol_i_id
WHERE ol.ol_delivery_d COLLATE "C" >= $from::text
  AND ol.ol_delivery_d COLLATE "C" < $to::text;
