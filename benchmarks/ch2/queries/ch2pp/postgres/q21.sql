-- Q21: suppliers of a nation whose very late lines kept whole orders waiting.
WITH
  national_supplier AS MATERIALIZED (
    SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey, su.doc ->> 'su_name' AS su_name
    FROM supplier AS su
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
    WHERE n.doc ->> 'n_name' = $nation::text
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
  ),
  late_line AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id, l1.ol_i_id
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline') AS l1 (ol_i_id int8, ol_delivery_d timestamp)
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" BETWEEN $from::text AND $to::text
      AND l1.ol_delivery_d > (o.doc ->> 'o_entry_d')::timestamp + interval '150 days'
      AND NOT EXISTS (
        SELECT 1
        FROM jsonb_to_recordset(o.doc -> 'o_orderline') AS l2 (ol_delivery_d timestamp)
        WHERE l2.ol_delivery_d > l1.ol_delivery_d
      )
  )
SELECT su_name, count(*) AS numwait
FROM late_line
JOIN stock_row ON s_w_id = o_w_id AND s_i_id = ol_i_id
JOIN national_supplier ON su_suppkey = s_suppkey
GROUP BY su_name
ORDER BY numwait DESC, su_name COLLATE "C"
LIMIT 100;
