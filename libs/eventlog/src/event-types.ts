/** Types of events, and how callers ask for some: `task.succeeded`, `task.*` for all that begin so, `*` for all. */
import type { Fault } from '@millhand/api'
import { type PublicTopic, publicTopics } from './public-topics.ts'

/** Whether an event of this type is asked for by a pattern. */
export function matches(pattern: string, type: string): boolean {
  if (pattern === '*') return true
  return pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type
}

/** Those that the public stream has. */
export const eventTypes: readonly string[] = Object.values<PublicTopic>(publicTopics).flatMap(({ carries = [] }) =>
  carries.flatMap(({ events }) => Object.keys(events)),
)

/** What stands against patterns, each of which must ask for one of these types at least. `param` is where they are. */
export function patternFaults(param: string, patterns: readonly string[], types: readonly string[]): Fault[] {
  return patterns.flatMap((pattern, at): Fault[] => {
    if (types.some(type => matches(pattern, type))) return []
    const message = `\`${param}[${at}]\` must be one of ${types.join(', ')}, or end in \`.*\` for all that begin so.`
    return [{ param: `${param}[${at}]`, code: 'not_in', message }]
  })
}
