-- Q7: per year, trade between two nations in both directions.
WITH
  trader AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey,
           n.doc ->> 'n_nationkey' AS su_nationkey,
           n.doc ->> 'n_name' AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = su.doc ->> 'su_nationkey'
    WHERE n.doc ->> 'n_name' IN ($nation_a, $nation_b)
  ),
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           substr(a.value ->> 'c_state', 1, 1) AS c_initial,
           n.doc ->> 'n_name' AS c_nation
    FROM customer AS c, jsonb_each(c.doc, '$.c_addresses') AS a
    JOIN nation AS n ON n.doc ->> 'n_nationkey' = unicode(a.value ->> 'c_state')
    WHERE a.value ->> 'c_address_kind' = 'shipping'
      AND n.doc ->> 'n_name' IN ($nation_a, $nation_b)
  ),
  stock_row AS MATERIALIZED (
    SELECT s.doc ->> 's_w_id' AS s_w_id,
           s.doc ->> 's_i_id' AS s_i_id,
           (s.doc ->> 's_w_id') * (s.doc ->> 's_i_id') % 10000 AS s_suppkey
    FROM stock AS s
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
    WHERE ol.value ->> 'ol_delivery_d' BETWEEN $from AND $to
  )
SELECT su_nationkey AS supp_nation, c_initial AS cust_nation, l_year, sum(ol_amount) AS revenue
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN trader ON su_suppkey = s_suppkey
WHERE (su_nation = $nation_a AND c_nation = $nation_b)
   OR (su_nation = $nation_b AND c_nation = $nation_a)
GROUP BY su_nationkey, c_initial, l_year
ORDER BY su_nationkey, c_initial, l_year;
