-- Q7: per year, trade between two nations in both directions.
WITH
  trader AS MATERIALIZED (
    SELECT (su.doc -> 'su_suppkey')::int8 AS su_suppkey,
           (n.doc -> 'n_nationkey')::int8 AS su_nationkey,
           n.doc ->> 'n_name' AS su_nation
    FROM supplier AS su
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = (su.doc -> 'su_nationkey')::int8
    WHERE n.doc ->> 'n_name' IN ($nation_a::text, $nation_b::text)
  ),
  buyer AS MATERIALIZED (
    SELECT (c.doc -> 'c_w_id')::int8 AS c_w_id,
           (c.doc -> 'c_d_id')::int8 AS c_d_id,
           (c.doc -> 'c_id')::int8 AS c_id,
           left(c.doc ->> 'c_state', 1) AS c_initial,
           n.doc ->> 'n_name' AS c_nation
    FROM customer AS c
    JOIN nation AS n ON (n.doc -> 'n_nationkey')::int8 = ascii(c.doc ->> 'c_state')
    WHERE n.doc ->> 'n_name' IN ($nation_a::text, $nation_b::text)
  ),
  stock_row AS MATERIALIZED (
    SELECT (s.doc -> 's_w_id')::int8 AS s_w_id,
           (s.doc -> 's_i_id')::int8 AS s_i_id,
           (s.doc -> 's_w_id')::int8 * (s.doc -> 's_i_id')::int8 % 10000 AS s_suppkey
    FROM stock AS s
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
           AS ol (ol_i_id int8, ol_supply_w_id int8, ol_amount numeric, ol_delivery_d text)
    WHERE ol.ol_delivery_d COLLATE "C" BETWEEN $from::text AND $to::text
  )
SELECT su_nationkey AS supp_nation, c_initial AS cust_nation, l_year, sum(ol_amount) AS revenue
FROM line
JOIN buyer ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
JOIN stock_row ON s_w_id = ol_supply_w_id AND s_i_id = ol_i_id
JOIN trader ON su_suppkey = s_suppkey
WHERE (su_nation = $nation_a::text AND c_nation = $nation_b::text)
   OR (su_nation = $nation_b::text AND c_nation = $nation_a::text)
GROUP BY su_nationkey, c_initial, l_year
ORDER BY su_nationkey, c_initial COLLATE "C", l_year;
