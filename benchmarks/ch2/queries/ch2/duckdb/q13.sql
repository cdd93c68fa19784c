-- Q13: how many customer numbers have how many orders of the last carriers.
WITH
  customer_row AS (
    SELECT c.c_w_id, c.c_d_id, c.c_id
    FROM customer AS c
  ),
  order_row AS (
    SELECT o.o_w_id,
           o.o_d_id,
           o.o_c_id,
           o.o_id
    FROM orders AS o
    WHERE o.o_carrier_id > $carrier
  ),
  order_count AS (
    SELECT c_id, count(o_id) AS c_count
    FROM customer_row
    LEFT JOIN order_row ON o_w_id = c_w_id AND o_d_id = c_d_id AND o_c_id = c_id
    GROUP BY c_id
  )
SELECT c_count, count(*) AS custdist
FROM order_count
GROUP BY c_count
ORDER BY custdist DESC, c_count DESC;
