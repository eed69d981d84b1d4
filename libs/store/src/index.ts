export type {
  Change,
  Collection,
  CollectionSpec,
  Document,
  DocumentRef,
  Draft,
  Index,
  OutboxEvent,
  Query,
  Scalar,
  WriteResult,
} from './collection.ts'
