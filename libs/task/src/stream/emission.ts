/** One thing that a run emits, as the owner of the task stores it. */
import { fail } from '@millhand/api'
import type { RunEmissions } from '@millhand/api/gen/millhand/lease/v1/emission_pb.ts'
import { requireJson } from '../require-json.ts'

export interface Progress {
  /** From 0 to 1. */
  readonly fraction: number
  readonly message?: string | undefined
  readonly metrics?: Readonly<Record<string, number>> | undefined
}

/** What a run emits in one go, all of which is stored: it counts from now on. */
export interface Batch {
  /** How many things the run had emitted before. */
  readonly from: number
  readonly count: number
  readonly bytes: number
  /** The last of them that says how far the run is. */
  readonly progress?: Progress | undefined
}

export type Emission =
  /** JSON text. */
  { readonly output: string } | { readonly log: string } | { readonly progress: Progress }

export interface ParsedEmissions {
  readonly batch: Batch
  readonly emissions: readonly Emission[]
}

/**
 * What an executor sends of a run. Fails with `invalid_parameter` where output is no JSON, and with `payload_too_large`
 * where it is more than 64 KiB and not one thing alone.
 */
export function parseEmissions({ from, emissions: messages }: RunEmissions): ParsedEmissions {
  const emissions = messages.map(storedForm)
  const bytes = emissions.reduce((sum, emission) => sum + bytesOf(emission), 0)
  if (bytes > maxBytes && emissions.length > 1) {
    throw fail('payload_too_large', `A run's emissions in one call are at most ${maxBytes} bytes, or one alone.`)
  }
  const progress = emissions.findLast(emission => 'progress' in emission)?.progress
  return { emissions, batch: { from, count: emissions.length, bytes, progress } }
}

const maxBytes = 64 * 1024

function storedForm({ content }: RunEmissions['emissions'][number]): Emission {
  switch (content.case) {
    case 'output':
      return { output: requireJson(content.value, 'runs') }
    case 'log':
      return { log: content.value }
    case 'progress': {
      const { fraction, message, metrics } = content.value
      return { progress: { fraction, ...(message !== undefined && { message }), metrics } }
    }
    default:
      throw fail('invalid_parameter', 'An emission has no content.', { param: 'runs' })
  }
}

/** Text in UTF-8, and 8 for a number: no more than the message has, by which its sender may count. */
export function bytesOf(emission: Emission): number {
  if ('output' in emission) return Buffer.byteLength(emission.output)
  if ('log' in emission) return Buffer.byteLength(emission.log)
  const { message = '', metrics = {} } = emission.progress
  const names = Object.keys(metrics)
  return 8 + Buffer.byteLength(message) + names.reduce((sum, name) => sum + Buffer.byteLength(name) + 8, 0)
}
