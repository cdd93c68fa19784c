import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * Runs mongo-java-server on 127.0.0.1: PORT WIRE. WIRE is the wire version to announce, as current drivers refuse what
 * the server announces by itself; what it can do stays the same.
 */
public class MongoWire {
    public static void main(String[] arguments) throws InterruptedException {
        int wire = Integer.parseInt(arguments[1]);
        MongoBackend backend = new MemoryBackend();
        backend.version(new MongoVersion() {
            @Override
            public List<Integer> getVersionArray() {
                return List.of(5, 0, 0, 0);
            }

            @Override
            public int getWireVersion() {
                return wire;
            }
        });
        MongoServer server = new MongoServer(backend);
        server.bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
        Thread.currentThread().join();
    }
}
