-- The stock counts: what the stocks of each warehouse say was taken.
WITH
  found AS MATERIALIZED (
    SELECT s.key AS key,
           CASE json_type(s.doc, '$.s_w_id') WHEN 'integer' THEN s.doc ->> '$.s_w_id' END AS w,
           CASE json_type(s.doc, '$.s_i_id') WHEN 'integer' THEN s.doc ->> '$.s_i_id' END AS item,
           CASE json_type(s.doc, '$.s_quantity') WHEN 'integer' THEN s.doc ->> '$.s_quantity' END AS quantity,
           CASE json_type(s.doc, '$.s_ytd') WHEN 'integer' THEN s.doc ->> '$.s_ytd' END AS ytd,
           CASE json_type(s.doc, '$.s_order_cnt') WHEN 'integer' THEN s.doc ->> '$.s_order_cnt' END AS orders,
           CASE json_type(s.doc, '$.s_remote_cnt') WHEN 'integer' THEN s.doc ->> '$.s_remote_cnt' END AS remote
    FROM stock AS s
  ),
  judged AS (
    SELECT key, w, ytd, orders, remote,
           w IS NULL OR item IS NULL OR quantity IS NULL OR ytd IS NULL OR orders IS NULL
             OR remote IS NULL AS wrong,
           item NOT BETWEEN 1 AND $items OR key <> w || '.' || item AS stranger
    FROM found
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE wrong) AS wrong,
       min(key) FILTER (WHERE wrong) AS first_wrong,
       sum(ytd) AS ytd,
       sum(orders) AS orders,
       sum(remote) AS remote,
       count(*) FILTER (WHERE stranger) AS strangers,
       min(key) FILTER (WHERE stranger) AS first_strangers
FROM judged
GROUP BY w;
