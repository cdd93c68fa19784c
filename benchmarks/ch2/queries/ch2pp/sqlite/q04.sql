-- Q4: per number of lines, orders of a quarter with a line delivered a week later or more.
SELECT o.doc ->> 'o_ol_cnt' AS o_ol_cnt, count(*) AS order_count
FROM orders AS o
WHERE o.doc ->> 'o_entry_d' >= $from
  AND o.doc ->> 'o_entry_d' < $to
  AND EXISTS (
    SELECT 1
    FROM jsonb_each(o.doc, '$.o_orderline') AS ol
    -- The day moves on by a week, the time of day with its microseconds stays.
    WHERE ol.value ->> 'ol_delivery_d'
          >= date(o.doc ->> 'o_entry_d', '+7 days') || substr(o.doc ->> 'o_entry_d', 11)
  )
GROUP BY o.doc ->> 'o_ol_cnt'
ORDER BY o_ol_cnt;
