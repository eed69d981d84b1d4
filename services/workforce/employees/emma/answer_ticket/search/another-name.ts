/** Commands, options, functions, settings and files that a ticket names: a passage that names only a near one answers something else. */
import { isEnglishStem, stemOf, wordsOf } from '../../../src/text/english.ts'
import { sentencesOf } from '../../../src/text/sentences.ts'
import type { Passage } from './passages.ts'
import { termsOf } from './terms.ts'

export interface AnotherName {
  readonly asked: string
  readonly told: string
}

/** Gives what a passage names of the same tool instead of what the ticket names; undefined where it names that, or nothing near it. */
export function anotherNameIn(
  ticket: string,
  passages: readonly Passage[],
): (passage: Passage) => AnotherName | undefined {
  const question = askedIn(ticket)
  const commands = commandsOf(question, passages)
  const asked = [...asCommands(question, commands, passages), ...otherNamesIn(question)]
  const seen = new Map<Passage, AnotherName | undefined>()
  return passage => {
    if (asked.length > 0 && !seen.has(passage)) seen.set(passage, instead(passage))
    return seen.get(passage)
  }

  function instead(passage: Passage): AnotherName | undefined {
    const { source, sections, heading, text } = passage
    // “npm-install.md”
    const above = [source, ...sections, heading].join('\n')
    const titled = commandsIn(above.replaceAll('-', ' '), commands.tools).filter(({ name }) => commands.known.has(name))
    const subject = [...titled, ...otherNamesIn(above)].filter(({ name }) => !asked.some(one => one.name === name))
    const told = [...subject, ...commandsIn(text, commands.tools), ...otherNamesIn(text)]
    for (const one of asked) {
      const isNear = ({ family, name }: Name) =>
        family === one.family && name !== one.name && (!one.isUnsure || commands.known.has(name))
      // A passage under the name of another one may mention it in passing.
      const isAbout = isNamed(one, above) || (isNamed(one, text) && (one.isUnsure || !subject.some(isNear)))
      const near = isAbout || isSaidToBeSame(one, source) ? undefined : told.find(isNear)
      if (near) return { asked: one.name, told: near.name }
    }
    return undefined
  }

  function isSaidToBeSame({ name, command = name }: Name, source: string): boolean {
    const same = passages.filter(passage => passage.source === source).flatMap(({ text }) => text.match(saysSame) ?? [])
    return same.some(text => wordIn(command, text))
  }
}

/** What stands in a line or sentence with such a word. */
const saysSame =
  /[^\n.!?]{0,300}\b(?:same as|does the same|alias(?:es)?|equivalent to|identical to|synonyms?|short(?:hand)? for|also called|(?:other|old|new|former) name)\b[^\n!?]{0,300}/gi

interface Name {
  readonly name: string
  /** Names of the same family are near each other: commands of one tool, options, and what begins with the same word. */
  readonly family: string
  /** Of a command, what stands behind the tool. */
  readonly command?: string
  /** The ticket may mean a command, or say an English word after the name of a tool. */
  readonly isUnsure?: boolean
}

function isNamed({ name, command, isUnsure }: Name, text: string): boolean {
  if (command === undefined) return wordIn(name, text)
  const [tool = ''] = name.split(' ')
  const isWritten = new RegExp(`(?<![\\w-])${escaped(tool)}[\\s-]+${escaped(command)}(?![\\w])`, 'i').test(text)
  return isWritten || (isUnsure === true && termsOf(text).includes(stemOf(command)))
}

/** A long ticket may quote a log, a configuration or a program: of one the questions are read, of a short one all. */
function askedIn(ticket: string): string {
  const sentences = sentencesOf(ticket).map(({ start, end }) => ticket.slice(start, end))
  const questions = sentences.filter(sentence => /[?？]\W{0,3}$/.test(sentence))
  return questions.length > 0 ? questions.join('\n') : wordsOf(ticket).length <= SHORT ? ticket : ''
}

const SHORT = 40

/** The case tells short options apart: `-p`, `-P`. */
const wordIn = (word: string, text: string) =>
  new RegExp(`(?<![\\w-])${escaped(word)}(?![\\w-])`, word.length > 2 ? 'i' : '').test(text)
const escaped = (text: string) => text.replaceAll(/[^\w\s]/g, '\\$&')

interface Commands {
  readonly tools: readonly string[]
  /** As the ticket writes them in code or in quotes. */
  readonly marked: ReadonlySet<string>
  /** As the knowledge has them in code. */
  readonly known: ReadonlySet<string>
}

const MOST_TOOLS = 50

/** A tool is what is well known as one, or stands first in code: English words only where the ticket marks them as code. */
function commandsOf(ticket: string, passages: readonly Passage[]): Commands {
  const marked = new Set(
    Array.from(ticket.matchAll(markedCommand), ([, tool = '', command = '']) => `${tool} ${command}`.toLowerCase()),
  )
  const coded = [...passages.flatMap(codedCommandsIn), ...passages.flatMap(titledCommandsIn)]
  const inCode = new Set(coded.map(([tool]) => tool))
  const said = new Set(ticket.toLowerCase().match(/[a-z][\w.-]{1,19}/g))
  const tools = [...said].filter(word => !isEnglish(word) && (TOOLS.has(word) || inCode.has(word)))
  for (const command of marked) tools.push(command.slice(0, command.indexOf(' ')))
  const known = new Set(coded.map(([tool, command]) => `${tool} ${command}`))
  return { tools: [...new Set(tools)].slice(0, MOST_TOOLS), marked, known }
}

const markedCommand =
  /(?<![\w`])[`“‘"'](?:\$ )?([a-z][\w.-]{1,19}) +([a-z][\w:-]{0,29})(?: [^`“”‘’"'\n]{0,80})?[`”’"'](?!\w)/gi

const isEnglish = (word: string) => isEnglishStem(stemOf(word))

/** The first two words of code, where both may be names. */
function codedCommandsIn({ blocks }: Passage): (readonly [tool: string, command: string])[] {
  const code = blocks.flatMap(({ kind, text }) =>
    kind === 'code' ? text.split('\n') : Array.from(text.matchAll(/`([^`\n]{1,200})`/g), ([, inline = '']) => inline),
  )
  return code.flatMap(line => {
    const [, tool, command] = /^\s{0,20}(?:[$>] )?([a-z][\w.-]{1,19}) +([a-z][\w:-]{0,29})(?=\s|$)/i.exec(line) ?? []
    return tool === undefined || command === undefined ? [] : [[tool.toLowerCase(), command.toLowerCase()] as const]
  })
}

/** “npm install” as the title of an article, or “npm-install.md” as its name. */
const titledCommandsIn = ({ source, sections, heading }: Passage): (readonly [tool: string, command: string])[] =>
  [source, ...sections, heading].flatMap(title => {
    const [, tool = '', command = ''] =
      /^([a-z][a-z\d.]{1,19})[ -]([a-z][a-z\d-]{1,29})(?:\.(?:md|txt))?$/.exec(title) ?? []
    return TOOLS.has(tool) && !TEXTS.has(command) ? [[tool, command] as const] : []
  })

/** “docker guide” is the title of a text about the tool, not a command of it. */
const TEXTS = new Set(
  'guide guides basics tutorial tutorials commands manual handbook reference overview introduction intro faq faqs questions answers tips tricks cheatsheet cheat-sheet notes documentation docs troubleshooting errors problems issues usage workflow workflows setup settings configuration packages images containers'.split(
    ' ',
  ),
)

/** Well-known tools of the command line that are no English words. */
const TOOLS = new Set(
  'npm npx pnpm pip pipx conda cargo rustup git docker podman kubectl systemctl apt dnf yum terraform ansible aws gcloud az mvn gradle dotnet psql mysql ffmpeg openssl ssh'.split(
    ' ',
  ),
)

/** “npm registry” is none where the knowledge has the second word by itself. */
function asCommands(ticket: string, { tools, marked, known }: Commands, passages: readonly Passage[]): Name[] {
  return commandsIn(ticket, tools).map(one => {
    const { name, command = '' } = one
    const alone = new RegExp(`(?<![\\w\`/-])${escaped(command)}(?![\\w\`-])`)
    const isWord = () => isEnglish(command) || passages.some(({ text }) => alone.test(text))
    return { ...one, isUnsure: !marked.has(name) && !known.has(name) && isWord() }
  })
}

/** `npm install`: a tool, and a word behind it that says something. */
function commandsIn(text: string, tools: readonly string[]): Name[] {
  if (tools.length === 0) return []
  const command = new RegExp(
    `(?<![\\w./-])(${tools.map(escaped).join('|')})[ \\t]+([a-z][\\w:-]{0,29})(?![\\w.]\\w)`,
    'gi',
  )
  return Array.from(text.matchAll(command), ([, tool = '', behind = '']): Name => {
    const [of, own] = [tool.toLowerCase(), behind.toLowerCase()]
    return { name: `${of} ${own}`, family: `command ${of}`, command: own }
  }).filter(({ command: own = '' }) => termsOf(own).length > 0)
}

/** Options, functions, settings and files, by how they are written. */
const otherNamesIn = (text: string): Name[] =>
  KINDS.flatMap(({ pattern, family }) =>
    Array.from(text.matchAll(pattern), ([, name = '']): Name => ({ name, family: family(name) })),
  ).filter(({ family }) => !family.endsWith(' '))

/** The first word of a name, where it has so many letters. */
const firstWord = (name: string): string =>
  /^\W?([a-z]{3,}|[A-Z]{3,}|[A-Z][a-z]{2,})/.exec(name)?.[1]?.toLowerCase() ?? ''

const KINDS: readonly { readonly pattern: RegExp; readonly family: (name: string) => string }[] = [
  { pattern: /(?<![\w-])(--[a-z][\w-]{1,40})/gi, family: () => 'option' },
  { pattern: /(?<![\w-])(-[a-z])(?![\w-])/gi, family: () => 'short option' },
  // `compress()`, and no “key(s)”.
  { pattern: /(?<![\w.])([a-z_$][\w$.]{1,60})(?=\((?!e?s\)))/gi, family: name => `name ${firstWord(name)}` },
  // `max_words`, `maxWords`, `MAX_WORDS`.
  {
    pattern: /(?<![\w-])([a-z]\w{0,40}_\w{1,40}|[a-z]{2,20}[A-Z]\w{1,40})(?![\w(])/g,
    family: name => `name ${firstWord(name)}`,
  },
  { pattern: /(?<![\w-])([A-Z][A-Z\d]{1,30}_[A-Z\d_]{1,40})(?!\w)/g, family: name => `name ${firstWord(name)}` },
  {
    pattern: /(?<![\w./-])([\w-]{1,40}\.(?:json|ya?ml|toml|lock|cfg|conf|ini))(?![\w.]\w)/gi,
    family: name => `file ${firstWord(name)}`,
  },
]
