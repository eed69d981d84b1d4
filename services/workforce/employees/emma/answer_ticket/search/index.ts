/** Passages by the terms that they have, weighed as BM25 does. */
import type { Passage } from './passages.ts'
import { termsOf } from './terms.ts'

/** How soon a term that comes again says no more, and how much a long passage is held against it. */
const K1 = 1.2
const B = 0.3
/** A term of the heading counts as so many of the text, and one of the headings above it as half of one. */
const HEADING = 4
const SECTION = 0.5

interface PassageIndex {
  /** How much a term tells passages apart, from 0 to 1: that of one that none has is 1. */
  idf(term: string): number
  /** The passages that have a term, with what it weighs there: from 0 to K1 + 1. */
  postings(term: string): ReadonlyMap<number, number>
  readonly terms: Iterable<string>
}

export function indexOf(passages: readonly Passage[]): PassageIndex {
  const postings = new Map<string, Map<number, number>>()
  const counts = passages.map(({ sections, heading, text }) => {
    const count = new Map<string, number>()
    const add = (from: string, times: number) => {
      for (const term of termsOf(from)) count.set(term, (count.get(term) ?? 0) + times)
    }
    add(sections.join(', '), SECTION)
    add(heading, HEADING)
    add(text, 1)
    return count
  })
  const lengths = counts.map(count => [...count.values()].reduce((sum, times) => sum + times, 0))
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  counts.forEach((count, passage) => {
    const norm = K1 * (1 - B + (B * (lengths[passage] as number)) / mean)
    for (const [term, times] of count) {
      const found = postings.get(term) ?? new Map<number, number>()
      postings.set(term, found.set(passage, (times * (K1 + 1)) / (times + norm)))
    }
  })
  const found = (term: string) => postings.get(term) ?? none
  const size = Math.max(LEAST_SIZE, passages.length)
  const idf = (having: number) => Math.log(1 + (size - having + 0.5) / (having + FEW))
  return {
    idf: term => idf(found(term).size) / idf(0),
    postings: found,
    terms: postings.keys(),
  }
}

/** Smooths the weight of terms that few passages have: a handbook is small, and who alone says “laptop” need not be right. */
const FEW = 4
/** As so many passages fewer ones are looked at: that a term is in both of two says little about it. */
const LEAST_SIZE = 60

const none: ReadonlyMap<number, number> = new Map()
