/** Why an instance or a replica does not run. */

/** The reason in a sentence. */
export function messageOf(reason: string, exitCode?: number): string {
  const code = exitCode === undefined ? '' : ` with exit code ${exitCode}`
  switch (reason) {
    case 'exited':
      return `The process of a replica ended${code}. It is started again.`
    case 'crash_loop':
      return `The process of a replica ends${code} again and again, soon after its start.`
    case 'out_of_memory':
      return 'A replica took more memory than it may have, and was ended.'
    case 'command_not_found':
      return 'The command is not in the image, or can’t be run.'
    case 'image_not_found':
      return 'The image is not in its registry.'
    case 'image_too_large':
      return 'The image has more bytes than an image may have here.'
    case 'port_taken':
      return 'A port that is to be published is taken.'
    case 'host_lost':
      return 'The host of a replica does not answer.'
    case 'replica_lost':
      return 'A replica vanished from its host. It is started again.'
    case 'no_capacity':
      return 'There is no free place for a replica. It starts as soon as there is one.'
    case 'replica_limit':
      return 'The account runs as many replicas as its plan allows. More start as others end.'
    case 'deleted':
      return 'It was deleted.'
    case 'max_lifetime':
      return 'Its maximum lifetime has passed.'
    default:
      return 'The container engine refused to run a replica.'
  }
}

/** What starting again does not help against. */
export const isPermanent = (reason: string | undefined): boolean => reason !== undefined && permanent.has(reason)

const permanent: ReadonlySet<string> = new Set([
  'image_not_found',
  'image_denied',
  'image_too_large',
  'registry_not_allowed',
  'command_not_found',
  'ports_unsupported',
  'volume_unsupported',
  'executors_unsupported',
])
