package de.bwaldvogel.mongo.backend.h2;
import de.bwaldvogel.mongo.*;
import de.bwaldvogel.mongo.backend.*;
import de.bwaldvogel.mongo.backend.memory.*;
import de.bwaldvogel.mongo.backend.memory.index.MemoryUniqueIndex;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.exception.MongoServerError;
import de.bwaldvogel.mongo.wire.bson.*;
import io.netty.buffer.*;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.h2.mvstore.*;
import org.h2.mvstore.type.BasicDataType;

public class MongoWireServer {
  // Built-in MONGO_5_0 reports wire 8; driver 7.x needs >= 9. Real 5.0 is 13.
  static final MongoVersion V = new MongoVersion() {
    public List<Integer> getVersionArray() { return List.of(5, 0, 0); }
    public int getWireVersion() { return 13; }
  };
  static final Set<String> WRITES = Set.of("insert", "update", "delete", "findandmodify", "create",
      "createindexes", "drop", "dropindexes", "dropdatabase", "renamecollection", "aggregate");

  // Stock indexes serve a query only if its fields are exactly the index's; otherwise a full scan under the
  // collection lock. Serve {_id, state}, {tenant, key, ...} too: the caller filters positions by the whole query.
  static boolean covers(List<IndexKey> keys, Document q) {
    for (IndexKey k : keys) {
      Object v = q.get(k.getKey());
      if (!(v instanceof String || v instanceof Number || v instanceof de.bwaldvogel.mongo.bson.ObjectId)) return false;
    }
    return true;
  }
  static class MemDb extends MemoryDatabase {
    MemDb(String n, CursorRegistry c) { super(n, c); }
    @Override protected Index<Integer> openOrCreateUniqueIndex(String c, String name, List<IndexKey> keys, boolean sparse) {
      return new MemoryUniqueIndex(name, keys, sparse) {
        @Override public synchronized boolean canHandle(Document q) { return super.canHandle(q) || covers(keys, q); }
      };
    }
    @Override protected Index<Integer> openOrCreateSecondaryIndex(String c, String name, List<IndexKey> keys, boolean sparse) {
      return new SecondaryIndex<>(name, keys);
    }
    @Override protected MemoryCollection openOrCreateCollection(String c, CollectionOptions o) {
      return new MemoryCollection(this, c, o, cursorRegistry) {
        @Override protected QueryResult queryDocuments(Document q, Document by, int skip, int limit, int batch, Document fields) {
          var scan = isServed(getIndexes(), q) ? null : SecondaryIndex.best(getIndexes(), q, by);
          if (scan == null) return super.queryDocuments(q, by, skip, limit, batch, fields);
          return matchDocuments(q, scan.positions(), scan.isSorted() ? null : by, skip, limit, batch, fields);
        }
      };
    }
  }
  static boolean isServed(List<? extends Index<?>> indexes, Document q) {
    return indexes.stream().anyMatch(index -> index.canHandle(q));
  }
  static MVStore store;                        // static: super's constructor opens collections before our fields exist
  /** Documents as BSON: stock's Java serialization is most of a server's work. */
  static class BsonType extends BasicDataType<Document> {
    @Override public int getMemory(Document document) { return 1_000; }
    @Override public void write(WriteBuffer out, Document document) {
      ByteBuf bytes = Unpooled.buffer();
      BsonEncoder.encodeDocument(document, bytes);
      out.putVarInt(bytes.readableBytes()).put(bytes.nioBuffer());
    }
    @Override public Document read(ByteBuffer in) {
      int end = DataUtils.readVarInt(in) + in.position();
      Document document = BsonDecoder.decodeBson(Unpooled.wrappedBuffer(in.slice(in.position(), end - in.position())));
      in.position(end);
      return document;
    }
    @Override public Document[] createStorage(int size) { return new Document[size]; }
  }
  /** Memory, filled from the documents when their collection is opened: stock keeps it in the file, key by key serialized. */
  static class HashUniqueIndex extends AbstractUniqueIndex<Object> {
    final Map<KeyValue, Object> positions = new ConcurrentHashMap<>();
    HashUniqueIndex(String name, List<IndexKey> keys, boolean sparse) { super(name, keys, sparse); }
    @Override protected Object removeDocument(KeyValue key) { return positions.remove(key); }
    @Override protected boolean putKeyPosition(KeyValue key, Object at) { return positions.putIfAbsent(key, at) == null; }
    @Override protected Object getPosition(KeyValue key) { return positions.get(key); }
    @Override protected Iterable<Map.Entry<KeyValue, Object>> getIterable() { return positions.entrySet(); }
    @Override public synchronized boolean canHandle(Document q) { return super.canHandle(q) || covers(getKeys(), q); }
    @Override public long getCount() { return positions.size(); }
    @Override public long getDataSize() { return positions.size(); }
  }
  static class H2Db extends H2Database {
    H2Db(String n, CursorRegistry c) { super(n, store, c); }
    @Override protected Index<Object> openOrCreateUniqueIndex(String c, String name, List<IndexKey> keys, boolean sparse) {
      return new HashUniqueIndex(name, keys, sparse);
    }
    @Override protected Index<Object> openOrCreateSecondaryIndex(String c, String name, List<IndexKey> keys, boolean sparse) {
      return new SecondaryIndex<>(name, keys);
    }
    @Override protected MongoCollection<Object> openOrCreateCollection(String c, CollectionOptions o) {
      String name = getFullCollectionNamespace(c);
      MVMap<Object, Document> data = store.openMap("databases." + name, new MVMap.Builder<Object, Document>().valueType(new BsonType()));
      return new H2Collection(this, c, o, data, store.openMap("meta." + name), cursorRegistry) {
        @Override protected QueryResult queryDocuments(Document q, Document by, int skip, int limit, int batch, Document fields) {
          var scan = isServed(getIndexes(), q) ? null : SecondaryIndex.best(getIndexes(), q, by);
          if (scan == null) return super.queryDocuments(q, by, skip, limit, batch, fields);
          return matchDocuments(q, scan.positions(), scan.isSorted() ? null : by, skip, limit, batch, fields);
        }
      };
    }
  }

  // ---- refuse what would be silently ignored; repair ordered updates and insert counts ----
  static Document refuse(String what) { throw new MongoServerError(238, "NotImplemented", "this stand-in: " + what + " is not supported"); }
  @SuppressWarnings("unchecked")
  static Document fixed(String cmd, Document q, Function<Document, Document> in) {
    if (q.containsKey("collation")) refuse("collation");
    if (q.containsKey("startTransaction") || q.containsKey("autocommit")) refuse("transaction");
    if (cmd.equals("create") && q.containsKey("validator")) refuse("validator");
    if (cmd.equals("createIndexes")) for (Document ix : (Collection<Document>) q.get("indexes")) {
      if (ix.containsKey("collation")) refuse("index collation");
      if (ix.containsKey("partialFilterExpression") && Boolean.TRUE.equals(ix.get("unique"))) refuse("unique partial index");
    }
    if (cmd.equals("update")) {
      List<Document> us = (List<Document>) q.get("updates");
      for (Document u : us) {
        if (u.containsKey("collation") || u.containsKey("sort")) refuse("update collation/sort");
        if (u.get("u") instanceof Collection) refuse("pipeline update");
      }
      if (Boolean.TRUE.equals(q.get("ordered")) && us.size() > 1) {
        int n = 0, mod = 0; List<Document> ups = new ArrayList<>(), errs = new ArrayList<>();
        for (int i = 0; i < us.size() && errs.isEmpty(); i++) {
          Document one = q.clone(); one.put("updates", new ArrayList<>(List.of(us.get(i))));
          Document r = in.apply(one);
          n += ((Number) r.get("n")).intValue(); mod += ((Number) r.get("nModified")).intValue();
          for (Document d : (List<Document>) r.getOrDefault("upserted", List.of())) { d.put("index", i); ups.add(d); }
          for (Document d : (List<Document>) r.getOrDefault("writeErrors", List.of())) { d.put("index", i); errs.add(d); }
        }
        Document r = new Document("n", n).append("nModified", mod);
        if (!ups.isEmpty()) r.put("upserted", ups);
        if (!errs.isEmpty()) r.put("writeErrors", errs);
        return r.append("ok", 1.0);
      }
    }
    if (cmd.equals("findAndModify") && q.get("update") instanceof Collection) refuse("pipeline update");
    Document r = in.apply(q);
    if (cmd.equals("insert") && r.containsKey("writeErrors")) {
      List<Document> es = (List<Document>) r.get("writeErrors"); int total = ((List<?>) q.get("documents")).size();
      r.put("n", Boolean.TRUE.equals(q.get("ordered")) ? ((Number) es.get(0).get("index")).intValue() : total - es.size());
    }
    return r;
  }

  static class Mem extends MemoryBackend {
    @Override public MemoryDatabase openOrCreateDatabase(String n) { return new MemDb(n, getCursorRegistry()); }
    @Override public Document handleCommand(Channel ch, String db, String cmd, Document q) {
      return fixed(cmd, q, x -> super.handleCommand(ch, db, cmd, x));
    }
  }
  /** H2 backend that commits between commands only (never mid-command) and, with each=true, before the ack. */
  static class Durable extends H2Backend {
    final boolean each; long done = 0;
    final ReentrantReadWriteLock rw = new ReentrantReadWriteLock(true);
    final AtomicLong seq = new AtomicLong(); final Object gate = new Object();
    Durable(MVStore s, boolean each) { super(s); this.each = each; }
    @Override protected MongoDatabase openOrCreateDatabase(String n) { return new H2Db(n, getCursorRegistry()); }
    @Override public Document handleCommand(Channel ch, String db, String cmd, Document q) {
      boolean w = WRITES.contains(cmd.toLowerCase(Locale.ROOT)); long me = 0;
      rw.readLock().lock();
      try { return fixed(cmd, q, x -> super.handleCommand(ch, db, cmd, x)); }
      finally {                                 // what a reader was shown is durable too
        if (w || getMvStore().hasUnsavedChanges()) me = seq.incrementAndGet();
        rw.readLock().unlock();
        if (each && me > 0) flush(me);
      }
    }
    void flush(long me) {                       // group commit
      synchronized (gate) {
        if (done >= me) return;
        rw.writeLock().lock();
        try {
          long all = seq.get();
          if (getMvStore().hasUnsavedChanges()) getMvStore().commit();
          done = all;
        } catch (Throwable t) {                 // no room, no disk: what is in memory can't be made durable
          t.printStackTrace();
          Runtime.getRuntime().halt(14);        // mongod ends itself too
        } finally { rw.writeLock().unlock(); }
      }
    }
  }

  public static void main(String[] a) throws Exception {
    int port = Integer.parseInt(a[0]); String dir = a[1];
    String mode = System.getProperty("commit", "each");
    AbstractMongoBackend b; Durable d = null;
    if (dir.equals("-")) b = new Mem();
    else {
      Files.createDirectories(Path.of(dir));
      MVStore s = store = new MVStore.Builder().fileName(Path.of(dir, "mongo.mv").toString())
          .autoCommitDisabled().autoCommitBufferSize(0).open();
      s.setRetentionTime(0);                    // reuse freed space at once (default 45 s lets the file balloon)
      b = d = new Durable(s, mode.equals("each"));
    }
    b.version(V);
    MongoServer server = new MongoServer(b);
    if (Boolean.getBoolean("oplog")) server.enableOplog();
    if (d != null && !mode.equals("each")) {
      final Durable f = d; long ms = Long.parseLong(mode);
      Executors.newSingleThreadScheduledExecutor(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; })
          .scheduleWithFixedDelay(() -> f.flush(Long.MAX_VALUE), ms, ms, TimeUnit.MILLISECONDS);
    }
    server.bind(new InetSocketAddress("127.0.0.1", port), 1, 16);
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));   // closes the backend and the store
    System.out.println("READY " + port);
  }
}
