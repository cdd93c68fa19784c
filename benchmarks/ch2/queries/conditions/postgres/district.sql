-- Conditions 1, 2 and 9: the sum of each district, in cents, and the number of its next order.
WITH
  found AS MATERIALIZED (
    SELECT t.key, f.d_w_id AS w, f.d_id AS d, f.d_next_o_id AS number, f.d_ytd AS amount,
           concat_ws(' ', f.d_w_id, f.d_id, f.d_next_o_id, f.d_ytd)
             SIMILAR TO '[0-9]+ [0-9]+ -?[0-9]+ -?[0-9]+(.[0-9]+)?' AS fine
    FROM district AS t
    CROSS JOIN LATERAL jsonb_to_record(t.doc)
      AS f (d_w_id jsonb, d_id jsonb, d_next_o_id jsonb, d_ytd jsonb)
  ),
  judged AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN d::int8 END AS d,
           CASE WHEN fine THEN number::int8 END AS number,
           CASE WHEN fine THEN round(amount::numeric * 100) END AS cents
    FROM found
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       sum(cents)::int8 AS ytd,
       max(number) AS next_o_id
FROM judged
GROUP BY w, d;
