/** https://pkg.go.dev/runtime#hdr-Environment_Variables: what GOTRACEBACK=single prints, and the other goroutines after it. */
import { type Frame, numberOr, type TraceReader } from './trace.ts'

export const go: TraceReader = lines => {
  let said: { type: string; message: string } | undefined
  let isIn = false
  let waits: string | undefined
  let name: string | null = null
  const again: string[] = []
  const frames: Frame[] = []
  for (const line of lines) {
    const head = /^(panic|fatal error|runtime): (.*)$/.exec(line)
    if (head && !isIn) said = { type: head[1] === 'fatal error' ? 'fatal error' : 'panic', message: head[2] ?? '' }
    if (!isIn) again.push(...(/^\s+panic: (.*)$/.exec(line)?.slice(1) ?? []))
    const state = /^goroutine \d{1,12}(?: gp=\S{1,40} m=\S{1,40}(?: mp=\S{1,40})?)? \[([^\]]{1,100})\]:$/.exec(line)
    if (state) {
      // The first is the one that failed.
      if (isIn && frames.length > 0) break
      isIn = true
      waits = state[1]
      continue
    }
    if (!isIn) continue
    const place = /^\s+(\S.{0,1000}?):(\d{1,9})(?: \+0x[0-9a-f]+)?$/.exec(line)
    if (place && name !== null) {
      const file = place[1] ?? ''
      frames.push({ function: name, file, line: numberOr(place[2]), column: null, owner: ownerOf(file, name) })
      name = null
    } else if (/^created by /.test(line)) name = line.replace(/^created by | in goroutine \d+$/g, '')
    else if (/^\S.*\)$/.test(line)) name = line.slice(0, line.lastIndexOf('('))
  }
  if (frames.length === 0) return undefined
  const { type, message } = said ?? { type: 'panic', message: '' }
  const first = { type, message: message.replace(recovered, ''), ...(waits !== undefined && { waits }) }
  // What panicked first stands below the function that recovered from it and panicked again.
  const below = recovered.test(message) ? frames.findLastIndex(({ function: its }) => its === 'panic') + 1 : 0
  const above = frames.slice(0, below)
  const later =
    below > 0 ? again.map(its => ({ type: 'panic', message: its.replace(recovered, ''), frames: above })) : []
  return { language: 'go', thrown: [{ ...first, frames: frames.slice(below) }, ...later] }
}

const recovered = / \[recovered(?:, repanicked)?\]$/

function ownerOf(file: string, name: string): Frame['owner'] {
  if (/[/\\]pkg[/\\]mod[/\\]|[/\\]vendor[/\\]/.test(file))
    return /golang\.org[/\\]toolchain@/.test(file) ? 'runtime' : 'library'
  // The standard library's packages have no dot before their first slash; a program's are main or have one, or a path of its own.
  return /[/\\]go[\d.]*[/\\]src[/\\]|[/\\]libexec[/\\]src[/\\]/.test(file) || /^(?:runtime|panic)\b/.test(name)
    ? 'runtime'
    : 'own'
}
