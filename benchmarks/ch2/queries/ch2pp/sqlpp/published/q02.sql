-- Q2: suppliers of a region that hold the least stock of certain items in that region.
-- Published: the collections in the order of the published text.
SELECT su.su_suppkey,
       su.su_name,
       n.n_name,
       i.i_id,
       i.i_name,
       su.su_address,
       su.su_phone,
       su.su_comment
FROM item AS i, supplier AS su, stock AS s, nation AS n, region AS r,
     (
       SELECT s1.s_i_id AS m_i_id, min(s1.s_quantity) AS m_s_quantity
       FROM stock AS s1, supplier AS su1, nation AS n1, region AS r1
       WHERE s1.s_w_id * s1.s_i_id % 10000 = su1.su_suppkey
         AND su1.su_nationkey = n1.n_nationkey
         AND n1.n_regionkey = r1.r_regionkey
         AND starts_with(r1.r_name, $region)
       GROUP BY s1.s_i_id
     ) AS m
WHERE ends_with(i.i_data, $data)
  AND i.i_id = m.m_i_id
  AND i.i_id = s.s_i_id
  AND s.s_quantity = m.m_s_quantity
  AND s.s_w_id * s.s_i_id % 10000 = su.su_suppkey
  AND su.su_nationkey = n.n_nationkey
  AND n.n_regionkey = r.r_regionkey
  AND starts_with(r.r_name, $region)
ORDER BY n.n_name, su.su_name, i.i_id
LIMIT 100;
