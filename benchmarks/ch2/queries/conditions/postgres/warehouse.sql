-- Conditions 1 and 8: the sum of each warehouse, in cents.
WITH
  found AS MATERIALIZED (
    SELECT h.key, f.w_id AS w, f.w_ytd AS amount,
           concat_ws(' ', f.w_id, f.w_ytd) SIMILAR TO '[0-9]+ -?[0-9]+(.[0-9]+)?' AS fine
    FROM warehouse AS h
    CROSS JOIN LATERAL jsonb_to_record(h.doc) AS f (w_id jsonb, w_ytd jsonb)
  ),
  judged AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN round(amount::numeric * 100) END AS cents
    FROM found
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       sum(cents)::int8 AS ytd
FROM judged
GROUP BY w;
