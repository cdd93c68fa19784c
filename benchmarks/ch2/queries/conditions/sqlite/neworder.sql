-- Conditions 2, 3, 5 and 11: the undelivered orders of each district.
WITH
  found AS MATERIALIZED (
    SELECT n.key AS key,
           CASE json_type(n.doc, '$.no_w_id') WHEN 'integer' THEN n.doc ->> '$.no_w_id' END AS w,
           CASE json_type(n.doc, '$.no_d_id') WHEN 'integer' THEN n.doc ->> '$.no_d_id' END AS d,
           CASE json_type(n.doc, '$.no_o_id') WHEN 'integer' THEN n.doc ->> '$.no_o_id' END AS number
    FROM neworder AS n
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE w IS NULL OR d IS NULL OR number IS NULL) AS wrong,
       min(key) FILTER (WHERE w IS NULL OR d IS NULL OR number IS NULL) AS first_wrong,
       min(number) AS oldest,
       max(number) AS newest,
       count(*) FILTER (WHERE key <> w || '.' || d || '.' || number) AS strangers,
       min(key) FILTER (WHERE key <> w || '.' || d || '.' || number) AS first_strangers
FROM found
GROUP BY w, d;
