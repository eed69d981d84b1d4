export { type ArchivedEvent, type ArchiveIndex, archiveIndexes, type EventArchive } from './event-archive.ts'
export type { EventLog, IsUrgent, LoggedEvent, Progress } from './event-log.ts'
