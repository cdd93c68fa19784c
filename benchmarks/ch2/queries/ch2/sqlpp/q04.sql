-- Q4: per number of lines, orders of a quarter with a line delivered a week later or more.
SELECT o.o_ol_cnt, count(*) AS order_count
FROM orders AS o
WHERE o.o_entry_d >= $from
  AND o.o_entry_d < $to
  AND (
    SOME ol IN o.o_orderline
    SATISFIES ol.ol_delivery_d
      >= date_add_str(substr(o.o_entry_d, 0, 10), 7, 'day') || substr(o.o_entry_d, 10)
  )
GROUP BY o.o_ol_cnt
ORDER BY o.o_ol_cnt;
