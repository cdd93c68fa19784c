-- Conditions 8 and 9: the payments of each district, in cents.
WITH
  found AS MATERIALIZED (
    SELECT h.key, f.h_w_id AS w, f.h_d_id AS d, f.h_c_w_id AS c_w, f.h_c_d_id AS c_d, f.h_c_id AS c,
           f.h_amount AS amount,
           concat_ws(' ', f.h_w_id, f.h_d_id, f.h_c_w_id, f.h_c_d_id, f.h_c_id, f.h_amount)
             SIMILAR TO '[0-9]+( [0-9]+){4} -?[0-9]+(.[0-9]+)?' AS fine
    FROM history AS h
    CROSS JOIN LATERAL jsonb_to_record(h.doc) AS f (
      h_w_id jsonb, h_d_id jsonb, h_c_w_id jsonb, h_c_d_id jsonb, h_c_id jsonb, h_amount jsonb
    )
  ),
  judged AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN d::int8 END AS d,
           CASE WHEN fine THEN round(amount::numeric * 100) END AS cents,
           CASE WHEN fine THEN
             c_w::int8 NOT BETWEEN 1 AND $warehouses::int8 OR c_d::int8 NOT BETWEEN 1 AND 10
             OR c::int8 NOT BETWEEN 1 AND $customers::int8
           END AS stranger
    FROM found
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       sum(cents)::int8 AS paid,
       count(*) FILTER (WHERE stranger) AS strangers,
       min(key) FILTER (WHERE stranger) AS first_strangers
FROM judged
GROUP BY w, d;
