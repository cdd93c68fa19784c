-- Q16: per item name, brand and price, how many suppliers without complaints deliver it.
SELECT i.i_name,
       brand,
       i.i_price,
       count(DISTINCT s.s_w_id * s.s_i_id % 10000) AS supplier_cnt
FROM stock AS s, item AS i
WHERE i.i_id = s.s_i_id
  AND NOT starts_with(i.i_data, $data)
  AND s.s_w_id * s.s_i_id % 10000 NOT IN (
    SELECT VALUE su.su_suppkey
    FROM supplier AS su
    WHERE su.su_comment LIKE '%Customer%Complaints%'
  )
GROUP BY i.i_name, substr(i.i_data, 0, 3) AS brand, i.i_price
ORDER BY supplier_cnt DESC;
