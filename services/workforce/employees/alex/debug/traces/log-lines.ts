/** The lines of a trace as the program wrote them, out of what logs make of them. */

const MOST_LINES = 5000
const LONGEST_LINE = 2000

/** Undoes JSON, escaped ends of lines and what collectors write before each line. At most 5,000 lines of 2,000 characters. */
export function linesOf(text: string): string[] {
  const whole = stackIn(text) ?? text
  return whole
    .split(/\r?\n/, MOST_LINES)
    .flatMap(line => unescaped(withoutPrefix(line)).split(/\r?\n/, MOST_LINES))
    .slice(0, MOST_LINES)
    .map(line => withoutPrefix(line.slice(0, LONGEST_LINE)).trimEnd())
}

function unescaped(line: string): string {
  const stack = stackIn(line)
  if (stack !== undefined) return stack
  // Something else in the line may be a text with such signs in it: what makes it a trace is a frame behind them.
  return /\\n *(?:\\t)?(?:at |File |from |#\d{1,5} (?:\{main\}|\[internal function\]|\S[^#]{0,300}\(\d{1,9}\): ))/.test(
    line,
  )
    ? line.replaceAll(/\\(?:r\\n|[nt"])/g, sign => (sign === '\\t' ? '\t' : sign === '\\"' ? '"' : '\n'))
    : line
}

/** Of a JSON object the longest text of several lines; undefined where it is none, or has none. */
function stackIn(line: string): string | undefined {
  const start = /^\s*\{/.test(line)
  if (!start) return undefined
  try {
    return textsIn(JSON.parse(line), DEEPEST)
      .filter(text => text.includes('\n'))
      .reduce<string | undefined>((most, text) => (most && most.length >= text.length ? most : text), undefined)
  } catch {
    return undefined
  }
}

const DEEPEST = 4

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.values(value).flatMap(part => textsIn(part, depth - 1))
}

/** One may stand behind another: a time that Kubernetes gives behind the name of a pod. */
function withoutPrefix(line: string): string {
  let rest = line
  for (let time = 0; time < MOST_PREFIXES; time++) {
    const prefix = prefixes.find(each => each.test(rest))
    if (!prefix) break
    rest = rest.replace(prefix, '')
  }
  return rest
}

const MOST_PREFIXES = 3

/** Each ends in one blank: those behind it are the program's own. */
const prefixes: readonly RegExp[] = [
  // The name of the service, as docker compose writes it.
  /^[a-z][\w.-]{0,60} {1,20}\| /,
  // `kubectl logs --prefix`.
  /^\[pod\/[\w./-]{1,200}\] /,
  // https://kubernetes.io/docs/concepts/cluster-administration/logging: the container runtime's own form.
  /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] /,
  // RFC 3339, with a blank instead of the T, or with a comma as Python's logging has it.
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? /,
  // RFC 3164, as journalctl and syslog write it.
  /^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,100} [\w./@-]{1,100}(?:\[\d{1,10}\])?: /,
  // What stands behind the time at Heroku.
  /^(?:app|heroku)\[[\w.-]{1,60}\]: /,
]
