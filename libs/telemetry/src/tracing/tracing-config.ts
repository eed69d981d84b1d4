/** Whether and how this process makes traces, by the standard variables of OpenTelemetry. */

import {
  countOf,
  type Environment,
  exporterChoice,
  isDisabled,
  namesService,
  type Protocol,
  protocolOf,
  requireEndpoints,
  wrong,
} from '../otlp/otlp-variables.ts'

export interface TracingConfig {
  readonly protocol: Protocol
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

/**
 * Undefined where traces are off: no endpoint is set, `OTEL_SDK_DISABLED` is `true`, or `OTEL_TRACES_EXPORTER` is `none`.
 *
 * @throws Error which names the variable that is wrong
 */
export function tracingConfig(env: Environment): TracingConfig | undefined {
  if (isDisabled(env)) return undefined
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!(exporterChoice(env, 'TRACES') ?? Boolean(endpoint))) return undefined
  requireEndpoints(env, 'TRACES')
  return {
    protocol: protocolOf(env, 'TRACES'),
    sampler: samplerOf(env),
    maxQueueSize: countOf(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    isNamed: namesService(env),
  }
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
