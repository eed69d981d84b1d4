export { qualities, qualityOf } from './accept.ts'
export { divideHalfEven, dueMicros, proratedMicros, runMicros, type Span } from './amount.ts'
export {
  createApiKey,
  createConsumerSecret,
  hashOfKey,
  hasValidChecksum,
  holdsKey,
  isConsumerSecret,
  type KeyMode,
  modeOfKey,
  prefixOfKey,
} from './api-key.ts'
export { type Cursors, createCursors } from './cursor.ts'
export {
  type CatalogueEntry,
  headerOf,
  isProblemCode,
  type ProblemCode,
  problemPath,
  problems,
  shouldRetry,
} from './error-catalogue.ts'
export {
  codeOf,
  type FailOptions,
  type Fault,
  fail,
  failFaults,
  failIf,
  isLost,
  isOurs,
  maxFaults,
  metadataOf,
  type Problem,
  problemOf,
  retryAfterOf,
} from './errors.ts'
export {
  countingIds,
  createIds,
  firstIdAt,
  type Id,
  type IdPrefix,
  type IdSources,
  type Ids,
  idPrefixes,
  idTime,
  parseId,
} from './ids.ts'
export { allowedWords, enumWords } from './json/enum-words.ts'
export { type FaultCode, isFull, isWithin, shownPath } from './json/faults.ts'
export { queryReader } from './json/query.ts'
export { isRequired, jsonReader, mostEntries, type ReaderOptions, type Reading, tooManyEntries } from './json/reader.ts'
export { formatMs, formatTimestamp, parseTimestamp } from './json/timestamp.ts'
export { jsonWriter, type WriterOptions } from './json/writer.ts'
export { type KeyName, keyRefOf, modeOfWord, wordOfMode } from './mode.ts'
export { decimalOf, MOST_COUNT, microsOf, priceOf, quantity, signedDecimalOf } from './money.ts'
export { type Parts, type Payload, rangeFields } from './payload.ts'
export { type Family, families, type PlanNames } from './plan-families.ts'
export { publicEvent } from './public-event.ts'
export { httpRoutes, type Route, type RouteOf, type Segment } from './routes.ts'
export { mostSandboxMs, readSandboxInput, type SandboxInput } from './sandbox-input.ts'
export { isChoice } from './schema/validation-keywords.ts'
export { createSeals, type Seals } from './seal.ts'
export { createSecretCipher, type SecretCipher, SecretUnreadable } from './secret-cipher.ts'
export { type ShortRoute, shortRoutes } from './short-forms.ts'
export { spendingLimitReached } from './spending-limit.ts'
