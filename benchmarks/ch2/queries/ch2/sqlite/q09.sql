-- Q9: per supplier nation and year, what was earned with certain items.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -length($data)) = $data
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  supplier_row AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey, n.doc ->> 'n_name' AS n_name
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
  ),
  line AS MATERIALIZED (
    SELECT CAST(substr(o.doc ->> 'o_entry_d', 1, 4) AS INTEGER) AS l_year,
           ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_supply_w_id' AS ol_supply_w_id,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
  )
SELECT n_name, l_year, sum(ol_amount) AS sum_profit
FROM line
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY n_name, l_year
ORDER BY n_name, l_year DESC;
