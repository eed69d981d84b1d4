/** How a process reaches Kafka. */
import { readFileSync } from 'node:fs'
import type { KafkaOptions } from '@millhand/eventlog/kafka'
import { ConfigurationError, type Values } from '@millhand/process'
import { pick } from './variables.ts'

export const kafkaVariables = pick(
  'MILLHAND_KAFKA_BROKERS',
  'MILLHAND_KAFKA_USER',
  'MILLHAND_KAFKA_PASSWORD',
  'MILLHAND_KAFKA_SASL',
  'MILLHAND_KAFKA_TLS',
  'MILLHAND_KAFKA_CA',
  'MILLHAND_KAFKA_PREFIX',
)

/** @throws ConfigurationError where settings contradict each other */
export function kafkaOf(set: Values<typeof kafkaVariables>): Pick<KafkaOptions, 'brokers' | 'prefix' | 'security'> {
  const { MILLHAND_KAFKA_USER: username, MILLHAND_KAFKA_PASSWORD: password, MILLHAND_KAFKA_CA: caFile } = set
  const isTls = set.MILLHAND_KAFKA_TLS
  const faults = [
    ...((username === undefined) !== (password === undefined)
      ? ['MILLHAND_KAFKA_USER and MILLHAND_KAFKA_PASSWORD must be set together.']
      : []),
    ...(caFile !== undefined && !isTls ? ['MILLHAND_KAFKA_CA must not be set without MILLHAND_KAFKA_TLS=true.'] : []),
  ]
  if (faults.length > 0) throw new ConfigurationError(faults)
  const ca = caFile === undefined ? undefined : readCa(caFile)
  return {
    brokers: set.MILLHAND_KAFKA_BROKERS,
    ...(set.MILLHAND_KAFKA_PREFIX !== undefined && { prefix: set.MILLHAND_KAFKA_PREFIX }),
    security: {
      ...(username !== undefined &&
        password !== undefined && {
          sasl: { mechanism: set.MILLHAND_KAFKA_SASL, username, password: password.reveal() },
        }),
      ...(isTls && { tls: ca === undefined ? {} : { ca } }),
    },
  }
}

function readCa(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigurationError([`MILLHAND_KAFKA_CA must be a file that can be read: ${(error as Error).message}.`])
  }
}
