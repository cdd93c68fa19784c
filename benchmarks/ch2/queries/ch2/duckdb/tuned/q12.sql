-- Q12: per number of lines, lines delivered in a year by two carriers and by the others.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
SELECT o.o_ol_cnt,
       sum(CASE WHEN o.o_carrier_id IN (1, 2) THEN 1 ELSE 0 END) AS high_line_count,
       sum(CASE WHEN o.o_carrier_id IN (1, 2) THEN 0 ELSE 1 END) AS low_line_count
FROM (SELECT *, unnest(o_orderline) AS ol FROM orders) AS o
WHERE o.o_entry_d <= ol.ol_delivery_d
  AND ol.ol_delivery_d >= $from
  AND ol.ol_delivery_d < $to
GROUP BY o.o_ol_cnt
ORDER BY o_ol_cnt;
