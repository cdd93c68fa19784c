-- The stock counts: what the lines of the orders entered since the load took from the stocks of each warehouse.
-- Asked after orders, whose fields are then known. A document that it counts is a line.
WITH
  found AS MATERIALIZED (
    SELECT o.key, f.o_w_id AS home, ol.ol_supply_w_id AS w, ol.ol_quantity AS quantity,
           concat_ws(' ', ol.ol_supply_w_id, ol.ol_i_id, ol.ol_quantity)
             SIMILAR TO '[0-9]+ [0-9]+ -?[0-9]+' AS fine
    FROM orders AS o
    CROSS JOIN LATERAL jsonb_to_record(o.doc) AS f (o_w_id int8, o_d_id int8, o_id int8, o_orderline jsonb)
    CROSS JOIN LATERAL jsonb_to_recordset(f.o_orderline)
      AS ol (ol_supply_w_id jsonb, ol_i_id jsonb, ol_quantity jsonb)
    WHERE f.o_id > $orders::int8
      AND f.o_w_id BETWEEN 1 AND $warehouses::int8
      AND f.o_d_id BETWEEN 1 AND 10
  ),
  judged AS (
    SELECT key, fine, home,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN quantity::int8 END AS quantity
    FROM found
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       sum(quantity)::int8 AS quantity,
       count(*) FILTER (WHERE w <> home) AS remote
FROM judged
GROUP BY w;
