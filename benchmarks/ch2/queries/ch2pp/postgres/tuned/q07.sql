-- Q7: per year, trade between two nations in both directions.
-- Tuned: drops orders of other nations before it unnests them; goes to customers, suppliers and
-- stock by their keys.
WITH
  trading_nation AS MATERIALIZED (
    SELECT (n.doc -> 'n_nationkey')::int8 AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM nation AS n
    WHERE n.doc ->> 'n_name' IN ($nation_a::text, $nation_b::text)
  ),
  trading_order AS MATERIALIZED (
    SELECT left(o.doc ->> 'o_entry_d', 4)::int8 AS l_year,
           o.doc -> 'o_orderline' AS o_orderline,
           left(a.c_state, 1) AS c_initial,
           n_name AS c_nation
    FROM customer AS c
    CROSS JOIN jsonb_to_recordset(c.doc -> 'c_addresses') AS a (c_address_kind text, c_state text)
    JOIN trading_nation ON n_nationkey = ascii(a.c_state)
    JOIN orders AS o
      ON concat_ws('.', o.doc ->> 'o_w_id', o.doc ->> 'o_d_id', o.doc ->> 'o_c_id') = c.key
    WHERE a.c_address_kind = 'shipping'
  ),
  line AS MATERIALIZED (
    SELECT concat_ws('.', ol_supply_w_id, ol_i_id) AS s_key,
           (ol_supply_w_id * ol_i_id % 10000)::text AS su_key,
           l_year,
           c_initial,
           c_nation,
           ol_amount
    FROM trading_order,
         jsonb_to_recordset(o_orderline)
           AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric, ol_delivery_d text)
    WHERE ol_delivery_d COLLATE "C" BETWEEN $from::text AND $to::text
  )
SELECT n_nationkey AS supp_nation, c_initial AS cust_nation, l_year, sum(ol_amount) AS revenue
FROM line
JOIN supplier AS su ON su.key = su_key
JOIN trading_nation ON n_nationkey = (su.doc -> 'su_nationkey')::int8
JOIN stock AS s ON s.key = s_key
WHERE (n_name = $nation_a::text AND c_nation = $nation_b::text)
   OR (n_name = $nation_b::text AND c_nation = $nation_a::text)
GROUP BY n_nationkey, c_initial, l_year
ORDER BY n_nationkey, c_initial COLLATE "C", l_year;
