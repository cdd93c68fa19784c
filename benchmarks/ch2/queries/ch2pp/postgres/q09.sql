-- Q9: per supplier nation and year, what was earned with certain items.
WITH
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id
    FROM item AS i
    WHERE right(i.doc ->> 'i_data', length($data::text)) = $data::text
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
  ),
  supplier_row AS MATERIALIZED (
    SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey, n.doc ->> 'n_name' AS n_name
    FROM supplier AS su
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
  ),
  line AS MATERIALIZED (
    SELECT left(o.doc ->> 'o_entry_d', 4)::int8 AS l_year,
           ol.ol_i_id,
           ol.ol_supply_w_id,
           ol.ol_amount
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline')
           AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric)
  )
SELECT n_name, l_year, sum(ol_amount) AS sum_profit
FROM line
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY n_name, l_year
ORDER BY n_name COLLATE "C", l_year DESC;
