-- Conditions 2, 4, 5, 6, 7 and 11: the orders of each district, and those that contradict themselves or neworder.
WITH
  waiting AS MATERIALIZED (
    SELECT DISTINCT f.no_w_id AS w, f.no_d_id AS d, f.no_o_id AS number
    FROM neworder AS n
    CROSS JOIN LATERAL jsonb_to_record(n.doc) AS f (no_w_id jsonb, no_d_id jsonb, no_o_id jsonb)
  ),
  entered AS MATERIALIZED (
    SELECT o.key, f.o_w_id AS w, f.o_d_id AS d, f.o_id AS number, f.o_c_id AS customer, f.o_ol_cnt AS ol_cnt,
           f.o_carrier_id IS NOT NULL AS carrier,
           l.lines, l.undated,
           (
             concat_ws(' ', f.o_w_id, f.o_d_id, f.o_id, f.o_c_id, f.o_ol_cnt)
               SIMILAR TO '[0-9]+( [0-9]+){3} -?[0-9]+'
             AND jsonb_typeof(f.o_orderline) = 'array' AND l.wrong = 0
           ) IS TRUE AS fine
    FROM orders AS o
    CROSS JOIN LATERAL jsonb_to_record(o.doc) AS f (
      o_w_id jsonb, o_d_id jsonb, o_id jsonb, o_c_id jsonb, o_ol_cnt jsonb, o_carrier_id text, o_orderline jsonb
    )
    CROSS JOIN LATERAL (
      SELECT count(*) AS lines,
             count(*) FILTER (WHERE ol.ol_delivery_d IS NULL) AS undated,
             count(*) FILTER (WHERE jsonb_typeof(ol.ol_amount) IS DISTINCT FROM 'number') AS wrong
      FROM jsonb_to_recordset(CASE jsonb_typeof(f.o_orderline) WHEN 'array' THEN f.o_orderline END)
        AS ol (ol_amount jsonb, ol_delivery_d text)
    ) AS l
  ),
  judged AS (
    SELECT e.key, e.fine, e.carrier, e.lines, e.undated,
           CASE WHEN e.fine THEN e.w::int8 END AS w,
           CASE WHEN e.fine THEN e.d::int8 END AS d,
           CASE WHEN e.fine THEN e.number::int8 END AS number,
           CASE WHEN e.fine THEN e.ol_cnt::int8 END AS ol_cnt,
           n.number IS NOT NULL AS undelivered,
           CASE WHEN e.fine THEN
             e.customer::int8 NOT BETWEEN 1 AND $customers::int8 OR e.key <> concat_ws('.', e.w, e.d, e.number)
           END AS stranger
    FROM entered AS e
    LEFT JOIN waiting AS n ON n.w = e.w AND n.d = e.d AND n.number = e.number
  )
SELECT w, d,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       max(number) AS last,
       sum(ol_cnt)::int8 AS ol_cnt,
       sum(lines)::int8 AS lines,
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
