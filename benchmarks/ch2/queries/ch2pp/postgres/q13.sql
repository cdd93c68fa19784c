-- Q13: how many customer numbers have how many orders of the last carriers.
WITH
  customer_row AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id
    FROM customer AS c
  ),
  order_row AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id,
           (o.doc -> 'o_id')::int8 AS o_id
    FROM orders AS o
    WHERE (o.doc ->> 'o_carrier_id')::int8 > $carrier::int8
  ),
  order_count AS MATERIALIZED (
    SELECT c_id, count(o_id) AS c_count
    FROM customer_row
    LEFT JOIN order_row ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
    GROUP BY c_id
  )
SELECT c_count, count(*) AS custdist
FROM order_count
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC;
