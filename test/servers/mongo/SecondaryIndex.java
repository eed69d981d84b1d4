package de.bwaldvogel.mongo.backend.h2;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.*;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.bson.ObjectId;
import java.util.*;

/**
 * An ordered index that is not unique: stock has none and reads every document. It is memory, filled from the documents
 * when their collection is opened. A scan gives positions in the index's order, at least those that the query's leading
 * equalities and its first bounds allow; the caller holds each document against the whole query.
 */
public class SecondaryIndex<P> extends Index<P> {
  private static final ValueComparator VALUES = ValueComparator.ascWithoutListHandling();
  /** The values of the fields, then `_id`. A bound has fewer: it stands before or after all keys that begin with them. */
  private record Key(List<Object> values, int side) {}
  private static int compare(Key one, Key other) {
    int length = one.values.size(), otherLength = other.values.size();
    for (int at = 0; at < Math.min(length, otherLength); at++) {
      int order = VALUES.compare(one.values.get(at), other.values.get(at));
      if (order != 0) return order;
    }
    if (length == otherLength) return Integer.compare(one.side, other.side);
    return length < otherLength ? one.side : -other.side;
  }

  private final TreeMap<Key, P> positions = new TreeMap<>(SecondaryIndex::compare);
  /** An array would need an entry for each element, and a path a look into documents. */
  private boolean hasOthers;

  SecondaryIndex(String name, List<IndexKey> keys) {
    super(name, keys, true);
    hasOthers = keys.stream().anyMatch(key -> key.getKey().contains("."));
  }

  private Key keyOf(Document document) {
    List<Object> values = new ArrayList<>();
    for (IndexKey key : getKeys()) values.add(document.get(key.getKey()));
    for (Object value : values) hasOthers |= value instanceof Collection;
    values.add(document.get("_id"));
    return new Key(values, 0);
  }

  /** What of the index a query needs, in an order that `orderBy` asks for where `isSorted`. */
  record Scan<P>(Iterable<P> positions, int equalities, boolean isBounded, boolean isSorted) {}

  /** Nothing where the index does not help. */
  Scan<P> scan(Document query, Document orderBy) {
    if (hasOthers) return null;
    Map<String, List<Document>> terms = new HashMap<>();
    termsOf(query, terms);
    List<Object> equal = new ArrayList<>();
    Object[] bounds = {null, null};
    for (IndexKey key : getKeys()) {
      List<Document> conditions = terms.getOrDefault(key.getKey(), List.of());
      Object value = null;
      for (Document condition : conditions) if (isScalar(condition.get("$eq"))) value = condition.get("$eq");
      if (value != null) { equal.add(value); continue; }
      for (Document condition : conditions) for (String operator : condition.keySet()) {
        if (!isScalar(condition.get(operator))) continue;
        if (operator.equals("$gt") || operator.equals("$gte")) bounds[0] = condition.get(operator);
        if (operator.equals("$lt") || operator.equals("$lte")) bounds[1] = condition.get(operator);
      }
      break;
    }
    boolean isBounded = bounds[0] != null || bounds[1] != null;
    int direction = direction(orderBy, equal.size());
    if (equal.isEmpty() && !isBounded && (direction == 0 || orderBy == null || orderBy.isEmpty())) return null;
    Key from = bound(equal, bounds[0], -1), to = bound(equal, bounds[1], 1);
    if (compare(from, to) > 0) return new Scan<>(List.of(), equal.size(), isBounded, true);
    NavigableMap<Key, P> range = positions.subMap(from, true, to, true);
    return new Scan<>((direction < 0 ? range.descendingMap() : range).values(), equal.size(), isBounded, direction != 0);
  }

  private static Key bound(List<Object> equal, Object more, int side) {
    List<Object> values = new ArrayList<>(equal);
    if (more != null) values.add(more);
    return new Key(values, side);
  }

  /** 1 or -1 where `orderBy` is the order of the fields after so many, all the one way; else 0. */
  private int direction(Document orderBy, int from) {
    if (orderBy == null || orderBy.isEmpty()) return 1;
    int direction = 0, at = from;
    for (Map.Entry<String, Object> term : orderBy.entrySet()) {
      if (at == getKeys().size() || !getKeys().get(at++).getKey().equals(term.getKey())) return 0;
      if (!(term.getValue() instanceof Number number)) return 0;
      if (direction != 0 && direction != number.intValue()) return 0;
      direction = number.intValue();
    }
    return direction;
  }

  /** The conditions of each field that all of a query's documents meet. */
  @SuppressWarnings("unchecked")
  private static void termsOf(Document query, Map<String, List<Document>> terms) {
    query.forEach((field, value) -> {
      if (field.equals("$and")) for (Document term : (Collection<Document>) value) termsOf(term, terms);
      if (field.startsWith("$")) return;
      boolean isCondition = value instanceof Document document && document.keySet().stream().allMatch(key -> key.startsWith("$"));
      terms.computeIfAbsent(field, key -> new ArrayList<>()).add(isCondition ? (Document) value : new Document("$eq", value));
    });
  }

  private static boolean isScalar(Object value) {
    return value instanceof String || value instanceof Number || value instanceof ObjectId;
  }

  @Override public void add(Document document, P position, MongoCollection<P> collection) {
    positions.put(keyOf(document), position);
  }
  @Override public P remove(Document document) {
    positions.remove(keyOf(document));
    return null;                                // as stock's: what is sparse need not know where a document is
  }
  @Override public void updateInPlace(Document before, Document after, P position, MongoCollection<P> collection) {
    Key from = keyOf(before), to = keyOf(after);
    if (compare(from, to) == 0) return;
    positions.remove(from);
    positions.put(to, position);
  }
  @Override public P getPosition(Document document) { return null; }
  @Override public void checkAdd(Document document, MongoCollection<P> collection) {}
  @Override public void checkUpdate(Document before, Document after, MongoCollection<P> collection) {}
  @Override public boolean canHandle(Document query) { return false; }   // `scan` is asked
  @Override public Iterable<P> getPositions(Document query) { throw new UnsupportedOperationException(); }
  @Override public long getCount() { return positions.size(); }
  @Override public long getDataSize() { return positions.size(); }
  @Override public void drop() { positions.clear(); }

  /** Of the indexes of a collection the scan that leaves the least to read: the most equalities, a bound, no sorting. */
  static <P> Scan<P> best(List<Index<P>> indexes, Document query, Document orderBy) {
    Scan<P> best = null;
    for (Index<P> index : indexes) {
      if (!(index instanceof SecondaryIndex<P> secondary)) continue;
      Scan<P> scan = secondary.scan(query, orderBy);
      if (scan != null && (best == null || worth(scan) > worth(best))) best = scan;
    }
    return best;
  }
  private static int worth(Scan<?> scan) {
    return 4 * scan.equalities + (scan.isBounded ? 2 : 0) + (scan.isSorted ? 1 : 0);
  }
}
