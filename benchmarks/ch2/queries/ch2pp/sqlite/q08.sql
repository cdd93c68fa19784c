-- Q8: per year, a nation's share of the market of a region for certain items.
WITH
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id, c.doc ->> 'c_d_id' AS c_d_id, c.doc ->> 'c_id' AS c_id
    FROM customer AS c, jsonb_each(c.doc, '$.c_addresses') AS a
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = unicode(a.value ->> 'c_state')
    JOIN region AS r ON r.doc ->> 'r_regionkey' = n.doc ->> 'n_regionkey'
    WHERE a.value ->> 'c_address_kind' = 'shipping'
      AND r.doc ->> 'r_name' = $region
  ),
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -1) = $data
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
  ),
  supplier_row AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey, n.doc ->> 'n_name' AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_c_id' AS o_c_id,
           CAST(substr(o.doc ->> 'o_entry_d', 1, 4) AS INTEGER) AS l_year,
           ol.value ->> 'ol_i_id' AS ol_i_id,
           ol.value ->> 'ol_supply_w_id' AS ol_supply_w_id,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE o.doc ->> 'o_entry_d' BETWEEN $from AND $to
      AND ol.value ->> 'ol_i_id' < 1000
  )
SELECT l_year,
       sum(CASE WHEN su_nation = $nation THEN ol_amount ELSE 0.0 END)
         / nullif(sum(ol_amount), 0.0) AS mkt_share
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN item_row ON i_id = ol_i_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN supplier_row ON su_suppkey = s_suppkey
GROUP BY l_year
ORDER BY l_year;
