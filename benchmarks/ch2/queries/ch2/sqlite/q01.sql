-- Q1: per line number, quantities and amounts of the lines delivered after a day.
SELECT ol.value ->> 'ol_number' AS ol_number,
       sum(ol.value ->> 'ol_quantity') AS sum_qty,
       sum(ol.value ->> 'ol_amount') AS sum_amount,
       avg(ol.value ->> 'ol_quantity') AS avg_qty,
       avg(ol.value ->> 'ol_amount') AS avg_amount,
       count(*) AS count_order
FROM orders AS o, jsonb_each(o.doc, '$.o_orderline') AS ol
WHERE ol.value ->> 'ol_delivery_d' > $after
GROUP BY ol.value ->> 'ol_number'
ORDER BY ol_number;
