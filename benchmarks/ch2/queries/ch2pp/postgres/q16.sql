-- Q16: per item name, brand and price, how many suppliers without complaints deliver it.
WITH
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id,
           (i.doc ->> 'i_name') COLLATE "C" AS i_name,
           left(i.doc ->> 'i_data', 3) COLLATE "C" AS brand,
           (i.doc -> 'i_price')::numeric AS i_price
    FROM item AS i
    WHERE NOT starts_with(i.doc ->> 'i_data', $data::text)
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
  )
SELECT i_name, brand, i_price, count(DISTINCT s_suppkey) AS supplier_cnt
FROM stock_row
JOIN item_row ON i_id = s_i_id
WHERE s_suppkey NOT IN (
  SELECT (su.doc -> 'su_suppkey')::int8
  FROM supplier AS su
  WHERE su.doc ->> 'su_comment' LIKE '%Customer%Complaints%'
)
GROUP BY i_name, brand, i_price
ORDER BY supplier_cnt DESC;
