/** The log of a pod that is there. */
import type { V1Pod } from '@kubernetes/client-node'
import { DriverFault, type LogLine, type LogOptions } from '../driver.ts'
import { type Cluster, ClusterError } from './cluster.ts'
import { logLines, logQuery } from './log-lines.ts'
import { CONTAINER } from './pod.ts'

export async function* observedLogs(
  cluster: Cluster,
  { metadata }: V1Pod,
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const path = `/api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}/log`
  try {
    const stream = await cluster.stream(path, { signal, query: { container: CONTAINER, ...logQuery(options) } })
    yield* logLines(stream, options)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ClusterError && error.status === 404)
      throw new DriverFault('not_found', `There is no replica ${metadata?.name}.`, { cause: error })
    // Its process has not been started, so it has written nothing.
    if (error instanceof ClusterError && error.status === 400) return
    if (error instanceof DriverFault || error instanceof ClusterError) throw error
    throw new DriverFault('unavailable', 'The Kubernetes cluster does not answer.', { cause: error })
  }
}
