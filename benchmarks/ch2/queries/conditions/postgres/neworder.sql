-- Conditions 2, 3, 5 and 11: the undelivered orders of each district.
WITH
  found AS MATERIALIZED (
    SELECT n.key, f.no_w_id AS w, f.no_d_id AS d, f.no_o_id AS number,
           concat_ws(' ', f.no_w_id, f.no_d_id, f.no_o_id) SIMILAR TO '[0-9]+( [0-9]+){2}' AS fine
    FROM neworder AS n
    CROSS JOIN LATERAL jsonb_to_record(n.doc) AS f (no_w_id jsonb, no_d_id jsonb, no_o_id jsonb)
  ),
  judged AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN d::int8 END AS d,
           CASE WHEN fine THEN number::int8 END AS number
    FROM found
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       min(number) AS oldest,
       max(number) AS newest,
       count(*) FILTER (WHERE key <> concat_ws('.', w, d, number)) AS strangers,
       min(key) FILTER (WHERE key <> concat_ws('.', w, d, number)) AS first_strangers
FROM judged
GROUP BY w, d;
