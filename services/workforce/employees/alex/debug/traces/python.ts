/** https://docs.python.org/3/library/traceback.html */
import { type Exceptions, othersOf, startOf } from './python-groups.ts'
import type { Frame, TraceReader } from './trace.ts'

export const python: TraceReader = lines => {
  const root: Exceptions = { column: -1, thrown: [], frames: [], left: 0 }
  let open = [root]
  let before = ''
  for (const raw of lines) {
    const border = borderOf(raw)
    if (border) {
      // A member begins, or the last one of its group and of those around it ends.
      const outer = open.filter(({ column }) => column < border.column)
      const around = outer.at(-1) ?? root
      // A group that was never raised has no frames: it is the line before its first member.
      if (border.isMember && around.thrown.length === 0 && !say(around, before)) end(around)
      open = border.isMember ? [...outer, memberOf(around, border.column)] : outer
      continue
    }
    // Groups of exceptions stand behind bars.
    const line = raw.replace(/^(?:\s*[|+] ?-*){1,20}/, '').replace(/^\s{0,2}(?=File ")/, '  ')
    read(line, open.at(-1) ?? root, open.length > 1)
    before = line
  }
  for (const exceptions of open) if (exceptions.frames.length > 0) end(exceptions)
  const { chain, handled } = startOf(root)
  const beside = othersOf(root)
  return chain.length === 0
    ? undefined
    : {
        language: 'python',
        thrown: chain,
        ...(handled && { handled }),
        ...(beside.thrown.length > 0 && { beside: beside.thrown }),
        ...(beside.left > 0 && { left: beside.left }),
      }
}

/** `+-+---------------- 1 ----------------` before a member, `+------------------------------------` behind the last one. */
function borderOf(line: string): { readonly column: number; readonly isMember: boolean } | undefined {
  const [, indent, number] = /^(\s{0,200}(?:\+-)?)\+-{3,200}(?: (\d{1,9}|\.\.\.) -{3,200})?$/.exec(line) ?? []
  return indent === undefined ? undefined : { column: indent.length, isMember: number !== undefined }
}

function memberOf({ thrown }: Exceptions, column: number): Exceptions {
  const member: Exceptions = { column, thrown: [], frames: [], left: 0 }
  thrown.at(-1)?.members.push(member)
  return member
}

function read(line: string, into: Exceptions, isMember: boolean): void {
  const place = /^ {2}File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,300}))?$/.exec(line)
  if (place) {
    const [, file = '', number, name] = place
    const inFunction = name === undefined || name === '<module>' ? null : name
    into.frames.unshift({ function: inFunction, file, line: Number(number), column: null, owner: ownerOf(file) })
  } else if (/^During handling of the above exception/.test(line)) {
    // What failed then is what is to be explained; what it was handling has been dealt with.
    into.handled = startOf(into).chain[0] ?? into.handled
    into.thrown.length = 0
  } else if (isMember && into.thrown.length === 0 && /^and \d{1,9} more exceptions?$/.test(line)) {
    into.left = Number(line.split(' ')[1])
  } else if (isMember && line.startsWith('... (max_group_depth is ')) {
    into.left = 1
  } else if (!/^The above exception was the direct cause of/.test(line)) {
    // A member that was never raised has no frames.
    if (into.frames.length > 0 || (isMember && into.thrown.length === 0)) say(into, line)
  }
}

/** Whether the line names an exception, which then has the frames so far. */
function say(into: Exceptions, line: string): boolean {
  const [, type, message = ''] = /^([A-Za-z_][\w.]{0,200})(?:: (.*))?$/.exec(line) ?? []
  if (type === undefined) return false
  end(into, type, message)
  return true
}

function end(into: Exceptions, type = '', message = ''): void {
  into.thrown.push({ type, message, frames: into.frames, members: [] })
  into.frames = []
}

function ownerOf(file: string): Frame['owner'] {
  if (/[/\\](?:site|dist)-packages[/\\]/.test(file)) return 'library'
  return /^<(?!stdin|string|ipython)|[/\\]lib[/\\]python\d[\d.]*[/\\]|[/\\]Python\d+[/\\]Lib[/\\]/i.test(file)
    ? 'runtime'
    : 'own'
}
