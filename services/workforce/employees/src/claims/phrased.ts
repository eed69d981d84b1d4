/** A text in other words, held against the text that it was made from. */
import { filler } from '../text/filler.ts'
import { unfounded } from './unfounded.ts'

/** A text that a language model wrote, and what it wrote it from. */
export interface Phrased {
  readonly text: string
  /** What it may claim. */
  readonly from: string
  /** What it may speak of besides, without claiming anything of it. */
  readonly about?: string
  readonly isOfTable?: boolean
}

/** What is wrong with it, a few words each, of the text's own; empty where nothing is found. */
export function beyond({ text, from, about = '', isOfTable = false }: Phrased): string[] {
  return [
    ...new Set(unfounded({ text, from: [from], about: [about], isOfTable }).map(({ fault }) => fault)),
    ...filler(text).flatMap(({ id, pass }) => (pass ? [] : `it has ${id.replace(/^no_/, '').replaceAll('_', ' ')}`)),
  ].slice(0, MOST_FAULTS)
}

const MOST_FAULTS = 20

/** Whether most of what it says is said with words of what it was made from: the beginnings of its longer words. */
export function isClose({ text, from, about = '' }: Phrased): boolean {
  const known = new Set(prefixesOf(`${from}\n${about}`))
  const own = [...new Set(prefixesOf(text))]
  return own.filter(stem => known.has(stem)).length >= own.length / 2
}

/** Words of five letters and more by their first five: endings change, and what is shorter is mostly grammar. */
const prefixesOf = (text: string): string[] =>
  (text.toLowerCase().match(/\p{L}[\p{L}\p{M}]{4,}/gu) ?? []).map(word =>
    Array.from(word.normalize('NFC')).slice(0, 5).join(''),
  )
