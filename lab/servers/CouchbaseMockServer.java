import com.couchbase.mock.Bucket;
import com.couchbase.mock.BucketConfiguration;
import com.couchbase.mock.CouchbaseMock;
import com.couchbase.mock.memcached.MemcachedServer;
import java.io.IOException;
import java.util.List;

/** Runs CouchbaseMock: HTTP_PORT DATA_PORT. Its own main draws the port of the data anew at each start. */
public class CouchbaseMockServer {
    public static void main(String[] arguments) throws IOException, InterruptedException {
        BucketConfiguration configuration = new BucketConfiguration();
        configuration.name = "default";
        configuration.hostname = "127.0.0.1";
        configuration.bucketStartPort = Integer.parseInt(arguments[1]);
        configuration.numNodes = 1;
        configuration.numVBuckets = 64;
        configuration.numReplicas = 0;
        CouchbaseMock mock = new CouchbaseMock(Integer.parseInt(arguments[0]), List.of(configuration));
        mock.start();
        mock.waitForStartup();
        for (Bucket bucket : mock.getBuckets().values()) {
            for (MemcachedServer server : bucket.getServers()) {
                server.setCccpEnabled(true);
            }
        }
        Thread.currentThread().join();
    }
}
