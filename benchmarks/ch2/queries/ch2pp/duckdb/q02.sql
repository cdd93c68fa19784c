-- Q2: suppliers of a region that hold the least stock of certain items in that region.
WITH
  regional_supplier AS (
    SELECT su.su_suppkey,
           su.su_name,
           su.su_address,
           su.su_phone,
           su.su_comment,
           n.n_name
    FROM supplier AS su
    JOIN nation AS n ON n.n_nationkey = su.su_nationkey
    JOIN region AS r ON r.r_regionkey = n.n_regionkey
    WHERE starts_with(r.r_name, $region)
  ),
  stock_row AS (
    SELECT s.s_i_id,
           s.s_quantity,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  ),
  lowest AS (
    SELECT s_i_id AS m_i_id, min(s_quantity) AS m_s_quantity
    FROM stock_row
    JOIN regional_supplier ON su_suppkey = s_suppkey
    GROUP BY s_i_id
  ),
  item_row AS (
    SELECT i.i_id, i.i_name
    FROM item AS i
    WHERE ends_with(i.i_data, $data)
  )
SELECT su_suppkey, su_name, n_name, i_id, i_name, su_address, su_phone, su_comment
FROM item_row
JOIN lowest ON m_i_id = i_id
JOIN stock_row ON s_i_id = i_id AND s_quantity = m_s_quantity
JOIN regional_supplier ON su_suppkey = s_suppkey
ORDER BY n_name, su_name, i_id
LIMIT 100;
