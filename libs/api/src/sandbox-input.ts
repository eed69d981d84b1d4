/** Inputs that tell the sandbox what to do. `docs/sandbox.md` describes them; outside of test mode they are ordinary text. */

export type SandboxInput =
  /** The task fails. */
  | { readonly kind: 'fail' }
  /** It takes so many milliseconds, at most `mostSandboxMs`. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** It emits pieces before it answers. */
  | { readonly kind: 'stream' }
  /** It expires in the queue. */
  | { readonly kind: 'queue_timeout' }
  /** The create is answered with this code where the catalogue has it, else the task fails with it. */
  | { readonly kind: 'error'; readonly code: string }

/** For so many milliseconds a run may hold a slot of the sandbox: what all accounts have of it is some hundreds. */
export const mostSandboxMs = 600_000

/** What an input asks the sandbox for; undefined for every other. What comes after the first word is of no matter. */
export function readSandboxInput(input: string): SandboxInput | undefined {
  const [, word, value = ''] = FORM.exec(input) ?? []
  switch (word) {
    case 'fail':
    case 'stream':
    case 'queue_timeout':
      return { kind: word }
    case 'slow':
      return /^\d+$/.test(value) ? { kind: word, ms: Math.min(Number(value), mostSandboxMs) } : undefined
    case 'error':
      return /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(value) ? { kind: word, code: value } : undefined
    default:
      return undefined
  }
}

const FORM = /^sandbox:(fail|stream|queue_timeout|(?:slow|error)(?=:))(?::([a-z0-9_]{1,64}))?(?![\w:-])/
