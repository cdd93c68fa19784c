-- Q10: customers with the largest orders of a quarter.
-- Published: the collections in the order of the published text.
SELECT c.c_id,
       c.c_name.c_last,
       round(sum(ol.ol_amount), 2) AS revenue,
       ca.c_city,
       cp.c_phone_number AS c_phone,
       n.n_name
FROM customer AS c, c.c_addresses AS ca, c.c_phones AS cp, orders AS o,
     o.o_orderline AS ol, nation AS n
WHERE o.o_entry_d >= $from
  AND o.o_entry_d < $to
  AND c.c_w_id = o.o_w_id
  AND c.c_d_id = o.o_d_id
  AND c.c_id = o.o_c_id
  AND ca.c_address_kind = 'shipping'
  AND cp.c_phone_kind = 'contact'
  AND string_to_codepoint(ca.c_state)[0] = n.n_nationkey
GROUP BY c.c_id, c.c_name.c_last, ca.c_city, cp.c_phone_number, n.n_name
ORDER BY revenue DESC
LIMIT 20;
