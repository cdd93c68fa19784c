-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
-- Tuned: makes rows of arrays in a projection, over which filters may be pushed.
WITH
  buyer AS (
    SELECT c.c_w_id, c.c_d_id, c.c_id
    FROM customer AS c
    WHERE starts_with(c.c_state, $state)
  ),
  undelivered AS (
    SELECT no.no_w_id,
           no.no_d_id,
           no.no_o_id
    FROM neworder AS no
  ),
  line AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_id,
           o.o_c_id,
           o.o_entry_d,
           ol.ol_amount
    FROM (SELECT *, unnest(o_orderline) AS ol FROM orders) AS o
    WHERE o.o_entry_d < $before
  )
-- Rounded, so that sums of doubles which are the same cents also sort as the same.
SELECT o_id, o_w_id, o_d_id, round(sum(ol_amount), 2) AS revenue, o_entry_d
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN undelivered ON no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id
GROUP BY o_id, o_w_id, o_d_id, o_entry_d
ORDER BY revenue DESC, o_entry_d
LIMIT 10;
