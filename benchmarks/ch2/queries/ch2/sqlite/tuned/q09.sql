-- Q9: per supplier nation and year, what was earned with certain items.
-- Tuned: drops lines of other items first; goes to suppliers and stock by their keys.
WITH
  item_row AS MATERIALIZED (
    SELECT i.doc ->> 'i_id' AS i_id
    FROM item AS i
    WHERE substr(i.doc ->> 'i_data', -length($data)) = $data
  ),
  nation_row AS MATERIALIZED (
    SELECT n.doc ->> 'n_nationkey' AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM nation AS n
  )
SELECT n_name,
       CAST(substr(o.doc ->> 'o_entry_d', 1, 4) AS INTEGER) AS l_year,
       sum(ol.value ->> 'ol_amount') AS sum_profit
FROM orders AS o
CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
CROSS JOIN item_row ON i_id = ol.value ->> 'ol_i_id'
CROSS JOIN supplier AS su
  ON su.key = CAST((ol.value ->> 'ol_supply_w_id') * (ol.value ->> 'ol_i_id') % 10000 AS TEXT)
CROSS JOIN nation_row ON n_nationkey = su.doc ->> 'su_nationkey'
WHERE EXISTS (
  SELECT 1
  FROM stock AS s
  WHERE s.key = (ol.value ->> 'ol_supply_w_id') || '.' || (ol.value ->> 'ol_i_id')
)
GROUP BY n_name, l_year
ORDER BY n_name, l_year DESC;
