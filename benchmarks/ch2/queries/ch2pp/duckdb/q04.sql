-- Q4: per number of lines, orders of a quarter with a line delivered a week later or more.
SELECT o.o_ol_cnt, count(*) AS order_count
FROM orders AS o
WHERE o.o_entry_d >= $from
  AND o.o_entry_d < $to
  AND EXISTS (
    SELECT 1
    FROM unnest(o.o_orderline) AS line_of_order (ol)
    WHERE CAST(ol.ol_delivery_d AS TIMESTAMP) >= CAST(o.o_entry_d AS TIMESTAMP) + INTERVAL 7 DAY
  )
GROUP BY o.o_ol_cnt
ORDER BY o_ol_cnt;
