-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
WITH
  buyer AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id
    FROM customer AS c,
         jsonb_to_recordset(c.doc -> 'c_addresses') AS a (c_address_kind text, c_state text)
    WHERE a.c_address_kind = 'shipping'
      AND starts_with(a.c_state, $state::text)
  ),
  undelivered AS MATERIALIZED (
    SELECT (no.doc -> 'no_w_id')::int8 AS no_w_id,
           (no.doc -> 'no_d_id')::int8 AS no_d_id,
           (no.doc -> 'no_o_id')::int8 AS no_o_id
    FROM neworder AS no
  ),
  line AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_id')::int8 AS o_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id,
           o.doc ->> 'o_entry_d' AS o_entry_d,
           ol.ol_amount
    FROM orders AS o, jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" < $before::text
  )
SELECT o_id, o_w_id, o_d_id, sum(ol_amount) AS revenue, o_entry_d
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN undelivered ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
GROUP BY o_id, o_w_id, o_d_id, o_entry_d
ORDER BY revenue DESC, o_entry_d COLLATE "C";
