-- Q1: per line number, quantities and amounts of the lines delivered after a day.
SELECT ol.ol_number AS ol_number,
       sum(ol.ol_quantity) AS sum_qty,
       sum(ol.ol_amount) AS sum_amount,
       avg(ol.ol_quantity) AS avg_qty,
       avg(ol.ol_amount) AS avg_amount,
       count(*) AS count_order
FROM orders AS o
CROSS JOIN unnest(o.o_orderline) AS line_of_order (ol)
WHERE ol.ol_delivery_d > $after
GROUP BY ol.ol_number
ORDER BY ol_number;
