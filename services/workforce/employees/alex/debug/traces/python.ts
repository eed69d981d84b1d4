/** https://docs.python.org/3/library/traceback.html */
import type { Frame, Thrown, TraceReader } from './trace.ts'

export const python: TraceReader = lines => {
  const thrown: Thrown[] = []
  let frames: Frame[] = []
  let handled: Thrown | undefined
  const members: Thrown[][] = []
  for (const raw of lines) {
    if (/^\s{0,200}\+[-+]{3,200} \d{1,9} -{3,200}$/.test(raw)) {
      // What was read so far is the group, or its exception before.
      members.push(thrown.splice(0))
      frames = []
      continue
    }
    // Groups of exceptions stand behind bars.
    const line = raw.replace(/^(?:\s*[|+] ?-*){1,20}/, '').replace(/^\s{0,2}(?=File ")/, '  ')
    const place = /^ {2}File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,300}))?$/.exec(line)
    if (place) {
      const [, file = '', number, name] = place
      const inFunction = name === undefined || name === '<module>' ? null : name
      frames.unshift({ function: inFunction, file, line: Number(number), column: null, owner: ownerOf(file) })
      continue
    }
    if (/^The above exception was the direct cause of/.test(line)) continue
    if (/^During handling of the above exception/.test(line)) {
      // What failed then is what is to be explained; what it was handling has been dealt with.
      handled = thrown[0] ?? handled
      thrown.length = 0
      continue
    }
    const said = frames.length > 0 ? /^([A-Za-z_][\w.]{0,200})(?:: (.*))?$/.exec(line) : null
    if (said) {
      thrown.push({ type: said[1] ?? '', message: said[2] ?? '', frames })
      frames = []
    }
  }
  if (frames.length > 0) thrown.push({ type: '', message: '', frames })
  const [group = [], ...others] = [...members, thrown]
  const [own = [], ...beside] = others.filter(one => one.length > 0)
  const all = [...own, ...group]
  return all.length === 0
    ? undefined
    : {
        language: 'python',
        thrown: all,
        ...(handled && { handled }),
        ...(beside.length > 0 && { beside: beside.flatMap(([one]) => one ?? []) }),
      }
}

function ownerOf(file: string): Frame['owner'] {
  if (/[/\\](?:site|dist)-packages[/\\]/.test(file)) return 'library'
  return /^<(?!stdin|string|ipython)|[/\\]lib[/\\]python\d[\d.]*[/\\]|[/\\]Python\d+[/\\]Lib[/\\]/i.test(file)
    ? 'runtime'
    : 'own'
}
