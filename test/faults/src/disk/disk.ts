/** A server whose changes of its data folder are written down, or fail, as disk.c does it. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing, printed } from '@millhand/test-servers'

export const gccMissing = missing('needs gcc on Linux (Debian: gcc, libc6-dev)', () => {
  if (process.platform !== 'linux') return false
  const [folder, source] = [mkdtempSync(join(tmpdir(), 'gcc-')), '#include <stdio.h>\nint main(void) { return 0; }\n']
  try {
    writeFileSync(join(folder, 'a.c'), source)
    return printed('gcc', ['-o', join(folder, 'a'), join(folder, 'a.c')]) !== undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** As the enum in disk.c. */
const FAULTS = ['none', 'full', 'read-only', 'slow', 'sync fails'] as const
export type DiskFault = (typeof FAULTS)[number]

export interface Disk extends Disposable {
  /** The data folder. */
  readonly dataDir: string
  /** What the server is to be started with. */
  readonly env: Readonly<Record<string, string>>
  /** The file with the record. */
  readonly record: string
  /** From now on. */
  setFault(fault: DiskFault): void
}

/** An empty data folder. Needs gcc. */
export function prepareDisk(options: { readonly isRecorded: boolean }): Disk {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'millhand-disk-')))
  const [library, fault, record] = ['disk.so', 'fault', 'record'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const source = join(import.meta.dirname, 'disk.c')
  const built = spawnSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'], { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(built.stderr)
  const dataDir = join(folder, 'data')
  writeFileSync(fault, Buffer.alloc(4))
  const file = openSync(fault, 'r+')
  return {
    dataDir,
    record,
    env: {
      LD_PRELOAD: library,
      DISK_ROOT: dataDir,
      DISK_FAULT: fault,
      // Everything goes through calls that disk.c sees.
      UV_USE_IO_URING: '0',
      ...(options.isRecorded && { DISK_RECORD: record }),
    },
    setFault(name) {
      const word = Buffer.alloc(4)
      word.writeInt32LE(FAULTS.indexOf(name))
      writeSync(file, word, 0, 4, 0)
    },
    [Symbol.dispose]() {
      closeSync(file)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
