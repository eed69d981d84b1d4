export { type Level, levels } from './line.ts'
export { createLog, type EventName, type Fields, type Log, type LogOptions } from './log.ts'
