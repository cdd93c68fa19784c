-- The stock counts: what the lines of the orders entered since the load took from the stocks of each warehouse.
-- Asked after orders, whose fields are then known. A document that it counts is a line.
WITH
  found AS MATERIALIZED (
    SELECT o.key AS key,
           o.doc ->> '$.o_w_id' AS home,
           CASE json_type(ol.value, '$.ol_supply_w_id') WHEN 'integer' THEN ol.value ->> '$.ol_supply_w_id' END
             AS w,
           CASE json_type(ol.value, '$.ol_i_id') WHEN 'integer' THEN ol.value ->> '$.ol_i_id' END AS item,
           CASE json_type(ol.value, '$.ol_quantity') WHEN 'integer' THEN ol.value ->> '$.ol_quantity' END
             AS quantity
    FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
    WHERE o.doc ->> '$.o_id' > $orders
      AND o.doc ->> '$.o_w_id' BETWEEN 1 AND $warehouses
      AND o.doc ->> '$.o_d_id' BETWEEN 1 AND 10
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE w IS NULL OR item IS NULL OR quantity IS NULL) AS wrong,
       min(key) FILTER (WHERE w IS NULL OR item IS NULL OR quantity IS NULL) AS first_wrong,
       sum(quantity) AS quantity,
       count(*) FILTER (WHERE w <> home) AS remote
FROM found
GROUP BY w;
