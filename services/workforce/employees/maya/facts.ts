/** What may be said: the statements of a brief, each with the place that it stands at. Nothing else is ever said. */
import { type Brief, type BriefFile, Refusal } from '../src/brief.ts'
import { isLimited } from '../src/text/conditions.ts'
import { plainText } from '../src/text/plain-text.ts'
import { sentencesOf } from '../src/text/sentences.ts'
import { textOfFile } from '../src/text/text-files.ts'
import { statementsOf } from './markdown-statements.ts'

export interface FactsInput {
  readonly facts?: readonly string[]
}

export interface Fact {
  /** Where it stands in the brief: `facts[0]`, or the file and the line. */
  readonly source: string
  /** In one line, as a reader sees it, without emojis. */
  readonly text: string
}

/** Statements that are told together, since those behind the first one lean on it: “It weighs 2 kg.” */
export type Group = readonly Fact[]

const MOST_FACTS = 100
const LONGEST_FACT = 2_000
/** Of a file. */
const MOST_CHARACTERS = 1_000_000

/** The facts of the input, then the lines of the files, and of Markdown its paragraphs and items. Throws a `Refusal` where there are none. */
export function factsOf({ input, files }: Brief<FactsInput>): readonly Fact[] {
  const given = [
    ...(input.facts ?? []).map((text, at) => ({ source: `facts[${at}]`, text })),
    ...files.flatMap((file, at) => linesOf(file, `files[${at}]`)),
  ]
  if (given.length > MOST_FACTS)
    throw new Refusal('input.facts', `There are ${given.length} statements; up to ${MOST_FACTS} are weighed at once.`)
  const long = given.find(({ text }) => text.length > LONGEST_FACT)
  if (long)
    throw new Refusal(
      'input.facts',
      `${long.source} has ${long.text.length} characters; give statements of a sentence or two.`,
    )
  const facts = given
    .map(({ source, text }) => ({ source, text: plain(text) }))
    .filter(({ text }) => hasLetters.test(text))
  if (facts.length === 0)
    throw new Refusal('input.facts', 'There is nothing to tell: give facts, a sentence or two each. None are made up.')
  return facts
}

/** Facts that begin with a word that points back belong to the one before. */
export function groupsOf(facts: readonly Fact[]): readonly Group[] {
  const groups: Fact[][] = []
  for (const fact of facts) {
    const last = groups.at(-1)
    if (last && pointsBack.test(fact.text)) last.push(fact)
    else groups.push([fact])
  }
  return groups
}

/** The first facts of a group; none where one that is left out says when the others hold. */
export function firstOf(group: Group, count: number): Group {
  return group.slice(count).some(({ text }) => isLimited(text)) ? [] : group.slice(0, count)
}

/** As a reader sees it, without tags, in one line, without emojis, and without what is no character at all: X refuses texts with such. */
export const plain = (text: string): string =>
  plainText(text)
    .replaceAll(/\p{Noncharacter_Code_Point}/gu, '')
    .replaceAll(emoji, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Of a fact, so many beginnings are tried. */
const MOST_FORMS = 8

/** A fact, and what remains of it without its last sentences, down to the first one that none of those may limit. */
export function formsOf(fact: Fact): readonly Fact[] {
  const ends = sentencesOf(fact.text).map(({ end }) => end)
  const shorter = ends
    .slice(0, -1)
    .filter(end => !isLimited(fact.text.slice(end)))
    .slice(0, MOST_FORMS)
    .toReversed()
  return [fact, ...shorter.map(end => ({ ...fact, text: fact.text.slice(0, end) }))]
}

/** The sign that a sentence lacks at its end; nothing where it has one. */
export const closing = (text: string): string =>
  /[.!?…:;。！？]["'”’»)\]]?$/.test(text)
    ? ''
    : /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(text)
      ? '。'
      : '.'

/** Without the signs of rights, which count as pictures there and are part of a name. */
export const emoji = /(?![©®™])(?:\p{RGI_Emoji}|\p{Extended_Pictographic})/gv

const hasLetters = /[\p{L}\p{N}]/u

const pointsBack =
  /^(?:it|its|it's|they|their|them|this|these|that|those|he|she|his|her|such|also|but|and|or|so|however|therefore|then|besides|moreover|er|sie|es|dies|diese|dieser|dieses|und|aber|auch|außerdem|il|elle|ils|elles|cela|ceci|ce|cette|ces|et|mais|aussi|ello|ellos|ellas|este|esta|esto|y|pero|también)(?![\p{L}\p{N}-])/iu

function linesOf(file: BriefFile, param: string): Fact[] {
  const { name, media_type } = file
  const text = textOfFile(file, param)
  if (text.length > MOST_CHARACTERS)
    throw new Refusal(param, `${name} has ${text.length} characters; up to ${MOST_CHARACTERS} are read for statements.`)
  if (/^text\/html\b/i.test(media_type))
    throw new Refusal(param, `${name} is a page, with what nobody reads in it; give its text, a statement a line.`)
  if (/^text\/(?:x-)?markdown\b/i.test(media_type) || /\.(?:md|markdown)$/i.test(name))
    return statementsOf(text).map(({ line, text: statement }) => ({ source: `${name}:${line}`, text: statement }))
  return text
    .split(/\r\n?|\n/)
    .map((line, at) => ({ source: `${name}:${at + 1}`, text: line.replace(/^\s{0,20}(?:[-*•–]|\d{1,3}[.)])\s+/, '') }))
    .filter(({ text: line }) => hasLetters.test(line))
}
