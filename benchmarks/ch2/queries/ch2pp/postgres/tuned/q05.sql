-- Q5: revenue of a year within each nation of a region.
-- Tuned: drops orders of other regions before it unnests them; goes to customers, suppliers and
-- stock by their keys.
WITH
  order_row AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           o.doc -> 'o_orderline' AS o_orderline,
           ascii(a.c_state) AS c_nationkey
    FROM orders AS o
    JOIN customer AS c
      ON c.key = concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id')
    CROSS JOIN jsonb_to_recordset(c.doc -> 'c_addresses') AS a (c_address_kind text, c_state text)
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" >= $from::text
      AND (o.doc ->> 'o_entry_d') COLLATE "C" < $to::text
      AND a.c_address_kind = 'shipping'
  ),
  regional_nation AS MATERIALIZED (
    SELECT (n.doc -> 'n_nationkey')::int8 AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM nation AS n
    JOIN region AS r ON r.key = n.doc ->> 'n_regionkey'
    WHERE r.doc ->> 'r_name' = $region::text
  ),
  line AS MATERIALIZED (
    SELECT concat_ws('.', o_w_id, ol_i_id) AS s_key,
           (o_w_id * ol_i_id % 10000)::text AS su_key,
           n_nationkey,
           n_name,
           ol_amount
    FROM order_row
    JOIN regional_nation ON n_nationkey = c_nationkey
    CROSS JOIN jsonb_to_recordset(o_orderline) AS ol (ol_i_id int8, ol_amount numeric)
  )
SELECT n_name, sum(ol_amount) AS revenue
FROM line
JOIN supplier AS su ON su.key = su_key
JOIN stock AS s ON s.key = s_key
WHERE (su.doc -> 'su_nationkey')::int8 = n_nationkey
GROUP BY n_name
ORDER BY revenue DESC;
