/** How soon the disk says that a write is durable: 4 KiB and fdatasync(2), so many a second. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { histogram } from '../histogram.ts'

/** Milliseconds. */
export interface DiskTail {
  readonly p50: number
  readonly p99: number
}

export async function diskTail(folder: string, perSecond: number, seconds: number): Promise<DiskTail> {
  await using file = await open(join(folder, 'disk'), 'w')
  const block = Buffer.alloc(4_096, 'x')
  const latencies = histogram()
  const began = performance.now()
  for (let count = 0; count < perSecond * seconds; count++) {
    const early = began + (count * 1_000) / perSecond - performance.now()
    if (early > 0) await pause(early)
    const asked = performance.now()
    await file.write(block)
    await file.datasync()
    latencies.record((performance.now() - asked) * 1_000)
  }
  return { p50: latencies.quantile(0.5) / 1_000, p99: latencies.quantile(0.99) / 1_000 }
}
