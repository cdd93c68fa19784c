-- Q18: orders above an amount, by value.
-- Tuned: sums up each order where it lies and looks up only the customers of the first hundred.
WITH
  large_order AS MATERIALIZED (
    SELECT o.key AS o_key,
           o.doc ->> 'o_entry_d' AS o_entry_d,
           (
             SELECT round(sum(ol.value ->> 'ol_amount'), 2)
             FROM jsonb_each(o.doc, '$.o_orderline') AS ol
           ) AS amount_sum
    FROM orders AS o
    WHERE amount_sum > $amount
    ORDER BY amount_sum DESC, o_entry_d
    LIMIT 100
  )
SELECT c.doc ->> 'c_last' AS c_last,
       c.doc ->> 'c_id' AS c_id,
       o.doc ->> 'o_id' AS o_id,
       large_order.o_entry_d,
       o.doc ->> 'o_ol_cnt' AS o_ol_cnt,
       amount_sum
FROM large_order
CROSS JOIN orders AS o ON o.key = o_key
CROSS JOIN customer AS c
  ON c.key = (o.doc ->> 'o_w_id') || '.' || (o.doc ->> 'o_d_id') || '.' || (o.doc ->> 'o_c_id')
ORDER BY amount_sum DESC, large_order.o_entry_d;
