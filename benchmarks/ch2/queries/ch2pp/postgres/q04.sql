-- Q4: per number of lines, orders of a quarter with a line delivered a week later or more.
SELECT (o.doc -> 'o_ol_cnt')::int8 AS o_ol_cnt, count(*) AS order_count
FROM orders AS o
WHERE (o.doc ->> 'o_entry_d') COLLATE "C" >= $from::text
  AND (o.doc ->> 'o_entry_d') COLLATE "C" < $to::text
  AND EXISTS (
    SELECT 1
    FROM jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_delivery_d timestamp)
    WHERE ol.ol_delivery_d >= (o.doc ->> 'o_entry_d')::timestamp + interval '7 days'
  )
GROUP BY o_ol_cnt
ORDER BY o_ol_cnt;
