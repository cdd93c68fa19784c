-- Q12: per number of lines, lines delivered in a year by two carriers and by the others.
SELECT o.doc ->> 'o_ol_cnt' AS o_ol_cnt,
       sum(CASE WHEN o.doc ->> 'o_carrier_id' IN (1, 2) THEN 1 ELSE 0 END) AS high_line_count,
       sum(CASE WHEN o.doc ->> 'o_carrier_id' IN (1, 2) THEN 0 ELSE 1 END) AS low_line_count
FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
WHERE o.doc ->> 'o_entry_d' <= ol.value ->> 'ol_delivery_d'
  AND ol.value ->> 'ol_delivery_d' >= $from
  AND ol.value ->> 'ol_delivery_d' < $to
GROUP BY o.doc ->> 'o_ol_cnt'
ORDER BY o_ol_cnt;
