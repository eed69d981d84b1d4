/** What runs the instances of each mode. */
import type { Driver } from '@millhand/instance/driver'
import { createMockDriver } from '@millhand/instance/mock'
import { createMockEngine } from '@millhand/instance/mock-engine'
import type { Clock, Values } from '@millhand/process'
import type { variables } from './variables.ts'

export type InstanceDriver = Values<typeof variables>['MILLHAND_INSTANCE_DRIVER']

/** Replicas that fit on a mock engine, of all accounts together. */
const PLACES = { cpu: 10_000, 'nvidia-h100-80gb-hbm3': 1_000 }

export function instanceDrivers(
  driver: InstanceDriver,
  clock: Clock,
): Readonly<Record<'live' | 'test', Driver | undefined>> {
  const mock = () => createMockDriver(createMockEngine({ clock, hosts: { mock: PLACES } }))
  return { live: driver === 'mock' ? mock() : undefined, test: mock() }
}
