-- Q5: revenue of a year within each nation of a region.
-- Tuned: drops orders of other regions before it unnests them; goes to customers, suppliers and
-- stock by their keys.
WITH
  regional_nation AS MATERIALIZED (
    SELECT n.doc ->> 'n_nationkey' AS n_nationkey, n.doc ->> 'n_name' AS n_name
    FROM region AS r
    CROSS JOIN nation AS n ON n.doc ->> 'n_regionkey' = r.doc ->> 'r_regionkey'
    WHERE r.doc ->> 'r_name' = $region
  )
SELECT n_name, sum(ol.value ->> 'ol_amount') AS revenue
FROM orders AS o
CROSS JOIN customer AS c
  ON c.key = (o.doc ->> 'o_w_id') || '.' || (o.doc ->> 'o_d_id') || '.' || (o.doc ->> 'o_c_id')
CROSS JOIN jsonb_each(c.doc, '$.c_addresses') AS a
CROSS JOIN regional_nation ON n_nationkey = unicode(a.value ->> 'c_state')
CROSS JOIN jsonb_each(o.doc, '$.o_orderline') AS ol
CROSS JOIN supplier AS su
  ON su.key = CAST((o.doc ->> 'o_w_id') * (ol.value ->> 'ol_i_id') % 10000 AS TEXT)
WHERE o.doc ->> 'o_entry_d' >= $from
  AND o.doc ->> 'o_entry_d' < $to
  AND a.value ->> 'c_address_kind' = 'shipping'
  AND su.doc ->> 'su_nationkey' = n_nationkey
  AND EXISTS (
    SELECT 1
    FROM stock AS s
    WHERE s.key = (o.doc ->> 'o_w_id') || '.' || (ol.value ->> 'ol_i_id')
  )
GROUP BY n_name
ORDER BY revenue DESC;
