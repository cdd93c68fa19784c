-- Conditions 8 and 9: the payments of each district, in cents.
WITH
  found AS MATERIALIZED (
    SELECT h.key AS key,
           CASE json_type(h.doc, '$.h_w_id') WHEN 'integer' THEN h.doc ->> '$.h_w_id' END AS w,
           CASE json_type(h.doc, '$.h_d_id') WHEN 'integer' THEN h.doc ->> '$.h_d_id' END AS d,
           CASE json_type(h.doc, '$.h_c_w_id') WHEN 'integer' THEN h.doc ->> '$.h_c_w_id' END AS c_w,
           CASE json_type(h.doc, '$.h_c_d_id') WHEN 'integer' THEN h.doc ->> '$.h_c_d_id' END AS c_d,
           CASE json_type(h.doc, '$.h_c_id') WHEN 'integer' THEN h.doc ->> '$.h_c_id' END AS c,
           CASE WHEN json_type(h.doc, '$.h_amount') IN ('integer', 'real')
             THEN CAST(round((h.doc ->> '$.h_amount') * 100) AS INTEGER)
           END AS cents
    FROM history AS h
  ),
  judged AS (
    SELECT key, w, d, cents,
           w IS NULL OR d IS NULL OR c_w IS NULL OR c_d IS NULL OR c IS NULL OR cents IS NULL AS wrong,
           c_w NOT BETWEEN 1 AND $warehouses OR c_d NOT BETWEEN 1 AND 10
             OR c NOT BETWEEN 1 AND $customers AS stranger
    FROM found
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE wrong) AS wrong,
       min(key) FILTER (WHERE wrong) AS first_wrong,
       sum(cents) AS paid,
       count(*) FILTER (WHERE stranger) AS strangers,
       min(key) FILTER (WHERE stranger) AS first_strangers
FROM judged
GROUP BY w, d;
