-- Conditions 10, 11 and 12 and the customer counts: the customers of each district, and those whose numbers are
-- not those of their orders and payments, in cents. Asked after orders and history, whose fields are then known.
WITH
  found AS MATERIALIZED (
    SELECT k.key AS key,
           CASE json_type(k.doc, '$.c_w_id') WHEN 'integer' THEN k.doc ->> '$.c_w_id' END AS w,
           CASE json_type(k.doc, '$.c_d_id') WHEN 'integer' THEN k.doc ->> '$.c_d_id' END AS d,
           CASE json_type(k.doc, '$.c_id') WHEN 'integer' THEN k.doc ->> '$.c_id' END AS c,
           CASE WHEN json_type(k.doc, '$.c_balance') IN ('integer', 'real')
             THEN CAST(round((k.doc ->> '$.c_balance') * 100) AS INTEGER)
           END AS balance,
           CASE WHEN json_type(k.doc, '$.c_ytd_payment') IN ('integer', 'real')
             THEN CAST(round((k.doc ->> '$.c_ytd_payment') * 100) AS INTEGER)
           END AS ytd_payment,
           CASE json_type(k.doc, '$.c_delivery_cnt') WHEN 'integer' THEN k.doc ->> '$.c_delivery_cnt' END
             AS deliveries,
           CASE json_type(k.doc, '$.c_payment_cnt') WHEN 'integer' THEN k.doc ->> '$.c_payment_cnt' END
             AS payments
    FROM customer AS k
  ),
  ordered AS MATERIALIZED (
    SELECT o.doc ->> '$.o_w_id' AS w,
           o.doc ->> '$.o_d_id' AS d,
           o.doc ->> '$.o_c_id' AS c,
           (
             SELECT ifnull(sum(CAST(round((ol.value ->> '$.ol_amount') * 100) AS INTEGER)), 0)
             FROM jsonb_each(o.doc, '$.o_orderline') AS ol
             WHERE ol.value ->> '$.ol_delivery_d' IS NOT NULL
           ) AS cents,
           o.doc ->> '$.o_carrier_id' IS NOT NULL AND o.doc ->> '$.o_id' > $delivered AS since
    FROM orders AS o
  ),
  -- What a customer says, less what its orders and payments say: the sums are 0 where all is well.
  entry AS (
    SELECT key, w, d, c, deliveries AS stated,
           w IS NULL OR d IS NULL OR c IS NULL OR balance IS NULL OR ytd_payment IS NULL
             OR deliveries IS NULL OR payments IS NULL AS wrong,
           balance AS ten,
           balance + ytd_payment AS twelve,
           payments AS unpaid,
           deliveries AS undelivered,
           key <> w || '.' || d || '.' || c AS stray
    FROM found
    UNION ALL
    SELECT NULL, w, d, c, 0, 0, -cents, -cents, 0, -since, 0
    FROM ordered
    UNION ALL
    SELECT NULL, h.doc ->> '$.h_c_w_id', h.doc ->> '$.h_c_d_id', h.doc ->> '$.h_c_id', 0, 0,
           CAST(round((h.doc ->> '$.h_amount') * 100) AS INTEGER), 0, -1, 0, 0
    FROM history AS h
  ),
  account AS (
    SELECT w, d, c,
           count(key) AS documents,
           ifnull(min(key), w || '.' || d || '.' || c) AS name,
           sum(stated) AS stated,
           sum(wrong) AS wrong,
           min(key) FILTER (WHERE wrong) AS first_wrong,
           count(*) FILTER (WHERE stray) AS stray,
           min(key) FILTER (WHERE stray) AS first_stray,
           sum(ten) <> 0 AS ten,
           sum(twelve) <> 0 AS twelve,
           sum(unpaid) <> 0 AS unpaid,
           sum(undelivered) <> 0 AS undelivered,
           c BETWEEN 1 AND $customers AS known
    FROM entry
    GROUP BY w, d, c
  )
SELECT w, d,
       sum(documents) AS documents,
       sum(wrong) AS wrong,
       min(first_wrong) AS first_wrong,
       count(*) FILTER (WHERE documents > 0) AS numbers,
       ifnull(sum(stated) FILTER (WHERE known), 0) AS deliveries,
       count(*) FILTER (WHERE known AND ten) AS ten,
       min(name) FILTER (WHERE known AND ten) AS first_ten,
       count(*) FILTER (WHERE known AND twelve) AS twelve,
       min(name) FILTER (WHERE known AND twelve) AS first_twelve,
       count(*) FILTER (WHERE known AND unpaid) AS unpaid,
       min(name) FILTER (WHERE known AND unpaid) AS first_unpaid,
       count(*) FILTER (WHERE known AND undelivered) AS undelivered,
       min(name) FILTER (WHERE known AND undelivered) AS first_undelivered,
       ifnull(sum(CASE WHEN known THEN stray ELSE documents END), 0) AS strangers,
       ifnull(min(name) FILTER (WHERE NOT known AND documents > 0), min(first_stray)) AS first_strangers
FROM account
GROUP BY w, d;
