-- Q16: per item name, brand and price, how many suppliers without complaints deliver it.
WITH
  item_row AS (
    SELECT i.i_id,
           i.i_name,
           left(i.i_data, 3) AS brand,
           i.i_price
    FROM item AS i
    WHERE NOT starts_with(i.i_data, $data)
  ),
  stock_row AS (
    SELECT s.s_i_id,
           s.s_w_id * s.s_i_id % 10000 AS s_suppkey
    FROM stock AS s
  )
SELECT i_name, brand, i_price, count(DISTINCT s_suppkey) AS supplier_cnt
FROM stock_row
JOIN item_row ON i_id = s_i_id
WHERE s_suppkey NOT IN (
  SELECT su.su_suppkey
  FROM supplier AS su
  WHERE su.su_comment LIKE '%Customer%Complaints%'
)
GROUP BY i_name, brand, i_price
ORDER BY supplier_cnt DESC;
