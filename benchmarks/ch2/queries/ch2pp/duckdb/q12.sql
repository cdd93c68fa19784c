-- Q12: per number of lines, lines delivered in a year by two carriers and by the others.
SELECT o.o_ol_cnt,
       sum(CASE WHEN o.o_carrier_id IN (1, 2) THEN 1 ELSE 0 END) AS high_line_count,
       sum(CASE WHEN o.o_carrier_id IN (1, 2) THEN 0 ELSE 1 END) AS low_line_count
FROM orders AS o
CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
WHERE o.o_entry_d <= ol.ol_delivery_d
  AND ol.ol_delivery_d >= $from
  AND ol.ol_delivery_d < $to
GROUP BY o.o_ol_cnt
ORDER BY o_ol_cnt;
