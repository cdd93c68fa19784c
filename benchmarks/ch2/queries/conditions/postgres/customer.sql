-- Conditions 10, 11 and 12 and the customer counts: the customers of each district, and those whose numbers are
-- not those of their orders and payments, in cents. Asked after orders and history, whose fields are then known.
WITH
  found AS MATERIALIZED (
    SELECT k.key, f.c_w_id AS w, f.c_d_id AS d, f.c_id AS c, f.c_balance AS balance,
           f.c_ytd_payment AS ytd_payment, f.c_delivery_cnt AS deliveries, f.c_payment_cnt AS payments,
           concat_ws(
             ' ', f.c_w_id, f.c_d_id, f.c_id, f.c_delivery_cnt, f.c_payment_cnt, f.c_balance, f.c_ytd_payment
           ) SIMILAR TO '[0-9]+( [0-9]+){2}( -?[0-9]+){2}( -?[0-9]+(.[0-9]+)?){2}' AS fine
    FROM customer AS k
    CROSS JOIN LATERAL jsonb_to_record(k.doc) AS f (
      c_w_id jsonb, c_d_id jsonb, c_id jsonb, c_balance jsonb, c_ytd_payment jsonb, c_delivery_cnt jsonb,
      c_payment_cnt jsonb
    )
  ),
  typed AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN d::int8 END AS d,
           CASE WHEN fine THEN c::int8 END AS c,
           CASE WHEN fine THEN round(balance::numeric * 100) END AS balance,
           CASE WHEN fine THEN round(ytd_payment::numeric * 100) END AS ytd_payment,
           CASE WHEN fine THEN deliveries::int8 END AS deliveries,
           CASE WHEN fine THEN payments::int8 END AS payments
    FROM found
  ),
  ordered AS MATERIALIZED (
    SELECT f.o_w_id AS w, f.o_d_id AS d, f.o_c_id AS c, l.cents,
           CASE WHEN f.o_carrier_id IS NOT NULL AND f.o_id > $delivered::int8 THEN 1 ELSE 0 END AS since
    FROM orders AS o
    CROSS JOIN LATERAL jsonb_to_record(o.doc) AS f (
      o_w_id int8, o_d_id int8, o_id int8, o_c_id int8, o_carrier_id text, o_orderline jsonb
    )
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(round(ol.ol_amount * 100)), 0) AS cents
      FROM jsonb_to_recordset(f.o_orderline) AS ol (ol_amount numeric, ol_delivery_d text)
      WHERE ol.ol_delivery_d IS NOT NULL
    ) AS l
  ),
  -- What a customer says, less what its orders and payments say: the sums are 0 where all is well.
  entry AS (
    SELECT key, w, d, c, deliveries AS stated, NOT fine AS wrong,
           balance AS ten,
           balance + ytd_payment AS twelve,
           payments AS unpaid,
           deliveries AS undelivered,
           key <> concat_ws('.', w, d, c) AS stray
    FROM typed
    UNION ALL
    SELECT NULL, w, d, c, 0, false, -cents, -cents, 0, -since, false
    FROM ordered
    UNION ALL
    SELECT NULL, f.h_c_w_id, f.h_c_d_id, f.h_c_id, 0, false, round(f.h_amount * 100), 0, -1, 0, false
    FROM history AS h
    CROSS JOIN LATERAL jsonb_to_record(h.doc) AS f (
      h_c_w_id int8, h_c_d_id int8, h_c_id int8, h_amount numeric
    )
  ),
  account AS (
    SELECT w, d, c,
           count(key) AS documents,
           coalesce(min(key), concat_ws('.', w, d, c)) AS name,
           sum(stated) AS stated,
           count(*) FILTER (WHERE wrong) AS wrong,
           min(key) FILTER (WHERE wrong) AS first_wrong,
           count(*) FILTER (WHERE stray) AS stray,
           min(key) FILTER (WHERE stray) AS first_stray,
           sum(ten) <> 0 AS ten,
           sum(twelve) <> 0 AS twelve,
           sum(unpaid) <> 0 AS unpaid,
           sum(undelivered) <> 0 AS undelivered,
           c BETWEEN 1 AND $customers::int8 AS known
    FROM entry
    GROUP BY w, d, c
  )
SELECT w, d,
       sum(documents)::int8 AS documents,
       sum(wrong)::int8 AS wrong,
       min(first_wrong) AS first_wrong,
       count(*) FILTER (WHERE documents > 0) AS numbers,
       coalesce(sum(stated) FILTER (WHERE known), 0)::int8 AS deliveries,
       count(*) FILTER (WHERE known AND ten) AS ten,
       min(name) FILTER (WHERE known AND ten) AS first_ten,
       count(*) FILTER (WHERE known AND twelve) AS twelve,
       min(name) FILTER (WHERE known AND twelve) AS first_twelve,
       count(*) FILTER (WHERE known AND unpaid) AS unpaid,
       min(name) FILTER (WHERE known AND unpaid) AS first_unpaid,
       count(*) FILTER (WHERE known AND undelivered) AS undelivered,
       min(name) FILTER (WHERE known AND undelivered) AS first_undelivered,
       coalesce(sum(CASE WHEN known THEN stray ELSE documents END), 0)::int8 AS strangers,
       coalesce(min(name) FILTER (WHERE NOT known AND documents > 0), min(first_stray)) AS first_strangers
FROM account
GROUP BY w, d;
