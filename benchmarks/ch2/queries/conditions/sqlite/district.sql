-- Conditions 1, 2 and 9: the sum of each district, in cents, and the number of its next order.
WITH
  found AS MATERIALIZED (
    SELECT t.key AS key,
           CASE json_type(t.doc, '$.d_w_id') WHEN 'integer' THEN t.doc ->> '$.d_w_id' END AS w,
           CASE json_type(t.doc, '$.d_id') WHEN 'integer' THEN t.doc ->> '$.d_id' END AS d,
           CASE json_type(t.doc, '$.d_next_o_id') WHEN 'integer' THEN t.doc ->> '$.d_next_o_id' END AS number,
           CASE WHEN json_type(t.doc, '$.d_ytd') IN ('integer', 'real')
             THEN CAST(round((t.doc ->> '$.d_ytd') * 100) AS INTEGER)
           END AS cents
    FROM district AS t
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE w IS NULL OR d IS NULL OR number IS NULL OR cents IS NULL) AS wrong,
       min(key) FILTER (WHERE w IS NULL OR d IS NULL OR number IS NULL OR cents IS NULL) AS first_wrong,
       sum(cents) AS ytd,
       max(number) AS next_o_id
FROM found
GROUP BY w, d;
