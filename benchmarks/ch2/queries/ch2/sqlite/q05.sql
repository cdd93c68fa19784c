-- Q5: revenue of a year within each nation of a region.
WITH
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           unicode(c.doc ->> 'c_state') AS c_nationkey
    FROM customer AS c
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_c_id' AS o_c_id,
           ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE o.doc ->> 'o_entry_d' >= $from
      AND o.doc ->> 'o_entry_d' < $to
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  regional_supplier AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey,
           n.doc ->> 'n_nationkey' AS n_nationkey,
           n.doc ->> 'n_name' AS n_name
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
    JOIN region AS r ON r.doc ->> 'r_regionkey' = n.doc ->> 'n_regionkey'
    WHERE r.doc ->> 'r_name' = $region
  )
SELECT n_name, sum(ol_amount) AS revenue
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN stock_row ON s_w_id = o_w_id AND s_i_id = ol_i_id
JOIN regional_supplier ON su_suppkey = s_suppkey AND n_nationkey = c_nationkey
GROUP BY n_name
ORDER BY revenue DESC;
