-- Q8: per year, a nation's share of the market of a region for certain items.
-- Tuned: drops lines of other items first; goes to customers, suppliers and stock by their keys.
WITH
  nation_row AS MATERIALIZED (
    SELECT (n.doc -> 'n_nationkey')::int8 AS n_nationkey,
           n.doc ->> 'n_name' AS n_name,
           r.doc ->> 'r_name' AS r_name
    FROM nation AS n
    JOIN region AS r ON r.key = n.doc ->> 'n_regionkey'
  ),
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id
    FROM item AS i
    WHERE (i.doc -> 'i_id')::int8 < 1000
      AND right(i.doc ->> 'i_data', 1) = $data::text
  ),
  order_row AS MATERIALIZED (
    SELECT concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id') AS c_key,
           left(o.doc ->> 'o_entry_d', 4)::int8 AS l_year,
           o.doc -> 'o_orderline' AS o_orderline
    FROM orders AS o
    WHERE (o.doc ->> 'o_entry_d') COLLATE "C" BETWEEN $from::text AND $to::text
  ),
  line AS MATERIALIZED (
    SELECT c_key,
           concat_ws('.', ol_supply_w_id, ol_i_id) AS s_key,
           (ol_supply_w_id * ol_i_id % 10000)::text AS su_key,
           l_year,
           ol_amount
    FROM order_row
    CROSS JOIN jsonb_to_recordset(o_orderline)
      AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric)
    JOIN item_row ON i_id = ol_i_id
  )
SELECT l_year,
       (sum(CASE WHEN seller.n_name = $nation::text THEN ol_amount ELSE 0 END)
         / nullif(sum(ol_amount), 0))::float8 AS mkt_share
FROM line
JOIN customer AS c ON c.key = c_key
CROSS JOIN jsonb_to_recordset(c.doc -> 'c_addresses') AS a (c_address_kind text, c_state text)
JOIN nation_row AS buyer ON buyer.n_nationkey = ascii(a.c_state)
JOIN supplier AS su ON su.key = su_key
JOIN nation_row AS seller ON seller.n_nationkey = (su.doc -> 'su_nationkey')::int8
JOIN stock AS s ON s.key = s_key
WHERE a.c_address_kind = 'shipping'
  AND buyer.r_name = $region::text
GROUP BY l_year
ORDER BY l_year;
