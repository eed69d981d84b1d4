export type { EventLog, LoggedEvent } from './event-log.ts'
