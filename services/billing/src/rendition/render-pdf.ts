/**
 * The PDF of an invoice, from a thread of its own: a thousand lines take 0.7 s of the processor, in which the event loop would
 * answer nobody. One thread at a time, which ends with its invoice: PDFs are asked for by people, a few times a month.
 */
import { Worker } from 'node:worker_threads'
import { KeyedMutex } from '@millhand/process'
import type { AnyInvoice } from '../ledger/open-invoices.ts'
import type { Seller } from './seller.ts'

export interface PdfOrder {
  readonly invoice: AnyInvoice
  readonly seller: Seller
}

type RenderPdf = (order: PdfOrder, signal: AbortSignal) => Promise<Uint8Array>

/** Rejects with the signal's reason where it ends first: nobody waits any more. */
export function createPdfRenderer(): RenderPdf {
  const mutex = new KeyedMutex()
  return (order, signal) =>
    mutex.runExclusive('pdf', async () => {
      signal.throwIfAborted()
      return await renderInThread(order, signal)
    })
}

async function renderInThread(order: PdfOrder, signal: AbortSignal): Promise<Uint8Array> {
  const thread = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  const rendered = Promise.withResolvers<Uint8Array>()
  const abort = () => rendered.reject(signal.reason)
  thread.on('message', rendered.resolve).on('error', rendered.reject)
  thread.on('exit', code => rendered.reject(new Error(`the thread of a PDF ended with ${code}`)))
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await rendered.promise
  } finally {
    signal.removeEventListener('abort', abort)
    await thread.terminate()
  }
}

/** A thousand lines take some 150. */
const MEMORY_MB = 512
