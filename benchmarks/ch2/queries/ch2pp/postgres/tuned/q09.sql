-- Q9: per supplier nation and year, what was earned with certain items.
-- Tuned: reads each order once and drops lines of other items; goes to suppliers and stock by
-- their keys.
WITH
  item_row AS MATERIALIZED (
    SELECT (i.doc -> 'i_id')::int8 AS i_id
    FROM item AS i
    WHERE right(i.doc ->> 'i_data', length($data::text)) = $data::text
  ),
  order_row AS MATERIALIZED (
    SELECT left(o.doc ->> 'o_entry_d', 4)::int8 AS l_year, o.doc -> 'o_orderline' AS o_orderline
    FROM orders AS o
  ),
  line AS MATERIALIZED (
    SELECT concat_ws('.', ol_supply_w_id, ol_i_id) AS s_key,
           (ol_supply_w_id * ol_i_id % 10000)::text AS su_key,
           l_year,
           ol_amount
    FROM order_row
    CROSS JOIN jsonb_to_recordset(o_orderline)
      AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric)
    JOIN item_row ON i_id = ol_i_id
  )
SELECT n.doc ->> 'n_name' AS n_name, l_year, sum(ol_amount) AS sum_profit
FROM line
JOIN supplier AS su ON su.key = su_key
JOIN nation AS n ON n.key = su.doc ->> 'su_nationkey'
JOIN stock AS s ON s.key = s_key
GROUP BY n.doc ->> 'n_name', l_year
ORDER BY (n.doc ->> 'n_name') COLLATE "C", l_year DESC;
