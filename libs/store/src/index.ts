export {
  type Change,
  type Collection,
  type CollectionSpec,
  type Database,
  type Document,
  type DocumentRef,
  type Draft,
  type Index,
  noAccount,
  type OutboxEvent,
  type Query,
  type Range,
  type Scalar,
  type WriteResult,
} from './collection.ts'
export { EventsRefused } from './events-refused.ts'
export { type IdRange, type Page, type PageOf, readPage, settlesAfterMs } from './list-page.ts'
export { removeFound, sweep } from './sweep.ts'
