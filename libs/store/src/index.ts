export type {
  Change,
  Collection,
  CollectionSpec,
  Document,
  Draft,
  Index,
  OutboxEvent,
  Query,
  Scalar,
  WriteResult,
} from './collection.ts'
