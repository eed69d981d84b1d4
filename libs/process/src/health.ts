/** Whether a process can serve. */

export interface Check {
  readonly ready: boolean
  /** Why not, in words; there only while it is not ready. */
  readonly reason?: string
}

export interface Health {
  /** Says how one part is. A part counts from its first word on. */
  set(name: string, ready: boolean, reason?: string): void
  /** Ready when every part is; a process with no parts is not ready. */
  ready(): { readonly ready: boolean; readonly checks: Readonly<Record<string, Check>> }
}

export function createHealth(): Health {
  const checks = new Map<string, Check>()
  return {
    set(name, ready, reason) {
      checks.set(name, ready || reason === undefined ? { ready } : { ready, reason })
    },
    ready: () => ({
      ready: checks.size > 0 && [...checks.values()].every(check => check.ready),
      checks: Object.fromEntries(checks),
    }),
  }
}
