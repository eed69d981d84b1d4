/** What the reconciler of a mode tells of itself. */
import type { KeyMode } from '@millhand/api'
import { processMetrics } from '@millhand/telemetry'

/**
 * Until it is disposed of. `open`: instances that have not ended. `latest`: when the engine was last
 * seen whole, by the clock of `now`; undefined before the first time.
 */
export function observeReconciler(
  mode: KeyMode,
  open: { readonly size: number },
  times: { readonly latest: number | undefined },
  now: () => number,
): Disposable {
  const labels = { mode }
  const end = processMetrics.observe(() => {
    const { latest } = times
    return [
      { name: 'millhand_reconciler_open_instances', labels, value: open.size },
      ...(latest === undefined
        ? []
        : [{ name: 'millhand_reconciler_observed_seconds' as const, labels, value: (now() - latest) / 1_000 }]),
    ]
  })
  return { [Symbol.dispose]: end }
}
