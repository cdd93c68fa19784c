import java.util.Properties;
import site.ycsb.Status;
import site.ycsb.measurements.OneMeasurementHdrHistogram;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;

/** Prints what YCSB prints of a run with one kind of operation, less what is about garbage. */
public final class Measured {
  public static void main(String[] args) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("hdrhistogram.percentiles", "50,95,99");
    TextMeasurementsExporter exporter = new TextMeasurementsExporter(System.out);
    exporter.write("OVERALL", "RunTime(ms)", 1000L);
    exporter.write("OVERALL", "Throughput(ops/sec)", 100.5);
    OneMeasurementHdrHistogram read = new OneMeasurementHdrHistogram("READ", properties);
    for (int micros = 1; micros <= 100; micros++) {
      read.measure(micros);
      read.reportStatus(Status.OK);
    }
    read.exportMeasurements(exporter);
    exporter.close();
  }
}
