-- Q20: suppliers of a nation that hold more of certain items than a year's orders need.
WITH
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id
    FROM item AS i
    WHERE starts_with(i.doc ->> 'i_data', $data::text)
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_quantity')::int8 AS s_quantity
    FROM stock AS s
  ),
  line AS MATERIALIZED (
    SELECT ol.ol_i_id, ol.ol_quantity
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline')
           AS ol (ol_i_id int8, ol_quantity int8, ol_delivery_d text)
    WHERE ol.ol_delivery_d COLLATE "C" >= $from::text
      AND ol.ol_delivery_d COLLATE "C" < $to::text
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
JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
WHERE n.doc ->> 'n_name' = $nation::text
  AND (su.doc -> 'su_suppkey')::int8 IN (SELECT s_suppkey FROM well_stocked)
ORDER BY (su.doc ->> 'su_name') COLLATE "C";
