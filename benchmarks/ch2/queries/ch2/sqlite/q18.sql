-- Q18: orders above an amount, by value.
WITH
  customer_row AS MATERIALIZED (
    SELECT c.doc ->> 'c_w_id' AS c_w_id,
           c.doc ->> 'c_d_id' AS c_d_id,
           c.doc ->> 'c_id' AS c_id,
           c.doc ->> 'c_last' AS c_last
    FROM customer AS c
  ),
  line AS MATERIALIZED (
    SELECT o.doc ->> 'o_w_id' AS o_w_id,
           o.doc ->> 'o_d_id' AS o_d_id,
           o.doc ->> 'o_id' AS o_id,
           o.doc ->> 'o_c_id' AS o_c_id,
           o.doc ->> 'o_entry_d' AS o_entry_d,
           o.doc ->> 'o_ol_cnt' AS o_ol_cnt,
           ol.value ->> 'ol_amount' AS ol_amount
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
  )
-- Rounded, so that sums of doubles which are the same cents also compare as the same.
SELECT c_last, c_id, o_id, o_entry_d, o_ol_cnt, round(sum(ol_amount), 2) AS amount_sum
FROM line
JOIN customer_row ON c_w_id = o_w_id AND c_d_id = o_d_id AND c_id = o_c_id
GROUP BY o_id, o_w_id, o_d_id, c_id, c_last, o_entry_d, o_ol_cnt
HAVING round(sum(ol_amount), 2) > $amount
ORDER BY amount_sum DESC, o_entry_d
LIMIT 100;
