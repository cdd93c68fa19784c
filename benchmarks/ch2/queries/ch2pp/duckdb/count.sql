-- Ingestion: documents of each collection, in one snapshot.
SELECT 'warehouse' AS collection, count(*) AS documents FROM warehouse
UNION ALL SELECT 'district', count(*) FROM district
UNION ALL SELECT 'customer', count(*) FROM customer
UNION ALL SELECT 'history', count(*) FROM history
UNION ALL SELECT 'neworder', count(*) FROM neworder
UNION ALL SELECT 'orders', count(*) FROM orders
UNION ALL SELECT 'item', count(*) FROM item
UNION ALL SELECT 'stock', count(*) FROM stock
UNION ALL SELECT 'supplier', count(*) FROM supplier
UNION ALL SELECT 'nation', count(*) FROM nation
UNION ALL SELECT 'region', count(*) FROM region;
