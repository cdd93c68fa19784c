-- The stock counts: what the stocks of each warehouse say was taken.
WITH
  found AS MATERIALIZED (
    SELECT s.key, f.s_w_id AS w, f.s_i_id AS item, f.s_ytd AS ytd, f.s_order_cnt AS orders,
           f.s_remote_cnt AS remote,
           concat_ws(' ', f.s_w_id, f.s_i_id, f.s_quantity, f.s_ytd, f.s_order_cnt, f.s_remote_cnt)
             SIMILAR TO '[0-9]+ [0-9]+( -?[0-9]+){4}' AS fine
    FROM stock AS s
    CROSS JOIN LATERAL jsonb_to_record(s.doc) AS f (
      s_w_id jsonb, s_i_id jsonb, s_quantity jsonb, s_ytd jsonb, s_order_cnt jsonb, s_remote_cnt jsonb
    )
  ),
  judged AS (
    SELECT key, fine,
           CASE WHEN fine THEN w::int8 END AS w,
           CASE WHEN fine THEN ytd::int8 END AS ytd,
           CASE WHEN fine THEN orders::int8 END AS orders,
           CASE WHEN fine THEN remote::int8 END AS remote,
           CASE WHEN fine THEN
             item::int8 NOT BETWEEN 1 AND $items::int8 OR key <> concat_ws('.', w, item)
           END AS stranger
    FROM found
  )
SELECT w,
       count(*) AS documents,
       count(*) FILTER (WHERE NOT fine) AS wrong,
       min(key) FILTER (WHERE NOT fine) AS first_wrong,
       sum(ytd)::int8 AS ytd,
       sum(orders)::int8 AS orders,
       sum(remote)::int8 AS remote,
       count(*) FILTER (WHERE stranger) AS strangers,
       min(key) FILTER (WHERE stranger) AS first_strangers
FROM judged
GROUP BY w;
