-- Conditions 1 and 8: the sum of each warehouse, in cents.
WITH
  found AS MATERIALIZED (
    SELECT h.key AS key,
           CASE json_type(h.doc, '$.w_id') WHEN 'integer' THEN h.doc ->> '$.w_id' END AS w,
           CASE WHEN json_type(h.doc, '$.w_ytd') IN ('integer', 'real')
             THEN CAST(round((h.doc ->> '$.w_ytd') * 100) AS INTEGER)
           END AS cents
    FROM warehouse AS h
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE w IS NULL OR cents IS NULL) AS wrong,
       min(key) FILTER (WHERE w IS NULL OR cents IS NULL) AS first_wrong,
       sum(cents) AS ytd
FROM found
GROUP BY w;
