/** What clients of one run were promised, and what of it a server on some data folder has not kept. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Received } from '@millhand/test-e2e/receiver'
import { type Server, startServer } from '@millhand/test-e2e/server'
import type { Seen } from '../clients.ts'
import { violations } from '../history-checks.ts'
import { allEnded, listAll, readEvents, readHistories } from '../outcome.ts'
import { streamFaults, webhookFaults } from './heard.ts'
import type { Heard } from './stream-visitors.ts'

interface Upload {
  readonly id: string
  readonly text: string
  /** When, by `performance.now()`. */
  readonly answered: number
}

export interface Promised {
  /** When `performance.now()` was 0, by the clock of the record. */
  readonly epochMs: number
  readonly seen: Seen
  readonly heard: readonly Heard[]
  readonly received: readonly Received[]
  readonly files: readonly Upload[]
}

/** Uploads a file each twentieth of a second until the signal ends. */
export async function uploads(server: Server, signal: AbortSignal): Promise<readonly Upload[]> {
  const files: Upload[] = []
  while (!signal.aborted) {
    const text = `file ${files.length} `.repeat(10 ** (files.length % 5))
    const headers = { 'content-type': 'text/plain' }
    const { status, body } = await server.request('POST', '/v1/files', { raw: text, headers })
    if (status === 504) continue // A disk that stands still for 10 s is no fault of ours, and promises nothing.
    if (status !== 201) throw new Error(`an upload was answered with ${status}`)
    files.push({ id: body.id, text, answered: performance.now() })
    await pause(50)
  }
  return files
}

/** Of what was promised before a moment, in words. Starts a server on the folder, and lets all tasks there end. */
export async function brokenPromises(
  promised: Promised,
  until: number,
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const { seen, heard, received, files } = promised
  const isPromised = ({ answered = 0 }: { readonly answered?: number }) => answered < until
  const acknowledged = seen.acknowledged.filter(isPromised)
  const found: string[] = []
  await using server = await startServer({ dataDir, env })
  for (const { id, text } of files.filter(isPromised)) {
    const content = await server.request('GET', `/v1/files/${id}/content`)
    if (content.status !== 200 || content.text !== text) found.push(`${id} has the content ${content.status}`)
  }
  await allEnded(server, 300_000)
  const finals = await listAll(server)
  await server.stop()
  const file = join(dataDir, 'millhand.db')
  const events = readEvents(file)
  const history = {
    acknowledged,
    cancellations: seen.cancellations.filter(isPromised),
    looks: seen.looks.filter(isPromised),
    events,
    finals,
    histories: readHistories(file),
  }
  found.push(...violations(history))
  found.push(
    ...webhookFaults(
      received.filter(({ at }) => at < until),
      events,
    ),
  )
  const told = heard.map(({ task, events: all }) => ({ task, events: all.filter(({ at }) => at < until) }))
  found.push(...streamFaults(told, events))
  return [...found, ...integrityFaults(file)]
}

function integrityFaults(file: string): string[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = db.prepare('PRAGMA integrity_check').all()
    return rows.map(row => String(row.integrity_check)).filter(text => text !== 'ok')
  } finally {
    db.close()
  }
}
