/**
 * The container of a replica: what an untrusted image gets, and no more. The list follows Docker's own
 * (https://docs.docker.com/engine/security/) and CIS Docker Benchmark 5.
 */
import type { ReplicaSpec } from '../driver.ts'
import type { ReplicaSize } from '../replica-size.ts'
import type { Labels } from './labels.ts'

export interface ContainerConfigOptions {
  readonly replica: ReplicaSpec
  readonly size: ReplicaSize
  readonly labels: Labels
  /** The image by its id, so that it is the one that was pulled. */
  readonly imageId: string
  /** Where the image asks for volumes: the engine would make them on the host's disk, without a bound. */
  readonly imageVolumes: readonly string[]
  /** The id of the tenant's network. */
  readonly network: string
  /** The ids of GPUs. */
  readonly devices: readonly string[]
}

const MIB = 2 ** 20

/** A resolver that no container reaches: an engine before 26 resolves foreign names on the host (CVE-2024-29018). */
const NO_RESOLVER = '198.51.100.1'

export function containerConfig(options: ContainerConfigOptions): Record<string, unknown> {
  const { replica, size, labels, imageId, imageVolumes, network, devices } = options
  const { ports, volumeGb, command } = replica
  const temporary = [
    '/tmp',
    '/run',
    '/var/tmp',
    ...imageVolumes.filter(path => volumeGb === undefined || path !== '/data'),
  ]
  return {
    Image: imageId,
    Labels: labels,
    Env: Object.entries(replica.env).map(([name, value]) => `${name}=${value}`),
    ...(command && { Entrypoint: command, Cmd: [] }),
    // An image's own would run beside it, and could ask for a signal that never ends it.
    Healthcheck: { Test: ['NONE'] },
    StopSignal: 'SIGTERM',
    ExposedPorts: Object.fromEntries(ports.map(({ port }) => [`${port}/tcp`, {}])),
    NetworkingConfig: { EndpointsConfig: { [network]: { NetworkID: network, Aliases: [replica.instance] } } },
    HostConfig: {
      NetworkMode: network,
      Dns: [NO_RESOLVER],
      PortBindings: Object.fromEntries(
        ports.map(({ port, hostPort }) => [
          `${port}/tcp`,
          [{ HostPort: hostPort === undefined ? '' : String(hostPort) }],
        ]),
      ),
      RestartPolicy: { Name: 'no' },

      Memory: size.memoryBytes,
      MemorySwap: size.memoryBytes, // No swap.
      NanoCpus: Math.round(size.cpus * 1e9),
      PidsLimit: size.pids,
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],

      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      IpcMode: 'private',
      // What is in memory counts against the container's memory.
      ReadonlyRootfs: true,
      ShmSize: 64 * MIB,
      Tmpfs: Object.fromEntries(temporary.map(path => [path, `rw,nosuid,nodev,mode=1777,size=${256 * MIB}`])),
      Mounts:
        volumeGb === undefined
          ? []
          : [
              {
                Type: 'volume',
                Source: replica.name,
                Target: '/data',
                VolumeOptions: {
                  NoCopy: true,
                  Labels: labels,
                  DriverConfig: { Name: 'local', Options: { size: `${volumeGb}G` } },
                },
              },
            ],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      DeviceRequests: devices.length === 0 ? [] : [{ Driver: 'nvidia', DeviceIDs: devices, Capabilities: [['gpu']] }],
    },
  }
}
