/** Examples and events of tasks that train. */
import { openEvents, type StreamEvent } from './event-stream.ts'
import type { Served } from './server.ts'

/** Of lines with a digit and its pixels from 0 to g: JSON Lines of the first so many. */
export const examplesOf = (text: string) => {
  const lines = text
    .trimEnd()
    .split('\n')
    .map(line => {
      const input = Array.from(line.slice(2), each => Number.parseInt(each, 17))
      return JSON.stringify({ input, label: Number(line[0]) })
    })
  return (count: number): string => `${lines.slice(0, count).join('\n')}\n`
}

export async function eventsUntilEnd(server: Served, id: string): Promise<StreamEvent[]> {
  const headers = { authorization: `Bearer ${server.key}` }
  using stream = await openEvents(`${server.url}/v1/tasks/${id}/events`, { headers })
  return await Array.fromAsync(stream)
}
