-- Q2: suppliers of a region that hold the least stock of certain items in that region.
WITH
  regional_supplier AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey,
           su.doc ->> 'su_name' AS su_name,
           su.doc ->> 'su_address' AS su_address,
           su.doc ->> 'su_phone' AS su_phone,
           su.doc ->> 'su_comment' AS su_comment,
           n.doc ->> 'n_name' AS n_name
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
    JOIN region AS r ON r.doc ->> 'r_regionkey' = n.doc ->> 'n_regionkey'
    WHERE substr(r.doc ->> 'r_name', 1, length($region)) = $region
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_i_id' AS s_i_id,
           s.doc ->> 's_quantity' AS s_quantity,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  lowest AS MATERIALIZED (
    SELECT s_i_id AS m_i_id, min(s_quantity) AS m_s_quantity
    FROM stock_row
    JOIN regional_supplier ON su_suppkey = s_suppkey
    GROUP BY s_i_id
  ),
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id, i.doc ->> 'i_name' AS i_name
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -1) = $data
  )
SELECT su_suppkey, su_name, n_name, i_id, i_name, su_address, su_phone, su_comment
FROM item_row
JOIN lowest ON m_i_id = i_id
JOIN stock_row ON s_i_id = i_id AND s_quantity = m_s_quantity
JOIN regional_supplier ON su_suppkey = s_suppkey
ORDER BY n_name, su_name, i_id
LIMIT 100;
