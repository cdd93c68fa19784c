-- Q1: per line number, quantities and amounts of the lines delivered after a day.
SELECT ol.ol_number,
       sum(ol.ol_quantity) AS sum_qty,
       sum(ol.ol_amount) AS sum_amount,
       avg(ol.ol_quantity)::float8 AS avg_qty,
       avg(ol.ol_amount)::float8 AS avg_amount,
       count(*) AS count_order
FROM orders AS o,
     jsonb_to_recordset(o.doc -> 'o_orderline')
       AS ol (ol_number int8, ol_quantity int8, ol_amount numeric, ol_delivery_d text)
WHERE ol.ol_delivery_d COLLATE "C" > $after::text
GROUP BY ol.ol_number
ORDER BY ol.ol_number;
