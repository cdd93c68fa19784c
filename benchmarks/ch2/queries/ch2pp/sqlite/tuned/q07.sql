-- Q7: per year, trade between two nations in both directions.
-- Tuned: drops orders of other nations before it unnests them; goes to stock by its key.
WITH
  trading_nation AS MATERIALIZED (
    SELECT n.doc ->> 'n_nationkey' AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM nation AS n
    WHERE n.doc ->> 'n_name' IN ($nation_a, $nation_b)
  ),
  trader AS MATERIALIZED (
    SELECT su.doc ->> 'su_suppkey' AS su_suppkey, n_nationkey AS su_nationkey, n_name AS su_nation
    FROM supplier AS su
    CROSS JOIN trading_nation ON n_nationkey = su.doc ->> 'su_nationkey'
  ),
  buyer AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           substr(a.value ->> 'c_state', 1, 1) AS c_initial,
           n_name AS c_nation
    FROM customer AS c, jsonb_each(c.doc, '$.c_addresses') AS a
    CROSS JOIN trading_nation ON n_nationkey = unicode(a.value ->> 'c_state')
    WHERE a.value ->> 'c_address_kind' = 'shipping'
  )
SELECT su_nationkey AS supp_nation,
       c_initial AS cust_nation,
       CAST(substr(o.doc ->> 'o_entry_d', 1, 4) AS INTEGER) AS l_year,
       sum(ol.value ->> 'ol_amount') AS revenue
FROM orders AS o
CROSS JOIN buyer
  ON c_w_id = o.doc ->> 'o_w_id' AND c_d_id = o.doc ->> 'o_d_id' AND c_id = o.doc ->> 'o_c_id'
CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
CROSS JOIN trader
  ON su_suppkey = (ol.value ->> 'ol_supply_w_id') * (ol.value ->> 'ol_i_id') % 10000
WHERE ol.value ->> 'ol_delivery_d' BETWEEN $from AND $to
  AND ((su_nation = $nation_a AND c_nation = $nation_b)
    OR (su_nation = $nation_b AND c_nation = $nation_a))
  AND EXISTS (
    SELECT 1
    FROM stock AS s
    WHERE s.key = (ol.value ->> 'ol_supply_w_id') || '.' || (ol.value ->> 'ol_i_id')
  )
GROUP BY su_nationkey, c_initial, l_year
ORDER BY su_nationkey, c_initial, l_year;
