/** The thread of `render-pdf.ts`: lays out one invoice, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { invoicePdf } from './invoice-pdf.ts'
import type { PdfOrder } from './render-pdf.ts'

const { invoice, seller } = workerData as PdfOrder
parentPort?.postMessage(await invoicePdf(invoice, seller))
