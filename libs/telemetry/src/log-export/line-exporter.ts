/** What exports the lines of the log, where it is exported. Nothing of OpenTelemetry is loaded here. */
import type { Line } from '../log-line.ts'
import type { OnDropped } from '../otlp/bounded-queue.ts'

export interface LineExporter {
  /** Takes a line that has no secrets any more; never waits. */
  export(line: Line): void
  /** Hears of lines that could not be sent. */
  onDropped(dropped: OnDropped): void
}

let active: LineExporter | undefined

/** Undefined where the log is not exported. */
export const lineExporter = (): LineExporter | undefined => active

/** For the start and the end of the process, and for tests. */
export function setLineExporter(next: LineExporter | undefined): void {
  active = next
}
