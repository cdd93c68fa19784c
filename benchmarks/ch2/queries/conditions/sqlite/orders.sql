-- Conditions 2, 4, 5, 6, 7 and 11: the orders of each district, and those that contradict themselves or neworder.
WITH
  waiting AS MATERIALIZED (
    SELECT DISTINCT n.doc ->> '$.no_w_id' AS w, n.doc ->> '$.no_d_id' AS d, n.doc ->> '$.no_o_id' AS number
    FROM neworder AS n
  ),
  -- Of its lines: how many there are, those without a date, those without an amount.
  entered AS MATERIALIZED (
    SELECT o.key AS key,
           CASE json_type(o.doc, '$.o_w_id') WHEN 'integer' THEN o.doc ->> '$.o_w_id' END AS w,
           CASE json_type(o.doc, '$.o_d_id') WHEN 'integer' THEN o.doc ->> '$.o_d_id' END AS d,
           CASE json_type(o.doc, '$.o_id') WHEN 'integer' THEN o.doc ->> '$.o_id' END AS number,
           CASE json_type(o.doc, '$.o_c_id') WHEN 'integer' THEN o.doc ->> '$.o_c_id' END AS customer,
           CASE json_type(o.doc, '$.o_ol_cnt') WHEN 'integer' THEN o.doc ->> '$.o_ol_cnt' END AS ol_cnt,
           o.doc ->> '$.o_carrier_id' IS NOT NULL AS carrier,
           CASE json_type(o.doc, '$.o_orderline') WHEN 'array' THEN (
             SELECT json_array(
                      count(*),
                      count(*) FILTER (WHERE ol.value ->> '$.ol_delivery_d' IS NULL),
                      count(*) FILTER (
                        WHERE ifnull(json_type(ol.value, '$.ol_amount'), 'none') NOT IN ('integer', 'real')
                      )
                    )
             FROM jsonb_each(o.doc, '$.o_orderline') AS ol
           ) END AS sums
    FROM orders AS o
  ),
  judged AS (
    SELECT e.key, e.w, e.d, e.number, e.customer, e.ol_cnt, e.carrier,
           e.sums ->> '$[0]' AS lines,
           e.sums ->> '$[1]' AS undated,
           n.number IS NOT NULL AS undelivered,
           e.w IS NULL OR e.d IS NULL OR e.number IS NULL OR e.customer IS NULL OR e.ol_cnt IS NULL
             OR e.sums IS NULL OR e.sums ->> '$[2]' > 0 AS wrong,
           e.customer NOT BETWEEN 1 AND $customers OR e.key <> e.w || '.' || e.d || '.' || e.number AS stranger
    FROM entered AS e
    LEFT JOIN waiting AS n ON n.w = e.w AND n.d = e.d AND n.number = e.number
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE wrong) AS wrong,
       min(key) FILTER (WHERE wrong) AS first_wrong,
       max(number) AS last,
       sum(ol_cnt) AS ol_cnt,
       sum(lines) AS lines,
       count(*) FILTER (WHERE undelivered) AS undelivered,
       count(*) FILTER (WHERE carrier = undelivered) AS five,
       min(key) FILTER (WHERE carrier = undelivered) AS first_five,
       count(*) FILTER (WHERE ol_cnt <> lines) AS six,
       min(key) FILTER (WHERE ol_cnt <> lines) AS first_six,
       count(*) FILTER (WHERE undated <> CASE WHEN carrier THEN 0 ELSE lines END) AS seven,
       min(key) FILTER (WHERE undated <> CASE WHEN carrier THEN 0 ELSE lines END) AS first_seven,
       count(*) FILTER (WHERE stranger) AS strangers,
       min(key) FILTER (WHERE stranger) AS first_strangers
FROM judged
GROUP BY w, d;
