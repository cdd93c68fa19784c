-- Q8: per year, a nation's share of the market of a region for certain items.
-- Tuned: drops lines of other items first; goes to customers, suppliers and stock by their keys.
WITH
  nation_row AS MATERIALIZED (
    SELECT n.doc ->> 'n_nationkey' AS n_nationkey,
           n.doc ->> 'n_name' AS n_name,
           r.doc ->> 'r_name' AS r_name
    FROM region AS r
    CROSS JOIN nation AS n ON n.doc ->> 'n_regionkey' = r.doc ->> 'r_regionkey'
  ),
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE i.doc ->> 'i_id' < 1000
      AND substr(i.doc ->> 'i_data', -1) = $data
  )
SELECT CAST(substr(o.doc ->> 'o_entry_d', 1, 4) AS INTEGER) AS l_year,
       sum(CASE WHEN seller.n_name = $nation THEN ol.value ->> 'ol_amount' ELSE 0.0 END)
         / nullif(sum(ol.value ->> 'ol_amount'), 0.0) AS mkt_share
FROM orders AS o
CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
CROSS JOIN item_row ON i_id = ol.value ->> 'ol_i_id'
CROSS JOIN customer AS c
  ON c.key = (o.doc ->> 'o_w_id') || '.' || (o.doc ->> 'o_d_id') || '.' || (o.doc ->> 'o_c_id')
CROSS JOIN nation_row AS buyer ON buyer.n_nationkey = unicode(c.doc ->> 'c_state')
CROSS JOIN supplier AS su
  ON su.key = CAST((ol.value ->> 'ol_supply_w_id') * (ol.value ->> 'ol_i_id') % 10000 AS TEXT)
CROSS JOIN nation_row AS seller ON seller.n_nationkey = su.doc ->> 'su_nationkey'
WHERE o.doc ->> 'o_entry_d' BETWEEN $from AND $to
  AND buyer.r_name = $region
  AND EXISTS (
    SELECT 1
    FROM stock AS s
    WHERE s.key = (ol.value ->> 'ol_supply_w_id') || '.' || (ol.value ->> 'ol_i_id')
  )
GROUP BY l_year
ORDER BY l_year;
