package site.ycsb.workloads;

import java.util.Properties;
import java.util.TreeMap;

/** Prints what YCSB's own CoreWorkload draws: {@code Draws <draws> <key=value;…>…}. */
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
      for (long n = Long.parseLong(args[0]); n > 0; n--) {
        counts.merge(workload.nextKeynum(), 1L, Long::sum);
      }
      StringBuilder out = new StringBuilder("case " + args[i] + "\n");
      counts.forEach((key, count) -> out.append(key + " " + count + " " + workload.buildKeyName(key) + "\n"));
      System.out.print(out);
    }
  }
}
