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
export { EventsRefused } from './events-refused.ts'
export { RecentSet } from './recent-set.ts'
