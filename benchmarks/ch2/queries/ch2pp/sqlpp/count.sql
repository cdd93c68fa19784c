-- Ingestion: documents of each collection.
SELECT 'warehouse' AS `collection`, count(*) AS documents FROM warehouse
UNION ALL SELECT 'district' AS `collection`, count(*) AS documents FROM district
UNION ALL SELECT 'customer' AS `collection`, count(*) AS documents FROM customer
UNION ALL SELECT 'history' AS `collection`, count(*) AS documents FROM history
UNION ALL SELECT 'neworder' AS `collection`, count(*) AS documents FROM neworder
UNION ALL SELECT 'orders' AS `collection`, count(*) AS documents FROM orders
UNION ALL SELECT 'item' AS `collection`, count(*) AS documents FROM item
UNION ALL SELECT 'stock' AS `collection`, count(*) AS documents FROM stock
UNION ALL SELECT 'supplier' AS `collection`, count(*) AS documents FROM supplier
UNION ALL SELECT 'nation' AS `collection`, count(*) AS documents FROM nation
UNION ALL SELECT 'region' AS `collection`, count(*) AS documents FROM region;
