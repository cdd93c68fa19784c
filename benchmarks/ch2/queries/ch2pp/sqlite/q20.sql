-- Q20: suppliers of a nation that hold more of certain items than a year's orders need.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', 1, length($data)) = $data
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           s.doc ->> 's_quantity' AS s_quantity
    FROM stock AS s
  ),
  line AS MATERIALIZED (
    SELECT ol.value ->> 'ol_i_id' AS ol_i_id, ol.value ->> 'ol_quantity' AS ol_quantity
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE ol.value ->> 'ol_delivery_d' >= $from
      AND ol.value ->> 'ol_delivery_d' < $to
  ),
  well_stocked AS MATERIALIZED (
    SELECT s_w_id * s_i_id % 10000 AS s_suppkey
    FROM stock_row
    JOIN item_row ON i_id = s_i_id
    JOIN line ON ol_i_id = s_i_id
    GROUP BY s_w_id, s_i_id, s_quantity
    HAVING 20 * s_quantity > sum(ol_quantity)
  )
SELECT su.doc ->> 'su_name' AS su_name, su.doc ->> 'su_address' AS su_address
FROM supplier AS su
JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
WHERE n.doc ->> 'n_name' = $nation
  AND su.doc ->> 'su_suppkey' IN (SELECT s_suppkey FROM well_stocked)
ORDER BY su_name;
