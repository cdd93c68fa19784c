-- Q17: half the revenue that small orders of certain items bring.
WITH
  line AS MATERIALIZED (
    SELECT ol.ol_i_id, ol.ol_quantity, ol.ol_amount
    FROM orders AS o,
         jsonb_to_recordset(o.doc -> 'o_orderline')
           AS ol (ol_i_id int8, ol_quantity int8, ol_amount numeric)
  ),
  usual AS MATERIALIZED (
    SELECT ol_i_id AS i_id, avg(ol_quantity) AS avg_quantity
    FROM line
    JOIN item AS i ON (i.doc -> 'i_id')::int8 = ol_i_id
    WHERE right(i.doc ->> 'i_data', 1) = $data::text
    GROUP BY ol_i_id
  )
SELECT sum(ol_amount) / 2 AS avg_yearly
FROM line
JOIN usual ON i_id = ol_i_id
WHERE ol_quantity < avg_quantity;
