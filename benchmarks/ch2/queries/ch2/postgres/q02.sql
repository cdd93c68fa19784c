-- Q2: suppliers of a region that hold the least stock of certain items in that region.
WITH
  regional_supplier AS MATERIALIZED (
    SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey,
           su.doc ->> 'su_name' AS su_name,
           su.doc ->> 'su_address' AS su_address,
           su.doc ->> 'su_phone' AS su_phone,
           su.doc ->> 'su_comment' AS su_comment,
           n.doc ->> 'n_name' AS n_name
    FROM supplier AS su
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
    JOIN region AS r ON (r.doc -> 'r_regionkey')::int8 = (n.doc -> 'n_regionkey')::int8
    WHERE starts_with(r.doc ->> 'r_name', $region::text)
  ),
  regional_stock AS MATERIALIZED (
    SELECT (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_quantity')::int8 AS s_quantity,
           regional_supplier.*
    FROM stock AS s
    JOIN regional_supplier
      ON su_suppkey = (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000
  ),
  lowest AS MATERIALIZED (
    SELECT s_i_id AS m_i_id, min(s_quantity) AS m_s_quantity
    FROM regional_stock
    GROUP BY s_i_id
  )
SELECT su_suppkey,
       su_name,
       n_name,
       (i.doc -> 'i_id')::int8 AS i_id,
       i.doc ->> 'i_name' AS i_name,
       su_address,
       su_phone,
       su_comment
FROM item AS i
JOIN lowest ON m_i_id = (i.doc -> 'i_id')::int8
JOIN regional_stock ON s_i_id = m_i_id AND s_quantity = m_s_quantity
WHERE right(i.doc ->> 'i_data', 1) = $data::text
ORDER BY n_name COLLATE "C", su_name COLLATE "C", i_id
LIMIT 100;
