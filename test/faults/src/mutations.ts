/**
 * What keeps the promises, taken out one at a time, in a copy of the tree: the checker has to find each within one run.
 * `pnpm faults --mutate <name>`. They are in no build of the product.
 */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mutation {
  readonly file: string
  /** Is in the file once. */
  readonly text: string
  readonly becomes: string
}

export const mutations: Readonly<Record<string, Mutation>> = {
  /** The result of a lease that is not the live one is taken. */
  fence: {
    file: 'services/compute/src/transition.ts',
    text: 'return holds(task, cause.held) ? finished(',
    becomes: 'return cause.held ? finished(',
  },
  /** A change is written over whatever another has made of the document meanwhile. */
  version: {
    file: 'libs/store/src/mongo/write-statement.ts',
    text: 'update: { q: { _id: key, version }, u },',
    becomes: 'update: { q: { _id: key }, u },',
  },
  /** Events are taken out of the outbox whether the log has them or not. */
  outbox: {
    file: 'libs/store/src/mongo/outbox-relay.ts',
    text: "await this.#insist('store.publish_failed', signal, () => unlessEnded(this.#deps.publish(part), signal))",
    becomes: 'void this.#deps.publish(part).catch(() => {})',
  },
}

/** What runs the product: no tests, and no data. */
const PARTS = ['deploy', 'gateway', 'libs', 'services', 'test/fixtures', 'package.json'] as const

/** The source as the mutation makes it. Throws where it does not fit any more. */
export function mutated(source: string, { file, text, becomes }: Mutation): string {
  const parts = source.split(text)
  if (parts.length !== 2) throw new Error(`${file} holds ${parts.length - 1} times, not once: ${text}`)
  return parts.join(becomes)
}

/** Copies the tree at `root` to the folder `copy`, with the mutation in it. Installed packages stay where they are. */
export function mutatedTree(root: string, copy: string, mutation: Mutation): void {
  for (const part of PARTS) cpSync(join(root, part), join(copy, part), { recursive: true, verbatimSymlinks: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const file = join(copy, mutation.file)
  writeFileSync(file, mutated(readFileSync(file, 'utf8'), mutation))
}
