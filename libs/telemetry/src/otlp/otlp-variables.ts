/** OpenTelemetry's variables that traces and logs have in common. */

export type Environment = Readonly<Record<string, string | undefined>>

export const protocols = ['grpc', 'http/protobuf', 'http/json'] as const
export type Protocol = (typeof protocols)[number]

export type Signal = 'TRACES' | 'LOGS'

/** Whether `OTEL_SDK_DISABLED` turns everything off. */
export const isDisabled = (env: Environment): boolean => env.OTEL_SDK_DISABLED?.toLowerCase() === 'true'

/**
 * Whether the signal's `OTEL_…_EXPORTER` turns it on or off; undefined where that is not set.
 *
 * @throws Error which names the variable that is wrong
 */
export function exporterChoice(env: Environment, signal: Signal): boolean | undefined {
  const name = `OTEL_${signal}_EXPORTER`
  const text = env[name]
  if (!text) return undefined
  if (text !== 'otlp' && text !== 'none') throw wrong(name, 'otlp or none', text)
  return text === 'otlp'
}

/** @throws Error which names the variable that is no URL */
export function requireEndpoints(env: Environment, signal: Signal): void {
  for (const name of [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const url = env[name]
    if (url && !/^https?:\/\/[^/]/.test(url)) throw wrong(name, 'a URL of http: or https:', url)
  }
}

/** @throws Error which names the variable that is wrong */
export function protocolOf(env: Environment, signal: Signal): Protocol {
  const own = `OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`
  const name = env[own] ? own : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const text = env[name] || 'http/protobuf'
  const known = protocols.find(protocol => protocol === text)
  if (known === undefined) throw wrong(name, `one of ${protocols.join(', ')}`, text)
  return known
}

/** Whether the environment names the service. */
export const namesService = (env: Environment): boolean =>
  Boolean(env.OTEL_SERVICE_NAME) || /(^|,)\s*service\.name=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? '')

/** @throws Error which names the variable that is wrong */
export function countOf(env: Environment, name: string, preset: number): number {
  const count = Number(env[name] || preset)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw wrong(name, 'a whole number, at least 1', env[name] ?? '')
}

/** With a code, as errors have that the operator can mend. */
export const wrong = (name: string, form: string, text: string) =>
  Object.assign(new Error(`${name} must be ${form}; it is ${JSON.stringify(text)}.`), { code: 'WRONG_VARIABLE' })
