-- Q12: per number of lines, lines delivered in a year by two carriers and by the others.
SELECT (o.doc -> 'o_ol_cnt')::int8 AS o_ol_cnt,
       sum(CASE WHEN (o.doc ->> 'o_carrier_id')::int8 IN (1, 2) THEN 1 ELSE 0 END)
         AS high_line_count,
       sum(CASE WHEN (o.doc ->> 'o_carrier_id')::int8 IN (1, 2) THEN 0 ELSE 1 END)
         AS low_line_count
FROM orders AS o, jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_delivery_d text)
WHERE (o.doc ->> 'o_entry_d') COLLATE "C" <= ol.ol_delivery_d
  AND ol.ol_delivery_d COLLATE "C" >= $from::text
  AND ol.ol_delivery_d COLLATE "C" < $to::text
GROUP BY (o.doc -> 'o_ol_cnt')::int8
ORDER BY o_ol_cnt;
