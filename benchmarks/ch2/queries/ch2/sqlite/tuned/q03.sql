-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
-- Tuned: goes from each new order to its order and its customer by their keys.
SELECT o.doc ->> 'o_id' AS o_id,
       o.doc ->> 'o_w_id' AS o_w_id,
       o.doc ->> 'o_d_id' AS o_d_id,
       (
         SELECT round(sum(ol.value ->> 'ol_amount'), 2)
         FROM jsonb_each(o.doc, '$.o_orderline') AS ol
       ) AS revenue,
       o.doc ->> 'o_entry_d' AS o_entry_d
FROM neworder AS no
CROSS JOIN orders AS o ON o.key = no.key
CROSS JOIN customer AS c
  ON c.key = (o.doc ->> 'o_w_id') || '.' || (o.doc ->> 'o_d_id') || '.' || (o.doc ->> 'o_c_id')
WHERE o.doc ->> 'o_entry_d' < $before
  AND substr(c.doc ->> 'c_state', 1, length($state)) = $state
ORDER BY revenue DESC, o_entry_d
LIMIT 10;
