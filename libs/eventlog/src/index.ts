export type { EventLog, LoggedEvent, Progress } from './event-log.ts'
