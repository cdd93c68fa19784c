package site.ycsb.workloads;

import java.util.Properties;
import java.util.TreeMap;

/**
 * Prints what YCSB's own CoreWorkload draws: {@code Draws <draws> <key=value;…>…}. Two keys are none of YCSB's:
 * {@code inserts} records are inserted meanwhile, evenly spread; {@code by=age} counts how many records are
 * newer than the one that is drawn, not its number.
 */
public final class Draws {
  public static void main(String[] args) throws Exception {
    for (int i = 1; i < args.length; i++) {
      Properties properties = new Properties();
      properties.setProperty("measurementtype", "histogram");
      for (String pair : args[i].split(";")) {
        properties.setProperty(pair.split("=")[0], pair.split("=")[1]);
      }
      site.ycsb.measurements.Measurements.setProperties(properties);
      CoreWorkload workload = new CoreWorkload();
      workload.init(properties);
      TreeMap<Long, Long> counts = new TreeMap<>();
      long draws = Long.parseLong(args[0]);
      long inserts = Long.parseLong(properties.getProperty("inserts", "0"));
      boolean byAge = "age".equals(properties.getProperty("by"));
      long inserted = 0;
      for (long n = 0; n < draws; n++) {
        while (inserted * draws < n * inserts) {
          workload.transactioninsertkeysequence.acknowledge(workload.transactioninsertkeysequence.nextValue());
          inserted++;
        }
        long key = workload.nextKeynum();
        long newest = workload.transactioninsertkeysequence.lastValue();
        counts.merge(byAge ? newest - key : key, 1L, Long::sum);
      }
      StringBuilder out = new StringBuilder("case " + args[i] + "\n");
      counts.forEach((key, count) -> out.append(key + " " + count + " " + workload.buildKeyName(key) + "\n"));
      System.out.print(out);
    }
  }
}
