/** Where the scripts are that measure other systems: they are no part of this project. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { repository } from '@millhand/test-e2e/server'

/** Peers that run no-op jobs, and the mode of each that is asked for. */
export const lifecyclePeers = {
  bullmq: ['always'],
  graphile: [],
  pgboss: ['notify'],
  temporal: ['file'],
} as const satisfies Record<string, readonly string[]>

/** Peers that serve the model over HTTP. */
export const inferencePeers = ['fastapi', 'node-onnx', 'litserve', 'bentoml', 'rayserve'] as const

export type LifecyclePeer = keyof typeof lifecyclePeers

export const peerNames: readonly string[] = [...Object.keys(lifecyclePeers), ...inferencePeers]

/** What `pnpm bench peers` measures unless peers are named. */
export const usualPeers: readonly string[] = ['bullmq', 'fastapi', 'node-onnx']

/** Where the scripts install what they need, and leave the model that all of them serve. */
export const peersWork = (): string => join(tmpdir(), 'peers')

/** The folder of the scripts; `MILLHAND_PEERS_DIR` names another. Throws where it lacks one of these. */
export function peersFolder(names: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
  const folder = resolve(repository, env.MILLHAND_PEERS_DIR ?? '../shared/peers')
  const missing = names.map(name => `run-${name}.sh`).filter(script => !existsSync(join(folder, script)))
  if (missing.length === 0) return folder
  throw new Error(`No peers are measured: ${folder} has no ${missing.join(', ')}.
Put the scripts in shared/peers beside the checkout, or name their folder in MILLHAND_PEERS_DIR.
A script run-NAME.sh installs its system in $TMPDIR/peers, measures it with wrk, and prints a line of JSON for each workload:
{"workload", "rps", "p50_ms", "p99_ms", "errors"}. Scripts of job queues take a mode and CLOSED_S (seconds), and
those of inference take numbers of connections and RUN_S; they leave mlp.onnx, body.json and expected.json in $TMPDIR/peers.
They need Linux, root, apt, npm, pip, python3 and curl; Temporal needs Go as well.`)
}
