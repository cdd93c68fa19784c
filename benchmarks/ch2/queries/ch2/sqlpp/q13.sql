-- Q13: how many customer numbers have how many orders of the last carriers.
SELECT oc.c_count, count(*) AS custdist
FROM (
  SELECT c.c_id, count(o.o_id) AS c_count
  FROM customer AS c
  LEFT OUTER JOIN orders AS o
    ON c.c_w_id = o.o_w_id
    AND c.c_d_id = o.o_d_id
    AND c.c_id = o.o_c_id
    AND o.o_carrier_id > $carrier
  GROUP BY c.c_id
) AS oc
GROUP BY oc.c_count
ORDER BY custdist DESC, oc.c_count DESC;
