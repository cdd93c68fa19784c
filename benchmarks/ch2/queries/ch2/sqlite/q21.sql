-- Q21: suppliers of a nation whose very late lines kept whole orders waiting.
WITH
  national_supplier AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey, su.doc ->> 'su_name' AS su_name
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
    WHERE n.doc ->> 'n_name' = $nation
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  late_line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id, l1.value ->> 'ol_i_id' AS ol_i_id
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS l1
    WHERE o.doc ->> 'o_entry_d' BETWEEN $from AND $to
      -- The day moves on by 150 days, the time of day with its microseconds stays.
      AND l1.value ->> 'ol_delivery_d'
          > date(o.doc ->> 'o_entry_d', '+150 days') || substr(o.doc ->> 'o_entry_d', 11)
      AND NOT EXISTS (
        SELECT 1
        FROM jsonb_each(o.doc, '$.o_orderline') AS l2
        WHERE l2.value ->> 'ol_delivery_d' > l1.value ->> 'ol_delivery_d'
      )
  )
SELECT su_name, count(*) AS numwait
FROM late_line
JOIN stock_row ON s_w_id = o_w_id AND s_i_id = ol_i_id
JOIN national_supplier ON su_suppkey = s_suppkey
GROUP BY su_name
ORDER BY numwait DESC, su_name
LIMIT 100;
