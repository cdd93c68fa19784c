-- Q8: per year, a nation's share of the market of a region for certain items.
WITH
  buyer AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id
    FROM customer AS c
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = ascii(c.doc ->> 'c_state')
    JOIN region AS r ON (r.doc -> 'r_regionkey')::int8 = (n.doc -> 'n_regionkey')::int8
    WHERE r.doc ->> 'r_name' = $region::text
  ),
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id
    FROM item AS i
    WHERE right(i.doc ->> 'i_data', 1) = $data::text
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
  ),
  supplier_row AS MATERIALIZED (
    SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey, n.doc ->> 'n_name' AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
  ),
  line AS MATERIALIZED (
    SELECT (o.doc -> 'o_w_id')::int8 AS o_w_id,
           (o.doc -> 'o_d_id')::int8 AS o_d_id,
           (o.doc -> 'o_c_id')::int8 AS o_c_id,
           left(o.doc ->> 'o_entry_d', 4)::int8 AS l_year,
           ol.ol_i_id,
           ol.ol_supply_w_id,
           ol.ol_amount
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline')
           AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric)
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" BETWEEN $from::text AND $to::text
      AND ol.ol_i_id < 1000
  )
SELECT l_year,
       (sum(CASE WHEN su_nation = $nation::text THEN ol_amount ELSE 0 END)
         / nullif(sum(ol_amount), 0))::float8 AS mkt_share
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY l_year
ORDER BY l_year;
