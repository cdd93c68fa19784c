-- Q10: customers with the largest orders of a quarter.
-- Published: the collections in the order of the published text.
SELECT c.c_id,
       c.c_last,
       round(sum(ol.ol_amount), 2) AS revenue,
       c.c_city,
       c.c_phone AS c_phone,
       n.n_name
FROM customer AS c, orders AS o, o.o_orderline AS ol, nation AS n
WHERE o.o_entry_d >= $from
  AND o.o_entry_d < $to
  AND c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
  AND string_to_codepoint(c.c_state)[0] = n.n_nationkey
GROUP BY c.c_id, c.c_last, c.c_city, c.c_phone, n.n_name
ORDER BY revenue DESC
LIMIT 20;
