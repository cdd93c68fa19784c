-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
-- Tuned: goes from each new order to its order and its customer by their keys.
SELECT (o.doc -> 'o_id')::int8 AS o_id,
       (o.doc -> 'o_w_id')::int8 AS o_w_id,
       (o.doc -> 'o_d_id')::int8 AS o_d_id,
       (
         SELECT sum(ol.ol_amount)
         FROM jsonb_to_recordset(o.doc -> 'o_orderline') AS ol (ol_amount numeric)
       ) AS revenue,
       o.doc ->> 'o_entry_d' AS o_entry_d
FROM neworder AS no
JOIN orders AS o ON o.key = no.key
JOIN customer AS c
  ON c.key = concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id')
WHERE (o.doc ->> 'o_entry_d') COLLATE "C" < $before::text
  AND starts_with(c.doc ->> 'c_state', $state::text)
ORDER BY revenue DESC, (o.doc ->> 'o_entry_d') COLLATE "C"
LIMIT 10;
