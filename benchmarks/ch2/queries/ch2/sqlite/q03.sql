-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
WITH
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id, c.doc ->> 'c_d_id' AS c_d_id, c.doc ->> 'c_id' AS c_id
    FROM customer AS c
    WHERE substr(c.doc ->> 'c_state', 1, length($state)) = $state
  ),
  undelivered AS MATERIALIZED (
    SELECT no.doc ->> 'no_w_id' AS no_w_id,
           no.doc ->> 'no_d_id' AS no_d_id,
           no.doc ->> 'no_o_id' AS no_o_id
    FROM neworder AS no
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_id' AS o_id,
           o.doc ->> 'o_c_id' AS o_c_id,
           o.doc ->> 'o_entry_d' AS o_entry_d,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE o.doc ->> 'o_entry_d' < $before
  )
-- Rounded, so that sums of doubles which are the same cents also sort as the same.
SELECT o_id, o_w_id, o_d_id, round(sum(ol_amount), 2) AS revenue, o_entry_d
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN undelivered ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
GROUP BY o_id, o_w_id, o_d_id, o_entry_d
ORDER BY revenue DESC, o_entry_d
LIMIT 10;
