-- Q16: per item name, brand and price, how many suppliers without complaints deliver it.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id,
           i.doc ->> 'i_name' AS i_name,
           substr(i.doc ->> 'i_data', 1, 3) AS brand,
           i.doc ->> 'i_price' AS i_price
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', 1, length($data)) <> $data
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  )
SELECT i_name, brand, i_price, count(DISTINCT s_suppkey) AS supplier_cnt
FROM stock_row
JOIN item_row ON i_id = s_i_id
WHERE s_suppkey NOT IN (
  SELECT su.doc ->> 'su_suppkey'
  FROM supplier AS su
  WHERE su.doc ->> 'su_comment' GLOB '*Customer*Complaints*'
)
GROUP BY i_name, brand, i_price
ORDER BY supplier_cnt DESC;
