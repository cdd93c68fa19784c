-- Q3: undelivered orders of customers of certain states, entered before a day, by value.
-- Published: the collections in the order of the published text.
SELECT o.o_id,
       o.o_w_id,
       o.o_d_id,
       round(sum(ol.ol_amount), 2) AS revenue,
       o.o_entry_d
FROM customer AS c, c.c_addresses AS ca, neworder AS nw, orders AS o, o.o_orderline AS ol
WHERE o.o_w_id = c.c_w_id
  AND o.o_d_id = c.c_d_id
  AND o.o_c_id = c.c_id
  AND ca.c_address_kind = 'shipping'
  AND starts_with(ca.c_state, $state)
  AND nw.no_w_id = o.o_w_id
  AND nw.no_d_id = o.o_d_id
  AND nw.no_o_id = o.o_id
  AND o.o_entry_d < $before
GROUP BY o.o_id, o.o_w_id, o.o_d_id, o.o_entry_d
ORDER BY revenue DESC, o.o_entry_d;
