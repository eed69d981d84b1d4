/** Structured logs: one line an event. */
import { isatty } from 'node:tty'
import { withoutSecrets } from '@millhand/api/redact-secrets'
import { lineExporter } from './log-export/line-exporter.ts'
import { type Level, type Line, levels } from './log-line.ts'
import { loggable } from './loggable.ts'
import { standardError } from './output/standard.ts'
import { terminalLine } from './terminal-format.ts'

/** What happened: the thing, a dot, what became of it. For example `task.accepted`. */
export type EventName = `${string}.${string}`

/** What else there is to say, by snake_case names. Values of names like `token` or `input` are left out. */
export type Fields = Readonly<Record<string, unknown>>

/** No method throws, blocks or waits, whatever it is given and whatever becomes of the lines. */
export interface Log {
  debug(event: EventName, fields?: Fields): void
  info(event: EventName, fields?: Fields): void
  warn(event: EventName, fields?: Fields): void
  error(event: EventName, fields?: Fields): void
  /** A log whose every line has these fields too. */
  child(bindings: Fields): Log
}

export interface LogOptions {
  /** The lowest level that is written. */
  readonly level: Level
  /** Takes each line, its newline included; standard error where it is not set. */
  readonly write?: (line: string) => void
  /** JSON, or a form for people: that where standard error is a terminal and `write` is not set. */
  readonly format?: 'json' | 'terminal'
  /** Whether the form for people has colours; where not set, unless the variable `NO_COLOR` is (https://no-color.org). */
  readonly color?: boolean
  /** Fields of every line. */
  readonly bindings?: Fields
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * A log that writes one line an event. `time`, `level` and `event` cannot be overwritten by fields.
 *
 * Our own and not pino: redacting by the name of a key at any depth and a form for terminals is all we need, and pino
 * redacts by path and brings a second package for terminals.
 */
export function createLog(options: LogOptions): Log {
  const onTerminal = options.write === undefined && isatty(2)
  const format = options.format ?? (onTerminal ? 'terminal' : 'json')
  const color = options.color ?? !process.env.NO_COLOR
  const sink: Sink = {
    lowest: levels.indexOf(options.level),
    write: options.write ?? standardError().write,
    format: format === 'json' ? line => JSON.stringify(line) : line => terminalLine(line, color),
    now: options.now ?? Date.now,
  }
  if (options.write === undefined)
    standardError().notice = lines => textOf(sink, lineOf(sink, 'warn', 'log.dropped', { lines }))
  return logTo(sink, options.bindings ?? {})
}

/** A line as it is written. */
const textOf = (sink: Sink, line: Line): string => `${withoutSecrets(sink.format(line))}\n`

function lineOf(sink: Sink, level: Level, event: EventName, fields: Fields): Line {
  const what = { time: new Date(sink.now()).toISOString(), level, event }
  const said = loggable(fields) as Fields
  return { ...what, ...said, ...what }
}

interface Sink {
  readonly lowest: number
  readonly write: (line: string) => void
  readonly format: (line: Line) => string
  readonly now: () => number
}

function logTo(sink: Sink, bindings: Fields): Log {
  const at = (level: Level) => {
    if (levels.indexOf(level) < sink.lowest) return () => {}
    return (event: EventName, fields: Fields = {}) => {
      try {
        const line = lineOf(sink, level, event, { ...bindings, ...fields })
        sink.write(textOf(sink, line))
        lineExporter()?.export(JSON.parse(withoutSecrets(JSON.stringify(line))))
      } catch {
        // A log that fails must not fail the work it tells of, and has nowhere to say so.
      }
    }
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: more => logTo(sink, { ...bindings, ...more }),
  }
}
