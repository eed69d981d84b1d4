/** Whether and how this process makes traces, by the standard variables of OpenTelemetry. */

type Environment = Readonly<Record<string, string | undefined>>

export interface TracingConfig {
  readonly protocol: (typeof protocols)[number]
  readonly sampler: Sampler
  /** How many spans may wait to be sent. */
  readonly maxQueueSize: number
  /** Whether the environment names the service. */
  readonly isNamed: boolean
}

interface Sampler {
  /** Whether the decision of a caller counts. */
  readonly followsParent: boolean
  /** The part of other traces that is kept, from 0 to 1. */
  readonly ratio: number
}

const protocols = ['grpc', 'http/protobuf', 'http/json'] as const

/**
 * Undefined where traces are off: no endpoint is set, `OTEL_SDK_DISABLED` is `true`, or `OTEL_TRACES_EXPORTER` is `none`.
 *
 * @throws Error which names the variable that is wrong
 */
export function tracingConfig(env: Environment): TracingConfig | undefined {
  const exporter = env.OTEL_TRACES_EXPORTER || undefined
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || exporter === 'none') return undefined
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (exporter === undefined && !endpoint) return undefined
  if (exporter !== undefined && exporter !== 'otlp') throw wrong('OTEL_TRACES_EXPORTER', 'otlp or none', exporter)
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']) {
    const url = env[name]
    if (url && !/^https?:\/\/[^/]/.test(url)) throw wrong(name, 'a URL of http: or https:', url)
  }
  return {
    protocol: protocolOf(env),
    sampler: samplerOf(env),
    maxQueueSize: countOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    isNamed: Boolean(env.OTEL_SERVICE_NAME) || /(^|,)\s*service\.name=/.test(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
  }
}

function protocolOf(env: Environment): TracingConfig['protocol'] {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL'
  const text = env[name] || 'http/protobuf'
  const known = protocols.find(protocol => protocol === text)
  if (known === undefined) throw wrong(name, `one of ${protocols.join(', ')}`, text)
  return known
}

function samplerOf(env: Environment): Sampler {
  const text = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const followsParent = text.startsWith(PARENT_BASED)
  switch (followsParent ? text.slice(PARENT_BASED.length) : text) {
    case 'always_on':
      return { followsParent, ratio: 1 }
    case 'always_off':
      return { followsParent, ratio: 0 }
    case 'traceidratio':
      return { followsParent, ratio: ratioOf(env.OTEL_TRACES_SAMPLER_ARG || '1') }
    default:
      throw wrong('OTEL_TRACES_SAMPLER', `one of ${samplers.join(', ')}`, text)
  }
}

const PARENT_BASED = 'parentbased_'
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap(name => [name, PARENT_BASED + name])

function ratioOf(text: string): number {
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw wrong('OTEL_TRACES_SAMPLER_ARG', 'a number from 0 to 1', text)
}

function countOf(env: Environment, name: string, preset: number): number {
  const count = Number(env[name] || preset)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw wrong(name, 'a whole number, at least 1', env[name] ?? '')
}

/** With a code, as errors have that the operator can mend. */
const wrong = (name: string, form: string, text: string) =>
  Object.assign(new Error(`${name} must be ${form}; it is ${JSON.stringify(text)}.`), { code: 'WRONG_VARIABLE' })
